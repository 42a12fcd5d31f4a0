#include "extender/frontends/owner.h"

#include <algorithm>
#include <string>

#include "extender/frontends/kueue/draft_words.h"
#include "extender/frontends/kueue/rules.h"
#include "extender/frontends/leader_worker.h"
#include "extender/frontends/unknown_word.h"
#include "extender/protocol/jobset_words.h"
#include "fmt/format.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

// Which replicas of a job of Kubeflow's a pod is of.
constexpr std::string_view kReplicaType = "training.kubeflow.org/replica-type";

// Of the JobSet that has made the pod's Job; both null where none has.
struct JobSetLabels {
  const std::string* name = nullptr;
  const std::string* uid = nullptr;
};
JobSetLabels JobSetOf(const PodFacts& pod) {
  if (!pod.controller || pod.controller->kind != kJobKind.kind) return {};
  const std::string* name = FindLabel(pod.labels, kJobSetName);
  const std::string* uid = FindLabel(pod.labels, kJobSetUid);
  if (name == nullptr || name->empty() || uid == nullptr || uid->empty()) return {};
  return {name, uid};
}

bool SaysWords(const LabelSet& annotations, const LabelSet& labels) {
  return ReadWords(annotations, labels).any() || HasKueueTopology(annotations) ||
         !UnknownWord(annotations, labels).empty();
}

bool Speaks(const OwnerPodSet& set) { return SaysWords(set.annotations, set.labels); }

bool Counts(const GroupWords& words) {
  return words.group || words.size || words.pod_set || words.pod_sets;
}

// The JobSet as it was made, or as it was started anew so often.
std::string IncarnationOf(const PodFacts& pod, std::string_view uid) {
  const std::string* attempt = FindLabel(pod.labels, kRestartAttempt);
  if (attempt == nullptr || *attempt == "0") return std::string(uid);
  return fmt::format("{}/{}", uid, *attempt);
}

// What the whole JobSet is asked to do, told by one of its templates alone.
GroupWords WordsOfAny(const OwnerFacts& owner) {
  GroupWords words;
  for (const OwnerPodSet& set : owner.pod_sets)
    words = MergeWords(words, ReadWords(set.annotations, set.labels));
  return words;
}

// One replicated Job by itself, or all of them.
void TakePart(const PodFacts& pod, const OwnerFacts& owner, const OwnerPodSet& own, bool whole,
              OwnersShare& share) {
  const OwnerRef& ref = owner.ref;
  const bool all = whole || owner.pod_sets.size() == 1;
  share.key = GroupKey{ref.kind, pod.ns, all ? ref.name : fmt::format("{}-{}", ref.name, own.name),
                       IncarnationOf(pod, ref.uid)};
  for (const OwnerPodSet& set : owner.pod_sets) {
    if (!whole && &set != &own) continue;
    if (&set == &own) share.pod_set = static_cast<int32_t>(share.pod_sets.size());
    // More than any group may have is told as such.
    const auto count = static_cast<int32_t>(std::min<int64_t>(set.size(), INT32_MAX));
    share.pod_sets.push_back({set.name, count});
  }
}

void ReadPodSets(const PodFacts& pod, const OwnerFacts& owner, bool all, OwnersShare& share) {
  const std::string* name =
      FindLabel(pod.labels, owner.ref.kind == kJobSetKind.kind ? kReplicatedJob : kReplicaType);
  const auto own = std::find_if(owner.pod_sets.begin(), owner.pod_sets.end(), [&](const auto& one) {
    return name != nullptr && one.name == *name;
  });
  if (own == owner.pod_sets.end()) return;
  share.words = MergeWords(share.words, ReadWords(own->annotations, own->labels));
  const GroupWords whole_words = ReadWords(owner.annotations, owner.labels);
  share.words = MergeWords(share.words, whole_words);
  share.size = own->each;
  if (Counts(share.words)) return;
  const auto end = owner.pod_sets.end();
  const auto first = std::find_if(owner.pod_sets.begin(), end, Speaks);
  const bool several = first != end && std::find_if(first + 1, end, Speaks) != end;
  const bool of_all = whole_words.any() || HasDraftWords(owner.annotations) || all;
  const bool whole = !owner.in_order && (of_all || several);
  const bool speaks = Speaks(*own) || SaysWords(pod.annotations, pod.labels);
  share.silent = !whole && !of_all && !speaks;
  TakePart(pod, owner, *own, whole, share);
  if (whole && share.kueue == nullptr) share.words = MergeWords(share.words, WordsOfAny(owner));
}

void TakeOwnersWords(const PodFacts& pod, const OwnerFacts& owner, bool all, OwnersShare& share) {
  if (!owner.pod_sets.empty()) return ReadPodSets(pod, owner, all, share);
  share.words = MergeWords(share.words, ReadWords(owner.annotations, owner.labels));
  share.size = owner.size;
  share.one_by_one = owner.in_order;
}

// What counts its pods otherwise leaves the gang the replica's.
void TakeLeaderWorkerGroup(std::optional<LeaderWorkerGroup> group, OwnersShare& share) {
  if (!group || share.words.group) return;
  share.key = std::move(group->key);
  share.exclusive = group->exclusive;
  share.told_by_pod = true;
  share.size.reset();
  if (share.words.size || share.words.pod_sets || share.words.pod_set) return;
  share.pod_sets = std::move(group->pod_sets);
  share.pod_set = group->pod_set;
  share.rank = group->rank;
}

// A name without a size gives way to an owner that tells one, where words make a gang of its pods.
void TakeNamedGroup(const NamedGroup& named, OwnersShare& share) {
  if (!named || share.words.group) return;
  const bool owners = (share.key || share.size) && share.speaks() && !share.silent;
  share.named = named;
  if (share.unsized() && owners) {
    share.named = {};
    return;
  }
  share.told_by_pod = true;
  share.rank.reset();
  share.key.reset();
  share.pod_sets.clear();
  share.pod_set = 0;
  share.size.reset();
  share.silent = false;
}

}  // namespace

std::optional<OwnerRef> OwnerOf(const PodFacts& pod) {
  const JobSetLabels set = JobSetOf(pod);
  if (set.uid == nullptr) return pod.controller;
  return OwnerRef{std::string(kJobSetKind.api_version), std::string(kJobSetKind.kind), *set.name,
                  *set.uid};
}

std::string_view OwnerUidOf(const PodFacts& pod) {
  if (const std::string* uid = JobSetOf(pod).uid; uid != nullptr) return *uid;
  return pod.controller ? std::string_view(pod.controller->uid) : std::string_view();
}

OwnersShare ShareOf(const PodFacts& pod, const OwnerFacts* owner, bool all) {
  OwnersShare share;
  share.words = ReadWords(pod.annotations, pod.labels);
  if (HasKueueTopology(pod.annotations)) share.kueue = &pod.annotations;
  if (owner != nullptr) {
    share.owner_read = true;
    if (share.kueue == nullptr && HasDraftWords(owner->annotations))
      share.kueue = &owner->annotations;
    TakeOwnersWords(pod, *owner, all, share);
  }
  TakeLeaderWorkerGroup(LeaderWorkerGroupOf(pod), share);
  TakeNamedGroup(NamedGroupOf(pod), share);
  return share;
}

}  // namespace gangplan
