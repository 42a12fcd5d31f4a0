#include "algorithms/exact/field.h"

#include <algorithm>
#include <numeric>

#include "topology/base/check.h"

namespace gangplan::exact {
namespace {

int32_t RoundUp(int32_t value, int32_t step) { return (value + step - 1) / step * step; }

// Counts of one value only are multiples of that value.
Reach Progression(int32_t lo, int32_t hi, int32_t step, bool zero) {
  Reach reach{lo, hi, step, -1, zero};
  if (lo == hi) reach.step = lo;
  return reach;
}

int64_t Held(const Siblings& siblings, int32_t parts) {
  int64_t held = 0;
  for (const Run& run : siblings.most) {
    const int32_t count = std::min(run.count, parts);
    held += int64_t{run.value} * count;
    parts -= count;
  }
  return held;
}

int32_t Count(const Siblings& siblings) {
  int32_t count = 0;
  for (const Run& run : siblings.most) count += run.count;
  return count;
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
  for (int level = 0; level + 1 < levels; ++level) slots_[level + 1].resize(tree().size(level));
  for (int level = levels - 2; level >= -1; --level) BuildReach(level);
}

void Field::BuildReach(int level) {
  const int32_t size = level < 0 ? 1 : tree().size(level);
  if (!PlainBelow(level)) {
    std::vector<Reach>& dense = dense_[level + 1];
    dense.reserve(size);
    for (int32_t index = 0; index < size; ++index) dense.push_back(Combine(level, index));
    return;
  }
  std::vector<SparseReach>& sparse = sparse_[level + 1];
  for (const SpecialLeaf& special : question_.special) {
    const int32_t index = level < 0 ? 0 : tree().Ancestor(special.leaf, level);
    if (sparse.empty() || sparse.back().index != index)
      sparse.push_back({index, Combine(level, index)});
  }
}

Tree::Range Field::Range(int level, int32_t index) const {
  return level < 0 ? Tree::Range{0, tree().size(0)} : tree().children(level, index);
}

int64_t Field::Room(int level, int32_t index) const {
  if (level >= 0) return question_.counts->levels[level][index];
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

Reach Field::LeafReach(int32_t stands, int32_t room) const {
  const Terms& own = terms(tree().leaf_level());
  const int32_t most = std::min({stands + room, own.max, question_.members});
  return Progression(RoundUp(std::max(own.min, stands), own.factor), most / own.factor * own.factor,
                     own.factor, stands == 0);
}

Reach Field::reach(int level, int32_t index) const {
  const std::span<const SpecialLeaf> special = SpecialIn(level, index);
  if (level == tree().leaf_level()) {
    if (special.empty()) return LeafReach(0, question_.counts->levels[level][index]);
    return LeafReach(special.front().stands, special.front().room);
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
  return Progression(RoundUp(own.min, own.factor),
                     std::min(reach.hi, own.max) / own.factor * own.factor, own.factor, true);
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
  const Terms& own = terms(tree().leaf_level());
  std::span<const int32_t> counts = question_.counts->at(tree().leaf_level());
  int32_t largest = 0;
  for (int32_t leaf = range.begin; leaf < range.end; ++leaf)
    largest = std::max(largest, counts[leaf]);
  largest = std::min(largest, most);
  tally_.assign(largest + 1, 0);
  for (int32_t leaf = range.begin; leaf < range.end; ++leaf)
    ++tally_[std::min(counts[leaf], largest)];
  std::vector<Run> runs;
  for (int32_t value = largest; value >= lo; --value) {
    const int32_t rounded = value / own.factor * own.factor;
    if (tally_[value] == 0 || rounded < lo) continue;
    if (!runs.empty() && runs.back().value == rounded)
      runs.back().count += tally_[value];
    else
      runs.push_back({rounded, tally_[value]});
  }
  return kept_runs_.emplace_back(std::move(runs));
}

void Field::BuildLeaves(int level, int32_t index, Children& children) {
  const Tree::Range range = Range(level, index);
  steps_ += range.end - range.begin;
  const Terms& own = terms(tree().leaf_level());
  children.alike.lo = RoundUp(own.min, own.factor);
  children.alike.step = own.factor;
  const int32_t most = std::min(own.max, question_.members);
  const std::span<const SpecialLeaf> special = SpecialIn(level, index);
  if (special.empty()) {
    children.alike.most = LeafRuns(range, children.alike.lo, most);
  } else {
    std::vector<Run> runs;
    std::vector<int32_t> odd, values;
    for (int32_t leaf = range.begin; leaf < range.end; ++leaf) {
      const Reach found = reach(tree().leaf_level(), leaf);
      const bool is_special = !SpecialIn(tree().leaf_level(), leaf).empty();
      if (found.empty()) {
        children.possible = children.possible && found.zero;
      } else if (is_special) {
        odd.push_back(leaf);
      } else {
        values.push_back(found.hi);
      }
    }
    std::sort(values.rbegin(), values.rend());
    for (int32_t value : values) {
      if (!runs.empty() && runs.back().value == value)
        ++runs.back().count;
      else
        runs.push_back({value, 1});
    }
    children.alike.most = kept_runs_.emplace_back(std::move(runs));
    children.odd = kept_.emplace_back(std::move(odd));
  }
  const std::span<const Run> runs = children.alike.most;
  if (runs.size() == 1 && runs.front().value == children.alike.lo)
    children.alike.step = children.alike.lo;
}

void Field::BuildInner(int level, int32_t index, Children& children) {
  const Tree::Range range = Range(level, index);
  steps_ += range.end - range.begin;
  bool choice_below = false;  // whether a level below has a goal
  for (int below = level + 2; below <= tree().leaf_level(); ++below)
    choice_below = choice_below || terms(below).kind != LevelRule::Kind::kAny;
  const bool all_odd = terms(level + 1).kind == LevelRule::Kind::kAny && choice_below;
  std::vector<int32_t> alike, odd;
  for (int32_t child = range.begin; child < range.end; ++child) {
    const Reach found = reach(level + 1, child);
    if (found.empty())
      children.possible = children.possible && found.zero;
    else if (all_odd || found.set >= 0 || !found.zero)
      odd.push_back(child);
    else
      alike.push_back(child);
  }
  KeepAlike(level, alike, odd, children);
}

// Those with the set of the largest, but for its most, are alike; the others become odd.
void Field::KeepAlike(int level, std::vector<int32_t>& alike, std::vector<int32_t>& odd,
                      Children& children) {
  std::vector<std::pair<Reach, int32_t>> found;
  Reach model;
  for (int32_t child : alike) {
    found.emplace_back(reach(level + 1, child), child);
    const Reach& one = found.back().first;
    const bool single = one.lo == one.hi, model_single = model.lo == model.hi;
    if (model.empty() || (model_single && !single) || (model_single == single && one.hi > model.hi))
      model = one;
  }
  alike.clear();
  std::vector<uint64_t> order;
  for (const auto& [one, child] : found) {
    const bool fits = one.lo == model.lo && (one.lo == one.hi || one.step == model.step);
    if (fits)
      order.push_back((static_cast<uint64_t>(INT32_MAX - one.hi) << 32) |
                      static_cast<uint32_t>(child));
    else
      odd.push_back(child);
  }
  std::sort(order.begin(), order.end());
  std::sort(odd.begin(), odd.end());
  std::vector<Run> runs;
  for (uint64_t entry : order) {
    const int32_t most = INT32_MAX - static_cast<int32_t>(entry >> 32);
    alike.push_back(static_cast<int32_t>(entry & UINT32_MAX));
    if (!runs.empty() && runs.back().value == most)
      ++runs.back().count;
    else
      runs.push_back({most, 1});
  }
  children.alike.lo = model.lo;
  children.alike.step = model.step;
  children.alike.most = kept_runs_.emplace_back(std::move(runs));
  children.ranked = kept_.emplace_back(std::move(alike));
  children.odd = kept_.emplace_back(std::move(odd));
}

Reach Field::Combine(int level, int32_t index) {
  const Children& found = children(level, index);
  const int32_t parts = terms(level + 1).parts;
  Reach result;
  result.zero = SpecialIn(level, index).empty();
  if (!found.possible) return result;
  const bool zero = result.zero;
  result = found.odd.empty() ? CombineAlike(found.alike, parts) : CombineOdd(level, found);
  if (level >= 0) result = Own(result, terms(level));
  result.zero = zero;
  return result;
}

// Members of m siblings: m * lo to what the m largest hold. Once two neighbours in m touch, all
// later ones do, because what the siblings hold above lo only grows.
Reach Field::CombineAlike(const Siblings& siblings, int32_t parts) {
  const int32_t usable = Count(siblings);
  Reach none;
  if (usable == 0 || parts > usable) return none;
  const auto most =
      static_cast<int32_t>(std::min<int64_t>(Held(siblings, parts > 0 ? parts : usable),
                                             question_.members / siblings.step * siblings.step));
  const int64_t least = int64_t{siblings.lo} * std::max(parts, 1);
  if (least > most) return none;
  const int32_t first = siblings.most.front().value;
  const bool joined = first >= 2 * int64_t{siblings.lo} - siblings.step;
  if (parts > 0 || usable == 1 || joined || most <= first)
    return Progression(static_cast<int32_t>(least), most, siblings.step, true);
  CountSet start(question_.members), sums(question_.members);
  start.Add(0);
  AddAlike(siblings, kAnyParts, start, sums);
  return Normal(std::move(sums));
}

Reach Field::CombineOdd(int level, const Children& children) {
  const int64_t parts = terms(level + 1).parts;
  steps_ +=
      (parts + 1) * int64_t{question_.members / 64 + 1} * static_cast<int64_t>(children.odd.size());
  return Normal(std::move(SumsAfter(level, children).front().front()));
}

std::vector<std::vector<CountSet>> Field::SumsAfter(int level, const Children& children) const {
  const int32_t parts = terms(level + 1).parts;
  CountSet zero(question_.members);
  zero.Add(0);
  std::vector<std::vector<CountSet>> after(
      children.odd.size() + 1,
      std::vector<CountSet>(static_cast<size_t>(parts) + 1, CountSet(question_.members)));
  for (int32_t used = 0; used <= parts; ++used)
    AddAlike(children.alike, parts == 0 ? kAnyParts : parts - used, zero,
             after.back()[static_cast<size_t>(used)]);
  for (size_t odd = children.odd.size(); odd-- > 0;) {
    const Reach found = reach(level + 1, children.odd[odd]);
    for (size_t used = 0; used < after[odd].size(); ++used) {
      const size_t more = parts == 0 ? 0 : used + 1;
      if (found.zero) after[odd][used].AddShifted(after[odd + 1][used], 0);
      if (more < after[odd].size()) AddChild(found, after[odd + 1][more], after[odd][used]);
    }
  }
  return after;
}

void Field::AddChild(const Reach& found, const CountSet& from, CountSet& to) const {
  if (found.set < 0) return to.AddShifted(from.PlusEach(found.lo, found.step, found.hi), 0);
  for (int32_t count = found.lo; count <= found.hi; count += found.step)
    if (Has(found, count)) to.AddShifted(from, count);
}

void Field::AddAlike(const Siblings& siblings, int32_t parts, const CountSet& from,
                     CountSet& to) const {
  const int32_t usable = Count(siblings);
  if (parts > usable) return;
  if (parts <= 0) to.AddShifted(from, 0);
  if (parts == 0 || usable == 0) return;
  const int32_t fewest = parts == kAnyParts ? 1 : parts;
  const int32_t most = parts == kAnyParts ? usable : parts;
  int64_t begin = int64_t{fewest} * siblings.lo, end = Held(siblings, fewest);
  for (int32_t used = fewest + 1; used <= most && begin <= question_.members; ++used) {
    const int64_t next = int64_t{used} * siblings.lo, held = Held(siblings, used);
    if (next > end + siblings.step) {
      to.AddShifted(
          from.PlusEach(static_cast<int32_t>(begin), siblings.step, static_cast<int32_t>(end)), 0);
      begin = next;
    }
    end = held;
  }
  if (begin > question_.members) return;
  end = std::min<int64_t>(end, question_.members);
  to.AddShifted(
      from.PlusEach(static_cast<int32_t>(begin), siblings.step, static_cast<int32_t>(end)), 0);
}

Reach Field::Own(Reach reach, const Terms& terms) {
  const bool all = terms.min <= reach.lo && terms.max >= reach.hi && terms.factor == 1;
  if (reach.empty() || all) return reach;
  if (reach.set < 0) {
    const int64_t step = std::lcm(int64_t{reach.step}, int64_t{terms.factor});
    const int64_t low = std::max(reach.lo, terms.min), high = std::min(reach.hi, terms.max);
    const int64_t lo = (low + step - 1) / step * step, hi = high / step * step;
    if (hi < lo) return Reach{};
    return Progression(static_cast<int32_t>(lo), static_cast<int32_t>(hi),
                       static_cast<int32_t>(std::min<int64_t>(step, INT32_MAX)), true);
  }
  CountSet kept(question_.members);
  for (int32_t count = reach.lo; count <= reach.hi; count += reach.step) {
    const bool allowed = count >= terms.min && count <= terms.max && count % terms.factor == 0;
    if (allowed && Has(reach, count)) kept.Add(count);
  }
  return Normal(std::move(kept));
}

// As few numbers as the set needs; 0 is not looked at.
Reach Field::Normal(CountSet set) {
  Reach reach;
  reach.lo = question_.members + 1;
  reach.step = 0;
  int64_t elements = 0;
  for (int32_t count = 1; count <= question_.members; ++count) {
    if (!set.Has(count)) continue;
    ++elements;
    reach.lo = std::min(reach.lo, count);
    reach.hi = count;
    reach.step = std::gcd(reach.step, count);
  }
  if (elements == 0) return Reach{};
  if (elements == (reach.hi - reach.lo) / reach.step + 1)
    return Progression(reach.lo, reach.hi, reach.step, true);
  reach.set = static_cast<int32_t>(sets_.size());
  sets_.push_back(std::move(set));
  return reach;
}

}  // namespace gangplan::exact
