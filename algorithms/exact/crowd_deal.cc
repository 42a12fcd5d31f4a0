// What the children of a domain cost at least where they are dealt a split: who takes what, and the
// load with it.
//
//   racks of 9, 8 and 8, or 10, 9 and 8 beside two others: 18 members with two others are 10 and 8,
//   and the first rack, which alone holds 10, has both others
#include <algorithm>
#include <utility>

#include "algorithms/exact/crowd_search.h"
#include "algorithms/exact/step_share.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

// Deals of which only what they take is asked, before all that may be part of one is.
constexpr int kMostDeals = 4;
constexpr int64_t kOptionsAStep = 16;

}  // namespace

// By the most that each takes with any part.
template <int kWords>
std::vector<int32_t> Crowd<kWords>::LargestFirst(int level, Tree::Range range, int32_t load) const {
  std::vector<std::pair<int32_t, int32_t>> children;
  for (int32_t child = range.begin; child < range.end; ++child) {
    const std::span<const int32_t> row = room_.Row(level, child);
    const auto with = row.first(static_cast<size_t>(load) + 1);
    children.emplace_back(-*std::max_element(with.begin(), with.end()), child);
  }
  CountWork(Work::kEntry, int64_t{range.end - range.begin} * (load + 1));
  CountSort(children.size());
  std::sort(children.begin(), children.end());
  std::vector<int32_t> order;
  for (const auto& [most, child] : children) order.push_back(child);
  return order;
}

// What the child can take of the values and of the load.
template <int kWords>
void Crowd<kWords>::AddOptions(int level, int32_t child, int32_t load, Table& table) const {
  const std::span<const int32_t> row = room_.Row(level, child);
  const Terms& terms = terms_[static_cast<size_t>(level)];
  table.AddChild();
  for (int32_t part = 0; part <= load; ++part) {
    if (!loads_.Within(part, load)) continue;
    CountWork(Work::kEntry, 2 * std::ssize(table.values()));
    for (size_t v = 0; v < table.values().size(); ++v) {
      const int32_t value = table.values()[v].value;
      const bool fits =
          value >= terms.least(loads_.pods(part)) && value <= row[static_cast<size_t>(part)];
      if (value == 0 ? part == 0 : fits) table.Add(v, part, child);
    }
  }
}

// What the options that are used cost at least by what is known fast; leaves and what takes nothing
// cost just that.
template <int kWords>
void Crowd<kWords>::Estimate(int level, Table& table) {
  for (typename Table::Option& option : table.options()) {
    if (!option.used) continue;
    const Taken taken{option.child, option.part, table.value(option)};
    option.asked = taken.members == 0 || level == tree_.leaf_level();
    if (option.asked || !LeavesBelow(level))
      option.key = LeastOf(level, taken);
    else
      option.key = Own(level, taken.members) + floor_.OfOne(taken.part, taken.members, true);
  }
}

// Asks what the option costs, and so all that take the same and are the same inside. Whether it is
// more than was known.
template <int kWords>
bool Crowd<kWords>::AskFor(int level, const typename Table::Option& one, Table& table) {
  const int32_t same = room_.Same(level, one.child);
  const size_t value = one.value;
  const int32_t part = one.part;
  const KeyOf key = Ask(level, {one.child, part, table.value(one)}, nullptr);
  steps_ -= static_cast<int64_t>(table.options().size()) / kOptionsAStep;
  bool more = false;
  for (typename Table::Option& option : table.options()) {
    if (option.value != value || option.part != part || option.asked) continue;
    if (room_.Same(level, option.child) != same) continue;
    option.asked = !ended();
    more = more || option.key < key;
    option.key = std::max(option.key, key);
  }
  return more;
}

template <int kWords>
void Crowd<kWords>::AskRest(int level, Table& table) {
  for (const typename Table::Option& option : table.options())
    if (option.used && !option.asked && !ended()) AskFor(level, option, table);
}

// What the best deal takes is asked until none of it is new, with most of the steps; after some
// deals all that are used are. A deal that costs more than `cap` is not looked into. Whether the
// table is filled with what is known then.
template <int kWords>
bool Crowd<kWords>::AskTaken(int level, const KeyOf* cap, Table& table) {
  const StepShare share(steps_, 3);
  Estimate(level, table);
  for (int looks = 0; table.Fill(); ++looks) {
    if (!table.can() || (cap != nullptr && *cap < table.key())) return true;
    bool more = false;
    for (const size_t at : table.Trace())
      if (!table.option(at).asked) more = AskFor(level, table.option(at), table) || more;
    if (!more) return true;
    if (looks >= kMostDeals) AskRest(level, table);
  }
  return false;
}

// What takes the same as this costs no less than `least`.
template <int kWords>
void Crowd<kWords>::RaiseAll(const typename Table::Option& same, const KeyOf& least, Table& table) {
  for (typename Table::Option& option : table.options())
    if (option.value == same.value && option.part == same.part)
      option.key = std::max(option.key, least);
}

// Domains of leaves are looked at as near as they can be where the best deal has them, until none
// is new; what else they take costs no less than its key. False: the steps for it have ended, and
// who takes what is not known.
template <int kWords>
bool Crowd<kWords>::Sharpen(int level, Table& table, KeyOf& key) {
  const StepShare share(steps_, 2);
  int looks = 0;
  for (bool fresh = LeavesBelow(level); fresh && !ended(); ++looks) {
    fresh = false;
    if (looks == kMostDeals) {
      AskRest(level, table);
      if (!table.Fill()) return false;
    }
    for (const size_t at : table.Trace()) {
      typename Table::Option& option = table.option(at);
      if (!option.asked) fresh = AskFor(level, option, table) || fresh;
      if (option.nearest || option.part == 0 || table.value(option) == 0) continue;
      option.nearest = true;
      const int32_t part = option.part, value = table.value(option);
      const KeyOf nearer = BestOfLeaves(level, {option.child, part, value});
      if (!(option.key < nearer)) continue;
      fresh = true;
      const KeyOf any = LeastOfAny(level, part, value);
      if (option.key < any) RaiseAll(option, any, table);
      option.key = std::max(any, nearer);
    }
    if (fresh && !table.Fill()) return false;
    key = table.key();
  }
  return !ended();
}

// All deals, by a part of the steps. False: there are too many for it.
template <int kWords>
bool Crowd<kWords>::SetOut(int level, Tree::Range range, int32_t load, Table& table) {
  const StepShare share(steps_, 2);
  if (!table.Pay(range.end - range.begin)) return false;
  for (const int32_t child : LargestFirst(level, range, load))
    AddOptions(level, child, load, table);
  return table.Begin();
}

// What the children cost at least where these are dealt the split; with `taken` who takes which,
// nobody where that is not known. Nothing: it cannot be dealt.
template <int kWords>
std::optional<Key<kWords>> Crowd<kWords>::DealOut(int level, int32_t index, int32_t load,
                                                  const std::vector<Run>& split, const KeyOf* cap,
                                                  std::vector<Taken>* taken) {
  const Tree::Range range = Range(level, index);
  KeyOf own;
  std::vector<Run> values = split;
  int32_t rest = range.end - range.begin;
  for (const Run& run : split) {
    rest -= run.count;
    layout_.Add(level + 1, run.value, run.count, own);
  }
  if (rest > 0) values.push_back({0, rest});
  Table table(loads_, std::move(values), load, steps_);
  if (!SetOut(level + 1, range, load, table)) return own;
  if (!AskTaken(level + 1, cap, table) && !table.Fill()) return own;
  if (!table.can()) return std::nullopt;
  KeyOf key = table.key();
  if (cap != nullptr && *cap < key) return key;
  if (!Sharpen(level + 1, table, key)) return key;
  if (taken != nullptr) {
    for (const size_t at : table.Trace()) {
      const typename Table::Option& option = table.option(at);
      if (table.value(option) > 0)
        taken->push_back({option.child, option.part, table.value(option)});
    }
  }
  return key;
}

#define GANGPLAN_CROWD_DEAL(kWords)                           \
  template std::optional<Key<kWords>> Crowd<kWords>::DealOut( \
      int, int32_t, int32_t, const std::vector<Run>&, const Key<kWords>*, std::vector<Taken>*);
GANGPLAN_CROWD_DEAL(1)
GANGPLAN_CROWD_DEAL(2)
GANGPLAN_CROWD_DEAL(kMaxLevels + 1)

}  // namespace gangplan::exact
