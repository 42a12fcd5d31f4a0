// Two types of one name in a namespace are one for the linker, which takes the functions of either
// for both: each name is defined in one header.
#include <map>
#include <string>

#include "tests/style/source_tree.h"
#include "tests/support/catch.h"

namespace gangplan::style {
namespace {

// "struct Name {" and the like at the beginning of a line; empty: none is defined there.
std::string TypeDefinedIn(const std::string& line) {
  for (const std::string key : {"struct ", "class "}) {
    if (!line.starts_with(key)) continue;
    const size_t end = line.find_first_not_of(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", key.size());
    const bool defined = line.back() == '{' && end != std::string::npos && line[end] == ' ';
    if (defined) return line.substr(key.size(), end - key.size());
  }
  return "";
}

using Places = std::map<std::string, std::string>;  // header by "namespace Name"

void Note(const SourceFile& file, Places& places) {
  std::string space;
  for (const std::string& line : file.lines) {
    if (line.starts_with("namespace ")) space = line.substr(0, line.find(" {"));
    const std::string name = TypeDefinedIn(line);
    if (name.empty()) continue;
    const auto [known, first] = places.emplace(space + " " + name, file.path);
    if (!first) FAIL_CHECK(name << " is defined in " << known->second << " and " << file.path);
  }
}

TEST_CASE("A type has its name to itself") {
  CHECK(TypeDefinedIn("struct One {") == "One");
  CHECK(TypeDefinedIn("class Two : public One {") == "Two");
  CHECK(TypeDefinedIn("struct Three;") == "");
  CHECK(TypeDefinedIn("struct Outer::Inner {") == "");
  Places places;
  for (const SourceFile& file : Sources()) {
    const bool product = !file.path.starts_with("tests/") && file.path.ends_with(".h");
    if (product) Note(file, places);
  }
  CHECK(places.size() > 100);
}

}  // namespace
}  // namespace gangplan::style
