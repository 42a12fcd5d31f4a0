// Lists in Kueue's own orders, for what counting cannot decide: leaders, affinity scores, and
// balanced placement. Entries are copies of the numbers of a pool's domains; a list is sorted only
// as far as it is read.
// Thread rule: one call at a time per entries.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/tas/lazy_order.h"
#include "algorithms/tas/pool.h"

namespace gangplan::tas {

struct Entry {
  int32_t index = 0;
  int32_t pods = 0;
  int32_t pods_wl = 0;
  int32_t slices = 0;
  int32_t slices_wl = 0;
  int32_t units = 0;  // what is counted: slices, or pods by the unit
  int32_t units_wl = 0;
  int32_t leaders = 0;
  int64_t affinity = 0;
};

Entry MakeEntry(const LevelView& view, int32_t index, PoolOrder order, const Divider& unit);

// Replaces `entries` by those of the pool.
void FillEntries(const LevelView& view, Pool pool, PoolOrder order, int32_t unit,
                 std::vector<Entry>& entries);

// Scores first (most), then slices (most or fewest), fewest pods, path.
struct PlainOrder {
  bool largest_first = false;
  bool operator()(const Entry& a, const Entry& b) const;
};

// Leaders first, then as the plain order by what fits beside one.
struct LeaderOrder {
  bool largest_first = false;
  bool operator()(const Entry& a, const Entry& b) const;
};

// A view of `entries` in order, from which entries are taken one by one.
template <typename Before>
class OrderedList {
 public:
  OrderedList(std::vector<Entry>& entries, Before before)
      : entries_(entries), before_(before), order_(entries, before) {}

  size_t size() const { return entries_.size(); }
  const Entry& operator[](size_t at) { return order_[at]; }

  // Brings the first entry that can hold the leader, with `need` units left in all beside it, to
  // the front; nothing when there is none or the list has one entry.
  void PutLeaderFirst(int32_t need);

  // Of the entries from `from` on the one with the fewest units that are enough; the first in order
  // of several, and the first of all when none has enough. With scores only those that share the
  // first one's. `leaders`: beside that many.
  const Entry& BestFit(size_t from, int32_t need, int32_t leaders);

 private:
  bool InLeadingRun(size_t from, size_t at);

  std::vector<Entry>& entries_;
  Before before_;
  LazyOrder<Entry, Before> order_;
  bool moved_ = false;  // entry 0 stands there out of order
};

// Kueue's cut: who takes how much. False, and nothing taken, when the pool has too little.
bool CutOrdered(const LevelView& view, Pool pool, const CutRequest& request,
                std::vector<Entry>& entries, TakenList& taken);

}  // namespace gangplan::tas
