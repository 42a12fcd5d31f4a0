// docs/commands.md: every command that it shows is run, and prints what it shows. The gangs are the
// demo's, the files those of the tree.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "extender/cli/commands.h"
#include "extender/demo/demo.h"
#include "extender/demo/demo_world.h"
#include "extender/kube/pause.h"
#include "extender/observe/log.h"
#include "tests/config/config_text.h"
#include "tests/extender/cli/told.h"

namespace gangplan {
namespace {

constexpr int kTries = 100;
constexpr std::string_view kPrompt = "$ gangplan ";

// The document with what each of its commands prints now.
template <typename Print>
std::string Rewritten(const std::string& text, Print print) {
  std::string rewritten;
  std::istringstream lines(text);
  bool in_example = false;
  for (std::string line; std::getline(lines, line);) {
    const bool ends = line.starts_with("```"), begins = line.starts_with(kPrompt);
    if (!in_example || ends || begins) rewritten += line + "\n";
    if (ends) in_example = false;
    if (!begins) continue;
    in_example = true;
    rewritten += print(line.substr(kPrompt.size()), text);
  }
  return rewritten;
}

std::string Printed(const std::string& command, const std::string& server) {
  std::istringstream line(command);
  std::vector<std::string> words;
  for (std::string word; line >> word;)
    words.push_back(word.starts_with("examples/") ? GANGPLAN_SOURCE_DIR "/" + word : word);
  if (words[0] == "list" || words[0] == "why" || words[0] == "map")
    words.insert(words.end(), {"--server", server});
  const Told told = RunOf(AllCommands(), {words.begin(), words.end()});
  return told.out + told.err;
}

// States and roads come a little after the Bindings: what is printed is waited for.
TEST_CASE("docs/commands.md: every command prints what is shown") {
  ProcessLogger().set_level(LogLevel::kError);
  DemoWorld world(DemoPlan());
  REQUIRE(world.Start().ok());
  for (const DemoGang& gang : {DemoGang{'A', "finetune", 64, 1, "rack", 2},
                               DemoGang{'B', "pretrain", 40, 8, "block", 1}}) {
    world.Submit(gang);
    const auto whole = [&gang](const JobAccount& account) { return account.bound == gang.size; };
    REQUIRE(world.scheduler().Await(gang.job, whole, absl::Seconds(60)));
  }
  world.Submit({'C', "pretrain-next", 41, 8, "block", 1});
  const std::string text = FileOfTree("docs/commands.md");
  int examples = 0;
  StoppablePause pause;
  const std::string printed = Rewritten(text, [&](const std::string& command, const auto& all) {
    ++examples;
    std::string answer = Printed(command, world.probe_url());
    const auto shown = [&] {
      return all.find(std::string(kPrompt) + command + "\n" + answer + "```");
    };
    for (int tries = 0; tries < kTries && shown() == std::string::npos; ++tries) {
      pause.For(absl::Milliseconds(50));
      answer = Printed(command, world.probe_url());
    }
    return answer;
  });
  const size_t shown = 9 + AllCommands().size();
  CHECK(examples == static_cast<int>(shown));
  CHECK(printed == text);
  // After a change of its words: GANGPLAN_WRITE=docs/commands.md build/release/tests/cli_test.
  if (const char* path = std::getenv("GANGPLAN_WRITE")) std::ofstream(path) << printed;
}

// What the help tells stands there as it is printed, so that every option is listed.
TEST_CASE("docs/commands.md: the help of every command, and a section of each") {
  const std::string text = FileOfTree("docs/commands.md");
  for (const Command& command : AllCommands()) {
    INFO(command.name);
    const Told help = RunOf(AllCommands(), {command.name, "--help"});
    CHECK(text.find(fmt::format("\n$ gangplan {} --help\n{}", command.name, help.out)) !=
          std::string::npos);
    CHECK(text.find(fmt::format("\n## gangplan {}", command.name)) != std::string::npos);
    const bool example = help.out.find("\nExample") != std::string::npos;
    CHECK((example || command.name == "version"));
  }
}

}  // namespace
}  // namespace gangplan
