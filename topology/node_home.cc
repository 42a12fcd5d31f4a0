#include "topology/node_home.h"

namespace gangplan {

NodeHome HomeOf(std::span<const ScopedTopology> topologies, const LabelSet& labels) {
  NodeHome home;
  TopologyIndex rest = kNoTopology;
  for (size_t i = 0; i < topologies.size(); ++i) {
    const auto index = static_cast<TopologyIndex>(i);
    if (topologies[i].nodes.all()) {
      if (rest == kNoTopology) rest = index;
    } else if (IsWithin(topologies[i].nodes, labels)) {
      home.several = home.topology != kNoTopology;
      if (home.several) break;
      home.topology = index;
    }
  }
  if (home.topology == kNoTopology) home.topology = rest;
  return home;
}

}  // namespace gangplan
