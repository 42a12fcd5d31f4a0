// Leaves that are alike, with a load: by their kinds, and nothing is below them.
//
//   leaves of 4 workers, or 3 beside a leader; of 4, or 4; of 5, or 4: the leader goes on the
//   second
#include <algorithm>
#include <utility>

#include "algorithms/exact/chooser_loads.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

constexpr int64_t kKindSteps = 3;  // of a look at one kind with one part
// Of a look at one way, and how many runs of the leaves are seen in another one.
constexpr int64_t kLeavesSteps = 4;
constexpr int64_t kRunsAStep = 4;

// The most with the part first, then the least without.
uint64_t OrderOf(int32_t with, int32_t without) {
  return static_cast<uint64_t>(INT32_MAX - with) << 32 | static_cast<uint32_t>(without);
}

}  // namespace

// Leaves that are alike. One may as well have the part of another that holds as many or fewer with
// it, and as many or more without: what the two take can be exchanged. Each pod may need a leaf of
// its own for that, so of leaves of one kind as many are looked at as there are pods.
template <int kWords>
std::vector<typename Chooser<kWords>::HostKind> Chooser<kWords>::KindsOfLeaves(int level,
                                                                               int32_t index,
                                                                               int32_t load) {
  const Loads& loads = *field_.question().loads;
  const auto pods = static_cast<size_t>(loads.pods(load));
  const Siblings& siblings = field_.children(level, index).alike.siblings;
  const std::span<const LeafKinds::Entry> inside = field_.KindsIn(level, index);
  steps_ -= kKindSteps * static_cast<int64_t>(inside.size()) * load;
  std::vector<HostKind> kinds;
  absl::InlinedVector<std::pair<uint64_t, const LeafKinds::Entry*>, 16> sorted;
  absl::InlinedVector<int32_t, 2> least;  // without the part, the least of those kept
  LoadedChildren leaves;
  for (int32_t part = 1; part <= load; ++part) {
    if (!loads.Within(part, load)) continue;
    sorted.clear();
    least.clear();
    for (const LeafKinds::Entry& entry : inside) {
      const Reach& with = field_.KindReach(entry.kind, part);
      if (with.empty()) continue;
      if (!Field::FitsBeyond(siblings, with)) return FindKinds(level, index, load);
      const Reach& without = field_.KindReach(entry.kind, 0);
      sorted.emplace_back(OrderOf(with.hi, without.empty() ? 0 : without.hi), &entry);
    }
    CountWork(Work::kReach, std::ssize(inside));
    CountSort(sorted.size());
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size();) {
      const uint64_t order = sorted[i].first;
      const auto without = static_cast<int32_t>(order & UINT32_MAX);
      const Reach& with = field_.KindReach(sorted[i].second->kind, part);
      leaves.clear();
      const bool stood_for = least.size() == pods && least.back() <= without;
      for (; i < sorted.size() && sorted[i].first == order; ++i) {
        const LeafKinds::Entry& entry = *sorted[i].second;
        const size_t known = stood_for ? 0 : std::min(static_cast<size_t>(entry.count), pods);
        for (size_t leaf = 0; leaf < known; ++leaf) leaves.push_back(entry.leaves[leaf]);
      }
      std::sort(leaves.begin(), leaves.end());
      bool fresh = true;
      for (const int32_t leaf : leaves) {
        if (least.size() == pods && least.back() <= without) break;
        least.insert(std::upper_bound(least.begin(), least.end(), without), without);
        if (least.size() > pods) least.pop_back();
        if (fresh) kinds.emplace_back(part, true, without, with);
        fresh = false;
        kinds.back().loaded.push_back(field_.Loaded(level + 1, leaf, part));
      }
    }
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
    CountWork(Work::kEntry, 8);
    const HostMosts mosts(*kinds, chosen);
    if (!HasHosts(level, *kinds, chosen) ||
        !BestSplitWith(siblings, mosts.without, mosts.with, kind_of_level, ToUse(level), members,
                       way_split_))
      return !ended();
    const bool possible = std::all_of(chosen.begin(), chosen.end(), [&](size_t kind) {
      return (*kinds)[kind].fits && TakesItsLeast((*kinds)[kind].with, siblings, chosen.size());
    });
    KeyOf key;
    AddLevel(level + 1, way_split_, key);
    std::optional<KeyOf>& least = possible ? best : doubtful;
    if (!least || key < *least) least = key;
    return !ended();
  });
  if (ended()) return std::nullopt;
  return best && !(doubtful && *doubtful < *best) ? best : std::nullopt;
}

// What a domain with a load costs at least: as if those children with the most room beside each
// part were there once more to host it. Nothing where they are not alike.
template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::LeastLoaded(int level, int32_t index, int32_t load,
                                                        int32_t members) {
  const Loads& loads = *field_.question().loads;
  const Siblings& siblings = field_.children(level, index).alike.siblings;
  LeafKinds::Row most = {};
  if (!IsPlain(level, index) || !MostBeside(level, index, load, most)) return std::nullopt;
  std::optional<KeyOf> least;
  for (int32_t part = 0; part <= load - part; ++part) {
    if (!loads.Within(part, load)) continue;
    const int32_t hosts[] = {most[static_cast<size_t>(load - part)],
                             most[static_cast<size_t>(part)]};
    const size_t count = part == 0 ? 1 : 2;
    steps_ -= kLeavesSteps;
    if (hosts[0] == 0 || (count == 2 && hosts[1] == 0) ||
        !BestSplitWith(siblings, {}, std::span(hosts).first(count), field_.terms(level + 1).kind,
                       ToUse(level), members, way_split_))
      continue;
    KeyOf key, below;
    AddLevel(level + 1, way_split_, key);
    if (AddFloorBelow(level + 1, way_split_, members, loads.pods(load), below)) key += below;
    if (!least || key < *least) least = key;
  }
  return least;
}

// The most that a child of the domain holds with each part of the load. False where one does not
// take what the others do.
template <int kWords>
bool Chooser<kWords>::MostBeside(int level, int32_t index, int32_t load, LeafKinds::Row& most) {
  const Loads& loads = *field_.question().loads;
  const Siblings& siblings = field_.children(level, index).alike.siblings;
  const auto add = [&](const auto& reach_with) {
    for (int32_t part = 1; part <= load; ++part) {
      const Reach& with = reach_with(part);
      if (with.empty() || !loads.Within(part, load)) continue;
      if (!Field::FitsBeyond(siblings, with)) return false;
      int32_t& one = most[static_cast<size_t>(part)];
      one = std::max(one, with.hi);
    }
    return true;
  };
  if (LeavesBelow(level)) {
    const std::span<const LeafKinds::Entry> inside = field_.KindsIn(level, index);
    steps_ -= static_cast<int64_t>(inside.size()) * load / kRunsAStep;
    CountWork(Work::kEntry, 2 * load * std::ssize(inside));
    return std::all_of(inside.begin(), inside.end(), [&](const LeafKinds::Entry& entry) {
      return add([&](int32_t part) -> const Reach& { return field_.KindReach(entry.kind, part); });
    });
  }
  const Tree::Range range = field_.Range(level, index);
  steps_ -= int64_t{range.end - range.begin} * load;
  CountWork(Work::kReach, int64_t{range.end - range.begin} * load);
  bool alike = true;
  for (int32_t child = range.begin; child < range.end && alike; ++child)
    alike = add([&](int32_t part) {
      return field_.reach(level + 1, field_.Loaded(level + 1, child, part));
    });
  return alike;
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
#define GANGPLAN_CHOOSER_LEAVES(kWords)                                                        \
  template std::vector<Chooser<kWords>::HostKind> Chooser<kWords>::KindsOfLeaves(int, int32_t, \
                                                                                 int32_t);     \
  template bool Chooser<kWords>::TakesItsLeast(const Reach&, const Siblings&, size_t) const;   \
  template std::optional<Key<kWords>> Chooser<kWords>::LeastLoaded(int, int32_t, int32_t,      \
                                                                   int32_t);                   \
  template bool Chooser<kWords>::MostBeside(int, int32_t, int32_t, LeafKinds::Row&);           \
  template std::optional<Key<kWords>> Chooser<kWords>::KeyOfLeaves(int, int32_t, int32_t, int32_t);
GANGPLAN_CHOOSER_LEAVES(1)
GANGPLAN_CHOOSER_LEAVES(2)
GANGPLAN_CHOOSER_LEAVES(kMaxLevels + 1)

}  // namespace gangplan::exact
