#include "extender/app/rights.h"

#include <algorithm>

namespace gangplan {
namespace {

constexpr std::string_view kCore, kBatch = "batch", kApps = "apps", kJobSet = "jobset.x-k8s.io",
                                  kKubeflow = "kubeflow.org", kKueueGroup = "kueue.x-k8s.io";

constexpr Right kCoreRights[] = {{kCore, "nodes", "list watch"},
                                 {kCore, "pods", "get list watch"},
                                 {kCore, "pods/binding", "create"},
                                 {"events.k8s.io", "events", "create"}};
constexpr Right kOwners[] = {
    {kBatch, "jobs", "get"}, {kApps, "statefulsets", "get"}, {kApps, "replicasets", "get"}};
constexpr Right kJobSets[] = {{kJobSet, "jobsets", "get"}};
constexpr Right kKubeflowJobs[] = {
    {kKubeflow, "pytorchjobs", "get"}, {kKubeflow, "tfjobs", "get"},
    {kKubeflow, "xgboostjobs", "get"}, {kKubeflow, "paddlejobs", "get"},
    {kKubeflow, "jaxjobs", "get"},     {kKubeflow, "mpijobs", "get"}};
constexpr Right kRay[] = {{"ray.io", "rayclusters", "get"}};
constexpr Right kPodGroups[] = {{"scheduling.x-k8s.io", "podgroups", "get"},
                                {"scheduling.sigs.k8s.io", "podgroups", "get"},
                                {"scheduling.volcano.sh", "podgroups", "get"},
                                {"scheduling.k8s.io", "podgroups", "get"}};
constexpr Right kPodGroupStatus[] = {{"scheduling.x-k8s.io", "podgroups/status", "patch"}};
constexpr Right kNominations[] = {{kCore, "pods/status", "patch"}};
constexpr Right kWakes[] = {{kCore, "pods", "patch"}};
constexpr Right kGates[] = {{kCore, "pods", "patch"}, {kCore, "pods/eviction", "create"}};
constexpr Right kPreemption[] = {{kCore, "pods", "patch"},
                                 {kCore, "pods/eviction", "create"},
                                 {"policy", "poddisruptionbudgets", "list"},
                                 {kCore, "pods", "delete"}};
constexpr Right kRepair[] = {{kCore, "pods/eviction", "create"}, {kCore, "pods", "delete"}};
constexpr Right kSuspend[] = {{kBatch, "jobs", "list watch patch"},
                              {kBatch, "jobs/status", "patch"}};
constexpr Right kAdmission[] = {{kCore, "limitranges", "list watch"},
                                {"node.k8s.io", "runtimeclasses", "list watch"},
                                {"scheduling.k8s.io", "priorityclasses", "list watch"}};
constexpr Right kAdmissionChecks[] = {{kKueueGroup, "workloads", "get list watch"},
                                      {kKueueGroup, "workloads/status", "patch"},
                                      {kKueueGroup, "admissionchecks", "list watch"},
                                      {kKueueGroup, "admissionchecks/status", "patch"},
                                      {kKueueGroup, "resourceflavors", "list watch"}};
constexpr Right kProvisioning[] = {
    {"autoscaling.x-k8s.io", "provisioningrequests", "get list create delete"},
    {kCore, "podtemplates", "get create"}};
constexpr Right kSuspendJobSets[] = {{kJobSet, "jobsets", "list watch patch"}};
constexpr Right kSakkara[] = {{kCore, "configmaps", "list watch patch"}, {kCore, "pods", "patch"}};
constexpr Right kApi[] = {{"authorization.k8s.io", "subjectaccessreviews", "create"}};
constexpr Right kKueue[] = {{kKueueGroup, "topologies", "list watch"}};
constexpr Right kKueueWorkloads[] = {{kKueueGroup, "workloads", "list watch"}};
// Of one namespace.
constexpr Right kTree[] = {{kCore, "configmaps", "list watch"}};
constexpr Right kReservations[] = {{kCore, "configmaps", "list watch"}};
constexpr Right kRankLists[] = {{kCore, "configmaps", "list watch patch"}};
constexpr Right kLease[] = {{"coordination.k8s.io", "leases", "list watch"}};

constexpr RightsPart kParts[] = {{"core", kCoreRights},
                                 {"owners", kOwners, false},
                                 {"jobsets", kJobSets, false},
                                 {"kubeflow", kKubeflowJobs, false},
                                 {"ray", kRay, false},
                                 {"pod-groups", kPodGroups, false},
                                 {"pod-group-status", kPodGroupStatus, false},
                                 {"nominations", kNominations, false},
                                 {"wakes", kWakes, false},
                                 {"gates", kGates},
                                 {"preemption", kPreemption},
                                 {"repair", kRepair},
                                 {"suspend", kSuspend},
                                 {"admission", kAdmission},
                                 {"admission-checks", kAdmissionChecks, false},
                                 {"suspend-jobsets", kSuspendJobSets, false},
                                 {"provisioning", kProvisioning, false},
                                 {"sakkara", kSakkara},
                                 {"kueue", kKueue},
                                 {"kueue-workloads", kKueueWorkloads, false},
                                 {"api", kApi}};

// Gangs may be evicted for their own good.
bool StartsAnew(const Settings& settings) {
  const absl::Duration ready = std::max(settings.gang.ready_timeout, settings.repair.ready_timeout);
  return settings.repair.on_failure == FailedRepair::kRestart || ready > absl::ZeroDuration();
}

bool IsNeeded(const Settings& settings, std::string_view part) {
  if (part == "nominations") return settings.wake == WakeBy::kNominate;
  if (part == "wakes") return settings.wake == WakeBy::kAnnotate;
  if (part == "gates") return settings.gates != GateUse::kNone;
  if (part == "pod-group-status") return settings.pod_group_status;
  if (part == "preemption")
    return settings.preemption != Preemption::kNever || StartsAnew(settings);
  if (part == "repair") return settings.repair.after > absl::ZeroDuration();
  if (part == "admission") return settings.suspended_jobs || settings.admission_checks;
  if (part == "admission-checks") return settings.admission_checks;
  if (part.starts_with("suspend")) return settings.suspended_jobs;
  if (part == "provisioning") return settings.provisioning.on();
  if (part == "sakkara") return settings.sakkara_groups;
  if (part == "api") return settings.server.api.on();
  if (part == "kueue" || part == "kueue-workloads")
    return settings.HasTopologyFrom(TopologySource::kKueue);
  return true;
}

NeededPart Needed(std::string_view name, std::span<const Right> rights, bool vital,
                  const std::string& ns = {}, const std::string& object = {}) {
  NeededPart part{std::string(name), vital, {}};
  for (const Right& right : rights) {
    const size_t slash = std::min(right.resource.find('/'), right.resource.size());
    Access access{"",
                  std::string(right.group),
                  std::string(right.resource.substr(0, slash)),
                  std::string(right.resource.substr(std::min(slash + 1, right.resource.size()))),
                  ns,
                  object};
    for (std::string_view verbs = right.verbs; !verbs.empty();) {
      const size_t end = std::min(verbs.find(' '), verbs.size());
      access.verb = verbs.substr(0, end);
      part.access.push_back(access);
      verbs.remove_prefix(std::min(end + 1, verbs.size()));
    }
  }
  return part;
}

}  // namespace

std::span<const RightsPart> RightsParts() { return kParts; }

std::vector<NeededPart> NeededParts(const Settings& settings) {
  std::vector<NeededPart> parts;
  for (const RightsPart& part : kParts) {
    if (IsNeeded(settings, part.name)) parts.push_back(Needed(part.name, part.rights, part.vital));
  }
  for (const TopologySettings& topology : settings.topologies) {
    if (topology.source == TopologySource::kSakkara)
      parts.push_back(Needed("tree", kTree, true, topology.ns));
  }
  if (!settings.reservations.empty())
    parts.push_back(Needed("reservations", kReservations, true, settings.reservations));
  for (const std::string& ns : settings.rank_lists)
    parts.push_back(Needed("ranks", kRankLists, false, ns));
  if (const size_t slash = settings.lease.find('/'); slash != std::string::npos) {
    parts.push_back(Needed("leader", kLease, true, settings.lease.substr(0, slash),
                           settings.lease.substr(slash + 1)));
  }
  return parts;
}

}  // namespace gangplan
