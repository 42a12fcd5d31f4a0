// docs/architecture.md names files and folders that there are.
#include <filesystem>
#include <set>

#include "tests/style/source_tree.h"
#include "tests/support/catch.h"

namespace gangplan::style {
namespace {

namespace fs = std::filesystem;

// The words in backticks that are paths from the project's root.
std::set<std::string> NamedPaths(const std::string& text) {
  std::set<std::string> paths;
  size_t end = 0;
  for (size_t tick = text.find('`'); tick != std::string::npos; tick = text.find('`', end + 1)) {
    end = text.find('`', tick + 1);
    if (end == std::string::npos) break;
    const std::string word = text.substr(tick + 1, end - tick - 1);
    const bool path = word.find('/') != std::string::npos && !word.starts_with('/') &&
                      word.find(' ') == std::string::npos;
    if (path) paths.insert(word);
  }
  return paths;
}

bool IsThere(const std::string& path) { return fs::exists(fs::path(GANGPLAN_SOURCE_DIR) / path); }

TEST_CASE("Every file that the architecture names is there") {
  const std::set<std::string> paths = NamedPaths(ReadFile("docs/architecture.md").text);
  CHECK(paths.size() > 60);
  for (const std::string& path : paths) {
    INFO(path);
    CHECK(IsThere(path));
  }
}

TEST_CASE("Every file of the planner stands in its README's table") {
  const std::string text = ReadFile("extender/planner/README.md").text;
  for (const SourceFile& file : Sources()) {
    if (!IsIn(file.path, "extender/planner")) continue;
    INFO(file.path);
    CHECK(text.find("`" + fs::path(file.path).stem().generic_string() + "`") != std::string::npos);
  }
}

TEST_CASE("Paths in backticks are found, other words are not") {
  CHECK(NamedPaths("`a/b.h` and `c.h`, `/v1`, a/d.h, `x / y`; `e/f`.") ==
        std::set<std::string>{"a/b.h", "e/f"});
  CHECK_FALSE(IsThere("docs/nowhere.md"));
}

}  // namespace
}  // namespace gangplan::style
