// What a placement of parts costs, and which rules it breaks: level by level from the top, first
// the rule of all where it is told, then each part's own rule, then what holds where nothing is
// told (a soft pack of all). Costs are LevelCost's and add up over domains; they are compared in
// this order.
//
//   block=pack!; leaders: node=pack max=1; workers: rack=pack
//   in one rack, a leader and 4 workers on one node, a leader on another: domains and squares are
//   1 and 36 by block=pack!, 1 and 16 by the workers' rule, 1 and 36 of all in racks, 2 and 2 by
//   the leaders' rule, 2 and 26 of all on nodes
//
// Const reads from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/exact/parts.h"
#include "topology/tree.h"

namespace gangplan::exact {

using PartCostList = std::vector<int64_t>;

class PartCosts {
 public:
  // `terms`: of the rules of all. All three outlive it.
  PartCosts(const Tree& tree, const PlacementRequest& request, const std::vector<Terms>& terms,
            const Parts& parts);

  // One number of the costs: the level, and whose rule it is (-1: that of all).
  struct Number {
    int level = 0;
    int part = -1;
  };
  const std::vector<Number>& numbers() const { return numbers_; }
  size_t size() const { return numbers_.size(); }
  // What it takes to judge a placement on so many leaves, in steps.
  int64_t Steps(size_t leaves) const {
    return static_cast<int64_t>(leaves * (numbers_.size() + parts_.size() * terms_.size())) / 8;
  }
  const Terms& terms(int level) const { return terms_[static_cast<size_t>(level)]; }

  // A domain of the level may have these members, by the rules of that level.
  bool Allows(int level, const PartCounts& members) const;
  // Adds what it costs there. REQUIRES: costs.size() == size().
  void Add(int level, const PartCounts& members, std::span<int64_t> costs) const;
  // Of a whole placement, whether it keeps the rules or not. O(used leaves x levels x parts).
  PartCostList Sum(const PartPlacement& placed) const;
  // The same; nothing: it breaks a rule.
  std::optional<PartCostList> Of(const PartPlacement& placed) const;

 private:
  bool Keeps(const PartPlacement& placed) const;
  bool PartsKept(int level, const std::map<int32_t, PartCounts>& used) const;

  const Tree& tree_;
  const std::vector<Terms>& terms_;
  const Parts& parts_;
  std::vector<Number> numbers_;
};

}  // namespace gangplan::exact
