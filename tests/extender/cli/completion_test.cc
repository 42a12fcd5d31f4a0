// `gangplan completion`: what bash itself makes of the script.
#include "extender/cli/completion.h"

#include <cstdio>

#include "extender/cli/commands.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::completion_test {
namespace {

std::string OutputOf(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char some[4096];
  for (size_t got = 0; (got = std::fread(some, 1, sizeof some, pipe)) > 0;) text.append(some, got);
  INFO(text);
  REQUIRE(pclose(pipe) == 0);
  return text;
}

// What bash offers for the last of these words, each with a blank behind it, by the function that
// it calls when somebody presses the tabulator.
std::string Offered(const std::vector<std::string>& words) {
  const Told script = RunOf(AllCommands(), {"completion", "bash"});
  REQUIRE(script.code == kExitDone);
  const ScratchFile file(
      script.out +
      fmt::format("set -u\ncomplete -p gangplan >/dev/null\nCOMP_WORDS=(gangplan '{}')\n"
                  "COMP_CWORD={}\nCOMPREPLY=()\n_gangplan\n"
                  "for word in ${{COMPREPLY[@]+\"${{COMPREPLY[@]}}\"}}; do printf '%s ' \"$word\"; "
                  "done\n",
                  fmt::join(words, "' '"), words.size()));
  return OutputOf("bash --norc --noprofile " + file.path() + " 2>&1");
}

TEST_CASE("completion: commands, their options, and the words of an option are offered") {
  const std::string all = Offered({""});
  for (const Command& command : AllCommands()) {
    INFO(command.name);
    CHECK(all.find(command.name + " ") != std::string::npos);
    const std::string options = Offered({command.name, "--"});
    CHECK(options.find("--help ") != std::string::npos);
    CHECK(options.find("--version ") != std::string::npos);
    for (const Option& option : command.options) {
      if (!option.name.starts_with("--")) continue;
      INFO(option.name);
      CHECK((options.starts_with(option.name + " ") ||
             options.find(" " + option.name + " ") != std::string::npos));
    }
  }
  CHECK(Offered({"sn"}) == "snapshot ");
  CHECK(Offered({"why", "--se"}) == "--server ");
  CHECK(Offered({"list", "-o", ""}) == "text wide json yaml ");
  CHECK(Offered({"list", "-o", "j"}) == "json ");
  CHECK(Offered({"completion", "z"}) == "zsh ");
  CHECK(Offered({"help", "pla"}) == "plan ");
  CHECK(Offered({"list", "-n", ""}) == "");
  CHECK(Offered({"nothing", "--"}) == "");
}

TEST_CASE("completion: files are offered where one is wanted, whatever their names are") {
  const ScratchFile file("");
  const std::string odd = file.path() + " and more";
  std::FILE* made = std::fopen(odd.c_str(), "wb");
  REQUIRE(made != nullptr);
  std::fclose(made);
  const std::string begun = file.path().substr(0, file.path().size() - 1);
  for (const auto& words :
       {std::vector<std::string>{"plan", "--snapshot", begun}, {"replay", begun}}) {
    INFO(words.front());
    const std::string offered = Offered(words);  // in the order of the folder
    CHECK((offered == fmt::format("{} {} ", file.path(), odd) ||
           offered == fmt::format("{} {} ", odd, file.path())));
  }
  CHECK(Offered({"why", file.path()}) == "");
  std::remove(odd.c_str());
}

TEST_CASE("completion: zsh has the same words, by what it has of bash") {
  const Told zsh = RunOf(AllCommands(), {"completion", "zsh"});
  CHECK(zsh.code == kExitDone);
  CHECK(zsh.out.starts_with("#compdef gangplan\n"));
  CHECK(zsh.out.find("bashcompinit\n# Completes the words of gangplan") != std::string::npos);
  CHECK(zsh.out.ends_with(RunOf(AllCommands(), {"completion", "bash"}).out));
  if (std::system("command -v zsh >/dev/null 2>&1") != 0) return;
  const ScratchFile file(zsh.out + "print -l ${_comps[gangplan]}\n");
  CHECK(OutputOf("zsh -f " + file.path() + " 2>&1").find("_gangplan") != std::string::npos);
}

TEST_CASE("completion: another shell is refused with those that there are") {
  CHECK(RunOf(AllCommands(), {"completion", "fish"})
            .err.find("SHELL: \"fish\"; expected bash or zsh") != std::string::npos);
  CHECK(RunOf(AllCommands(), {"completion"}).err.find("SHELL is missing") != std::string::npos);
}

}  // namespace
}  // namespace gangplan::completion_test
