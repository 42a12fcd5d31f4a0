// What an operator may set, typed and with its defaults. The file that sets it is described in
// docs/configuration.md; reader.h makes these values from it. Plain values, made once at start and
// read-only afterwards: const reads from any thread.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "topology/labels.h"
#include "topology/node_home.h"
#include "topology/node_paths.h"
#include "topology/node_scope.h"
#include "topology/pod_gates.h"
#include "topology/tree.h"

namespace gangplan {

enum class ClusterSource {
  kApi,   // a Kubernetes API server
  kFile,  // a saved `kubectl get nodes,pods -A -o json|yaml`, with bindings kept in memory
};

enum class TopologySource {
  kConfig,   // levels or a preset in the file
  kKueue,    // Kueue's Topology object of the topology's name, and what becomes of it
  kSakkara,  // ConfigMaps of Sakkara's users that hold a tree of nodes, and what becomes of them
  kSlurm,    // a file as Slurm's topology.conf, and what becomes of it
  kTree,     // a file of ours that holds a tree of nodes, and what becomes of it
};

// One of the topologies that a gang may go by, complete (see CompleteTopology). From an object: the
// node alone, until that is read.
struct TopologySettings : ScopedTopology {
  TopologySource source = TopologySource::kConfig;
  std::string ns = "default";  // with kSakkara: of the topology ConfigMaps
  std::string file = {};       // with kSlurm and kTree: a path
  // What that says, once it was read; its levels are those of the topology.
  std::shared_ptr<const NodePaths> paths = {};

  bool in_file() const {
    return source == TopologySource::kSlurm || source == TopologySource::kTree;
  }
};

enum class StartWhen {
  kAllMembers,   // nobody starts before the group is whole
  kFirstMember,  // each member starts as it comes
};

enum class JobGroups {
  kAnnotated,  // a Job without a word of ours is no group
  kAll,        // every Job with parallelism above one is a group
};

enum class WakeBy {
  kNominate,  // a nomination in the pod's status
  kAnnotate,  // an annotation, for servers before 1.32
};

enum class LogThreshold { kDebug, kInfo, kWarn, kError };

struct ClusterSettings {
  ClusterSource source = ClusterSource::kApi;
  std::string kubeconfig;  // path; empty means the credentials inside a cluster
  std::string file;        // path of the saved cluster, for kFile
};

// Connections that bind calls leave for filter, prioritize and preempt calls, and how many bind
// calls may be open beside them: half, where there are few connections.
inline constexpr int kKeptConnections = 256;
constexpr int MostHeldCalls(int connections) {
  return connections - std::min(kKeptConnections, connections / 2);
}

// Mutual TLS of the verbs' port: all of it or nothing.
struct TlsSettings {
  std::string certificate_file;
  std::string key_file;
  std::string client_ca_file;
  std::vector<std::string> allowed_names;  // common names of clients

  bool on() const { return !certificate_file.empty(); }
  friend bool operator==(const TlsSettings&, const TlsSettings&) = default;
};

// The aggregated API: our certificate, which the APIService trusts. Who calls is the API server's
// own business.
struct ApiSettings {
  std::string address = "::";  // the API server calls from elsewhere
  int port = 10292;            // 0 means any free port
  std::string certificate_file;
  std::string key_file;

  bool on() const { return !certificate_file.empty(); }
  friend bool operator==(const ApiSettings&, const ApiSettings&) = default;
};

struct ServerSettings {
  std::string address = "127.0.0.1";  // of the verbs; loopback, but under TLS
  int port = 10290;                   // 0 means any free port
  std::string probe_address = "127.0.0.1";
  int probe_port = 10291;
  bool verbs = true;  // false: no scheduler calls us
  // The httpTimeout of the bind entry in the scheduler's configuration. Held calls are answered
  // well before it.
  absl::Duration bind_timeout = absl::Seconds(600);
  int max_connections = 10752;
  // Bind calls open at once, one for each member that waits in bind: a larger gang cannot start.
  int max_held_calls = MostHeldCalls(max_connections);
  TlsSettings tls;
  ApiSettings api = {};
};

struct GangSettings {
  StartWhen start_when = StartWhen::kAllMembers;
  absl::Duration gather_timeout = absl::Minutes(5);  // a plan waits this long for missing members
  // Since the start, until a gang of which not all are ready is evicted and rests; zero: it stays.
  absl::Duration ready_timeout = absl::ZeroDuration();
  int hold_from_percent = 10;  // of the members: so many must exist before room is held
};

// What one namespace may ask for, so that nobody else pays for its claims.
struct NamespaceLimits {
  int groups = 2'000;             // known at once
  int claimed_members = 200'000;  // of all its groups, whether their pods exist or not
  int vacant_percent = 25;        // of the cluster: room for members that do not exist yet
};

enum class EngineStrategy {
  kAuto,   // Kueue's words go to `tas`, all others to `exact`
  kTas,    // every group
  kExact,  // every group
};

// Which of Kueue's profiles places (KEP 2724, "Selecting the algorithm").
enum class KueueProfile { kMixed, kBestFit, kMostFreeCapacity, kLeastFreeCapacity };

// Of the engine `tas`.
struct TasSettings {
  KueueProfile profile = KueueProfile::kMixed;
  bool balanced_placement = false;  // preferred: balanced placement is tried first
  bool preferred_affinity = false;  // preferred node affinity chooses among domains
  bool kueue_exact = false;         // Kueue's answers with its defects too
};

// Who may pass whom while gangs wait for room.
enum class QueueOrder {
  kGreedy,    // whoever fits goes
  kStrict,    // nobody passes
  kBackfill,  // who does not delay the first one passes
};

// Gangs that have lost members.
// What becomes of a gang that lacks room for what it has lost.
enum class FailedRepair { kWait, kRestart, kRelax };

// Who gives way to a gang of greater priority that waits for room.
enum class Preemption { kNever, kGangs, kGangsAndPods };

struct RepairSettings {
  absl::Duration after = absl::ZeroDuration();  // a node is not ready; zero: Kubernetes evicts
  FailedRepair on_failure = FailedRepair::kWait;
  absl::Duration timeout = absl::Minutes(5);  // since it has lacked room, until it is
  int retries = 3;                            // of one gang within an hour
  // All of a gang were ready, and are not, until it is evicted and rests; zero: it stays.
  absl::Duration ready_timeout = absl::ZeroDuration();
};

// Requests for nodes, of whoever adds nodes (ProvisioningRequests).
struct ProvisioningSettings {
  std::string class_name;  // of the requests; empty: none are made
  LabelSet parameters;
  absl::Duration after = absl::Minutes(1);     // a gang has lacked room for so long
  int retries = 3;                             // of requests that come to nothing, for one gang
  absl::Duration back_off = absl::Minutes(1);  // before the first retry; then twice as long
  absl::Duration max_back_off = absl::Minutes(30);  // and so on, so long at most

  bool on() const { return !class_name.empty(); }
  friend bool operator==(const ProvisioningSettings&, const ProvisioningSettings&) = default;
};

struct Settings {
  ClusterSettings cluster;
  ServerSettings server;
  std::string lease;  // of the schedulers, NAMESPACE/NAME; empty: there is one Gangplan
  std::vector<std::string> scheduler_names = {"gangplan"};
  NodeScope nodes;  // of the cluster, those that are this Gangplan's
  // One at least, each with a name of its own, and one of them at most without a selector.
  std::vector<TopologySettings> topologies = {
      TopologySettings{{{"default",
                         {{"block", "example.com/block"},
                          {"rack", "example.com/rack"},
                          {"node", std::string(kHostnameLabel)}}}}}};
  size_t default_topology = 0;  // of gangs that do not tell theirs

  bool HasTopologyFrom(TopologySource source) const {
    return std::any_of(topologies.begin(), topologies.end(),
                       [&](const TopologySettings& one) { return one.source == source; });
  }
  GangSettings gang;
  NamespaceLimits namespace_limits;
  EngineStrategy strategy = EngineStrategy::kAuto;
  TasSettings tas;
  int reject_max = 100;  // waiting.rejectMax: ungated waiting pods beyond it are answered by Error
  JobGroups jobs = JobGroups::kAnnotated;
  QueueOrder queue_mode = QueueOrder::kGreedy;
  bool queue_fair = false;   // of gangs of one priority those of the namespace that has least first
  std::string reservations;  // the namespace whose ConfigMaps reserve room; empty: none do
  // The namespaces whose ConfigMaps may be told the ranks of gangs; "" alone: all of them.
  std::vector<std::string> rank_lists = {};
  // Beginnings of names of resources that others than the nodes serve.
  std::vector<std::string> excluded_resources = {};
  ProvisioningSettings provisioning;
  Preemption preemption = Preemption::kNever;
  RepairSettings repair;
  bool suspended_jobs = false;  // Jobs that wait suspended are planned and started
  // Kueue's admission checks that are ours are answered; whose quota is kept for it in vain gives
  // it back after so long.
  bool admission_checks = false;
  absl::Duration admission_check_patience = absl::Minutes(5);
  absl::Duration admission_check_reject_after = absl::Minutes(10);
  GateUse gates = GateUse::kNone;  // which gates of pods are taken away when there is room
  bool sakkara_groups = false;     // groups that ConfigMaps of Sakkara's users describe
  bool pod_group_status = true;    // of PodGroups of coscheduling, where nobody else writes it
  WakeBy wake = WakeBy::kNominate;
  LogThreshold log_level = LogThreshold::kInfo;
};

}  // namespace gangplan
