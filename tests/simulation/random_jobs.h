// Random Jobs for a cluster of equal nodes, of one pod set in our own words, of two in Kueue's (a
// leader and its workers), or of one that a ConfigMap of Sakkara's users describes. Pure functions
// of chance.
#pragma once

#include "tests/simulation/job.h"
#include "tests/simulation/profile.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

struct ClusterSize {
  int blocks = 1;
  int racks = 1;     // in a block
  int per_rack = 1;  // nodes
  int64_t gpus = 4;  // of a node
  int64_t cpu = 64'000;
  int jobs = 4;  // at most
};

ClusterSize RandomSize(Random& random, const Profile& profile);
Job RandomJob(Random& random, const Profile& profile, const ClusterSize& cluster, int number);

}  // namespace gangplan::simulation
