#include <algorithm>

#include "algorithms/ranks.h"
#include "extender/frontends/kueue/go_text.h"
#include "extender/frontends/kueue/words.h"
#include "tests/conformance/assignment.h"
#include "tests/conformance/handlers.h"
#include "tests/conformance/kubernetes_json.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/tree.h"

namespace gangplan::conformance {
namespace {

constexpr std::string_view kPodSetLabel = "kueue.x-k8s.io/podset";
constexpr std::string_view kWorkloadAnnotation = "kueue.x-k8s.io/workload";
constexpr std::string_view kTopologyGate = "kueue.x-k8s.io/topology";

struct UngatePod {
  std::string name;
  LabelSet labels;
  LabelSet annotations;
  std::vector<std::string> gates;
  LabelSet node_selector;
  bool finished = false;
  bool waits() const { return std::find(gates.begin(), gates.end(), kTopologyGate) != gates.end(); }
};

struct UngatePodSet {
  std::string name;
  std::string index_label;
  std::string sub_group_label;
  RankedPodSet ranks;
  std::optional<Assignment> assignment;
  std::vector<size_t> pods;  // places in UngateCase::pods, one for each of ranks.pods
};

struct UngateCase {
  std::string workload;
  bool open = false;  // admitted, and no write of it is under way
  std::vector<std::string> unhealthy_nodes;
  std::vector<UngatePodSet> pod_sets;  // in the order of the admission
  std::vector<UngatePod> pods;         // by name, as a list of the API server is
};

UngatePod ReadPod(const JsonCursor& json) {
  UngatePod pod;
  pod.name = json.At("name").Text();
  pod.labels = ReadLabels(json.At("labels"));
  pod.annotations = ReadLabels(json.At("annotations"));
  pod.gates = json.At("gates").Texts();
  pod.node_selector = ReadLabels(json.At("node_selector"));
  const std::string phase = json.TextOr("phase", "");
  pod.finished = phase == "Succeeded" || phase == "Failed";
  return pod;
}

void ReadTopology(const JsonCursor& json, UngatePodSet& pod_set) {
  pod_set.index_label = json.TextOr("pod_index_label", "");
  pod_set.sub_group_label = json.TextOr("subgroup_index_label", "");
  pod_set.ranks.indexed = !pod_set.index_label.empty();
  pod_set.ranks.sub_grouped = !pod_set.sub_group_label.empty();
  if (json.Has("subgroup_count"))
    pod_set.ranks.sub_groups = static_cast<int32_t>(json.At("subgroup_count").Integer());
}

// What the workload says of the pod set with this name.
void ReadRequest(const JsonCursor& workload, UngatePodSet& pod_set) {
  workload.At("pod_sets").ForEach([&](const JsonCursor& json) {
    if (json.At("name").Text() != pod_set.name) return;
    pod_set.ranks.group = json.TextOr("group", "");
    if (json.Has("topology")) ReadTopology(json.At("topology"), pod_set);
  });
}

bool Holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

UngatePodSet ReadPodSet(const JsonCursor& workload, const JsonCursor& admitted,
                        const std::vector<std::string>& unhealthy_nodes) {
  UngatePodSet pod_set;
  pod_set.name = admitted.At("pod_set").Text();
  pod_set.ranks.count = static_cast<int32_t>(admitted.At("count").Integer());
  ReadRequest(workload, pod_set);
  if (!admitted.Has("assignment")) return pod_set;
  pod_set.assignment = ReadAssignment(admitted.At("assignment"));
  const std::vector<std::string>& levels = pod_set.assignment->levels;
  const bool hosts = !levels.empty() && levels.back() == kHostnameLabel;
  for (const DomainCount& domain : pod_set.assignment->domains) {
    if (domain.values.size() != levels.size())
      admitted.At("assignment").Expected("one value a level in every domain");
    const bool healthy =
        !hosts || domain.values.empty() || !Holds(unhealthy_nodes, domain.values.back());
    pod_set.ranks.domains.push_back({static_cast<int32_t>(domain.count), healthy});
  }
  return pod_set;
}

absl::StatusOr<UngateCase> ReadUngateCase(const rapidjson::Value& value) {
  absl::Status error;
  const JsonCursor json(value, "case", error);
  const JsonCursor workload = json.At("workload");
  UngateCase result;
  result.workload = workload.At("name").Text();
  result.open = workload.BoolOr("admitted", false);
  json.ForEachIn("pending_expectation_uids", [&](const JsonCursor&) { result.open = false; });
  if (workload.Has("unhealthy_nodes"))
    result.unhealthy_nodes = workload.At("unhealthy_nodes").Texts();
  if (workload.Has("admission")) {
    workload.At("admission").At("pod_sets").ForEach([&](const JsonCursor& admitted) {
      result.pod_sets.push_back(ReadPodSet(workload, admitted, result.unhealthy_nodes));
    });
  }
  json.At("pods").ForEach([&](const JsonCursor& pod) { result.pods.push_back(ReadPod(pod)); });
  std::stable_sort(result.pods.begin(), result.pods.end(),
                   [](const UngatePod& a, const UngatePod& b) { return a.name < b.name; });
  if (!error.ok()) return error;
  return result;
}

bool Carries(const LabelSet& set, std::string_view key, const std::string& value) {
  const std::string* found = FindLabel(set, key);
  return found != nullptr && *found == value;
}

std::optional<int32_t> IndexOf(const UngatePod& pod, const std::string& label) {
  const std::string* text = FindLabel(pod.labels, label);
  return text == nullptr ? std::nullopt : ReadGoInteger(*text);
}

// The domain whose values are all in the pod's selector.
int32_t StandsIn(const UngatePod& pod, const Assignment& assignment) {
  for (size_t d = 0; d < assignment.domains.size(); ++d) {
    bool matches = true;
    for (size_t i = 0; i < assignment.levels.size(); ++i) {
      const std::string& value = assignment.domains[d].values[i];
      matches = matches && Carries(pod.node_selector, assignment.levels[i], value);
    }
    if (matches) return static_cast<int32_t>(d);
  }
  return kNoDomain;
}

// False when the first pod tells an offset that is no number: then nothing may be decided.
bool TakePods(UngateCase& given, UngatePodSet& pod_set) {
  for (size_t i = 0; i < given.pods.size(); ++i) {
    const UngatePod& pod = given.pods[i];
    if (pod.finished || !Carries(pod.labels, kPodSetLabel, pod_set.name) ||
        !Carries(pod.annotations, kWorkloadAnnotation, given.workload))
      continue;
    pod_set.pods.push_back(i);
    pod_set.ranks.pods.push_back({IndexOf(pod, pod_set.index_label),
                                  IndexOf(pod, pod_set.sub_group_label), pod.waits(),
                                  StandsIn(pod, *pod_set.assignment)});
  }
  if (pod_set.pods.empty()) return true;
  const std::string* text = FindLabel(given.pods[pod_set.pods[0]].annotations, kKueueIndexOffset);
  const std::optional<int32_t> offset = text == nullptr ? 0 : ReadGoInteger(*text);
  pod_set.ranks.offset = offset.value_or(0);
  return offset.has_value();
}

void Open(const UngatePodSet& pod_set, int32_t domain, UngatePod& pod) {
  pod.gates.erase(std::remove(pod.gates.begin(), pod.gates.end(), kTopologyGate), pod.gates.end());
  const Assignment& assignment = *pod_set.assignment;
  for (size_t i = 0; i < assignment.levels.size(); ++i) {
    LabelSet& selector = pod.node_selector;
    const auto same_key = [&](const auto& entry) { return entry.first == assignment.levels[i]; };
    selector.erase(std::remove_if(selector.begin(), selector.end(), same_key), selector.end());
    selector.emplace_back(assignment.levels[i],
                          assignment.domains[static_cast<size_t>(domain)].values[i]);
  }
}

void Ungate(UngateCase& given) {
  if (!given.open) return;
  std::vector<RankedPodSet> ranked;
  for (UngatePodSet& pod_set : given.pod_sets) {
    if (pod_set.assignment && !TakePods(given, pod_set)) return;
    ranked.push_back(pod_set.ranks);
  }
  const std::vector<std::vector<int32_t>> domains = AssignDomains(ranked);
  for (size_t s = 0; s < given.pod_sets.size(); ++s) {
    const UngatePodSet& pod_set = given.pod_sets[s];
    for (size_t p = 0; p < pod_set.pods.size(); ++p)
      if (domains[s][p] != kNoDomain) Open(pod_set, domains[s][p], given.pods[pod_set.pods[p]]);
  }
}

}  // namespace

absl::StatusOr<std::string> AnswerUngate(const rapidjson::Value& value) {
  GANGPLAN_ASSIGN_OR_RETURN(UngateCase given, ReadUngateCase(value));
  Ungate(given);
  JsonText json;
  json.Begin().Key("pods").BeginList();
  for (const UngatePod& pod : given.pods) {
    json.Begin().Field("name", pod.name).Key("gates").BeginList();
    for (const std::string& gate : pod.gates) json.Value(gate);
    json.EndList().Key("node_selector").Begin();
    for (const auto& [key, text] : pod.node_selector) json.Field(key, text);
    json.End().End();
  }
  json.EndList().End();
  return json.Take();
}

}  // namespace gangplan::conformance
