// The policies of examples/ stop what the words make a gang of, and nothing else.
#include <set>
#include <string>
#include <string_view>

#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/unknown_word.h"
#include "fmt/format.h"
#include "tests/config/config_text.h"
#include "tests/extender/frontends/found_group.h"

namespace gangplan::policy_words_test {
namespace {

constexpr std::string_view kOurs = "gangplan.io/";
constexpr std::string_view kKueues = "kueue.x-k8s.io/podset-";

// The keys in quotes that begin so, and are longer.
std::set<std::string> QuotedKeys(const std::string& text, std::string_view prefix) {
  std::set<std::string> keys;
  const std::string quoted = fmt::format("'{}", prefix);
  for (size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at + 1)) {
    const std::string key = text.substr(at + 1, text.find('\'', at + 1) - at - 1);
    if (key != prefix) keys.insert(key);
  }
  return keys;
}

bool IsForeign(std::string_view word, std::string_view value) {
  return Find(Bare({{std::string(word), std::string(value)}}), nullptr).kind ==
         GroupSpec::Kind::kForeign;
}

// Of those that the policy about words knows, and that begin so.
std::set<std::string> ForeignWords(std::string_view prefix) {
  std::set<std::string> foreign;
  for (const std::string& key : QuotedKeys(FileOfTree("examples/words-policy.yaml"), prefix)) {
    if (IsForeign(key, "1")) foreign.insert(key);
  }
  return foreign;
}

}  // namespace

TEST_CASE("each of our words makes a member, or is told, but for the runtime") {
  for (std::string_view word : OurWords()) {
    INFO(word);
    CHECK(IsForeign(word, "1") == (word == "gangplan.io/runtime"));
    CHECK(IsForeign(word, "false") == (word == kHoldWord || word == "gangplan.io/runtime"));
  }
  CHECK_FALSE(IsForeign("gangplan.io/palce", "any"));
  CHECK_FALSE(IsForeign("kueue.x-k8s.io/podset-require-topology", "x"));
}

TEST_CASE("the policies that suspend and gate pass over the words that make no gang") {
  const std::set<std::string> ours = ForeignWords(kOurs);
  const std::set<std::string> kueues = ForeignWords(kKueues);
  CHECK(ours.contains("gangplan.io/plan"));
  CHECK(kueues.size() == 2);
  for (const char* file : {"examples/suspend-policy.yaml", "examples/gate-policy.yaml"}) {
    INFO(file);
    const std::string text = FileOfTree(file);
    constexpr std::string_view kBut = "') && !(key in [";
    size_t lists = 0;
    for (size_t at = text.find(kBut); at != std::string::npos; at = text.find(kBut, at + 1)) {
      const bool of_kueue = text.substr(0, at).ends_with(kKueues);
      const std::string list =
          text.substr(at + kBut.size(), text.find(']', at) - at - kBut.size());
      CHECK(QuotedKeys(list, of_kueue ? kKueues : kOurs) == (of_kueue ? kueues : ours));
      ++lists;
    }
    CHECK(lists == (file == std::string_view("examples/gate-policy.yaml") ? 2 : 4));
  }
}

}  // namespace gangplan::policy_words_test
