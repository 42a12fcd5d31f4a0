#include "extender/app/node_turns.h"

#include "topology/device.h"
#include "topology/model.h"
#include "topology/node_facts.h"

namespace gangplan {

std::vector<std::shared_ptr<const Tree>> TreesNow(LockedPlanner& planner) {
  return planner.Take(TurnFor::kReport, [](Planner& inner) {
    std::vector<std::shared_ptr<const Tree>> trees;
    for (size_t i = 0; i < inner.model().topologies().size(); ++i)
      trees.push_back(inner.model().SharedTree(static_cast<TopologyIndex>(i)));
    return trees;
  });
}

std::vector<std::string> NodesInNone(LockedPlanner& planner) {
  std::vector<std::string> names;
  for (NodeIndex next = 0; next != kNoNode;) {
    const std::vector<std::string> some = planner.Take(TurnFor::kReport, [&next](Planner& inner) {
      return inner.model().InNone(next, kLeavesPerTurn);
    });
    names.insert(names.end(), some.begin(), some.end());
  }
  std::sort(names.begin(), names.end());
  return names;
}

int64_t UnplacedIn(const Model& model) {
  int64_t nodes = model.node_count();
  for (size_t i = 0; i < model.topologies().size(); ++i)
    nodes -= model.tree(static_cast<TopologyIndex>(i)).leaf_count();
  return nodes;
}

std::string ShownResource(LockedPlanner& planner,
                          const std::vector<std::shared_ptr<const Tree>>& trees) {
  std::string resource;
  for (const auto& tree : trees) {
    if (!resource.empty()) break;
    EachNode(planner, *tree, [&](const Model&, const NodeFacts& facts, NodeIndex, int32_t) {
      for (const ResourceAmount& entry : facts.allocatable) {
        if (!IsDevice(entry)) continue;
        resource = entry.name;
        return false;
      }
      return true;
    });
  }
  return resource.empty() ? "cpu" : resource;
}

}  // namespace gangplan
