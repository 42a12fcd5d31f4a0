#include "extender/cli/drain.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "topology/base/spelling.h"
#include "topology/base/text.h"
#include "topology/model.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

std::set<std::string> NodesIn(const Tree& tree, int level, int32_t domain) {
  std::set<std::string> nodes;
  const Tree::Range leaves = tree.leaves(level, domain);
  for (int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf)
    nodes.insert(tree.name(tree.leaf_level(), leaf));
  return nodes;
}

// Of several topologies paths are shown with its name before them, and meant without it, too.
std::string HeadOf(const Model& model, const Tree& tree) {
  return model.topologies().size() > 1 ? tree.topology().name + "/" : std::string();
}

bool IsMeant(std::string_view head, std::string_view path, std::string_view what) {
  return what == path || (what.starts_with(head) && what.substr(head.size()) == path);
}

// Adds the paths of its domains; the nodes of the one that is meant.
std::optional<std::set<std::string>> FindIn(const Tree& tree, const std::string& head,
                                            std::string_view what,
                                            std::vector<std::string>& paths) {
  for (int level = 0; level < tree.leaf_level(); ++level) {
    for (int32_t i = 0; i < tree.size(level); ++i) {
      const std::string path = tree.Path(level, i);
      if (IsMeant(head, path, what)) return NodesIn(tree, level, i);
      paths.push_back(head + path);
    }
  }
  return std::nullopt;
}

bool IsPathOf(const Model& model, NodeIndex node, std::string_view what) {
  const TopologyIndex topology = node == kNoNode ? kNoTopology : model.HomeOf(node).topology;
  if (topology == kNoTopology) return false;
  const Tree& tree = model.tree(topology);
  const int32_t leaf = model.LeafOfNode(topology, node);
  return leaf >= 0 && IsMeant(HeadOf(model, tree), tree.Path(tree.leaf_level(), leaf), what);
}

absl::StatusOr<std::set<std::string>> Find(const Model& model, std::string_view what) {
  if (model.FindNode(what) != kNoNode) return std::set{std::string(what)};
  const NodeIndex last = model.FindNode(what.substr(what.rfind('/') + 1));
  if (IsPathOf(model, last, what)) return std::set{model.NodeName(last)};
  std::vector<std::string> paths;
  for (size_t i = 0; i < model.topologies().size(); ++i) {
    const Tree& tree = model.tree(static_cast<TopologyIndex>(i));
    auto found = FindIn(tree, HeadOf(model, tree), what, paths);
    if (found) return *std::move(found);
  }
  const std::vector<std::string_view> known(paths.begin(), paths.end());
  std::string meant = Suggestion(what, known);
  if (meant.empty() && !paths.empty()) meant = fmt::format("; expected as {}", Shown(paths.back()));
  return Invalid("\"{}\" is neither a node nor the path of a domain{}", Shown(what), meant);
}

bool IsAlive(const PodFacts& pod) { return !pod.finished() && !pod.terminating; }
bool IsOfDaemonSet(const PodFacts& pod) {
  return pod.controller && pod.controller->kind == "DaemonSet";
}

using Named = std::pair<std::string, GroupKey>;
// Members that live and are bound: in all, and on the nodes.
struct Standing {
  int64_t members = 0;
  int64_t hit = 0;
};
std::map<Named, Standing> StandingOf(const ObjectList& objects,
                                     const std::vector<GroupReport>& gangs,
                                     const std::set<std::string>& nodes) {
  std::map<std::string, const std::string*> bound;  // the node, by "namespace/name"
  for (const PodFacts& pod : objects.pods) {
    if (IsAlive(pod) && !pod.node_name.empty())
      bound.emplace(NameInNamespace(pod.ns, pod.name), &pod.node_name);
  }
  std::map<Named, Standing> standing;
  for (const GroupReport& gang : gangs) {
    Standing& its = standing[{gang.name, gang.key}];
    for (const auto& slot : gang.slots) {
      const auto pod = bound.find(NameInNamespace(gang.key.ns, slot.pod));
      if (pod == bound.end()) continue;
      ++its.members;
      its.hit += nodes.contains(*pod->second);
    }
  }
  return standing;
}

// Members are made anew now. The pods of others go, too: what becomes of them is not known.
ObjectList Emptied(ObjectList objects, const std::vector<GroupReport>& gangs,
                   const std::set<std::string>& nodes, absl::Time now) {
  for (PodFacts& pod : objects.pods) {
    if (IsAlive(pod) && nodes.contains(pod.node_name)) pod.created = absl::ToUnixSeconds(now);
  }
  objects = Unplaced(std::move(objects), gangs, &nodes);
  std::erase_if(objects.pods, [&](const PodFacts& pod) { return nodes.contains(pod.node_name); });
  for (NodeFacts& node : objects.nodes) node.unschedulable |= nodes.contains(node.name);
  return objects;
}

}  // namespace

absl::StatusOr<std::set<std::string>> NodesOf(DryRun& run, std::string_view what) {
  return run.Ask([what](const Planner& planner) { return Find(planner.model(), what); });
}

Drain DrainOf(const Settings& settings, const ObjectList& objects, DryRun& run,
              std::set<std::string> nodes) {
  Drain drain{std::move(nodes), {}, 0};
  const std::vector<GroupReport> gangs = run.Gangs();
  const std::vector<GroupReport> after =
      DryRun(settings, Emptied(objects, gangs, drain.nodes, run.now()), run.now()).Gangs();
  const std::map<Named, Standing> standing = StandingOf(objects, gangs, drain.nodes);
  for (ReplayedGang& gang : CompareGangs(gangs, after)) {
    const auto found = standing.find({gang.name, gang.key});
    if (found == standing.end() || found->second.hit == 0) continue;
    const auto [members, hit] = found->second;
    const bool unknown = gang.stays && hit == members;
    if (unknown) gang.after = {"not told: not whole, or grown", {}, 0};
    const bool fits = !unknown && gang.after.nodes.size() >= gang.before.nodes.size();
    drain.gangs.push_back({std::move(gang), hit, members, fits});
  }
  const std::set<std::string> members = MembersOf(gangs);
  drain.others = std::count_if(objects.pods.begin(), objects.pods.end(), [&](const auto& pod) {
    return IsAlive(pod) && !IsOfDaemonSet(pod) && drain.nodes.contains(pod.node_name) &&
           !members.contains(NameInNamespace(pod.ns, pod.name));
  });
  return drain;
}

}  // namespace gangplan
