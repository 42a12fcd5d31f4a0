#include "extender/protocol/kueue_topology.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/label_key.h"

namespace gangplan {
namespace {

constexpr std::string_view kGroup = "kueue.x-k8s.io/";

struct LevelDraft {
  std::string label;
};

struct TopologyDraft {
  std::string_view api_version;
  std::string_view kind;
  std::string name;
  std::vector<LevelDraft> levels;
};

constexpr JsonField kMetadataFields[] = {{"name", json::Text<&TopologyDraft::name>(kMaxNameBytes)}};
constexpr JsonField kLevelFields[] = {
    {"nodeLabel", json::Text<&LevelDraft::label>(kMaxTopologyLabelBytes)}};
constexpr JsonShape MakeLevel() {
  JsonShape shape = json::Appended<std::vector<LevelDraft>>(json::Object(kLevelFields));
  shape.null = [](void* target) { static_cast<std::vector<LevelDraft>*>(target)->emplace_back(); };
  return shape;
}
constexpr JsonShape kLevel = MakeLevel();
constexpr JsonField kSpecFields[] = {
    {"levels", json::Anew<&TopologyDraft::levels>(json::Array(kLevel, kMaxLevels))}};
constexpr JsonField kTopologyFields[] = {
    {"apiVersion", json::Text<&TopologyDraft::api_version>(kMaxNameBytes)},
    {"kind", json::Text<&TopologyDraft::kind>(kMaxNameBytes)},
    {"metadata", json::Object(kMetadataFields)},
    {"spec", json::Object(kSpecFields)},
};
constexpr JsonShape kTopology = json::Object(kTopologyFields);

absl::Status CheckObject(const TopologyDraft& draft) {
  if (draft.kind != "Topology")
    return Invalid("Topology.kind: expected Topology, found '{}'", Shown(draft.kind));
  const std::string_view version = draft.api_version;
  if (!version.starts_with(kGroup) ||
      (version.substr(kGroup.size()) != "v1beta1" && version.substr(kGroup.size()) != "v1beta2")) {
    return Invalid("Topology.apiVersion: expected {}v1beta1 or {}v1beta2, found '{}'", kGroup,
                   kGroup, Shown(version));
  }
  if (draft.name.empty()) return Invalid("Topology.metadata.name is missing");
  if (draft.levels.empty())
    return Invalid("Topology.spec.levels: expected 1 to {} levels, found none", kMaxLevels);
  return absl::OkStatus();
}

absl::Status CheckLevel(const TopologyDraft& draft, size_t at) {
  const std::string& label = draft.levels[at].label;
  const std::string place = fmt::format("Topology.spec.levels[{}].nodeLabel", at);
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
std::string NameOf(const std::vector<LevelDraft>& levels, size_t at) {
  const std::string name = ShortName(levels[at].label);
  for (size_t i = 0; i < levels.size(); ++i) {
    if (i != at && (levels[i].label == name || ShortName(levels[i].label) == name))
      return levels[at].label;
  }
  return name;
}

}  // namespace

absl::StatusOr<Topology> DecodeKueueTopology(std::string& json) {
  TopologyDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxObjectBytes, "Topology", kTopology, &draft));
  GANGPLAN_RETURN_IF_ERROR(CheckObject(draft));
  Topology topology;
  topology.name = std::move(draft.name);
  for (size_t i = 0; i < draft.levels.size(); ++i) {
    GANGPLAN_RETURN_IF_ERROR(CheckLevel(draft, i));
    topology.levels.push_back({NameOf(draft.levels, i), draft.levels[i].label});
  }
  return topology;
}

}  // namespace gangplan
