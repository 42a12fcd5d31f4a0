// The mutations of tests/simulation/mutations.txt are edits of lines that stand in the tree: one
// that applies to nothing would be told only by a run of tests/simulation/mutate, which takes long.
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/style/source_tree.h"
#include "tests/support/catch.h"

namespace gangplan::style {
namespace {

namespace fs = std::filesystem;

// What follows the key, where the line begins with it.
bool Take(const std::string& line, std::string_view key, std::string& value) {
  if (!line.starts_with(key)) return false;
  value = line.substr(key.size());
  return true;
}

// The commands of a script, each of which must find its line: where one of several does not, half
// of a mutation is gone.
std::vector<std::string> Commands(const std::string& script) {
  std::vector<std::string> commands;
  size_t from = 0;
  for (size_t end = 0; end != std::string::npos; from = end + 2) {
    end = script.find("; s/", from);
    commands.push_back(script.substr(from, end == std::string::npos ? end : end - from));
  }
  return commands;
}

// Whether sed changes the file by this script, which stands in a file of its own.
bool Changes(const fs::path& script, const fs::path& file) {
  const int status = std::system(("sed -f '" + script.string() + "' '" + file.string() +
                                  "' | cmp -s - '" + file.string() + "'")
                                     .c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

TEST_CASE("Every mutation of the simulation applies") {
  const fs::path root(GANGPLAN_SOURCE_DIR);
  std::string made = (fs::temp_directory_path() / "gangplan-mutation-XXXXXX").string();
  REQUIRE(mkdtemp(made.data()) != nullptr);
  const fs::path script = fs::path(made) / "edit.sed";
  std::string name, file, edit;
  int records = 0;
  for (const std::string& line : ReadFile("tests/simulation/mutations.txt").lines) {
    if (Take(line, "name: ", name) || Take(line, "file: ", file)) continue;
    if (!Take(line, "sed: ", edit)) continue;
    ++records;
    for (const std::string& command : Commands(edit)) {
      std::ofstream(script) << command << "\n";
      INFO(name << " in " << file << ": " << command);
      CHECK(Changes(script, root / file));
    }
  }
  fs::remove_all(made);
  CHECK(records >= 20);
}

}  // namespace
}  // namespace gangplan::style
