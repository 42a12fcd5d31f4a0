// Whose words stand beside a pod's own, who says how many there are, and which of its owner's pods
// are one gang. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/group_spec.h"
#include "extender/frontends/named_group.h"
#include "topology/labels.h"
#include "topology/pod_facts.h"

namespace gangplan {

// Who is to be read for the pod: its controller, or the JobSet that has made that one.
std::optional<OwnerRef> OwnerOf(const PodFacts& pod);
// Its UID, as long as the pod is there; empty: nobody.
std::string_view OwnerUidOf(const PodFacts& pod);

// What an owner says of a pod.
struct OwnersShare {
  GroupWords words;  // the pod's own, and the owner's where it has none
  // Kueue's topology words: the pod's own, else those of Kueue's drafts on the owner; null: none.
  const LabelSet* kueue = nullptr;
  std::optional<int64_t> size;  // of the group, where it is no part of a JobSet
  bool owner_read = false;
  bool one_by_one = false;  // its pods are made each when the one before is ready
  // The pod names it, and it stands for the gang: its size is told, or nobody else's is.
  NamedGroup named;
  // The pod tells by itself of which gang it is and how large that is, whatever its owner says.
  bool told_by_pod = false;
  bool exclusive = false;       // LeaderWorkerGroup::exclusive
  std::optional<int32_t> rank;  // in the pod set, where that is not the owner's index
  // Of a LeaderWorkerSet the replica. Of a JobSet, and likewise of a job of Kubeflow's, but where
  // words name a group or count it: which of its pods are one gang. That is all of them; or those
  // of its one replicated Job of which its words speak; or, where it starts one after the other,
  // those of each.
  std::optional<GroupKey> key;
  std::vector<PodSetCount> pod_sets;
  int32_t pod_set = 0;
  bool silent = false;  // no word is about this pod

  // The pod names a group, and nobody tells how many there are.
  bool unsized() const { return named && named.count == nullptr && !words.size && !words.pod_sets; }
  bool speaks() const { return words.any() || kueue != nullptr; }
};
// `owner`: null when there is none to read. `all`: a Job without a word is a group, too.
OwnersShare ShareOf(const PodFacts& pod, const OwnerFacts* owner, bool all);

}  // namespace gangplan
