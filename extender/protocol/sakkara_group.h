// A group of Sakkara's users: the data of a ConfigMap with the label kSakkaraGroupLabel, and the
// labels by which pods say the same. SAX, iterative, with limits. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/protocol/sakkara_rule.h"
#include "topology/labels.h"

namespace gangplan {

using SakkaraRules = std::vector<std::pair<std::string, SakkaraRule>>;  // by level name, sorted

struct SakkaraGroup {
  std::string name;
  int64_t size = 1;                // 0 and less: no pod is ever admitted
  int64_t priority = 0;            // above 0: may evict groups of lower priority
  SakkaraRules rules;              // also those of levels that no topology has
  std::vector<std::string> notes;  // words that are ignored or read otherwise, for people
  friend bool operator==(const SakkaraGroup&, const SakkaraGroup&) = default;
};

// Whose group the data are, also where ReadSakkaraGroup refuses them.
std::string SakkaraGroupName(const LabelSet& data);

// Size and priority that are missing or no number are 1 and 0, as Sakkara has it. The constraints
// must be there, "{}" for none: Sakkara does not know a group without them. Errors begin with the
// key: "constraints.node.partitions: expected a number, found a string". Keys that are not
// Sakkara's (also its results) are ignored.
absl::StatusOr<SakkaraGroup> ReadSakkaraGroup(const LabelSet& data);

// What one pod's labels say of its group: for a group whose object is not (or no longer) there.
// Without kSakkaraPodGroup the pod is no member of any. Nothing here is refused.
struct SakkaraPod {
  std::string group;
  std::optional<int64_t> size;
  SakkaraRules rules;  // labels have no word for hard
  std::vector<std::string> notes;
  friend bool operator==(const SakkaraPod&, const SakkaraPod&) = default;
};
std::optional<SakkaraPod> ReadSakkaraPod(const LabelSet& labels);

// How a group is called in the whole cluster: its namespace, a slash, its name.
std::string SakkaraGroupKey(std::string_view ns, std::string_view name);

// The rule of the level with this name; a soft pack when there is none. O(log n).
const SakkaraRule& SakkaraRuleOf(const SakkaraRules& rules, std::string_view level);

}  // namespace gangplan
