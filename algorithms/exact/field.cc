#include "algorithms/exact/field.h"

#include <algorithm>
#include <numeric>

#include "algorithms/exact/work.h"
#include "topology/base/check.h"

namespace gangplan::exact {
namespace {

// Steps of a child that may be irregular, and of a leaf where some are; leaves, and values of what
// they hold, that are tallied in one step.
constexpr int64_t kChildSteps = 3;
constexpr int64_t kApartSteps = 8;
constexpr int64_t kTalliedLeavesAStep = 8;
constexpr int64_t kValuesAStep = 16;

int32_t RoundUp(int32_t value, int32_t step) { return (value + step - 1) / step * step; }

// Whether a set says more about its siblings: one of several counts, then the largest.
bool Prefer(const Reach& one, const Reach& other) {
  if (other.empty()) return true;
  const bool single = one.lo == one.hi, other_single = other.lo == other.hi;
  return single == other_single ? one.hi > other.hi : other_single;
}

}  // namespace

Field::Field(const Question& question) : question_(question) {
  const int levels = tree().level_count();
  for (int level = levels; level-- > 0 && plain_from_ == 0;)
    if (!terms(level).plain()) plain_from_ = level + 1;
  dense_.resize(levels + 1);
  sparse_.resize(levels + 1);
  slots_.resize(levels + 1);
  slots_[0].resize(1);
  for (int level = 0; level + 1 < levels; ++level) CountWork(Work::kEntry, 4 * tree().size(level));
  for (int level = 0; level + 1 < levels; ++level) slots_[level + 1].resize(tree().size(level));
  for (int level = levels - 2; level >= -1 && !ended_; --level) BuildReach(level);
  if (question_.loads != nullptr && !ended_) BuildLoaded();
}

void Field::BuildReach(int level) {
  const int32_t size = Size(level);
  if (!PlainBelow(level)) {
    std::vector<Reach>& dense = dense_[level + 1];
    dense.reserve(size);
    CountWork(Work::kFind, 2 * size);
    for (int32_t index = 0; index < size && !ended_; ++index)
      dense.push_back(Combine(level, index));
    return;
  }
  std::vector<SparseReach>& sparse = sparse_[level + 1];
  for (const SpecialLeaf& special : question_.special) {
    const int32_t index = level < 0 ? 0 : tree().Ancestor(special.leaf, level);
    if (ended_) return;
    if (sparse.empty() || sparse.back().index != index)
      sparse.push_back({index, Combine(level, index)});
  }
}

Tree::Range Field::Range(int level, int32_t index) const {
  return ChildrenOf(tree(), level, index);
}

int64_t Field::Room(int level, int32_t index) const {
  if (level >= 0) return question_.counts->levels[level][Unloaded(level, index)];
  std::span<const int32_t> top = question_.counts->at(0);
  return std::accumulate(top.begin(), top.end(), int64_t{0});
}

std::span<const SpecialLeaf> Field::SpecialIn(int level, int32_t index) const {
  if (question_.special.empty() || level < 0) return question_.special;
  Tree::Range range{index, index + 1};
  if (level < tree().leaf_level()) range = tree().leaves(level, index);
  const auto before = [](const SpecialLeaf& special, int32_t leaf) { return special.leaf < leaf; };
  const auto& all = question_.special;
  const auto begin = std::lower_bound(all.begin(), all.end(), range.begin, before);
  return {begin, std::lower_bound(begin, all.end(), range.end, before)};
}

Reach Field::LeafReach(int32_t stands, int32_t room, int32_t least) const {
  const Terms& own = terms(tree().leaf_level());
  const int32_t most = std::min({stands + room, own.max, question_.members});
  return Progression(RoundUp(std::max({own.min, stands, least}), own.factor),
                     most / own.factor * own.factor, own.factor, stands == 0);
}

Reach Field::reach(int level, int32_t index) const {
  if (question_.loads != nullptr && index >= Size(level)) {
    if (level == tree().leaf_level())
      return LoadedLeafReach(Unloaded(level, index), LoadOf(level, index));
    return loaded_[level + 1][index - Size(level)];
  }
  const std::span<const SpecialLeaf> special = SpecialIn(level, index);
  if (level == tree().leaf_level()) {
    if (special.empty()) return LeafReach(0, question_.counts->levels[level][index], 0);
    return LeafReach(special.front().stands, special.front().room, terms(level).FloorOf(index));
  }
  if (!PlainBelow(level)) return dense_[level + 1][index];
  if (!special.empty()) {
    const auto& sparse = sparse_[level + 1];
    return std::lower_bound(sparse.begin(), sparse.end(), index,
                            [](const SparseReach& a, int32_t b) { return a.index < b; })
        ->reach;
  }
  Reach reach;
  reach.hi = static_cast<int32_t>(std::min<int64_t>(Room(level, index), question_.members));
  if (level < 0) return reach;
  const Terms& own = terms(level);
  return Progression(own.least(), std::min(reach.hi, own.max) / own.factor * own.factor, own.factor,
                     true);
}

int32_t Field::Most(int level, int32_t index) const {
  const Reach found = reach(level, index);
  return found.empty() ? 0 : found.hi;
}

const Field::Children& Field::children(int level, int32_t index) {
  Slot& slot = slots_[level + 1][index];
  if (slot.built) return slot.children;
  slot.built = true;
  if (level + 1 == tree().leaf_level())
    BuildLeaves(level, index, slot.children);
  else
    BuildInner(level, index, slot.children);
  return slot.children;
}

// The leaves of `range` by the most members that each takes, largest first; none that takes fewer
// than `lo`.
std::span<const Run> Field::LeafRuns(Tree::Range range, int32_t lo, int32_t most) {
  const int32_t factor = terms(tree().leaf_level()).factor;
  const std::span<const int32_t> counts = question_.counts->at(tree().leaf_level());
  size_t largest = 0;
  for (int32_t leaf = range.begin; leaf < range.end; ++leaf) {
    const auto value = static_cast<size_t>(std::min(counts[leaf], most));
    if (value >= tally_.size()) tally_.resize(2 * value + 16);
    ++tally_[value];
    largest = std::max(largest, value);
  }
  CountWork(Work::kEntry, range.end - range.begin + static_cast<int64_t>(largest));
  runs_.clear();
  for (auto value = static_cast<int32_t>(largest); value >= lo; --value) {
    const int32_t rounded = value / factor * factor;
    const int32_t count = tally_[static_cast<size_t>(value)];
    if (count == 0 || rounded < lo) continue;
    if (!runs_.empty() && runs_.back().value == rounded)
      runs_.back().count += count;
    else
      runs_.push_back({rounded, count});
  }
  std::fill_n(tally_.begin(), largest + 1, 0);
  steps_ += static_cast<int64_t>(largest) / kValuesAStep;
  return kept_runs_.Keep(runs_);
}

void Field::BuildLeaves(int level, int32_t index, Children& children) {
  const Tree::Range range = Range(level, index);
  steps_ += (range.end - range.begin) / kTalliedLeavesAStep + 1;
  const Terms& own = terms(tree().leaf_level());
  children.alike.siblings.lo = own.least();
  children.alike.siblings.step = own.factor;
  const int32_t most = std::min(own.max, question_.members);
  const std::span<const SpecialLeaf> special = SpecialIn(level, index);
  if (special.empty()) {
    children.alike.siblings.most = LeafRuns(range, children.alike.siblings.lo, most);
  } else {
    steps_ += kApartSteps * (range.end - range.begin);
    std::vector<Run> runs;
    std::vector<int32_t> all, odd, values;
    for (int32_t leaf = range.begin; leaf < range.end; ++leaf) {
      const Reach found = reach(tree().leaf_level(), leaf);
      const bool is_special = !SpecialIn(tree().leaf_level(), leaf).empty();
      if (found.empty()) {
        children.possible = children.possible && found.zero;
        continue;
      }
      all.push_back(leaf);
      if (is_special)
        odd.push_back(leaf);
      else
        values.push_back(found.hi);
    }
    CountWork(Work::kReach, 3 * (range.end - range.begin));
    CountSort(values.size());
    std::sort(values.rbegin(), values.rend());
    for (int32_t value : values) AddRun(runs, value);
    children.alike.siblings.most = kept_runs_.Keep(runs);
    children.odd = kept_.Keep(odd);
    children.alike.except = children.odd;
    if (!children.odd.empty()) children.loose = Keep(Loose(level + 1, all, runs_, ranked_));
  }
  const std::span<const Run> runs = children.alike.siblings.most;
  if (runs.size() == 1 && runs.front().value == children.alike.siblings.lo)
    children.alike.siblings.step = children.alike.siblings.lo;
}

// Whether what is best among the children of the level is decided by levels below theirs alone.
bool Field::NothingByLevel(int level) const {
  bool choice_below = false;
  for (int below = level + 2; below <= tree().leaf_level(); ++below)
    choice_below = choice_below || terms(below).kind != LevelRule::Kind::kAny;
  return terms(level + 1).kind == LevelRule::Kind::kAny && choice_below;
}

void Field::BuildInner(int level, int32_t index, Children& children) {
  const Tree::Range range = Range(level, index);
  steps_ += kChildSteps * (range.end - range.begin);
  const bool all_odd = NothingByLevel(level);
  std::vector<int32_t> all, free, odd;
  CountWork(Work::kReach, 3 * (range.end - range.begin));
  for (int32_t child = range.begin; child < range.end; ++child) {
    const Reach found = reach(level + 1, child);
    if (found.empty()) {
      children.possible = children.possible && found.zero;
      continue;
    }
    all.push_back(child);
    (all_odd || !found.zero ? odd : free).push_back(child);
  }
  KeepAlike(level, free, std::move(odd), children);
  if (!all_odd && !children.odd.empty())
    children.loose = Keep(Loose(level + 1, all, runs_, ranked_));
}

Field::Ranked Field::Rank(int level, const std::vector<int32_t>& children, int32_t lo, int32_t step,
                          std::vector<Run>& runs, std::vector<int32_t>& ranked) const {
  std::vector<uint64_t> order;
  order.reserve(children.size());
  for (int32_t child : children)
    order.push_back(static_cast<uint64_t>(INT32_MAX - reach(level, child).hi) << 32 |
                    static_cast<uint32_t>(child));
  CountWork(Work::kReach, std::ssize(children));
  CountSort(children.size());
  std::sort(order.begin(), order.end());
  runs.clear();
  ranked.clear();
  ranked.reserve(children.size());
  for (uint64_t entry : order) {
    const int32_t most = INT32_MAX - static_cast<int32_t>(entry >> 32);
    ranked.push_back(static_cast<int32_t>(entry & UINT32_MAX));
    AddRun(runs, most);
  }
  return {{runs, lo, step, 0}, ranked};
}

Field::Ranked Field::Keep(const Ranked& ranked) {
  Ranked kept = ranked;
  kept.siblings.most = kept_runs_.Keep(ranked.siblings.most);
  kept.order = kept_.Keep(ranked.order);
  return kept;
}

// Of the children in `free`, which may take nothing, those that take what the largest takes, but
// for its most, are alike; the others join `odd`.
void Field::KeepAlike(int level, const std::vector<int32_t>& free, std::vector<int32_t> odd,
                      Children& children) {
  Reach model;
  for (int32_t child : free) {
    const Reach one = reach(level + 1, child);
    if (one.set < 0 && Prefer(one, model)) model = one;
  }
  std::vector<int32_t> alike;
  for (int32_t child : free) {
    const Reach one = reach(level + 1, child);
    const bool fits =
        one.set < 0 && one.lo == model.lo && (one.lo == one.hi || one.step == model.step);
    (fits ? alike : odd).push_back(child);
  }
  std::sort(odd.begin(), odd.end());
  children.alike = Keep(Rank(level + 1, alike, model.lo, model.step, runs_, ranked_));
  children.odd = kept_.Keep(odd);
}

Field::Ranked Field::Loose(int level, const std::vector<int32_t>& all, std::vector<Run>& runs,
                           std::vector<int32_t>& ranked) const {
  int32_t lo = INT32_MAX, step = 0, least = 0;
  for (int32_t child : all) {
    const Reach one = reach(level, child);
    lo = std::min(lo, one.lo);
    step = std::gcd(step, one.step);
    if (!one.zero) ++least;
  }
  CountWork(Work::kReach, std::ssize(all));
  Ranked loose = Rank(level, all, lo, step, runs, ranked);
  loose.siblings.least = least;
  return loose;
}

}  // namespace gangplan::exact
