#include "extender/protocol/saved_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "extender/protocol/counted_kinds.h"
#include "extender/protocol/json_prune.h"
#include "extender/protocol/koordinator_words.h"
#include "extender/protocol/mpi_words.h"
#include "extender/protocol/spark_words.h"
#include "topology/base/duration.h"
#include "topology/base/json_text.h"
#include "topology/base/text.h"
#include "topology/base/time_text.h"
#include "topology/node_facts.h"

namespace gangplan {
namespace {

constexpr size_t kMaxRankDigits = 6;

bool IsIn(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A truth, nothing, or a number as short as those of ranks: of no name.
bool IsPlain(std::string_view text) {
  if (text == "true" || text == "false" || text == "0.0.0.0") return true;
  return text.size() <= kMaxRankDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string NameFor(std::string_view text, const Rename& rename) {
  return IsPlain(text) ? std::string(text) : rename(text);
}

// "block/rack/node": the names in it.
std::string NamesFor(std::string_view text, const Rename& rename) {
  std::string renamed;
  for (;;) {
    const size_t end = std::min(text.find('/'), text.size());
    renamed += NameFor(text.substr(0, end), rename);
    if (end == text.size()) return renamed;
    renamed += '/';
    text.remove_prefix(end + 1);
  }
}

// "leader=1,workers=8": the names in it, and what is no number where one should be.
std::string PodSetsFor(std::string_view text, const Rename& rename) {
  std::string renamed;
  for (;;) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view entry = text.substr(0, end);
    const size_t equals = std::min(entry.find('='), entry.size());
    renamed += NameFor(Trim(entry.substr(0, equals)), rename);
    if (equals < entry.size()) renamed += '=' + NameFor(Trim(entry.substr(equals + 1)), rename);
    if (end == text.size()) return renamed;
    renamed += ',';
    text.remove_prefix(end + 1);
  }
}

// ["ml/a","ml/b"]
std::string GangsFor(std::string_view text, const Rename& rename) {
  const std::optional<std::vector<std::string>> gangs = GangsNamedIn(text);
  if (!gangs) return NameFor(text, rename);
  JsonText json;
  json.BeginList();
  for (const std::string& gang : *gangs) json.Value(std::string_view(NamesFor(gang, rename)));
  json.EndList();
  return json.Take();
}

bool IsTime(std::string_view text) {
  return ReadGoDuration(text).has_value() || ReadTime(text).has_value();
}

// Labels and annotations of which some values are words that their readers know.
bool IsKnownWord(std::string_view key, std::string_view text) {
  constexpr std::array<std::string_view, 4> kTimes = {
      "gangplan.io/runtime", "gangplan.io/not-before", kMaintenanceWord, kKoordinatorWait};
  constexpr std::array<std::string_view, 2> kStarts = {"all-members", "first-member"};
  constexpr std::array<std::string_view, 7> kRoles = {"launcher", "worker",    "master", "ps",
                                                      "chief",    "evaluator", "server"};
  if (IsIn(key, kTimes)) return IsTime(text);
  if (key == "gangplan.io/start") return IsIn(text, kStarts);
  if (key == kSparkRole) return text == kSparkExecutor || text == kSparkDriver;
  if (key == kMpiJobRole || key == kReplicaType) return IsIn(text, kRoles);
  return key == kRayGroup && text == kRayHead;
}

// Labels and annotations whose values are rules or keys, or the name of a topology, which the
// configuration has; of our prefixes all but those that name groups, their parts, and places.
bool IsRule(std::string_view key) {
  constexpr std::array<std::string_view, 5> kNamingKeys = {
      "gangplan.io/group", "sakkara.group.name", "kueue.x-k8s.io/podset-group-name",
      "kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/queue-name"};
  constexpr std::array<std::string_view, 13> kOwn = {
      "size",          "rank",   "rank-label",    "topology",      "place",
      "pod-set-place", "ranks",  "assigned-rank", "assigned-rung", "wake",
      "suspended",     "pinned", "gang"};
  constexpr std::string_view kOurs = "gangplan.io/", kKueues = "kueue.x-k8s.io/";
  if (IsIn(key, kNamingKeys) || key.starts_with("sakkara.topology")) return false;
  constexpr std::array<std::string_view, 3> kExclusive = {
      "leaderworkerset.sigs.k8s.io/exclusive-topology",
      "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology",
      "alpha.jobset.sigs.k8s.io/exclusive-topology"};
  if (IsIn(key, kExclusive) || key.starts_with("sakkara.")) return true;
  if (key.starts_with(kOurs)) return IsIn(key.substr(kOurs.size()), kOwn);
  if (!key.starts_with(kKueues)) return false;
  const std::string_view name = key.substr(kKueues.size());
  return name.starts_with("podset-") || name.starts_with("pod-index-") ||
         name == "pod-group-total-count" || name == "pod-group-pod-index-label" ||
         name.find("topology") != std::string_view::npos;
}

std::string LabelFor(std::string_view key, std::string_view text, const Rename& rename) {
  constexpr std::array<std::string_view, 2> kPaths = {"gangplan.io/assigned-domain",
                                                      "gangplan.io/evicted-for"};
  if (IsIn(key, kPaths)) return NamesFor(text, rename);
  if (key == "gangplan.io/pod-sets") return PodSetsFor(text, rename);
  if (key == kKoordinatorGroups) return GangsFor(text, rename);
  if (key == "gangplan.io/plan") {  // "NAMESPACE/NAME.7"
    const size_t dot = std::min(text.rfind('.'), text.size());
    return NamesFor(text.substr(0, dot), rename) + std::string(text.substr(dot));
  }
  return IsRule(key) || IsKnownWord(key, text) ? std::string(text) : NameFor(text, rename);
}

// Of a reference to an owner: those of nobody's own making, and those that are counted.
std::string OwnerWordFor(std::string_view key, std::string text) {
  constexpr std::array<std::string_view, 7> kShownKinds = {
      "DaemonSet", "Deployment", "ReplicationController", "CronJob",
      "Node",      "Pod",        "LeaderWorkerSet"};
  const auto counted = [&](const CountedKind& one) {
    return key == "kind" ? text == one.kind : std::string_view(text).starts_with(one.group);
  };
  if (std::any_of(std::begin(kCountedKinds), std::end(kCountedKinds), counted)) return text;
  if (key == "kind") return IsIn(text, kShownKinds) ? text : "Owner";
  const bool core = text.find('/') == std::string::npos;
  return core || text.find("k8s.io/") != std::string::npos ? text : "example.com/v1";
}

// Kubernetes' own; nothing: another one, which its maker may have named after himself.
std::optional<std::string> ConditionWordFor(std::string_view key, std::string text) {
  constexpr std::array<std::string_view, 12> kTypes = {"Ready",
                                                       "PodScheduled",
                                                       "Initialized",
                                                       "ContainersReady",
                                                       "DisruptionTarget",
                                                       "PodReadyToStartContainers",
                                                       "MemoryPressure",
                                                       "DiskPressure",
                                                       "PIDPressure",
                                                       "PodResizePending",
                                                       "PodResizeInProgress",
                                                       "NetworkUnavailable"};
  constexpr std::array<std::string_view, 4> kReasons = {"Unschedulable", "SchedulingGated",
                                                        "Infeasible", "Deferred"};
  if (key == "type" && !IsIn(text, kTypes)) return std::nullopt;
  if (key == "reason" && !IsIn(text, kReasons)) return std::nullopt;
  return text;
}

}  // namespace

std::optional<std::string> Renamed(const SavedKind& kind, JsonPath path, std::string text,
                                   const Rename& rename) {
  constexpr std::array<std::string_view, 4> kLabels = {"labels", "annotations", "matchLabels",
                                                       "nodeSelector"};
  constexpr std::array<std::string_view, 7> kNamingKeys = {
      "namespace", "uid", "nodeName", "nominatedNodeName", "value", "hostIP", "podGroupName"};
  // Nobody plans by these.
  constexpr std::array<std::string_view, 4> kLeftOut = {"message", "generateName", "hostname",
                                                        "subdomain"};
  constexpr std::array<std::string_view, 3> kWords = {"Topology", "PriorityClass", "RuntimeClass"};
  const std::string_view key = KeyAt(path, 0), parent = KeyAt(path, 1);
  if (IsIn(parent, kLabels)) return LabelFor(key, text, rename);
  if (key.empty() && (parent == "values" || parent == "namespaces")) return NameFor(text, rename);
  if (IsIn(key, kLeftOut)) return std::nullopt;
  if (KeyAt(path, 2) == "conditions") return ConditionWordFor(key, std::move(text));
  const bool of_owner = KeyAt(path, 2) == "ownerReferences";
  if (of_owner && (key == "kind" || key == "apiVersion")) return OwnerWordFor(key, std::move(text));
  if (key == "groupName") return text == kRayHead ? text : NameFor(text, rename);
  if (IsIn(key, kNamingKeys)) return NameFor(text, rename);
  if (key != "name" || KeyAt(path, 2) == "schedulingGates") return text;
  const bool own = path.size() == 2;  // metadata.name
  return own && IsIn(kind.kind, kWords) ? text : NameFor(text, rename);
}

}  // namespace gangplan
