#include "config/reader.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "config/limits.h"
#include "config/node_section.h"
#include "config/object_names.h"
#include "config/provisioning_section.h"
#include "config/resources_section.h"
#include "config/section.h"
#include "config/slurm_topology.h"
#include "config/topology_section.h"
#include "config/tree_file.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kApiVersion = "gangplan.io/v1alpha1";
constexpr std::string_view kKind = "ExtenderConfiguration";

template <typename Enum, size_t kSize>
using Words = std::array<std::pair<std::string_view, Enum>, kSize>;

constexpr Words<ClusterSource, 2> kClusterSources = {
    {{"api", ClusterSource::kApi}, {"file", ClusterSource::kFile}}};
constexpr Words<StartWhen, 2> kStarts = {
    {{"all-members", StartWhen::kAllMembers}, {"first-member", StartWhen::kFirstMember}}};
constexpr Words<JobGroups, 2> kJobs = {
    {{"annotated", JobGroups::kAnnotated}, {"all", JobGroups::kAll}}};
constexpr Words<GateUse, 3> kGates = {{{"none", GateUse::kNone},
                                       {"gangplan", GateUse::kGangplan},
                                       {"gangplan-and-kueue", GateUse::kGangplanAndKueue}}};
constexpr Words<WakeBy, 2> kWakes = {
    {{"nominate", WakeBy::kNominate}, {"annotate", WakeBy::kAnnotate}}};
constexpr Words<LogThreshold, 4> kLogLevels = {{{"debug", LogThreshold::kDebug},
                                                {"info", LogThreshold::kInfo},
                                                {"warn", LogThreshold::kWarn},
                                                {"error", LogThreshold::kError}}};

constexpr Words<EngineStrategy, 3> kStrategies = {{{"auto", EngineStrategy::kAuto},
                                                   {"tas", EngineStrategy::kTas},
                                                   {"exact", EngineStrategy::kExact}}};
constexpr Words<KueueProfile, 4> kProfiles = {
    {{"mixed", KueueProfile::kMixed},
     {"best-fit", KueueProfile::kBestFit},
     {"most-free-capacity", KueueProfile::kMostFreeCapacity},
     {"least-free-capacity", KueueProfile::kLeastFreeCapacity}}};
constexpr Words<Preemption, 3> kPreemption = {
    {{"never", Preemption::kNever},
     {"lower-priority", Preemption::kGangs},
     {"lower-priority-and-pods", Preemption::kGangsAndPods}}};
constexpr Words<FailedRepair, 3> kOnFailure = {{{"wait", FailedRepair::kWait},
                                                {"restart", FailedRepair::kRestart},
                                                {"relax", FailedRepair::kRelax}}};
constexpr Words<QueueOrder, 3> kQueueModes = {{{"greedy", QueueOrder::kGreedy},
                                               {"strict", QueueOrder::kStrict},
                                               {"backfill", QueueOrder::kBackfill}}};
constexpr Words<bool, 2> kFairness = {{{"none", false}, {"namespace", true}}};
constexpr Words<bool, 2> kSwitches = {{{"false", false}, {"true", true}}};
constexpr Words<bool, 2> kStatusWriters = {{{"never", false}, {"auto", true}}};
constexpr Words<bool, 2> kCompatibilities = {{{"fixed", false}, {"exact", true}}};

template <typename Enum, size_t kSize>
void ReadEnum(Section& section, std::string_view key, const Words<Enum, kSize>& words,
              Enum& target) {
  section.ReadWord(key, std::span<const std::pair<std::string_view, Enum>>(words), target);
}

bool IsIpAddress(const std::string& text) {
  in6_addr buffer;
  return inet_pton(AF_INET, text.c_str(), &buffer) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &buffer) == 1;
}

bool IsLoopback(const std::string& text) {
  return IsIpAddress(text) && (text.starts_with("127.") || text == "::1");
}

// `key` must be there and hold exactly `expected`.
void ReadFixed(Section& root, std::string_view key, std::string_view expected) {
  std::string text;
  root.ReadText(key, text);
  if (text != expected) root.Fail(key, fmt::format("{} expected", expected));
}

void ReadCluster(Section section, ClusterSettings& cluster) {
  ReadEnum(section, "source", kClusterSources, cluster.source);
  section.ReadText("kubeconfig", cluster.kubeconfig);
  section.ReadText("file", cluster.file);
  const bool api = cluster.source == ClusterSource::kApi;
  if (!api && !cluster.kubeconfig.empty()) section.Fail("kubeconfig", "only with source: api");
  if (api && !cluster.file.empty()) section.Fail("file", "only with source: file");
  if (!api && cluster.file.empty()) section.Fail("file", "a path expected with source: file");
  section.Finish();
}

// All of it or nothing.
void ReadTls(Section section, TlsSettings& tls) {
  section.ReadText("certificateFile", tls.certificate_file);
  section.ReadText("keyFile", tls.key_file);
  section.ReadText("clientCAFile", tls.client_ca_file);
  section.ReadTextList("allowedNames", 0, kMaxTlsNames, tls.allowed_names);
  const std::pair<std::string_view, bool> given[] = {
      {"certificateFile", !tls.certificate_file.empty()},
      {"keyFile", !tls.key_file.empty()},
      {"clientCAFile", !tls.client_ca_file.empty()},
      {"allowedNames", !tls.allowed_names.empty()}};
  const bool any =
      std::any_of(std::begin(given), std::end(given), [](const auto& key) { return key.second; });
  for (const auto& [key, there] : given) {
    if (any && !there) section.Fail(key, "needed with the other keys of server.tls");
  }
  section.Finish();
}

void ReadApi(Section section, ApiSettings& api) {
  section.ReadText("address", api.address);
  section.ReadNumber("port", 0, kMaxPort, api.port);
  section.ReadText("certificateFile", api.certificate_file);
  section.ReadText("keyFile", api.key_file);
  if (!IsIpAddress(api.address))
    section.Fail("address", fmt::format("an IP address expected, got \"{}\"", api.address));
  for (const auto& [key, there] : {std::pair("certificateFile", !api.certificate_file.empty()),
                                   std::pair("keyFile", !api.key_file.empty())}) {
    const bool other = !api.certificate_file.empty() || !api.key_file.empty();
    if (!there && other) section.Fail(key, "needed with the other file of server.api");
  }
  section.Finish();
}

void CheckServer(Section& section, const ServerSettings& server) {
  if (!IsLoopback(server.address) && !(server.tls.on() && IsIpAddress(server.address))) {
    section.Fail("address",
                 fmt::format("a loopback address expected (127.0.0.1 or ::1), or, with server.tls, "
                             "an IP address; got \"{}\"",
                             server.address));
  }
  if (!IsIpAddress(server.probe_address)) {
    section.Fail("probeAddress",
                 fmt::format("an IP address expected, got \"{}\"", server.probe_address));
  }
  if (server.port != 0 && server.port == server.probe_port) {
    section.Fail("probePort", fmt::format("another port than the verbs' {} expected", server.port));
  }
  const int api = server.api.on() ? server.api.port : 0;
  if (api != 0 && (api == server.port || api == server.probe_port)) {
    section.Fail("api", fmt::format("a port of its own expected, {} is another listener's", api));
  }
  if (const int most = MostHeldCalls(server.max_connections); server.max_held_calls > most) {
    section.Fail("maxHeldCalls",
                 fmt::format("at most {} expected, the other {} of server.maxConnections ({}) are "
                             "for the other calls; got {}",
                             most, server.max_connections - most, server.max_connections,
                             server.max_held_calls));
  }
  if (server.bind_timeout < kMinBindTimeout) section.Fail("bindTimeout", "at least 10s expected");
}

void ReadServer(Section section, Problems& problems, ServerSettings& server) {
  section.ReadText("address", server.address);
  section.ReadNumber("port", 0, kMaxPort, server.port);
  section.ReadText("probeAddress", server.probe_address);
  section.ReadNumber("probePort", 0, kMaxPort, server.probe_port);
  ReadEnum(section, "verbs", kSwitches, server.verbs);
  section.ReadDuration("bindTimeout", server.bind_timeout);
  section.ReadNumber("maxConnections", 1, kMaxConnectionsLimit, server.max_connections);
  server.max_held_calls = MostHeldCalls(server.max_connections);
  section.ReadNumber("maxHeldCalls", 1, kMaxConnectionsLimit, server.max_held_calls);
  ReadTls(Section(section.Find("tls"), "server.tls", problems), server.tls);
  ReadApi(Section(section.Find("api"), "server.api", problems), server.api);
  CheckServer(section, server);
  section.Finish();
}

void ReadGang(Section section, GangSettings& gang) {
  ReadEnum(section, "startWhen", kStarts, gang.start_when);
  section.ReadDuration("gatherTimeout", gang.gather_timeout);
  if (gang.gather_timeout <= absl::ZeroDuration()) {
    section.Fail("gatherTimeout", "more than 0s expected");
  }
  section.ReadPercent("holdFrom", gang.hold_from_percent);
  section.ReadDuration("readyTimeout", gang.ready_timeout);
  section.Finish();
}

// "*" alone is all of them.
void ReadRankLists(Section section, std::vector<std::string>& namespaces) {
  section.ReadTextList("namespaces", 0, kMaxRankListNamespaces, namespaces);
  for (const std::string& one : namespaces) {
    const bool all = one == "*";
    if (all ? namespaces.size() > 1 : !IsObjectName(one))
      section.Fail("namespaces",
                   fmt::format("\"{}\": expected names of namespaces, or \"*\" alone", one));
  }
  if (namespaces == std::vector<std::string>{"*"}) namespaces = {""};
  section.Finish();
}

// Requests are known by a label with the scheduler's name.
void CheckProvisioning(Section section, const Settings& settings) {
  if (!settings.provisioning.on()) return;
  if (settings.cluster.source != ClusterSource::kApi)
    section.Fail("class", "only with cluster.source: api");
  for (const std::string& name : settings.scheduler_names) {
    if (!IsObjectName(name) || name.size() > kMaxLabelValueBytes)
      section.Fail("class",
                   fmt::format("only where schedulerNames are names of up to {} characters",
                               kMaxLabelValueBytes));
  }
}

void ReadRepair(Section section, RepairSettings& repair) {
  section.ReadDuration("after", repair.after);
  ReadEnum(section, "onFailure", kOnFailure, repair.on_failure);
  section.ReadDuration("timeout", repair.timeout);
  if (repair.timeout <= absl::ZeroDuration()) section.Fail("timeout", "more than 0s expected");
  section.ReadNumber("retries", 1, kMaxRepairRetries, repair.retries);
  section.ReadDuration("readyTimeout", repair.ready_timeout);
  section.Finish();
}

void ReadLimits(Section section, Problems& problems, NamespaceLimits& limits) {
  Section of_namespace(section.Find("namespace"), "limits.namespace", problems);
  of_namespace.ReadNumber("groups", 1, kMaxNamespaceGroups, limits.groups);
  of_namespace.ReadNumber("claimedMembers", 1, kMaxClaimedMembers, limits.claimed_members);
  of_namespace.ReadPercent("vacantShare", limits.vacant_percent);
  of_namespace.Finish();
  section.Finish();
}

void ReadEngines(Section section, Problems& problems, Settings& settings) {
  ReadEnum(section, "strategy", kStrategies, settings.strategy);
  Section words(section.Find("tas"), "engines.tas", problems);
  ReadEnum(words, "profile", kProfiles, settings.tas.profile);
  ReadEnum(words, "balancedPlacement", kSwitches, settings.tas.balanced_placement);
  ReadEnum(words, "preferredNodeAffinity", kSwitches, settings.tas.preferred_affinity);
  ReadEnum(words, "kueueCompatibility", kCompatibilities, settings.tas.kueue_exact);
  words.Finish();
  section.Finish();
}

void ReadGroups(Section groups, Settings& settings) {
  ReadEnum(groups, "jobs", kJobs, settings.jobs);
  ReadEnum(groups, "suspendedJobs", kSwitches, settings.suspended_jobs);
  ReadEnum(groups, "admissionChecks", kSwitches, settings.admission_checks);
  groups.ReadDuration("admissionCheckPatience", settings.admission_check_patience);
  if (settings.admission_check_patience <= absl::ZeroDuration())
    groups.Fail("admissionCheckPatience", "more than 0s expected");
  groups.ReadDuration("admissionCheckRejectAfter", settings.admission_check_reject_after);
  if (settings.admission_check_reject_after <= absl::ZeroDuration())
    groups.Fail("admissionCheckRejectAfter", "more than 0s expected");
  ReadEnum(groups, "gates", kGates, settings.gates);
  ReadEnum(groups, "sakkara", kSwitches, settings.sakkara_groups);
  ReadEnum(groups, "podGroupStatus", kStatusWriters, settings.pod_group_status);
  groups.Finish();
}

Settings ReadRoot(const YamlNode& node, Problems& problems) {
  Settings settings;
  Section root(&node, "", problems);
  ReadFixed(root, "apiVersion", kApiVersion);
  ReadFixed(root, "kind", kKind);
  const auto section = [&](std::string_view key) {
    return Section(root.Find(key), std::string(key), problems);
  };
  ReadCluster(section("cluster"), settings.cluster);
  ReadServer(section("server"), problems, settings.server);
  root.ReadTextList("schedulerNames", 1, kMaxSchedulerNames, settings.scheduler_names);
  ReadNodes(section("nodes"), problems, settings.nodes);
  ReadTopologies(root, problems, settings);
  ReadGang(section("gang"), settings.gang);
  ReadLimits(section("limits"), problems, settings.namespace_limits);
  ReadEngines(section("engines"), problems, settings);
  Section waiting = section("waiting");
  waiting.ReadNumber("rejectMax", 0, kMaxRejectMax, settings.reject_max);
  waiting.Finish();
  ReadGroups(section("groups"), settings);
  const bool starts = settings.suspended_jobs || settings.gates != GateUse::kNone;
  if (!settings.server.verbs && !starts) {
    section("server").Fail("verbs",
                           "with false nobody would be placed: groups.suspendedJobs: true, or "
                           "groups.gates other than none, expected beside it");
  }
  Section queue = section("queue");
  ReadEnum(queue, "mode", kQueueModes, settings.queue_mode);
  ReadEnum(queue, "fairness", kFairness, settings.queue_fair);
  queue.Finish();
  Section reservations = section("reservations");
  reservations.ReadText("namespace", settings.reservations);
  if (!settings.reservations.empty() && !IsObjectName(settings.reservations))
    reservations.Fail("namespace", "the name of a namespace expected");
  reservations.Finish();
  ReadRankLists(section("rankLists"), settings.rank_lists);
  ReadResources(section("resources"), settings.excluded_resources);
  ReadProvisioning(section("provisioning"), problems, settings.provisioning);
  CheckProvisioning(section("provisioning"), settings);
  ReadEnum(root, "preemption", kPreemption, settings.preemption);
  ReadEnum(root, "wake", kWakes, settings.wake);
  ReadRepair(section("repair"), settings.repair);
  if (settings.server.api.on() && settings.cluster.source != ClusterSource::kApi)
    section("server").Fail("api", "only with cluster.source: api, whose server asks it");
  Section leader = section("leader");
  leader.ReadText("lease", settings.lease);
  if (!settings.lease.empty() && !IsObjectInNamespace(settings.lease))
    leader.Fail("lease", "NAMESPACE/NAME expected");
  if (!settings.lease.empty() && settings.cluster.source != ClusterSource::kApi)
    leader.Fail("lease", "only with cluster.source: api");
  leader.Finish();
  Section log = section("log");
  ReadEnum(log, "level", kLogLevels, settings.log_level);
  log.Finish();
  root.Finish();
  return settings;
}

// An empty text is an empty node.
absl::StatusOr<YamlNode> ParseOne(std::string_view text, std::string_view file_name) {
  // The sections tell of repeated keys, with their paths and beside all other problems.
  constexpr YamlRules kYamlRules = {kMaxConfigBytes, kMaxConfigDepth, kMaxConfigNodes, false, true};
  GANGPLAN_ASSIGN_OR_RETURN(std::vector<YamlNode> documents,
                            ParseYaml(text, kYamlRules, fmt::format("{}:", file_name)));
  if (documents.empty()) return YamlNode();
  if (documents.size() == 1) return std::move(documents.front());
  return Invalid("{}:{}: one document expected, a second follows", file_name, documents[1].line);
}

// One byte more than allowed shows what is too large.
absl::StatusOr<std::string> ReadUpTo(const std::string& path, size_t most) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Invalid("{}: cannot be opened: {}", path, std::strerror(errno));
  std::string text(most + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Invalid("{}: cannot be read", path);
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

// Holds one element of each list, so that reading it asks for every key.
constexpr std::string_view kEveryList =
    "{topologies: [{levels: [{}], nodes: {matchExpressions: [{}]}}], "
    "nodes: {matchExpressions: [{}]}}";

}  // namespace

absl::StatusOr<Settings> ReadSettings(std::string_view text, std::string_view file_name) {
  GANGPLAN_ASSIGN_OR_RETURN(const YamlNode root, ParseOne(text, file_name));
  Problems problems;
  Settings settings = ReadRoot(root, problems);
  if (!problems.empty()) return problems.ToStatus(file_name);
  return settings;
}

absl::StatusOr<Settings> ReadSettingsFile(const std::string& path) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::string text, ReadUpTo(path, kMaxConfigBytes));
  GANGPLAN_ASSIGN_OR_RETURN(Settings settings, ReadSettings(text, path));
  GANGPLAN_RETURN_IF_ERROR(ReadTopologyFiles(settings));
  return settings;
}

// They are read again while others wait: a pipe, which might never end, is no file.
absl::Status ReadTopologyFiles(Settings& settings) {
  for (TopologySettings& topology : settings.topologies) {
    if (!topology.in_file()) continue;
    std::error_code error;
    const bool there = std::filesystem::exists(topology.file, error);
    if (there && !std::filesystem::is_regular_file(topology.file, error))
      return Invalid("{}: a file expected", topology.file);
    GANGPLAN_ASSIGN_OR_RETURN(const std::string text, ReadUpTo(topology.file, kMaxTopologyBytes));
    GANGPLAN_ASSIGN_OR_RETURN(NodePaths paths, topology.source == TopologySource::kSlurm
                                                   ? ReadSlurmTopology(text, topology.file)
                                                   : ReadTreeFile(text, topology.file));
    GANGPLAN_ASSIGN_OR_RETURN(Topology levels, TopologyOf(paths, topology.name));
    topology.levels = std::move(levels.levels);
    topology.paths = std::make_shared<const NodePaths>(std::move(paths));
  }
  return absl::OkStatus();
}

std::vector<std::string> SettingKeys() {
  Problems problems;
  const absl::StatusOr<YamlNode> root = ParseOne(kEveryList, "");
  ReadRoot(*root, problems);
  return {problems.keys().begin(), problems.keys().end()};
}

}  // namespace gangplan
