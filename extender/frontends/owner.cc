#include "extender/frontends/owner.h"

#include <algorithm>
#include <string>

#include "extender/frontends/kueue/draft_words.h"
#include "extender/frontends/kueue/rules.h"
#include "extender/frontends/unknown_word.h"
#include "extender/protocol/jobset_words.h"
#include "fmt/format.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

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

bool Speaks(const OwnerPodSet& set) {
  return ReadWords(set.annotations, set.labels).any() || HasKueueTopology(set.annotations) ||
         !UnknownWord(set.annotations, set.labels).empty();
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

void ReadJobSet(const PodFacts& pod, const OwnerFacts& owner, bool all, OwnersShare& share) {
  const std::string* name = FindLabel(pod.labels, kReplicatedJob);
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
  share.silent = !whole && !of_all && !Speaks(*own);
  TakePart(pod, owner, *own, whole, share);
  if (whole && share.kueue == nullptr) share.words = MergeWords(share.words, WordsOfAny(owner));
}

void TakeOwnersWords(const PodFacts& pod, const OwnerFacts& owner, bool all, OwnersShare& share) {
  if (!owner.pod_sets.empty()) return ReadJobSet(pod, owner, all, share);
  share.words = MergeWords(share.words, ReadWords(owner.annotations, owner.labels));
  share.size = owner.size;
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
    if (share.kueue == nullptr && HasDraftWords(owner->annotations))
      share.kueue = &owner->annotations;
    TakeOwnersWords(pod, *owner, all, share);
  }
  TakeNamedGroup(NamedGroupOf(pod), share);
  return share;
}

}  // namespace gangplan
