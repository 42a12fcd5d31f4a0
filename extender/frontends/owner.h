// Whose words stand beside a pod's own, who says how many there are, and which of its owner's pods
// are one gang. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/group_spec.h"
#include "extender/frontends/leader_worker.h"
#include "extender/frontends/named_group.h"
#include "topology/labels.h"
#include "topology/pod_facts.h"

namespace gangplan {

// Who is to be read for the pod: its controller, the JobSet that has made that one, or the PodGroup
// that the pod names (PodGroupOf), whose UID nobody knows: it has NamedUid. No controller has a
// UID with a '/': one that is written so counts for none.
std::optional<OwnerRef> OwnerOf(const PodFacts& pod);
std::string OwnerUidOf(const PodFacts& pod);  // empty: nobody
// It is known by its name alone, so that one run follows another under it.
inline bool IsKnownByName(std::string_view owner_uid) {
  return owner_uid.find('/') != std::string_view::npos;
}
// Of the controller, or of the JobSet that has made that one; empty: the pod has none.
std::string MakerUidOf(const PodFacts& pod);

// In its kind's words it asks for a domain of its own, and then some of the gang's pods are made
// when another one has a node: they cannot wait for each other.
struct ExclusiveDomain {
  const OwnerPodSet* jobs = nullptr;  // of a JobSet, the owner's own; null: of a LeaderWorkerSet
  std::string_view label;             // of which level, of a JobSet; its owner's own
};

// What an owner says of a pod.
struct OwnersShare {
  GroupWords words;  // the pod's own, and the owner's where it has none
  // Kueue's topology words: the pod's own, else those of Kueue's drafts on the owner; null: none.
  const LabelSet* kueue = nullptr;
  std::optional<int64_t> size;  // of the group, where it is no part of a JobSet
  bool owner_read = false;
  Unread unread = Unread::kNo;             // why it was not, where that is known
  std::string fault;                       // OwnerFacts::fault: nobody knows how many there are
  int64_t first_index = 0;                 // of the pods that its owner counts
  const OwnerRef* owner = nullptr;         // whose size it is, where that is known; the facts' own
  bool one_by_one = false;                 // its pods are made each when the one before is ready
  bool at_least = false;                   // OwnerFacts::at_least
  std::optional<absl::Duration> patience;  // Sizing::patience
  // The pod names it, and it stands for the gang: its size is told, or nobody else's is.
  NamedGroup named;
  // It, or another pod of its gang, has named one, and the gang is its owner's: that tells the
  // size.
  bool by_label = false;
  // The pod tells by itself of which gang it is and how large that is, whatever its owner says.
  bool told_by_pod = false;
  std::optional<ExclusiveDomain> exclusive;
  std::optional<SubGroups> sub_groups;   // of a LeaderWorkerSet's replica
  std::optional<int32_t> of_deployment;  // a rollout has made a ReplicaSet a part of so many
  std::optional<int32_t> rank;           // in the pod set, where that is not the owner's index
  // Of a LeaderWorkerSet the replica. Of a JobSet, and likewise of a job of Kubeflow's, but where
  // words name a group or count it: which of its pods are one gang. That is all of them; or those
  // of its one replicated Job of which its words speak; or, where it starts one after the other,
  // those of each.
  std::optional<GroupKey> key;
  std::vector<PodSetCount> pod_sets;
  int32_t pod_set = 0;
  bool leads = false;                   // of a LeaderWorkerSet's replica, where `key` is that
  OwnersList list = OwnersList::kNone;  // whose pod sets these are
  // What is asked for in the words of the named group's system and nobody here reads; empty:
  // nothing.
  std::string unmet;
  // The owner, as it was read, has no such pod set as the pod tells; empty: it has.
  std::string unlisted;
  bool silent = false;  // no word is about this pod

  // The pod names a group, and its pods tell how many of it start at least.
  bool told_least() const {
    return named.at_least && named.count != nullptr && !words.size && !words.pod_sets;
  }
  // The pod names a group, and nobody tells how many there are.
  bool unsized() const {
    return named && named.count == nullptr && !size && !words.size && !words.pod_sets;
  }
  bool speaks() const { return words.any() || kueue != nullptr || by_label || !unlisted.empty(); }
};
// `last` is to come to the pods that were made together with this one: where their owner starts
// anew it is another one each time.
void ComeTo(const PodFacts& pod, PodFacts& last);
// The owner's own pod set that the pod tells to be of; null: of none that it has.
const OwnerPodSet* OwnPodSet(const PodFacts& pod, const OwnerFacts& owner);
// `owner`: null when there is none to read. `all`: a Job without a word is a group, too.
OwnersShare ShareOf(const PodFacts& pod, const OwnerFacts* owner, bool all);

}  // namespace gangplan
