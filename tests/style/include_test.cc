// Which room includes which, against include_matrix.txt, and which libraries stay inside.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "fmt/format.h"
#include "tests/style/source_tree.h"
#include "tests/support/catch.h"

namespace gangplan::style {
namespace {

using Matrix = std::map<std::string, std::set<std::string>>;

Matrix ReadMatrix() {
  Matrix matrix;
  for (const std::string& line : DataLines("include_matrix.txt")) {
    const std::vector<std::string> words = Words(line);
    REQUIRE(words.size() >= 2);
    REQUIRE(words[1] == "->");
    matrix[words[0]] = {words.begin() + 2, words.end()};
  }
  return matrix;
}

// The most exact room that the path lies in; empty when it is in none.
std::string RoomOf(const Matrix& matrix, const std::string& path) {
  std::string best;
  for (const auto& [room, arrows] : matrix) {
    if (IsIn(path, room) && room.size() > best.size()) best = room;
  }
  return best;
}

bool MayInclude(const Matrix& matrix, const std::string& room, const std::string& path) {
  const std::string target = RoomOf(matrix, path);
  if (room == target) return true;
  const auto arrows = matrix.find(room);
  if (arrows == matrix.end()) return false;
  return std::any_of(arrows->second.begin(), arrows->second.end(), [&](const std::string& to) {
    return to == "*" || to == path || (matrix.contains(to) && MayInclude(matrix, to, path));
  });
}

// Problems of one file, as "ROOM -> PATH".
std::vector<std::string> WrongIncludes(const Matrix& matrix, const SourceFile& file) {
  const std::string room = RoomOf(matrix, file.path);
  std::vector<std::string> wrong;
  for (const std::string& path : Includes(file)) {
    const std::string target = RoomOf(matrix, path);
    if (target.empty()) continue;  // a library
    if (!MayInclude(matrix, room, path)) wrong.push_back(fmt::format("{} -> {}", room, path));
  }
  return wrong;
}

TEST_CASE("Rooms include only what the matrix allows") {
  const Matrix matrix = ReadMatrix();
  std::map<std::string, int> arrows;
  for (const SourceFile& file : Sources()) {
    INFO(file.path);
    CHECK(!RoomOf(matrix, file.path).empty());
    CHECK(WrongIncludes(matrix, file) == std::vector<std::string>());
    for (const std::string& path : Includes(file)) {
      const std::string to = RoomOf(matrix, path);
      if (!to.empty()) ++arrows[fmt::format("{} -> {}", RoomOf(matrix, file.path), to)];
    }
  }
  for (const auto& [arrow, count] : arrows) fmt::print("{:5} {}\n", count, arrow);
}

TEST_CASE("The matrix has no circle") {
  const Matrix matrix = ReadMatrix();
  for (const auto& [from, unused] : matrix) {
    for (const auto& [to, unused_too] : matrix) {
      if (from == to || matrix.at(from).contains("*") || matrix.at(to).contains("*")) continue;
      INFO(from << " and " << to);
      CHECK(!(MayInclude(matrix, from, to + "/x.h") && MayInclude(matrix, to, from + "/x.h")));
    }
  }
}

TEST_CASE("A forbidden arrow is seen") {
  const Matrix matrix = {{"a", {"b"}}, {"b", {"c/one.h"}}, {"b/base", {}}, {"c", {}}};
  const auto wrong = [&](const std::string& path, const std::string& include) {
    SourceFile file{path, "", {"#include \"" + include + "\""}};
    return WrongIncludes(matrix, file);
  };
  CHECK(wrong("a/x.cc", "b/y.h").empty());
  CHECK(wrong("a/x.cc", "c/one.h").empty());
  CHECK(wrong("a/x.cc", "vector").empty());
  CHECK(wrong("a/x.cc", "c/two.h") == std::vector<std::string>{"a -> c/two.h"});
  CHECK(wrong("b/x.cc", "a/y.h") == std::vector<std::string>{"b -> a/y.h"});
  CHECK(wrong("b/base/x.cc", "b/y.h") == std::vector<std::string>{"b/base -> b/y.h"});
}

TEST_CASE("Libraries stay in their rooms and files") {
  for (const std::string& line : DataLines("libraries.txt")) {
    const std::vector<std::string> words = Words(line);
    const std::string start = words[0].substr(0, words[0].size() - 1);
    size_t most = 0;
    std::from_chars(words.back().data(), words.back().data() + words.back().size(), most);
    std::set<std::string> users;
    for (const SourceFile& file : Sources()) {
      for (const std::string& path : Includes(file)) {
        if (!path.starts_with(start) || IsIn(file.path, "tests")) continue;
        users.insert(file.path);
        INFO(file.path << " includes " << path);
        CHECK(std::any_of(words.begin() + 1, words.end() - 1,
                          [&](const std::string& room) { return IsIn(file.path, room); }));
      }
    }
    INFO(start);
    CHECK(users.size() <= most);
  }
}

}  // namespace
}  // namespace gangplan::style
