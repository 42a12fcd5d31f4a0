#include "extender/app/topology_gaps.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "config/presets.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

struct Seen {
  std::shared_ptr<const Tree> tree;  // null: no levels are known yet
  int64_t nodes = 0;
  LabelSet labels;  // of the first node that has no place
};

Seen Look(Planner& planner) {
  Seen seen;
  if (!planner.levels_known()) return seen;
  const Model& model = planner.model();
  seen.tree = model.SharedTree();
  seen.nodes = model.node_count();
  if (seen.tree->unplaced().empty()) return seen;
  const NodeIndex node = model.FindNode(seen.tree->unplaced().front().name);
  const NodeFacts* facts = node == kNoNode ? nullptr : model.Facts(node);
  if (facts != nullptr) seen.labels = facts->labels;
  return seen;
}

bool HasAll(const LabelSet& labels, std::span<const Level> levels) {
  return std::all_of(levels.begin(), levels.end(), [&](const Level& level) {
    return level.label == kHostnameLabel || FindLabel(labels, level.label) != nullptr;
  });
}

// Of those whose labels are all there the one with the most levels, the first by name of equals;
// empty: there is none.
std::string_view PresetOf(const LabelSet& labels) {
  std::string_view best;
  size_t most = 0;
  for (std::string_view name : PresetNames()) {
    const std::vector<Level>& levels = *FindPreset(name);
    if (levels.size() <= most || !HasAll(labels, levels)) continue;
    best = name;
    most = levels.size();
  }
  return best;
}

}  // namespace

std::string TopologyGaps(LockedPlanner& planner) {
  const Seen seen = planner.Take(TurnFor::kReport, Look);
  if (seen.tree == nullptr || seen.tree->unplaced().empty()) return {};
  const auto& unplaced = seen.tree->unplaced();
  std::string text;
  for (const Level& level : seen.tree->topology().levels) {
    const auto lacking =
        std::count_if(unplaced.begin(), unplaced.end(),
                      [&](const UnplacedNode& node) { return node.missing_label == level.label; });
    if (lacking == 0) continue;
    text += fmt::format("{}{} of {} nodes lack the label {} (level {})", text.empty() ? "" : ", ",
                        lacking, seen.nodes, level.label, level.name);
  }
  text += fmt::format(" and take no members: {} for one", unplaced.front().name);
  const std::string_view preset = PresetOf(seen.labels);
  if (!preset.empty()) text += fmt::format(", which has the labels of preset {}", preset);
  return text;
}

}  // namespace gangplan
