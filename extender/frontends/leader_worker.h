// Pods of a LeaderWorkerSet: each of its replicas is a gang by itself, a leader and its workers,
// and its pods tell all of that but one thing: whether they are of this run of the replica or of
// the last one. Names, labels and templates are the same when the set is made again, or when a
// leader is deleted; the leader's UID is another one, and the StatefulSet that makes its workers is
// the leader's. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/frontends/group_spec.h"
#include "topology/pod_facts.h"

namespace gangplan {

// The label with the name of the set that a pod is of.
inline constexpr std::string_view kLeaderWorkerSet = "leaderworkerset.sigs.k8s.io/name";
inline constexpr std::string_view kExclusiveTopology =
    "leaderworkerset.sigs.k8s.io/exclusive-topology";

inline constexpr std::string_view kSubGroupTopology =
    "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology";

// Each so many pods of a replica, by their index, have a domain of the label for themselves.
struct SubGroups {
  std::string label;
  int32_t size = 0;
};

struct LeaderWorkerGroup {
  // By the set, the replica's index, and the revision of the templates: during a rollout two of
  // them stand side by side. Of which run, TellRun adds.
  GroupKey key;
  // "leader" and "workers"; or one without a name where Kueue's words ask for slices of both and do
  // not tell the two apart, as Kueue takes them then. Of no members where the pod's size is none.
  std::vector<PodSetCount> pod_sets;
  int32_t pod_set = 0;
  // In its pod set; nothing: the pod's index is it, as it stands, or as Kueue's words shift it.
  std::optional<int32_t> rank;
  // It asks for a domain of its own in its kind's words: then the workers are made when the leader
  // has a node, so they cannot wait for each other.
  bool exclusive = false;
  std::optional<SubGroups> sub_groups;  // of a replica of several pods
  bool leads = false;                   // the pod is the leader
};

inline constexpr std::string_view kLeaderWorkerKind = "LeaderWorkerSet";
// The gang is a replica of one.
inline bool IsReplica(const GroupKey& key) { return key.kind == kLeaderWorkerKind; }
// The UID of the pod that leads it, as TellRun has added it. REQUIRES: IsReplica.
inline std::string_view LeaderOf(const GroupKey& key) {
  const std::string_view whole = key.incarnation;
  return whole.substr(whole.rfind('/') + 1);  // the whole where there is none
}

// Nothing: the pod is of none.
std::optional<LeaderWorkerGroup> LeaderWorkerGroupOf(const PodFacts& pod);

}  // namespace gangplan
