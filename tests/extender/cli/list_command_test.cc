// `gangplan list` against servers that answer as a test says.
#include "extender/cli/list_command.h"

#include <memory>

#include "extender/cli/list_answer.h"
#include "extender/cli/table.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/raw_server.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::list_command_test {
namespace {

const std::string kTwoGangs =
    R"j({"groups":[{"name":"ml/waits","kind":"Job","uid":"2","state":"Blocked","road":"rejected",)j"
    R"j("size":12,"createdUnix":1799999700,"priority":-5,"place":"rack=pack!","seen":12,)j"
    R"j("bound":0,"problems":[],)j"
    R"j("where":"","why":"12 members must share one rack; no rack has room for all of them now,)j"
    R"j( and none will have it soon"},)j"
    R"j({"name":"ml/runs","kind":"JobSet","uid":"1","state":"Running","road":"","size":4,)j"
    R"j("priority":100,"place":"","seen":4,"bound":4,"problems":[],"where":"b1/r2 (4 nodes)",)j"
    R"j("why":""}]})j";

std::string Http(const std::string& body, std::string_view status = "200 OK") {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

class StillClock : public Clock {
 public:
  absl::Time Now() const override { return absl::FromUnixSeconds(1'800'000'000); }
};

Told List(const std::string& answer, std::vector<std::string_view> words = {},
          ListRules rules = {}) {
  const StillClock clock;
  rules.clock = &clock;
  const RawServer server(answer);
  const std::string url = fmt::format("http://127.0.0.1:{}", server.port());
  words.insert(words.begin(), {"list", "--server", url});
  return RunOf({ListCommand(rules)}, words);
}

TEST_CASE("list: columns are aligned, gangs in the order of their names, a long why is cut") {
  CHECK(List(Http(kTwoGangs)) == Told{kExitDone,
                                      "GANG      STATE    PODS  PRIORITY  AGE  WHERE OR WHY\n"
                                      "ml/runs   Running  4/4   100       -    b1/r2 (4 nodes)\n"
                                      "ml/waits  Blocked  0/12  -5        5m   12 members must "
                                      "share one rack; no rack has room "
                                      "for all of them now,...\n",
                                      ""});
}

TEST_CASE("list: wide has all there is, and cuts nothing") {
  CHECK(
      List(Http(kTwoGangs), {"-o", "wide"}).out ==
      "GANG      KIND    STATE    PODS  SEEN  PRIORITY  ROAD      PLACE       AGE  WHERE OR WHY\n"
      "ml/runs   JobSet  Running  4/4   4     100       -         -           -    b1/r2 (4 nodes)"
      "\n"
      "ml/waits  Job     Blocked  0/12  12    -5        rejected  rack=pack!  5m   12 members must "
      "share one rack; no rack has room for all of them now, and none will have it soon\n");
}

TEST_CASE("list: colours only where they are asked for") {
  CHECK(List(Http(kTwoGangs)).out.find('\x1b') == std::string::npos);
  const std::string painted = List(Http(kTwoGangs), {}, {.coloured = true}).out;
  CHECK(painted.find("ml/runs   \x1b[32mRunning\x1b[0m  4/4") != std::string::npos);
  CHECK(painted.find("ml/waits  \x1b[33mBlocked\x1b[0m  0/12") != std::string::npos);
}

TEST_CASE("list: no gangs is a sentence and no failure, and json is as the server has it") {
  const std::string none = R"({"groups":[]})";
  CHECK(List(Http(none)) == Told{kExitDone, "There are no gangs.\n", ""});
  CHECK(List(Http(none), {"-n", "ml"}).out == "There are no gangs in namespace ml.\n");
  CHECK(List(Http(none), {"-o", "json"}) == Told{kExitDone, none + "\n", ""});
  CHECK(List(Http(none), {"-o", "yaml"}) == Told{kExitDone, "groups: []\n", ""});
}

TEST_CASE("list: what is not a list, and a gang that would command the terminal") {
  for (const char* other : {"<html>", "{}", R"({"kind":"Status","code":200})", "[]", "7"}) {
    for (const char* form : {"text", "json", "yaml"}) {
      INFO(other << " as " << form);
      const Told broken = List(Http(other), {"-o", form});
      CHECK(broken.code == kExitFailed);
      CHECK(broken.out == "");
      CHECK(broken.err.find("no list of gangs came: ") != std::string::npos);
      CHECK(broken.err.find("\nIs that a gangplan of this version,") != std::string::npos);
    }
  }
  const std::string odd =
      "{\"groups\":[{\"name\":\"a/b\\u001b[2J\",\"state\":\"N\\u001b\\n\",\"size\":2,\"seen\":1}]}";
  CHECK(List(Http(odd)).out.find(
            "a/b\\u001b[2J  N\\u001b   0/2   0         -    1 of 2 members seen\n") !=
        std::string::npos);
}

TEST_CASE("list: --watch tells only what has changed, and ends when no answer comes") {
  // The server closes each connection, so that the same answer comes until the test ends it.
  int looks = 0;
  auto server = std::make_unique<RawServer>(Http(kTwoGangs));
  const std::string url = fmt::format("http://127.0.0.1:{}", server->port());
  std::string out, err;
  const Output output = {[&](std::string_view text) {
                           ++looks;
                           out += text;
                           server.reset();
                           return true;
                         },
                         [&](std::string_view text) {
                           err += text;
                           return true;
                         }};
  const int code =
      RunCommandLine({ListCommand({.pause = absl::Milliseconds(5)})},
                     std::vector<std::string_view>{"list", "--watch", "--server", url}, output);
  CHECK(code == kExitFailed);
  CHECK(looks == 1);
  CHECK(out.starts_with("GANG "));
  CHECK(err.find("Nobody listens there.") != std::string::npos);
  CHECK(List(Http(kTwoGangs), {"--watch", "-o", "json"}).code == kExitWrongWords);
}

TEST_CASE("list: --watch prints the line of a gang that has changed, and one that is gone") {
  std::string changed = kTwoGangs;
  changed.replace(changed.find("Blocked"), 7, "Planned");
  std::string gone = R"({"groups":[]})";
  std::string body = kTwoGangs;
  std::vector<GangLine> before = *ReadList(body);
  CHECK(before.size() == 2);
  CHECK(before[0].why.starts_with("12 members"));
  const std::vector<TableRow> first = NewsOf({}, before, false);
  CHECK(first.size() == 2);
  CHECK(NewsOf(before, before, false).empty());
  std::vector<GangLine> older = before;
  for (GangLine& gang : older) gang.created += 100;
  CHECK(NewsOf(before, older, true).empty());
  std::vector<GangLine> after = *ReadList(changed);
  REQUIRE(NewsOf(before, after, false).size() == 1);
  CHECK(NewsOf(before, after, false)[0][1].text == "Planned");
  REQUIRE(NewsOf(before, *ReadList(gone), false).size() == 2);
  CHECK(NewsOf(before, {}, false)[0][1].text == "gone");
}

TEST_CASE("Tables are as wide as what is seen of their cells") {
  CHECK(TableText({{{"a"}, {"b"}}, {{"c\u00e9d"}, {"e"}}}, false) == "a    b\nc\u00e9d  e\n");
  CHECK(TableText({{{"a"}, {""}}, {{"bb"}, {"c"}}}, false) == "a\nbb  c\n");
  CHECK(TableText({{{"one"}}, {{"of many words"}}}, false, 10) == "one\nof many...\n");
}

}  // namespace
}  // namespace gangplan::list_command_test
