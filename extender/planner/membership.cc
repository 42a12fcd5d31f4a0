#include "extender/planner/membership.h"

#include <algorithm>

#include "extender/planner/kueue_rules.h"
#include "extender/planner/limits.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kIndexLabels[] = {
    "batch.kubernetes.io/job-completion-index",
    "apps.kubernetes.io/pod-index",
};

Membership Problem(Membership found, std::string problem) {
  found.kind = Membership::Kind::kInvalid;
  found.problem = std::move(problem);
  return found;
}

// The owner's own index of this pod, or -1.
absl::StatusOr<int32_t> FindRank(const PodFacts& pod, const GroupWords& words) {
  if (words.rank) return ParseCount(kRankWord, *words.rank, 0, kMaxGroupSize - 1);
  for (std::string_view key : kIndexLabels) {
    const std::string* index = FindLabel(pod.labels, key);
    if (index == nullptr) index = FindLabel(pod.annotations, key);
    if (index != nullptr) return ParseCount(key, *index, 0, INT32_MAX);
  }
  return -1;
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

std::string ProblemOfWords(const PodFacts& pod, const GroupWords& words,
                           const MembershipOptions& options) {
  if (words.topology && *words.topology != options.topology.name) {
    return fmt::format("{}: there is no topology \"{}\", only \"{}\"", kTopologyWord,
                       words.topology->substr(0, 64), options.topology.name);
  }
  if (words.group && (words.group->empty() || words.group->size() > 253))
    return fmt::format("{}: expected a name of 1 to 253 characters", kGroupWord);
  if (words.pod_sets && words.pod_sets->find(',') != std::string::npos)
    return fmt::format("{}: several pod sets in one group are not supported yet", kPodSetsWord);
  if (!words.group && !pod.controller && words.size && *words.size != "1")
    return fmt::format("{}: missing on a pod without an owner", kGroupWord);
  return {};
}

// Our own words, or Kueue's: never both.
absl::Status ReadRules(const PodFacts& pod, const GroupWords& words, int32_t size,
                       const MembershipOptions& options, Membership& found) {
  if (!HasKueueTopology(pod.annotations)) {
    GANGPLAN_ASSIGN_OR_RETURN(found.rules, ParsePlace(found.place, options.topology));
    return absl::OkStatus();
  }
  if (words.place) {
    return Invalid("{}: stands beside a topology word of Kueue; expected one or the other",
                   kPlaceWord);
  }
  GANGPLAN_ASSIGN_OR_RETURN(KueueRules kueue,
                            ReadKueueRules(pod.annotations, size, options.topology));
  found.place = std::move(kueue.text);
  found.rules = std::move(kueue.rules);
  found.strategy = Strategy::kTas;
  return absl::OkStatus();
}

}  // namespace

Membership FindMembership(const PodFacts& pod, const OwnerFacts* owner, bool owner_known,
                          const MembershipOptions& options) {
  Membership found;
  const auto& names = options.scheduler_names;
  if (std::find(names.begin(), names.end(), pod.scheduler_name) == names.end()) return found;
  GroupWords own = ReadWords(pod.annotations, pod.labels);
  const bool kueue = HasKueueTopology(pod.annotations);
  bool complete = own.group && own.size && (own.place || kueue);
  if (pod.controller && !owner_known && !complete) {
    found.kind = Membership::Kind::kNeedsOwner;
    return found;
  }
  GroupWords words = owner ? MergeWords(own, ReadWords(owner->annotations, owner->labels)) : own;
  bool job = pod.controller && pod.controller->kind == "Job";
  if (!words.any() && !kueue && !(options.all_jobs && job)) return found;

  found.key = KeyOf(pod, words);
  found.pod_set = words.pod_set.value_or("");
  found.place = words.place.value_or("");
  std::string problem = ProblemOfWords(pod, words, options);
  if (!problem.empty()) return Problem(std::move(found), std::move(problem));
  absl::StatusOr<int32_t> size = FindSize(words, owner);
  if (!size.ok()) return Problem(std::move(found), Message(size.status()));
  absl::StatusOr<int32_t> rank = FindRank(pod, words);
  if (!rank.ok()) return Problem(std::move(found), Message(rank.status()));
  absl::Status rules = ReadRules(pod, words, *size, options, found);
  if (!rules.ok()) return Problem(std::move(found), Message(rules));
  found.kind = Membership::Kind::kMember;
  found.size = *size;
  found.rank = *rank;
  return found;
}

}  // namespace gangplan
