// Where the few pods of a crowd stand on the leaves of one domain whose split is known. A proposal:
// the rest, asked beside them, says what it costs, and whether the rules are kept.
//
//   nodes of 8 workers, or 9 pods with two others beside, and of 8; a split of 9 and 4: the others
//   are on the first
//
// Thread rule: one call at a time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "algorithms/exact/crowd_room.h"
#include "algorithms/exact/fullest.h"
#include "algorithms/exact/split.h"
#include "topology/tree.h"

namespace gangplan::exact {

class CrowdPlaces {
 public:
  // REQUIRES: both outlive this.
  CrowdPlaces(const Tree& tree, const CrowdRoom& room) : tree_(tree), room_(room) {}

  // The load on leaves of one domain, which take these values. False: not all of it has a leaf.
  // O(Fullest::Work).
  bool Put(LevelRule::Kind kind, Tree::Range leaves, int32_t load, std::span<const Run> split);
  std::map<int32_t, Mix> Take() { return std::move(put_); }

 private:
  void PutPacked(Tree::Range leaves, int32_t load, std::span<const Run> split);
  bool PutRest(Tree::Range leaves, const Fullest::Used& used, int32_t rest, int32_t members);
  bool PutSpread(Tree::Range leaves, int32_t load, std::span<const Run> split);
  void PutHosts(int32_t first, std::span<const Fullest::Host> hosts);
  void PutAt(int32_t leaf, int32_t part);
  int32_t Most(int32_t leaf, int32_t load) const {
    return room_.Row(tree_.leaf_level(), leaf)[static_cast<size_t>(load)];
  }

  const Tree& tree_;
  const CrowdRoom& room_;
  std::map<int32_t, Mix> put_;
};

}  // namespace gangplan::exact
