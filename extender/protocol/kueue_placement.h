// Where Kueue's Topology Aware Scheduling has put the pods of a Workload (topologyAssignment): of
// v1beta2 in slices, of v1beta1 domain by domain. Constant data and pure functions; any thread.
// Internal to this room.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/protocol/json_shape.h"
#include "extender/protocol/limits.h"
#include "topology/topology.h"
#include "topology/workload_facts.h"

namespace gangplan {

// The values that domains of a slice have at one level.
struct LevelValuesDraft {
  std::optional<std::string> universal;  // all the same
  std::string prefix;
  std::string suffix;
  std::optional<std::vector<std::string>> roots;  // between the two, one for each domain
};
struct PodCountsDraft {
  int64_t universal = 0;  // 0: not given
  std::optional<std::vector<int32_t>> individual;
};
struct SliceDraft {
  int64_t domains = 0;
  std::vector<LevelValuesDraft> values;  // by level
  PodCountsDraft counts;
};
struct DomainDraft {
  std::vector<std::string> values;
  int64_t count = 0;
};
struct PlacementDraft {
  std::vector<std::string> levels;
  std::vector<SliceDraft> slices;
  std::vector<DomainDraft> domains;
};

// What one Workload may still name; less with each pod set.
struct PlacementLimits {
  size_t domains = kMaxWorkloadDomains;
  size_t bytes = kMaxWorkloadDomainBytes;
};

namespace placement_shapes {

using namespace gangplan::json;  // NOLINT: the makers are the language of this file

inline absl::Status AddText(std::vector<std::string>& texts, std::string_view text) {
  texts.emplace_back(text);
  return absl::OkStatus();
}
inline std::vector<std::string>& RootsOf(LevelValuesDraft& draft) { return draft.roots.emplace(); }
inline std::vector<int32_t>& CountsOf(PodCountsDraft& draft) { return draft.individual.emplace(); }
inline absl::Status SetUniversal(LevelValuesDraft& draft, std::string_view value) {
  draft.universal = value;
  return absl::OkStatus();
}
constexpr JsonShape CountElement() {
  JsonShape shape;
  shape.number = [](void* target, const JsonPlace&, std::string_view digits) {
    int64_t count = 0;
    absl::Status status = ReadInteger(digits, 1, std::numeric_limits<int32_t>::max(), count);
    if (status.ok())
      static_cast<std::vector<int32_t>*>(target)->push_back(static_cast<int32_t>(count));
    return status;
  };
  return shape;
}

inline constexpr int64_t kMostPods = std::numeric_limits<int32_t>::max();
inline constexpr JsonShape kValueText = TextFor<&AddText>(kMaxNameBytes);
inline constexpr JsonShape kCountNumber = CountElement();
inline constexpr JsonField kIndividualFields[] = {
    {"prefix", Text<&LevelValuesDraft::prefix>(kMaxNameBytes)},
    {"suffix", Text<&LevelValuesDraft::suffix>(kMaxNameBytes)},
    {"roots", At<&RootsOf>(Array(kValueText, kMaxWorkloadDomains))},
};
inline constexpr JsonField kLevelValuesFields[] = {
    {"universal", TextFor<&SetUniversal>(kMaxNameBytes)},
    {"individual", Object(kIndividualFields)},
};
inline constexpr JsonShape kLevelValues =
    Appended<std::vector<LevelValuesDraft>>(Object(kLevelValuesFields));
inline constexpr JsonField kPodCountsFields[] = {
    {"universal", Integer<&PodCountsDraft::universal, 1, kMostPods>()},
    {"individual", At<&CountsOf>(Array(kCountNumber, kMaxWorkloadDomains))},
};
inline constexpr JsonField kSliceFields[] = {
    {"domainCount", Integer<&SliceDraft::domains, 1, kMostPods>()},
    {"valuesPerLevel", Anew<&SliceDraft::values>(Array(kLevelValues, kMaxLevels))},
    {"podCounts", Anew<&SliceDraft::counts>(Object(kPodCountsFields))},
};
inline constexpr JsonShape kSlice = Appended<std::vector<SliceDraft>>(Object(kSliceFields));
inline constexpr JsonField kDomainFields[] = {
    {"values", Anew<&DomainDraft::values>(Array(kValueText, kMaxLevels))},
    {"count", Integer<&DomainDraft::count, 0, kMostPods>()},
};
inline constexpr JsonShape kDomain = Appended<std::vector<DomainDraft>>(Object(kDomainFields));
inline constexpr JsonShape kLevelLabel = TextFor<&AddText>(kMaxKeyBytes);
// Target: a PlacementDraft.
inline constexpr JsonField kPlacementFields[] = {
    {"levels", Anew<&PlacementDraft::levels>(Array(kLevelLabel, kMaxLevels))},
    {"slices", Anew<&PlacementDraft::slices>(Array(kSlice, kMaxWorkloadSlices))},
    {"domains", Anew<&PlacementDraft::domains>(Array(kDomain, kMaxWorkloadDomains))},
};

}  // namespace placement_shapes

absl::StatusOr<WorkloadFacts::Placement> TakePlacement(PlacementDraft& draft,
                                                       PlacementLimits& left);

}  // namespace gangplan
