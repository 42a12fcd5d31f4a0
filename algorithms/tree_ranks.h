// Sakkara's ranks: pods in order of their distance in the tree from a master pod. The distance of
// two pods is the number of edges between them, a pod being a leaf below its node: 2 on one node, 4
// in one rack, 6 across two racks.
//
// The master is the pod with "master" in its name, rank 0. Where Sakkara is arbitrary (several such
// pods, none at all, equal distances), the first by path in byte order counts, on one node the
// first by name: so the order of the input never matters, and equally far pods of one rack stay
// together. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gangplan {

inline constexpr std::string_view kMasterWord = "master";

struct TreePlace {
  std::string_view pod;                // its name, unique
  std::vector<std::string_view> path;  // the units that hold it from the top, its node last
};

// Edges between two different pods.
int32_t TreeDistance(const TreePlace& a, const TreePlace& b);

// Places in `pods` in order of rank, the master first. O(n log n) comparisons of paths.
std::vector<int32_t> RankByDistance(std::span<const TreePlace> pods);

}  // namespace gangplan
