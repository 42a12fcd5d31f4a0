// How large a gang of equal pods may be in one domain of each level, now and on the empty cluster.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/model.h"

namespace gangplan {

// Of the domains of one level; the whole cluster is a level as well.
struct LevelRoom {
  int64_t largest = 0;  // pods of the largest gang that fits into one domain
  std::string domain;   // the first such domain; empty: there is none, or it is the cluster
  int64_t gangs = 0;    // so many of the wanted size, each in one domain
};
struct LevelCapacity {
  std::string level;  // "cluster" for all of it
  int64_t domains = 0;
  LevelRoom now;
  LevelRoom empty;
};
struct Capacity {
  std::vector<LevelCapacity> levels;  // the cluster, then from the coarsest
  int64_t tainted = 0;                // nodes that such pods may not use for a taint
  int64_t unplaced = 0;               // nodes without a place in the tree: no gang stands there
};

// The request of a pod in words: "nvidia.com/gpu=8,cpu=4". Errors name what is wrong.
absl::StatusOr<ResourceList> ParseShape(std::string_view text);
// A device where the nodes have some, else a cpu.
std::string UsualShape(const Model& model);

// Gangs of `size` pods of this request, which tolerate the taints of the devices that they ask for,
// as admission has it. REQUIRES: size > 0.
Capacity CapacityOf(const Model& model, const ResourceList& request, int64_t size);

}  // namespace gangplan
