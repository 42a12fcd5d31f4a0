// Calls and words that the project does not use; banned.txt names the better ones.
#include <algorithm>
#include <array>

#include "fmt/format.h"
#include "tests/style/source_tree.h"
#include "tests/support/catch.h"

namespace gangplan::style {
namespace {

struct Ban {
  std::string word;
  std::string instead;
  std::vector<std::string> except;
  bool IsInclude() const { return word[0] == '<' || word.ends_with(".h") || word.ends_with("/"); }
};

Ban ReadBan(const std::string& line) {
  const size_t arrow = line.find(" => ");
  REQUIRE(arrow != std::string::npos);
  const size_t except = line.find(" except ");
  Ban ban{line.substr(0, arrow), line.substr(arrow + 4, except - arrow - 4), {}};
  if (except != std::string::npos) ban.except = Words(line.substr(except + 8));
  return ban;
}

bool IsWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether the word stands in the line by itself, not as a part of a longer name.
bool HasWord(std::string_view line, std::string_view word) {
  for (size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const bool starts = at == 0 || !IsWordLetter(line[at - 1]);
    const size_t end = at + word.size();
    const bool ends = end == line.size() || !IsWordLetter(line[end]) || !IsWordLetter(word.back());
    if (starts && ends) return true;
  }
  return false;
}

std::vector<std::string> WhereCalled(const Ban& ban, const SourceFile& file) {
  std::vector<std::string> places;
  if (ban.IsInclude()) {
    const bool angle = ban.word[0] == '<';
    const std::string path = angle ? ban.word.substr(1, ban.word.size() - 2) : ban.word;
    for (const std::string& include : Includes(file)) {
      const bool found = angle ? include == path : include.starts_with(path);
      if (found) places.push_back(file.path + " includes " + ban.word);
    }
    return places;
  }
  const std::vector<std::string> lines = Lines(CodeOnly(file.text));
  for (size_t i = 0; i < lines.size(); ++i) {
    if (HasWord(lines[i], ban.word)) places.push_back(fmt::format("{}:{}", file.path, i + 1));
  }
  return places;
}

TEST_CASE("No source makes a banned call") {
  for (const std::string& line : DataLines("banned.txt")) {
    const Ban ban = ReadBan(line);
    for (const SourceFile& file : Sources()) {
      const bool excepted =
          std::any_of(ban.except.begin(), ban.except.end(),
                      [&](const std::string& place) { return IsIn(file.path, place); });
      if (excepted) continue;
      INFO(ban.word << ": use " << ban.instead);
      CHECK(WhereCalled(ban, file) == std::vector<std::string>());
    }
  }
}

TEST_CASE("A banned call is seen") {
  const auto places = [](const std::string& ban, const std::string& code) {
    return WhereCalled(ReadBan(ban), SourceFile{"x.cc", code, Lines(code)}).size();
  };
  CHECK(places("rand( => b", "int x = rand();\n") == 1);
  CHECK(places("rand( => b", "int x = operand();\n") == 0);
  CHECK(places("rand( => b", "// rand()\nauto t = \"rand()\";\n") == 0);
  CHECK(places("std::stoi => b", "std::stoi(x)\n") == 1);
  CHECK(places("std::stol => b", "std::stoll(x)\n") == 0);
  CHECK(places("<ranges> => b", "#include <ranges>\n") == 1);
  CHECK(places("<ranges> => b", "#include <range>\n") == 0);
  CHECK(places("rapidjson/document.h => b", "#include \"rapidjson/document.h\"\n") == 1);
}

TEST_CASE("No text holds a note to do something later") {
  const std::array<std::string, 3> words = {
      "TO"
      "DO",
      "FIX"
      "ME",
      "XX"
      "X"};
  REQUIRE(Texts().size() > Sources().size());
  for (const SourceFile& file : Texts()) {
    for (size_t i = 0; i < file.lines.size(); ++i) {
      for (const std::string& word : words) {
        if (HasWord(file.lines[i], word)) FAIL_CHECK(file.path << ":" << i + 1 << ": " << word);
      }
    }
  }
}

}  // namespace
}  // namespace gangplan::style
