// What happens to single nodes: they go with their pods, are cordoned or not ready, shrink, get a
// taint, are to be empty at a time, move to another rack or topology. Each is as it was after a
// while.
#pragma once

#include "tests/simulation/world.h"

namespace gangplan::simulation {

class NodeHarm {
 public:
  explicit NodeHarm(World& world) : world_(world) {}

  void LoseOrCordon();  // profile node_faults
  void Change();        // profile node_changes
  void Move();          // profile node_moves

 private:
  // One that is there, as it was at the start; null: the one that chance chose is gone.
  const NodeFacts* Choose();
  void Lose(const NodeFacts& node);
  void Cordon(NodeFacts node);
  void Shrink(NodeFacts node);
  void Taint(NodeFacts node);
  void Announce(NodeFacts node);
  void MoveHome(NodeFacts node);
  void Put(const NodeFacts& changed, absl::Duration longest);

  World& world_;
};

}  // namespace gangplan::simulation
