#include "config/changes.h"

namespace gangplan {
namespace {

template <auto kField>
bool Same(const Settings& a, const Settings& b) {
  return kField(a) == kField(b);
}
template <auto kField>
void Take(Settings& to, const Settings& from) {
  kField(to) = kField(from);
}

template <auto kField>
constexpr KeyRule Live(std::string_view key) {
  return {key, Same<kField>, Take<kField>};
}
template <auto kField>
constexpr KeyRule AtStart(std::string_view key) {
  return {key, Same<kField>, nullptr};
}

// NOLINTBEGIN: one line a key
constexpr KeyRule kRules[] = {AtStart < [](auto& s) -> auto& {return s.cluster.source;
}  // namespace
> ("cluster.source"), AtStart < [](auto& s) -> auto& { return s.cluster.kubeconfig; }
> ("cluster.kubeconfig"), AtStart < [](auto& s) -> auto& { return s.cluster.file; }
> ("cluster.file"), AtStart < [](auto& s) -> auto& { return s.server.address; }
> ("server.address"), AtStart < [](auto& s) -> auto& { return s.server.port; }
> ("server.port"), AtStart < [](auto& s) -> auto& { return s.server.probe_address; }
> ("server.probeAddress"), AtStart < [](auto& s) -> auto& { return s.server.probe_port; }
> ("server.probePort"), AtStart < [](auto& s) -> auto& { return s.server.verbs; }
> ("server.verbs"), AtStart < [](auto& s) -> auto& { return s.server.bind_timeout; }
> ("server.bindTimeout"), AtStart < [](auto& s) -> auto& { return s.server.max_connections; }
> ("server.maxConnections"), AtStart < [](auto& s) -> auto& { return s.server.max_held_calls; }
> ("server.maxHeldCalls"), AtStart < [](auto& s) -> auto& { return s.server.tls; }
> ("server.tls"), AtStart < [](auto& s) -> auto& { return s.server.api; }
> ("server.api"), AtStart < [](auto& s) -> auto& { return s.scheduler_names; }
> ("schedulerNames"), AtStart < [](auto& s) -> auto& { return s.topologies; }
> ("topologies"), AtStart < [](auto& s) -> auto& { return s.topology_source; }
> ("topologies[].source"), AtStart < [](auto& s) -> auto& { return s.topology_namespace; }
> ("topologies[].namespace"), AtStart < [](auto& s) -> auto& { return s.gang.start_when; }
> ("gang.startWhen"), Live < [](auto& s) -> auto& { return s.gang.gather_timeout; }
> ("gang.gatherTimeout"), Live < [](auto& s) -> auto& { return s.gang.hold_from_percent; }
> ("gang.holdFrom"), AtStart < [](auto& s) -> auto& { return s.gang.ready_timeout; }
> ("gang.readyTimeout"), Live < [](auto& s) -> auto& { return s.namespace_limits.groups; }
> ("limits.namespace.groups"), Live < [](auto& s) -> auto& {
  return s.namespace_limits.claimed_members;
}
> ("limits.namespace.claimedMembers"), Live < [](auto& s) -> auto& {
  return s.namespace_limits.vacant_percent;
}
> ("limits.namespace.vacantShare"), Live < [](auto& s) -> auto& { return s.strategy; }
> ("engines.strategy"), Live < [](auto& s) -> auto& { return s.tas.profile; }
> ("engines.tas.profile"), Live < [](auto& s) -> auto& { return s.tas.balanced_placement; }
> ("engines.tas.balancedPlacement"), Live < [](auto& s) -> auto& {
  return s.tas.preferred_affinity;
}
> ("engines.tas.preferredNodeAffinity"), Live < [](auto& s) -> auto& { return s.tas.kueue_exact; }
> ("engines.tas.kueueCompatibility"), Live < [](auto& s) -> auto& { return s.reject_max; }
> ("waiting.rejectMax"), AtStart < [](auto& s) -> auto& { return s.jobs; }
> ("groups.jobs"), AtStart < [](auto& s) -> auto& { return s.suspended_jobs; }
> ("groups.suspendedJobs"), AtStart < [](auto& s) -> auto& { return s.gates; }
> ("groups.gates"), AtStart < [](auto& s) -> auto& { return s.sakkara_groups; }
> ("groups.sakkara"), AtStart < [](auto& s) -> auto& { return s.pod_group_status; }
> ("groups.podGroupStatus"), Live < [](auto& s) -> auto& { return s.queue_mode; }
> ("queue.mode"), Live < [](auto& s) -> auto& { return s.preemption; }
> ("preemption"), AtStart < [](auto& s) -> auto& { return s.wake; }
> ("wake"), Live < [](auto& s) -> auto& { return s.repair.after; }
> ("repair.after"), Live < [](auto& s) -> auto& { return s.repair.on_failure; }
> ("repair.onFailure"), Live < [](auto& s) -> auto& { return s.repair.timeout; }
> ("repair.timeout"), Live < [](auto& s) -> auto& { return s.repair.retries; }
> ("repair.retries"), AtStart < [](auto& s) -> auto& { return s.repair.ready_timeout; }
> ("repair.readyTimeout"), AtStart < [](auto& s) -> auto& { return s.lease; }
> ("leader.lease"), Live < [](auto& s) -> auto& { return s.log_level; }
> ("log.level"),
};  // namespace gangplan
// NOLINTEND

}  // namespace

std::span<const KeyRule> KeyRules() { return kRules; }

std::vector<const KeyRule*> ChangedKeys(const Settings& in_force, const Settings& wanted) {
  std::vector<const KeyRule*> changed;
  for (const KeyRule& rule : kRules) {
    if (!rule.same(in_force, wanted)) changed.push_back(&rule);
  }
  return changed;
}

Settings WithLiveKeys(const Settings& in_force, const Settings& wanted) {
  Settings settings = in_force;
  for (const KeyRule& rule : kRules) {
    if (rule.live()) rule.take(settings, wanted);
  }
  return settings;
}

}  // namespace gangplan
