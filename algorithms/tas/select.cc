#include "algorithms/tas/select.h"

#include <algorithm>

#include "algorithms/tas/lazy_order.h"

namespace gangplan::tas {
namespace {

constexpr int32_t kSmallPool = 48;
constexpr int32_t kLast = UnitCounts::kBuckets - 1;  // the bucket of all that are larger, too

struct Smaller {
  bool operator()(const UnitEntry& a, const UnitEntry& b) const {
    if (a.units != b.units) return a.units < b.units;
    return a.tie != b.tie ? a.tie < b.tie : a.index < b.index;
  }
};

struct Larger {
  bool operator()(const UnitEntry& a, const UnitEntry& b) const {
    if (a.units != b.units) return a.units > b.units;
    return a.tie != b.tie ? a.tie < b.tie : a.index < b.index;
  }
};

// The two kinds of units: a count as it is, and a count divided.
struct Whole {
  const int32_t* count;
  int32_t operator()(int32_t index) const { return count[index]; }
};
struct Divided {
  const int32_t* count;
  Divider unit;
  int32_t operator()(int32_t index) const { return unit(count[index]); }
};

template <typename UnitsOf>
void CountUnits(Pool pool, const UnitsOf& units, UnitCounts& counts) {
  int32_t seen = 0;
  for (Tree::Range range : pool) {
    int32_t i = range.begin;
    for (; i + 4 <= range.end; i += 4) {
      for (int lane = 0; lane < 4; ++lane) seen |= counts.Add(lane, units(i + lane));
    }
    for (; i < range.end; ++i) seen |= counts.Add(0, units(i));
  }
  counts.Fold(seen);
}

// One cut. `need_` counts down in units.
template <typename UnitsOf>
class Cut {
 public:
  // `tie`: fewer first among equals; null: by path at once.
  Cut(Pool pool, UnitsOf units, const int32_t* tie, const CutRequest& request,
      SelectScratch& scratch, TakenList& taken)
      : pool_(pool),
        units_(units),
        tie_(tie),
        unit_(request.unit),
        excess_(request.units() * request.unit - request.pods),
        need_(request.units()),
        scratch_(scratch),
        entries_(scratch.entries),
        taken_(taken),
        first_(taken.size()) {}

  bool Run(TasFill fill) {
    tight_ = fill == TasFill::kBestFit;
    if (need_ == 0) return true;
    if (PoolSize(pool_) <= kSmallPool) {
      Gather([](int32_t units) { return units > 0; });
      return Finish(MostFirst(fill) ? WalkLargest() : WalkSmallest());
    }
    CountUnits(pool_, units_, scratch_.counts);
    bool fits = MostFirst(fill) ? TakeLargest() : TakeSmallest();
    scratch_.counts.Clear();
    return Finish(fits);
  }

 private:
  void Take(int32_t index, int32_t units) {
    taken_.push_back({index, units * unit_, 0});
    need_ -= units;
    last_ = index;
  }

  template <typename Wanted>
  void Gather(Wanted wanted) {
    entries_.clear();
    ForEach(pool_, [&](int32_t i) {
      int32_t units = units_(i);
      if (wanted(units)) entries_.push_back({units, tie_ ? tie_[i] : 0, i});
    });
  }

  // The entries in order, smallest first, the last one in part.
  bool WalkSmallest() {
    LazyOrder order(entries_, Smaller());
    for (size_t i = 0; i < order.size() && need_ > 0; ++i)
      Take(order[i].index, std::min(order[i].units, need_));
    return need_ == 0;
  }

  // The entries in order, largest first, until one of them could take the rest; then that one, or
  // the smallest that can.
  bool WalkLargest() {
    LazyOrder order(entries_, Larger());
    for (size_t i = 0; i < order.size(); ++i) {
      if (order[i].units < need_) {
        Take(order[i].index, order[i].units);
        continue;
      }
      UnitEntry best = order[i];
      for (size_t j = i + 1; tight_ && j < entries_.size(); ++j) {
        if (entries_[j].units >= need_ && Smaller()(entries_[j], best)) best = entries_[j];
      }
      Take(best.index, need_);
      return true;
    }
    return false;
  }

  bool TakeSmallest() {
    const UnitCounts& counts = scratch_.counts;
    int32_t limit = 1;
    int64_t below = 0;  // units of all that are smaller than the limit
    for (; limit <= counts.Top() && limit < kLast; ++limit) {
      int64_t here = int64_t{limit} * counts[limit];
      if (below + here >= need_) break;
      below += here;
    }
    if (limit > counts.Top()) return false;
    int32_t rest = need_ - static_cast<int32_t>(below);
    if (limit < kLast) {
      TakeWhole([limit](int32_t units) { return units < limit; }, limit, rest / limit,
                rest % limit);
      return true;
    }
    TakeWhole([](int32_t units) { return units < kLast; }, limit, 0, 0);
    Gather([](int32_t units) { return units >= kLast; });
    return WalkSmallest();
  }

  bool TakeLargest() {
    const UnitCounts& counts = scratch_.counts;
    if (counts.Top() >= kLast && counts[kLast] > 0) return TakeAboveBuckets();
    int32_t limit = counts.Top();
    int64_t above = 0;
    for (; limit >= 1; --limit) {
      int64_t here = int64_t{limit} * counts[limit];
      if (above + here >= need_) break;
      above += here;
    }
    if (limit == 0) return false;
    int32_t rest = need_ - static_cast<int32_t>(above);
    int32_t whole = (rest - 1) / limit;
    rest -= whole * limit;
    int32_t last = tight_ ? rest : limit;
    while (last < limit && counts[last] == 0) ++last;
    auto larger = [limit](int32_t units) { return units > limit; };
    if (last == limit) {
      TakeWhole(larger, limit, whole, rest);
    } else {
      TakeWhole(larger, limit, whole, 0);
      TakeFirst(last, 1, 0, rest);
    }
    return true;
  }

  // Largest first where some have more units than there are buckets: those in order, then, when
  // they do not hold all, the rest as if they were alone.
  bool TakeAboveBuckets() {
    Gather([](int32_t units) { return units > 0; });
    return WalkLargest();
  }

  // All domains that `wanted` names, whole; of those with `limit` units the first `whole`, whole,
  // and one more in part.
  template <typename Wanted>
  void TakeWhole(Wanted wanted, int32_t limit, int32_t whole, int32_t part) {
    const bool by_path = tie_ == nullptr;
    const int32_t number = whole + (part > 0 ? 1 : 0);
    int32_t left = by_path ? number : 0;
    int32_t last = -1;  // of the domains at the limit, which come last in order
    for (Tree::Range range : pool_) {
      for (int32_t i = range.begin; i < range.end && need_ > 0; ++i) {
        const int32_t units = units_(i);
        if (wanted(units)) {
          if (units > 0) Take(i, units);
        } else if (units == limit && left > 0) {
          --left;
          Take(i, left == 0 && part > 0 ? part : limit);
          last = i;
        }
      }
    }
    if (last >= 0) last_ = last;
    if (!by_path && number > 0) TakeFirst(limit, number, whole, part);
  }

  // Of the domains with `limit` units the first `number` in order; those from `whole` on take
  // `part`.
  void TakeFirst(int32_t limit, int32_t number, int32_t whole, int32_t part) {
    int32_t left = tie_ ? INT32_MAX : number;  // by path the first ones are enough
    Gather([limit, &left](int32_t units) { return units == limit && left-- > 0; });
    LazyOrder order(entries_, Smaller());
    for (int32_t i = 0; i < number; ++i)
      Take(order[static_cast<size_t>(i)].index, i < whole ? limit : part);
  }

  bool Finish(bool fits) {
    auto begin = taken_.begin() + static_cast<std::ptrdiff_t>(first_);
    if (!fits) taken_.erase(begin, taken_.end());
    if (fits && excess_ > 0)
      std::find_if(begin, taken_.end(), [this](const Taken& t) {
        return t.index == last_;
      })->pods -= excess_;
    if (fits) SortByIndex(taken_, first_);
    return fits;
  }

  Pool pool_;
  const UnitsOf units_;
  const int32_t* tie_;
  const int32_t unit_;
  const int32_t excess_;  // pods by which the last unit is short of a whole one
  int32_t need_;
  bool tight_ = false;  // the last one is the smallest that is enough
  int32_t last_ = -1;   // of what is taken the last in order
  SelectScratch& scratch_;
  std::vector<UnitEntry>& entries_;
  TakenList& taken_;
  size_t first_;
};

LargestFirst SortedLargestFirst(Pool pool, const int32_t* units, int32_t need,
                                SelectScratch& scratch) {
  scratch.entries.clear();
  ForEach(pool, [&](int32_t i) {
    if (units[i] > 0) scratch.entries.push_back({units[i], 0, i});
  });
  LazyOrder order(scratch.entries, Larger());
  LargestFirst result;
  for (size_t i = 0; i < order.size() && need > 0; ++i) {
    ++result.used;
    result.last_units = order[i].units;
    need -= std::min(need, order[i].units);
  }
  result.fits = need == 0;
  return result;
}

}  // namespace

void UnitCounts::Fold(int32_t seen) {
  int32_t top = 1;  // all are below the next power of two
  while (top <= seen) top *= 2;
  seen_ = top - 1;
  for (int32_t bucket = 0; bucket <= seen_; ++bucket) {
    for (size_t lane = 1; lane < lanes_.size(); ++lane) {
      lanes_[0][bucket] += lanes_[lane][bucket];
      lanes_[lane][bucket] = 0;
    }
  }
}

void UnitCounts::Clear() {
  std::fill(lanes_[0].begin(), lanes_[0].begin() + seen_ + 1, 0);
  seen_ = 0;
}

bool SelectTaken(Pool pool, const Units& units, const CutRequest& request, SelectScratch& scratch,
                 TakenList& taken) {
  if (units.unit.size() == 1)
    return Cut(pool, Whole{units.count}, units.tie, request, scratch, taken).Run(request.fill);
  return Cut(pool, Divided{units.count, units.unit}, units.tie, request, scratch, taken)
      .Run(request.fill);
}

LargestFirst CountLargestFirst(Pool pool, const int32_t* units, int32_t need,
                               SelectScratch& scratch) {
  if (PoolSize(pool) <= kSmallPool) return SortedLargestFirst(pool, units, need, scratch);
  UnitCounts& counts = scratch.counts;
  CountUnits(pool, Whole{units}, counts);
  LargestFirst result;
  bool above_buckets = counts.Top() >= kLast && counts[kLast] > 0;
  for (int32_t bucket = counts.Top(); bucket >= 1 && need > 0 && !above_buckets; --bucket) {
    if (counts[bucket] == 0) continue;
    int32_t number = std::min(counts[bucket], (need - 1) / bucket + 1);
    result.used += number;
    result.last_units = bucket;
    need -= std::min(need, number * bucket);
  }
  result.fits = need == 0;
  counts.Clear();
  return above_buckets ? SortedLargestFirst(pool, units, need, scratch) : result;
}

}  // namespace gangplan::tas
