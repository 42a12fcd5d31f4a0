// `gangplan explain`, or `why`: who is asked for, and what people are told when no answer comes.
#include "extender/cli/explain_command.h"

#include "extender/cli/commands.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/raw_server.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::explain_command_test {
namespace {

Told Run(const std::vector<std::string_view>& args) { return RunOf(AllCommands(), args); }

std::string Http(std::string_view status, std::string_view body) {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

// What is asked for stands in what a server of nothing is asked.
Told Ask(const std::string& answer, std::vector<std::string_view> words) {
  const RawServer server(answer);
  const std::string url = fmt::format("http://127.0.0.1:{}", server.port());
  words.insert(words.end(), {"--server", url});
  Told told = Run(words);
  const size_t at = told.err.find(url);
  if (at != std::string::npos) told.err.replace(at, url.size(), "URL");
  return told;
}

TEST_CASE("explain: wrong names are told with what was expected") {
  for (const char* wrong : {"a/b/c", "pod/a/b/c", "/b", "a/", "pod/", ""}) {
    INFO(wrong);
    const Told told = Run({"why", wrong});
    CHECK(told.code == kExitWrongWords);
    CHECK(told.err.find("expected NAME, NAMESPACE/NAME, pod/NAME or job/NAME") !=
          std::string::npos);
  }
  CHECK(Run({"why", "a/b", "-n", "c"}).err.find("\"a/b\" and -n c: two namespaces") !=
        std::string::npos);
}

TEST_CASE("explain: a server that does not answer is a failure, told with what to do") {
  const Told refused = Run({"explain", "a/b", "--server", "http://127.0.0.1:1"});
  CHECK(refused.code == kExitFailed);
  CHECK(refused.err.starts_with("gangplan explain: http://127.0.0.1:1: "));
  CHECK(refused.err.find("Connection refused\nNobody listens there.") != std::string::npos);
  CHECK(refused.err.find("port-forward deployment/gangplan 10291\n") != std::string::npos);
  // Names below .invalid exist nowhere; without a network no server can be asked for them.
  const Told unknown = Run({"why", "b", "--server", "http://gangplan.invalid:1"});
  CHECK(unknown.code == kExitFailed);
  CHECK((unknown.err.find("There is no host of the name gangplan.invalid") != std::string::npos ||
         unknown.err.find("No name server answers") != std::string::npos));
  const Told wrong = Run({"why", "b", "--server", "nowhere"});
  CHECK(wrong.code == kExitWrongWords);
}

TEST_CASE("explain: no such gang, no gangplan, and one that is not ready are told apart") {
  CHECK(Ask(Http("404 Not Found", "no group ml/b\n"), {"why", "b", "-n", "ml"}) ==
        Told{kExitFailed, "",
             "gangplan explain: no group ml/b\nThe gangs that there are: gangplan list -n ml. A "
             "pod is of a gang when it has our schedulerName and a word of ours, or its owner has "
             "one\n"});
  CHECK(Ask(Http("404 Not Found", R"({"error":"no group ml/b"})"), {"why", "ml/b", "-o", "json"})
            .err.starts_with("gangplan explain: no group ml/b\n"));
  CHECK(Ask(Http("404 Not Found", "<html>nginx"), {"why", "b"}) ==
        Told{kExitFailed, "",
             "gangplan explain: URL: answered 404: <html>nginx\nIs that a gangplan of this "
             "version, and the port of its probes (server.probePort)?\n"});
  CHECK(Ask(Http("503 Busy", "gangplan is still reading the cluster\n"), {"why", "b"}) ==
        Told{kExitFailed, "",
             "gangplan explain: URL: gangplan is still reading the cluster\nAsk again in a few "
             "seconds\n"});
}

TEST_CASE("explain: what another server answers is told as such, in any form") {
  for (const char* other : {"<html>hello</html>", "{}", R"({"name":"ml/b"})", ""}) {
    for (const char* form : {"text", "json", "yaml"}) {
      INFO(other << " as " << form);
      const Told told = Ask(Http("200 OK", other), {"why", "ml/b", "-o", form});
      CHECK(told.code == kExitFailed);
      CHECK(told.out == "");
      CHECK(told.err.find("\nIs that a gangplan of this version, and the port of its probes") !=
            std::string::npos);
    }
  }
  const std::string gang = R"({"name":"ml/b","state":"Running","size":2,"slots":[]})";
  CHECK(Ask(Http("200 OK", gang), {"why", "ml/b", "-o", "json"}) ==
        Told{kExitDone, gang + "\n", ""});
  CHECK(Ask(Http("200 OK", gang), {"why", "ml/b", "-o", "yaml"}) ==
        Told{kExitDone, "name: ml/b\nstate: Running\nsize: 2\nslots: []\n", ""});
}

TEST_CASE("explain: an error in JSON is read as JSON") {
  CHECK(Ask(Http("404 Not Found", R"( {"error": "no group ml/\u0062\"x", "more":[1]} )"),
            {"why", "ml/b"})
            .err.starts_with("gangplan explain: no group ml/b\"x\n"));
  CHECK(Ask(Http("503 Busy", R"({"other":"x"})"), {"why", "ml/b"}).err.find(R"({"other":"x"})") !=
        std::string::npos);
}

// Whoever names a group could else move the cursor, or write into the clipboard, of who asks.
TEST_CASE("explain: an answer commands no terminal") {
  const std::string body = "\x1b[2J\x1b]52;c;eA==\x07 caf\u00e9\u009b31m\tx\r\n\x7f\xff\u202e\n";
  const std::string safe =
      "\\u001b[2J\\u001b]52;c;eA==\\u0007 caf\u00e9\\u009b31m\tx\\u000d\n\\u007f\\ufffd\\u202e";
  CHECK(Ask(Http("200 OK", body), {"explain", "a/b"}) == Told{kExitDone, safe + "\n", ""});
  const Told refused = Ask(Http("404 Not Found", "no group " + body), {"why", "a/b"});
  CHECK(refused.err.starts_with("gangplan explain: no group " + safe + "\n"));
}

}  // namespace
}  // namespace gangplan::explain_command_test
