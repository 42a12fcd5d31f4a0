#include "extender/protocol/sakkara_topology.h"

#include <algorithm>

#include "extender/protocol/limits.h"
#include "extender/protocol/sakkara_tree.h"
#include "extender/protocol/sakkara_units.h"
#include "extender/protocol/sakkara_value.h"
#include "extender/protocol/sakkara_words.h"
#include "topology/base/status_macros.h"

namespace gangplan {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kDefaultTree = "default-tree";

Texts DefaultResources() { return {"cpu", "memory"}; }
Texts DefaultLevelNames() { return {"rack", "node"}; }

absl::Status AddText(Texts& texts, std::string_view text) {
  texts.emplace_back(text);
  return absl::OkStatus();
}

// A null in a list is an empty text, as Go has it: what follows keeps its place.
constexpr JsonShape MakeText(size_t most) {
  JsonShape shape = json::TextFor<&AddText>(most);
  shape.null = [](void* target) { static_cast<Texts*>(target)->emplace_back(); };
  return shape;
}
constexpr JsonShape kResourceText = MakeText(kMaxKeyBytes);
constexpr JsonShape kLevelName = MakeText(kMaxNameBytes);
constexpr JsonShape kTreeResources = json::Array(kResourceText, kMaxResources);
constexpr JsonShape kLevelNames = json::Array(kLevelName, kMaxSakkaraLevelNames);

struct TextsDraft {
  std::optional<Texts> texts;
};
Texts& Begin(TextsDraft& draft) { return draft.texts.emplace(); }

// The list under `key`; `otherwise` when there is no such key, or a null.
absl::Status ReadTexts(const LabelSet& data, std::string_view key, const JsonShape& list,
                       Texts otherwise, Texts& texts) {
  texts = std::move(otherwise);
  const std::string* text = FindLabel(data, key);
  if (text == nullptr) return absl::OkStatus();
  JsonShape shape = json::At<&Begin>(list);
  TextsDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseSakkaraValue(key, *text, shape, &draft));
  if (!draft.texts) return absl::OkStatus();
  texts = *std::move(draft.texts);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) return Invalid("{}[{}]: expected a name, found an empty one", key, i);
  }
  return absl::OkStatus();
}

absl::Status CheckLevelNames(const Texts& names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    const auto other = std::find(names.begin(), name, *name);
    if (other == name) continue;
    return Invalid("level-names[{}]: expected another name than level-names[{}] has, found '{}'",
                   name - names.begin(), other - names.begin(), Shown(*name));
  }
  return absl::OkStatus();
}

// A name for the level so many above the nodes, which no other level has.
std::string OwnName(const Texts& given, size_t number) {
  std::string name = fmt::format("level-{}", number);
  while (std::find(given.begin(), given.end(), name) != given.end()) name += "'";
  return name;
}

// Names fall on levels from the leaves up; one more than there are levels falls on the root.
void NameLevels(size_t height, SakkaraTopology& topology) {
  const Texts& given = topology.level_names;
  for (size_t number = height; number-- > 0;) {
    const bool named = number < given.size();
    topology.levels.push_back(
        {named ? given[given.size() - 1 - number] : OwnName(given, number), named});
  }
  if (given.size() > height) topology.root_name = given[given.size() - 1 - height];
}

void TellMissingNames(SakkaraTopology& topology) {
  const size_t names = topology.level_names.size();
  const size_t levels = topology.levels.size();
  if (names == levels) return;
  AddSakkaraProblem(topology, "level-names", [&] {
    return fmt::format(
        "{} for {} level{}: {}", names, levels, levels == 1 ? "" : "s",
        names < levels ? "no rule reaches the upper levels" : "the first are names of no level");
  });
}

SakkaraTopology TopologyOf(const std::vector<SakkaraTreeUnit>& tree, Texts level_names) {
  SakkaraTopology topology;
  topology.name = kDefaultTree;
  topology.resources = DefaultResources();
  topology.level_names = std::move(level_names);
  ArrangeSakkaraUnits(tree, topology);
  NameLevels(topology.level_names.size(), topology);
  return topology;
}

// Two levels; the nodes' racks are known to be there.
std::vector<SakkaraTreeUnit> TreeOfRacks(std::span<const NodeFacts* const> nodes) {
  std::vector<std::pair<std::string, std::string>> places;
  for (const NodeFacts* node : nodes)
    places.emplace_back(*FindLabel(node->labels, kSakkaraRackLabel), node->name);
  std::sort(places.begin(), places.end());
  std::vector<SakkaraTreeUnit> tree;
  int32_t rack = -1;
  for (const auto& [rack_name, node_name] : places) {
    if (rack < 0 || tree[static_cast<size_t>(rack)].name != rack_name) {
      rack = static_cast<int32_t>(tree.size());
      tree.push_back({rack_name, -1, 1, false});
    }
    tree.push_back({node_name, rack, 2, true});
  }
  return tree;
}

}  // namespace

absl::StatusOr<SakkaraTopology> ReadSakkaraTopology(const LabelSet& data) {
  SakkaraTopology topology;
  const std::string* name = FindLabel(data, "name");
  topology.name = name == nullptr || name->empty() ? kDefaultTree : std::string_view(*name);
  if (topology.name.size() > kMaxNameBytes)
    return Invalid("name: longer than {} bytes", kMaxNameBytes);
  GANGPLAN_RETURN_IF_ERROR(
      ReadTexts(data, "resource-names", kTreeResources, DefaultResources(), topology.resources));
  GANGPLAN_RETURN_IF_ERROR(
      ReadTexts(data, "level-names", kLevelNames, DefaultLevelNames(), topology.level_names));
  GANGPLAN_RETURN_IF_ERROR(CheckLevelNames(topology.level_names));
  const std::string* tree = FindLabel(data, "tree");
  if (tree == nullptr)
    return Invalid("tree is missing: expected nested JSON objects, a node being an empty one");
  GANGPLAN_ASSIGN_OR_RETURN(const std::vector<SakkaraTreeUnit> units, ReadSakkaraTree(*tree));
  NameLevels(static_cast<size_t>(ArrangeSakkaraUnits(units, topology)), topology);
  if (FindLabel(data, "level-names") != nullptr || topology.root_name.empty())
    TellMissingNames(topology);
  return topology;
}

absl::StatusOr<SakkaraTopology> ReadSakkaraNodeLabels(std::span<const NodeFacts* const> nodes) {
  if (nodes.empty())
    return Invalid("expected nodes with the label {}, found none", kSakkaraRackLabel);
  const NodeFacts* lacking = nullptr;
  for (const NodeFacts* node : nodes) {
    const std::string* rack = FindLabel(node->labels, kSakkaraRackLabel);
    if (rack != nullptr && !rack->empty()) continue;
    if (lacking == nullptr || node->name < lacking->name) lacking = node;
  }
  if (lacking != nullptr)
    return Invalid("node {}: expected the label {}, which every node must have",
                   Shown(lacking->name), kSakkaraRackLabel);
  return TopologyOf(TreeOfRacks(nodes), DefaultLevelNames());
}

SakkaraTopology FlatSakkaraTopology(std::span<const NodeFacts* const> nodes) {
  std::vector<SakkaraTreeUnit> tree;
  for (const NodeFacts* node : nodes) tree.push_back({node->name, -1, 1, true});
  return TopologyOf(tree, {"node"});
}

std::vector<std::string_view> SakkaraPath(const SakkaraTopology& topology,
                                          const SakkaraNode& node) {
  std::vector<std::string_view> path;
  for (int32_t unit = node.unit; unit >= 0; unit = topology.units[static_cast<size_t>(unit)].parent)
    path.push_back(topology.units[static_cast<size_t>(unit)].name);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace gangplan
