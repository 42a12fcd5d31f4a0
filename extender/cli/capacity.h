// How large a gang of equal pods may be in one domain of each level, now and on the empty cluster.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/model.h"
#include "topology/pod_facts.h"

namespace gangplan {

// Of the domains of one level; the whole cluster is a level as well.
struct LevelRoom {
  int64_t largest = 0;  // pods of the largest gang that fits into one domain
  std::string domain;   // the first such domain; empty: there is none, or it is the cluster
  int64_t gangs = 0;    // so many of the wanted size, each in one domain
};
struct LevelCapacity {
  std::string level;  // "cluster" for all of it; of several topologies "racks" and "racks/block"
  int64_t domains = 0;
  LevelRoom now;
  LevelRoom empty;
  // Percent of the pods for which what is free in the cluster would do, as far as the largest
  // domain could have them, that are too many for the largest gang of now.
  int64_t lost = 0;
};
struct Capacity {
  std::vector<LevelCapacity> levels;  // the cluster, then from the coarsest
  int64_t free = 0;                   // pods for which all that is free would do, in one piece
  int64_t tainted = 0;                // nodes that such pods may not use for a taint
  int64_t unplaced = 0;               // nodes without a place in the tree: no gang stands there
};

// What each pod of a gang asks for, and of which nodes.
struct AskedPod {
  ResourceList request;
  NodeFilter filter;
  friend bool operator==(const AskedPod&, const AskedPod&) = default;
};

// In words: "8gpu", "nvidia.com/gpu=8,cpu=4". Such pods tolerate the taints of the devices that
// they ask for, as admission has it. Errors name what is wrong.
absl::StatusOr<AskedPod> ParseShape(std::string_view text);
// A device where the nodes have some, else a cpu.
std::string UsualShape(const Model& model);
// The pods of a manifest, which must be alike. Errors say what is not.
absl::StatusOr<AskedPod> AskedOf(const std::vector<PodFacts>& pods);
// "nvidia.com/gpu=8,cpu=4", as ParseShape reads it, but for what has no name there.
std::string ShapeText(const ResourceList& request);

// Devices of it that no node has.
std::vector<std::string> UnknownResources(const Model& model, const ResourceList& request);

// Gangs of `size` such pods. REQUIRES: size > 0.
Capacity CapacityOf(const Model& model, const AskedPod& pod, int64_t size);

}  // namespace gangplan
