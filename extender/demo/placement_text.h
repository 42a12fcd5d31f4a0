// Where a gang stands, read from the annotations of its bound pods, and that in a few words. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/pod_facts.h"

namespace gangplan {

// One bound member: its rank, and its node's path from the top ("block-1/rack-2/b1-r2-n07").
struct PlacedRank {
  int32_t rank = 0;
  std::string path;
};

// The members of `job` by rank. A pod without our annotations counts as rank -1, without a path.
std::vector<PlacedRank> ReadPlacement(const std::vector<PodFacts>& pods, std::string_view job);

// The first `names` of a path: 1 gives the block, 2 the rack.
std::string Prefix(const std::string& path, int names);
// All ranks 0, 1, ... are there and lie in one domain of the first `names` levels, in the order of
// the tree.
bool StandsInOne(const std::vector<PlacedRank>& placement, int names);

// "rack-1 0-6, rack-3 7-11": the ranks in each domain of `names` levels, by its last name.
std::string RanksByDomain(const std::vector<PlacedRank>& placement, int names);

// `text` behind `indent` blanks, broken after ',' and ';' so that no line is longer than `width`,
// where that can be; further lines stand deeper. REQUIRES: indent + 2 < width.
std::string Wrap(const std::string& text, size_t indent, size_t width);

}  // namespace gangplan
