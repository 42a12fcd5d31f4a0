#include "extender/frontends/sakkara/find_sakkara_group.h"

#include <algorithm>

#include "algorithms/tree_ranks.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/kueue/rules.h"
#include "extender/frontends/limits.h"
#include "extender/frontends/sakkara/front_end.h"
#include "extender/frontends/sakkara/group_rules.h"
#include "extender/frontends/unknown_word.h"
#include "extender/protocol/sakkara_words.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

absl::Status CheckOtherWords(const PodFacts& pod) {
  const std::string unknown = UnknownWord(pod.annotations, pod.labels);
  if (!unknown.empty()) return Invalid("{}", unknown);
  GroupWords words = ReadWords(pod.annotations, pod.labels);
  words.topology.reset();  // has chosen the levels: Sakkara has no word for it
  if (!words.any() && !HasKueueTopology(pod.annotations)) return absl::OkStatus();
  return Invalid("{}: stands beside words of gangplan.io or of Kueue; expected one or the other",
                 kSakkaraPodGroup);
}

// What describes the group: its object, else the pod's own labels.
absl::StatusOr<SakkaraGroup> DescribeGroup(const PodFacts& pod, const SakkaraObjects& objects) {
  const std::optional<SakkaraPod> labels = ReadSakkaraPod(pod.labels);
  if (!labels) return Invalid("{}: expected the name of a group", kSakkaraPodGroup);
  if (const SakkaraObject* object = objects.Find(pod.ns, labels->group)) {
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

absl::Status Read(const PodFacts& pod, const SakkaraObjects* objects, const Topology& topology,
                  GroupSpec& spec) {
  if (objects == nullptr) {
    return Invalid(
        "{}: Sakkara's groups are not read; expected groups.sakkara: true in Gangplan's "
        "configuration",
        kSakkaraPodGroup);
  }
  GANGPLAN_RETURN_IF_ERROR(CheckOtherWords(pod));
  GANGPLAN_ASSIGN_OR_RETURN(const SakkaraGroup group, DescribeGroup(pod, *objects));
  GANGPLAN_RETURN_IF_ERROR(CheckSize(group.size));
  spec.pod_sets = {{"", static_cast<int32_t>(group.size)}};
  spec.rules = SakkaraLevelRules(group.rules, topology);
  spec.place = SakkaraPlaceText(spec.rules, topology);
  spec.object_priority =
      static_cast<int32_t>(std::clamp<int64_t>(group.priority, INT32_MIN, INT32_MAX));
  if (pod.name.find(kMasterWord) != std::string::npos) spec.rank = 0;
  return absl::OkStatus();
}

}  // namespace

GroupKey SakkaraKey(std::string_view ns, std::string_view name) {
  return {std::string(kSakkaraKind), std::string(ns), std::string(name), ""};
}

GroupSpec FindSakkaraGroup(const PodFacts& pod, const SakkaraObjects* objects,
                           const Topology& topology) {
  GroupSpec spec;
  spec.key = SakkaraKey(pod.ns, *FindLabel(pod.labels, kSakkaraPodGroup));
  spec.front_end = &SakkaraFrontEnd();
  spec.problem = Message(Read(pod, objects, topology, spec));
  if (!spec.problem.empty()) spec.misfit = Misfit::kBadWords;
  spec.kind = spec.problem.empty() ? GroupSpec::Kind::kMember : GroupSpec::Kind::kInvalid;
  return spec;
}

}  // namespace gangplan
