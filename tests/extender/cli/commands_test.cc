// Every command of the program, by its table.
#include "extender/cli/commands.h"

#include <set>

#include "tests/extender/cli/told.h"
#include "tests/extender/kube/raw_server.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"
#include "topology/base/version.h"

namespace gangplan {
namespace {

Told Run(const std::vector<std::string_view>& args) { return RunOf(AllCommands(), args); }

TEST_CASE("Every command tells all of its options and refuses all others") {
  std::set<std::string> names;
  for (const Command& command : AllCommands()) {
    INFO(command.name);
    CHECK(names.insert(command.name).second);
    const Told help = Run({command.name, "--help"});
    CHECK(help.code == kExitDone);
    CHECK(help.err == "");
    for (const Option& option : command.options) {
      INFO(option.name);
      CHECK(help.out.find("\n  " + option.name) != std::string::npos);
      CHECK(!option.help.empty());
    }
    const Told wrong = Run({command.name, "--no-such-option"});
    CHECK(wrong.code == kExitWrongWords);
    CHECK(wrong.out == "");
    CHECK(wrong.err.find("\"--no-such-option\" is not an option") != std::string::npos);
  }
}

TEST_CASE("Every option with a value wants one") {
  for (const Command& command : AllCommands()) {
    for (const Option& option : command.options) {
      if (option.value.empty()) continue;
      INFO(command.name << " " << option.name);
      const Told told = Run({command.name, option.name});
      CHECK(told.code == kExitWrongWords);
      CHECK(told.err.find(option.name + " wants a value") != std::string::npos);
    }
  }
}

TEST_CASE("What a command needs is told when it is missing") {
  CHECK(Run({"serve", "--check"}).err.find("serve: --config is missing") != std::string::npos);
  CHECK(Run({"explain"}).err.find("explain: NAMESPACE/NAME is missing") != std::string::npos);
  CHECK(Run({"explain", "job"}).err.find("\"job\"; expected NAMESPACE/NAME") != std::string::npos);
  CHECK(Run({"demo", "--pause", "60001"}).err.find("--pause: 60001; expected 0 to 60000") !=
        std::string::npos);
}

TEST_CASE("The version is told") {
  const std::string expected = fmt::format("gangplan {}\n", kVersion);
  CHECK(Run({"version"}).out == expected);
}

TEST_CASE("A configuration is checked without being served") {
  const ScratchFile good(
      "apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\nwake: annotate\n");
  CHECK(Run({"serve", "--config", good.path(), "--check"}) ==
        Told{kExitDone, good.path() + ": good\n", ""});
  const ScratchFile bad("apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\nwak: x\n");
  CHECK(Run({"serve", "--check", "--config", bad.path()}) ==
        Told{kExitWrongWords, "", bad.path() + ":3: wak: unknown key; did you mean \"wake\"?\n"});
  CHECK(Run({"serve", "--check", "--config", "/no/such"}).code == kExitWrongWords);
}

TEST_CASE("A server that does not answer is a failure, not a wrong word") {
  const Told told = Run({"explain", "a/b", "--server", "http://127.0.0.1:1"});
  CHECK(told.code == kExitFailed);
  CHECK(told.err.find("gangplan explain: http://127.0.0.1:1: ") == 0);
}

// Whoever names a group could else move the cursor, or write into the clipboard, of who asks.
TEST_CASE("An explanation commands no terminal") {
  const std::string body = "\x1b[2J\x1b]52;c;eA==\x07 caf\u00e9\u009b31m\tx\r\n\x7f\xff\u202e\n";
  const std::string safe =
      "\\u001b[2J\\u001b]52;c;eA==\\u0007 caf\u00e9\\u009b31m\tx\\u000d\n\\u007f\\ufffd\\u202e\n";
  for (const char* status : {"200 OK", "404 Not Found"}) {
    const bool found = status[0] == '2';
    for (const char* form : {"text", "json"}) {
      INFO(status << " " << form);
      const RawServer server(
          fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body));
      const std::string url = fmt::format("http://127.0.0.1:{}", server.port());
      const Told told = Run({"explain", "a/b", "--server", url, "-o", form});
      const std::string text = safe + (form == std::string_view("json") ? "\n" : "");
      CHECK(told == (found ? Told{kExitDone, text, ""} : Told{kExitFailed, "", text}));
    }
  }
}

}  // namespace
}  // namespace gangplan
