// The cluster of the workload `lock`: 51,200 nodes of 8 GPUs in 10 blocks of 32 racks, of which
// nine in ten have pods of others, and gangs of Jobs and of bare pods. The same at every run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topology/node_facts.h"
#include "topology/pod_facts.h"
#include "topology/tree.h"

namespace gangplan {

Topology LockLevels();
std::string LockNodeName(int32_t number);
NodeFacts LockNode(int32_t number);
std::vector<NodeFacts> LockNodes();
// One that takes 1 to 8 GPUs of its node, on nine nodes in ten.
std::vector<PodFacts> LockForeignPods();

struct LockGang {
  std::string name;
  int32_t size = 64;
  int64_t gpus = 1;     // of a member
  int64_t cpus = 4;     // likewise
  std::string place;    // our words; empty: none
  std::string tas;      // the level that Kueue's words require; empty: our words
  bool leader = false;  // pod 0 is a pod set of its own, without GPUs
  bool job = true;      // its pods have a controller, which has to be read
  int32_t priority = 0;
  std::string apart_from;  // the app whose pods it keeps off its nodes; empty: nobody's
  std::string near;        // the app beside which it stands, in a rack; likewise

  std::string ns() const { return "team-" + std::string(1, name.back()); }
  std::string key() const { return ns() + "/" + name; }
};
// Of different shapes, priorities and rules; most of them find no room.
std::vector<LockGang> LockGangs(int32_t count);

PodFacts LockPod(const LockGang& gang, int32_t index);
// Its Job.
OwnerFacts LockOwner(const LockGang& gang);
PodFacts LockForeignPod(std::string_view name, int64_t gpus, int32_t priority = 0);

}  // namespace gangplan
