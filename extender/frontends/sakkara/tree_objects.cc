#include "extender/frontends/sakkara/tree_objects.h"

#include <utility>

#include "extender/protocol/sakkara_words.h"
#include "fmt/format.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/text_map.h"

namespace gangplan {
namespace {

// A tree of nodes alone gets a level above them, so that nodes that are not in it have no place.
std::string TopLevelName(const SakkaraTopology& tree) {
  return tree.levels.front().name == "tree" ? "root" : "tree";
}

absl::StatusOr<Topology> LevelsOf(const SakkaraTopology& tree, const std::string& name) {
  Topology topology{name, {}};
  if (tree.levels.size() == 1) topology.levels.push_back({TopLevelName(tree), ""});
  for (const SakkaraLevel& level : tree.levels) topology.levels.push_back({level.name, ""});
  for (Level& level : topology.levels) level.label = std::string(kSakkaraUnitLabel) + level.name;
  topology.levels.back().label = kHostnameLabel;
  return CompleteTopology(std::move(topology));
}

absl::StatusOr<SakkaraTopology> ReadUsableTree(const LabelSet& data, const std::string& name) {
  GANGPLAN_ASSIGN_OR_RETURN(SakkaraTopology tree, ReadSakkaraTopology(data));
  const absl::Status usable = LevelsOf(tree, name).status();
  if (!usable.ok()) return Invalid("level-names: {}", Message(usable));
  return tree;
}

TextMap<std::vector<std::string>> PathsOf(const SakkaraTopology& tree) {
  TextMap<std::vector<std::string>> paths;
  for (const SakkaraNode& node : tree.nodes) {
    std::vector<std::string>& path = paths[node.name];
    for (std::string_view unit : SakkaraPath(tree, node)) path.emplace_back(unit);
    if (path.empty()) path.push_back(tree.name);
  }
  return paths;
}

}  // namespace

absl::Status TreeObjects::Put(const ConfigMapFacts& facts) {
  Object& object = objects_[facts.name];
  absl::StatusOr<SakkaraTopology> tree = ReadUsableTree(facts.data, name_);
  object.status = tree.status();
  if (tree.ok()) object.tree = *std::move(tree);
  return object.status;
}

void TreeObjects::Erase(std::string_view name) {
  const auto known = objects_.find(name);
  if (known != objects_.end()) objects_.erase(known);
}

std::string TreeObjects::Told(std::string_view name) const {
  const auto known = objects_.find(name);
  if (known == objects_.end()) return {};
  if (!known->second.status.ok())
    return fmt::format("the topology is refused: {}", Message(known->second.status));
  const SakkaraTopology& tree = *known->second.tree;
  std::string text;
  for (const SakkaraProblem& problem : tree.problems)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", problem.name, problem.text);
  if (tree.problem_count > tree.problems.size())
    text += fmt::format("\nand {} more", tree.problem_count - tree.problems.size());
  return text;
}

bool TreeObjects::Choose(std::span<const NodeFacts* const> nodes) {
  for (const auto& [name, object] : objects_) {
    if (object.tree) return TakeTree(*object.tree);
  }
  if (levels_ || !objects_.empty()) return false;
  TakeLabels(nodes);
  return true;
}

bool TreeObjects::TakeTree(const SakkaraTopology& tree) {
  Topology levels = *LevelsOf(tree, name_);
  TextMap<std::vector<std::string>> paths = PathsOf(tree);
  if (levels_ == levels && paths_ == paths) return false;
  levels_ = std::move(levels);
  paths_ = std::move(paths);
  return true;
}

// Levels by real labels: nodes that come later have their place as well.
void TreeObjects::TakeLabels(std::span<const NodeFacts* const> nodes) {
  const absl::StatusOr<SakkaraTopology> racks = ReadSakkaraNodeLabels(nodes);
  Topology topology{name_, {}};
  if (racks.ok())
    topology.levels.push_back({racks->levels.front().name, std::string(kSakkaraRackLabel)});
  topology.levels.push_back(
      {FlatSakkaraTopology(nodes).levels.back().name, std::string(kHostnameLabel)});
  levels_ = *CompleteTopology(std::move(topology));
}

std::string TreeObjects::fault() const {
  for (const auto& [name, object] : objects_) {
    if (!object.status.ok())
      return fmt::format("topology ConfigMap {}: {}", name, Message(object.status));
  }
  return {};
}

NodeFacts TreeObjects::Placed(const NodeFacts& node) const {
  NodeFacts placed = node;
  std::erase_if(placed.labels,
                [](const auto& label) { return label.first.starts_with(kSakkaraUnitLabel); });
  const auto path = paths_.find(node.name);
  if (path == paths_.end()) return placed;
  for (size_t level = 0; level < path->second.size(); ++level)
    SetLabel(placed.labels, levels_->levels[level].label, path->second[level]);
  return placed;
}

}  // namespace gangplan
