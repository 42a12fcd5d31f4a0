#include "extender/frontends/owner.h"

#include <algorithm>
#include <string>

#include "extender/frontends/kueue/draft_words.h"
#include "extender/frontends/kueue/rules.h"
#include "extender/frontends/leader_worker.h"
#include "extender/frontends/limits.h"
#include "extender/frontends/unknown_word.h"
#include "extender/protocol/counted_kinds.h"
#include "extender/protocol/jobset_words.h"
#include "extender/protocol/mpi_words.h"
#include "fmt/format.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

// By which its pods tell of which part of it they are; empty: by none.
std::string_view PartLabelOf(const OwnerFacts& owner) {
  const OwnerRef& ref = owner.whole();
  const CountedKind* kind = FindCountedKind(ref.api_version, ref.kind);
  return kind == nullptr ? std::string_view() : kind->part_label;
}

const std::string* PartOf(const PodFacts& pod, const OwnerFacts& owner) {
  const std::string_view label = PartLabelOf(owner);
  return label.empty() ? nullptr : FindLabel(pod.labels, label);
}

// By the name of an MPIJob's worker. Its label of the index counts from 0, or from 1 where the
// launcher is a worker, too, as its operator's version has it.
std::optional<int32_t> MpiRankOf(const PodFacts& pod, const OwnerFacts& owner) {
  const std::string prefix = fmt::format("{}-worker-", owner.whole().name);
  if (owner.whole().kind != kMpiJobKind || !pod.name.starts_with(prefix)) return std::nullopt;
  const auto rank = ParseCount("", pod.name.substr(prefix.size()), 0, kMaxGroupSize - 1);
  return rank.ok() ? std::optional<int32_t>(*rank) : std::nullopt;
}

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
  if (IsKnownByName(*uid)) return {};
  return {name, uid};
}

// Its controller, or the JobSet that has made that one.
std::optional<OwnerRef> MakerOf(const PodFacts& pod) {
  const JobSetLabels set = JobSetOf(pod);
  if (set.uid != nullptr) {
    return OwnerRef{std::string(kJobSetKind.api_version), std::string(kJobSetKind.kind), *set.name,
                    *set.uid};
  }
  if (pod.controller && IsKnownByName(pod.controller->uid)) return std::nullopt;
  return pod.controller;
}

bool SaysWords(const LabelSet& annotations, const LabelSet& labels) {
  return ReadWords(annotations, labels).any() || HasKueueTopology(annotations) ||
         !UnknownWord(annotations, labels).empty();
}

// With the label of a PodGroup, or the field by which pods name kube-scheduler's own.
bool Labelled(const OwnerPodSet& set) {
  return set.in_scheduling_group || NamesPodGroup(set.annotations, set.labels);
}

bool Speaks(const OwnerPodSet& set) {
  return SaysWords(set.annotations, set.labels) || Labelled(set);
}

bool Counts(const GroupWords& words) {
  return words.group || words.size || words.pod_set || words.pod_sets;
}

// The JobSet as it was made, or as it was started anew so often.
std::string IncarnationOf(const PodFacts& pod, std::string_view uid) {
  const std::string* attempt = FindLabel(pod.labels, kRestartAttempt);
  if (attempt == nullptr || *attempt == "0") return std::string(uid);
  return fmt::format("{}/{}", uid, *attempt);
}

// What the whole JobSet is asked to do, told by one of its templates alone: but for what is about
// that one, who its pods are, what their ranks are and where it may go by itself.
GroupWords WordsOfAny(const OwnerFacts& owner) {
  GroupWords words;
  for (const OwnerPodSet& set : owner.pod_sets)
    words = MergeWords(words, ReadWords(set.annotations, set.labels));
  words.group.reset();
  words.size.reset();
  words.pod_set.reset();
  words.pod_sets.reset();
  words.rank.reset();
  words.rank_label.reset();
  words.pod_set_place.reset();
  return words;
}

// The owner's own words. Not all of its pod sets may have the label that its ranks stand in.
GroupWords WordsOfWhole(const PodFacts& pod, const OwnerFacts& owner) {
  GroupWords words = ReadWords(owner.annotations, owner.labels);
  const auto& rank = words.rank_label;
  const bool there = rank && (FindLabel(pod.labels, *rank) != nullptr ||
                              FindLabel(pod.annotations, *rank) != nullptr);
  if (!there) words.rank_label.reset();
  return words;
}

// One replicated Job by itself, or all of them. Whose gang it is hangs on no size: these change.
void TakePart(const PodFacts& pod, const OwnerFacts& owner, const OwnerPodSet& own, bool whole,
              OwnersShare& share) {
  const OwnerRef& ref = owner.whole();
  const bool all = whole || owner.pod_sets.size() == 1;
  share.list = whole ? OwnersList::kWhole : OwnersList::kPart;
  share.key = GroupKey{ref.kind, pod.ns, all ? ref.name : fmt::format("{}-{}", ref.name, own.name),
                       IncarnationOf(pod, ref.uid)};
  for (const OwnerPodSet& set : owner.pod_sets) {
    if (!whole && &set != &own) continue;
    if (&set == &own) share.pod_set = static_cast<int32_t>(share.pod_sets.size());
    // More than any group may have is told as such.
    const auto count = static_cast<int32_t>(std::clamp<int64_t>(set.size(), 0, INT32_MAX));
    share.pod_sets.push_back({set.name, count});
  }
}

// More than one of its templates has words.
bool SeveralSpeak(const OwnerFacts& owner) {
  const auto end = owner.pod_sets.end();
  const auto first = std::find_if(owner.pod_sets.begin(), end, Speaks);
  return first != end && std::find_if(first + 1, end, Speaks) != end;
}

std::string UnlistedText(const OwnerRef& owner, std::string_view set) {
  return fmt::format("{} {}: had no pods of \"{}\" when it was read; it is read again", owner.kind,
                     owner.name, Shown(set));
}

// By the label that its owner's kind goes by, which the pod may lack.
std::string WhyUnlisted(const PodFacts& pod, const OwnerFacts& owner) {
  const OwnerRef& ref = owner.whole();
  if (const std::string* name = PartOf(pod, owner)) return UnlistedText(ref, *name);
  return fmt::format(
      "{} {}: the pod has no label {}, by which its pods tell what part of it they are; expected "
      "that, or {} and {} on its pods",
      ref.kind, ref.name, PartLabelOf(owner), kGroupWord, kSizeWord);
}

// The owner has more pod sets by now than when it was read, or its controller labels pods
// otherwise: the pod is of its gang all the same, and waits there until that is known.
void TakeUnlisted(const PodFacts& pod, const OwnerFacts& owner, bool all, OwnersShare& share) {
  const GroupWords whole = WordsOfWhole(pod, owner);
  share.words = MergeWords(share.words, whole);
  if (Counts(share.words)) return;
  const bool of_all = whole.any() || HasDraftWords(owner.annotations) || all;
  if (!of_all && !SeveralSpeak(owner) && !SaysWords(pod.annotations, pod.labels)) return;
  const OwnerRef& ref = owner.whole();
  share.key = GroupKey{ref.kind, pod.ns, ref.name, IncarnationOf(pod, ref.uid)};
  share.unlisted = WhyUnlisted(pod, owner);
}

// Of the pod set, or else of the whole JobSet.
const std::string* WordOf(const OwnerFacts& owner, const OwnerPodSet& set, std::string_view key) {
  const std::string* word = FindLabel(set.annotations, key);
  return word != nullptr ? word : FindLabel(owner.annotations, key);
}

// The first of the gang's pod sets whose Jobs are held back.
void TakeExclusive(const OwnerFacts& owner, const OwnerPodSet& own, bool whole,
                   OwnersShare& share) {
  for (const OwnerPodSet& set : owner.pod_sets) {
    if (!whole && &set != &own) continue;
    const std::string* label = WordOf(owner, set, kJobSetExclusive);
    const bool labelled = WordOf(owner, set, kJobSetNodeSelector) != nullptr;
    if (label == nullptr || labelled || set.each < 2) continue;
    share.exclusive = ExclusiveDomain{&set, *label};
    return;
  }
}

// `labelled`: it names a PodGroup by a label or a field, which its own template may have, or
// whoever adds it to all pods.
void ReadPodSets(const PodFacts& pod, const OwnerFacts& owner, bool all_jobs, bool labelled,
                 OwnersShare& share) {
  const OwnerPodSet* own = OwnPodSet(pod, owner);
  if (own == nullptr) return TakeUnlisted(pod, owner, all_jobs || labelled, share);
  share.words = MergeWords(share.words, ReadWords(own->annotations, own->labels));
  const GroupWords whole_words = WordsOfWhole(pod, owner);
  share.words = MergeWords(share.words, whole_words);
  share.size = own->each;
  share.rank = MpiRankOf(pod, owner);
  const bool of_all = whole_words.any() || HasDraftWords(owner.annotations) || all_jobs ||
                      (labelled && !Labelled(*own));
  const bool whole = !owner.in_order && (of_all || SeveralSpeak(owner));
  TakeExclusive(owner, *own, whole, share);
  if (Counts(share.words)) return;
  const bool speaks = Speaks(*own) || SaysWords(pod.annotations, pod.labels);
  share.silent = !whole && !of_all && !speaks;
  TakePart(pod, owner, *own, whole, share);
  if (own->size() == 0 && !share.silent) share.unlisted = UnlistedText(owner.whole(), own->name);
  share.by_label = whole && std::any_of(owner.pod_sets.begin(), owner.pod_sets.end(), Labelled);
  if (whole && share.kueue == nullptr) share.words = MergeWords(share.words, WordsOfAny(owner));
}

// A Deployment's controller tells its ReplicaSets how many it has, while these have some.
std::optional<int32_t> PartOfDeployment(const OwnerFacts& owner) {
  const std::string* desired =
      FindLabel(owner.annotations, "deployment.kubernetes.io/desired-replicas");
  if (desired == nullptr || !owner.size) return std::nullopt;
  const absl::StatusOr<int32_t> all = ParseCount("", *desired, 1, kMaxGroupSize);
  return all.ok() && *owner.size < *all ? std::optional(*all) : std::nullopt;
}

void TakeOwnersWords(const PodFacts& pod, const OwnerFacts& owner, bool all_jobs, bool labelled,
                     OwnersShare& share) {
  if (!owner.pod_sets.empty()) return ReadPodSets(pod, owner, all_jobs, labelled, share);
  share.words = MergeWords(share.words, ReadWords(owner.annotations, owner.labels));
  share.size = owner.size;
  share.of_deployment = PartOfDeployment(owner);
  share.first_index = owner.first_index;
  share.one_by_one = owner.in_order;
  share.at_least = owner.at_least;
  if (owner.patience) share.patience = std::min(absl::Seconds(*owner.patience), kMaxPatience);
}

// LeaderWorkerSet writes PodGroups of Volcano itself, of 1 where it makes the workers when the
// leader is ready (startupPolicy: LeaderReady). Empty: it makes them together with the leader, as
// far as that is told.
std::string WhyNeverWhole(const OwnersShare& share, const LeaderWorkerGroup& group) {
  const bool told = share.owner_read && share.owner->api_version == kVolcanoPodGroup;
  if (!told || share.size != 1 || MembersOf(group.pod_sets) < 2) return {};
  return fmt::format(
      "Volcano PodGroup {}: 1 of {} pods starts, and the workers are made when the leader is "
      "ready, so they never wait for each other; expected {}: first-member and {} on both "
      "templates",
      share.owner->name, MembersOf(group.pod_sets), kStartWord, kSizeWord);
}

// What counts its pods otherwise leaves the gang the replica's.
void TakeLeaderWorkerGroup(std::optional<LeaderWorkerGroup> group, OwnersShare& share) {
  if (group) share.sub_groups = std::move(group->sub_groups);
  if (!group || share.words.group) return;
  share.key = std::move(group->key);
  share.leads = group->leads;
  if (group->exclusive) share.exclusive = ExclusiveDomain();
  share.told_by_pod = true;
  const std::string never_whole = WhyNeverWhole(share, *group);
  share.size.reset();
  share.at_least = false;
  share.patience.reset();
  if (share.words.size || share.words.pod_sets || share.words.pod_set) return;
  share.unmet = never_whole;
  share.pod_sets = std::move(group->pod_sets);
  share.pod_set = group->pod_set;
  share.rank = group->rank;
}

// A name without a size gives way to an owner that tells one, where words make a gang of its pods:
// a PodGroup's is such a word.
void TakeNamedGroup(const NamedGroup& named, OwnersShare& share) {
  if (!named || share.words.group) return;
  const bool label = named.object != nullptr;
  // One of kube-scheduler's own without a gang's policy is none.
  const bool native = label && named.object->api_version == kNativePodGroup;
  if (native && share.owner_read && share.owner->kind == kPodGroupKind && !share.size) return;
  const bool owners = (share.key || share.size) && (share.speaks() || label) && !share.silent;
  const bool unsized = named.count == nullptr && !share.words.size && !share.words.pod_sets;
  if (unsized && owners && !share.at_least) {
    share.by_label = label;
    return;
  }
  share.named = named;
  if (named.patience) share.patience = named.patience;
  if (share.at_least && share.size) return;
  share.told_by_pod = true;
  share.rank.reset();
  share.key.reset();
  share.pod_sets.clear();
  share.pod_set = 0;
  share.size.reset();
  share.unlisted.clear();
  share.silent = false;
}

}  // namespace

std::optional<OwnerRef> OwnerOf(const PodFacts& pod) {
  if (std::optional<OwnerRef> group = PodGroupOf(pod)) return group;
  return MakerOf(pod);
}

std::string OwnerUidOf(const PodFacts& pod) {
  const std::optional<OwnerRef> owner = OwnerOf(pod);
  return owner ? owner->uid : std::string();
}

std::string MakerUidOf(const PodFacts& pod) {
  const std::optional<OwnerRef> maker = MakerOf(pod);
  return maker ? maker->uid : std::string();
}

const OwnerPodSet* OwnPodSet(const PodFacts& pod, const OwnerFacts& owner) {
  const std::string* name = PartOf(pod, owner);
  if (name == nullptr) return nullptr;
  const auto own = std::find_if(owner.pod_sets.begin(), owner.pod_sets.end(),
                                [&](const OwnerPodSet& one) { return one.name == *name; });
  return own == owner.pod_sets.end() ? nullptr : &*own;
}

void ComeTo(const PodFacts& pod, PodFacts& last) {
  const std::string* attempt = FindLabel(pod.labels, kRestartAttempt);
  if (attempt != nullptr) SetLabel(last.labels, kRestartAttempt, *attempt);
}

OwnersShare ShareOf(const PodFacts& pod, const OwnerFacts* owner, bool all) {
  OwnersShare share;
  const NamedGroup named = NamedGroupOf(pod);
  share.words = ReadWords(pod.annotations, pod.labels);
  if (HasKueueTopology(pod.annotations)) share.kueue = &pod.annotations;
  if (owner != nullptr) share.owner = &owner->whole();
  if (owner != nullptr) share.unread = owner->unread;
  if (owner != nullptr) share.fault = owner->fault;
  if (owner != nullptr && owner->unread == Unread::kNo) {
    share.owner_read = true;
    if (share.kueue == nullptr && HasDraftWords(owner->annotations))
      share.kueue = &owner->annotations;
    TakeOwnersWords(pod, *owner, all, named.object != nullptr, share);
  }
  TakeLeaderWorkerGroup(LeaderWorkerGroupOf(pod), share);
  TakeNamedGroup(named, share);
  if (share.named)
    share.unmet = UnmetOf(named, pod, share.at_least && share.owner_read ? owner : nullptr);
  return share;
}

}  // namespace gangplan
