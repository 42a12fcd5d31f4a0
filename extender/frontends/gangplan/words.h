// The gangplan.io/* words on pods and their owners. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "extender/protocol/reservation_words.h"
#include "topology/labels.h"

namespace gangplan {

inline constexpr std::string_view kGroupWord = "gangplan.io/group";
inline constexpr std::string_view kSizeWord = "gangplan.io/size";
inline constexpr std::string_view kPodSetWord = "gangplan.io/pod-set";
inline constexpr std::string_view kPodSetsWord = "gangplan.io/pod-sets";
inline constexpr std::string_view kRankWord = "gangplan.io/rank";
inline constexpr std::string_view kRankLabelWord = "gangplan.io/rank-label";
inline constexpr std::string_view kTopologyWord = "gangplan.io/topology";
inline constexpr std::string_view kPlaceWord = "gangplan.io/place";
inline constexpr std::string_view kPodSetPlaceWord = "gangplan.io/pod-set-place";
inline constexpr std::string_view kRanksWord = "gangplan.io/ranks";
inline constexpr std::string_view kSparesWord = "gangplan.io/spares";
inline constexpr std::string_view kStartWord = "gangplan.io/start";
inline constexpr std::string_view kHoldWord = "gangplan.io/hold";

struct GroupWords {
  std::optional<std::string> group;
  std::optional<std::string> size;
  std::optional<std::string> pod_set;
  std::optional<std::string> pod_sets;
  std::optional<std::string> rank;
  std::optional<std::string> rank_label;
  std::optional<std::string> topology;
  std::optional<std::string> place;
  std::optional<std::string> pod_set_place;
  std::optional<std::string> ranks;
  std::optional<std::string> spares;
  std::optional<std::string> start;
  std::optional<std::string> hold;  // why it is not planned; no "false"
  std::optional<std::string> reservation;

  bool any() const {
    return group || size || pod_set || pod_sets || rank || rank_label || topology || place ||
           pod_set_place || ranks || spares || start || hold || reservation;
  }
};

// The words on one object; `group` is read from a label too (the annotation wins).
GroupWords ReadWords(const LabelSet& annotations, const LabelSet& labels);
// Each word of `first`, or of `second` where `first` lacks it.
GroupWords MergeWords(const GroupWords& first, const GroupWords& second);

// A whole number from `low` to `high`; the error names `word`.
absl::StatusOr<int32_t> ParseCount(std::string_view word, std::string_view text, int32_t low,
                                   int32_t high);

}  // namespace gangplan
