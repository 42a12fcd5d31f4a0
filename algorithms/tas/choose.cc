#include "algorithms/tas/choose.h"

#include <algorithm>
#include <numeric>

namespace gangplan::tas {
namespace {

// The domain with the fewest slices that are enough: without leader, scores and partial slices.
int32_t SmallestEnough(const LevelView& view, int32_t need) {
  const int32_t* slices = view.slices;
  // Too few wraps round to more than any.
  const uint32_t wanted = static_cast<uint32_t>(need);
  uint32_t least = UINT32_MAX;
  for (int32_t i = view.begin; i < view.end; ++i)
    least = std::min(least, static_cast<uint32_t>(slices[i]) - wanted);
  if (least > static_cast<uint32_t>(INT32_MAX)) return -1;
  int32_t found = -1;
  for (int32_t i = view.begin; i < view.end; ++i) {
    if (static_cast<uint32_t>(slices[i]) - wanted != least) continue;
    if (found < 0 || view.pods[i] < view.pods[found]) found = i;
    if (view.pods == slices) break;
  }
  return found;
}

// The first of the level by leaders, scores, then most slices beside a leader: Kueue's top domain.
int32_t TopDomain(const LevelView& view, bool best_fit) {
  const Divider one(1);
  const LeaderOrder before{best_fit};
  Entry top = MakeEntry(view, view.begin, PoolOrder::kSlices, one);
  for (int32_t i = view.begin + 1; i < view.end; ++i) {
    Entry entry = MakeEntry(view, i, PoolOrder::kSlices, one);
    if (before(entry, top)) top = entry;
  }
  return top.index;
}

// Of the domains that hold all the one with the best score, then the fewest slices, the fewest
// pods, the first by path; -1 for none.
int32_t BestHolder(const LevelView& view, const Goal& goal) {
  int32_t best = -1;
  auto better = [&](int32_t a, int32_t b) {
    if (view.Affinity(a) != view.Affinity(b)) return view.Affinity(a) > view.Affinity(b);
    int32_t room_a = goal.Room(view, a);
    int32_t room_b = goal.Room(view, b);
    return room_a != room_b ? room_a < room_b : view.pods_wl[a] < view.pods_wl[b];
  };
  for (int32_t i = view.begin; i < view.end; ++i) {
    if (view.Leaders(i) < goal.leaders || goal.Room(view, i) < goal.need()) continue;
    if (best < 0 || better(i, best)) best = i;
  }
  return best;
}

// The one domain of the level that takes all; -1 for none. Unless it is required, one with a worse
// score than the top domain is not taken: best fit goes on to the next level then.
int32_t OneDomain(const LevelView& view, const Goal& goal) {
  if (goal.leaders == 0 && goal.rest == 0 && !view.affinity)
    return SmallestEnough(view, goal.need());
  int32_t holder = BestHolder(view, goal);
  bool must_be_top = view.affinity && goal.spread && goal.best_fit;
  if (holder < 0 || !must_be_top) return holder;
  return view.Affinity(holder) == view.Affinity(TopDomain(view, true)) ? holder : -1;
}

struct Spread {
  bool found = false;
  int32_t placed = 0;
};

// Takes entries for slices (the leader has its place) one after another.
int32_t TakePlain(OrderedList<PlainOrder>& list, int32_t need, const Goal& goal, TakenList& taken) {
  for (size_t i = 0; i < list.size() && need > 0; ++i) {
    Entry entry = list[i];
    if (goal.best_fit && entry.units >= need) entry = list.BestFit(i, need, 0);
    int32_t part = std::min(entry.units, need);
    if (part > 0) taken.push_back({entry.index, part * goal.slice_size, 0});
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
    OrderedList list(entries, LeaderOrder{goal.best_fit});
    list.PutLeaderFirst(need + (goal.rest > 0 ? 1 : 0));
    Entry first = list[0];
    if (first.leaders == 0) {
      return {false, 0};
    }
    if (goal.best_fit && first.units_wl >= need) first = list.BestFit(0, need, 1);
    int32_t part = std::min(first.units_wl, need);
    taken.push_back({first.index, part * goal.slice_size, 1});
    need -= part;
    std::erase_if(entries, [&](const Entry& entry) { return entry.index == first.index; });
  }
  OrderedList list(entries, PlainOrder{goal.best_fit});
  need = TakePlain(list, need, goal, taken);
  return {need == 0, goal.slices - need};
}

Spread SpreadOver(State& state, const Goal& goal, int level, TasScratch::Buffers& buffers,
                  TakenList& taken) {
  const LevelView& view = state.At(level);
  const Tree::Range all = {view.begin, view.end};
  if (goal.leaders == 0 && !view.affinity) {
    CutRequest request;
    request.pods = goal.slices * goal.slice_size;
    request.unit = goal.slice_size;
    request.best_fit = goal.best_fit;
    Units units{view.slices, view.slices == view.pods ? nullptr : view.pods, Divider(1)};
    if (SelectTaken({&all, 1}, units, request, buffers.select, taken)) return {true, goal.slices};
    return {false, std::accumulate(view.slices + view.begin, view.slices + view.end, 0)};
  }
  Spread spread = SpreadOrdered(view, goal, buffers, taken);
  std::sort(taken.begin(), taken.end(),
            [](const Taken& a, const Taken& b) { return a.index < b.index; });
  return spread;
}

// Where a last partial slice of `rest` pods goes, beside what is taken: best to a domain in use
// that has room beside its slices, next to one in use, then to a new one; then by path.
bool PlaceRest(const LevelView& view, Pool pool, const Goal& goal, const PoolCut& cut,
               TakenList& taken, size_t first) {
  const Divider unit(cut.unit);
  const bool slices = cut.order == PoolOrder::kSlices;
  size_t at = first;
  int best_rank = 4;
  int32_t best = -1;
  ForEach(pool, [&](int32_t i) {
    while (at < taken.size() && taken[at].index < i) ++at;
    bool used = at < taken.size() && taken[at].index == i;
    bool leads = used && taken[at].leaders > 0;
    int32_t whole = slices ? (leads ? view.SlicesWl(i) : view.Slices(i))
                           : unit(leads ? view.pods_wl[i] : view.pods[i]);
    bool beside = slices && view.partial && view.partial[i] >= goal.rest_room;
    if (!beside && whole <= (used ? taken[at].pods / cut.unit : 0)) return;
    int rank = (used ? 0 : 2) + (beside ? 0 : 1);
    if (rank < best_rank) {
      best_rank = rank;
      best = i;
    }
  });
  if (best < 0) return false;
  auto place =
      std::lower_bound(taken.begin() + static_cast<std::ptrdiff_t>(first), taken.end(), best,
                       [](const Taken& t, int32_t index) { return t.index < index; });
  if (place == taken.end() || place->index != best) place = taken.insert(place, {best, 0, 0});
  place->pods += cut.pods % cut.unit;
  return true;
}

int64_t SlicesOf(const LevelView& view, int32_t index) { return view.Slices(index); }

}  // namespace

Goal MakeGoal(const TasRequest& request) {
  Goal goal;
  goal.slice_size = request.slices.empty() ? 1 : request.slices.front().size;
  goal.slices = request.count / goal.slice_size;
  if (request.compatibility == KueueCompatibility::kFixed) {
    goal.rest = request.count % goal.slice_size;
    int32_t inner = request.slices.size() > 1 ? request.slices[1].size : 1;
    goal.rest_room = (goal.rest + inner - 1) / inner * inner;
  }
  goal.leaders = request.leader ? 1 : 0;
  goal.best_fit = request.mode != TasRequest::Mode::kUnconstrained || !request.least_free_capacity;
  goal.spread = request.mode != TasRequest::Mode::kRequired;
  goal.upwards = request.mode == TasRequest::Mode::kPreferred;
  return goal;
}

Choice Choose(State& state, const Goal& goal, int level, TasScratch::Buffers& buffers) {
  TakenList& taken = buffers.taken;
  taken.clear();
  for (;; --level) {
    const LevelView& view = state.At(level);
    int32_t one = OneDomain(view, goal);
    if (one >= 0) {
      taken.push_back({one, goal.pods(), goal.leaders});
      return {true, level, 0, one};
    }
    if (!goal.spread) {
      int32_t top = TopDomain(view, goal.best_fit);
      return {false, level, SlicesOf(view, top), top};
    }
    if (level == 0 || !goal.upwards) break;
  }
  const LevelView& view = state.At(level);
  Spread spread = SpreadOver(state, goal, level, buffers, taken);
  if (spread.found && goal.rest > 0) {
    PoolCut cut{level, goal.pods(), goal.leaders, goal.slice_size, PoolOrder::kSlices};
    const Tree::Range all = {view.begin, view.end};
    spread.found = PlaceRest(view, {&all, 1}, goal, cut, taken, 0);
  }
  return {spread.found, level, spread.placed, -1};
}

bool CutPool(State& state, const Goal& goal, Pool pool, const PoolCut& cut,
             TasScratch::Buffers& buffers, TakenList& taken) {
  const LevelView& view = state.At(cut.level);
  CutRequest request{cut.pods, cut.leaders, cut.unit, 0, goal.best_fit, cut.order};
  int32_t rest = goal.rest > 0 ? cut.pods % cut.unit : 0;
  request.spare = rest > 0 ? 1 : 0;
  size_t first = taken.size();
  bool counted = cut.leaders == 0 && !view.affinity && cut.order != PoolOrder::kSlicesCountPods;
  if (!counted) {
    if (!CutOrdered(view, pool, request, buffers.entries, taken)) return false;
  } else {
    Units units{view.slices, view.slices == view.pods ? nullptr : view.pods, Divider(1)};
    if (cut.order == PoolOrder::kPods) {
      units = {view.pods, cut.unit == 1 ? nullptr : view.pods, Divider(cut.unit)};
      request.best_fit = false;  // fewest pods first: the first that is enough is the best fit
    }
    if (!SelectTaken(pool, units, request, buffers.select, taken)) return false;
  }
  return rest == 0 || PlaceRest(view, pool, goal, cut, taken, first);
}

}  // namespace gangplan::tas
