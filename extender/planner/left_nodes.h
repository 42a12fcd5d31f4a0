// Nodes whose labels have changed, so that they are another pair's now: the gangs that run there
// are told, once for all nodes that go together, and left where they are. What they lose is made
// anew on nodes that are ours.
//
// Costs nothing while no node leaves; then one look at each group, kLeftLooks slots a turn.
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "extender/planner/books.h"
#include "topology/node_scope.h"

namespace gangplan {

class LeftNodes {
 public:
  // `ours`: which nodes are.
  LeftNodes(const NodeScope& ours, const Books& books) : ours_(ours), books_(books) {}

  // It was ours, and is known as another one's now, or has come to another topology.
  void Note(NodeIndex node) { coming_.insert(node); }
  // It is ours again, or gone: what stands there is nobody's news.
  void Forget(NodeIndex node) {
    coming_.erase(node);
    nodes_.erase(node);
    for (auto& [group, nodes] : landing_) nodes.erase(node);
  }
  void Tick();

 private:
  void NoteLanding(const Group& group);
  void TellLanded();
  void Tell(const Group& group, const std::set<NodeIndex>& nodes) const;
  bool IsHome(const Group& group, NodeIndex node) const;
  std::string WhoseText(const Group& group, NodeIndex node) const;
  std::string WhyText(NodeIndex node) const;

  const NodeScope ours_;
  const Books books_;
  std::set<NodeIndex> coming_;  // of which nobody has been told yet
  std::set<NodeIndex> nodes_;   // of which the groups are being told
  GroupId told_ = 0;            // the last group that was looked at
  // Of these, to which Bindings of a group were on their way.
  std::map<GroupId, std::set<NodeIndex>> landing_;
};

}  // namespace gangplan
