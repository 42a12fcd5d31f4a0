// The few facts that planning needs of a Pod object and of its owner. Pure data.
#pragma once

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
  std::string node_name;            // empty: not bound
  std::string nominated_node_name;  // status.nominatedNodeName
  PodPhase phase = PodPhase::kPending;
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

// Pods that an owner has made by Jobs alike: a replicated Job of a JobSet.
struct OwnerPodSet {
  std::string name;
  int64_t jobs = 1;
  int64_t each = 1;  // pods of one of them that run together
  // Of the Jobs and of their pods; the pods' win.
  LabelSet labels;
  LabelSet annotations;
  int64_t deadline = 0;  // of each of the Jobs, as OwnerFacts::deadline

  int64_t size() const { return jobs * each; }
  friend bool operator==(const OwnerPodSet&, const OwnerPodSet&) = default;
};

// What is read once of a pod's owner: its controller, or the JobSet that has made that.
struct OwnerFacts {
  OwnerRef ref;
  std::string ns;
  int64_t created = 0;  // as PodFacts::created
  LabelSet labels;
  LabelSet annotations;
  std::optional<int64_t> size;  // members that run together (Job: min(parallelism, completions))
  std::optional<int64_t> left;  // that have not succeeded yet (Job: completions - succeeded)
  // Seconds that it may run, of a Job (spec.activeDeadlineSeconds); 0: nobody has told.
  int64_t deadline = 0;
  std::vector<OwnerPodSet> pod_sets;  // of a JobSet, those that have pods; else none
  // They are started one after the other, so that never all of them are there before some run.
  bool in_order = false;
  friend bool operator==(const OwnerFacts&, const OwnerFacts&) = default;
};

}  // namespace gangplan
