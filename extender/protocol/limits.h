// Every limit on what comes as JSON from a scheduler, an API server or a file. Constants only. Each
// is tested at its value and one beyond. A limit that is passed is an error that names the place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "topology/model.h"
#include "topology/tree.h"

namespace gangplan {

// --- Texts.
inline constexpr size_t kMaxRequestBytes = size_t{64} << 20;  // a scheduler's request
inline constexpr size_t kMaxObjectBytes = size_t{16} << 20;   // one object, or one line of a watch
inline constexpr size_t kMaxListBytes = size_t{512} << 20;    // a list, or a saved file
inline constexpr size_t kMaxListHeadBytes =
    4'096;                                   // of a list, in which its metadata is looked for
inline constexpr size_t kMaxJsonDepth = 64;  // of what is read
// Of what nobody reads: beyond what an API server takes, which is 10,000, so that no object of
// anybody's makes a list or a watch an error.
inline constexpr size_t kMaxSkippedDepth = 20'000;

// --- Names and words. Kubernetes' own limits, where it has one.
inline constexpr size_t kMaxNameBytes = 253;
inline constexpr size_t kMaxHolderBytes = 512;  // of a Lease: a host's name and what follows it
inline constexpr size_t kMaxUidBytes = 128;
inline constexpr size_t kMaxTokenBytes = 64;   // phases, operators, effects, policies
inline constexpr size_t kMaxKeyBytes = 317;    // prefix, slash, name: labels, taints, resources
inline constexpr size_t kMaxValueBytes = 253;  // labels, taints, selectors
inline constexpr size_t kMaxAnnotationBytes = 4'096;  // of one that is kept
inline constexpr size_t kMaxMessageBytes = 32'768;    // Status.message, continue tokens
inline constexpr size_t kMaxSchedulerWords = 512;     // of a pod's condition; what is more is cut

inline constexpr size_t kMaxTopologyLabelBytes = 316;  // of a level of a Kueue Topology

// --- Counts of a request.
inline constexpr size_t kMaxOfferedNodes = kMaxNodes;
inline constexpr size_t kMaxVictimsPerNode = 10'000;

// --- Counts of a list.
inline constexpr size_t kMaxListItems = 1'000'000;

// --- Counts of what a server says that it serves.
inline constexpr size_t kMaxServedKinds = 4'096;   // of one version of a group
inline constexpr size_t kMaxServedVersions = 256;  // of a group

// --- Counts of an object.
inline constexpr size_t kMaxLabels = 1'024;  // also annotations, all of them, and a node selector
inline constexpr size_t kMaxOwners = 64;
inline constexpr size_t kMaxManagers = 65'536;  // of the fields of an object
inline constexpr size_t kMaxContainers = 512;   // of each of the two lists, and their statuses
inline constexpr size_t kMaxResources = 256;    // in one list of amounts
// Of a pod, with the ports of its node: each is one more number of every node that it may be put
// on.
inline constexpr size_t kMaxPodResources = 320;
inline constexpr size_t kMaxPorts = 1'024;  // of one container
inline constexpr size_t kMaxTolerations = 1'024;
inline constexpr size_t kMaxTaints = 1'024;
inline constexpr size_t kMaxGates = 64;
inline constexpr size_t kMaxLimits = 64;  // of a LimitRange
inline constexpr size_t kMaxConditions = 256;
inline constexpr size_t kMaxReplicatedJobs = 256;  // of a JobSet
inline constexpr size_t kMaxWorkloadPodSets = 64;  // of Kueue's, which has 18 at the most
inline constexpr size_t kMaxWorkloadChecks = 64;   // likewise, 8
// Of the nodes or racks that Kueue has given to one Workload, and of the text of their names: they
// stand in fewer bytes than they are.
inline constexpr size_t kMaxWorkloadDomains = 16'384;
inline constexpr size_t kMaxWorkloadDomainBytes = size_t{4} << 20;
inline constexpr size_t kMaxWorkloadSlices = 1'000;  // likewise Kueue's
// Of a group of pods each one owns its Workload: more than an object has place for.
inline constexpr size_t kMaxWorkloadOwners = 16'384;
inline constexpr size_t kMaxSelectorTerms = 256;  // required or preferred
inline constexpr size_t kMaxRequirements = 256;   // of one term, labels and fields apart
inline constexpr size_t kMaxRequirementValues = 4'096;
// Of all terms together, the required ones and the preferred ones apart: each is held against every
// node, those on labels value by value; the node selector counts with the labels of the required
// ones. Of a pod that stands on a node already what is beyond is no error, and not kept.
inline constexpr size_t kMaxNodeRequirements = 512;
inline constexpr size_t kMaxNodeLabels = 64;
inline constexpr size_t kMaxNodeValues = 8'192;
// Required terms of the affinity towards pods, or of the anti-affinity; and the bytes of one term's
// words. What is beyond them is not modelled and no error.
inline constexpr size_t kMaxPodTerms = 16;
inline constexpr size_t kMaxPodTermBytes = 4'096;

// --- ConfigMaps, and Sakkara's words in them. A tree is also bound by kMaxLevels and kMaxNodes.
inline constexpr size_t kMaxConfigMapBytes = size_t{1} << 20;  // one value; the API's own limit
inline constexpr size_t kMaxConfigMapEntries = 1'024;
inline constexpr size_t kMaxSakkaraLevelNames = kMaxLevels + 1;  // the topmost may be the root's
inline constexpr size_t kMaxSakkaraRules = 64;                   // levels with constraints
inline constexpr size_t kMaxSakkaraProblems = 100;  // told one by one, the rest counted

}  // namespace gangplan
