#include "extender/app/topology_gaps.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "extender/app/preset_guess.h"
#include "fmt/format.h"
#include "topology/model.h"
#include "topology/node_paths.h"

namespace gangplan {
namespace {

struct Seen {
  std::vector<TopologySeen> all;
  bool known = false;  // levels are
  int64_t nodes = 0;
  int64_t others = 0;  // that are not ours
  Model::Strays strays;
};

Seen LookForGaps(Planner& planner) {
  Seen seen;
  seen.known = planner.levels_known();
  const Model& model = planner.model();
  seen.nodes = model.node_count();
  seen.others = model.foreign_count();
  if (!seen.known) return seen;
  for (size_t i = 0; i < model.topologies().size(); ++i)
    seen.all.push_back(SeenOf(model, static_cast<TopologyIndex>(i)));
  seen.strays = StraysOf(model);
  return seen;
}

std::string LackText(const Level& level, int64_t lacking, int64_t nodes) {
  if (level.label.starts_with(kUnitLabel))
    return fmt::format("{} of {} nodes are not in its file", lacking, nodes);
  return fmt::format("{} of {} nodes lack the label {} (level {})", lacking, nodes, level.label,
                     level.name);
}

void Append(std::string text, std::string& all) {
  if (!text.empty()) all += (all.empty() ? "" : "; ") + text;
}

}  // namespace

TopologySeen SeenOf(const Model& model, TopologyIndex topology) {
  TopologySeen seen{model.SharedTree(topology), {}};
  const auto& unplaced = seen.tree->unplaced();
  const NodeIndex node = unplaced.empty() ? kNoNode : model.FindNode(unplaced.front().name);
  const NodeFacts* facts = node == kNoNode ? nullptr : model.Facts(node);
  if (facts != nullptr) seen.labels = facts->labels;
  return seen;
}

Model::Strays StraysOf(const Model& model) {
  const bool alone = model.topologies().size() == 1 && model.topologies().front().nodes.all();
  return alone ? Model::Strays() : model.FindStrays();
}

std::string GapsIn(const TopologySeen& seen) {
  const auto& unplaced = seen.tree->unplaced();
  if (unplaced.empty()) return {};
  const int64_t nodes = seen.nodes();
  std::string text;
  for (const Level& level : seen.tree->topology().levels) {
    const auto lacking =
        std::count_if(unplaced.begin(), unplaced.end(),
                      [&](const UnplacedNode& node) { return node.missing_label == level.label; });
    if (lacking == 0) continue;
    text += (text.empty() ? "" : ", ") + LackText(level, lacking, nodes);
  }
  text += fmt::format(" and take no members: {} for one", unplaced.front().name);
  if (std::ssize(unplaced) * 2 < nodes) return text;  // most have theirs
  PresetGuess guess;
  guess.Note(seen.labels);
  const std::string_view preset = guess.best().preset;
  if (!preset.empty()) text += fmt::format(", which has the labels of preset {}", preset);
  return text;
}

std::string StraysText(const Model::Strays& strays, int64_t nodes) {
  std::string text;
  if (strays.in_none > 0)
    text = fmt::format("{} of {} nodes are in no topology and take no members: {} for one",
                       strays.in_none, nodes, strays.none_for_one);
  if (strays.in_several > 0)
    Append(
        fmt::format("{} of {} nodes are in several topologies and count for the first: {} for one",
                    strays.in_several, nodes, strays.several_for_one),
        text);
  return text;
}

std::string TopologyGaps(LockedPlanner& planner) {
  const Seen seen = planner.Take(TurnFor::kReport, LookForGaps);
  if (!seen.known) return {};
  if (seen.nodes == 0 && seen.others > 0)
    return fmt::format("none of {} nodes has the labels of this scheduler's (nodes)", seen.others);
  std::string text;
  for (const TopologySeen& one : seen.all) {
    std::string gaps = GapsIn(one);
    if (!gaps.empty() && seen.all.size() > 1)
      gaps = fmt::format("topology {}: {}", one.tree->topology().name, gaps);
    Append(std::move(gaps), text);
  }
  Append(StraysText(seen.strays, seen.nodes), text);
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
