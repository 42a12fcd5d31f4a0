// Leaves that are alike, with a load: by their kinds, and nothing is below them.
//
//   leaves of 4 workers, or 3 beside a leader; of 4, or 4; of 5, or 4: the leader goes on the
//   second
#include <algorithm>
#include <tuple>

#include "algorithms/exact/chooser_loads.h"

namespace gangplan::exact {
namespace {

constexpr int64_t kKindSteps = 3;  // of a look at one kind with one part
// Of a look at one way, and how many runs of the leaves are seen in another one.
constexpr int64_t kLeavesSteps = 4;
constexpr int64_t kRunsAStep = 4;

// A leaf with a part of the load.
struct LeafHost {
  int32_t part = 0;
  int32_t without = 0;  // its most
  const Reach* with = nullptr;
  int32_t child = 0;

  bool same_kind(const LeafHost& other) const {
    return part == other.part && without == other.without && with->hi == other.with->hi;
  }
  friend bool operator<(const LeafHost& a, const LeafHost& b) {
    return std::tuple(a.part, -a.with->hi, a.without, a.child) <
           std::tuple(b.part, -b.with->hi, b.without, b.child);
  }
};

}  // namespace

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
  steps_ -= kKindSteps * static_cast<int64_t>(inside.size()) * load;
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
        hosts.push_back({part, without, &with,
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
      kinds.emplace_back(host.part, true, host.without, *host.with);
    kinds.back().loaded.push_back(host.child);
    last = &host;
  }
  return kinds;
}

// The key of leaves with a load, where these are alike: the best of the ways by their level.
// Nothing where some way of which the split may not be possible might be better.
template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::KeyOfLeaves(int level, int32_t index, int32_t load,
                                                        int32_t members) {
  const KindsRef kinds = HostKinds(level, index, load);
  const Siblings& siblings = field_.children(level, index).alike.siblings;
  const LevelRule::Kind kind_of_level = field_.terms(level + 1).kind;
  const auto runs = static_cast<int64_t>(siblings.most.size());
  std::optional<KeyOf> best, doubtful;
  VisitWays(*kinds, load, [&](std::span<const size_t> chosen) {
    steps_ -= kLeavesSteps + runs / kRunsAStep;
    const HostMosts mosts(*kinds, chosen);
    if (!HasHosts(level, *kinds, chosen) ||
        !BestSplitWith(siblings, mosts.without, mosts.with, kind_of_level, ToUse(level), members,
                       way_split_))
      return true;
    const bool possible = std::all_of(chosen.begin(), chosen.end(), [&](size_t kind) {
      return (*kinds)[kind].fits && TakesItsLeast((*kinds)[kind].with, siblings, chosen.size());
    });
    KeyOf key;
    AddLevel(level + 1, way_split_, key);
    std::optional<KeyOf>& least = possible ? best : doubtful;
    if (!least || key < *least) least = key;
    return true;
  });
  return best && !(doubtful && *doubtful < *best) ? best : std::nullopt;
}

// Whether one of so many hosts takes its least or more when the values of the split go to the
// leaves with the most room, the largest first.
template <int kWords>
bool Chooser<kWords>::TakesItsLeast(const Reach& host, const Siblings& siblings,
                                    size_t hosts) const {
  if (way_split_.back().value >= host.lo) return true;
  auto before = static_cast<int32_t>(hosts) - 1;  // leaves that hold more, or as many
  for (const Run& run : siblings.most)
    if (run.value > host.hi) before += run.count;
  for (const Run& run : way_split_) {
    if (before < run.count) return run.value >= host.lo;
    before -= run.count;
  }
  return false;
}

// The members defined here, for every width; the others are in chooser.cc.
#define GANGPLAN_CHOOSER_LEAVES(kWords)                                                      \
  template std::vector<Chooser<kWords>::HostKind> Chooser<kWords>::KindsOfLeaves(            \
      int, int32_t, int32_t);                                                                \
  template bool Chooser<kWords>::TakesItsLeast(const Reach&, const Siblings&, size_t) const; \
  template std::optional<Key<kWords>> Chooser<kWords>::KeyOfLeaves(int, int32_t, int32_t,    \
                                                                   int32_t);
GANGPLAN_CHOOSER_LEAVES(1)
GANGPLAN_CHOOSER_LEAVES(2)
GANGPLAN_CHOOSER_LEAVES(kMaxLevels + 1)

}  // namespace gangplan::exact
