// What the fullest of some siblings hold together with a load (see loads.h), by how many of them
// are used, and which of these then host it.
//
//   racks of 8, 8 and 4 workers, 9 beside a leader on the second, none beside it on the others:
//   one of them holds 9 with the leader, two hold 17, three 21
//
// Who hosts nothing is one of the fullest, so the used ones are the first t in that order, and
// hosts beyond. Built at once; const reads from any thread. O(siblings * pods * loads^2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/exact/loads.h"

namespace gangplan::exact {

class Fullest {
 public:
  // `rows`: of each sibling what it holds by load, less than 0 where that does not fit.
  Fullest(std::span<const int32_t> rows, const Loads& loads);

  static int64_t Work(size_t siblings, const Loads& loads);
  static int64_t Work(size_t siblings, int64_t loads, int64_t pods);
  static int64_t Bytes(size_t siblings, const Loads& loads);

  int32_t siblings() const { return static_cast<int32_t>(order_.size()); }
  // With exactly this load; less than 0: it does not fit on so many.
  int64_t Held(int32_t used, int32_t load) const { return held_[At(used, load)]; }
  // With any part of it.
  int64_t HeldWithin(int32_t used, int32_t load) const { return within_[At(used, load)]; }

  // By place in the order, the fullest first: who it is, what it holds with a part, and what those
  // before it hold without a load.
  int32_t sibling(int32_t place) const { return order_[static_cast<size_t>(place)]; }
  int32_t Most(int32_t place, int32_t part) const { return RowOf(place, part); }
  int64_t HeldAlone(int32_t place) const { return alone_[static_cast<size_t>(place)]; }
  // What exactly so many hosts from this place on hold with the load; less than 0: it does not fit.
  int64_t HeldBeyond(int32_t place, int32_t hosts, int32_t load) const {
    return beyond_[Beyond(place, hosts, load)];
  }

  struct Host {
    int32_t sibling = 0;  // by index
    int32_t part = 0;
  };
  struct Used {
    std::vector<Host> hosts;
    std::vector<int32_t> others;  // used without a part
  };
  // Of those that hold the most, the fullest host. REQUIRES: Held(used, load) >= 0.
  Used Trace(int32_t used, int32_t load) const;

 private:
  size_t At(int32_t used, int32_t load) const {
    return static_cast<size_t>(used) * width_ + static_cast<size_t>(load);
  }
  size_t Beyond(int32_t first, int32_t hosts, int32_t load) const {
    return (static_cast<size_t>(first) * (most_hosts_ + 1) + static_cast<size_t>(hosts)) * width_ +
           static_cast<size_t>(load);
  }
  int32_t RowOf(int32_t place, int32_t load) const {
    return rows_[static_cast<size_t>(order_[static_cast<size_t>(place)]) * width_ +
                 static_cast<size_t>(load)];
  }
  void FillGain();
  void FillBeyond();
  void FillHeld();
  int64_t HeldBy(int32_t first, int32_t hosts, int32_t load, int32_t inside) const;

  const Loads& loads_;
  std::span<const int32_t> rows_;
  size_t width_;
  size_t most_hosts_;
  std::vector<int32_t> order_;   // the fullest first
  std::vector<int64_t> alone_;   // [t]: the first t hold so many without a load
  std::vector<int32_t> gain_;    // [t][load]: with hosts among the first t, so many more
  std::vector<int32_t> beyond_;  // [t][hosts][load]: what so many hosts after the first t hold
  std::vector<int64_t> held_, within_;  // [used][load]
};

}  // namespace gangplan::exact
