// Cuts without a leader and without scores: who takes how many of `need` units, decided by counting
// how many domains have which number of units instead of sorting them.
//
// Two passes over the pool: one counts domains by their units (in buckets; all with kBuckets or
// more share the last), which says down to which number domains are taken whole; one takes them, in
// path order. Only the domains at the limit are ordered, and of the ones in the last bucket as many
// as are used. Small pools are simply sorted.
// Thread rule: one call at a time per scratch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "algorithms/tas/pool.h"

namespace gangplan::tas {

// How many domains have how many units. All zero between uses.
class UnitCounts {
 public:
  static constexpr int32_t kBuckets = 1024;

  // The bucket. Four lanes, since equal numbers in a row wait for each other in one.
  int32_t Add(int lane, int32_t units) {
    int32_t bucket = units < kBuckets ? units : kBuckets - 1;
    ++lanes_[lane][bucket];
    return bucket;
  }
  // Adds the lanes up. `seen`: the "or" of all buckets.
  void Fold(int32_t seen);
  void Clear();
  // The largest bucket that may be in use.
  int32_t Top() const { return seen_; }
  int32_t operator[](int32_t bucket) const { return lanes_[0][bucket]; }

 private:
  std::array<std::array<int32_t, kBuckets>, 4> lanes_{};
  int32_t seen_ = 0;
};

struct UnitEntry {
  int32_t units = 0;
  int32_t tie = 0;  // fewer first
  int32_t index = 0;
};

struct SelectScratch {
  UnitCounts counts;
  std::vector<UnitEntry> entries;
};

// The units of a domain: a count, or a count divided by a unit; ties go by pods where they may
// differ between domains of equal units.
struct Units {
  const int32_t* count = nullptr;
  const int32_t* tie = nullptr;  // null: by path at once
  Divider unit{1};
};

// Appends to `taken`, ordered by index, pods in multiples of `request.unit` (the last in order
// less, where they do not come out even); false and nothing when the pool has too little. Best fit:
// the largest first, and as soon as one could hold the rest, the smallest that does. Else the
// smallest first, the last one in part.
bool SelectTaken(Pool pool, const Units& units, const CutRequest& request, SelectScratch& scratch,
                 TakenList& taken);

// The largest domains that hold `need` together: how many there are and the units of the last.
struct LargestFirst {
  bool fits = false;
  int32_t used = 0;
  int32_t last_units = 0;
};
LargestFirst CountLargestFirst(Pool pool, const int32_t* units, int32_t need,
                               SelectScratch& scratch);

}  // namespace gangplan::tas
