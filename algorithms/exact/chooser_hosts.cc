// Who can take a part of a load, but for those that others stand for.
//
//   leaves of 4 workers, or 3 beside a leader; of 4, or 4; of 5, or 4: the leader goes on the
//   second
#include <algorithm>
#include <map>
#include <tuple>

#include "algorithms/exact/chooser_loads.h"

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

template <int kWords>
std::span<const int32_t> Chooser<kWords>::Hosts(int level, int32_t index, int32_t load) {
  const uint64_t place = PlaceOf(level, field_.Loaded(level, index, load), 0);
  const auto [found, fresh] = hosts_.try_emplace(place);
  if (fresh) found->second = FindHosts(level, index, load);
  return found->second;
}

// Those first that lose the least by their part, so that the first ways are good ones; then in the
// order of their first child. Where the children are not alike each host is a kind of its own.
template <int kWords>
std::vector<typename Chooser<kWords>::HostKind> Chooser<kWords>::HostKinds(int level, int32_t index,
                                                                           int32_t load) {
  const Loads& loads = *field_.question().loads;
  const Ranked& alike = field_.children(level, index).alike;
  const bool plain = IsPlain(level, index);
  std::vector<HostKind> kinds;
  std::map<std::tuple<int32_t, int32_t, int32_t, int32_t>, size_t> known;
  for (const int32_t host : Hosts(level, index, load)) {
    for (int32_t part = 1; part <= load; ++part) {
      const int32_t child = field_.Loaded(level + 1, host, part);
      const Reach with = field_.reach(level + 1, child);
      if (with.empty() || !loads.Within(part, load)) continue;
      const bool fits = plain && Field::FitsBeyond(alike.siblings, with);
      size_t kind = kinds.size();
      if (fits) {
        const std::tuple sign(part, field_.Most(level + 1, host), with.lo, with.hi);
        kind = known.try_emplace(sign, kind).first->second;
      }
      if (kind == kinds.size()) kinds.push_back({part, fits, with.lo, {}});
      kinds[kind].loaded.push_back(child);
    }
  }
  if (LeavesBelow(level)) DropDominated(level, loads.pods(load), kinds);
  const auto loss = [&](const HostKind& kind) {
    const int32_t child = kind.loaded.front();
    return field_.Most(level + 1, field_.Unloaded(level + 1, child)) -
           field_.Most(level + 1, child);
  };
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](const HostKind& a, const HostKind& b) { return loss(a) < loss(b); });
  return kinds;
}

// A leaf may as well have the part of another that holds as many or fewer with it, and as many or
// more without: what the two take can be exchanged. Each pod may need a leaf of its own for that.
template <int kWords>
void Chooser<kWords>::DropDominated(int level, int32_t pods, std::vector<HostKind>& kinds) const {
  const auto most = [&](int32_t child) { return field_.Most(level + 1, child); };
  const auto dominates = [&](const HostKind& a, const HostKind& b) {
    const int32_t one = a.loaded.front(), other = b.loaded.front();
    return &a != &b && a.fits && a.part == b.part && a.least <= b.least &&
           most(one) >= most(other) &&
           most(field_.Unloaded(level + 1, one)) <= most(field_.Unloaded(level + 1, other));
  };
  std::vector<char> dropped;
  for (const HostKind& kind : kinds) {
    size_t better = 0;
    for (const HostKind& other : kinds)
      if (kind.fits && dominates(other, kind)) better += other.loaded.size();
    dropped.push_back(static_cast<char>(better >= static_cast<size_t>(pods)));
  }
  steps_ -= static_cast<int64_t>(kinds.size() * kinds.size());
  size_t at = 0;
  std::erase_if(kinds, [&](const HostKind&) { return dropped[at++] != 0; });
}

// All children that take anything without a load are alike, and there are some.
template <int kWords>
bool Chooser<kWords>::IsPlain(int level, int32_t index) {
  const Children& children = field_.children(level, index);
  return children.odd.empty() && children.possible &&
         (LeavesBelow(level) || !children.alike.order.empty());
}

// The members defined here, for every width; the others are in chooser.cc.
#define GANGPLAN_CHOOSER_HOSTS(kWords)                                                      \
  template std::vector<int32_t> Chooser<kWords>::FindHosts(int, int32_t, int32_t);          \
  template std::span<const int32_t> Chooser<kWords>::Hosts(int, int32_t, int32_t);          \
  template std::vector<Chooser<kWords>::HostKind> Chooser<kWords>::HostKinds(int, int32_t,  \
                                                                             int32_t);      \
  template void Chooser<kWords>::DropDominated(int, int32_t, std::vector<HostKind>&) const; \
  template bool Chooser<kWords>::IsPlain(int, int32_t);
GANGPLAN_CHOOSER_HOSTS(1)
GANGPLAN_CHOOSER_HOSTS(2)
GANGPLAN_CHOOSER_HOSTS(kMaxLevels + 1)

}  // namespace gangplan::exact
