#include "algorithms/tas/ordered.h"

#include <algorithm>

namespace gangplan::tas {
namespace {

// Units to place of a list, front to back; true when all were placed.
bool Walk(OrderedList<PlainOrder>& list, const CutRequest& request, TakenList& taken) {
  int32_t need = request.units();
  int32_t pods = request.pods;
  int32_t leaders = request.leaders;
  if (leaders > 0) list.PutLeaderFirst(need);
  for (size_t i = 0; i < list.size(); ++i) {
    Entry entry = list[i];
    int32_t room = leaders > 0 ? entry.units_wl : entry.units;
    bool holds_all = room >= need && entry.leaders >= leaders;
    if (holds_all && request.fill == TasFill::kBestFit) entry = list.BestFit(i, need, leaders);
    if (holds_all) {
      taken.push_back({entry.index, pods, leaders});
      return true;
    }
    int32_t part = std::min(room, need);
    int32_t with = std::min(entry.leaders, leaders);
    // Also who takes nothing: the leader's turn may pass a domain whose children join the next
    // pool.
    int32_t part_pods = std::min(part * request.unit, pods);
    taken.push_back({entry.index, part_pods, with});
    need -= part;
    pods -= part_pods;
    leaders -= with;
  }
  return false;
}

}  // namespace

Entry MakeEntry(const LevelView& view, int32_t index, PoolOrder order, const Divider& unit) {
  Entry entry;
  entry.index = index;
  entry.pods = view.pods[index];
  entry.pods_wl = view.pods_wl[index];
  entry.leaders = view.Leaders(index);
  entry.affinity = view.Affinity(index);
  if (order != PoolOrder::kPods) {
    entry.slices = view.Slices(index);
    entry.slices_wl = view.SlicesWl(index);
  }
  bool count_slices = order == PoolOrder::kSlices;
  entry.units = count_slices ? entry.slices : unit(entry.pods);
  entry.units_wl = count_slices ? entry.slices_wl : unit(entry.pods_wl);
  return entry;
}

void FillEntries(const LevelView& view, Pool pool, PoolOrder order, int32_t unit,
                 std::vector<Entry>& entries) {
  const Divider divider(unit);
  entries.clear();
  ForEach(pool, [&](int32_t i) { entries.push_back(MakeEntry(view, i, order, divider)); });
}

bool PlainOrder::operator()(const Entry& a, const Entry& b) const {
  if (a.affinity != b.affinity) return a.affinity > b.affinity;
  if (a.slices != b.slices) return largest_first ? a.slices > b.slices : a.slices < b.slices;
  return a.pods != b.pods ? a.pods < b.pods : a.index < b.index;
}

bool LeaderOrder::operator()(const Entry& a, const Entry& b) const {
  if (a.leaders != b.leaders) return a.leaders > b.leaders;
  if (a.affinity != b.affinity) return a.affinity > b.affinity;
  if (a.slices_wl != b.slices_wl)
    return largest_first ? a.slices_wl > b.slices_wl : a.slices_wl < b.slices_wl;
  return a.pods_wl != b.pods_wl ? a.pods_wl < b.pods_wl : a.index < b.index;
}

template <typename Before>
void OrderedList<Before>::PutLeaderFirst(int32_t need) {
  if (entries_.size() < 2) return;
  int64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.units;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = (*this)[i];
    if (entry.leaders == 0 || sum - (entry.units - entry.units_wl) < need) continue;
    auto begin = entries_.begin();
    auto at = begin + static_cast<std::ptrdiff_t>(i);
    std::rotate(begin, at, at + 1);
    moved_ = i > 0;
    return;
  }
}

template <typename Before>
bool OrderedList<Before>::InLeadingRun(size_t from, size_t at) {
  if (entries_[at].affinity != entries_[from].affinity) return false;
  bool out_of_order = moved_ && from == 0 && at > 0;
  return !out_of_order || (*this)[1].affinity == entries_[0].affinity;
}

template <typename Before>
const Entry& OrderedList<Before>::BestFit(size_t from, int32_t need, int32_t leaders) {
  auto room = [leaders](const Entry& entry) { return leaders > 0 ? entry.units_wl : entry.units; };
  size_t best = from;
  bool found = false;
  for (size_t i = from; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.leaders < leaders || room(entry) < need || !InLeadingRun(from, i)) continue;
    const Entry& known = entries_[best];
    bool best_is_moved = moved_ && best == 0;
    if (!found || room(entry) < room(known) ||
        (room(entry) == room(known) && !best_is_moved && before_(entry, known)))
      best = i;
    found = true;
  }
  return entries_[best];
}

template class OrderedList<PlainOrder>;
template class OrderedList<LeaderOrder>;

bool CutOrdered(const LevelView& view, Pool pool, const CutRequest& request,
                std::vector<Entry>& entries, TakenList& taken) {
  FillEntries(view, pool, request.order, request.unit, entries);
  OrderedList list(entries, PlainOrder{MostFirst(request.fill)});
  size_t first = taken.size();
  bool placed = Walk(list, request, taken);
  if (placed) {
    SortByIndex(taken, first);
  } else {
    taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(first), taken.end());
  }
  return placed;
}

}  // namespace gangplan::tas
