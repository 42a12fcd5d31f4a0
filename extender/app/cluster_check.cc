#include "extender/app/cluster_check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "extender/app/limits.h"
#include "extender/app/topology_gaps.h"
#include "extender/frontends/group_spec.h"
#include "extender/web/view.h"
#include "topology/base/text.h"
#include "topology/model.h"

namespace gangplan {
namespace {

constexpr std::string_view kLevels = "levels", kDomains = "domains", kGangs = "gangs";
constexpr std::string_view kNodes = "nodes";

struct Placed {
  std::vector<TopologySeen> topologies;  // empty: there are no levels
  int64_t nodes = 0;
  int64_t others = 0;   // that are not ours
  std::string why_not;  // there are no levels
  Model::Strays strays;
};

Placed Look(Planner& planner) {
  const Model& model = planner.model();
  Placed seen{{}, model.node_count(), model.foreign_count(), {}, {}};
  if (!planner.levels_known()) {
    seen.why_not = planner.WhyNotReady();
    return seen;
  }
  for (size_t i = 0; i < model.topologies().size(); ++i)
    seen.topologies.push_back(SeenOf(model, static_cast<TopologyIndex>(i)));
  seen.strays = StraysOf(model);
  return seen;
}

// Where the configuration says which are ours.
void CheckNodes(const NodeScope& ours, const Placed& seen, Findings& findings) {
  if (ours.all()) return;
  const std::string text = ScopeText(ours);
  const int64_t all = seen.nodes + seen.others;
  if (seen.nodes == 0) {
    return findings.Add(Health::kFail, kNodes,
                        fmt::format("none of {} nodes is this scheduler's ({})", all, text),
                        "these labels on its nodes, or another selector (nodes)");
  }
  findings.Add(Health::kOk, kNodes,
               fmt::format("{} of {} are this scheduler's ({})", seen.nodes, all, text));
}

std::string NamesOf(const Topology& topology) {
  std::string names;
  for (const Level& level : topology.levels) names += (names.empty() ? "" : ", ") + level.name;
  return names;
}

// Of a preset, where those nodes that have the labels of the levels are not most of all.
std::string LabelsCure(const TopologySettings& of, size_t index, const PresetGuess::Best& guess,
                       const TopologySeen& seen) {
  if (of.in_file()) return fmt::format("these nodes in {}, or another selector", of.file);
  const std::string cure = "the labels of the levels on each node where gangs may go";
  const int64_t placed = seen.tree->leaf_count();
  const bool most = placed * 2 > seen.nodes();
  if (of.source != TopologySource::kConfig || most || guess.nodes <= placed) return cure;
  return fmt::format("topologies[{}].preset: {}, whose labels {} nodes have; or {}", index,
                     guess.preset, guess.nodes, cure);
}

// `head`: "racks: " where there are several.
void CheckLevels(const TopologySettings& of, size_t index, const std::string& head,
                 const TopologySeen& seen, const ClusterSigns& signs, Findings& findings) {
  const std::string names = NamesOf(seen.tree->topology());
  const int64_t nodes = seen.nodes();
  const int64_t placed = seen.tree->leaf_count();
  if (nodes == 0) {
    return findings.Add(Health::kWarn, kLevels, head + "there are no nodes",
                        head.empty() ? "nodes" : "nodes, or another selector");
  }
  const std::string gaps = GapsIn(seen);
  if (gaps.empty()) {
    return findings.Add(Health::kOk, kLevels,
                        fmt::format("{}{}: on all {} nodes", head, names, nodes));
  }
  if (placed > 0 && signs.AreAside(seen.tree->unplaced())) {
    return findings.Add(Health::kOk, kLevels,
                        fmt::format("{}{}: on all {} nodes but {} of the control plane", head,
                                    names, nodes, seen.tree->unplaced().size()));
  }
  findings.Add(placed == 0 ? Health::kFail : Health::kWarn, kLevels, head + gaps,
               LabelsCure(of, index, signs.preset(), seen));
}

void CheckTopologies(const std::vector<TopologySettings>& topologies, const Placed& seen,
                     const ClusterSigns& signs, Findings& findings) {
  if (seen.topologies.empty()) {
    return findings.Add(Health::kFail, kLevels, seen.why_not,
                        "the object that topologies names (docs/configuration.md)");
  }
  for (size_t i = 0; i < seen.topologies.size(); ++i) {
    const bool several = seen.topologies.size() > 1;
    const std::string head = several ? fmt::format("{}: ", topologies[i].name) : std::string();
    CheckLevels(topologies[i], i, head, seen.topologies[i], signs, findings);
  }
  if (const std::string strays = StraysText(seen.strays, seen.nodes); !strays.empty()) {
    findings.Add(Health::kWarn, kLevels, strays,
                 "topologies[].nodes of which one picks each node where gangs may go");
  }
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

using Domains = std::map<std::string_view, std::vector<int32_t>>;  // of a level, by name

int32_t NodesOf(const Tree& tree, int level, const std::vector<int32_t>& domains) {
  int32_t nodes = 0;
  for (int32_t domain : domains)
    nodes += tree.leaves(level, domain).end - tree.leaves(level, domain).begin;
  return nodes;
}

// Of the parents, those whose names are nearly all found under others, too.
std::set<int32_t> ParentsOfLike(const Tree& tree, int level, const Domains& doubled) {
  std::map<int32_t, int32_t> alike;  // by parent
  for (const auto& [name, domains] : doubled) {
    for (int32_t domain : domains) ++alike[tree.parent(level, domain)];
  }
  std::set<int32_t> parents;
  for (const auto& [parent, count] : alike) {
    const Tree::Range children = tree.children(level - 1, parent);
    if (count * 4 >= (children.end - children.begin) * 3) parents.insert(parent);
  }
  return parents;
}

// Takes away the names that have one parent, and those that are meant to have several: where most
// names of the level do, or nearly all of one parent. There a wrong label may have made the second
// parent: what it has parted is no larger together than the largest one that stands once. True:
// some are meant so.
bool TakeMeant(const Tree& tree, int level, Domains& domains) {
  const size_t names = domains.size();
  int32_t largest = 0;
  for (const auto& [name, places] : domains)
    if (places.size() == 1) largest = std::max(largest, NodesOf(tree, level, places));
  std::erase_if(domains, [](const auto& entry) { return entry.second.size() == 1; });
  const size_t doubled = domains.size();
  if (doubled * 2 > names) {
    domains.clear();
    return true;
  }
  const std::set<int32_t> parents = ParentsOfLike(tree, level, domains);
  std::erase_if(domains, [&](const auto& entry) {
    const bool alike = std::any_of(entry.second.begin(), entry.second.end(), [&](int32_t domain) {
      return parents.contains(tree.parent(level, domain));
    });
    return alike && NodesOf(tree, level, entry.second) > largest;
  });
  return domains.size() < doubled;
}

// Empty: it may, or it runs.
std::string WhyNever(LockedPlanner& planner, const GroupReport& gang) {
  if (gang.never()) return std::string(BareReason(gang));
  if (gang.state != GroupState::kNew && gang.state != GroupState::kBlocked) return {};
  const std::optional<GroupReport> whole =
      planner.Take(TurnFor::kReport, [&gang](Planner& one) { return one.Report(gang.id); });
  if (!whole || whole->problems.empty()) return {};
  // A wrong one keeps nobody from starting while enough others are there.
  const bool enough = whole->size > 0 && whole->seen >= whole->size;
  return enough ? std::string() : whole->problems.front();
}

// Pods with words of ours that are members of no gang as they are, by why: but for those that
// other lines tell, or that are still read about. Empty: none.
std::string Misfitting(const Planner& planner) {
  std::string text;
  for (const auto& [reason, pods] : planner.Stats().without_group) {
    const bool left =
        reason == "no_words" || reason == "owner_unread" || reason == Name(Misfit::kUnknownWord);
    if (pods > 0 && !left) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", pods, reason);
  }
  return text;
}

}  // namespace

void CheckDomains(const Tree& tree, Findings& findings) {
  bool doubled = false;
  std::string counting;  // levels
  for (int level = 1; level < tree.leaf_level(); ++level) {
    Domains domains;
    for (int32_t i = 0; i < tree.size(level); ++i) domains[tree.name(level, i)].push_back(i);
    const bool counts = TakeMeant(tree, level, domains);
    if (counts) counting += (counting.empty() ? "" : ", ") + tree.level(level).name;
    if (domains.empty()) continue;
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

void CheckCluster(const std::vector<TopologySettings>& topologies, LockedPlanner& planner,
                  const ClusterSigns& signs, Findings& findings) {
  const Placed seen = planner.Take(TurnFor::kReport, Look);
  CheckNodes(signs.nodes(), seen, findings);
  CheckTopologies(topologies, seen, signs, findings);
  std::vector<const Tree*> trees;
  for (const TopologySeen& one : seen.topologies) {
    trees.push_back(one.tree.get());
    if (one.tree->leaf_count() > 0) CheckDomains(*one.tree, findings);
  }
  signs.Tell(findings, trees);
}

void CheckMembers(LockedPlanner& planner, Findings& findings) {
  const std::string text = planner.Take(TurnFor::kReport, Misfitting);
  if (text.empty()) return;
  findings.Add(Health::kWarn, "pods", "members of no gang as they are: " + text,
               "words that can be followed: kubectl describe pod and gangplan explain tell what is "
               "wrong with these (docs/concepts.md#words-that-nobody-reads)");
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
