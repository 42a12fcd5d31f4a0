// The file of sentences holds what the tests ask for, and nothing else.
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>

#include "tests/style/source_tree.h"
#include "tests/support/catch.h"
#include "tests/support/sentences.h"

namespace gangplan::style {
namespace {

// The keys that stand in `Sentence("key"` and `Sentence name("key"`, also where a line ends within.
std::set<std::string> KeysOf(std::string_view text) {
  constexpr std::string_view kName = "Sentence";
  const auto skip = [&](size_t at, auto passes) {
    while (at < text.size() && passes(static_cast<unsigned char>(text[at]))) ++at;
    return at;
  };
  const auto in_name = [](int c) { return std::isalnum(c) != 0 || c == '_' || c == ' '; };
  std::set<std::string> keys;
  for (size_t at = text.find(kName); at != std::string_view::npos; at = text.find(kName, at)) {
    at = skip(at + kName.size(), in_name);
    if (at == text.size() || text[at] != '(') continue;
    const size_t from = skip(at + 1, [](int c) { return std::isspace(c) != 0; });
    if (from == text.size() || text[from] != '"') continue;
    keys.emplace(text.substr(from + 1, text.find('"', from + 1) - from - 1));
  }
  return keys;
}

TEST_CASE("Each frozen sentence stands once and is asked for by a test") {
  std::map<std::string, std::string> users;
  for (const SourceFile& file : Sources()) {
    if (!file.path.ends_with("_test.cc") || IsIn(file.path, "tests/style")) continue;
    for (const std::string& key : KeysOf(file.text)) users[key] = file.path;
  }
  std::set<std::string> keys, sentences;
  for (const SentenceLine& line : ReadSentences()) {
    INFO(line.key << ": " << line.sentence);
    CHECK(!line.sentence.empty());
    CHECK(keys.insert(line.key).second);
    CHECK(sentences.insert(line.sentence).second);
    CHECK(users.contains(line.key));
  }
  for (const auto& [key, path] : users) {
    INFO(path);
    CHECK_THAT(std::vector<std::string>(keys.begin(), keys.end()),
               Catch::Matchers::VectorContains(key));
  }
  CHECK(keys.size() >= 40);
}

TEST_CASE("Keys of sentences are found in the text of a test") {
  CHECK(KeysOf("x == Sentence(\"one\");\ny == \"a\" + Sentence(\n    \"two, three\", 4)\n"
               "Sentence four(\"five\");") == std::set<std::string>{"five", "one", "two, three"});
  CHECK(KeysOf("class Sentence { Sentence(int a); };").empty());
}

TEST_CASE("A sentence is compared as a whole, with its arguments in their order") {
  unsetenv("GANGPLAN_WRITE_SENTENCES");
  const Sentence full("too many members", "train", 4);
  CHECK_THAT(full.text(), ContainsText("train") && ContainsText("4") && !ContainsText("{"));
  CHECK(full.text() == full);
  CHECK("error: " + full.text() == "error: " + full);
  CHECK_FALSE(full.text() == "error: " + full);
  CHECK_FALSE(full.text() + "." == full);
  CHECK_FALSE(full.text() == Sentence("too many members", "train"));
  CHECK_FALSE(full.text() == Sentence("too many members", "train", 4, 4));
  CHECK_FALSE(full.text() == Sentence("no such key", "train", 4));
  CHECK(Sentence("no key", "b", 4).LineFor("<b> has 4 of 4") == "no key: <{}> has {} of 4");
}

}  // namespace
}  // namespace gangplan::style
