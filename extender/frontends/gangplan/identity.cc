#include "extender/frontends/gangplan/identity.h"

#include <algorithm>
#include <utility>

#include "extender/frontends/gangplan/pod_set_words.h"
#include "extender/frontends/limits.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// The first that is there counts: a LeaderWorkerSet's pods have the index of a StatefulSet as well.
constexpr std::string_view kJobIndex = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kIndexLabels[] = {
    kJobIndex,
    "training.kubeflow.org/replica-index",
    "leaderworkerset.sigs.k8s.io/worker-index",
    "kueue.x-k8s.io/pod-group-pod-index",
    "apps.kubernetes.io/pod-index",
};

// Of a JobSet: which of the alike Jobs a pod is of, and how many there are.
constexpr std::string_view kSubGroupLabel = "jobset.sigs.k8s.io/job-index";
constexpr std::string_view kSubGroupsLabel = "jobset.sigs.k8s.io/replicatedjob-replicas";

const std::string* FindOn(const PodFacts& pod, std::string_view key) {
  const std::string* value = FindLabel(pod.labels, key);
  return value != nullptr ? value : FindLabel(pod.annotations, key);
}

// Each of the Jobs of a JobSet counts from 0: the index in its Job becomes the one in the pod set,
// Job after Job, as in Kueue. Without a rank where the numbers do not agree with the pod set's.
absl::Status CountSubGroups(const PodFacts& pod, GroupSpec& spec) {
  const std::string* sub_group = FindOn(pod, kSubGroupLabel);
  if (sub_group == nullptr) return absl::OkStatus();
  const int32_t index = std::exchange(spec.rank, -1);
  const std::string* sub_groups = FindOn(pod, kSubGroupsLabel);
  if (sub_groups == nullptr) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(const int32_t at, ParseCount(kSubGroupLabel, *sub_group, 0, INT32_MAX));
  GANGPLAN_ASSIGN_OR_RETURN(const int32_t of,
                            ParseCount(kSubGroupsLabel, *sub_groups, 1, INT32_MAX));
  const int32_t size = spec.pod_sets[spec.pod_set].count / of;
  if (index < size && at < of) spec.rank = index + at * size;
  return absl::OkStatus();
}

// By its word, else the owner's own index of this pod.
absl::Status ReadRank(const PodFacts& pod, const GroupWords& words, GroupSpec& spec) {
  if (words.rank) {
    GANGPLAN_ASSIGN_OR_RETURN(spec.rank, ParseCount(kRankWord, *words.rank, 0, kMaxGroupSize - 1));
    return absl::OkStatus();
  }
  for (std::string_view key : kIndexLabels) {
    const std::string* index = FindOn(pod, key);
    if (index == nullptr) continue;
    GANGPLAN_ASSIGN_OR_RETURN(spec.rank, ParseCount(key, *index, 0, INT32_MAX));
    spec.indexed = true;
    // Without a group's name each Job is a group of its own.
    return key == kJobIndex && words.group ? CountSubGroups(pod, spec) : absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::StatusOr<int32_t> FindSize(const GroupWords& words, const OwnerFacts* owner) {
  if (words.size) return ParseCount(kSizeWord, *words.size, 1, kMaxGroupSize);
  if (owner == nullptr || !owner->size) {
    return Invalid("{}: missing, and no owner tells how many members start together", kSizeWord);
  }
  if (*owner->size < 1 || *owner->size > kMaxGroupSize) {
    return Invalid("{} {}: {} members; expected 1 to {}", owner->ref.kind, owner->ref.name,
                   *owner->size, kMaxGroupSize);
  }
  return static_cast<int32_t>(*owner->size);
}

// As listed, else one for all members.
absl::Status ReadPodSets(const GroupWords& words, const OwnerFacts* owner, GroupSpec& spec) {
  if (!words.pod_sets) {
    GANGPLAN_ASSIGN_OR_RETURN(const int32_t size, FindSize(words, owner));
    spec.pod_sets = {{words.pod_set.value_or(""), size}};
    if (!words.pod_set) return absl::OkStatus();
    return CheckPodSetName(kPodSetWord, *words.pod_set);
  }
  GANGPLAN_ASSIGN_OR_RETURN(spec.pod_sets, ParsePodSets(*words.pod_sets));
  if (!words.size) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(const int32_t size, FindSize(words, owner));
  if (size == MembersOf(spec.pod_sets)) return absl::OkStatus();
  return Invalid("{}: the pod sets {} are {} members, but {} says {}", kPodSetsWord,
                 PodSetsText(spec.pod_sets), MembersOf(spec.pod_sets), kSizeWord, size);
}

absl::Status ReadPodSet(const GroupWords& words, GroupSpec& spec) {
  if (!words.pod_set) {
    if (spec.pod_sets.size() == 1) return absl::OkStatus();
    return Invalid("{}: missing; expected one of {}", kPodSetWord, PodSetNames(spec.pod_sets));
  }
  const auto set = std::find_if(spec.pod_sets.begin(), spec.pod_sets.end(),
                                [&](const auto& one) { return one.name == *words.pod_set; });
  if (set == spec.pod_sets.end()) {
    return Invalid("{}: \"{}\": expected one of {}", kPodSetWord, Shown(*words.pod_set),
                   PodSetNames(spec.pod_sets));
  }
  spec.pod_set = static_cast<int32_t>(set - spec.pod_sets.begin());
  return absl::OkStatus();
}

}  // namespace

GroupKey KeyOf(const PodFacts& pod, const GroupWords& words) {
  if (words.group) return {"group", pod.ns, *words.group, ""};
  if (pod.controller)
    return {pod.controller->kind, pod.ns, pod.controller->name, pod.controller->uid};
  return {"Pod", pod.ns, pod.name, pod.uid};
}

absl::Status CheckIdentity(const PodFacts& pod, const GroupWords& words, const Topology& topology) {
  if (words.topology && *words.topology != topology.name) {
    return Invalid("{}: there is no topology \"{}\", only \"{}\"", kTopologyWord,
                   Shown(*words.topology), topology.name);
  }
  if (words.group && (words.group->empty() || words.group->size() > 253))
    return Invalid("{}: expected a name of 1 to 253 characters", kGroupWord);
  const bool several = words.pod_sets || (words.size && *words.size != "1");
  if (!words.group && !pod.controller && several)
    return Invalid("{}: missing on a pod without an owner", kGroupWord);
  return absl::OkStatus();
}

absl::Status ReadIdentity(const PodFacts& pod, const GroupWords& words, const OwnerFacts* owner,
                          GroupSpec& spec) {
  GANGPLAN_RETURN_IF_ERROR(ReadPodSets(words, owner, spec));
  spec.owner_sized = !words.size && !words.pod_sets;
  GANGPLAN_RETURN_IF_ERROR(ReadPodSet(words, spec));
  return ReadRank(pod, words, spec);
}

}  // namespace gangplan
