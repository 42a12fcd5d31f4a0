#include "algorithms/exact/chooser.h"

#include <algorithm>
#include <numeric>

#include "algorithms/exact/deal_states.h"
#include "algorithms/exact/work.h"
#include "algorithms/scan.h"
#include "topology/base/check.h"

namespace gangplan::exact {
namespace {

// Leaves that are looked at for one value in one step, and values that a first look is worth.
constexpr int64_t kPickedLeavesAStep = 16;
constexpr size_t kLeafLooks = 8;

}  // namespace

template <int kWords>
Key<kWords> Chooser<kWords>::Best(int level, int32_t index, int32_t members,
                                  std::vector<Pick>* picks) {
  --steps_;
  CountWork(Work::kFind, 2);
  const bool loaded = field_.LoadOf(level, index) > 0;
  const bool keep = picks == nullptr && (loaded || !LeavesBelow(level));
  if (keep) {
    const auto found = known_.find(PlaceOf(level, index, members));
    if (found != known_.end()) return found->second;
  }
  KeyOf key;
  if (loaded) {
    key = BestLoaded(level, index, members, picks);
    if (keep) Remember(PlaceOf(level, index, members), key);
    return key;
  }
  const Children& children = field_.children(level, index);
  if (children.odd.empty()) {
    const bool dealt = BestAlike(level, index, children.alike, ToUse(level), members, key, picks);
    GANGPLAN_CHECK(dealt);
  } else if (!BestLoose(level, index, children, members, key, picks)) {
    key = BestOdd(level, index, children, members, picks);
  }
  if (keep) Remember(PlaceOf(level, index, members), key);
  return key;
}

template <int kWords>
Key<kWords> Chooser<kWords>::Ask(int level, int32_t child, int32_t members) {
  KeyOf key;
  if (members == 0 || ended()) return key;
  if (level < field_.question().last_level)
    key = Best(level, field_.Same(level, child), members, nullptr);
  layout_.Add(level, members, 1, key);
  return key;
}

// Children that are not alike, as if they were: best of all if each of them can take what it is
// dealt. False when they cannot, or when the steps ended.
template <int kWords>
bool Chooser<kWords>::BestLoose(int level, int32_t index, const Children& children, int32_t members,
                                KeyOf& key, std::vector<Pick>* picks) {
  std::vector<Pick> dealt;
  if (ended() || !BestAlike(level, index, children.loose, ToUse(level), members, key, &dealt))
    return false;
  if (ended()) return false;
  if (picks != nullptr) *picks = std::move(dealt);
  return true;
}

template <int kWords>
bool Chooser<kWords>::BestAlike(int level, int32_t index, const Ranked& children, int32_t parts,
                                int32_t members, KeyOf& key, std::vector<Pick>* picks) {
  key = KeyOf{};
  const bool leaves = children.order.empty() && LeavesBelow(level);
  std::vector<Run> own;  // of this call: those of children are found below it
  std::vector<Run>& split = leaves ? leaf_split_ : own;
  if (!BestSplit(children.siblings, field_.terms(level + 1).kind, parts, members, split))
    return false;
  if (leaves) {
    AddLevel(level + 1, split, key);
    if (picks != nullptr) PickLeaves(index, children.except, split, *picks);
    return true;
  }
  return DealSplit(level + 1, children, std::move(split), key, picks);
}

template <int kWords>
bool Chooser<kWords>::DealSplit(int level, const Ranked& children, std::vector<Run> split,
                                KeyOf& key, std::vector<Pick>* picks) {
  return VisitSegments(
      children.siblings, split, [&](std::span<const Run> values, int32_t begin, int32_t end) {
        const std::span<const int32_t> order = children.order.subspan(begin, end - begin);
        return Deal(level, order, values, key, picks);
      });
}

// Each value, largest first, to the fullest leaf that holds it (spread: to the emptiest).
template <int kWords>
void Chooser<kWords>::PickLeaves(int32_t index, std::span<const int32_t> except,
                                 std::span<const Run> split, std::vector<Pick>& picks) {
  const int leaf_level = field_.tree().leaf_level();
  const bool spread = field_.terms(leaf_level).kind == LevelRule::Kind::kSpread;
  const std::span<const int32_t> room = field_.question().counts->at(leaf_level);
  const Tree::Range range = field_.Range(leaf_level - 1, field_.Unloaded(leaf_level - 1, index));
  steps_ -= (range.end - range.begin) * static_cast<int64_t>(split.size() + kLeafLooks) /
            kPickedLeavesAStep;
  std::vector<uint64_t> able;  // by what decides
  for (int32_t leaf = range.begin; leaf < range.end; ++leaf) {
    if (std::binary_search(except.begin(), except.end(), leaf)) continue;
    const int32_t order = spread ? INT32_MAX - room[leaf] : room[leaf];
    able.push_back(static_cast<uint64_t>(order) << 32 | static_cast<uint32_t>(leaf));
  }
  CountWork(Work::kReach, range.end - range.begin);
  for (const Run& run : split) {
    CountWork(Work::kEntry, 2 * std::ssize(able));
    const auto leaf_of = [](uint64_t entry) { return static_cast<int32_t>(entry & UINT32_MAX); };
    const auto end = std::partition(able.begin(), able.end(), [&](uint64_t entry) {
      return room[leaf_of(entry)] >= run.value;
    });
    const auto take = able.begin() + run.count;
    if (take != end) std::nth_element(able.begin(), take, end);
    for (auto it = able.begin(); it != take; ++it) picks.push_back({leaf_of(*it), run.value});
    able.erase(able.begin(), take);
  }
}

template <int kWords>
std::vector<typename Chooser<kWords>::Item> Chooser<kWords>::Items(
    int level, std::span<const int32_t> children) const {
  std::vector<Item> items;
  items.reserve(children.size());
  CountWork(Work::kReach, 2 * std::ssize(children));
  for (int32_t child : children)
    items.push_back({child, field_.reach(level, child), field_.Room(level, child)});
  return items;
}

template <int kWords>
bool Chooser<kWords>::Deal(int level, std::span<const int32_t> children,
                           std::span<const Run> values, KeyOf& key, std::vector<Pick>* picks) {
  steps_ -= std::ssize(children);
  if (values.size() == 1) {
    CountWork(Work::kReach, std::ssize(children));
    for (const int32_t child : children) {
      if (!field_.Has(field_.reach(level, child), values.front().value)) return false;
      key += Ask(level, child, values.front().value);
      if (picks != nullptr && values.front().value > 0)
        picks->push_back({child, values.front().value});
    }
    return true;
  }
  std::vector<Item> items = Items(level, children);
  const bool spread = field_.terms(level).kind == LevelRule::Kind::kSpread;
  if (picks != nullptr) {  // equal deals cost the same
    CountSort(items.size());
    std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
      if (a.room != b.room) return spread ? a.room > b.room : a.room < b.room;
      return a.child < b.child;
    });
  }
  std::vector<Pick> dealt;
  std::vector<Pick>* const asked = picks == nullptr ? nullptr : &dealt;
  const bool done = values.size() == 2 ? DealTwo(level, items, values, key, asked)
                                       : DealMany(level, items, values, key, asked);
  if (picks == nullptr || (!done && !ended())) return done;
  if (ended()) {
    dealt.clear();
    DealInOrder(std::move(items), values, dealt);
  }
  picks->insert(picks->end(), dealt.begin(), dealt.end());
  return true;
}

// A valid deal: who cannot go without and, beside them, those with room for the most; the largest
// values to those of them with room for the most.
template <int kWords>
void Chooser<kWords>::DealInOrder(std::vector<Item> items, std::span<const Run> values,
                                  std::vector<Pick>& picks) const {
  int32_t used = 0;
  for (const Run& run : values) used += run.value > 0 ? run.count : 0;
  const auto by_room = [](const Item& a, const Item& b) {
    return a.reach.hi != b.reach.hi ? a.reach.hi > b.reach.hi : a.child < b.child;
  };
  CountSort(3 * items.size());
  std::sort(items.begin(), items.end(), by_room);
  std::stable_partition(items.begin(), items.end(),
                        [](const Item& item) { return !item.reach.zero; });
  std::sort(items.begin(), items.begin() + used, by_room);
  size_t next = 0;
  for (const Run& run : values) {
    for (int32_t i = 0; i < run.count && run.value > 0; ++i)
      picks.push_back({items[next++].child, run.value});
  }
}

// Those for whom the larger value costs the least more take it. Nobody is asked when only one deal
// is possible.
template <int kWords>
bool Chooser<kWords>::DealTwo(int level, std::span<const Item> items, std::span<const Run> values,
                              KeyOf& key, std::vector<Pick>* picks) {
  const int32_t large = values[0].value, small = values[1].value;
  std::vector<char> takes(items.size(), 0);
  CountWork(Work::kEntry, 4 * std::ssize(items));
  std::vector<size_t> open;
  int32_t missing = values[0].count;
  for (size_t i = 0; i < items.size(); ++i) {
    const bool can_large = field_.Has(items[i].reach, large);
    const bool can_small = field_.Has(items[i].reach, small);
    if (!can_large && !can_small) return false;
    if (can_large && can_small) open.push_back(i);
    if (can_small) continue;
    takes[i] = 1;
    --missing;
  }
  if (missing < 0 || static_cast<size_t>(missing) > open.size()) return false;
  if (missing > 0 && static_cast<size_t>(missing) < open.size()) {
    TakeLarge(level, items, open, values, missing, takes);
  } else if (missing > 0) {
    for (size_t i : open) takes[i] = 1;
  }
  for (size_t i = 0; i < items.size() && !ended(); ++i) {
    const int32_t members = takes[i] != 0 ? large : small;
    key += Ask(level, items[i].child, members);
    if (picks != nullptr && members > 0) picks->push_back({items[i].child, members});
  }
  return true;
}

// A table over the children, from the last: what they cost at best with the state's values still to
// be dealt out to them.
template <int kWords>
bool Chooser<kWords>::DealMany(int level, std::span<const Item> items, std::span<const Run> values,
                               KeyOf& key, std::vector<Pick>* picks) {
  DealStates states(values);
  steps_ -= static_cast<int64_t>(states.count() * items.size() * values.size()) / 2;
  if (ended()) return true;
  states.Build();
  CountWork(Work::kEntry, static_cast<int64_t>(states.count() * values.size()) * 4);
  constexpr int8_t kNone = -1;
  std::vector<KeyOf> costs(states.count()), before;
  std::vector<std::vector<int8_t>> choice(items.size() + 1,
                                          std::vector<int8_t>(states.count(), kNone));
  choice[items.size()][0] = 0;
  std::vector<KeyOf> asked(values.size());
  std::vector<size_t> able;
  for (size_t i = items.size(); i-- > 0;) {
    able.clear();
    for (size_t v = 0; v < values.size(); ++v) {
      if (!field_.Has(items[i].reach, values[v].value)) continue;
      able.push_back(v);
      asked[v] = Ask(level, items[i].child, values[v].value);
    }
    CountWork(Work::kEntry, static_cast<int64_t>(states.count() * (able.size() + 1)) * 2);
    before.swap(costs);
    costs.assign(states.count(), KeyOf{});
    for (size_t state = 0; state < states.count(); ++state) {
      if (!states.Fits(state, items.size() - i)) continue;
      for (size_t v : able) {
        if (!states.Can(state, v) || choice[i + 1][states.After(state, v)] == kNone) continue;
        const KeyOf cost = asked[v] + before[states.After(state, v)];
        if (choice[i][state] != kNone && !(cost < costs[state])) continue;
        costs[state] = cost;
        choice[i][state] = static_cast<int8_t>(v);
      }
    }
  }
  if (ended()) return true;
  size_t state = states.count() - 1;
  if (choice[0][state] == kNone) return false;
  key += costs[state];
  for (size_t i = 0; i < items.size() && picks != nullptr; ++i) {
    const auto v = static_cast<size_t>(choice[i][state]);
    if (values[v].value > 0) picks->push_back({items[i].child, values[v].value});
    state = states.After(state, v);
  }
  return true;
}

template class Chooser<1>;
template class Chooser<2>;
template class Chooser<kMaxLevels + 1>;

}  // namespace gangplan::exact
