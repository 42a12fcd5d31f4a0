#include "config/changes.h"

#include <algorithm>

namespace gangplan {
namespace {

// `field` is stateless: it gives the key's value of settings.
template <typename Field>
constexpr KeyRule AtStart(std::string_view key, Field) {
  return {key, [](const Settings& a, const Settings& b) { return Field{}(a) == Field{}(b); },
          nullptr};
}

template <typename Field>
constexpr KeyRule Live(std::string_view key, Field field) {
  KeyRule rule = AtStart(key, field);
  rule.take = [](Settings& to, const Settings& from) { Field{}(to) = Field{}(from); };
  return rule;
}

bool SameTlsFiles(const Settings& a, const Settings& b) {
  TlsSettings other = b.server.tls;
  other.allowed_names = a.server.tls.allowed_names;
  return a.server.tls == other;
}

// Of other files they are the names after the restart: those in force go with what is open.
bool SameNames(const Settings& a, const Settings& b) {
  return !SameTlsFiles(a, b) || a.server.tls == b.server.tls;
}

void TakeNames(Settings& to, const Settings& from) {
  if (SameTlsFiles(to, from)) to.server.tls.allowed_names = from.server.tls.allowed_names;
}

// But for what their files say.
bool SameTopologies(const Settings& a, const Settings& b) {
  return std::equal(a.topologies.begin(), a.topologies.end(), b.topologies.begin(),
                    b.topologies.end(), [](const TopologySettings& x, const TopologySettings& y) {
                      return x.name == y.name && x.source == y.source && x.ns == y.ns &&
                             x.file == y.file && x.nodes == y.nodes &&
                             (x.in_file() || x.levels == y.levels);
                    });
}

bool SaysTheSame(const TopologySettings& a, const TopologySettings& b) {
  return a.paths == b.paths || (a.paths != nullptr && b.paths != nullptr && *a.paths == *b.paths);
}

// The topology of the same name and file, whatever else is otherwise; null: there is none.
const TopologySettings* OfSameFile(const Settings& settings, const TopologySettings& one) {
  const auto& all = settings.topologies;
  const auto found = std::find_if(all.begin(), all.end(), [&](const TopologySettings& other) {
    return other.name == one.name && other.source == one.source && other.file == one.file;
  });
  return found == all.end() || !one.in_file() ? nullptr : &*found;
}

bool SameFiles(const Settings& a, const Settings& b) {
  return std::all_of(a.topologies.begin(), a.topologies.end(), [&](const TopologySettings& one) {
    const TopologySettings* other = OfSameFile(b, one);
    return other == nullptr || SaysTheSame(one, *other);
  });
}

// Also while other topologies wait for a restart. What a file says as before stays the same object.
void TakeFiles(Settings& to, const Settings& from) {
  for (TopologySettings& one : to.topologies) {
    const TopologySettings* other = OfSameFile(from, one);
    if (other == nullptr || SaysTheSame(one, *other)) continue;
    one.levels = other->levels;
    one.paths = other->paths;
  }
}

#define FIELD(name) \
  [](auto& settings) -> auto& { return settings.name; }
constexpr KeyRule kRules[] = {
    AtStart("cluster.source", FIELD(cluster.source)),
    AtStart("cluster.kubeconfig", FIELD(cluster.kubeconfig)),
    AtStart("cluster.file", FIELD(cluster.file)),
    AtStart("server.address", FIELD(server.address)),
    AtStart("server.port", FIELD(server.port)),
    AtStart("server.probeAddress", FIELD(server.probe_address)),
    AtStart("server.probePort", FIELD(server.probe_port)),
    AtStart("server.verbs", FIELD(server.verbs)),
    AtStart("server.bindTimeout", FIELD(server.bind_timeout)),
    AtStart("server.maxConnections", FIELD(server.max_connections)),
    AtStart("server.maxHeldCalls", FIELD(server.max_held_calls)),
    {"server.tls", SameTlsFiles, nullptr},
    {"server.tls.allowedNames", SameNames, TakeNames},
    AtStart("server.api", FIELD(server.api)),
    AtStart("schedulerNames", FIELD(scheduler_names)),
    AtStart("nodes", FIELD(nodes)),
    {"topologies", SameTopologies, nullptr},
    {"topologies[].file", SameFiles, TakeFiles},
    AtStart("topologies[].default", FIELD(default_topology)),
    AtStart("gang.startWhen", FIELD(gang.start_when)),
    Live("gang.gatherTimeout", FIELD(gang.gather_timeout)),
    Live("gang.holdFrom", FIELD(gang.hold_from_percent)),
    AtStart("gang.readyTimeout", FIELD(gang.ready_timeout)),
    Live("limits.namespace.groups", FIELD(namespace_limits.groups)),
    Live("limits.namespace.claimedMembers", FIELD(namespace_limits.claimed_members)),
    Live("limits.namespace.vacantShare", FIELD(namespace_limits.vacant_percent)),
    Live("engines.strategy", FIELD(strategy)),
    Live("engines.tas.profile", FIELD(tas.profile)),
    Live("engines.tas.balancedPlacement", FIELD(tas.balanced_placement)),
    Live("engines.tas.preferredNodeAffinity", FIELD(tas.preferred_affinity)),
    Live("engines.tas.kueueCompatibility", FIELD(tas.kueue_exact)),
    Live("waiting.rejectMax", FIELD(reject_max)),
    AtStart("groups.jobs", FIELD(jobs)),
    AtStart("groups.suspendedJobs", FIELD(suspended_jobs)),
    AtStart("groups.admissionChecks", FIELD(admission_checks)),
    AtStart("groups.admissionCheckPatience", FIELD(admission_check_patience)),
    AtStart("groups.admissionCheckRejectAfter", FIELD(admission_check_reject_after)),
    AtStart("groups.gates", FIELD(gates)),
    AtStart("groups.sakkara", FIELD(sakkara_groups)),
    AtStart("groups.podGroupStatus", FIELD(pod_group_status)),
    Live("queue.mode", FIELD(queue_mode)),
    Live("queue.fairness", FIELD(queue_fair)),
    AtStart("reservations.namespace", FIELD(reservations)),
    AtStart("rankLists.namespaces", FIELD(rank_lists)),
    AtStart("resources.excludeResourcePrefixes", FIELD(excluded_resources)),
    AtStart("provisioning.class", FIELD(provisioning.class_name)),
    AtStart("provisioning.parameters", FIELD(provisioning.parameters)),
    AtStart("provisioning.after", FIELD(provisioning.after)),
    AtStart("provisioning.retries", FIELD(provisioning.retries)),
    AtStart("provisioning.backOff", FIELD(provisioning.back_off)),
    AtStart("provisioning.maxBackOff", FIELD(provisioning.max_back_off)),
    Live("preemption", FIELD(preemption)),
    AtStart("wake", FIELD(wake)),
    Live("repair.after", FIELD(repair.after)),
    Live("repair.onFailure", FIELD(repair.on_failure)),
    Live("repair.timeout", FIELD(repair.timeout)),
    Live("repair.retries", FIELD(repair.retries)),
    AtStart("repair.readyTimeout", FIELD(repair.ready_timeout)),
    AtStart("leader.lease", FIELD(lease)),
    Live("log.level", FIELD(log_level)),
};
#undef FIELD

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
