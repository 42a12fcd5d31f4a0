// Domains with loads: every way to spread the load over the children, those that can be the best by
// the children's level first.
//
//   racks of 8, 8 and 5 workers, or 7, 7 and 5 beside a leader; a leader and 11 workers, pack:
//   kinds of hosts: {r0, r1}: 8, or 8 with the leader; {r2}: 5, or 6 with it
//   ways: by the first kind 8 and 4 is the best, by the second 8 and 4, too: both are looked into
#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/chooser_loads.h"
#include "algorithms/exact/work.h"
#include "topology/base/check.h"

namespace gangplan::exact {
namespace {

// Steps of a look at one way, and of a child that is set in order for it.
constexpr int64_t kWaySteps = 50;
constexpr int64_t kArrangeSteps = 3;
// Ways that are looked at in any case, so that there is a choice when the steps have ended.
constexpr int kFirstLooks = 200;
// Ways that are kept at most: each takes up to 320 bytes.
constexpr size_t kMostWays = 1 << 16;
// What these may take when the steps have ended: of ways that take long there are fewer.
constexpr int64_t kFirstSteps = 20'000;
// Hosts of a way that are tried before all of them are priced.
constexpr int kFirstTries = 4;

}  // namespace

// Ways of the same classes cost the same by the level, and are looked at once.
template <int kWords>
typename Chooser<kWords>::Ways Chooser<kWords>::FindWays(int level, int32_t index, int32_t load,
                                                         int32_t members,
                                                         std::vector<int32_t> hosts) {
  Ways found{HostKinds(level, index, load), {}, false, std::move(hosts)};
  const std::vector<HostKind>& kinds = *found.kinds;
  const bool plain = IsPlain(level, index);
  const int32_t pods = field_.question().loads->pods(load);
  const Siblings& siblings = field_.children(level, index).alike.siblings;
  HostClasses classes;
  if (plain) classes = ClassesOf(kinds, siblings, level, members, pods);
  absl::flat_hash_map<uint64_t, std::optional<Way>> known;  // by classes; nothing: not possible
  const int64_t before = steps_, half = before / 2;  // the rest is for what the ways cost inside
  bool met = false;
  int looks = 0;
  KeyOf least, floor;  // of the ways that meet their bound by the level; of what is below it
  if (!AddFloor(level, level + 2, members, pods, floor)) floor = KeyOf{};
  const KeyOf least_of[] = {
      {}, floor + LeastWith(level + 1, members, 1), floor + LeastWith(level + 1, members, 2)};
  const auto has_host = [&](size_t kind) {
    return std::any_of(kinds[kind].loaded.begin(), kinds[kind].loaded.end(),
                       [&](int32_t child) { return IsHost(level, found, child); });
  };
  VisitWays(kinds, load, [&](std::span<const size_t> chosen) {
    --steps_;
    CountWork(Work::kFind, 1);
    if (!std::all_of(chosen.begin(), chosen.end(), has_host)) return !ended();
    const bool dear = ended() && before - steps_ > kFirstSteps;
    const bool many = ++looks >= kFirstLooks && steps_ < half;
    found.cut = many || dear || found.ways.size() >= kMostWays;
    if (met && least < least_of[chosen.size()]) return !found.cut;
    std::optional<Way> way;
    if (plain && HasHosts(level, kinds, chosen)) {
      const auto [at, fresh] = known.try_emplace(classes.Of(chosen));
      if (fresh) at->second = LookAtWay(level, index, members, kinds, chosen, floor);
      way = at->second;
    } else {
      way = LookAtWay(level, index, members, kinds, chosen, floor);
    }
    if (!way || (met && least < way->bound)) return !found.cut;
    if (way->alike && (!met || way->bound < least)) {
      least = way->bound;
      met = true;
    }
    way->kinds.assign(chosen.begin(), chosen.end());
    found.ways.push_back(*std::move(way));
    return !found.cut;
  });
  if (met) std::erase_if(found.ways, [&](const Way& one) { return least < one.bound; });
  CountSort(2 * found.ways.size());
  std::stable_sort(found.ways.begin(), found.ways.end(),
                   [](const Way& a, const Way& b) { return a.bound < b.bound; });
  return found;
}

// Whether the child may host a part of the load in a best placement.
template <int kWords>
bool Chooser<kWords>::IsHost(int level, const Ways& ways, int32_t child) const {
  return ways.hosts.empty() ||
         std::binary_search(ways.hosts.begin(), ways.hosts.end(), field_.Same(level + 1, child));
}

// What a way costs at least, with so much below the level; nothing where it is not possible.
template <int kWords>
std::optional<typename Chooser<kWords>::Way> Chooser<kWords>::LookAtWay(
    int level, int32_t index, int32_t members, const std::vector<HostKind>& kinds,
    std::span<const size_t> chosen, const KeyOf& floor) {
  Way way;
  way.bound = floor;
  way.alike = IsPlain(level, index);
  for (const size_t kind : chosen) {
    way.alike = way.alike && kinds[kind].fits;
    way.least = std::max(way.least, kinds[kind].with.lo);
  }
  bool possible = false;
  VisitHosts(level, kinds, chosen, [&](std::span<const int32_t> loaded) {
    possible = Bound(level, index, members, {kinds, chosen}, loaded, way);
    return false;
  });
  return possible ? std::optional(way) : std::nullopt;
}

// The best split of a way whose children are alike.
template <int kWords>
bool Chooser<kWords>::Split(int level, int32_t index, int32_t members,
                            std::span<const int32_t> loaded, std::vector<Run>& split) {
  LoadedChildren without, with;
  for (int32_t child : loaded) {
    with.push_back(field_.Most(level + 1, child));
    without.push_back(field_.Most(level + 1, field_.Unloaded(level + 1, child)));
  }
  return BestSplitWith(field_.children(level, index).alike.siblings, without, with,
                       field_.terms(level + 1).kind, ToUse(level), members, split);
}

// What the way costs by the level of the children at least; false when it is not possible. Where a
// host takes more at least than the split may give it the children are not alike.
template <int kWords>
bool Chooser<kWords>::Bound(int level, int32_t index, int32_t members, const HostMosts& mosts,
                            std::span<const int32_t> loaded, Way& way) {
  const Children& children = field_.children(level, index);
  std::vector<Run>& split = way_split_;
  if (way.alike) {
    steps_ -= kWaySteps + static_cast<int64_t>(children.alike.siblings.most.size());
    if (!BestSplitWith(children.alike.siblings, mosts.without, mosts.with,
                       field_.terms(level + 1).kind, ToUse(level), members, split))
      return false;
    way.alike = split.back().value >= way.least;
    if (!way.alike && !GiveLeast(level, index, members, loaded, split, way)) return false;
    AddLevel(level + 1, split, way.bound);
    return true;
  }
  steps_ -= kWaySteps + ArrangeSteps(level, index);
  if (!children.possible && !field_.PossibleWith(level, index, loaded)) return false;
  Field::Arranged arranged;
  field_.Arrange(level, index, loaded, arranged);
  const Ranked& loose = arranged.children.loose;
  if (loose.order.empty()) return true;
  const LevelRule::Kind kind = field_.terms(level + 1).kind;
  if (!BestSplit(loose.siblings, kind, ToUse(level), members, split)) return false;
  AddLevel(level + 1, split, way.bound);
  return true;
}

// Where some host takes more at least than a spread gives to anybody, it takes its least: what is
// left is split over the others. False when it is not possible.
template <int kWords>
bool Chooser<kWords>::GiveLeast(int level, int32_t index, int32_t members,
                                std::span<const int32_t> loaded, std::vector<Run>& split,
                                Way& way) {
  const Siblings& siblings = field_.children(level, index).alike.siblings;
  const bool any = ToUse(level) == kAnyParts && siblings.lo == 1 && siblings.step == 1;
  if (!any || field_.terms(level + 1).kind != LevelRule::Kind::kSpread) return true;
  LoadedChildren without, with;
  int32_t rest = members;
  for (const int32_t child : loaded) {
    const Reach reach = field_.reach(level + 1, child);
    without.push_back(field_.Most(level + 1, field_.Unloaded(level + 1, child)));
    if (reach.lo <= split.front().value) {
      with.push_back(reach.hi);
    } else {
      layout_.Add(level + 1, reach.lo, 1, way.bound);
      rest -= reach.lo;
    }
  }
  if (rest == members) return true;
  return rest >= 0 &&
         BestSplitWith(siblings, without, with, LevelRule::Kind::kSpread, kAnyParts, rest, split);
}

template <int kWords>
int64_t Chooser<kWords>::ArrangeSteps(int level, int32_t index) const {
  const Tree::Range range = field_.Range(level, index);
  return kArrangeSteps * (range.end - range.begin);
}

// The best of one way with these children. False when it is not possible.
template <int kWords>
bool Chooser<kWords>::Evaluate(int level, int32_t index, int32_t members, const Way& way,
                               std::span<const int32_t> loaded, KeyOf& key,
                               std::vector<Pick>* picks) {
  key = way.bound;
  if (way.alike && LeavesBelow(level) && picks == nullptr) return true;
  Field::Arranged arranged;
  if (way.alike) {
    key = KeyOf{};
    std::vector<Run> split;
    if (!Split(level, index, members, loaded, split)) return false;
    if (split.front().value == members && picks == nullptr) {  // the host takes all
      key = Ask(level + 1, loaded.front(), members);
      return field_.Has(field_.reach(level + 1, loaded.front()), members);
    }
    steps_ -= ArrangeSteps(level, index);
    field_.ArrangeAlike(level, index, loaded, arranged);
    return DealSplit(level + 1, arranged.children.loose, std::move(split), key, picks);
  }
  steps_ -= ArrangeSteps(level, index);
  field_.Arrange(level, index, loaded, arranged);
  const Children& children = arranged.children;
  if (BestLoose(level, index, children, members, key, picks)) return true;
  steps_ -= field_.SumSteps(level, children);
  if (ended()) return false;
  if (!field_.HasRoomFor(level, children)) {  // a better one may be among these
    cut_ = true;
    return false;
  }
  if (!field_.CanTake(level, children, members)) return false;
  key = BestOdd(level, index, children, members, picks);
  return true;
}

// The best of the way's hosts that costs less than `best`, if one does: then it is there. Of hosts
// that are known to be some of the best only these; none costs less than `least`, where it is
// known.
template <int kWords>
bool Chooser<kWords>::BestHosts(int level, int32_t index, int32_t members, const Ways& ways,
                                const Way& way, const std::optional<KeyOf>& least, Prices& known,
                                KeyOf& best, LoadedChildren& hosts) {
  bool better = false;
  int looks = 0;
  const auto look = [&](std::span<const int32_t> loaded) {
    KeyOf key;
    if (!std::all_of(loaded.begin(), loaded.end(),
                     [&](int32_t one) { return IsHost(level, ways, one); }))
      return !ended();
    ++looks;
    if (Evaluate(level, index, members, way, loaded, key, nullptr) && !ended() && key < best) {
      best = key;
      hosts.assign(loaded.begin(), loaded.end());
      better = true;
    }
    return !ended() && way.bound < best && (!least || *least < best);
  };
  if (!way.alike || LeavesBelow(level) || IsSingle(ways, way)) {
    VisitHosts(level, *ways.kinds, way.kinds, look);
    return better;
  }
  if (least) {
    VisitHosts(level, *ways.kinds, way.kinds, [&](std::span<const int32_t> loaded) {
      return look(loaded) && looks < kFirstTries;
    });
    if (looks < kFirstTries || ended() || !(*least < best)) return better;
  }
  std::vector<Run> split;
  std::optional<bool> priced;
  VisitHosts(level, *ways.kinds, way.kinds, [&](std::span<const int32_t> some) {
    if (Split(level, index, members, some, split))
      priced = PriceHosts(level, index, ways, way, some, std::move(split), known, best, hosts);
    return false;
  });
  if (priced) return *priced;
  VisitHosts(level, *ways.kinds, way.kinds, look);
  return better;
}

// There is one child for each part.
template <int kWords>
bool Chooser<kWords>::IsSingle(const Ways& ways, const Way& way) const {
  return std::all_of(way.kinds.begin(), way.kinds.end(),
                     [&](size_t kind) { return (*ways.kinds)[kind].loaded.size() == 1; });
}

template <int kWords>
Key<kWords> Chooser<kWords>::BestLoaded(int level, int32_t index, int32_t members,
                                        std::vector<Pick>* picks) {
  const int32_t domain = field_.Unloaded(level, index), load = field_.LoadOf(level, index);
  if (picks == nullptr && LeavesBelow(level) && IsPlain(level, domain)) {
    const std::optional<KeyOf> key = KeyOfLeaves(level, domain, load, members);
    if (key) return ended() ? KeyOf{} : *key;
  }
  std::optional<KeyOf> least;  // the key, where it is known before the ways are
  std::vector<int32_t> known_hosts;
  if (!LeavesBelow(level))
    least = DealWithLoad(level, domain, load, members, nullptr,
                         picks == nullptr ? nullptr : &known_hosts);
  if (least && picks == nullptr) return *least;
  if (!least) known_hosts.clear();
  for (int32_t& host : known_hosts) host = field_.Same(level + 1, host);
  std::sort(known_hosts.begin(), known_hosts.end());
  Ways ways = FindWays(level, domain, load, members, std::move(known_hosts));
  KeyOf best = KeyOf::Most();
  const Way* chosen = nullptr;
  LoadedChildren hosts;
  Prices known;
  for (const Way& way : ways.ways) {
    if (ended() || !(way.bound < best) || (least && !(*least < best))) break;
    if (BestHosts(level, domain, members, ways, way, least, known, best, hosts)) chosen = &way;
  }
  cut_ = cut_ || ways.cut;
  if (chosen == nullptr) steps_ = std::min<int64_t>(steps_, 0);  // none was found: not proven
  if (picks == nullptr) return ended() ? KeyOf{} : best;
  if (chosen == nullptr) {
    AnyWay(level, domain, load, members, ways, *picks);
    return KeyOf{};
  }
  KeyOf key;
  if (!Evaluate(level, domain, members, *chosen, hosts, key, picks)) {
    steps_ = std::min<int64_t>(steps_, 0);  // not proven
    picks->clear();
    AnyWay(level, domain, load, members, ways, *picks);
    return KeyOf{};
  }
  // What was priced is what was dealt out, else it is not proven.
  cut_ = cut_ || !(key == best) || (least && !(best == *least));
  return ended() ? KeyOf{} : best;
}

// The members defined here, for every width; the others are in chooser.cc.
#define GANGPLAN_CHOOSER_LOADS(kWords)                                                         \
  template Key<kWords> Chooser<kWords>::BestLoaded(int, int32_t, int32_t, std::vector<Pick>*); \
  template Chooser<kWords>::Ways Chooser<kWords>::FindWays(int, int32_t, int32_t, int32_t,     \
                                                           std::vector<int32_t>);              \
  template std::optional<Chooser<kWords>::Way> Chooser<kWords>::LookAtWay(                     \
      int, int32_t, int32_t, const std::vector<HostKind>&, std::span<const size_t>,            \
      const Key<kWords>&);                                                                     \
  template bool Chooser<kWords>::IsHost(int, const Ways&, int32_t) const;                      \
  template bool Chooser<kWords>::IsSingle(const Ways&, const Way&) const;                      \
  template bool Chooser<kWords>::BestHosts(int, int32_t, int32_t, const Ways&, const Way&,     \
                                           const std::optional<Key<kWords>>&, Prices&,         \
                                           Key<kWords>&, LoadedChildren&);                     \
  template bool Chooser<kWords>::GiveLeast(int, int32_t, int32_t, std::span<const int32_t>,    \
                                           std::vector<Run>&, Way&);                           \
  template int64_t Chooser<kWords>::ArrangeSteps(int, int32_t) const;                          \
  template bool Chooser<kWords>::Split(int, int32_t, int32_t, std::span<const int32_t>,        \
                                       std::vector<Run>&);                                     \
  template bool Chooser<kWords>::Bound(int, int32_t, int32_t, const HostMosts&,                \
                                       std::span<const int32_t>, Way&);                        \
  template bool Chooser<kWords>::Evaluate(int, int32_t, int32_t, const Way&,                   \
                                          std::span<const int32_t>, Key<kWords>&,              \
                                          std::vector<Pick>*);
GANGPLAN_CHOOSER_LOADS(1)
GANGPLAN_CHOOSER_LOADS(2)
GANGPLAN_CHOOSER_LOADS(kMaxLevels + 1)

}  // namespace gangplan::exact
