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

// A leaf with a part of the load.
struct LeafHost {
  int32_t part = 0;
  int32_t without = 0, with = 0;  // its most
  int32_t least = 0;
  int32_t child = 0;

  bool same_kind(const LeafHost& other) const {
    return part == other.part && without == other.without && with == other.with;
  }
  friend bool operator<(const LeafHost& a, const LeafHost& b) {
    return std::tuple(a.part, -a.with, a.without, a.child) <
           std::tuple(b.part, -b.with, b.without, b.child);
  }
};

// Without children.
template <typename Kind>
void AddKind(int32_t part, bool fits, int32_t least, int32_t without, int32_t with,
             std::vector<Kind>& kinds) {
  Kind& kind = kinds.emplace_back();
  kind.part = part;
  kind.fits = fits;
  kind.least = least;
  kind.without = without;
  kind.with = with;
}

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
    return a.without - a.with < b.without - b.with;
  });
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
      size_t kind = kinds.size();
      if (fits)
        kind = known.try_emplace(std::tuple(part, without, with.lo, with.hi), kind).first->second;
      if (kind == kinds.size()) AddKind(part, fits, with.lo, without, with.hi, kinds);
      kinds[kind].loaded.push_back(child);
    }
  }
  return kinds;
}

// Leaves that are alike. One may as well have the part of another that holds as many or fewer with
// it, and as many or more without: what the two take can be exchanged. Each pod may need a leaf of
// its own for that, so of leaves of one kind as many are looked at as there are pods.
template <int kWords>
std::vector<typename Chooser<kWords>::HostKind> Chooser<kWords>::KindsOfLeaves(int level,
                                                                               int32_t index,
                                                                               int32_t load) {
  const Loads& loads = *field_.question().loads;
  const int32_t pods = loads.pods(load);
  const Siblings& siblings = field_.children(level, index).alike.siblings;
  const std::span<const LeafKinds::Entry> inside = field_.KindsIn(level, index);
  steps_ -= kHostSteps * static_cast<int64_t>(inside.size()) * load;
  absl::InlinedVector<LeafHost, 64> hosts;
  for (const LeafKinds::Entry& entry : inside) {
    const int32_t without = field_.KindReach(entry.kind, 0).empty()
                                ? 0
                                : field_.KindReach(entry.kind, 0).hi;
    for (int32_t part = 1; part <= load; ++part) {
      const Reach& with = field_.KindReach(entry.kind, part);
      if (with.empty() || !loads.Within(part, load)) continue;
      if (!Field::FitsBeyond(siblings, with)) return FindKinds(level, index, load);
      for (int32_t i = 0; i < std::min(entry.count, pods); ++i)
        hosts.push_back({part, without, with.hi, with.lo,
                         field_.Loaded(level + 1, entry.leaves[static_cast<size_t>(i)], part)});
    }
  }
  std::sort(hosts.begin(), hosts.end());
  std::vector<HostKind> kinds;
  const LeafHost* last = nullptr;
  absl::InlinedVector<int32_t, 4> least;  // of the part, the least without it among those kept
  for (const LeafHost& host : hosts) {
    if (last == nullptr || last->part != host.part) least.clear();
    if (static_cast<int32_t>(least.size()) == pods && least.back() <= host.without) continue;
    least.insert(std::upper_bound(least.begin(), least.end(), host.without), host.without);
    if (static_cast<int32_t>(least.size()) > pods) least.pop_back();
    if (last == nullptr || !last->same_kind(host))
      AddKind(host.part, true, host.least, host.without, host.with, kinds);
    kinds.back().loaded.push_back(host.child);
    last = &host;
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

// The members defined here, for every width; the others are in chooser.cc.
#define GANGPLAN_CHOOSER_HOSTS(kWords)                                                     \
  template std::vector<int32_t> Chooser<kWords>::FindHosts(int, int32_t, int32_t);         \
  template Chooser<kWords>::KindsRef Chooser<kWords>::HostKinds(int, int32_t, int32_t);    \
  template std::vector<Chooser<kWords>::HostKind> Chooser<kWords>::FindKinds(int, int32_t, \
                                                                             int32_t);     \
  template std::vector<Chooser<kWords>::HostKind> Chooser<kWords>::KindsOfLeaves(int, int32_t, \
                                                                                 int32_t);     \
  template bool Chooser<kWords>::IsPlain(int, int32_t);
GANGPLAN_CHOOSER_HOSTS(1)
GANGPLAN_CHOOSER_HOSTS(2)
GANGPLAN_CHOOSER_HOSTS(kMaxLevels + 1)

}  // namespace gangplan::exact
