#include "extender/frontends/kueue/draft_words.h"

#include <algorithm>
#include <string>

#include "extender/frontends/kueue/words.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kLowest = "auto";

bool IsDraft(std::string_view key) { return key == kKueueDraftRequire || key == kKueueDraftPrefer; }

// What there may be one of, in whatever words.
constexpr std::string_view kWishes[] = {kKueueDraftRequire, kKueueDraftPrefer, kKueueRequired,
                                        kKueuePreferred, kKueueUnconstrained};

}  // namespace

bool HasDraftWords(const LabelSet& annotations) {
  return std::any_of(annotations.begin(), annotations.end(),
                     [](const auto& entry) { return IsDraft(entry.first); });
}

absl::StatusOr<LabelSet> SayDraftWords(const LabelSet& annotations, const Topology& topology) {
  LabelSet said = annotations;
  const auto draft = std::find_if(annotations.begin(), annotations.end(),
                                  [](const auto& entry) { return IsDraft(entry.first); });
  if (draft == annotations.end()) return said;
  const std::string& key = draft->first;
  for (std::string_view other : kWishes) {
    if (other != key && FindLabel(annotations, other) != nullptr)
      return Invalid("{}: stands beside {}; expected one of them", key, other);
  }
  const bool required = key == kKueueDraftRequire;
  const bool lowest = draft->second == kLowest;
  if (required && lowest) {
    return Invalid(
        "{}: \"{}\" is the lowest level where it is preferred ({}); expected the label "
        "of a level",
        key, kLowest, kKueueDraftPrefer);
  }
  std::string level = lowest ? topology.levels.back().label : draft->second;
  std::erase_if(said, [](const auto& entry) { return IsDraft(entry.first); });
  SetLabel(said, required ? kKueueRequired : kKueuePreferred, std::move(level));
  return said;
}

}  // namespace gangplan
