// Which class of the planner knows which, by the includes of its files: no circle.
#include <map>
#include <set>

#include "fmt/format.h"
#include "tests/style/source_tree.h"
#include "tests/support/catch.h"

namespace gangplan::style {
namespace {

constexpr std::string_view kRoom = "extender/planner/";
constexpr size_t kMaxFacadeLines = 150;

using ClassMatrix = std::map<std::string, std::set<std::string>>;

// "ledger" of the room's "ledger.h"; empty for other paths.
std::string NounOf(const std::string& path) {
  if (!path.starts_with(kRoom)) return {};
  return path.substr(kRoom.size(), path.rfind('.') - kRoom.size());
}

// "plans_members.cc" is a part of "plans.h"; a source without a header stands for itself.
// What stands behind the facade is the facade.
std::string ClassOf(const std::string& noun, const std::set<std::string>& headers) {
  if (noun == "planner_rooms") return "planner";
  std::string part = noun;
  while (!headers.contains(part)) {
    const size_t cut = part.rfind('_');
    if (cut == std::string::npos) return noun;
    part.resize(cut);
  }
  return part;
}

// A row for each class, or for each part of one by itself: what that one file includes of others.
enum class Rows { kClasses, kParts };

ClassMatrix MatrixOf(const std::vector<SourceFile>& files, Rows rows = Rows::kClasses) {
  std::set<std::string> headers;
  for (const SourceFile& file : files) {
    if (file.path.ends_with(".h")) headers.insert(NounOf(file.path));
  }
  ClassMatrix matrix;
  for (const SourceFile& file : files) {
    const std::string noun = NounOf(file.path);
    if (noun.empty()) continue;
    const bool whole = rows == Rows::kClasses;
    std::set<std::string>& known = matrix[whole ? ClassOf(noun, headers) : noun];
    for (const std::string& path : Includes(file)) {
      const std::string other = NounOf(path).empty() ? "" : ClassOf(NounOf(path), headers);
      if (!other.empty() && other != ClassOf(noun, headers)) known.insert(other);
    }
  }
  return matrix;
}

// Takes out who knows nobody that is left, until nobody goes: what stays lies on a circle, or knows
// one.
std::set<std::string> Circles(ClassMatrix matrix) {
  for (bool gone = true; gone;) {
    gone = std::erase_if(matrix, [&](const auto& row) {
             for (const std::string& other : row.second) {
               if (matrix.contains(other)) return false;
             }
             return true;
           }) > 0;
  }
  std::set<std::string> left;
  for (const auto& [name, unused] : matrix) left.insert(name);
  return left;
}

TEST_CASE("The planner's classes know each other in one direction") {
  const ClassMatrix matrix = MatrixOf(Sources());
  REQUIRE(matrix.size() > 20);
  const ClassMatrix parts = MatrixOf(Sources(), Rows::kParts);
  CHECK(parts.contains("plans_bindings"));
  for (const auto& [name, known] : parts) fmt::print("{:19}-> {}\n", name, fmt::join(known, " "));
  CHECK(Circles(matrix) == std::set<std::string>());
}

TEST_CASE("A circle of classes is seen, also through a source") {
  const auto file = [](std::string_view name, std::string_view included) {
    return SourceFile{
        fmt::format("{}{}", kRoom, name), "", {fmt::format("#include \"{}{}\"", kRoom, included)}};
  };
  std::vector<SourceFile> files = {file("a.h", "b.h"), file("b.h", "c.h"), file("c.h", "d.h"),
                                   file("a_more.cc", "a.h"), file("verb.cc", "a.h")};
  CHECK(MatrixOf(files).at("a") == std::set<std::string>{"b"});
  CHECK(Circles(MatrixOf(files)).empty());
  files.push_back(file("c_more.cc", "b.h"));
  CHECK(Circles(MatrixOf(files)) == std::set<std::string>{"a", "b", "c", "verb"});
}

TEST_CASE("Parts of a class are rows of their own") {
  const auto file = [](std::string_view name, std::string_view included) {
    return SourceFile{
        fmt::format("{}{}", kRoom, name), "", {fmt::format("#include \"{}{}\"", kRoom, included)}};
  };
  const std::vector<SourceFile> files = {file("a.h", "b.h"), file("a_more.cc", "c.h"),
                                         file("a_rest.cc", "a.h"), file("b.h", "c.h"),
                                         file("c.h", "d.h")};
  CHECK(MatrixOf(files).at("a") == std::set<std::string>{"b", "c"});
  const ClassMatrix parts = MatrixOf(files, Rows::kParts);
  CHECK(parts.at("a") == std::set<std::string>{"b"});
  CHECK(parts.at("a_more") == std::set<std::string>{"c"});
  CHECK(parts.at("a_rest").empty());
}

TEST_CASE("The planner's facade stays short") {
  CHECK(ReadFile("extender/planner/planner.h").lines.size() <= kMaxFacadeLines);
}

}  // namespace
}  // namespace gangplan::style
