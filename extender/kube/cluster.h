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
#include "extender/protocol/config_map.h"
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
// What a ConfigMap is read for: it carries the label of Sakkara's topologies, or of its groups. One
// that carries both is told for both.
enum class ConfigMapUse { kSakkaraTopology, kSakkaraGroup };
// As it stands now. Its resource_version is of the last change that was told, not of the last
// write.
struct ConfigMapSeen {
  ConfigMapUse use = ConfigMapUse::kSakkaraGroup;
  ConfigMapFacts facts;
};
// Or its label was taken away. One that is re-created under its name is only seen, with another
// UID.
struct ConfigMapDeleted {
  ConfigMapUse use = ConfigMapUse::kSakkaraGroup;
  std::string ns;
  std::string name;
};
// A Topology is Kueue's object as it stands, not completed.
using ClusterEvent = std::variant<NodeFacts, NodeDeleted, PodFacts, PodDeleted, Topology,
                                  TopologyDeleted, ConfigMapSeen, ConfigMapDeleted>;

class ClusterSink {
 public:
  virtual ~ClusterSink() = default;
  // Events of one kind (nodes, pods, topologies, ConfigMaps of one use) in their order; batches
  // keep lock traffic low.
  virtual void OnEvents(std::vector<ClusterEvent> events) = 0;
  // The first full lists of nodes and pods have been delivered, and of topologies and ConfigMaps
  // where they are watched. Once.
  virtual void OnSynced() = 0;
};

struct PodRef {
  std::string ns;
  std::string name;
  std::string uid;
};
struct ConfigMapRef {
  std::string ns;
  std::string name;
  std::string uid;
};

// One Binding to be written, with annotations and labels that land on the pod in the same write.
struct BindingWrite {
  PodRef pod;
  std::string node;
  LabelSet annotations;
  absl::Time not_after;  // never written once this moment has passed
  // As annotations do, they replace what the pod has under these keys; Kubernetes before 1.35
  // leaves them out, and says nothing.
  LabelSet labels = {};
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
  // Change the data of a ConfigMap, the labels of a pod; what the patch does not name stays as it
  // is, whoever wrote it. The UID is a precondition. NotFound: the object is gone. Aborted: another
  // one has its name now. PermissionDenied; FailedPrecondition: the server refuses the values.
  // Unavailable, ResourceExhausted (also: too many writes wait): a later write may go through. Two
  // writes of one object that are under way together land in either order.
  virtual void WriteData(ConfigMapRef object, LabelPatch data,
                         std::function<void(absl::Status)> done) = 0;
  virtual void WriteLabels(PodRef pod, LabelPatch labels,
                           std::function<void(absl::Status)> done) = 0;
  virtual void ReadOwner(std::string ns, OwnerRef owner,
                         std::function<void(absl::StatusOr<OwnerFacts>)> done) = 0;
  virtual void Emit(EventNote note) = 0;

  // Seconds since the last sign of life of the oldest watch; for the metric.
  virtual absl::Duration WatchAge() const = 0;
};

}  // namespace gangplan
