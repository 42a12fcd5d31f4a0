// The cluster of the workload `lock`: 51,200 nodes of 8 GPUs in 10 blocks of 32 racks, of which
// nine in ten have pods of others, and gangs of Jobs and of bare pods. The same at every run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topology/node_facts.h"
#include "topology/node_scope.h"
#include "topology/pod_facts.h"
#include "topology/tree.h"

namespace gangplan {

inline constexpr int32_t kLockNodes = 51'200;

Topology LockLevels();
// Nodes of a second topology with these levels: none at first.
NodeScope LockRings();
std::string LockNodeName(int32_t number);
NodeFacts LockNode(int32_t number);
// The first ones; 5,120 of them are one block.
std::vector<NodeFacts> LockNodes(int32_t nodes = kLockNodes);
// One that takes 1 to 8 GPUs of its node, on nine in ten of these nodes.
std::vector<PodFacts> LockForeignPods(int32_t nodes = kLockNodes);

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
  std::string team;        // its namespace; empty: by the last letter of its name

  std::string ns() const { return team.empty() ? "team-" + std::string(1, name.back()) : team; }
  std::string key() const { return ns() + "/" + name; }
};
// Of different shapes, priorities and rules; most of them find no room.
std::vector<LockGang> LockGangs(int32_t count);

PodFacts LockPod(const LockGang& gang, int32_t index);
// Its Job.
OwnerFacts LockOwner(const LockGang& gang);
ResourceList LockRequests(int64_t gpus, int64_t cpus);
PodFacts LockForeignPod(std::string_view name, int64_t gpus, int32_t priority = 0);

}  // namespace gangplan
