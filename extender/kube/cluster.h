// The cluster beside us: what it tells (ClusterSink) and what we ask of it (Cluster). Two
// implementations: the API server, and a file with bindings in memory. The state of record lives
// there; nothing is kept here.
//
// Thread rule: Cluster's calls may come from any thread and never block on the network: work is
// queued, and `done` runs later on a thread of the cluster's own, exactly once, also on Stop.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "topology/labels.h"
#include "topology/node_facts.h"
#include "topology/pod_facts.h"
#include "topology/tree.h"

namespace gangplan {

struct NodeDeleted {
  std::string name;
};
struct PodDeleted {
  std::string uid;
};
struct TopologyDeleted {
  std::string name;
};
// A Topology is Kueue's object as it stands, not completed.
using ClusterEvent =
    std::variant<NodeFacts, NodeDeleted, PodFacts, PodDeleted, Topology, TopologyDeleted>;

class ClusterSink {
 public:
  virtual ~ClusterSink() = default;
  // Events of one kind (nodes, pods, topologies) in their order; batches keep lock traffic low.
  virtual void OnEvents(std::vector<ClusterEvent> events) = 0;
  // The first full lists of nodes and pods have been delivered, and of topologies where they are
  // watched. Once.
  virtual void OnSynced() = 0;
};

struct PodRef {
  std::string ns;
  std::string name;
  std::string uid;
};

// One Binding to be written, with annotations that land on the pod in the same write.
struct BindingWrite {
  PodRef pod;
  std::string node;
  LabelSet annotations;
  absl::Time not_after;  // never written once this moment has passed
};

enum class BindOutcome {
  kBound,       // proved by a 201, or by a read that shows this pod on this node
  kElsewhere,   // the pod is bound to another node (named in the message)
  kGone,        // the pod does not exist, has another UID, or is being deleted
  kRefused,     // the API server said no; nothing was written
  kNotWritten,  // too late, or stopping; nothing was sent
  kUnknown,     // sent, and no read could tell what became of it
};
struct BindResult {
  BindOutcome outcome = BindOutcome::kUnknown;
  std::string message;
};

// One Kubernetes Event on a pod's owner (or on the pod when it has none).
struct EventNote {
  std::string ns;
  OwnerRef regarding;
  bool warning = false;
  std::string reason;  // CamelCase
  std::string action;
  std::string note;  // cut to 1 kB
};

class Cluster {
 public:
  virtual ~Cluster() = default;
  // Starts to list and watch; `sink` outlives this object's threads.
  virtual absl::Status Start(ClusterSink* sink) = 0;
  // Ends every thread; queued work is answered as not written / Cancelled.
  virtual void Stop() = 0;

  virtual void Bind(BindingWrite write, std::function<void(BindResult)> done) = 0;
  // Reads what became of a Binding whose outcome was kUnknown. kRefused: not bound, and the write
  // is too old to land any more; kUnknown again: ask later.
  virtual void Prove(PodRef pod, std::string node, std::function<void(BindResult)> done) = 0;
  // Sets status.nominatedNodeName. PermissionDenied and Unimplemented tell the caller to fall back
  // on Wake.
  virtual void Nominate(PodRef pod, std::string node, std::function<void(absl::Status)> done) = 0;
  // One annotation patch whose only purpose is the update event that it causes.
  virtual void Wake(PodRef pod, std::function<void(absl::Status)> done) = 0;
  virtual void ReadOwner(std::string ns, OwnerRef owner,
                         std::function<void(absl::StatusOr<OwnerFacts>)> done) = 0;
  virtual void Emit(EventNote note) = 0;

  // Seconds since the last sign of life of the oldest watch; for the metric.
  virtual absl::Duration WatchAge() const = 0;
};

}  // namespace gangplan
