// The few facts that planning needs of a Pod object and of its owner. Pure data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/labels.h"
#include "topology/node_filter.h"
#include "topology/node_preference.h"
#include "topology/pod_affinity.h"
#include "topology/pod_gates.h"
#include "topology/resources.h"

namespace gangplan {

struct OwnerRef {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  friend bool operator==(const OwnerRef&, const OwnerRef&) = default;
};

enum class PodPhase { kPending, kRunning, kSucceeded, kFailed, kUnknown };

// Beyond it nobody counts: ten years.
inline constexpr int64_t kMaxRunSeconds = 315'360'000;

// How long a pod runs at the most, as its object has it; no time is above kMaxRunSeconds.
struct RunTime {
  int64_t started = 0;  // status.startTime, Unix seconds; 0: not yet
  int64_t seconds = 0;  // spec.activeDeadlineSeconds; 0: no limit
  int64_t grace = 30;   // spec.terminationGracePeriodSeconds
  friend bool operator==(const RunTime&, const RunTime&) = default;
};

struct PodFacts {
  std::string uid;
  std::string ns;
  std::string name;
  std::string resource_version;  // as of these facts
  LabelSet labels;
  LabelSet annotations;
  std::string scheduler_name;
  // What others call it within its namespace: spec.hostname, with ".SUBDOMAIN" where it has one;
  // empty: its name.
  std::string host;
  std::string node_name;            // empty: not bound
  std::string nominated_node_name;  // status.nominatedNodeName
  PodPhase phase = PodPhase::kPending;
  bool ready = false;        // its condition Ready is True
  bool terminating = false;  // deletionTimestamp is set
  int64_t created = 0;       // creationTimestamp, Unix seconds; 0: not told
  PodGates gates;            // spec.schedulingGates
  bool applied = false;      // some of its fields by server-side apply
  int32_t priority = 0;
  bool never_preempts = false;  // spec.preemptionPolicy is Never
  RunTime run;
  // The standard pod request (init containers, sidecars, overhead, pod-level resources), plus one
  // of the resource `pods`, plus the ports of the node that it listens on, plus the nodes that it
  // shares with none of its like (implied_resource.h).
  ResourceList requests;
  NodeFilter filter;
  PodAffinity affinity;                        // towards other pods
  std::vector<PreferredTerm> preferred_terms;  // of the node affinity
  std::optional<OwnerRef> controller;          // the owner reference with controller: true
  // spec.schedulingGroup.podGroupName, of kube-scheduler's own gangs; empty: none.
  std::string scheduling_group;
  // Why the scheduler found no node, in its own words; empty: not said, or only by us.
  std::string scheduler_words;
  // What in its object could not be read; empty: nothing. Such a pod has what it takes of its node,
  // as far as that could be read, and no words: it joins no group.
  std::string fault;

  bool gated() const { return gates.any(); }
  bool finished() const { return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed; }
  PodProfile profile() const { return {ns, PackedLabels(labels), affinity}; }
  friend bool operator==(const PodFacts&, const PodFacts&) = default;
};

// Pods that an owner has made alike: by the Jobs of a replicated Job of a JobSet, by a type of its
// replicas.
struct OwnerPodSet {
  std::string name;
  int64_t jobs = 1;
  int64_t each = 1;  // pods of one of them that run together
  // Of the Jobs and of their pods; the pods' win.
  LabelSet labels;
  LabelSet annotations;
  int64_t deadline = 0;  // of each of the Jobs, as OwnerFacts::deadline
  // It is made when the pods of the others are ready, and will be like this one. Nothing: all are
  // made together.
  std::optional<PodFacts> last = {};
  // Their template names a gang of kube-scheduler's own, as PodFacts::scheduling_group.
  bool in_scheduling_group = false;

  int64_t size() const { return jobs * each; }
  friend bool operator==(const OwnerPodSet&, const OwnerPodSet&) = default;
};

// Why nobody knows what an owner says, or one of which another one is a part.
enum class Unread : uint8_t {
  kNo,
  kDenied,
  kGone,
  kUnserved,
  kFaulty,  // its words cannot be read: OwnerFacts::fault
};

// What is read once of a pod's owner: its controller, or the JobSet that has made that.
struct OwnerFacts {
  OwnerRef ref;
  // Of a Job that another owner has made for one of its pods: that one, whose words, pod sets and
  // age these are. Nothing: they are its own.
  std::optional<OwnerRef> part_of;
  // Of one that a pod has made, that pod's UID (of the StatefulSet of a LeaderWorkerSet's workers
  // the leader's); empty: no pod has.
  std::string leader = {};
  Unread unread = Unread::kNo;  // else nothing is known but the two, and the fault
  // What in its object could not be read, for people; empty: nothing. It counts nobody then, and
  // its words are known unless `unread` is kFaulty.
  std::string fault = {};
  std::string ns;
  int64_t created = 0;  // as PodFacts::created
  LabelSet labels;
  LabelSet annotations;
  std::optional<int64_t> size;  // members that run together (Job: min(parallelism, completions))
  // That have still to succeed (Job: completions - succeeded, less the indices that have failed for
  // good).
  std::optional<int64_t> left;
  int64_t first_index = 0;  // of its pods (StatefulSet: spec.ordinals.start)
  // Seconds that it may run, of a Job (spec.activeDeadlineSeconds); 0: nobody has told.
  int64_t deadline = 0;
  // So many start, and more may join them then (a PodGroup).
  bool at_least = false;
  // They start only when the cluster has this free in all (PodGroup: minResources, and its pods).
  ResourceList min_resources = {};
  // Seconds that room is held for those that are missing (PodGroup: scheduleTimeoutSeconds).
  std::optional<int64_t> patience = {};
  // What it asks for in its kind's words and nobody here reads, for people; empty: nothing.
  std::string unmet = {};
  std::vector<OwnerPodSet> pod_sets;  // where it has several; else none
  // They are started one after the other, so that never all of them are there before some run.
  bool in_order = false;
  // Some of it is made when the others are ready (OwnerPodSet::last).
  bool any_last() const {
    return std::any_of(pod_sets.begin(), pod_sets.end(),
                       [](const OwnerPodSet& set) { return set.last.has_value(); });
  }
  // Whose pod sets these are.
  const OwnerRef& whole() const { return part_of ? *part_of : ref; }
  friend bool operator==(const OwnerFacts&, const OwnerFacts&) = default;
};

}  // namespace gangplan
