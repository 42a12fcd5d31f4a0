// Each room is complete: built, described, its headers opened by their contract.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tests/style/source_tree.h"
#include "tests/support/catch.h"

namespace gangplan::style {
namespace {

namespace fs = std::filesystem;

bool ListedIn(const fs::path& folder, const std::string& file) {
  const fs::path list = folder / "CMakeLists.txt";
  if (!fs::exists(fs::path(GANGPLAN_SOURCE_DIR) / list)) return false;
  const std::string text = ReadFile(list.generic_string()).text;
  for (size_t at = text.find(file); at != std::string::npos; at = text.find(file, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const char after = at + file.size() == text.size() ? ' ' : text[at + file.size()];
    if ((before == ' ' || before == '\n') && (after == ' ' || after == '\n' || after == ')')) {
      return true;
    }
  }
  return false;
}

TEST_CASE("Every source is built") {
  for (const SourceFile& file : Sources()) {
    if (!file.path.ends_with(".cc")) continue;
    bool listed = false;
    const fs::path path = file.path;
    for (fs::path up = path.parent_path(); !listed && !up.empty(); up = up.parent_path()) {
      listed = ListedIn(up, fs::relative(path, up).generic_string());
    }
    INFO(file.path << " stands in no CMakeLists.txt");
    CHECK(listed);
  }
}

TEST_CASE("Every room has a README") {
  std::set<std::string> rooms = {"tests", "examples"};
  for (const std::string& line : DataLines("include_matrix.txt")) rooms.insert(Words(line)[0]);
  rooms.erase("topology/base");  // described by topology
  for (const std::string& room : rooms) {
    const fs::path path = fs::path(GANGPLAN_SOURCE_DIR) / room;
    if (!fs::exists(path)) continue;
    INFO(room);
    CHECK(fs::exists(path / "README.md"));
  }
}

TEST_CASE("Every header opens with what it is for") {
  for (const SourceFile& file : Sources()) {
    if (!file.path.ends_with(".h")) continue;
    INFO(file.path);
    REQUIRE(!file.lines.empty());
    CHECK(file.lines[0].starts_with("// "));
    CHECK(std::count(file.lines.begin(), file.lines.end(), "#pragma once") == 1);
  }
}

TEST_CASE("Test cases have names of their own in their room") {
  std::map<std::string, std::string> names;
  for (const SourceFile& file : Sources()) {
    for (const std::string& line : file.lines) {
      if (!line.starts_with("TEST_CASE(\"")) continue;
      const std::string name = line.substr(11, line.find('"', 11) - 11);
      const std::string folder = fs::path(file.path).parent_path().generic_string();
      INFO(file.path << ": " << name);
      CHECK(name.find(';') == std::string::npos);  // ends an entry of a list for ctest
      CHECK(names.emplace(folder + ": " + name, file.path).second);
    }
  }
}

}  // namespace
}  // namespace gangplan::style
