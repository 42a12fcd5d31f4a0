// Pod, Node, Topology, ConfigMap, Job, owner and admission objects of the Kubernetes API to facts:
// the one decoder for the scheduler's requests, the API server's lists and watches, and saved
// files. SAX, iterative, with limits; only what facts need is kept. Pure; any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/protocol/config_map.h"
#include "topology/admission_rule.h"
#include "topology/job_facts.h"
#include "topology/lease_facts.h"
#include "topology/node_facts.h"
#include "topology/owner_kinds.h"
#include "topology/pod_facts.h"
#include "topology/tree.h"
#include "topology/workload_facts.h"

namespace gangplan {

// `json` is parsed in situ and changed. Errors name the place and what was expected.
absl::StatusOr<NodeFacts> DecodeNode(std::string& json);
// An error when it does not even tell which pod it is; else see PodFacts::fault.
absl::StatusOr<PodFacts> DecodePod(std::string& json);
// A Job (its size, and how many have still to succeed) or a JobSet (its pod sets); any kind gives
// its metadata. An error when it does not even tell which object it is; else see OwnerFacts::fault.
absl::StatusOr<OwnerFacts> DecodeOwner(std::string& json);
// A Job or a JobSet with its templates, as one that is to be planned before it has pods. What is
// wrong in a template is told in the pod's fault: `spec.template.spec.containers[0]...`.
absl::StatusOr<JobFacts> DecodeJob(std::string& json, const OwnerKind& kind = kJobKind);

// Kueue's.
absl::StatusOr<WorkloadFacts> DecodeWorkload(std::string& json);

// One item of a list in which something is wrong: which one, and what. The others are delivered.
struct BadItem {
  std::string name;  // namespace/name, or items[i]
  absl::Status status;
  bool counts = false;   // a bound pod: it is among the pods all the same, with its fault
  std::string uid = {};  // empty when it cannot be read
};

// A NodeList, PodList, TopologyList, ConfigMapList or a `kind: List` of all (kubectl get -o json);
// or a JobList or JobSetList, where default_kind is Job or JobSet: in other lists these are passed
// over.
// Topologies are Kueue's, with their levels as the objects have them (see kueue_topology.h). Of the
// ConfigMaps in a mixed list only those with a label of Sakkara's are ours.
struct ObjectList {
  std::vector<NodeFacts> nodes;
  std::vector<PodFacts> pods;
  std::vector<Topology> topologies;
  std::vector<ConfigMapFacts> config_maps;
  std::vector<JobFacts> jobs;
  std::vector<OwnerFacts> owners;  // of saved clusters alone: see saved_objects.h
  std::vector<AdmissionRule> rules;
  std::vector<LeaseFacts> leases;
  std::vector<WorkloadFacts> workloads;
  std::vector<AdmissionCheckFacts> checks;
  std::vector<BadItem> bad;
  std::string resource_version;
  std::string continue_token;

  bool empty() const {
    return nodes.empty() && pods.empty() && topologies.empty() && config_maps.empty() &&
           jobs.empty() && rules.empty() && leases.empty() && workloads.empty() && checks.empty() &&
           bad.empty();
  }
};
// `default_kind` ("Node", "Pod", "Topology", "ConfigMap", "Job", "JobSet", "LimitRange",
// "RuntimeClass", "PriorityClass", "ResourceFlavor", "Lease", "Workload", "AdmissionCheck"; the
// last three are read in lists of their own only, the four before also in those of any kinds): what
// an item without a kind is, as in a NodeList. Empty: a list of any kinds.
absl::StatusOr<ObjectList> DecodeList(std::string& json, std::string_view default_kind);

// One line of a watch.
struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark, kError };
  Type type = Type::kError;
  std::string resource_version;
  std::string name;             // namespace/name, for messages
  NodeFacts node;               // when default_kind is Node
  PodFacts pod;                 // when default_kind is Pod
  Topology topology;            // when default_kind is Topology
  ConfigMapFacts config_map;    // when default_kind is ConfigMap
  std::optional<JobFacts> job;  // when default_kind is Job or JobSet, and it could be used
  AdmissionRule rule;           // when default_kind is one of those of admission
  LeaseFacts lease;             // when default_kind is Lease
  WorkloadFacts workload;       // when default_kind is Workload
  AdmissionCheckFacts check;    // when default_kind is AdmissionCheck
  int error_code = 0;           // kError: Status.code (410: expired)
  std::string error_message;    // kError: Status.message
  // The object could not be used; type and names are still right. `pod` is filled in all the same
  // when it is bound: it has the fault.
  absl::Status bad;
};
absl::StatusOr<WatchEvent> DecodeWatchEvent(std::string& line, std::string_view default_kind);

}  // namespace gangplan
