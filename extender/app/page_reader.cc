#include "extender/app/page_reader.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "extender/app/group_turns.h"
#include "extender/app/limits.h"
#include "extender/app/node_turns.h"
#include "extender/app/shown_tree.h"
#include "extender/web/view.h"
#include "fmt/format.h"
#include "topology/model.h"

namespace gangplan {
namespace {

PageGang GangOf(const GroupReport& report) {
  PageGang gang;
  gang.name = report.name;
  gang.kind = report.key.kind;
  gang.state = Name(report.state);
  gang.road = Name(report.road);
  gang.outcome = Name(report.outcome);
  gang.rungs_left = report.rungs_left;
  gang.place = report.place;
  gang.why = BareReason(report);
  gang.size = report.size;
  gang.seen = report.seen;
  gang.bound = report.bound;
  gang.priority = report.priority;
  gang.line = report.line_place;
  return gang;
}

// Appends a page of reports as long as there are fewer than may be shown; counts the others.
void Append(std::vector<GroupReport>& all, std::vector<GroupReport> page, int64_t& more) {
  const size_t room = kMostShownGangs - std::min(all.size(), kMostShownGangs);
  const size_t taken = std::min(room, page.size());
  more += static_cast<int64_t>(page.size() - taken);
  std::move(page.begin(), std::next(page.begin(), static_cast<ptrdiff_t>(taken)),
            std::back_inserter(all));
}

}  // namespace

PageReader::PageReader(LockedPlanner& planner, const Clock& clock)
    : planner_(planner),
      clock_(clock),
      start_(fmt::format("{:x}", absl::ToUnixNanos(clock.Now()))) {}

PageState PageReader::Read() {
  TakeTree();
  PageState state;
  state.tree = fmt::format("{}-{}", start_, trees_);
  state.generation = ++generation_;
  state.not_ready = planner_.WhyNotReady();
  state.unplaced =
      planner_.Take(TurnFor::kReport, [](Planner& planner) { return UnplacedIn(planner.model()); });
  ReadNodes(state);
  ReadGangs(state);
  return state;
}

std::string PageReader::TreeJson() const {
  return PageTreeJson(*tree_, fmt::format("{}-{}", start_, trees_), resource_);
}

void PageReader::TakeTree() {
  std::vector<std::shared_ptr<const Tree>> parts = TreesNow(planner_);
  const bool other = TakeResource(parts);
  const bool same = parts == parts_;
  if (same && !other) return;
  ++trees_;
  if (same) return;
  leaves_.clear();
  parts_ = std::move(parts);
  tree_ = ShownTree(parts_);
  for (int32_t leaf = 0; leaf < tree_->leaf_count(); ++leaf)
    leaves_.emplace(tree_->name(tree_->leaf_level(), leaf), leaf);
}

// Devices come to nodes that are there, and go. True: it is another one.
bool PageReader::TakeResource(const std::vector<std::shared_ptr<const Tree>>& parts) {
  const absl::Time now = clock_.Now();
  if (parts == parts_ && now - resource_at_ < kWhereLasts) return false;
  resource_at_ = now;
  std::string resource = ShownResource(planner_, parts);
  const bool other = resource != resource_;
  resource_ = std::move(resource);
  return other;
}

void PageReader::ReadNodes(PageState& state) {
  state.nodes.resize(static_cast<size_t>(tree_->leaf_count()));
  EachNode(planner_, *tree_,
           [&](const Model& model, const NodeFacts& facts, NodeIndex node, int32_t leaf) {
             const ResourceUse use = model.Use(node, resource_);
             state.nodes[static_cast<size_t>(leaf)] = {
                 facts.ready && !facts.unschedulable, use.allocatable, use.used, use.held, {}};
             return true;
           });
}

std::vector<GroupReport> PageReader::Listed(int64_t& more) {
  std::vector<GroupReport> all;
  EachGroups(planner_, [&](std::vector<GroupReport> some) { Append(all, std::move(some), more); });
  return all;
}

// Of a group its own; of an owner that waits without one, below 0.
int64_t PageReader::IdOf(const GroupReport& report) {
  if (report.id != 0) return report.id;
  const auto [it, is_new] = alone_.try_emplace(report.key.incarnation + "/" + report.name, 0);
  if (is_new) it->second = --last_alone_;
  return it->second;
}

void PageReader::ReadGangs(PageState& state) {
  const std::vector<GroupReport> listed = Listed(state.more_gangs);
  const absl::Time now = clock_.Now();
  int64_t left = kMembersLookedAt;
  for (const GroupReport& report : listed) {
    PageGang gang = GangOf(report);
    gang.id = IdOf(report);
    Standing& standing = standings_[gang.id];
    standing.seen_in = state.generation;
    const bool old = standing.as != gang || now - standing.at >= kWhereLasts;
    if (old && left > 0) {
      left -= gang.size;
      standing.at = now;
      Look(gang, standing);
    }
    for (const std::string& node : standing.nodes) {
      const auto leaf = leaves_.find(std::string_view(node));
      if (leaf != leaves_.end())
        state.nodes[static_cast<size_t>(leaf->second)].gangs.push_back(gang.id);
    }
    gang.where = standing.where;
    state.gangs.push_back(std::move(gang));
  }
  std::erase_if(standings_,
                [&](const auto& one) { return one.second.seen_in != state.generation; });
  std::erase_if(alone_, [&](const auto& one) { return !standings_.contains(one.second); });
  std::sort(state.gangs.begin(), state.gangs.end(),
            [](const PageGang& a, const PageGang& b) { return a.id < b.id; });
  for (PageNode& node : state.nodes) std::sort(node.gangs.begin(), node.gangs.end());
}

void PageReader::Look(const PageGang& gang, Standing& standing) {
  standing.as = gang;
  std::optional<GroupReport> whole;
  if (gang.id > 0) {
    whole = planner_.Take(TurnFor::kReport,
                          [&gang](Planner& planner) { return planner.Report(gang.id); });
  }
  std::set<std::string> nodes;
  if (whole) {
    for (const GroupReport::SlotReport& slot : whole->slots) {
      if (!slot.node.empty() && slot.state != "finished") nodes.insert(slot.node);
    }
  }
  standing.where = nodes.empty() ? std::string() : WhereText(*whole);
  standing.nodes.assign(nodes.begin(), nodes.end());
}

}  // namespace gangplan
