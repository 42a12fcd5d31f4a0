// Which group a pod belongs to: from its own words, its owner's, its owner's kind, or the object
// that describes its group. Groups are opt-in: without a word on the pod or its owner a pod is
// foreign (unless every Job is a group). But nobody is silently foreign: a key of ours that is not
// known makes the pod invalid, with a text. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "extender/frontends/group_objects.h"
#include "extender/frontends/group_spec.h"
#include "topology/node_home.h"
#include "topology/pod_facts.h"

namespace gangplan {

struct FindGroupOptions {
  std::vector<std::string> scheduler_names;  // only pods of these are members
  bool all_jobs = false;                     // a Job without a word is a group too
  std::vector<ScopedTopology> topologies;    // one at least
  TopologyIndex default_topology = 0;
  const GroupObjects* objects = nullptr;  // null: groups that objects describe are not read
};

// The pod's scheduler is one of those whose pods are members.
bool NamesUs(const PodFacts& pod, const FindGroupOptions& options);

// Somebody else asks for the nodes that the pod needs, by a request for nodes that it names, or
// that is made of its workload by Kueue.
bool NodesAskedFor(const PodFacts& pod, const OwnerFacts* owner);

// `owner`: null when it was not read (yet); `owner_known`: it was read, or there is none to read.
GroupSpec FindGroup(const PodFacts& pod, const OwnerFacts* owner, bool owner_known,
                    const FindGroupOptions& options);

// Nothing that its owner might say would make another group of it.
bool TellsAll(const PodFacts& pod);

// The pod itself has a word of some front end, a key of ours that is not known, or a label by which
// others name a group of pods: it is not passed as a foreign one before its owner could be read.
bool SpeaksOfGroup(const PodFacts& pod);

}  // namespace gangplan
