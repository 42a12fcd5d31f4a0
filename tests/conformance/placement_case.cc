#include "tests/conformance/placement_case.h"

#include <algorithm>

#include "tests/conformance/json_cursor.h"
#include "tests/conformance/kubernetes_json.h"

namespace gangplan::conformance {
namespace {

ResourceList ReadAmounts(const JsonCursor& json) {
  ResourceList amounts;
  json.ForEachMember([&](std::string name, const JsonCursor& amount) {
    amounts.push_back({std::move(name), amount.Integer()});
  });
  std::sort(amounts.begin(), amounts.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return amounts;
}

SelectorOperator ReadOperator(const JsonCursor& json) {
  const std::string text = json.Text();
  if (text == "In") return SelectorOperator::kIn;
  if (text == "NotIn") return SelectorOperator::kNotIn;
  if (text == "Exists") return SelectorOperator::kExists;
  if (text == "DoesNotExist") return SelectorOperator::kDoesNotExist;
  if (text == "Gt") return SelectorOperator::kGt;
  if (text != "Lt") json.Expected("In, NotIn, Exists, DoesNotExist, Gt or Lt");
  return SelectorOperator::kLt;
}

std::vector<SelectorRequirement> ReadRequirements(const JsonCursor& term, std::string_view key) {
  std::vector<SelectorRequirement> requirements;
  term.ForEachIn(key, [&](const JsonCursor& json) {
    SelectorRequirement requirement{json.At("key").Text(), ReadOperator(json.At("operator")), {}};
    if (json.Has("values")) requirement.values = json.At("values").Texts();
    requirements.push_back(std::move(requirement));
  });
  return requirements;
}

NodeSelectorTerm ReadTerm(const JsonCursor& json) {
  return {ReadRequirements(json, "matchExpressions"), ReadRequirements(json, "matchFields")};
}

void ReadNodeAffinity(const JsonCursor& json, CasePodSet& pod_set) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  if (json.Has(kRequired)) {
    std::vector<NodeSelectorTerm>& terms = pod_set.filter.required_terms.emplace();
    json.At(kRequired).ForEachIn("nodeSelectorTerms",
                                 [&](const JsonCursor& term) { terms.push_back(ReadTerm(term)); });
  }
  json.ForEachIn(kPreferred, [&](const JsonCursor& term) {
    pod_set.preferred_terms.push_back(
        {term.At("weight").Integer(), ReadTerm(term.At("preference"))});
  });
}

TopologyWords ReadTopology(const JsonCursor& json) {
  TopologyWords words;
  if (json.Has("required")) words.required = json.At("required").Text();
  if (json.Has("preferred")) words.preferred = json.At("preferred").Text();
  words.unconstrained = json.BoolOr("unconstrained", false);
  json.ForEachIn("slices", [&](const JsonCursor& layer) {
    words.slices.push_back({layer.At("level").Text(), {}});
    if (layer.Has("size")) words.slices.back().size = layer.At("size").Integer();
  });
  return words;
}

CasePodSet ReadPodSet(const JsonCursor& json) {
  CasePodSet pod_set;
  pod_set.name = json.At("name").Text();
  pod_set.count = json.At("count").Integer();
  pod_set.requests = ReadAmounts(json.At("requests"));
  if (json.Has("topology")) pod_set.topology = ReadTopology(json.At("topology"));
  pod_set.group = json.TextOr("group", "");
  if (json.Has("node_selector"))
    pod_set.filter.node_selector = ReadLabels(json.At("node_selector"));
  pod_set.filter.tolerations = ReadTolerations(json, "tolerations");
  if (json.Has("affinity") && json.At("affinity").Has("nodeAffinity"))
    ReadNodeAffinity(json.At("affinity").At("nodeAffinity"), pod_set);
  if (json.Has("previous_assignment"))
    pod_set.previous_assignment = ReadAssignment(json.At("previous_assignment"));
  return pod_set;
}

NodeFacts ReadNode(const JsonCursor& json) {
  NodeFacts node;
  node.name = json.At("name").Text();
  node.labels = ReadLabels(json.At("labels"));
  node.allocatable = ReadAmounts(json.At("allocatable"));
  node.ready = json.At("ready").Bool();
  node.unschedulable = json.BoolOr("unschedulable", false);
  node.taints = ReadTaints(json, "taints");
  return node;
}

// The gate TASProfileMixed on or off; or, by name, any profile that Kueue has had.
TasProfile ReadProfile(const JsonCursor& json) {
  const std::string algorithm = json.TextOr("unconstrained_algorithm", "least_free_capacity");
  if (algorithm != "least_free_capacity" && algorithm != "best_fit")
    json.At("unconstrained_algorithm").Expected("least_free_capacity or best_fit");
  const bool mixed = algorithm == "least_free_capacity";
  const std::string name = json.TextOr("profile", mixed ? "mixed" : "best_fit");
  for (size_t i = 0; i < kProfileNames.size(); ++i) {
    if (kProfileNames[i] == name) return static_cast<TasProfile>(i);
  }
  json.At("profile").Expected("mixed, best_fit, most_free_capacity or least_free_capacity");
  return TasProfile::kMixed;
}

PlacementOptions ReadOptions(const JsonCursor& json) {
  PlacementOptions options;
  options.profile = ReadProfile(json);
  options.balanced_placement = json.BoolOr("balanced_placement", false);
  options.preferred_node_affinity = json.BoolOr("preferred_node_affinity", false);
  options.elastic_delta = json.BoolOr("elastic_delta", false);
  options.keep_assignment_for_single_pod_owner =
      json.BoolOr("keep_assignment_for_single_pod_owner", true);
  return options;
}

Replacement ReadReplacement(const JsonCursor& json) {
  Replacement replacement;
  replacement.unhealthy_nodes = json.At("unhealthy_nodes").Texts();
  replacement.owned_by_single_pod = json.BoolOr("owned_by_single_pod", false);
  json.At("admitted").ForEach([&](const JsonCursor& admitted) {
    replacement.admitted.push_back({admitted.At("pod_set").Text(), admitted.At("count").Integer(),
                                    ReadAssignment(admitted.At("assignment"))});
  });
  return replacement;
}

void ReadCluster(const JsonCursor& json, PlacementCase& result) {
  result.levels = json.At("levels").Texts();
  if (json.Has("node_filter_labels"))
    result.node_filter_labels = ReadLabels(json.At("node_filter_labels"));
  result.flavor_tolerations = ReadTolerations(json, "flavor_tolerations");
  json.At("nodes").ForEach([&](const JsonCursor& node) { result.nodes.push_back(ReadNode(node)); });
  json.ForEachIn("running_pods", [&](const JsonCursor& pod) {
    result.running_pods.push_back({pod.TextOr("name", ""), pod.TextOr("node", ""),
                                   pod.TextOr("phase", ""), ReadAmounts(pod.At("requests"))});
  });
  json.ForEachIn("used", [&](const JsonCursor& used) {
    result.used.push_back({used.At("domain").Texts(), ReadAmounts(used.At("requests"))});
  });
}

}  // namespace

Assignment ReadAssignment(const JsonCursor& json) {
  Assignment assignment;
  assignment.levels = json.At("levels").Texts();
  json.At("domains").ForEach([&](const JsonCursor& domain) {
    assignment.domains.push_back({domain.At("values").Texts(), domain.At("count").Integer()});
  });
  return assignment;
}

absl::StatusOr<PlacementCase> ReadPlacementCase(const rapidjson::Value& value) {
  absl::Status error;
  const JsonCursor json(value, "case", error);
  PlacementCase result;
  result.id = json.At("id").Text();
  if (json.Has("options")) result.options = ReadOptions(json.At("options"));
  ReadCluster(json, result);
  json.At("pod_sets").ForEach([&](const JsonCursor& pod_set) {
    result.pod_sets.push_back(ReadPodSet(pod_set));
  });
  if (json.Has("replacement")) result.replacement = ReadReplacement(json.At("replacement"));
  if (!error.ok()) return error;
  return result;
}

}  // namespace gangplan::conformance
