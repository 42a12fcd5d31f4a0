#include "extender/app/topology_gaps.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "extender/app/preset_guess.h"
#include "fmt/format.h"
#include "topology/model.h"

namespace gangplan {
namespace {

struct Seen {
  std::shared_ptr<const Tree> tree;  // null: no levels are known yet
  int64_t nodes = 0;
  int64_t others = 0;  // that are not ours
  LabelSet labels;     // of the first node that has no place
};

Seen Look(Planner& planner) {
  Seen seen;
  if (!planner.levels_known()) return seen;
  const Model& model = planner.model();
  seen.tree = model.SharedTree();
  seen.nodes = model.node_count();
  seen.others = model.foreign_count();
  if (seen.tree->unplaced().empty()) return seen;
  const NodeIndex node = model.FindNode(seen.tree->unplaced().front().name);
  const NodeFacts* facts = node == kNoNode ? nullptr : model.Facts(node);
  if (facts != nullptr) seen.labels = facts->labels;
  return seen;
}

}  // namespace

std::string TopologyGaps(LockedPlanner& planner) {
  const Seen seen = planner.Take(TurnFor::kReport, Look);
  if (seen.tree != nullptr && seen.nodes == 0 && seen.others > 0)
    return fmt::format("none of {} nodes has the labels of this scheduler's (nodes)", seen.others);
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
  if (std::ssize(unplaced) * 2 < seen.nodes) return text;  // most have theirs
  PresetGuess guess;
  guess.Note(seen.labels);
  const std::string_view preset = guess.best().preset;
  if (!preset.empty()) text += fmt::format(", which has the labels of preset {}", preset);
  return text;
}

void GapsWatch::Look(absl::Time now) {
  if (now < next_ || !cluster_.WhyNotActing(absl::ZeroDuration()).empty()) return;
  if (!planner_.Take(TurnFor::kReport, [](Planner& planner) { return planner.synced(); })) return;
  next_ = now + kLookEach;
  std::string gaps = TopologyGaps(planner_);
  const bool stood = std::exchange(stand_, !gaps.empty());
  if (gaps.empty()) tell_from_ = absl::InfinitePast();
  if (!stood || !stand_ || now < tell_from_) return;
  tell_from_ = now + kTellEach;
  gaps += "; expected these labels on the nodes, or a configuration by labels that they have";
  cluster_.Emit(EventNote{"", {}, true, kTopologyGaps, kPlanAction, std::move(gaps)});
}

}  // namespace gangplan
