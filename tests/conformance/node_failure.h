// When a node counts as failed for a placed group, and which of the group's pods are then to be
// failed so that their controller makes new ones. The rules are those of Kueue's node controller:
//
//   node gone, or without a Ready condition    failed at once
//   not ready, or a NoSchedule or NoExecute    failed once no pod of the group that is bound there
//   taint that the pods there do not tolerate  is alive: neither finished nor being deleted
//   for good
//   otherwise                                  not failed; a mark is taken back
//
// A pod that is pinned to the node by its selector, open, unbound and Pending would wait there for
// ever: it is failed when the node only takes no new pods (NoSchedule), and always when the node is
// there but none of the group's. A node that fails otherwise fails no pod that merely selects it:
// it may come back. What a pod set tolerates is what it says, what the resource flavors that it was
// given say, and what admission checks add. An evicted or finished group gets no marks. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/node_facts.h"
#include "topology/node_filter.h"
#include "topology/pod_facts.h"

namespace gangplan {

inline constexpr int64_t kNodeFailureDelaySeconds = 30;  // of not being ready

// Kueue's gates, with its defaults.
struct NodeFailureGates {
  // Off: a node that is not ready for the delay, or has such a taint, has failed whoever is alive
  // there; before the delay is over nothing is decided, and no stuck pod of its groups is failed.
  bool wait_for_pods = true;
  bool taints = true;                // off: taints fail no node
  bool not_ready_for_delay = false;  // on: not ready for the delay fails a node, with living pods
};

struct ObservedNode {
  struct Ready {
    bool ready = false;
    int64_t seconds_since_change = 0;
  };
  std::string name;
  bool exists = false;
  std::optional<Ready> ready;  // the condition Ready; none: the node has none
  std::vector<Taint> taints;
};

struct TimedToleration {
  Toleration toleration;
  bool for_a_time = false;  // tolerationSeconds is set
};

struct AssignedPodSet {
  std::vector<std::string> nodes;  // where its pods are placed; empty without a host name level
  std::vector<TimedToleration> tolerations;
};

struct AssignedPod {
  std::string node;       // bound there; empty: not bound
  std::string pinned_to;  // host name in its node selector; empty: none
  bool gated = false;     // by Kueue's topology gate
  PodPhase phase = PodPhase::kPending;
  bool terminating = false;
};

struct PlacedGroup {
  bool admitted = false;
  bool evicted = false;
  bool finished = false;
  std::vector<std::string> unhealthy_nodes;  // marked so far
  std::vector<AssignedPodSet> pod_sets;
  std::vector<AssignedPod> pods;
};

struct NodeVerdict {
  enum class Mark {
    kKeep,   // as it is
    kAdd,    // the node has failed for the group
    kClear,  // it has not
    kEvict,  // it has failed while another one is marked: Kueue gives up and evicts
  };
  Mark mark = Mark::kKeep;
  std::vector<size_t> failed_pods;            // places in PlacedGroup::pods, ascending
  std::optional<int64_t> look_again_seconds;  // when time alone may change the verdict
  friend bool operator==(const NodeVerdict&, const NodeVerdict&) = default;
};

NodeVerdict JudgeNode(const ObservedNode& node, const PlacedGroup& group,
                      const NodeFailureGates& gates);

}  // namespace gangplan
