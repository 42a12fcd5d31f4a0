// Which pod goes to which domain of an assignment. Pods with an index go to the domain of their
// rank; when the indices of a pod set do not make sense together, its pods go wherever there is
// room, domain by domain. The rules are those of Kueue's ungater.
//
//   rank -> domain   the domains in their order, each as often as it takes pods
//   rank of a pod    index - offset; with sub-groups index + sub-group * (count / sub-groups) -
//                    offset, where the index is below count / sub-groups
//   offset           what the pod set adds itself, and in a group of two: the larger set begins
//                    where the smaller ends (of two equal ones the first counts as the smaller)
//
// A pod set falls back when one of its pods lacks an index or sub-group, has one out of bounds or
// the rank of another pod, has a rank beyond the assignment, or stands elsewhere than its rank
// says. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gangplan {

inline constexpr int32_t kNoDomain = -1;

// One domain of an assignment, in the order of the assignment.
struct RankDomain {
  int32_t count = 0;    // pods that it takes
  bool healthy = true;  // false: pods that belong there wait
};

struct RankedPod {
  std::optional<int32_t> index;      // none: the pod has none, or not a whole number
  std::optional<int32_t> sub_group;  // likewise
  bool waits = true;                 // false: it stands in `domain` and stays
  int32_t domain = kNoDomain;        // place in RankedPodSet::domains; kNoDomain: in none of them
};

struct RankedPodSet {
  int32_t count = 0;         // pods that the set has when it is whole
  std::string group;         // pod sets with the same name are ranked together; empty: alone
  bool indexed = false;      // its pods are ranked by index
  bool sub_grouped = false;  // ... within sub-groups
  int32_t sub_groups = 0;    // how many; below 1: unknown
  int32_t offset = 0;        // index of its first pod, beside what the group adds
  std::vector<RankDomain> domains;
  std::vector<RankedPod> pods;  // alive ones, in the order in which they are served
};

// The index of the pod of rank 0 of a pod set: its own offset, and what its group adds.
// REQUIRES: at < pod_sets.size(). O(pod sets).
int64_t FirstIndex(std::span<const RankedPodSet> pod_sets, size_t at);

// For each pod of each set its domain: kNoDomain for those that stand already, and for those that
// get none. O(pods + domains) for each set.
std::vector<std::vector<int32_t>> AssignDomains(std::span<const RankedPodSet> pod_sets);

}  // namespace gangplan
