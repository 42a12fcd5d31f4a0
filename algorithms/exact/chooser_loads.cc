// Domains with loads: every way to spread the load over the children, those that can be the best by
// the children's level first.
#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "algorithms/exact/chooser.h"
#include "topology/base/check.h"

namespace gangplan::exact {

// Children with their loads, which are one load in all.
template <int kWords>
struct Chooser<kWords>::Way {
  absl::InlinedVector<int32_t, 2> loaded;
  KeyOf bound;  // no placement of this way has less
  bool alike =
      false;  // the children are alike but for what they have: by their level the bound is met
};

// The children that may take a part of the load, but for those that another can stand for. Of
// children that are the same inside as many are needed as the load has pods. One pod may as well be
// on the leaf that holds as many or more with it and as many or fewer without.
template <int kWords>
std::vector<int32_t> Chooser<kWords>::FindHosts(int level, int32_t index, int32_t load) const {
  const Loads& loads = *field_.question().loads;
  const Tree::Range range = field_.Range(level, index);
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
std::vector<typename Chooser<kWords>::Way> Chooser<kWords>::Ways(int level, int32_t index,
                                                                 int32_t members) {
  const Loads& loads = *field_.question().loads;
  const int32_t domain = field_.Unloaded(level, index), load = field_.LoadOf(level, index);
  const std::span<const int32_t> hosts = Hosts(level, domain, load);
  std::vector<Way> ways;
  Way way;
  bool met = false;
  KeyOf least;  // of the ways that meet their bound by the level
  const auto spread = [&](const auto& self, size_t from, int32_t rest) -> void {
    if (rest == 0) {
      if (ended() && met) return;
      --steps_;
      if (!Bound(level, domain, members, way) || (met && least < way.bound)) return;
      if (way.alike && (!met || way.bound < least)) {
        least = way.bound;
        met = true;
      }
      ways.push_back(way);
      return;
    }
    for (size_t i = from; i < hosts.size(); ++i) {
      for (int32_t part = 1; part <= rest; ++part) {
        if (!loads.Within(part, rest)) continue;
        const int32_t child = field_.Loaded(level + 1, hosts[i], part);
        if (field_.reach(level + 1, child).empty()) continue;
        way.loaded.push_back(child);
        self(self, i + 1, rest - part);
        way.loaded.pop_back();
      }
    }
  };
  spread(spread, 0, load);
  if (met) std::erase_if(ways, [&](const Way& one) { return least < one.bound; });
  std::stable_sort(ways.begin(), ways.end(),
                   [](const Way& a, const Way& b) { return a.bound < b.bound; });
  return ways;
}

// The best split of a way whose children are alike.
template <int kWords>
bool Chooser<kWords>::Split(int level, int32_t index, int32_t members, const Way& way,
                            std::vector<Run>& split) {
  absl::InlinedVector<int32_t, 2> without, with;
  for (int32_t child : way.loaded) {
    with.push_back(field_.Most(level + 1, child));
    without.push_back(field_.Most(level + 1, field_.Unloaded(level + 1, child)));
  }
  return BestSplitWith(field_.children(level, index).alike.siblings, without, with,
                       field_.terms(level + 1).kind, ToUse(level), members, split);
}

template <int kWords>
std::span<const int32_t> Chooser<kWords>::Hosts(int level, int32_t index, int32_t load) {
  const uint64_t place = PlaceOf(level, field_.Loaded(level, index, load), 0);
  const auto [found, fresh] = hosts_.try_emplace(place);
  if (fresh) found->second = FindHosts(level, index, load);
  return found->second;
}

// What the way costs by the level of the children at least; false when it is not possible.
template <int kWords>
bool Chooser<kWords>::Bound(int level, int32_t index, int32_t members, Way& way) {
  const Children& children = field_.children(level, index);
  const Siblings& siblings = children.alike.siblings;
  way.alike = children.odd.empty() && !children.alike.order.empty() && children.possible &&
              std::all_of(way.loaded.begin(), way.loaded.end(), [&](int32_t child) {
                return Field::Fits(siblings, field_.reach(level + 1, child));
              });
  way.bound = KeyOf{};
  if (!children.possible && !field_.PossibleWith(level, index, way.loaded)) return false;
  std::vector<Run> split;
  if (way.alike) {
    if (!Split(level, index, members, way, split)) return false;
  } else {
    Field::Arranged arranged;
    field_.Arrange(level, index, way.loaded, arranged);
    const Ranked& loose = arranged.children.loose;
    if (loose.order.empty()) return true;
    const LevelRule::Kind kind = field_.terms(level + 1).kind;
    if (!BestSplit(loose.siblings, kind, ToUse(level), members, split)) return false;
  }
  AddLevel(level + 1, split, way.bound);
  return true;
}

// The best of one way. False when it is not possible.
template <int kWords>
bool Chooser<kWords>::Evaluate(int level, int32_t index, int32_t members, const Way& way,
                               KeyOf& key, std::vector<Pick>* picks) {
  key = way.bound;
  if (way.alike && LeavesBelow(level) && picks == nullptr) return true;
  Field::Arranged arranged;
  if (way.alike) {
    key = KeyOf{};
    field_.ArrangeAlike(level, index, way.loaded, arranged);
    std::vector<Run> split;
    return Split(level, index, members, way, split) &&
           DealSplit(level + 1, arranged.children.loose, std::move(split), key, picks);
  }
  field_.Arrange(level, index, way.loaded, arranged);
  const Children& children = arranged.children;
  if (BestLoose(level, index, children, members, key, picks)) return true;
  if (!field_.SumsAfter(level, children).front().front().Has(members)) return false;
  key = BestOdd(level, index, children, members, picks);
  return true;
}

template <int kWords>
Key<kWords> Chooser<kWords>::BestLoaded(int level, int32_t index, int32_t members,
                                        std::vector<Pick>* picks) {
  const int32_t domain = field_.Unloaded(level, index);
  std::vector<Way> ways = Ways(level, index, members);
  KeyOf best;
  const Way* chosen = nullptr;
  for (const Way& way : ways) {
    if (ended() || (chosen != nullptr && !(way.bound < best))) break;
    KeyOf key;
    if (!Evaluate(level, domain, members, way, key, nullptr)) continue;
    if (chosen != nullptr && !(key < best)) continue;
    best = key;
    chosen = &way;
  }
  if (picks == nullptr) return best;
  if (ended()) {
    AnyWay(level, domain, members, ways, *picks);
    return KeyOf{};
  }
  GANGPLAN_CHECK(chosen != nullptr);
  Evaluate(level, domain, members, *chosen, best, picks);
  if (!ended()) return best;
  AnyWay(level, domain, members, ways, *picks);
  return KeyOf{};
}

// A valid placement of some way.
template <int kWords>
void Chooser<kWords>::AnyWay(int level, int32_t index, int32_t members, std::span<const Way> ways,
                             std::vector<Pick>& picks) {
  picks.clear();
  for (const Way& way : ways) {
    Field::Arranged arranged;
    field_.Arrange(level, index, way.loaded, arranged);
    const Children& children = arranged.children;
    if (!field_.SumsAfter(level, children).front().front().Has(members)) continue;
    return AnyOdd(level, index, children, members, picks);
  }
  GANGPLAN_CHECK(false);
}

// The members defined here, for every width; the others are in chooser.cc.
#define GANGPLAN_CHOOSER_LOADS(kWords)                                                         \
  template Key<kWords> Chooser<kWords>::BestLoaded(int, int32_t, int32_t, std::vector<Pick>*); \
  template std::vector<int32_t> Chooser<kWords>::FindHosts(int, int32_t, int32_t) const;       \
  template std::span<const int32_t> Chooser<kWords>::Hosts(int, int32_t, int32_t);             \
  template std::vector<Chooser<kWords>::Way> Chooser<kWords>::Ways(int, int32_t, int32_t);     \
  template bool Chooser<kWords>::Split(int, int32_t, int32_t, const Way&, std::vector<Run>&);  \
  template bool Chooser<kWords>::Bound(int, int32_t, int32_t, Way&);                           \
  template bool Chooser<kWords>::Evaluate(int, int32_t, int32_t, const Way&, Key<kWords>&,     \
                                          std::vector<Pick>*);                                 \
  template void Chooser<kWords>::AnyWay(int, int32_t, int32_t, std::span<const Way>,           \
                                        std::vector<Pick>&);
GANGPLAN_CHOOSER_LOADS(1)
GANGPLAN_CHOOSER_LOADS(2)
GANGPLAN_CHOOSER_LOADS(kMaxLevels + 1)

}  // namespace gangplan::exact
