#include "extender/cli/drain.h"

#include <algorithm>
#include <utility>

#include "topology/base/spelling.h"
#include "topology/base/text.h"
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

absl::StatusOr<std::set<std::string>> Find(const Model& model, std::string_view what) {
  if (model.FindNode(what) != kNoNode) return std::set{std::string(what)};
  const Tree& tree = model.tree();
  std::vector<std::string> paths;
  for (int level = 0; level < tree.leaf_level(); ++level) {
    for (int32_t i = 0; i < tree.size(level); ++i) {
      paths.push_back(tree.Path(level, i));
      if (paths.back() == what) return NodesIn(tree, level, i);
    }
  }
  const std::vector<std::string_view> known(paths.begin(), paths.end());
  std::string meant = Suggestion(what, known);
  if (meant.empty() && !paths.empty()) meant = fmt::format("; expected as {}", Shown(paths.back()));
  return Invalid("\"{}\" is neither a node nor the path of a domain{}", Shown(what), meant);
}

// The pods of others go, too: what becomes of them is not known.
ObjectList Emptied(ObjectList objects, const std::vector<GroupReport>& gangs,
                   const std::set<std::string>& nodes) {
  objects = Unplaced(std::move(objects), gangs, &nodes);
  std::erase_if(objects.pods, [&](const PodFacts& pod) { return nodes.contains(pod.node_name); });
  for (NodeFacts& node : objects.nodes) node.unschedulable |= nodes.contains(node.name);
  return objects;
}

}  // namespace

absl::StatusOr<std::set<std::string>> NodesOf(DryRun& run, std::string_view what) {
  return run.Ask([what](const Planner& planner) { return Find(planner.model(), what); });
}

Drain DrainOf(const Settings& settings, const ObjectList& objects,
              const std::vector<GroupReport>& gangs, std::set<std::string> nodes) {
  Drain drain{std::move(nodes), {}, 0};
  const std::vector<GroupReport> after =
      DryRun(settings, Emptied(objects, gangs, drain.nodes)).Gangs();
  for (ReplayedGang& gang : CompareGangs(gangs, after)) {
    const auto& before = gang.before.nodes;
    const auto loses = std::count_if(before.begin(), before.end(), [&](const std::string& node) {
      return drain.nodes.contains(node);
    });
    if (loses == 0) continue;
    const auto size = static_cast<int64_t>(before.size());
    const bool fits = gang.after.nodes.size() >= before.size();
    drain.gangs.push_back({std::move(gang), loses, size, fits});
  }
  const std::set<std::string> members = MembersOf(gangs);
  drain.others = std::count_if(objects.pods.begin(), objects.pods.end(), [&](const auto& pod) {
    return !pod.finished() && drain.nodes.contains(pod.node_name) &&
           !members.contains(NameInNamespace(pod.ns, pod.name));
  });
  return drain;
}

}  // namespace gangplan
