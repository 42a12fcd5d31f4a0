#include "extender/app/cluster_check.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "extender/app/limits.h"
#include "extender/app/topology_gaps.h"
#include "extender/web/view.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kLevels = "levels", kDomains = "domains", kGangs = "gangs";

struct Placed {
  std::shared_ptr<const Tree> tree;
  int64_t nodes = 0;
  std::string why_not;  // there are no levels
};

Placed Look(Planner& planner) {
  if (!planner.levels_known()) return {nullptr, 0, planner.WhyNotReady()};
  return {planner.model().SharedTree(), planner.model().node_count(), {}};
}

std::string NamesOf(const Topology& topology) {
  std::string names;
  for (const Level& level : topology.levels) names += (names.empty() ? "" : ", ") + level.name;
  return names;
}

std::string LabelsCure(TopologySource source, const PresetGuess::Best& guess, int64_t placed) {
  const std::string cure = "the labels of the levels on each node where gangs may go";
  if (source != TopologySource::kConfig || guess.nodes <= placed) return cure;
  return fmt::format("topologies[0].preset: {}, whose labels {} nodes have; or {}", guess.preset,
                     guess.nodes, cure);
}

void CheckLevels(TopologySource source, const Placed& seen, const std::string& gaps,
                 const PresetGuess::Best& guess, Findings& findings) {
  if (seen.tree == nullptr) {
    return findings.Add(Health::kFail, kLevels, seen.why_not,
                        "the object that topologies names (docs/configuration.md)");
  }
  const std::string names = NamesOf(seen.tree->topology());
  if (seen.nodes == 0) return findings.Add(Health::kWarn, kLevels, "there are no nodes", "nodes");
  const int64_t placed = seen.tree->leaf_count();
  if (gaps.empty()) {
    return findings.Add(Health::kOk, kLevels,
                        fmt::format("{}: on all {} nodes", names, seen.nodes));
  }
  findings.Add(placed == 0 ? Health::kFail : Health::kWarn, kLevels, gaps,
               LabelsCure(source, guess, placed));
}

// "block-1/r7 (1 node) and block-2/r7 (16 nodes)"
std::string PlacesOf(const Tree& tree, int level, const std::vector<int32_t>& domains) {
  std::string text;
  for (size_t i = 0; i < domains.size() && i < 2; ++i) {
    const Tree::Range leaves = tree.leaves(level, domains[i]);
    const int32_t nodes = leaves.end - leaves.begin;
    text += fmt::format("{}{} ({} node{})", i == 0 ? "" : " and ", tree.Path(level, domains[i]),
                        nodes, nodes == 1 ? "" : "s");
  }
  return text;
}

// Empty: it may, or it runs.
std::string WhyNever(LockedPlanner& planner, const GroupReport& gang) {
  if (gang.outcome == Outcome::kImpossible || gang.outcome == Outcome::kInvalid)
    return std::string(BareReason(gang));
  if (gang.state != GroupState::kNew && gang.state != GroupState::kBlocked) return {};
  const std::optional<GroupReport> whole =
      planner.Take(TurnFor::kReport, [&gang](Planner& one) { return one.Report(gang.name); });
  return whole && !whole->problems.empty() ? whole->problems.front() : std::string();
}

}  // namespace

void CheckDomains(const Tree& tree, Findings& findings) {
  bool doubled = false;
  std::string counting;  // levels
  for (int level = 1; level < tree.leaf_level(); ++level) {
    std::map<std::string_view, std::vector<int32_t>> domains;
    for (int32_t i = 0; i < tree.size(level); ++i) domains[tree.name(level, i)].push_back(i);
    const size_t names = domains.size();
    std::erase_if(domains, [](const auto& entry) { return entry.second.size() == 1; });
    if (domains.empty()) continue;
    if (domains.size() * 2 > names) {
      counting += (counting.empty() ? "" : ", ") + tree.level(level).name;
      continue;
    }
    doubled = true;
    const auto& [name, first] = *domains.begin();
    std::string text = fmt::format(
        "{} {} stands under several parents, which makes several of it: "
        "{}",
        tree.level(level).name, name, PlacesOf(tree, level, first));
    if (domains.size() > 1) text += fmt::format("; and {} more such names", domains.size() - 1);
    findings.Add(Health::kWarn, kDomains, std::move(text),
                 fmt::format("the right label {} or {} on the nodes of the lesser one",
                             tree.level(level - 1).label, tree.level(level).label));
  }
  if (doubled) return;
  findings.Add(Health::kOk, kDomains,
               counting.empty() ? "each name has one parent"
                                : fmt::format("names of {} count within their parent", counting));
}

void CheckCluster(TopologySource source, LockedPlanner& planner, const ClusterSigns& signs,
                  Findings& findings) {
  const Placed seen = planner.Take(TurnFor::kReport, Look);
  CheckLevels(source, seen, TopologyGaps(planner), signs.preset(), findings);
  if (seen.tree != nullptr && seen.tree->leaf_count() > 0) CheckDomains(*seen.tree, findings);
  signs.Tell(findings);
}

void CheckGangs(LockedPlanner& planner, Findings& findings) {
  int64_t gangs = 0, faulty = 0, after = 0;
  std::string first;
  for (;;) {
    const std::vector<GroupReport> page = planner.Take(
        TurnFor::kReport, [&](Planner& one) { return one.List(after, kGroupsPerTurn); });
    if (page.empty()) break;
    after = page.back().id;
    gangs += static_cast<int64_t>(page.size());
    for (const GroupReport& gang : page) {
      const std::string why = WhyNever(planner, gang);
      if (why.empty()) continue;
      ++faulty;
      if (first.empty()) first = fmt::format("{} for one: {}", gang.name, why);
    }
  }
  if (faulty == 0)
    return findings.Add(Health::kOk, kGangs, fmt::format("{}, each of which may start", gangs));
  findings.Add(Health::kWarn, kGangs,
               fmt::format("{} of {} can never start as they are, {}", faulty, gangs, first),
               "gangplan explain NAMESPACE/NAME tells the rest");
}

}  // namespace gangplan
