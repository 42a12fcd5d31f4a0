// What the fullest of some siblings hold together with a load (see loads.h), by how many of them
// are used, and which of these then host it.
//
//   racks of 8, 8 and 4 workers, 9 beside a leader on the second, none beside it on the others:
//   one of them holds 9 with the leader, two hold 17, three 21
//
// Who hosts nothing is one of the fullest, so the used ones are the first t in that order, and
// hosts beyond. What so many hold is set out when it is asked for. O(siblings * pods * loads^2),
// less where few parts fit. Thread rule: one call at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/exact/loads.h"

namespace gangplan::exact {

class Fullest {
 public:
  // `rows`: of each sibling what it holds by load, less than 0 where that does not fit. `steps`
  // pays for what is set out later. REQUIRES: all outlive this; Cost is paid.
  Fullest(std::span<const int32_t> rows, const Loads& loads, int64_t& steps);

  // Of all that is set out at once, in steps.
  static int64_t Cost(std::span<const int32_t> rows, const Loads& loads);
  // No less than that of so many siblings, and of what is set out later for one number of them.
  static int64_t MostCost(int64_t siblings, int64_t loads, int64_t pods);
  static int64_t Bytes(size_t siblings, const Loads& loads);

  int32_t siblings() const { return static_cast<int32_t>(order_.size()); }
  // With exactly this load; less than 0: it does not fit on so many.
  int64_t Held(int32_t used, int32_t load) const {
    SetOut(used);
    return held_[At(used, load)];
  }
  // With any part of it.
  int64_t HeldWithin(int32_t used, int32_t load) const {
    SetOut(used);
    return within_[At(used, load)];
  }

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
  void AddBeyond(int32_t first, int32_t part, int32_t with);
  void SetOut(int32_t used) const {
    if (set_out_[static_cast<size_t>(used)] == 0) FillHeld(used);
  }
  void FillHeld(int32_t used) const;
  void AddHeld(int32_t used, int32_t hosts) const;
  int64_t HeldBy(int32_t first, int32_t hosts, int32_t load, int32_t inside) const;

  const Loads& loads_;
  std::span<const int32_t> rows_;
  size_t width_;
  size_t most_hosts_;
  std::vector<int32_t> order_;   // the fullest first
  std::vector<int64_t> alone_;   // [t]: the first t hold so many without a load
  std::vector<int32_t> gain_;    // [t][load]: with hosts among the first t, so many more
  std::vector<int32_t> beside_;  // [part][rest of a load]: 0, or kFar: they are not one load
  // [t][hosts][load]: what so many hosts after the first t hold
  std::unique_ptr<int32_t[]> beyond_;
  int64_t& steps_;
  int64_t held_cost_;                           // of what is set out later, in steps
  mutable std::vector<char> set_out_;           // [used]
  mutable std::vector<int64_t> held_, within_;  // [used][load]
};

}  // namespace gangplan::exact
