#include "extender/frontends/kueue/words.h"
#include "tests/conformance/handlers.h"
#include "tests/conformance/kubernetes_json.h"
#include "topology/base/json_text.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

constexpr std::string_view kAnnotations = "spec.template.metadata.annotations";

std::string_view TypeName(KueueWordFault::Type type) {
  switch (type) {
    case KueueWordFault::Type::kInvalid:
      return "FieldValueInvalid";
    case KueueWordFault::Type::kForbidden:
      return "FieldValueForbidden";
    case KueueWordFault::Type::kRequired:
      return "FieldValueRequired";
    case KueueWordFault::Type::kDuplicate:
      return "FieldValueDuplicate";
  }
  return "";
}

std::string FieldOf(const KueueWordFault& fault) {
  if (fault.key.empty()) return std::string(kAnnotations);
  return fmt::format("{}[{}]{}", kAnnotations, fault.key, fault.part);
}

std::string FaultsAsJson(const std::vector<KueueWordFault>& faults) {
  JsonText json;
  json.Begin().Key("errors").BeginList();
  for (const KueueWordFault& fault : faults)
    json.Begin().Field("field", FieldOf(fault)).Field("type", TypeName(fault.type)).End();
  json.EndList().End();
  return json.Take();
}

std::string TopologyAsJson(const KueueTopology& topology) {
  JsonText json;
  json.Begin().Key("topology").Begin();
  if (topology.required) json.Field("required", *topology.required);
  if (topology.preferred) json.Field("preferred", *topology.preferred);
  if (topology.unconstrained) json.Field("unconstrained", *topology.unconstrained);
  if (!topology.slices.empty()) json.Key("slices").BeginList();
  for (const SliceConstraint& slice : topology.slices)
    json.Begin().Field("level", slice.topology).Field("size", int64_t{slice.size}).End();
  if (!topology.slices.empty()) json.EndList();
  const KueueIndices& indices = topology.indices;
  if (indices.pod) json.Field("pod_index_label", *indices.pod);
  if (indices.sub_group) json.Field("subgroup_index_label", *indices.sub_group);
  if (indices.sub_groups) json.Field("subgroup_count", int64_t{*indices.sub_groups});
  if (topology.group) json.Field("group", *topology.group);
  json.End().End();
  return json.Take();
}

std::string Parsed(const LabelSet& annotations, const KueueGates& gates,
                   const KueueIndices& indices) {
  const auto topology = ReadKueueTopology(annotations, gates, indices);
  if (topology.ok()) return *topology ? TopologyAsJson(**topology) : R"({"topology":null})";
  const bool count = topology.status().code() == absl::StatusCode::kOutOfRange;
  return fmt::format(R"({{"error":"{}"}})", count ? "layer_count" : "bad_layers_json");
}

KueueIndices ReadIndices(const JsonCursor& json) {
  KueueIndices indices;
  if (json.Has("pod_index_label")) indices.pod = json.At("pod_index_label").Text();
  if (json.Has("subgroup_index_label")) indices.sub_group = json.At("subgroup_index_label").Text();
  if (json.Has("subgroup_count"))
    indices.sub_groups = static_cast<int32_t>(json.At("subgroup_count").Floor());
  return indices;
}

KueueGates ReadGates(const JsonCursor& json) {
  KueueGates gates;
  if (json.Has("gates"))
    gates.multi_layer_topology = json.At("gates").BoolOr("TASMultiLayerTopology", true);
  return gates;
}

}  // namespace

absl::StatusOr<std::string> AnswerValidation(const rapidjson::Value& value) {
  absl::Status error;
  const JsonCursor json(value, "case", error);
  const std::string category = json.At("category").Text();
  const bool parse = category == "annotation_parsing";
  if (!parse && category != "validation")
    json.At("category").Expected("annotation_parsing or validation");
  const KueueGates gates = ReadGates(json);
  const JsonCursor owner = parse ? json.At("input") : json;
  const LabelSet annotations =
      owner.Has("annotations") ? ReadLabels(owner.At("annotations")) : LabelSet();
  const KueueIndices indices = parse ? ReadIndices(owner) : KueueIndices();
  if (!error.ok()) return error;
  return parse ? Parsed(annotations, gates, indices)
               : FaultsAsJson(CheckKueueWords(annotations, gates));
}

}  // namespace gangplan::conformance
