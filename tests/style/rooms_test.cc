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

// Whether one of the build files names the source, by a path that ends in its folder and name or,
// in its own folder, by its name.
bool IsBuilt(const fs::path& source) {
  const std::string name = source.filename().generic_string();
  const std::string folder = source.parent_path().generic_string();
  const std::string long_name = source.parent_path().filename().generic_string() + "/" + name;
  for (const SourceFile& list : Texts()) {
    if (fs::path(list.path).filename() != "CMakeLists.txt") continue;
    const std::string list_folder = fs::path(list.path).parent_path().generic_string();
    std::string text = list.text;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '(' || c == ')'; }, ' ');
    for (const std::string& word : Words(text)) {
      if ((word == name && list_folder == folder) || word == long_name ||
          word.ends_with("/" + long_name)) {
        return true;
      }
    }
  }
  return false;
}

TEST_CASE("Every source is built") {
  for (const SourceFile& file : Sources()) {
    if (!file.path.ends_with(".cc")) continue;
    INFO(file.path << " stands in no CMakeLists.txt");
    CHECK(IsBuilt(file.path));
  }
  CHECK(!IsBuilt("tests/style/nowhere.cc"));
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
      CHECK(names.emplace(folder + ": " + name, file.path).second);
    }
  }
}

}  // namespace
}  // namespace gangplan::style
