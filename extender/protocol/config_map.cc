#include "extender/protocol/config_map.h"

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_draft.h"
#include "extender/protocol/object_shapes.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {

absl::StatusOr<ConfigMapFacts> DecodeConfigMap(std::string& json) {
  ObjectDraft draft;
  GANGPLAN_RETURN_IF_ERROR(
      ParseJson(json, kMaxObjectBytes, "ConfigMap", object_shapes::kObject, &draft));
  absl::StatusOr<ConfigMapFacts> facts = TakeConfigMap(draft);
  if (facts.ok()) return facts;
  return Invalid("ConfigMap: {}", Message(facts.status()));
}

}  // namespace gangplan
