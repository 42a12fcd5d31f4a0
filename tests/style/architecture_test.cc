// docs/architecture.md names files and folders that there are, and functions where they are.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

// "`Name` in `file`" and "`Name` of `file`", as pairs.
std::vector<std::pair<std::string, std::string>> NamedFunctions(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> named;
  for (const std::string_view between : {"` in `", "` of `"}) {
    for (size_t at = text.find(between); at != std::string::npos; at = text.find(between, at + 1)) {
      const size_t name = text.rfind('`', at - 1) + 1;
      const size_t file = at + between.size();
      named.emplace_back(text.substr(name, at - name),
                         text.substr(file, text.find('`', file) - file));
    }
  }
  return named;
}

// A function or a type of this name begins in the file: at the start of a line.
bool Defines(const SourceFile& file, const std::string& name) {
  return std::any_of(file.lines.begin(), file.lines.end(), [&](const std::string& line) {
    const bool type =
        line.starts_with("struct " + name + " ") || line.starts_with("class " + name + " ");
    if (type || line.empty() || line[0] == ' ' || line[0] == '/') return type;
    return line.find(" " + name + "(") != std::string::npos ||
           line.find("::" + name + "(") != std::string::npos;
  });
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

TEST_CASE("Every function that the architecture names is in the file that it names") {
  const auto named = NamedFunctions(ReadFile("docs/architecture.md").text);
  CHECK(named.size() > 20);
  for (const auto& [name, path] : named) {
    INFO(name << " in " << path);
    if (name.find_first_of("_. /") != std::string::npos) continue;  // a metric, a key
    CHECK(Defines(ReadFile(path), name));
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
  CHECK(NamedFunctions("`A` in `b/c.cc`, `D` and `E` of `f.h`") ==
        std::vector<std::pair<std::string, std::string>>{{"A", "b/c.cc"}, {"E", "f.h"}});
  const SourceFile file{"x.cc", "", {"void A::B() {", "  C();", "// D()", "class E {"}};
  CHECK(Defines(file, "B"));
  CHECK(Defines(file, "E"));
  CHECK_FALSE(Defines(file, "C"));
  CHECK_FALSE(Defines(file, "D"));
}

}  // namespace
}  // namespace gangplan::style
