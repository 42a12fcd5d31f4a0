#include "extender/protocol/kueue_topology.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_draft.h"
#include "extender/protocol/object_shapes.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/label_key.h"

namespace gangplan {
namespace {

constexpr std::string_view kTopologyKind = "Topology";
constexpr std::string_view kGroup = "kueue.x-k8s.io/";

absl::Status CheckObject(const ObjectDraft& draft) {
  if (draft.kind != kTopologyKind)
    return Invalid("kind: expected Topology, found '{}'", Shown(draft.kind));
  const std::string_view version = draft.api_version;
  if (!version.starts_with(kGroup) ||
      (version.substr(kGroup.size()) != "v1beta1" && version.substr(kGroup.size()) != "v1beta2")) {
    return Invalid("apiVersion: expected {}v1beta1 or {}v1beta2, found '{}'", kGroup, kGroup,
                   Shown(version));
  }
  if (draft.metadata.name.empty()) return Invalid("metadata.name is missing");
  if (draft.levels.empty())
    return Invalid("spec.levels: expected 1 to {} levels, found none", kMaxLevels);
  return absl::OkStatus();
}

absl::Status CheckLevel(const ObjectDraft& draft, size_t at) {
  const std::string& label = draft.levels[at].label;
  const std::string place = fmt::format("spec.levels[{}].nodeLabel", at);
  const std::vector<std::string> faults = LabelKeyFaults(label);
  if (!faults.empty())
    return Invalid("{}: '{}' is no label key: {}", place, Shown(label), faults.front());
  if (label == kHostnameLabel && at + 1 != draft.levels.size())
    return Invalid("{}: expected {} as the last level only", place, kHostnameLabel);
  for (size_t i = 0; i < at; ++i) {
    if (draft.levels[i].label == label)
      return Invalid("{}: expected another label than spec.levels[{}] has, found '{}' again", place,
                     i, Shown(label));
  }
  return absl::OkStatus();
}

std::string ShortName(const std::string& label) {
  if (label == kHostnameLabel) return "node";
  return label.substr(label.find('/') + 1);
}

// A level is found by its name and by its label, so a name must not be a name or a label of
// another.
std::string NameOf(const std::vector<TopologyLevelDraft>& levels, size_t at) {
  const std::string name = ShortName(levels[at].label);
  for (size_t i = 0; i < levels.size(); ++i) {
    if (i != at && (levels[i].label == name || ShortName(levels[i].label) == name))
      return levels[at].label;
  }
  return name;
}

}  // namespace

bool IsKueueTopology(const ObjectDraft& draft) {
  return draft.kind == kTopologyKind && draft.api_version.starts_with(kGroup);
}

absl::StatusOr<Topology> TakeTopology(ObjectDraft& draft) {
  GANGPLAN_RETURN_IF_ERROR(CheckObject(draft));
  Topology topology;
  for (size_t i = 0; i < draft.levels.size(); ++i) {
    GANGPLAN_RETURN_IF_ERROR(CheckLevel(draft, i));
    topology.levels.push_back({NameOf(draft.levels, i), draft.levels[i].label});
  }
  topology.name = std::move(draft.metadata.name);  // the last: who refuses the object names it
  return topology;
}

absl::StatusOr<Topology> DecodeKueueTopology(std::string& json) {
  ObjectDraft draft;
  GANGPLAN_RETURN_IF_ERROR(
      ParseJson(json, kMaxObjectBytes, kTopologyKind, object_shapes::kObject, &draft));
  absl::StatusOr<Topology> topology = TakeTopology(draft);
  if (topology.ok()) return topology;
  return Invalid("{}.{}", kTopologyKind, Message(topology.status()));
}

}  // namespace gangplan
