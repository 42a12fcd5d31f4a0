#include "extender/planner/sakkara_member.h"

#include <algorithm>

#include "algorithms/tree_ranks.h"
#include "extender/planner/kueue_rules.h"
#include "extender/planner/limits.h"
#include "extender/protocol/sakkara_words.h"
#include "extender/sakkara/group_rules.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

absl::Status CheckOtherWords(const PodFacts& pod) {
  if (!ReadWords(pod.annotations, pod.labels).any() && !HasKueueTopology(pod.annotations))
    return absl::OkStatus();
  return Invalid("{}: stands beside words of gangplan.io or of Kueue; expected one or the other",
                 kSakkaraPodGroup);
}

// What describes the group: its object, else the pod's own labels.
absl::StatusOr<SakkaraGroup> DescribeGroup(const PodFacts& pod, const GroupObjects& objects) {
  const std::optional<SakkaraPod> labels = ReadSakkaraPod(pod.labels);
  if (!labels) return Invalid("{}: expected the name of a group", kSakkaraPodGroup);
  if (const GroupObject* object = objects.Find(pod.ns, labels->group)) {
    if (object->words.ok()) return object->words;
    return Invalid("ConfigMap {}: {}", object->facts.name, Message(object->words.status()));
  }
  if (labels->size) return SakkaraGroup{labels->group, *labels->size, 0, labels->rules, {}};
  return Invalid(
      "{}: namespace {} has no ConfigMap with the label {} whose data have the name \"{}\"",
      kSakkaraPodGroup, pod.ns, kSakkaraGroupLabel, Shown(labels->group));
}

absl::Status CheckSize(int64_t size) {
  if (size >= 1 && size <= kMaxGroupSize) return absl::OkStatus();
  return Invalid("size: {} members; expected 1 to {}", size, kMaxGroupSize);
}

absl::Status Read(const PodFacts& pod, const MembershipOptions& options, Membership& found) {
  if (options.objects == nullptr) {
    return Invalid(
        "{}: Sakkara's groups are not read; expected groups.sakkara: true in Gangplan's "
        "configuration",
        kSakkaraPodGroup);
  }
  GANGPLAN_RETURN_IF_ERROR(CheckOtherWords(pod));
  GANGPLAN_ASSIGN_OR_RETURN(const SakkaraGroup group, DescribeGroup(pod, *options.objects));
  GANGPLAN_RETURN_IF_ERROR(CheckSize(group.size));
  found.pod_sets = {{"", static_cast<int32_t>(group.size)}};
  found.rules = SakkaraLevelRules(group.rules, options.topology);
  found.place = SakkaraPlaceText(found.rules, options.topology);
  found.object_priority =
      static_cast<int32_t>(std::clamp<int64_t>(group.priority, INT32_MIN, INT32_MAX));
  if (pod.name.find(kMasterWord) != std::string::npos) found.rank = 0;
  return absl::OkStatus();
}

}  // namespace

Membership FindSakkaraMembership(const PodFacts& pod, const MembershipOptions& options) {
  Membership found;
  found.key = {std::string(kSakkaraKind), pod.ns, *FindLabel(pod.labels, kSakkaraPodGroup), ""};
  found.strategy = Strategy::kExact;
  found.sakkara = true;
  found.problem = Message(Read(pod, options, found));
  found.kind = found.problem.empty() ? Membership::Kind::kMember : Membership::Kind::kInvalid;
  return found;
}

}  // namespace gangplan
