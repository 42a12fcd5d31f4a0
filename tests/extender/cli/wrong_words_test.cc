// wrong_words.txt: each wrong command line and each wrong manifest is told with its place, what was
// expected and what to do, word by word.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "extender/cli/commands.h"
#include "tests/config/config_text.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::wrong_words_test {
namespace {

constexpr std::string_view kTable = "tests/extender/cli/wrong_words.txt";
constexpr std::string_view kCommand = "$ gangplan";
constexpr std::string_view kManifest = "MANIFEST";
constexpr int kLeastCommands = 40;
constexpr int kLeastManifests = 20;

void ReplaceAll(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::vector<std::string> WordsOf(const std::string& line, const std::string& manifest) {
  std::istringstream words(line.substr(kCommand.size()));
  std::vector<std::string> all;
  for (std::string word; words >> word;) {
    const bool of_tree =
        word.starts_with("examples/") || word.starts_with("tests/") || word == "README.md";
    if (word == kManifest) word = manifest;
    all.push_back(of_tree ? GANGPLAN_SOURCE_DIR "/" + word : word);
  }
  return all;
}

// One block as it should be, its manifest and its command line given.
std::string Block(const std::string& manifest, const std::string& line) {
  const ScratchFile file(manifest);
  const std::vector<std::string> words = WordsOf(line, file.path());
  const Told told = RunOf(AllCommands(), {words.begin(), words.end()});
  INFO(line << "\n" << manifest << told);
  CHECK(told.code != kExitDone);
  CHECK((told.out + told.err).ends_with('\n'));
  std::string said = told.out + told.err;
  CHECK(said.find("\n\n") == std::string::npos);  // a blank line ends a block
  ReplaceAll(said, file.path(), kManifest);
  ReplaceAll(said, GANGPLAN_SOURCE_DIR "/", "");
  return fmt::format("{}\n{}exit {}\n", line, said, told.code);
}

TEST_CASE("Wrong words and wrong manifests: place, expectation and cure, as the table has them") {
  const std::string text = FileOfTree(std::string(kTable));
  std::istringstream lines(text);
  std::string rewritten, manifest;
  bool said = false;
  int commands = 0, manifests = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) said = false;
    if (said) continue;
    if (line.starts_with("| ") || line == "|")
      manifest += line.substr(std::min<size_t>(2, line.size())) + "\n";
    if (!line.starts_with(kCommand)) {
      rewritten += line + "\n";
      continue;
    }
    const bool planned = line.find(kManifest) != std::string::npos;
    (planned ? manifests : commands) += 1;
    rewritten += Block(manifest, line);
    manifest.clear();
    said = true;
  }
  CHECK(commands >= kLeastCommands);
  CHECK(manifests >= kLeastManifests);
  CHECK(rewritten == text);
  if (std::getenv("GANGPLAN_WRITE_WRONG_WORDS") != nullptr)
    std::ofstream(GANGPLAN_SOURCE_DIR "/" + std::string(kTable)) << rewritten;
}

}  // namespace
}  // namespace gangplan::wrong_words_test
