#include "algorithms/exact/chooser.h"

#include <algorithm>
#include <numeric>

#include "topology/base/check.h"

namespace gangplan::exact {
namespace {

uint64_t PlaceOf(int level, int32_t index, int32_t members) {
  return static_cast<uint64_t>(level + 1) << 59 | static_cast<uint64_t>(index) << 28 |
         static_cast<uint64_t>(members);
}

}  // namespace

template <int kWords>
Key<kWords> Chooser<kWords>::Best(int level, int32_t index, int32_t members,
                                  std::vector<Pick>* picks) {
  --steps_;
  const bool keep = picks == nullptr && !LeavesBelow(level);
  if (keep) {
    const auto found = known_.find(PlaceOf(level, index, members));
    if (found != known_.end()) return found->second;
  }
  const Children& children = field_.children(level, index);
  const int32_t parts = field_.terms(level + 1).parts;
  const KeyOf key = children.odd.empty() ? BestAlike(level, index, children,
                                                     parts > 0 ? parts : kAnyParts, members, picks)
                                         : BestOdd(level, index, children, members, picks);
  if (keep) known_.emplace(PlaceOf(level, index, members), key);
  return key;
}

template <int kWords>
Key<kWords> Chooser<kWords>::Ask(int level, int32_t child, int32_t members) {
  KeyOf key;
  if (members == 0 || ended()) return key;
  if (level < field_.tree().leaf_level()) key = Best(level, child, members, nullptr);
  layout_.Add(level, members, 1, key);
  return key;
}

// A split is dealt out in segments: where as many children have room for a value as the split has
// values at least as large, just these children take just these values.
template <int kWords>
Key<kWords> Chooser<kWords>::BestAlike(int level, int32_t index, const Children& children,
                                       int32_t parts, int32_t members, std::vector<Pick>* picks) {
  KeyOf key;
  std::vector<Run> split;
  const bool found = BestSplit(children.alike, field_.terms(level + 1).kind, parts, members, split);
  GANGPLAN_CHECK(found);
  if (LeavesBelow(level)) {
    for (const Run& run : split) layout_.Add(level + 1, run.value, run.count, key);
    if (picks != nullptr) PickLeaves(index, children, split, *picks);
    return key;
  }
  const auto all = static_cast<int32_t>(children.ranked.size());
  int32_t used = 0;
  for (const Run& run : split) used += run.count;
  if (used < all) split.push_back({0, all - used});
  int32_t begin = 0, dealt = 0, able = 0;
  size_t first = 0, run = 0;
  for (size_t i = 0; i < split.size(); ++i) {
    dealt += split[i].count;
    for (; run < children.alike.most.size() && children.alike.most[run].value >= split[i].value;
         ++run)
      able += children.alike.most[run].count;
    if (able != dealt) continue;
    key += Deal(level + 1, children.ranked.subspan(begin, able - begin),
                std::span<const Run>(split).subspan(first, i + 1 - first), picks);
    begin = able;
    first = i + 1;
  }
  return key;
}

// Each value, largest first, to the fullest leaf that holds it (spread: to the emptiest).
template <int kWords>
void Chooser<kWords>::PickLeaves(int32_t index, const Children& children,
                                 std::span<const Run> split, std::vector<Pick>& picks) {
  const int leaf_level = field_.tree().leaf_level();
  const bool spread = field_.terms(leaf_level).kind == LevelRule::Kind::kSpread;
  std::vector<int32_t> able;
  const Tree::Range range = field_.Range(leaf_level - 1, index);
  for (int32_t leaf = range.begin; leaf < range.end; ++leaf) {
    const bool odd = std::binary_search(children.odd.begin(), children.odd.end(), leaf);
    if (!odd && !field_.reach(leaf_level, leaf).empty()) able.push_back(leaf);
  }
  std::vector<Item> items = Items(leaf_level, able);
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.room != b.room ? a.room < b.room : a.child < b.child;
  });
  std::vector<char> taken(items.size(), 0);
  for (const Run& run : split) {
    int32_t missing = run.count;
    for (size_t i = 0; i < items.size() && missing > 0; ++i) {
      // Equal rooms stay in the order of the path when they are read from the other end.
      const size_t at = spread ? items.size() - 1 - i : i;
      if (taken[at] != 0 || items[at].most < run.value) continue;
      taken[at] = 1;
      picks.push_back({items[at].child, run.value});
      --missing;
    }
  }
}

template <int kWords>
std::vector<typename Chooser<kWords>::Item> Chooser<kWords>::Items(
    int level, std::span<const int32_t> children) const {
  std::vector<Item> items;
  items.reserve(children.size());
  for (int32_t child : children)
    items.push_back({child, field_.reach(level, child).hi, field_.Room(level, child)});
  return items;
}

template <int kWords>
Key<kWords> Chooser<kWords>::Deal(int level, std::span<const int32_t> children,
                                  std::span<const Run> values, std::vector<Pick>* picks) {
  KeyOf key;
  if (values.size() == 1) {
    if (values.front().value == 0) return key;
    for (int32_t child : children) {
      key += Ask(level, child, values.front().value);
      if (picks != nullptr) picks->push_back({child, values.front().value});
    }
    return key;
  }
  std::vector<Item> items = Items(level, children);
  const bool spread = field_.terms(level).kind == LevelRule::Kind::kSpread;
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    if (a.room != b.room) return spread ? a.room > b.room : a.room < b.room;
    return a.child < b.child;
  });
  std::vector<Pick> dealt;
  key = values.size() == 2 ? DealTwo(level, items, values, picks == nullptr ? nullptr : &dealt)
                           : DealMany(level, items, values, picks == nullptr ? nullptr : &dealt);
  if (picks == nullptr) return key;
  if (ended()) {
    dealt.clear();
    DealInOrder(std::move(items), values, dealt);
  }
  picks->insert(picks->end(), dealt.begin(), dealt.end());
  return key;
}

// A valid deal: the largest values to those with room for the most.
template <int kWords>
void Chooser<kWords>::DealInOrder(std::vector<Item> items, std::span<const Run> values,
                                  std::vector<Pick>& picks) const {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.most != b.most ? a.most > b.most : a.child < b.child;
  });
  size_t next = 0;
  for (const Run& run : values) {
    for (int32_t i = 0; i < run.count && run.value > 0; ++i)
      picks.push_back({items[next++].child, run.value});
  }
}

// Those for whom the larger value costs the least more take it.
template <int kWords>
Key<kWords> Chooser<kWords>::DealTwo(int level, std::span<const Item> items,
                                     std::span<const Run> values, std::vector<Pick>* picks) {
  const int32_t large = values[0].value, small = values[1].value;
  KeyOf key;
  std::vector<std::pair<KeyOf, size_t>> more;
  for (size_t i = 0; i < items.size() && !ended(); ++i) {
    const KeyOf low = Ask(level, items[i].child, small);
    key += low;
    if (items[i].most >= large) more.emplace_back(Ask(level, items[i].child, large) - low, i);
  }
  if (ended()) return KeyOf{};
  const auto take = more.begin() + values[0].count;
  if (take != more.end()) std::nth_element(more.begin(), take, more.end());
  std::vector<char> takes(items.size(), 0);
  for (auto it = more.begin(); it != take; ++it) {
    key += it->first;
    takes[it->second] = 1;
  }
  if (picks == nullptr) return key;
  for (size_t i = 0; i < items.size(); ++i) {
    const int32_t members = takes[i] != 0 ? large : small;
    if (members > 0) picks->push_back({items[i].child, members});
  }
  return key;
}

// A table over the children, from the last: how many of each value but the last are dealt out.
template <int kWords>
Key<kWords> Chooser<kWords>::DealMany(int level, std::span<const Item> items,
                                      std::span<const Run> values, std::vector<Pick>* picks) {
  const size_t kinds = values.size() - 1;
  std::vector<size_t> stride(values.size(), 0);
  size_t states = 1;
  for (size_t v = 0; v < kinds; ++v) {
    stride[v] = states;
    states *= static_cast<size_t>(values[v].count) + 1;
    if (states > static_cast<size_t>(std::max<int64_t>(steps_, 1))) steps_ = 0;
    if (ended()) return KeyOf{};
  }
  steps_ -= static_cast<int64_t>(states * items.size() * values.size());
  if (ended()) return KeyOf{};
  // table[i]: what items i.. cost at best when the state's values are still to be dealt to them.
  std::vector<std::vector<KeyOf>> table(items.size() + 1, std::vector<KeyOf>(states));
  std::vector<std::vector<int8_t>> choice(items.size() + 1, std::vector<int8_t>(states, -1));
  choice[items.size()][0] = 0;
  std::vector<KeyOf> asked(values.size());
  for (size_t i = items.size(); i-- > 0 && !ended();) {
    const size_t left = items.size() - i;
    for (size_t v = 0; v < values.size(); ++v)
      if (values[v].value <= items[i].most) asked[v] = Ask(level, items[i].child, values[v].value);
    for (size_t state = 0; state < states; ++state) {
      size_t dealt = 0;
      for (size_t v = 0; v < kinds; ++v)
        dealt += state / stride[v] % (static_cast<size_t>(values[v].count) + 1);
      if (dealt > left || left - dealt > static_cast<size_t>(values[kinds].count)) continue;
      for (size_t v = 0; v < values.size(); ++v) {
        const bool last = v == kinds;
        if (values[v].value > items[i].most) continue;
        if (!last && state / stride[v] % (static_cast<size_t>(values[v].count) + 1) == 0) continue;
        const size_t next = last ? state : state - stride[v];
        if (choice[i + 1][next] < 0) continue;
        const KeyOf key = asked[v] + table[i + 1][next];
        if (choice[i][state] >= 0 && !(key < table[i][state])) continue;
        table[i][state] = key;
        choice[i][state] = static_cast<int8_t>(v);
      }
    }
  }
  if (ended()) return KeyOf{};
  size_t state = states - 1;
  GANGPLAN_CHECK(choice[0][state] >= 0);
  for (size_t i = 0; i < items.size() && picks != nullptr; ++i) {
    const auto v = static_cast<size_t>(choice[i][state]);
    if (values[v].value > 0) picks->push_back({items[i].child, values[v].value});
    if (v < kinds) state -= stride[v];
  }
  return table[0][states - 1];
}

template class Chooser<1>;
template class Chooser<2>;
template class Chooser<kMaxLevels + 1>;

}  // namespace gangplan::exact
