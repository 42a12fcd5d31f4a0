// Which group a pod is of, of which pod sets and as which of them: from our own words on the pod
// and its owner, and from the owner's kind, size and index. Kueue's topology words stand beside
// these. Pure; any thread.
#pragma once

#include "absl/status/status.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/group_spec.h"
#include "extender/frontends/owner.h"
#include "topology/pod_facts.h"
#include "topology/tree.h"

namespace gangplan {

// By its word, else the name that others have for it, else the owner, else the pod alone.
GroupKey KeyOf(const PodFacts& pod, const OwnersShare& share);

// Only its owner, its StatefulSet, tells of which leader the pod is a worker, whatever else it
// says: of a replica of a LeaderWorkerSet whose pods name no PodGroup.
bool AsksForLeader(const PodFacts& pod, const OwnersShare& share);
// Adds to the key of such a replica which run of it the pod is of: the leader's UID. `owner`: null
// where there is none to read. InvalidArgument: nobody can tell.
absl::Status TellRun(const PodFacts& pod, const OwnerFacts* owner, OwnersShare& share);

// InvalidArgument: words that cannot name a group of this topology.
absl::Status CheckIdentity(const PodFacts& pod, const OwnersShare& share, const Topology& topology);

// The pod sets, and the pod's own place among them. InvalidArgument: the word, and what was
// expected.
absl::Status ReadIdentity(const PodFacts& pod, const OwnersShare& share, GroupSpec& spec);

}  // namespace gangplan
