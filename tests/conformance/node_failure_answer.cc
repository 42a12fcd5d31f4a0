#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "extender/frontends/kueue/words.h"
#include "tests/conformance/assignment.h"
#include "tests/conformance/handlers.h"
#include "tests/conformance/kubernetes_json.h"
#include "tests/conformance/node_failure.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/tree.h"

namespace gangplan::conformance {
namespace {

constexpr std::string_view kWorkloadAnnotation = "kueue.x-k8s.io/workload";
constexpr std::array<std::string_view, 5> kTopologyWords = {
    kKueueRequired, kKueuePreferred, kKueueUnconstrained, kKueueSliceLevel, kKueueSliceLayers};
constexpr std::string_view kTopologyGate = "kueue.x-k8s.io/topology";

struct Workload {
  std::string name;  // without the namespace
  std::vector<std::string> pod_set_names;
  std::vector<std::string> pod_names;
  PlacedGroup group;
};

struct NodeFailureCase {
  NodeFailureGates gates;
  std::vector<ObservedNode> nodes;
  std::vector<Workload> workloads;
  std::vector<std::string> nodes_to_judge;
};

NodeFailureGates ReadGates(const JsonCursor& json) {
  NodeFailureGates gates;
  gates.wait_for_pods = json.BoolOr("TASReplaceNodeOnPodTermination", gates.wait_for_pods);
  gates.taints = json.BoolOr("TASReplaceNodeOnNodeTaints", gates.taints);
  gates.not_ready_for_delay =
      json.BoolOr("TASReplaceNodeDueToNotReadyOverFixedTime", gates.not_ready_for_delay);
  return gates;
}

ObservedNode ReadNode(const JsonCursor& json) {
  ObservedNode node;
  node.name = json.At("name").Text();
  node.exists = true;
  node.taints = ReadTaints(json, "taints");
  if (json.Has("ready_condition")) {
    const JsonCursor ready = json.At("ready_condition");
    node.ready = {ready.At("status").Text() == "True", ready.At("seconds_since_change").Floor()};
  }
  return node;
}

using Tolerations = std::vector<TimedToleration>;

Tolerations ReadTimedTolerations(const JsonCursor& owner) {
  Tolerations tolerations;
  owner.ForEachIn("tolerations", [&](const JsonCursor& json) {
    tolerations.push_back({ReadToleration(json), json.Has("tolerationSeconds")});
  });
  return tolerations;
}

// The nodes of an assignment whose last level is the host name.
std::vector<std::string> ReadNodes(const JsonCursor& json) {
  std::vector<std::string> nodes;
  const Assignment assignment = ReadAssignment(json);
  if (assignment.levels.empty() || assignment.levels.back() != kHostnameLabel) return nodes;
  for (const DomainCount& domain : assignment.domains)
    if (!domain.values.empty() && domain.count > 0) nodes.push_back(domain.values.back());
  return nodes;
}

void Add(const Tolerations& more, Tolerations& tolerations) {
  tolerations.insert(tolerations.end(), more.begin(), more.end());
}

// By the name of the flavor.
std::map<std::string, Tolerations> ReadFlavors(const JsonCursor& json) {
  std::map<std::string, Tolerations> flavors;
  json.ForEachIn("resource_flavors", [&](const JsonCursor& flavor) {
    flavors[flavor.At("name").Text()] = ReadTimedTolerations(flavor);
  });
  return flavors;
}

// What admission checks add to the pod sets.
void ReadUpdates(const JsonCursor& json, Workload& workload) {
  json.ForEachIn("pod_set_updates", [&](const JsonCursor& update) {
    const auto& names = workload.pod_set_names;
    const auto name = std::find(names.begin(), names.end(), update.At("name").Text());
    if (name == names.end()) return update.At("name").Expected("one of the pod sets");
    Add(ReadTimedTolerations(update),
        workload.group.pod_sets[static_cast<size_t>(name - names.begin())].tolerations);
  });
}

void ReadAdmission(const JsonCursor& json, const std::map<std::string, Tolerations>& flavors,
                   Workload& workload) {
  json.ForEachIn("pod_sets", [&](const JsonCursor& assigned) {
    const auto& names = workload.pod_set_names;
    const auto name = std::find(names.begin(), names.end(), assigned.At("pod_set").Text());
    if (name == names.end()) return assigned.At("pod_set").Expected("one of the pod sets");
    AssignedPodSet& set = workload.group.pod_sets[static_cast<size_t>(name - names.begin())];
    for (const auto& [resource, flavor] : ReadLabels(assigned.At("flavors"))) {
      if (const auto known = flavors.find(flavor); known != flavors.end())
        Add(known->second, set.tolerations);
    }
    if (assigned.Has("assignment")) set.nodes = ReadNodes(assigned.At("assignment"));
  });
}

Workload ReadWorkload(const JsonCursor& json, const std::map<std::string, Tolerations>& flavors) {
  Workload workload;
  const std::string full_name = json.At("name").Text();
  workload.name = full_name.substr(full_name.find('/') + 1);
  workload.group.admitted = json.BoolOr("admitted", false);
  workload.group.evicted = json.BoolOr("evicted", false);
  workload.group.finished = json.BoolOr("finished", false);
  if (json.Has("unhealthy_nodes"))
    workload.group.unhealthy_nodes = json.At("unhealthy_nodes").Texts();
  json.At("pod_sets").ForEach([&](const JsonCursor& pod_set) {
    workload.pod_set_names.push_back(pod_set.At("name").Text());
    workload.group.pod_sets.push_back({{}, ReadTimedTolerations(pod_set)});
  });
  if (json.Has("admission")) ReadAdmission(json.At("admission"), flavors, workload);
  json.ForEachIn("admission_checks",
                 [&](const JsonCursor& check) { ReadUpdates(check, workload); });
  return workload;
}

PodPhase ReadPhase(const JsonCursor& json) {
  const std::string phase = json.Text();
  if (phase == "Running") return PodPhase::kRunning;
  if (phase == "Succeeded") return PodPhase::kSucceeded;
  if (phase == "Failed") return PodPhase::kFailed;
  if (phase == "Unknown") return PodPhase::kUnknown;
  if (phase != "Pending" && !phase.empty()) json.Expected("a phase");
  return PodPhase::kPending;
}

void ReadPod(const JsonCursor& json, std::vector<Workload>& workloads) {
  const LabelSet annotations = ReadLabels(json.At("annotations"));
  const LabelSet selector = ReadLabels(json.At("node_selector"));
  const std::vector<std::string> gates = json.At("gates").Texts();
  const std::string* workload = FindLabel(annotations, kWorkloadAnnotation);
  const std::string* host = FindLabel(selector, kHostnameLabel);
  AssignedPod pod;
  pod.node = json.TextOr("node", "");
  const bool asks = std::any_of(kTopologyWords.begin(), kTopologyWords.end(),
                                [&](auto word) { return FindLabel(annotations, word) != nullptr; });
  if (host != nullptr && asks) pod.pinned_to = *host;
  pod.gated = std::find(gates.begin(), gates.end(), kTopologyGate) != gates.end();
  pod.phase = ReadPhase(json.At("phase"));
  pod.terminating = json.BoolOr("deleting", false);
  for (Workload& owner : workloads) {
    if (workload == nullptr || owner.name != *workload) continue;
    owner.pod_names.push_back(json.At("name").Text());
    owner.group.pods.push_back(pod);
  }
}

absl::StatusOr<NodeFailureCase> ReadNodeFailureCase(const rapidjson::Value& value) {
  absl::Status error;
  const JsonCursor json(value, "case", error);
  NodeFailureCase result;
  if (json.Has("gates_set")) result.gates = ReadGates(json.At("gates_set"));
  json.At("nodes").ForEach([&](const JsonCursor& node) { result.nodes.push_back(ReadNode(node)); });
  const std::map<std::string, Tolerations> flavors = ReadFlavors(json);
  json.At("workloads").ForEach([&](const JsonCursor& workload) {
    result.workloads.push_back(ReadWorkload(workload, flavors));
  });
  json.At("pods").ForEach([&](const JsonCursor& pod) { ReadPod(pod, result.workloads); });
  result.nodes_to_judge = json.At("reconcile_nodes").Texts();
  if (!error.ok()) return error;
  return result;
}

// What the verdict does to the workload; the names of failed pods go into `failed`.
void Apply(const std::string& node, const NodeVerdict& verdict, Workload& workload,
           std::set<std::string>& failed) {
  PlacedGroup& group = workload.group;
  std::vector<std::string>& marked = group.unhealthy_nodes;
  if (verdict.mark == NodeVerdict::Mark::kAdd) marked.push_back(node);
  if (verdict.mark == NodeVerdict::Mark::kClear)
    marked.erase(std::remove(marked.begin(), marked.end(), node), marked.end());
  if (verdict.mark == NodeVerdict::Mark::kEvict) group.evicted = true;
  for (size_t pod : verdict.failed_pods) {
    group.pods[pod].phase = PodPhase::kFailed;
    failed.insert(workload.pod_names[pod]);
  }
}

template <typename Names>
void WriteNames(std::string_view key, const Names& names, JsonText& json) {
  json.Key(key).BeginList();
  for (const std::string& name : names) json.Value(name);
  json.EndList();
}

}  // namespace

absl::StatusOr<std::string> AnswerNodeFailure(const rapidjson::Value& value) {
  GANGPLAN_ASSIGN_OR_RETURN(NodeFailureCase given, ReadNodeFailureCase(value));
  std::set<std::string> failed;
  for (const std::string& name : given.nodes_to_judge) {
    const auto known = std::find_if(given.nodes.begin(), given.nodes.end(),
                                    [&](const ObservedNode& node) { return node.name == name; });
    ObservedNode node;
    node.name = name;
    if (known != given.nodes.end()) node = *known;
    for (Workload& workload : given.workloads)
      Apply(name, JudgeNode(node, workload.group, given.gates), workload, failed);
  }
  std::set<std::string> unhealthy;
  for (const Workload& workload : given.workloads)
    unhealthy.insert(workload.group.unhealthy_nodes.begin(), workload.group.unhealthy_nodes.end());
  JsonText json;
  json.Begin();
  WriteNames("unhealthy_nodes", unhealthy, json);
  WriteNames("pods_failed", failed, json);
  json.End();
  return json.Take();
}

}  // namespace gangplan::conformance
