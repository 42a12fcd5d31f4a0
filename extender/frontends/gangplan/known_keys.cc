#include "extender/frontends/gangplan/known_keys.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "extender/cluster/annotations.h"
#include "extender/frontends/gangplan/words.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kPrefix = "gangplan.io/";
constexpr std::array kWords = {kGroupWord, kSizeWord,     kPodSetWord, kPodSetsWord,
                               kRankWord,  kTopologyWord, kPlaceWord};
constexpr std::array kWritten = {
    kAssignedRankAnnotation, kAssignedDomainAnnotation, kAssignedRungAnnotation,
    kPlanAnnotation,         kWakeAnnotation,           kEvictedForAnnotation,
    kSuspendedLabel,         kPinnedAnnotation,         kNotBeforeAnnotation};

template <typename Keys>
bool IsOneOf(const Keys& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// In the order of the keys, whatever the order of the sets is.
std::set<std::string_view> OurKeys(const LabelSet& set) {
  std::set<std::string_view> keys;
  for (const auto& [key, value] : set) {
    if (key.starts_with(kPrefix)) keys.insert(key);
  }
  return keys;
}

std::string WordNames() {
  std::string names;
  for (std::string_view word : kWords) names += (names.empty() ? "" : ", ") + std::string(word);
  return names;
}

}  // namespace

std::string UnknownKey(const LabelSet& annotations, const LabelSet& labels) {
  std::set<std::string_view> keys = OurKeys(annotations);
  for (std::string_view key : OurKeys(labels)) {
    const bool word = IsOneOf(kWords, key) && key != kGroupWord;
    if (word && !keys.contains(key))
      return fmt::format("{}: is a label; expected an annotation", key);
    keys.insert(key);
  }
  for (std::string_view key : keys) {
    if (IsOneOf(kWords, key) || IsOneOf(kWritten, key)) continue;
    return fmt::format("{}: unknown; expected one of {}", Shown(key), WordNames());
  }
  return {};
}

}  // namespace gangplan
