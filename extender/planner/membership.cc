#include "extender/planner/membership.h"

#include <algorithm>
#include <utility>

#include "extender/planner/kueue_rules.h"
#include "extender/planner/limits.h"
#include "extender/planner/sakkara_member.h"
#include "extender/protocol/sakkara_words.h"
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

Membership Problem(Membership found, std::string problem) {
  found.kind = Membership::Kind::kInvalid;
  found.problem = std::move(problem);
  return found;
}

// Of a JobSet: which of the alike Jobs a pod is of, and how many there are.
constexpr std::string_view kSubGroupLabel = "jobset.sigs.k8s.io/job-index";
constexpr std::string_view kSubGroupsLabel = "jobset.sigs.k8s.io/replicatedjob-replicas";

const std::string* FindOn(const PodFacts& pod, std::string_view key) {
  const std::string* value = FindLabel(pod.labels, key);
  return value != nullptr ? value : FindLabel(pod.annotations, key);
}

// Each of the Jobs of a JobSet counts from 0: the index in its Job becomes the one in the pod set,
// Job after Job, as in Kueue. Without a rank where the numbers do not agree with the pod set's.
absl::Status CountSubGroups(const PodFacts& pod, Membership& found) {
  const std::string* sub_group = FindOn(pod, kSubGroupLabel);
  if (sub_group == nullptr) return absl::OkStatus();
  const int32_t index = std::exchange(found.rank, -1);
  const std::string* sub_groups = FindOn(pod, kSubGroupsLabel);
  if (sub_groups == nullptr) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(const int32_t at, ParseCount(kSubGroupLabel, *sub_group, 0, INT32_MAX));
  GANGPLAN_ASSIGN_OR_RETURN(const int32_t of,
                            ParseCount(kSubGroupsLabel, *sub_groups, 1, INT32_MAX));
  const int32_t size = found.pod_sets[found.pod_set].count / of;
  if (index < size && at < of) found.rank = index + at * size;
  return absl::OkStatus();
}

// By its word, else the owner's own index of this pod.
absl::Status ReadRank(const PodFacts& pod, const GroupWords& words, Membership& found) {
  if (words.rank) {
    GANGPLAN_ASSIGN_OR_RETURN(found.rank, ParseCount(kRankWord, *words.rank, 0, kMaxGroupSize - 1));
    return absl::OkStatus();
  }
  for (std::string_view key : kIndexLabels) {
    const std::string* index = FindOn(pod, key);
    if (index == nullptr) continue;
    GANGPLAN_ASSIGN_OR_RETURN(found.rank, ParseCount(key, *index, 0, INT32_MAX));
    found.indexed = true;
    // Without a group's name each Job is a group of its own.
    return key == kJobIndex && words.group ? CountSubGroups(pod, found) : absl::OkStatus();
  }
  return absl::OkStatus();
}

GroupKey KeyOf(const PodFacts& pod, const GroupWords& words) {
  if (words.group) return {"group", pod.ns, *words.group, ""};
  if (pod.controller)
    return {pod.controller->kind, pod.ns, pod.controller->name, pod.controller->uid};
  return {"Pod", pod.ns, pod.name, pod.uid};
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
absl::Status ReadPodSets(const GroupWords& words, const OwnerFacts* owner, Membership& found) {
  if (!words.pod_sets) {
    GANGPLAN_ASSIGN_OR_RETURN(const int32_t size, FindSize(words, owner));
    found.pod_sets = {{words.pod_set.value_or(""), size}};
    if (!words.pod_set) return absl::OkStatus();
    return CheckPodSetName(kPodSetWord, *words.pod_set);
  }
  GANGPLAN_ASSIGN_OR_RETURN(found.pod_sets, ParsePodSets(*words.pod_sets));
  if (!words.size) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(const int32_t size, FindSize(words, owner));
  if (size == MembersOf(found.pod_sets)) return absl::OkStatus();
  return Invalid("{}: the pod sets {} are {} members, but {} says {}", kPodSetsWord,
                 PodSetsText(found.pod_sets), MembersOf(found.pod_sets), kSizeWord, size);
}

absl::Status ReadPodSet(const GroupWords& words, Membership& found) {
  if (!words.pod_set) {
    if (found.pod_sets.size() == 1) return absl::OkStatus();
    return Invalid("{}: missing; expected one of {}", kPodSetWord, PodSetNames(found.pod_sets));
  }
  const auto set = std::find_if(found.pod_sets.begin(), found.pod_sets.end(),
                                [&](const auto& one) { return one.name == *words.pod_set; });
  if (set == found.pod_sets.end()) {
    return Invalid("{}: \"{}\": expected one of {}", kPodSetWord, Shown(*words.pod_set),
                   PodSetNames(found.pod_sets));
  }
  found.pod_set = static_cast<int32_t>(set - found.pod_sets.begin());
  return absl::OkStatus();
}

std::string ProblemOfWords(const PodFacts& pod, const GroupWords& words,
                           const MembershipOptions& options) {
  if (words.topology && *words.topology != options.topology.name) {
    return fmt::format("{}: there is no topology \"{}\", only \"{}\"", kTopologyWord,
                       Shown(*words.topology), options.topology.name);
  }
  if (words.group && (words.group->empty() || words.group->size() > 253))
    return fmt::format("{}: expected a name of 1 to 253 characters", kGroupWord);
  const bool several = words.pod_sets || (words.size && *words.size != "1");
  if (!words.group && !pod.controller && several)
    return fmt::format("{}: missing on a pod without an owner", kGroupWord);
  return {};
}

// Our own words, or Kueue's: never both.
absl::Status ReadRules(const PodFacts& pod, const GroupWords& words,
                       const MembershipOptions& options, Membership& found) {
  if (!HasKueueTopology(pod.annotations)) {
    GANGPLAN_ASSIGN_OR_RETURN(found.rules, ParsePlace(found.place, options.topology));
    return absl::OkStatus();
  }
  if (words.place) {
    return Invalid("{}: stands beside a topology word of Kueue; expected one or the other",
                   kPlaceWord);
  }
  GANGPLAN_ASSIGN_OR_RETURN(
      KueueRules kueue,
      ReadKueueRules(pod.annotations, found.pod_sets[found.pod_set].count, options.topology));
  found.place = std::move(kueue.text);
  found.rules = std::move(kueue.rules);
  found.strategy = Strategy::kTas;
  found.kueue = KueueWords(pod.annotations);
  return absl::OkStatus();
}

absl::Status ReadMember(const PodFacts& pod, const GroupWords& words, const OwnerFacts* owner,
                        const MembershipOptions& options, Membership& found) {
  GANGPLAN_RETURN_IF_ERROR(ReadPodSets(words, owner, found));
  GANGPLAN_RETURN_IF_ERROR(ReadPodSet(words, found));
  GANGPLAN_RETURN_IF_ERROR(ReadRank(pod, words, found));
  return ReadRules(pod, words, options, found);
}

// Nothing that the owner might tell is missing.
bool TellsAll(const GroupWords& words, bool kueue) {
  const bool sized = words.size || words.pod_sets;
  const bool one_set = !words.pod_sets || words.pod_sets->find(',') == std::string::npos;
  return words.group && sized && (words.place || kueue) && (words.pod_set || one_set);
}

}  // namespace

Membership FindMembership(const PodFacts& pod, const OwnerFacts* owner, bool owner_known,
                          const MembershipOptions& options) {
  Membership found;
  const auto& names = options.scheduler_names;
  if (std::find(names.begin(), names.end(), pod.scheduler_name) == names.end()) return found;
  if (FindLabel(pod.labels, kSakkaraPodGroup)) return FindSakkaraMembership(pod, options);
  GroupWords own = ReadWords(pod.annotations, pod.labels);
  const bool kueue = HasKueueTopology(pod.annotations);
  if (pod.controller && !owner_known && !TellsAll(own, kueue)) {
    found.kind = Membership::Kind::kNeedsOwner;
    return found;
  }
  GroupWords words = owner ? MergeWords(own, ReadWords(owner->annotations, owner->labels)) : own;
  bool job = pod.controller && pod.controller->kind == "Job";
  if (!words.any() && !kueue && !(options.all_jobs && job)) return found;

  found.key = KeyOf(pod, words);
  found.place = words.place.value_or("");
  std::string problem = ProblemOfWords(pod, words, options);
  if (problem.empty()) problem = Message(ReadMember(pod, words, owner, options, found));
  if (!problem.empty()) return Problem(std::move(found), std::move(problem));
  found.kind = Membership::Kind::kMember;
  return found;
}

}  // namespace gangplan
