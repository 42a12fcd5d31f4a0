#include "extender/frontends/gangplan/words.h"

#include <charconv>

#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kNotHeld = "false";

std::optional<std::string> Word(const LabelSet& set, std::string_view key) {
  const std::string* value = FindLabel(set, key);
  return value == nullptr ? std::nullopt : std::optional<std::string>(*value);
}

}  // namespace

GroupWords ReadWords(const LabelSet& annotations, const LabelSet& labels) {
  GroupWords words;
  words.group = Word(annotations, kGroupWord);
  if (!words.group) words.group = Word(labels, kGroupWord);
  words.size = Word(annotations, kSizeWord);
  words.pod_set = Word(annotations, kPodSetWord);
  words.pod_sets = Word(annotations, kPodSetsWord);
  words.rank = Word(annotations, kRankWord);
  words.rank_label = Word(annotations, kRankLabelWord);
  words.topology = Word(annotations, kTopologyWord);
  words.place = Word(annotations, kPlaceWord);
  words.pod_set_place = Word(annotations, kPodSetPlaceWord);
  words.ranks = Word(annotations, kRanksWord);
  words.spares = Word(annotations, kSparesWord);
  words.start = Word(annotations, kStartWord);
  words.hold = Word(annotations, kHoldWord);
  if (words.hold == kNotHeld) words.hold.reset();
  words.reservation = Word(annotations, kReservationWord);
  return words;
}

GroupWords MergeWords(const GroupWords& first, const GroupWords& second) {
  GroupWords merged = first;
  if (!merged.group) merged.group = second.group;
  if (!merged.size) merged.size = second.size;
  if (!merged.pod_set) merged.pod_set = second.pod_set;
  if (!merged.pod_sets) merged.pod_sets = second.pod_sets;
  if (!merged.rank) merged.rank = second.rank;
  if (!merged.rank_label) merged.rank_label = second.rank_label;
  if (!merged.topology) merged.topology = second.topology;
  if (!merged.place) merged.place = second.place;
  if (!merged.pod_set_place) merged.pod_set_place = second.pod_set_place;
  if (!merged.ranks) merged.ranks = second.ranks;
  if (!merged.spares) merged.spares = second.spares;
  if (!merged.start) merged.start = second.start;
  if (!merged.hold) merged.hold = second.hold;
  if (!merged.reservation) merged.reservation = second.reservation;
  return merged;
}

absl::StatusOr<int32_t> ParseCount(std::string_view word, std::string_view text, int32_t low,
                                   int32_t high) {
  int32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    return Invalid("{}: \"{}\": expected a whole number from {} to {}", word, Shown(text), low,
                   high);
  }
  return value;
}

}  // namespace gangplan
