// What the cluster tells: objects as they stand now, and that they are gone. Values, in the order
// of the watch that they come from.
#pragma once

#include <string>
#include <variant>

#include "topology/admission_rule.h"
#include "topology/config_map_facts.h"
#include "topology/job_facts.h"
#include "topology/lease_facts.h"
#include "topology/node_facts.h"
#include "topology/pod_facts.h"
#include "topology/tree.h"
#include "topology/workload_facts.h"

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
// What a ConfigMap is read for: it carries the label of Sakkara's topologies, of its groups, of
// reservations, or of those that are told ranks. One that carries several is told for each.
enum class ConfigMapUse { kSakkaraTopology, kSakkaraGroup, kReservation, kRankList };
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
// A Job or a JobSet is told while it carries kSuspendedLabel with kSuspendedValue. It has that no
// more, cannot be read any more, or is gone.
struct JobLeft {
  std::string uid;
};
// What admission follows no more.
struct AdmissionRuleGone {
  AdmissionRule::Kind kind = AdmissionRule::Kind::kLimitRange;
  std::string ns;
  std::string name;
};
// Of Kueue's: one that it has placed itself is told as it stands (WorkloadFacts), until it has no
// quota and no place any more. What waits for an admission check of ours is told by JobFacts.
struct WorkloadGone {
  std::string name;  // namespace/name
};
struct AdmissionCheckGone {
  std::string name;
};
// A Topology is Kueue's object as it stands, not completed. An AdmissionRule is told where Jobs
// are. A Lease goes to the cluster itself, which tells by it who acts; so do AdmissionChecks, and
// what waits for them, of which it tells JobFacts.
using ClusterEvent =
    std::variant<NodeFacts, NodeDeleted, PodFacts, PodDeleted, Topology, TopologyDeleted,
                 ConfigMapSeen, ConfigMapDeleted, JobFacts, JobLeft, AdmissionRule,
                 AdmissionRuleGone, LeaseFacts, WorkloadFacts, WorkloadGone, AdmissionCheckFacts,
                 AdmissionCheckGone>;

}  // namespace gangplan
