// Random Jobs for a cluster of equal nodes, of one pod set in our own words, of two in Kueue's (a
// leader and its workers), or of one that a ConfigMap of Sakkara's users describes. Pure functions
// of chance.
#pragma once

#include <cstdint>

#include "tests/simulation/job.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

struct ClusterSize {
  int blocks = 1;
  int racks = 1;     // in a block
  int per_rack = 1;  // nodes
  int64_t gpus = 4;  // of a node
};

Job RandomJob(Random& random, const ClusterSize& cluster, int number);

}  // namespace gangplan::simulation
