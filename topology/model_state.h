// The parts of a Model. Internal to the files of the model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "topology/base/steady_map.h"
#include "topology/model.h"
#include "topology/node_table.h"
#include "topology/resource_table.h"
#include "topology/shape_table.h"
#include "topology/tree.h"

namespace gangplan {

struct PodRecord {
  NodeIndex node = kNoNode;
  DemandId demand = kNoDemand;
};

struct Model::State {
  // Of a topology: its tree, and what is to be done to it.
  struct Place {
    std::shared_ptr<const Tree> tree = std::make_shared<const Tree>();
    std::vector<NodeIndex> leaf_nodes;
    bool stale = true;
    // Of nodes that came, went or moved since the tree was made.
    struct Moves {
      std::vector<int32_t> gone;  // leaves
      std::vector<std::string> names;
    };
    std::optional<Moves> moves;  // nothing: the tree is made anew
    size_t stale_nodes = 0;      // that came, went or moved since, as often as they did
  };

  std::vector<ScopedTopology> topologies;
  std::vector<Place> places;  // by topology
  int64_t work = 0;           // see Model::work; without that of the shapes
  ResourceTable resources;
  DemandTable demands;
  NodeTable nodes;
  ShapeTable shapes;
  SteadyMap<PodRecord> pods;

  Place& place(TopologyIndex topology) { return places[static_cast<size_t>(topology)]; }
  // With its tree up to date.
  Place& FreshPlace(TopologyIndex topology);
  ShapeContext context(TopologyIndex topology) {
    const Place& own = place(topology);
    return {nodes, demands, resources, *own.tree, own.leaf_nodes, topology};
  }
  // With its tree up to date.
  ShapeContext ContextOf(ShapeId shape) {
    FreshPlace(shapes.topology(shape));
    return context(shapes.topology(shape));
  }
  void BeginChange() { shapes.Trim(demands, resources); }
  void MakeTree(TopologyIndex topology);
  void MoveNodes(TopologyIndex topology);
  // Before the node's facts change in what the tree of its topology shows of them, and when it has
  // come to another one.
  void MarkTreeStale(NodeIndex node);
  void SetHome(NodeIndex node, const NodeHome& home);
  void FactsChanged(NodeIndex node, bool freed) { shapes.Changed({node, true, freed}); }
  void Unhold(NodeIndex node, ShapeId shape, bool freed);
  void UsageChanged(NodeIndex node, bool freed) {
    shapes.Changed({node, false, freed && nodes.at(node).exists});
  }
  // Puts the pod on a node, or takes it off. The record of the pod is the caller's, and so is
  // UsageChanged.
  void Occupy(const PodRecord& pod);
  void Vacate(const PodRecord& pod);
  void Remove(std::string_view uid, bool freed);
};

}  // namespace gangplan
