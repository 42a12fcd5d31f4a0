#include "config/reader.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fmt/format.h"
#include "tests/config/config_text.h"

namespace gangplan::reader_test {
namespace {

TEST_CASE("A file with the head alone keeps every default") {
  const Settings settings = MustRead("");
  CHECK(settings.cluster.source == ClusterSource::kApi);
  CHECK(settings.server.port == 10290);
  CHECK(settings.scheduler_names == std::vector<std::string>{"gangplan"});
  CHECK(settings.topologies.size() == 1);
  CHECK_FALSE(settings.suspended_jobs);
  CHECK(settings.server.verbs);
  CHECK(settings.gates == GateUse::kNone);
}

TEST_CASE("Nodes are picked by labels and by expressions, in their order") {
  const Settings settings = MustRead(R"(
nodes:
  matchLabels: {pool: a, example.com/tier: ""}
  matchExpressions: [{key: gpu, operator: Exists}, {key: z, operator: NotIn, values: [x, y]}]
)");
  CHECK(ScopeText(settings.nodes) == "pool=a,example.com/tier=,gpu,z notin (x,y)");
}

TEST_CASE("Every key changes its own setting") {
  const Settings settings = MustRead(R"(
cluster: {source: file, file: /tmp/cluster.json}
server:
  address: 10.0.0.2
  port: 0
  probeAddress: "::"
  probePort: 65535
  bindTimeout: 1m30s
  verbs: false
  maxConnections: 1000
  maxHeldCalls: 3
  tls: {certificateFile: a.pem, keyFile: a.key, clientCAFile: ca.pem, allowedNames: [s, t]}
schedulerNames: [one, two]
topologies: [{name: racks, levels: [{name: rack, label: example.com/rack}]}]
gang: {startWhen: first-member, gatherTimeout: 1h30m, holdFrom: 100%}
limits: {namespace: {groups: 1, claimedMembers: 2, vacantShare: 0%}}
engines: {strategy: exact, tas: {profile: most-free-capacity}}
waiting: {rejectMax: 0}
groups: {jobs: all, suspendedJobs: true, admissionChecks: true, admissionCheckPatience: 7m,
         admissionCheckRejectAfter: 8m, gates: gangplan-and-kueue}
queue: {mode: strict}
wake: annotate
log: {level: debug}
)");
  CHECK(settings.cluster.source == ClusterSource::kFile);
  CHECK(settings.cluster.file == "/tmp/cluster.json");
  CHECK(settings.server.address == "10.0.0.2");
  CHECK(settings.server.port == 0);
  CHECK(settings.server.probe_address == "::");
  CHECK(settings.server.probe_port == 65535);
  CHECK_FALSE(settings.server.verbs);
  CHECK(settings.server.bind_timeout == absl::Seconds(90));
  CHECK(settings.server.max_connections == 1000);
  CHECK(settings.server.tls.certificate_file == "a.pem");
  CHECK(settings.server.tls.key_file == "a.key");
  CHECK(settings.server.tls.client_ca_file == "ca.pem");
  CHECK(settings.server.tls.allowed_names == std::vector<std::string>{"s", "t"});
  CHECK(settings.server.max_held_calls == 3);
  CHECK(settings.scheduler_names == std::vector<std::string>{"one", "two"});
  CHECK(settings.topologies[0].name == "racks");
  CHECK(settings.gang.start_when == StartWhen::kFirstMember);
  CHECK(settings.gang.gather_timeout == absl::Minutes(90));
  CHECK(settings.gang.hold_from_percent == 100);
  CHECK(settings.namespace_limits.groups == 1);
  CHECK(settings.namespace_limits.claimed_members == 2);
  CHECK(settings.namespace_limits.vacant_percent == 0);
  CHECK(settings.strategy == EngineStrategy::kExact);
  CHECK(settings.tas.profile == KueueProfile::kMostFreeCapacity);
  CHECK(settings.reject_max == 0);
  CHECK(settings.jobs == JobGroups::kAll);
  CHECK(settings.suspended_jobs);
  CHECK(settings.admission_checks);
  CHECK(settings.admission_check_patience == absl::Minutes(7));
  CHECK(settings.admission_check_reject_after == absl::Minutes(8));
  CHECK(settings.gates == GateUse::kGangplanAndKueue);
  CHECK(settings.queue_mode == QueueOrder::kStrict);
  CHECK(settings.wake == WakeBy::kAnnotate);
  CHECK(settings.log_level == LogThreshold::kDebug);
}

TEST_CASE("The other words of a key are kept") {
  CHECK(MustRead("engines: {strategy: tas}\n").strategy == EngineStrategy::kTas);
  CHECK(MustRead("queue: {mode: backfill}\n").queue_mode == QueueOrder::kBackfill);
  CHECK_FALSE(MustRead("queue: {fairness: none}\n").queue_fair);
  CHECK(MustRead("queue: {fairness: namespace}\n").queue_fair);
}

TEST_CASE("The schedulers' Lease is kept") {
  CHECK(MustRead("leader: {lease: kube-system/sched}\n").lease == "kube-system/sched");
}

TEST_CASE("How long a node may not be ready is kept") {
  CHECK(MustRead("repair: {after: 30s}\n").repair.after == absl::Seconds(30));
}

TEST_CASE("What becomes of gangs that no repair makes whole is kept") {
  const RepairSettings repair =
      MustRead("repair: {onFailure: restart, timeout: 90s, retries: 7}\n").repair;
  CHECK(repair.on_failure == FailedRepair::kRestart);
  CHECK(repair.timeout == absl::Seconds(90));
  CHECK(repair.retries == 7);
}

TEST_CASE("What has lost its room may go anywhere, where that is said") {
  CHECK(MustRead("repair: {onFailure: relax}\n").repair.on_failure == FailedRepair::kRelax);
}

TEST_CASE("How long gangs may not be ready is kept") {
  CHECK(MustRead("repair: {readyTimeout: 90s}\n").repair.ready_timeout == absl::Seconds(90));
  CHECK(MustRead("gang: {readyTimeout: 10m}\n").gang.ready_timeout == absl::Minutes(10));
}

TEST_CASE("A kubeconfig path is kept") {
  CHECK(MustRead("cluster: {kubeconfig: /root/config}\n").cluster.kubeconfig == "/root/config");
}

TEST_CASE("Levels without the node get it below them") {
  const Settings settings =
      MustRead("topologies: [{levels: [{name: rack, label: example.com/rack}]}]\n");
  REQUIRE(settings.topologies.size() == 1);
  REQUIRE(settings.topologies[0].levels.size() == 2);
  CHECK(settings.topologies[0].levels[0].name == "rack");
  CHECK(settings.topologies[0].levels[1].label == kHostnameLabel);
}

TEST_CASE("Both free ports may be asked for") {
  const Settings settings = MustRead("server: {port: 0, probePort: 0}\n");
  CHECK(settings.server.probe_port == 0);
}

TEST_CASE("JSON is YAML too") {
  const std::string text =
      R"({"apiVersion": "gangplan.io/v1alpha1",
          "kind": "ExtenderConfiguration", "wake": "annotate"})";
  const absl::StatusOr<Settings> settings = ReadSettings(text, "x.json");
  REQUIRE(settings.ok());
  CHECK(settings->wake == WakeBy::kAnnotate);
}

TEST_CASE("A file that is not there is named") {
  CHECK(Message(ReadSettingsFile("/nonexistent/gangplan.yaml").status()) ==
        "/nonexistent/gangplan.yaml: cannot be opened: No such file or directory");
}

TEST_CASE("Levels may come from a Topology of Kueue, which stands for them by its name") {
  const Settings settings = MustRead("topologies: [{name: racks-1.example, source: kueue}]\n");
  CHECK(settings.topologies[0].source == TopologySource::kKueue);
  REQUIRE(settings.topologies.size() == 1);
  CHECK(settings.topologies[0].name == "racks-1.example");
  REQUIRE(settings.topologies[0].levels.size() == 1);
  CHECK(settings.topologies[0].levels[0].label == kHostnameLabel);
  CHECK(MustRead("topologies: [{source: kueue}]\n").topologies[0].name == "default");
  const Settings sakkara = MustRead("topologies: [{source: sakkara, namespace: admin}]\n");
  CHECK(sakkara.topologies[0].source == TopologySource::kSakkara);
  CHECK(sakkara.topologies[0].ns == "admin");
  CHECK(MustRead("topologies: [{source: sakkara}]\n").topologies[0].ns == "default");
  CHECK_FALSE(sakkara.sakkara_groups);
  CHECK(MustRead("groups: {sakkara: true}\n").sakkara_groups);
  const Settings configured = MustRead("topologies: [{source: config, preset: gke}]\n");
  CHECK(configured.topologies[0].source == TopologySource::kConfig);
  CHECK(configured.topologies[0].levels.size() == 4);
}

TEST_CASE("Several topologies have names, nodes and a default") {
  const Settings settings = MustRead(
      "topologies:\n"
      "- {name: racks, preset: gke, nodes: {matchLabels: {pool: racks}}}\n"
      "- {name: rest, source: kueue, default: true}\n"
      "- {name: rings, source: slurm, file: rings.conf}\n");
  REQUIRE(settings.topologies.size() == 3);
  CHECK(settings.default_topology == 1);
  CHECK(ScopeText(settings.topologies[0].nodes) == "pool=racks");
  CHECK(settings.topologies[1].nodes.all());
  CHECK(settings.topologies[2].nodes == ScopeOfNamed("rings"));
  CHECK(settings.topologies[2].file == "rings.conf");
  CHECK(settings.HasTopologyFrom(TopologySource::kKueue));
  CHECK_FALSE(settings.HasTopologyFrom(TopologySource::kSakkara));
  // Alone it has all nodes, named or not.
  CHECK(MustRead("topologies: [{source: tree, file: x}]\n").topologies[0].nodes.all());
}

TEST_CASE("The file of a topology is read with the configuration, and its mistakes are told") {
  const std::string path = "/tmp/gangplan-rings-" + std::to_string(getpid());
  Settings settings = MustRead("topologies: [{name: rings, source: slurm, file: " + path + "}]\n");
  CHECK(Message(ReadTopologyFiles(settings)) ==
        path + ": cannot be opened: No such file or directory");
  std::ofstream(path) << "SwitchName=x Nodes=n[1-2]\n";
  REQUIRE(ReadTopologyFiles(settings).ok());
  REQUIRE(settings.topologies[0].levels.size() == 2);
  CHECK(settings.topologies[0].levels[0].name == "switch");
  CHECK(settings.topologies[0].paths->nodes.size() == 2);
  std::ofstream(path) << "SwitchName=x\n";
  CHECK(Message(ReadTopologyFiles(settings)) == path + ":1: x: either Nodes or Switches expected");
  CHECK(settings.topologies[0].paths->nodes.size() == 2);
  std::filesystem::remove(path);
  settings.topologies[0].file = "/tmp";
  CHECK(Message(ReadTopologyFiles(settings)) == "/tmp: a file expected");
}

TEST_CASE("The aggregated API has an address and a certificate of its own") {
  const Settings settings = MustRead(R"(
server: {api: {address: 10.0.0.1, port: 7, certificateFile: b.pem, keyFile: b.key}}
)");
  CHECK(settings.server.api.on());
  CHECK(settings.server.api.address == "10.0.0.1");
  CHECK(settings.server.api.port == 7);
  CHECK(settings.server.api.certificate_file == "b.pem");
  CHECK(settings.server.api.key_file == "b.key");
}

TEST_CASE("Requests for nodes: off, and with all that a class takes") {
  CHECK_FALSE(MustRead("").provisioning.on());
  const ProvisioningSettings read =
      MustRead(
          "provisioning: {class: a.b, parameters: {ValidUntilSeconds: \"60\", a: b}, "
          "after: 0s, retries: 0, backOff: 2m, maxBackOff: 2m}\n")
          .provisioning;
  CHECK(read.class_name == "a.b");
  CHECK(read.parameters == LabelSet{{"ValidUntilSeconds", "60"}, {"a", "b"}});
  CHECK(read.after == absl::ZeroDuration());
  CHECK(read.retries == 0);
  CHECK(read.back_off == absl::Minutes(2));
  CHECK(read.max_back_off == absl::Minutes(2));
}

TEST_CASE("Resources that are not counted") {
  CHECK(MustRead("").excluded_resources.empty());
  CHECK(MustRead("resources: {excludeResourcePrefixes: [nvidia.com/gpumem, cpu.example.com]}\n")
            .excluded_resources ==
        std::vector<std::string>{"nvidia.com/gpumem", "cpu.example.com"});
}

TEST_CASE("Namespaces of rank lists: some, or all of them") {
  const auto read = [](std::string_view namespaces) {
    return MustRead(fmt::format("rankLists: {{namespaces: {}}}\n", namespaces)).rank_lists;
  };
  CHECK(read("[]").empty());
  CHECK(read("[ml, sim]") == std::vector<std::string>{"ml", "sim"});
  CHECK(read("['*']") == std::vector<std::string>{""});
}

}  // namespace
}  // namespace gangplan::reader_test
