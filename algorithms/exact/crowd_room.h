// What each domain holds at most of a gang beside some pods of other shapes, by how many of these
// are inside of it (a load, see loads.h). A domain's own words min, max and factor are kept, and no
// more of its children are used than have to be; which counts these can add up to is not looked at:
// so a domain never takes more than this, and perhaps less.
//
//   a rack of nodes for 8, 8 and 4 workers, where the first one has cores for two others beside:
//   20 members without others, 21 with one and 22 with two of them
//
// Built at once, const reads from any thread. O(domains * loads^2), above siblings of which a
// number has to be used Fullest::MostCost of these; 4 bytes a domain and load.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/exact/loads.h"
#include "algorithms/exact/terms.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan::exact {

class CrowdRoom {
 public:
  // The load does not fit.
  static constexpr int32_t kNone = -1;

  // `counts`: of the main shape. One of `terms` a level. REQUIRES: no member stands; Cost is paid.
  CrowdRoom(const Tree& tree, std::span<const Terms> terms, const Loads& loads,
            const FitCounts& counts, int32_t members);

  // Of as many loads, in steps.
  static int64_t Cost(const Tree& tree, std::span<const Terms> terms, int64_t loads);

  const Loads& loads() const { return loads_; }
  // By load; without a load 0 where nothing is held. Level -1 is the whole tree.
  std::span<const int32_t> Row(int level, int32_t index) const {
    const auto width = static_cast<size_t>(loads_.count());
    return std::span(most_[static_cast<size_t>(level + 1)])
        .subspan(static_cast<size_t>(index) * width, width);
  }
  // Those of all children of a domain, one after the other.
  std::span<const int32_t> Rows(int level, Tree::Range children) const {
    const auto width = static_cast<size_t>(loads_.count());
    return std::span(most_[static_cast<size_t>(level + 1)])
        .subspan(static_cast<size_t>(children.begin) * width,
                 static_cast<size_t>(children.end - children.begin) * width);
  }
  // The first domain of the level that is the same inside.
  int32_t Same(int level, int32_t index) const {
    return level < 0 ? index : same_[static_cast<size_t>(level)][static_cast<size_t>(index)];
  }

 private:
  void BuildLeaves(const Tree& tree, const FitCounts& counts);
  void BuildAbove(const Tree& tree, int level);
  void AddChild(std::span<const int32_t> child, std::span<const int32_t> before,
                std::span<int32_t> all) const;
  std::vector<int64_t> MostGains(int level) const;
  void HoldOnAny(int level, Tree::Range siblings, std::span<const int64_t> most_gains,
                 std::span<int32_t> row) const;
  void HoldOn(int32_t used, std::span<const int32_t> siblings, std::span<int32_t> row) const;
  void Own(const Terms& terms, std::span<int32_t> rows) const;

  const Loads& loads_;
  std::span<const Terms> terms_;
  int32_t members_;
  std::vector<std::vector<int32_t>> most_;  // [level + 1][index * loads + load]
  std::vector<std::vector<int32_t>> same_;  // [level][index]
};

}  // namespace gangplan::exact
