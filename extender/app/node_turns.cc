#include "extender/app/node_turns.h"

#include "topology/device.h"
#include "topology/model.h"
#include "topology/node_facts.h"

namespace gangplan {

std::shared_ptr<const Tree> TreeNow(LockedPlanner& planner) {
  return planner.Take(TurnFor::kReport, [](Planner& inner) { return inner.model().SharedTree(); });
}

std::string ShownResource(LockedPlanner& planner, const Tree& tree) {
  std::string resource = "cpu";
  EachNode(planner, tree, [&](const Model&, const NodeFacts& facts, NodeIndex, int32_t) {
    for (const ResourceAmount& entry : facts.allocatable) {
      if (!IsDevice(entry)) continue;
      resource = entry.name;
      return false;
    }
    return true;
  });
  return resource;
}

}  // namespace gangplan
