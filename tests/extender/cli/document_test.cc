// docs/commands.md, docs/run-a-gang.md and docs/coming-from.md: every command that they show is
// run, and prints what they show. The gangs are the demo's, the files those of the tree.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/str_replace.h"

#include "extender/cli/commands.h"
#include "extender/demo/demo.h"
#include "extender/demo/demo_world.h"
#include "extender/kube/pause.h"
#include "extender/observe/log.h"
#include "tests/config/config_text.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"

namespace gangplan::document_test {
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

constexpr std::string_view kGangPages[] = {"docs/run-a-gang.md", "docs/coming-from.md"};
constexpr std::string_view kEdit = "$ sed '";
constexpr std::string_view kMine = "my.yaml";

// What `sed 'SCRIPT' FILE` prints, for the three scripts that the page has: s/FROM/TO/, /WHAT/d,
// and 0,/WHAT/{/.../d}, which is the first such line only. WHAT and FROM are plain text.
std::string Edited(const std::string& script, const std::string& text) {
  std::string edited;
  const size_t slash = script.find('/'), second = script.find('/', slash + 1);
  const std::string what = script.substr(slash + 1, second - slash - 1);
  bool done = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = done ? std::string::npos : line.find(what);
    const bool found = at != std::string::npos;
    if (found && script[0] == 's') {
      line.replace(at, what.size(), script, second + 1, script.size() - second - 2);
    } else if (found) {
      done = script[0] == '0';
      continue;
    }
    edited += line + "\n";
  }
  return edited;
}

// The file that the page makes by the last edit above this command.
std::string Mine(const std::string& page, const std::string& command, size_t from) {
  const size_t at = page.find(std::string(kPrompt) + command, from);
  const size_t begin = page.rfind(kEdit, at) + kEdit.size();
  const size_t end = page.find("' ", begin), file = end + 2;
  REQUIRE(begin < at);
  return Edited(page.substr(begin, end - begin),
                FileOfTree(page.substr(file, page.find(" >", file) - file)));
}

TEST_CASE("Pages of gangs: every command prints what is shown") {
  int examples = 0;
  for (const std::string_view page : kGangPages) {
    const std::string text = FileOfTree(std::string(page));
    size_t from = 0;
    const std::string printed = Rewritten(text, [&](const std::string& command, const auto& all) {
      ++examples;
      const size_t at = all.find(std::string(kPrompt) + command, from);
      if (command.find(kMine) == std::string::npos) return Printed(command, "");
      const ScratchFile file(Mine(all, command, from));
      from = at + 1;
      const std::string told =
          Printed(absl::StrReplaceAll(command, {{std::string(kMine), file.path()}}), "");
      return absl::StrReplaceAll(told, {{file.path(), std::string(kMine)}});
    });
    CHECK(printed == text);
    // After a change of its words: GANGPLAN_WRITE_GANGS=1 build/release/tests/cli_test "Pages*".
    if (std::getenv("GANGPLAN_WRITE_GANGS") != nullptr)
      std::ofstream(GANGPLAN_SOURCE_DIR "/" + std::string(page)) << printed;
  }
  CHECK(examples > 20);
}

// The manifest blocks of a page, each with the example that the text above it leads to.
std::vector<std::pair<std::string, std::string>> ManifestsOf(const std::string& text) {
  constexpr std::string_view kLink = "](../examples/", kBlock = "\n```yaml\n";
  std::vector<std::pair<std::string, std::string>> blocks;
  for (size_t at = text.find(kBlock); at != std::string::npos; at = text.find(kBlock, at + 1)) {
    const size_t link = text.rfind(kLink, at) + kLink.size(), begin = at + kBlock.size();
    blocks.emplace_back(text.substr(begin, text.find("```", begin) - begin),
                        FileOfTree("examples/" + text.substr(link, text.find(')', link) - link)));
  }
  return blocks;
}

TEST_CASE("Pages of gangs: each line of a manifest is one of its example, in its order") {
  size_t blocks = 0;
  for (const std::string_view page : kGangPages) {
    for (const auto& [shown, example] : ManifestsOf(FileOfTree(std::string(page)))) {
      ++blocks;
      std::istringstream lines(shown);
      size_t found = 0;
      for (std::string line; std::getline(lines, line); ++found) {
        INFO(page << ": " << line);
        found = example.find("\n" + line + "\n", found);
        REQUIRE(found != std::string::npos);
      }
    }
  }
  CHECK(blocks > 10);
}

TEST_CASE("docs/run-a-gang.md has every example of docs/workloads.md") {
  const std::string text = FileOfTree(std::string(kGangPages[0]));
  const std::string kinds = FileOfTree("docs/workloads.md");
  constexpr std::string_view kLink = "](../examples/";
  for (size_t at = kinds.find(kLink); at != std::string::npos; at = kinds.find(kLink, at + 1)) {
    const std::string link = kinds.substr(at, kinds.find(')', at) + 1 - at);
    if (link.ends_with("-policy.yaml)") || link.ends_with("rbac.yaml)")) continue;
    INFO(link);
    CHECK(text.find(link) != std::string::npos);
  }
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
}  // namespace gangplan::document_test
