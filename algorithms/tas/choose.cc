#include "algorithms/tas/choose.h"

#include <algorithm>

#include "algorithms/scan.h"

namespace gangplan::tas {
namespace {

// The first domain with just this many slices, of several the one with the fewest pods.
int32_t FirstWith(const LevelView& view, int32_t slices) {
  int32_t found = -1;
  for (int32_t i = view.begin; i < view.end; ++i) {
    if (view.slices[i] != slices) continue;
    if (view.pods == view.slices) return i;
    if (found < 0 || view.pods[i] < view.pods[found]) found = i;
  }
  return found;
}

// The first of the level by leaders, scores, then most slices beside a leader: Kueue's top domain.
int32_t TopDomain(const LevelView& view) {
  const Divider one(1);
  const LeaderOrder before{.largest_first = true};
  Entry top = MakeEntry(view, view.begin, PoolOrder::kSlices, one);
  for (int32_t i = view.begin + 1; i < view.end; ++i) {
    Entry entry = MakeEntry(view, i, PoolOrder::kSlices, one);
    if (before(entry, top)) top = entry;
  }
  return top.index;
}

// Of the domains that hold all the one with the best score, then the fewest slices (the most with
// most free capacity), the fewest pods, the first by path; -1 for none.
int32_t BestHolder(const LevelView& view, const Goal& goal) {
  int32_t best = -1;
  const bool most = goal.fill == TasFill::kMostFree;
  auto better = [&](int32_t a, int32_t b) {
    if (view.Affinity(a) != view.Affinity(b)) return view.Affinity(a) > view.Affinity(b);
    int32_t room_a = view.SlicesWl(a);
    int32_t room_b = view.SlicesWl(b);
    if (room_a != room_b) return most ? room_a > room_b : room_a < room_b;
    return view.pods_wl[a] < view.pods_wl[b];
  };
  for (int32_t i = view.begin; i < view.end; ++i) {
    if (view.Leaders(i) < goal.leaders || view.SlicesWl(i) < goal.slices) continue;
    if (best < 0 || better(i, best)) best = i;
  }
  return best;
}

struct OneDomain {
  int32_t index = -1;  // -1: none takes all
  int64_t most = 0;    // slices of the top domain, where none does
};

OneDomain FindOneDomain(const LevelView& view, const Goal& goal) {
  if (goal.leaders == 0 && !view.affinity) {
    Scan scan = ScanCounts(view.slices, view.begin, view.end, goal.slices);
    if (scan.least_enough < 0) return {-1, scan.most};
    const bool most = goal.fill == TasFill::kMostFree;
    return {FirstWith(view, most ? scan.most : scan.least_enough), 0};
  }
  int32_t holder = BestHolder(view, goal);
  // Best fit goes on to the next level, unless it is required, before it takes a domain with a
  // worse score than the top domain's.
  bool must_be_top = view.affinity && goal.spread && MostFirst(goal.fill);
  if (holder >= 0 && !must_be_top) return {holder, 0};
  int32_t top = TopDomain(view);
  if (holder >= 0 && view.Affinity(holder) == view.Affinity(top)) return {holder, 0};
  return {-1, view.Slices(top)};
}

struct Spread {
  bool found = false;
  int64_t placed = 0;
};

// Takes entries for slices (the leader has its place) one after another.
int32_t TakePlain(OrderedList<PlainOrder>& list, int32_t need, const Goal& goal, TakenList& taken) {
  for (size_t i = 0; i < list.size() && need > 0; ++i) {
    Entry entry = list[i];
    if (goal.fill == TasFill::kBestFit && entry.units >= need) entry = list.BestFit(i, need, 0);
    int32_t part = std::min(entry.units, need);
    taken.push_back({entry.index, part * goal.slice_size, 0});
    need -= part;
  }
  return need;
}

// Over several domains of the level, with a leader or scores.
Spread SpreadOrdered(const LevelView& view, const Goal& goal, TasScratch::Buffers& buffers,
                     TakenList& taken) {
  std::vector<Entry>& entries = buffers.entries;
  const Tree::Range all = {view.begin, view.end};
  FillEntries(view, {&all, 1}, PoolOrder::kSlices, 1, entries);
  int32_t need = goal.slices;
  if (goal.leaders > 0) {
    OrderedList list(entries, LeaderOrder{MostFirst(goal.fill)});
    list.PutLeaderFirst(need);
    Entry first = list[0];
    if (first.leaders == 0) {
      return {false, 0};
    }
    if (goal.fill == TasFill::kBestFit && first.units_wl >= need) first = list.BestFit(0, need, 1);
    int32_t part = std::min(first.units_wl, need);
    taken.push_back({first.index, part * goal.slice_size, 1});
    need -= part;
    std::erase_if(entries, [&](const Entry& entry) { return entry.index == first.index; });
  }
  OrderedList list(entries, PlainOrder{MostFirst(goal.fill)});
  need = TakePlain(list, need, goal, taken);
  if (need == 0) taken.back().pods -= goal.slices * goal.slice_size - goal.pods;
  return {need == 0, goal.slices - need};
}

Spread SpreadOver(State& state, const Goal& goal, int level, TasScratch::Buffers& buffers,
                  TakenList& taken) {
  const LevelView& view = state.At(level);
  const Tree::Range all = {view.begin, view.end};
  if (goal.leaders == 0 && !view.affinity) {
    CutRequest request;
    request.pods = goal.pods;
    request.unit = goal.slice_size;
    request.fill = goal.fill;
    Units units{view.slices, view.slices == view.pods ? nullptr : view.pods, Divider(1)};
    if (SelectTaken({&all, 1}, units, request, buffers.select, taken)) return {true, goal.slices};
    return {false, SumCounts(view.slices, view.begin, view.end)};
  }
  Spread spread = SpreadOrdered(view, goal, buffers, taken);
  SortByIndex(taken, 0);
  return spread;
}

// The pods that fit in all, where that is known without a pass over the lowest level, and is too
// little for a spread from the lowest level on.
std::optional<int64_t> TooFewInAll(State& state, const Goal& goal, int level) {
  bool cached = !state.leader() && state.slice_size() == 1 && !state.has_inner_units();
  if (!cached || !goal.spread || goal.upwards || level == 0) return std::nullopt;
  const LevelView& top = state.At(0);
  if (top.affinity) return std::nullopt;
  int64_t all = SumCounts(top.slices, top.begin, top.end);
  return all < goal.slices ? std::optional(all) : std::nullopt;
}

TasFill FillOf(const TasRequest& request) {
  const bool unconstrained = request.mode == TasRequest::Mode::kUnconstrained;
  switch (request.profile) {
    case TasProfile::kMixed:
      return unconstrained ? TasFill::kLeastFree : TasFill::kBestFit;
    case TasProfile::kBestFit:
      return TasFill::kBestFit;
    case TasProfile::kMostFree:
      return TasFill::kMostFree;
    case TasProfile::kLeastFree:
      return TasFill::kLeastFree;
  }
  return TasFill::kBestFit;
}

}  // namespace

Goal MakeGoal(const TasRequest& request) {
  Goal goal;
  goal.slice_size = request.slices.empty() ? 1 : request.slices.front().size;
  bool fixed = request.compatibility == KueueCompatibility::kFixed;
  goal.slices = (request.count + (fixed ? goal.slice_size - 1 : 0)) / goal.slice_size;
  goal.pods = fixed ? request.count : goal.slices * goal.slice_size;
  goal.leaders = request.leader ? 1 : 0;
  goal.fill = FillOf(request);
  goal.spread = request.mode != TasRequest::Mode::kRequired;
  goal.upwards = request.mode == TasRequest::Mode::kPreferred;
  return goal;
}

Choice Choose(State& state, const Goal& goal, int level, TasScratch::Buffers& buffers) {
  TakenList& taken = buffers.taken;
  taken.clear();
  if (std::optional<int64_t> all = TooFewInAll(state, goal, level)) return {false, level, *all};
  for (;; --level) {
    const LevelView& view = state.At(level);
    OneDomain one = FindOneDomain(view, goal);
    if (one.index >= 0) {
      taken.push_back({one.index, goal.pods, goal.leaders});
      return {true, level, 0};
    }
    if (!goal.spread) return {false, level, one.most};
    if (level == 0 || !goal.upwards) break;
  }
  Spread spread = SpreadOver(state, goal, level, buffers, taken);
  return {spread.found, level, spread.placed};
}

bool CutPool(State& state, const Goal& goal, Pool pool, const PoolCut& cut,
             TasScratch::Buffers& buffers, TakenList& taken) {
  const LevelView& view = state.At(cut.level);
  CutRequest request{cut.pods, cut.leaders, cut.unit, goal.fill, cut.order};
  bool counted = cut.leaders == 0 && !view.affinity && cut.order != PoolOrder::kSlicesCountPods;
  if (!counted) return CutOrdered(view, pool, request, buffers.entries, taken);
  Units units{view.slices, view.slices == view.pods ? nullptr : view.pods, Divider(1)};
  if (cut.order == PoolOrder::kPods) {
    units = {view.pods, cut.unit == 1 ? nullptr : view.pods, Divider(cut.unit)};
    request.fill =
        TasFill::kLeastFree;  // fewest pods first: the first that is enough is the best fit
  }
  return SelectTaken(pool, units, request, buffers.select, taken);
}

}  // namespace gangplan::tas
