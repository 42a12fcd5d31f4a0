// What somebody can do to the others who may create pods in one namespace and nothing else: attacks
// of the workload `tenant`, each a step of 50 ms at a time. No pod asks for more than its user
// could get; what they claim is another matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/lock_world.h"

namespace gangplan {

inline constexpr size_t kHostilePods = 64;  // made in one step: 1,280 a second

// The hostile namespace. What it does is told as a watch tells it, 8 pods in a turn.
class Hostile {
 public:
  // REQUIRES: the world outlives it, and has so many nodes.
  Hostile(LockWorld& world, int32_t nodes);

  LockWorld& world() { return world_; }
  int32_t nodes() const { return nodes_; }
  // Nodes without pods of others, in their order.
  const std::vector<std::string>& bare() const { return bare_; }
  size_t pods() const { return pods_.size(); }
  // One of the group, of a name that it has never had; not there yet.
  PodFacts Pod(std::string_view group, int64_t gpus, int64_t cpus);
  void Make(const std::vector<PodFacts>& pods);
  void Remove(size_t count);  // the oldest
  // So many of them are told once more, with another label; the oldest go to the end.
  void Change(size_t count);
  // The scheduler asks for so many of them, in turn.
  void Ask(size_t count);

 private:
  LockWorld& world_;
  const int32_t nodes_;
  std::vector<std::string> bare_;
  std::deque<PodFacts> pods_;
  int64_t made_ = 0;
  int64_t asked_ = 0;
};

struct TenantAttack {
  std::string_view name;
  void (*step)(Hostile& hostile, int32_t number);
};
// The first does nothing.
const std::vector<TenantAttack>& TenantAttacks();

}  // namespace gangplan
