// `gangplan history` against servers that answer as a test says.
#include "extender/cli/history_command.h"

#include "tests/extender/cli/told.h"
#include "tests/extender/kube/raw_server.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::history_command_test {
namespace {

Told History(const std::string& body, std::vector<std::string_view> words,
             std::string_view status = "200 OK") {
  const RawServer server(
      fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body));
  const std::string url = fmt::format("http://127.0.0.1:{}", server.port());
  words.insert(words.begin(), "history");
  words.insert(words.end(), {"--server", url});
  return RunOf({HistoryCommand()}, words);
}

const std::string kTwoLines =
    R"j({"name":"ml/a","dropped":0,"lines":[{"at":"2026-01-02T03:04:05Z","state":"Blocked",)j"
    R"j("bound":0,"size":2,"why":"no\u001b room"},{"at":"2026-01-02T03:05:00Z","state":)j"
    R"j("Running","bound":2,"size":2,"why":""}]})j";

TEST_CASE("history: a line for each change, the oldest first") {
  CHECK(History(kTwoLines, {"ml/a"}) == Told{kExitDone,
                                             "TIME                  STATE    PODS  WHY\n"
                                             "2026-01-02T03:04:05Z  Blocked  0/2   no\\u001b room\n"
                                             "2026-01-02T03:05:00Z  Running  2/2\n",
                                             ""});
  std::string more = kTwoLines;
  more.replace(more.find(":0,"), 3, ":7,");
  CHECK(History(more, {"ml/a"}).out.starts_with("7 older changes are not kept\nTIME "));
  CHECK(History(kTwoLines, {"ml/a", "-o", "json"}).out == kTwoLines + "\n");
  CHECK(History(kTwoLines, {"ml/a", "-o", "yaml"}).out.starts_with("name: ml/a\ndropped: 0\n"));
}

TEST_CASE("history: what is none, whom nobody knows, and wrong names are told") {
  for (const char* other : {"<html>", "{}", R"({"lines":[]})"}) {
    INFO(other);
    const Told told = History(other, {"ml/a"});
    CHECK(told.code == kExitFailed);
    CHECK(told.out == "");
    CHECK(told.err.find("no history came: ") != std::string::npos);
  }
  const Told none = History(R"({"error":"no group ml/a since the start"})", {"ml/a"}, "404 No");
  CHECK(none == Told{kExitFailed, "", "gangplan history: no group ml/a since the start\n"});
  const Told pod = History(R"({"error":"no group"})", {"pod/a"}, "404 No");
  CHECK(pod.code == kExitWrongWords);
  CHECK(pod.err.find("\"pod/a\"; expected a gang, whose history it is") != std::string::npos);
  for (const char* name : {"", "/a", "a/", "a/b/c"}) {
    INFO(name);
    const Told wrong = History(kTwoLines, {name});
    CHECK(wrong.code == kExitWrongWords);
    CHECK(wrong.err.find("expected NAME, NAMESPACE/NAME") != std::string::npos);
  }
  CHECK(History(kTwoLines, {"a/b", "-n", "c"}).err.find("\"a/b\" and -n c: two namespaces") !=
        std::string::npos);
}

}  // namespace
}  // namespace gangplan::history_command_test
