// Who can take a part of a load, but for those that others stand for.
//
//   leaves of 4 workers, or 3 beside a leader; of 4, or 4; of 5, or 4: the leader goes on the
//   second
#include <algorithm>
#include <map>
#include <tuple>

#include "algorithms/exact/chooser_loads.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

constexpr int64_t kHostSteps = 3;  // of a child that is asked

}  // namespace

// The children that may take a part of the load, but for those that another can stand for. Of
// children that are the same inside as many are needed as the load has pods. One pod may as well be
// on the leaf that holds as many or more with it and as many or fewer without.
template <int kWords>
std::vector<int32_t> Chooser<kWords>::FindHosts(int level, int32_t index, int32_t load) {
  const Loads& loads = *field_.question().loads;
  const Tree::Range range = field_.Range(level, index);
  steps_ -= kHostSteps * (range.end - range.begin) * load;
  const bool one_of_leaves = LeavesBelow(level) && loads.pods(load) == 1;
  std::vector<std::pair<uint64_t, int32_t>> sorted;  // by what makes one stand for another
  std::vector<int32_t> hosts;
  for (int32_t child = range.begin; child < range.end; ++child) {
    int32_t most = 0;
    for (int32_t part = 1; part <= load; ++part)
      if (loads.Within(part, load))
        most = std::max(most, field_.Most(level + 1, field_.Loaded(level + 1, child, part)));
    if (most == 0) continue;
    const Reach without = field_.reach(level + 1, child);
    if (!one_of_leaves)
      sorted.emplace_back(field_.Same(level + 1, child), child);
    else if (without.zero)
      sorted.emplace_back(((uint64_t{INT32_MAX} - most) << 32) | (without.empty() ? 0 : without.hi),
                          child);
    else
      hosts.push_back(child);
  }
  CountWork(Work::kReach, int64_t{range.end - range.begin} * (load + 1));
  CountSort(sorted.size());
  std::sort(sorted.begin(), sorted.end());
  uint64_t least = UINT32_MAX, before = UINT64_MAX;
  int32_t same = 0;
  for (const auto& [order, child] : sorted) {
    same = order == before ? same + 1 : 0;
    before = order;
    const bool better = (order & UINT32_MAX) < least;
    if (one_of_leaves ? better : same < loads.pods(load)) hosts.push_back(child);
    if (one_of_leaves) least = std::min(least, order & UINT32_MAX);
  }
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

// The kinds of the domain, found once. Those first that lose the least by their part, so that the
// first ways are good ones.
template <int kWords>
typename Chooser<kWords>::KindsRef Chooser<kWords>::HostKinds(int level, int32_t index,
                                                              int32_t load) {
  KindsRef& known = kinds_[PlaceOf(level, field_.Loaded(level, index, load), 0)];
  if (known != nullptr) return known;
  const bool leaves = LeavesBelow(level) && IsPlain(level, index);
  std::vector<HostKind> kinds =
      leaves ? KindsOfLeaves(level, index, load) : FindKinds(level, index, load);
  std::stable_sort(kinds.begin(), kinds.end(), [](const HostKind& a, const HostKind& b) {
    return a.without - a.with.hi < b.without - b.with.hi;
  });
  Keep(sizeof(kinds) + kinds.capacity() * sizeof(HostKind));
  known = std::make_shared<const std::vector<HostKind>>(std::move(kinds));
  return known;
}

// In the order of their first child. Where the children are not alike each host is a kind of its
// own.
template <int kWords>
std::vector<typename Chooser<kWords>::HostKind> Chooser<kWords>::FindKinds(int level, int32_t index,
                                                                           int32_t load) {
  const Loads& loads = *field_.question().loads;
  const Ranked& alike = field_.children(level, index).alike;
  const bool plain = IsPlain(level, index);
  std::vector<HostKind> kinds;
  std::map<std::tuple<int32_t, int32_t, int32_t, int32_t>, size_t> known;
  for (const int32_t host : FindHosts(level, index, load)) {
    for (int32_t part = 1; part <= load; ++part) {
      const int32_t child = field_.Loaded(level + 1, host, part);
      const Reach with = field_.reach(level + 1, child);
      if (with.empty() || !loads.Within(part, load)) continue;
      const bool fits = plain && Field::FitsBeyond(alike.siblings, with);
      const int32_t without = field_.Most(level + 1, host);
      CountWork(Work::kFind, 2);
      size_t kind = kinds.size();
      if (fits)
        kind = known.try_emplace(std::tuple(part, without, with.lo, with.hi), kind).first->second;
      if (kind == kinds.size()) kinds.emplace_back(part, fits, without, with);
      kinds[kind].loaded.push_back(child);
    }
  }
  return kinds;
}

// All children that take anything without a load are alike, and there are some.
template <int kWords>
bool Chooser<kWords>::IsPlain(int level, int32_t index) {
  const Children& children = field_.children(level, index);
  return children.odd.empty() && children.possible &&
         (LeavesBelow(level) || !children.alike.order.empty());
}

// Whether there is a child for each of these kinds.
template <int kWords>
bool Chooser<kWords>::HasHosts(int level, const std::vector<HostKind>& kinds,
                               std::span<const size_t> chosen) const {
  if (chosen.size() == 1) return true;
  const HostKind &one = kinds[chosen.front()], &other = kinds[chosen.back()];
  if (chosen.front() == chosen.back()) return one.loaded.size() > 1;
  return one.part == other.part || one.loaded.size() > 1 || other.loaded.size() > 1 ||
         field_.Unloaded(level + 1, one.loaded.front()) !=
             field_.Unloaded(level + 1, other.loaded.front());
}

// The members defined here, for every width; the others are in chooser.cc.
#define GANGPLAN_CHOOSER_HOSTS(kWords)                                                     \
  template std::vector<int32_t> Chooser<kWords>::FindHosts(int, int32_t, int32_t);         \
  template Chooser<kWords>::KindsRef Chooser<kWords>::HostKinds(int, int32_t, int32_t);    \
  template std::vector<Chooser<kWords>::HostKind> Chooser<kWords>::FindKinds(int, int32_t, \
                                                                             int32_t);     \
  template bool Chooser<kWords>::HasHosts(int, const std::vector<HostKind>&,               \
                                          std::span<const size_t>) const;                  \
  template bool Chooser<kWords>::IsPlain(int, int32_t);
GANGPLAN_CHOOSER_HOSTS(1)
GANGPLAN_CHOOSER_HOSTS(2)
GANGPLAN_CHOOSER_HOSTS(kMaxLevels + 1)

}  // namespace gangplan::exact
