// Every command of the program, by its table.
#include "extender/cli/commands.h"

#include <set>

#include "tests/extender/cli/told.h"
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
  CHECK(Run({"explain"}).err.find("explain: POD|JOB|GROUP is missing") != std::string::npos);
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

TEST_CASE("A snapshot is of one cluster, and says how it is reached where it is not") {
  CHECK(Run({"snapshot", "--server", "http://127.0.0.1:1", "--kubeconfig", "x"})
            .err.find("--server and --kubeconfig: expected one of them") != std::string::npos);
  CHECK(Run({"snapshot", "--kubeconfig", "/no/such"}).code == kExitFailed);
  const ScratchFile by_plugin(
      "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
      "clusters: [{name: k, cluster: {server: \"https://127.0.0.1:1\"}}]\n"
      "users: [{name: u, user: {exec: {command: aws}}}]\n");
  const Told told = Run({"snapshot", "--kubeconfig", by_plugin.path()});
  CHECK(told.code == kExitFailed);
  CHECK(told.err.find("kubectl proxy, and --server http://127.0.0.1:8001") != std::string::npos);
}

}  // namespace
}  // namespace gangplan
