// The best placement of parts by a table: what is best in a domain with so many members of each
// part does not depend on the rest of the tree, so it is looked for once, by dealing the members to
// its children one after the other. Below the lowest level with an own rule parts of one shape are
// the same, and the question is one for several.h.
//
//   a rack of two nodes for 3 pods each; 2 leaders (own: node=pack max=1), 3 workers: the second
//   node can take what is left where the first has a leader and 2 workers, or a leader and one;
//   both cost as much, nodes of 3 and of 2, and it is the former
//
// Exact where it ends. It grows with the product of the parts' members (two for a part that must
// share one domain), so it is for small gangs; `steps` and kMostStates end it. Of placements that
// cost the same it has the one with more members in the first domains by path.
//
// Cost: a step for each number of members that is tried on a child, more for each way that is kept
// beside what is left, by the length of the costs, and what the questions below take. Thread rule:
// one call at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "algorithms/exact/part_costs.h"

namespace gangplan::exact {

class PartTable {
 public:
  // All outlive it.
  PartTable(const PlacementView& view, const PlacementRequest& request, const Parts& parts,
            const PartCosts& costs, bool counted, int64_t& steps);

  // Nothing: there is none, or the table was not filled to its end.
  std::optional<PartPlacement> Best();
  // False: what it says is not proven.
  bool proven() { return proven_ && !ended(); }

 private:
  // The best in a domain, below its own level.
  struct Entry {
    bool placed = false;
    PartCostList costs;
    std::vector<PartCounts> children;  // of each child, from the first
    PartPlacement leaves;              // of a domain that was asked as a whole, from its first leaf
  };
  // What is left after some children, and how many children each rule about their number has used.
  using State = std::vector<int32_t>;
  struct Way {
    PartCostList costs;
    const State* from = nullptr;
    PartCounts take;
  };
  using Layer = std::map<State, Way>;
  class Dealing;

  bool ended() { return ended_ = ended_ || steps_ <= 0 || states_ > kMostStates; }
  void FindKinds();
  int32_t KindOf(int level, int32_t domain) const { return kinds_[level + 1][domain]; }
  const Entry& At(int level, int32_t domain, const PartCounts& members);
  Entry Deal(int level, int32_t domain, const PartCounts& members);
  Entry Below(int level, int32_t domain, const PartCounts& members);
  void Collect(int level, int32_t domain, const PartCounts& members, PartPlacement& placed);

  static constexpr int64_t kMostStates = 400'000;  // some hundred bytes each
  // Of a way or an entry: how many such states it is as large as.
  int64_t Weight() const {
    return 1 + static_cast<int64_t>(costs_.size() + 2 * parts_.size()) / 16;
  }

  const PlacementView& view_;
  const Tree& tree_;
  const PlacementRequest& request_;
  const Parts& parts_;
  const PartCosts& costs_;
  const bool counted_;
  int64_t& steps_;
  int64_t states_ = 0;
  bool ended_ = false;
  bool proven_ = true;
  std::vector<std::vector<int32_t>> kinds_;  // by level + 1 and domain: equal ones are alike
  std::map<std::tuple<int, int32_t, PartCounts>, Entry> entries_;
};

}  // namespace gangplan::exact
