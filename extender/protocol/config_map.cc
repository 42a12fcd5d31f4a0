#include "extender/protocol/config_map.h"

#include <string_view>
#include <utility>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_shapes.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

struct ConfigMapDraft {
  std::string_view kind;
  MetadataDraft metadata;
  LabelSet data;  // as written: not sorted, keys may repeat
};

constexpr JsonShape kValue = json::MapTextFor<&object_steps::KeepLabel>(kMaxConfigMapBytes);
constexpr JsonField kFields[] = {
    {"kind", json::Text<&ConfigMapDraft::kind>(kMaxNameBytes)},
    {"metadata", json::In<&ConfigMapDraft::metadata>(json::Object(object_shapes::kMetadataFields))},
    {"data", json::In<&ConfigMapDraft::data>(json::Map(kValue, kMaxConfigMapEntries))},
};
constexpr JsonShape kConfigMap = json::Object(kFields);

}  // namespace

absl::StatusOr<ConfigMapFacts> DecodeConfigMap(std::string& json) {
  ConfigMapDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxObjectBytes, "ConfigMap", kConfigMap, &draft));
  if (!draft.kind.empty() && draft.kind != "ConfigMap")
    return Invalid("ConfigMap: expected kind ConfigMap, found {}", Shown(draft.kind));
  MetadataDraft& metadata = draft.metadata;
  if (metadata.name.empty()) return Invalid("ConfigMap: metadata.name is missing");
  ConfigMapFacts facts;
  facts.ns = metadata.ns.empty() ? "default" : std::move(metadata.ns);
  facts.name = std::move(metadata.name);
  facts.uid = std::move(metadata.uid);
  facts.resource_version = std::move(metadata.resource_version);
  facts.labels = TakeLabels(metadata.labels);
  facts.data = TakeLabels(draft.data);
  return facts;
}

}  // namespace gangplan
