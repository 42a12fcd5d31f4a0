// The pod sets of a group as its pods list them: gangplan.io/pod-sets: "leader=1,workers=8".
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gangplan {

struct PodSetCount {
  std::string name;  // empty: the only one of its group, and it was given no name
  int32_t count = 0;
  friend bool operator==(const PodSetCount&, const PodSetCount&) = default;
};

// In the order of the list. InvalidArgument: `gangplan.io/pod-sets: ...` with the entry and what
// was expected: no name, a bad or repeated one, a count out of bounds, too many in all.
absl::StatusOr<std::vector<PodSetCount>> ParsePodSets(std::string_view text);
// InvalidArgument: `word: ...` unless it is 1 to 63 letters, digits, '-', '_' and '.'.
absl::Status CheckPodSetName(std::string_view word, std::string_view name);

// Members in all.
int32_t MembersOf(const std::vector<PodSetCount>& pod_sets);
// "leader=1,workers=8"; "8 members" for one without a name.
std::string PodSetsText(const std::vector<PodSetCount>& pod_sets);
// "leader, workers"
std::string PodSetNames(const std::vector<PodSetCount>& pod_sets);

}  // namespace gangplan
