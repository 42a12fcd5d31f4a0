#include "extender/frontends/unknown_word.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "extender/cluster/annotations.h"
#include "extender/frontends/gangplan/runtime.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/kueue/draft_words.h"
#include "extender/frontends/kueue/words.h"
#include "fmt/format.h"
#include "topology/base/spelling.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kOurWords[] = {
    kGroupWord,    kSizeWord,        kPodSetWord,      kPodSetsWord, kRankWord,   kRankLabelWord,
    kTopologyWord, kPlaceWord,       kPodSetPlaceWord, kRanksWord,   kSparesWord, kStartWord,
    kHoldWord,     kReservationWord, kRuntimeWord,     kNiceWord};
constexpr std::string_view kWritten[] = {
    kAssignedRankAnnotation, kAssignedDomainAnnotation, kAssignedRungAnnotation,
    kPlanAnnotation,         kWakeAnnotation,           kEvictedForAnnotation,
    kSuspendedLabel,         kPinnedAnnotation,         kNotBeforeAnnotation};
constexpr std::string_view kKueueWords[] = {
    kKueueRequired,    kKueuePreferred, kKueueUnconstrained, kKueueSliceLevel,   kKueueSliceSize,
    kKueueSliceLayers, kKueueGroupName, kKueueIndexOffset,   kKueueDraftRequire, kKueueDraftPrefer};
// By Kueue, for itself.
constexpr std::string_view kKueueWritten[] = {"kueue.x-k8s.io/podset-replica-sizes"};

bool IsOurs(std::string_view) { return true; }

// Of all that Kueue has keys for, what is about where pods go.
bool IsTopology(std::string_view name) {
  return name.starts_with("podset-") || name.starts_with("pod-index-") ||
         name.find("topology") != std::string_view::npos;
}

struct Vocabulary {
  std::string_view prefix;
  bool (*covers)(std::string_view name);  // the key without the prefix
  std::span<const std::string_view> words;
  std::span<const std::string_view> written;  // no words: told, never asked for
  std::string_view label;                     // the one word that is read as a label, too
};
constexpr Vocabulary kVocabularies[] = {
    {"gangplan.io/", IsOurs, kOurWords, kWritten, kGroupWord},
    {"kueue.x-k8s.io/", IsTopology, kKueueWords, kKueueWritten, ""},
};

bool IsOneOf(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// In the order of the keys, whatever the order of the sets is.
std::set<std::string_view> KeysOf(const Vocabulary& vocabulary, const LabelSet& set) {
  std::set<std::string_view> keys;
  for (const auto& [key, value] : set) {
    if (key.starts_with(vocabulary.prefix) &&
        vocabulary.covers(std::string_view(key).substr(vocabulary.prefix.size())))
      keys.insert(key);
  }
  return keys;
}

std::string Describe(const Vocabulary& vocabulary, std::string_view key) {
  const size_t prefix = vocabulary.prefix.size();
  std::vector<std::string_view> names;
  std::string list;
  for (std::string_view word : vocabulary.words) {
    names.push_back(word.substr(prefix));
    list += fmt::format("{}{}", list.empty() ? "" : ", ", word);
  }
  const std::string_view near = NearestWord(key.substr(prefix), names);
  if (near.empty()) return fmt::format("{}: unknown word; expected one of {}", Shown(key), list);
  return fmt::format("{}: unknown word; did you mean {}{}?", Shown(key), vocabulary.prefix, near);
}

std::string UnknownOf(const Vocabulary& vocabulary, const LabelSet& annotations,
                      const LabelSet& labels) {
  std::set<std::string_view> keys = KeysOf(vocabulary, annotations);
  for (std::string_view key : KeysOf(vocabulary, labels)) {
    const bool word = IsOneOf(vocabulary.words, key) && key != vocabulary.label;
    if (word && !keys.contains(key))
      return fmt::format("{}: is a label; expected an annotation", key);
    keys.insert(key);
  }
  const auto unknown = std::find_if(keys.begin(), keys.end(), [&](std::string_view key) {
    return !IsOneOf(vocabulary.words, key) && !IsOneOf(vocabulary.written, key);
  });
  return unknown == keys.end() ? std::string() : Describe(vocabulary, *unknown);
}

}  // namespace

std::span<const std::string_view> OurWords() { return kOurWords; }

std::string UnknownWord(const LabelSet& annotations, const LabelSet& labels) {
  for (const Vocabulary& vocabulary : kVocabularies) {
    std::string problem = UnknownOf(vocabulary, annotations, labels);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace gangplan
