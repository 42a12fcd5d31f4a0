// Every command of the program, by its table.
#include "extender/cli/commands.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "extender/kube/limits.h"
#include "fmt/format.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"
#include "topology/base/version.h"

namespace gangplan::commands_test {
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
      if (option.value.empty() || !option.name.starts_with('-')) continue;
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
  CHECK(Run({"demo", "--nodes", "20"}).err.find("only with --serve") != std::string::npos);
  CHECK(Run({"demo", "--pause", "60001"}).err.find("--pause: 60001; expected 0 to 60000") !=
        std::string::npos);
}

TEST_CASE("The version is told, whatever else stands there") {
  const Told expected = {kExitDone, fmt::format("gangplan {}\n", kVersion), ""};
  CHECK(Run({"version"}) == expected);
  CHECK(Run({"--version"}) == expected);
  for (const Command& command : AllCommands()) {
    INFO(command.name);
    CHECK(Run({command.name, "--version"}) == expected);
    CHECK(Run({command.name, "--no-such-option", "--version"}) == expected);
  }
}

TEST_CASE("Each command that answers does so as text, and as JSON and YAML for programs") {
  for (const Command& command : AllCommands()) {
    if (command.name == "serve" || command.name == "demo" || command.name == "version" ||
        command.name == "snapshot" || command.name == "generate" || command.name == "completion")
      continue;  // a process, a play, a line; the others write files in forms of their own
    INFO(command.name);
    const auto form = std::find_if(command.options.begin(), command.options.end(),
                                   [](const Option& option) { return option.name == "-o"; });
    REQUIRE(form != command.options.end());
    CHECK(form->value == "text|wide|json|yaml");
  }
}

TEST_CASE(
    "A cluster that is not reached is told by why: nobody listens, or there is no such host") {
  for (const char* command : {"snapshot", "doctor"}) {
    const Told refused = Run({"snapshot", "--server", "http://127.0.0.1:1"});
    CHECK(refused.code == kExitFailed);
    CHECK(refused.err.find("Nobody listens there: is the API server up") != std::string::npos);
    INFO(command);
    const Told unknown = Run({command, "--server", "http://gangplan.invalid:1"});
    CHECK(unknown.code == kExitFailed);
    CHECK((unknown.err + unknown.out).find("refused") == std::string::npos);
  }
  const Told unknown = Run({"snapshot", "--server", "http://gangplan.invalid:1"});
  CHECK((unknown.err.find("There is no host of that name") != std::string::npos ||
         unknown.err.find("No name server answers") != std::string::npos));
}

TEST_CASE("A live cluster that is not reached is no fault of the words, and no answer") {
  const std::string job = GANGPLAN_SOURCE_DIR "/examples/job-rack.yaml";
  const std::vector<std::vector<std::string_view>> asked = {
      {"plan", "-f", job}, {"capacity"}, {"drain", "n1", "--dry-run"}};
  for (std::vector<std::string_view> words : asked) {
    INFO(words[0]);
    words.insert(words.end(), {"--server", "http://127.0.0.1:1"});
    const Told away = Run(words);
    CHECK(away.code == 4);
    CHECK(away.out == "");
    CHECK(away.err.find("Nobody listens there: is the API server up") != std::string::npos);
    words.insert(words.end(), {"--snapshot", "cluster.json"});
    const Told both = Run(words);
    CHECK(both.code == kExitWrongWords);
    CHECK(both.err.find("--snapshot, and a cluster: expected one of them") != std::string::npos);
    words.resize(words.size() - 4);
    words.insert(words.end(), {"--kubeconfig", "/no/such"});
    const Told unread = Run(words);
    CHECK(unread.code == kExitWrongWords);
    CHECK(unread.err.find(": --kubeconfig: /no/such: No such file") != std::string::npos);
  }
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

TEST_CASE("The files that a configuration names are opened, and the bad ones told") {
  const auto check = [](const std::string& sections) {
    const ScratchFile config("apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\n" +
                             sections);
    Told told = Run({"serve", "--config", config.path(), "--check"});
    CHECK(told.out == "");
    CHECK(told.code == kExitFailed);
    CHECK(told.err.starts_with(config.path() + ": "));
    return told.err.substr(std::min(config.path().size() + 2, told.err.size()));
  };
  CHECK(check("cluster: {source: file, file: /no/such}\n") ==
        "cluster.file: /no/such: No such file or directory; expected a saved cluster (gangplan "
        "snapshot -o FILE)\n");
  CHECK(check("cluster: {kubeconfig: /no/such}\n")
            .starts_with("cluster.kubeconfig: /no/such: No such file or directory; expected "));
  const auto names = [](std::string_view user) {
    return fmt::format(
        "current-context: c\ncontexts: [{{name: c, context: {{cluster: k, user: u}}}}]\n"
        "clusters: [{{name: k, cluster: {{server: \"https://127.0.0.1:1\"}}}}]\n"
        "users: [{{name: u, user: {{{}}}}}]\n",
        user);
  };
  const ScratchFile certificates(names("client-certificate: /no/cert, client-key: /no/key"));
  CHECK(check(fmt::format("cluster: {{kubeconfig: {}}}\n", certificates.path()))
            .find(": what it names: /no/cert: No such file") != std::string::npos);
  const ScratchFile token(names("tokenFile: /no/token"));
  CHECK(check(fmt::format("cluster: {{kubeconfig: {}}}\n", token.path()))
            .find(": what it names: /no/token: No such file") != std::string::npos);
  const std::string both = check(
      "server:\n  tls: {certificateFile: /no/cert, keyFile: /no/key, clientCAFile: /no/ca, "
      "allowedNames: [scheduler]}\n  api: {certificateFile: /no/api, keyFile: /no/api-key}\n");
  CHECK(both.starts_with("server.tls: /no/cert: No such file or directory; expected "));
  CHECK(both.find(": server.api: /no/api: No such file or directory; expected ") !=
        std::string::npos);
}

TEST_CASE("KUBECONFIG names up to so many files, of which one at least is there") {
  const char* before = std::getenv("KUBECONFIG");
  const std::string kept = before == nullptr ? "" : before;
  const auto told = [](size_t files) {
    std::string named;
    for (size_t i = 0; i < files; ++i) named += fmt::format("/no/such/{}:", i);
    ::setenv("KUBECONFIG", named.c_str(), 1);
    return Run({"snapshot"}).err;
  };
  CHECK(told(2).starts_with("gangplan snapshot: /no/such/0: No such file or directory"));
  CHECK(told(kMaxKubeconfigs).starts_with("gangplan snapshot: /no/such/0: "));
  CHECK(told(kMaxKubeconfigs + 1)
            .starts_with("gangplan snapshot: KUBECONFIG names 65 files; expected 64 at the most"));
  if (before == nullptr) ::unsetenv("KUBECONFIG");
  if (before != nullptr) ::setenv("KUBECONFIG", kept.c_str(), 1);
}

TEST_CASE("A snapshot is of one cluster, and says how it is reached where it is not") {
  CHECK(Run({"snapshot", "--server", "http://127.0.0.1:1", "--kubeconfig", "x"})
            .err.find("--server and --kubeconfig: expected one of them") != std::string::npos);
  for (const char* command : {"snapshot", "doctor"}) {
    const Told unread = Run({command, "--kubeconfig", "/no/such"});
    CHECK(unread.code == kExitWrongWords);
    CHECK(unread.err.find(": --kubeconfig: /no/such: ") != std::string::npos);
    const ScratchFile odd("[]");
    CHECK(Run({command, "--kubeconfig", odd.path()}).code == kExitWrongWords);
  }
  const ScratchFile by_plugin(
      "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
      "clusters: [{name: k, cluster: {server: \"https://127.0.0.1:1\"}}]\n"
      "users: [{name: u, user: {exec: {command: aws}}}]\n");
  const Told told = Run({"snapshot", "--kubeconfig", by_plugin.path()});
  CHECK(told.code == kExitFailed);
  CHECK(told.err.find("kubectl proxy, and --server http://127.0.0.1:8001") != std::string::npos);
}

}  // namespace
}  // namespace gangplan::commands_test
