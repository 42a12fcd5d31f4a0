// The splits of a domain with a load that are the best by the children's level, whoever hosts it,
// and the key that follows from them.
//
//   racks of 8, 8 and 5 workers, or 7, 7 and 6 beside a leader; a leader and 11 workers, pack: on
//   r0 or r1 it leads to 8 and 4, on r2 to 8 and 4, too: one split, in which each of the three may
//   host
#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/chooser_loads.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

constexpr size_t kMostSplits = 4;
// Choices of hosts that are looked at one by one.
constexpr size_t kFewChoices = 4;
constexpr int64_t kSplitSteps = 8;  // of a look at one choice of kinds

}  // namespace

// Where a spread gives nobody more than `most`, it does not matter how much more a sibling holds.
template <int kWords>
typename Chooser<kWords>::HostClasses Chooser<kWords>::ClassesOf(const std::vector<HostKind>& kinds,
                                                                 const Siblings& siblings,
                                                                 int level, int32_t members,
                                                                 int32_t pods) {
  int32_t most = members;
  if (field_.terms(level + 1).kind == LevelRule::Kind::kSpread) {
    // Nobody gets more than without the largest siblings, of which the hosts are taken at most.
    std::vector<Run> others(siblings.most.begin(), siblings.most.end());
    for (int32_t i = 0; i < pods && !others.empty(); ++i)
      if (--others.front().count == 0) others.erase(others.begin());
    const Siblings rest{others, siblings.lo, siblings.step, 0};
    const int32_t parts = ToUse(level);
    const int32_t used =
        parts == kAnyParts ? std::min(rest.Usable(), members / siblings.lo - pods) : parts - pods;
    if (used > 0 && BestSplit(rest, LevelRule::Kind::kSpread, used, members, way_split_))
      most = way_split_.front().value + siblings.step;
  }
  HostClasses classes;
  absl::flat_hash_map<std::array<int32_t, 5>, uint32_t> known;
  CountWork(Work::kFind, std::ssize(kinds));
  for (const HostKind& kind : kinds) {
    const std::array<int32_t, 5> told = {kind.part * 2 + (kind.fits ? 1 : 0),
                                         std::min(kind.without, most), std::min(kind.with.hi, most),
                                         kind.with.lo, kind.with.step};
    const auto fresh = static_cast<uint32_t>(known.size());
    classes.of.push_back(known.try_emplace(told, fresh).first->second);
  }
  return classes;
}

// What a pack with so many hosts costs by its level at least: nothing where it is no pack.
template <int kWords>
Key<kWords> Chooser<kWords>::LeastWith(int level, int32_t members, size_t hosts) const {
  KeyOf key;
  const auto count = static_cast<int32_t>(hosts);
  if (field_.terms(level).kind != LevelRule::Kind::kPack || members < count) return key;
  layout_.Add(level, members - (count - 1), 1, key);
  layout_.Add(level, 1, count - 1, key);
  return key;
}

// How many choices of hosts there are.
template <int kWords>
int64_t Chooser<kWords>::CountHosts(const std::vector<HostKind>& kinds,
                                    std::span<const size_t> chosen) const {
  const auto one = static_cast<int64_t>(kinds[chosen.front()].loaded.size());
  if (chosen.size() == 1) return one;
  const auto other = static_cast<int64_t>(kinds[chosen.back()].loaded.size());
  return chosen.front() == chosen.back() ? one * (one - 1) / 2 : one * other;
}

// As if all children were alike and took all counts from the least that one does: no split is
// better, and what is a best split of all children is one of these. False where that is not known.
template <int kWords>
bool Chooser<kWords>::FindSplits(int level, int32_t index, int32_t load, int32_t members,
                                 Splits& found) {
  const Children& children = field_.children(level, index);
  const LevelRule::Kind kind_of_level = field_.terms(level + 1).kind;
  const bool plain = IsPlain(level, index);
  Siblings siblings = plain ? children.alike.siblings : children.loose.siblings;
  if (kind_of_level == LevelRule::Kind::kAny || siblings.most.empty()) return false;
  const KindsRef kinds = HostKinds(level, index, load);
  for (const HostKind& kind : *kinds) {
    siblings.lo = std::min(siblings.lo, kind.with.lo);
    siblings.step = std::gcd(siblings.step, kind.with.step);
  }
  const int32_t pods = field_.question().loads->pods(load);
  const HostClasses classes = ClassesOf(*kinds, siblings, level, members, pods);
  const KeyOf least_of[] = {{}, LeastWith(level + 1, members, 1), LeastWith(level + 1, members, 2)};
  absl::flat_hash_map<uint64_t, std::optional<KeyOf>> known;  // by classes; nothing: not possible
  const auto look = [&](std::span<const size_t> chosen) -> std::optional<KeyOf> {
    steps_ -= kSplitSteps;
    const HostMosts mosts(*kinds, chosen);
    KeyOf cost;
    if (!BestSplitWith(siblings, mosts.without, mosts.with, kind_of_level, ToUse(level), members,
                       way_split_))
      return std::nullopt;
    AddLevel(level + 1, way_split_, cost);
    if (!found.splits.empty() && found.cost < cost) return cost;
    if (found.splits.empty() || cost < found.cost) found = {cost, {}, false, {}, {}, 0};
    if (std::find(found.splits.begin(), found.splits.end(), way_split_) == found.splits.end())
      found.splits.push_back(way_split_);
    return cost;
  };
  const int64_t half = steps_ / 2;
  VisitWays(*kinds, load, [&](std::span<const size_t> chosen) {
    --steps_;
    CountWork(Work::kFind, 1);
    const bool dear = !found.splits.empty() && found.cost < least_of[chosen.size()];
    if (dear || !HasHosts(level, *kinds, chosen)) return steps_ > half;
    const auto [at, fresh] = known.try_emplace(classes.Of(chosen));
    if (fresh) at->second = look(chosen);
    if (at->second && *at->second == found.cost) {
      found.count += CountHosts(*kinds, chosen);
      if (found.choices.size() < kFewChoices)
        found.choices.emplace_back(chosen.begin(), chosen.end());
    }
    return steps_ > half && found.splits.size() <= kMostSplits;
  });
  return steps_ > half && !found.splits.empty() && found.splits.size() <= kMostSplits;
}

// The splits of the domain, found once.
template <int kWords>
typename Chooser<kWords>::SplitsRef Chooser<kWords>::BestSplits(int level, int32_t index,
                                                                int32_t load, int32_t members) {
  const auto [known, fresh] =
      splits_.try_emplace(PlaceOf(level, field_.Loaded(level, index, load), members));
  if (fresh) {
    Keep(sizeof(*known) + sizeof(Splits));
    auto found = std::make_shared<Splits>();
    if (FindSplits(level, index, load, members, *found)) {
      bool bounded = true;
      found->least = KeyOf::Most();
      for (const std::vector<Run>& split : found->splits) {
        KeyOf least = found->cost;
        bounded = bounded && AddFloorBelow(level + 1, split, members,
                                           field_.question().loads->pods(load), least);
        found->least = std::min(found->least, least);
      }
      if (!bounded) found->least = found->cost;
      found->bounded = bounded;
      for (const std::vector<Run>& split : found->splits)
        Keep(sizeof(split) + split.capacity() * sizeof(Run));
      known->second = std::move(found);
    }
  }
  return known->second;
}

// What a child with a load costs, its own level included; what is beyond `cap` may be less than it
// is, but beyond.
template <int kWords>
Key<kWords> Chooser<kWords>::AskWithin(int level, int32_t child, int32_t members,
                                       const KeyOf& cap) {
  const int32_t same = field_.Same(level, child);
  if (level >= field_.question().last_level || LeavesBelow(level) ||
      known_.contains(PlaceOf(level, same, members)))
    return Ask(level, child, members);
  KeyOf own;
  layout_.Add(level, members, 1, own);
  const KeyOf below = cap - own;
  const std::optional<KeyOf> key = DealWithLoad(
      level, field_.Unloaded(level, same), field_.LoadOf(level, same), members, &below, nullptr);
  if (!key) return Ask(level, child, members);
  if (!(below < *key)) Remember(PlaceOf(level, same, members), *key);
  return own + *key;
}

// The same where one child takes all. None is asked that costs more than the best one so far at
// least, and nobody after one that costs no more than `bound`.
template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::OneTakesAll(int level, int32_t index, int32_t load,
                                                        int32_t members, const KeyOf* bound,
                                                        std::vector<int32_t>* hosts) {
  KeyOf own;  // of the child, by its level
  layout_.Add(level + 1, members, 1, own);
  const bool last = level + 1 >= field_.question().last_level;
  std::optional<KeyOf> best;
  const auto look = [&](int32_t child) {  // whether others may be better
    const KeyOf key =
        best ? AskWithin(level + 1, child, members, *best) : Ask(level + 1, child, members);
    if (best && *best < key) return true;
    if (hosts != nullptr && best && key < *best) hosts->clear();
    best = key;
    if (hosts != nullptr) hosts->push_back(child);
    return bound == nullptr || *bound < key;
  };
  const auto least_of = [&](int32_t child) {
    if (last) return own;
    const int32_t domain = field_.Unloaded(level + 1, child);
    std::optional<KeyOf> least = LeastLoaded(level + 1, domain, load, members);
    if (!least && !LeavesBelow(level + 1)) {
      const SplitsRef splits = BestSplits(level + 1, domain, load, members);
      if (splits != nullptr) least = splits->least;
    }
    return least ? own + *least : own;
  };
  std::vector<std::pair<KeyOf, int32_t>> rest;
  for (const HostKind& kind : *HostKinds(level, index, load)) {
    if (kind.part != load || !field_.Has(kind.with, members)) continue;
    for (const int32_t child : kind.loaded) {
      if (best) {
        rest.emplace_back(ended() ? own : least_of(child), child);
      } else if (!look(child) || ended()) {
        return ended() ? std::nullopt : best;
      }
    }
  }
  CountSort(rest.size());
  std::sort(rest.begin(), rest.end());
  for (const auto& [least, child] : rest) {
    if (ended()) return std::nullopt;
    if (*best < least || !look(child)) break;
  }
  return ended() ? std::nullopt : best;
}

// The same where the children are alike, for the first hosts, each with a deal of their own.
template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::DealEach(int level, int32_t index, int32_t load,
                                                     int32_t members, const Splits& found,
                                                     const KeyOf* bound,
                                                     std::vector<int32_t>* hosts) {
  std::optional<KeyOf> best;
  size_t looks = 0;
  const bool few = found.count <= static_cast<int64_t>(kFewChoices);
  const auto look = [&](std::span<const int32_t> loaded) {
    Field::Arranged arranged;
    KeyOf key, cost;
    std::vector<Run> split;
    steps_ -= ArrangeSteps(level, index);
    field_.ArrangeAlike(level, index, loaded, arranged);
    ++looks;
    if (!Split(level, index, members, loaded, split)) return few;
    AddLevel(level + 1, split, cost);
    const bool dealt = cost == found.cost && DealSplit(level + 1, arranged.children.loose,
                                                       std::move(split), key, nullptr);
    if (!dealt || ended() || (best && *best < key)) return few && !ended();
    if (hosts != nullptr && best && key < *best) hosts->clear();
    best = key;
    if (hosts != nullptr) hosts->insert(hosts->end(), loaded.begin(), loaded.end());
    return few && (bound == nullptr || *bound < key);
  };
  const KindsRef kinds = HostKinds(level, index, load);
  for (const auto& chosen : found.choices)
    if (few || looks == 0) VisitHosts(level, *kinds, chosen, look);
  return ended() ? std::nullopt : best;
}

// The key of a domain with a load; with `hosts` these get the children that are one in the best
// placements, or in the first one that is known to be the best. Nothing where it is not known.
template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::DealWithLoad(int level, int32_t index, int32_t load,
                                                         int32_t members, const KeyOf* cap,
                                                         std::vector<int32_t>* hosts) {
  const SplitsRef splits = BestSplits(level, index, load, members);
  if (splits == nullptr || ended()) return std::nullopt;
  const Splits& found = *splits;
  const KeyOf* const bound = found.bounded ? &found.least : nullptr;
  if (found.splits.front().front().value == members && field_.question().special.empty())
    return OneTakesAll(level, index, load, members, bound, hosts);
  const bool few = found.count <= static_cast<int64_t>(kFewChoices);
  // Where another domain has failed to cost its least this one will, too.
  const bool hopeful = found.bounded && cap == nullptr;
  if (IsPlain(level, index) && (hopeful || few)) {
    const std::optional<KeyOf> key = DealEach(level, index, load, members, found, bound, hosts);
    if (ended() || (key && (few || !(found.least < *key)))) return key;
    if (hosts != nullptr) hosts->clear();
  }
  return DealAll(level, index, load, found, cap, hosts);
}

// The members defined here, for every width; the others are in chooser.cc.
#define GANGPLAN_CHOOSER_SPLITS(kWords)                                                            \
  template Chooser<kWords>::HostClasses Chooser<kWords>::ClassesOf(                                \
      const std::vector<HostKind>&, const Siblings&, int, int32_t, int32_t);                       \
  template Key<kWords> Chooser<kWords>::LeastWith(int, int32_t, size_t) const;                     \
  template int64_t Chooser<kWords>::CountHosts(const std::vector<HostKind>&,                       \
                                               std::span<const size_t>) const;                     \
  template Chooser<kWords>::SplitsRef Chooser<kWords>::BestSplits(int, int32_t, int32_t, int32_t); \
  template bool Chooser<kWords>::FindSplits(int, int32_t, int32_t, int32_t, Splits&);              \
  template std::optional<Key<kWords>> Chooser<kWords>::OneTakesAll(                                \
      int, int32_t, int32_t, int32_t, const Key<kWords>*, std::vector<int32_t>*);                  \
  template std::optional<Key<kWords>> Chooser<kWords>::DealEach(                                   \
      int, int32_t, int32_t, int32_t, const Splits&, const Key<kWords>*, std::vector<int32_t>*);   \
  template std::optional<Key<kWords>> Chooser<kWords>::DealWithLoad(                               \
      int, int32_t, int32_t, int32_t, const Key<kWords>*, std::vector<int32_t>*);                  \
  template Key<kWords> Chooser<kWords>::AskWithin(int, int32_t, int32_t, const Key<kWords>&);
GANGPLAN_CHOOSER_SPLITS(1)
GANGPLAN_CHOOSER_SPLITS(2)
GANGPLAN_CHOOSER_SPLITS(kMaxLevels + 1)

}  // namespace gangplan::exact
