// The answer to GET /v1/topology, and of one gang its nodes, read. Pure; any thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gangplan {

struct MappedNode {
  std::string path;  // from the top, joined by '/'; its own name last
  bool usable = false;
  int64_t capacity = 0;  // of the resource that is shown
  int64_t used = 0;
  int64_t held = 0;
};
struct TopologyAnswer {
  std::vector<std::string> levels;
  std::string resource;
  std::vector<MappedNode> nodes;  // depth first
  int64_t unplaced = 0;
  bool told = false;  // it has nodes, be it none
};

// `body` is changed. Errors say that it is none.
absl::StatusOr<TopologyAnswer> ReadTopology(std::string& body);
// Of the answer to GET /v1/groups/NAMESPACE/NAME: the nodes where members have room or stand.
absl::StatusOr<std::set<std::string>> ReadNodesOfGang(std::string& body);

}  // namespace gangplan
