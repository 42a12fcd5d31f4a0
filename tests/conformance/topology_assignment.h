// Where the pods of a pod set are placed, as Kueue stores it in a Workload's status.
//
//   plain    v1beta1: {"levels": [...], "domains": [{"values": [...], "count": n}, ...]}
//   compact  v1beta2: domains in slices; in a slice each level's values are one value for all, or
//            the common prefix and suffix and what stands between; the counts likewise:
//     {"levels": ["kubernetes.io/hostname"], "slices": [{"domainCount": 2,
//       "valuesPerLevel": [{"individual": {"prefix": "pool-", "roots": ["1", "2"]}}],
//       "podCounts": {"universal": 8}}]}
//
// The order of the domains is kept: ranks go by it. Texts are ASCII, as the keys and values of
// labels are: the compact form cuts them between any two bytes. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/protocol/limits.h"

namespace gangplan {

// As Kueue's API has them; in all, as many as there may be nodes.
inline constexpr size_t kMaxAssignmentSlices = 1'000;
inline constexpr size_t kMaxDomainsPerSlice = 100'000;  // also of the plain list
inline constexpr size_t kMaxAssignmentDomains = kMaxNodes;

struct AssignedDomain {
  std::vector<std::string> values;  // one a level
  int32_t count = 0;                // pods, at least 1
  friend bool operator==(const AssignedDomain&, const AssignedDomain&) = default;
};

struct TopologyAssignment {
  std::vector<std::string> levels;  // node label keys, coarsest first, 1 to 16
  std::vector<AssignedDomain> domains;
  friend bool operator==(const TopologyAssignment&, const TopologyAssignment&) = default;
};

// How domains are cut into slices.
enum class AssignmentSlices {
  kSmallest,    // by host name prefix, or one slice where that is the shorter text
  kByHostname,  // neighbours with the same longest prefix up to a '-' that two host names share
};

// InvalidArgument when a text is not ASCII.
absl::Status CheckAscii(const TopologyAssignment& assignment);

// One line of JSON. An error when a number of values or a limit of the format is broken.
absl::StatusOr<std::string> EncodeCompactAssignment(const TopologyAssignment& assignment,
                                                    AssignmentSlices slices);
absl::StatusOr<std::string> EncodePlainAssignment(const TopologyAssignment& assignment);

// `json` is parsed in situ and changed. Errors name the place: "slices[0].podCounts: expected ...".
absl::StatusOr<TopologyAssignment> DecodeCompactAssignment(std::string& json);
absl::StatusOr<TopologyAssignment> DecodePlainAssignment(std::string& json);

}  // namespace gangplan
