#include "extender/kube/affinity_body.h"

#include <string>

namespace gangplan {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

std::string_view WordOf(SelectorOperator op) {
  switch (op) {
    case SelectorOperator::kIn:
      return "In";
    case SelectorOperator::kNotIn:
      return "NotIn";
    case SelectorOperator::kExists:
      return "Exists";
    case SelectorOperator::kDoesNotExist:
      return "DoesNotExist";
    case SelectorOperator::kGt:
      return "Gt";
    case SelectorOperator::kLt:
      return "Lt";
  }
  return {};
}

void WriteTexts(JsonText& json, std::string_view key, const std::vector<std::string>& texts) {
  json.Key(key).BeginList();
  for (const std::string& text : texts) json.Value(text);
  json.EndList();
}

void WritePodTerms(JsonText& json, std::string_view kind, const std::vector<PodAffinityTerm>& terms,
                   std::string_view ns) {
  if (terms.empty()) return;
  json.Key(kind).Begin().Key(kRequired).BeginList();
  for (const PodAffinityTerm& term : terms) {
    json.Begin().Field("topologyKey", term.topology_key).Key("labelSelector").Begin();
    WriteRequirements(json, "matchExpressions", term.pods.labels);
    json.End();
    const bool own = term.pods.namespaces.size() == 1 && term.pods.namespaces.front() == ns;
    if (term.pods.all_namespaces) {
      json.Key("namespaceSelector").Begin().End();
    } else if (!own && !term.pods.namespaces.empty()) {
      WriteTexts(json, "namespaces", term.pods.namespaces);
    }
    json.End();
  }
  json.EndList().End();
}

}  // namespace

void WriteRequirements(JsonText& json, std::string_view key,
                       const std::vector<SelectorRequirement>& requirements) {
  if (requirements.empty()) return;
  json.Key(key).BeginList();
  for (const SelectorRequirement& one : requirements) {
    json.Begin().Field("key", one.key).Field("operator", WordOf(one.op));
    if (!one.values.empty()) WriteTexts(json, "values", one.values);
    json.End();
  }
  json.EndList();
}

void WriteNodeTerms(JsonText& json, const std::vector<NodeSelectorTerm>& terms) {
  json.Begin().Key("nodeSelectorTerms").BeginList();
  for (const NodeSelectorTerm& term : terms) {
    json.Begin();
    WriteRequirements(json, "matchExpressions", term.labels);
    WriteRequirements(json, "matchFields", term.fields);
    json.End();
  }
  json.EndList().End();
}

void WritePodPlaces(JsonText& json, const NodeFilter& filter, const PodAffinity& affinity,
                    std::string_view ns) {
  const bool nodes = filter.required_terms && !filter.required_terms->empty();
  if (!nodes && affinity.empty()) return;
  json.Key("affinity").Begin();
  if (nodes) {
    json.Key("nodeAffinity").Begin().Key(kRequired);
    WriteNodeTerms(json, *filter.required_terms);
    json.End();
  }
  WritePodTerms(json, "podAffinity", affinity.near, ns);
  WritePodTerms(json, "podAntiAffinity", affinity.apart, ns);
  json.End();
}

}  // namespace gangplan
