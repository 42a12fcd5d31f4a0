// From the sets of children to the set of their parent.
#include <algorithm>
#include <numeric>

#include "algorithms/exact/field.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

// Numbers of a set that are looked at in one step.
constexpr int64_t kNumbersAStep = 8;

}  // namespace

Reach Field::Combine(int level, int32_t index) {
  const Children& found = children(level, index);
  const int32_t parts = terms(level + 1).parts;
  Reach result;
  result.zero = SpecialIn(level, index).empty();
  if (!found.possible) return result;
  const bool zero = result.zero;
  result = found.odd.empty() ? CombineAlike(found.alike.siblings, parts) : CombineOdd(level, found);
  if (level >= 0) result = Own(result, level, index);
  result.zero = zero;
  return result;
}

// Members of m siblings: m * lo to what the m largest hold. Once two neighbours in m touch, all
// later ones do, because what the siblings hold above lo only grows.
Reach Field::CombineAlike(const Siblings& siblings, int32_t parts) {
  const int32_t usable = siblings.Usable();
  Reach none;
  if (usable == 0 || parts > usable) return none;
  const auto most =
      static_cast<int32_t>(std::min<int64_t>(siblings.Held(parts > 0 ? parts : usable),
                                             question_.members / siblings.step * siblings.step));
  const int64_t least = int64_t{siblings.lo} * std::max(parts, 1);
  if (least > most) return none;
  const int32_t first = siblings.most.front().value;
  const bool joined = first >= 2 * int64_t{siblings.lo} - siblings.step;
  if (parts > 0 || usable == 1 || joined || most <= first)
    return Progression(static_cast<int32_t>(least), most, siblings.step, true);
  CountSet sums(question_.members);
  int64_t held = 0, least_of = siblings.lo;
  bool touches = false;
  CountWork(Work::kEntry, most / siblings.step);
  for (const Run& run : siblings.most) {
    for (int32_t i = 0; i < run.count && !touches && least_of <= most; ++i) {
      held += run.value;
      touches = held + siblings.step >= least_of + siblings.lo;
      sums.AddEach(static_cast<int32_t>(least_of), siblings.step,
                   touches ? most : static_cast<int32_t>(std::min<int64_t>(held, most)));
      least_of += siblings.lo;
    }
  }
  return Normal(std::move(sums));
}

Reach Field::CombineOdd(int level, const Children& children) {
  const size_t odd = children.odd.size();
  steps_ += static_cast<int64_t>(odd);
  if (const std::vector<Span> spans = SpansAfter(level, children); !spans.empty()) {
    const int64_t lo = std::max<int64_t>(spans.front().lo, 1);
    const int64_t hi = std::min<int64_t>(spans.front().hi, question_.members);
    if (lo > hi) return Reach{};
    return Progression(static_cast<int32_t>(lo), static_cast<int32_t>(hi), 1, true);
  }
  if (terms(level + 1).parts > static_cast<int64_t>(odd) + children.alike.siblings.Usable())
    return Reach{};
  const int64_t cost = TableSteps(level, children);
  ended_ = ended_ || cost > question_.most_steps - steps_ || !HasRoomFor(level, children);
  if (ended_) return Reach{};
  steps_ += cost;
  return Normal(std::move(LastSums(level, children)));
}

// Spans add up to a span: what children take that use any number of theirs, each everything from
// its least on.
std::vector<Field::Span> Field::SpansAfter(int level, const Children& children) const {
  const Siblings& alike = children.alike.siblings;
  const int32_t usable = alike.Usable();
  if (terms(level + 1).parts > 0) return {};
  if (usable > 0 && (alike.lo != 1 || alike.step != 1)) return {};
  std::vector<Span> spans(children.odd.size() + 1);
  CountWork(Work::kReach, std::ssize(children.odd));
  spans.back().hi = usable > 0 ? alike.Held(usable) : 0;
  for (size_t odd = children.odd.size(); odd-- > 0;) {
    const Reach found = reach(level + 1, children.odd[odd]);
    const bool whole = found.set < 0 && (found.step == 1 || found.lo == found.hi);
    if (!whole || found.empty() || (found.zero && found.lo != 1)) return {};
    spans[odd].lo = spans[odd + 1].lo + (found.zero ? 0 : found.lo);
    spans[odd].hi = spans[odd + 1].hi + found.hi;
  }
  return spans;
}

bool Field::HasRoomFor(int level, const Children& children) const {
  if (!SpansAfter(level, children).empty()) return true;
  const int64_t set = SumLimit(level, children) / 8 + kSetBytes;
  const auto sets = static_cast<int64_t>(children.odd.size() + 1) * SumRows(level, children);
  return sets <= kMostSumBytes / set;
}

int32_t Field::SumRows(int level, const Children& children) const {
  return std::min(terms(level + 1).parts, static_cast<int32_t>(children.odd.size())) + 1;
}

int32_t Field::SumLimit(int level, const Children& children) const {
  const Siblings& alike = children.alike.siblings;
  const int32_t usable = alike.Usable();
  int64_t most = usable > 0 ? alike.Held(usable) : 0;
  CountWork(Work::kReach, std::ssize(children.odd));
  for (const int32_t child : children.odd) most += reach(level + 1, child).hi;
  return static_cast<int32_t>(std::min<int64_t>(most, question_.members));
}

int64_t Field::SumSteps(int level, const Children& children) const {
  if (!SpansAfter(level, children).empty()) return static_cast<int64_t>(children.odd.size());
  return TableSteps(level, children);
}

int64_t Field::TableSteps(int level, const Children& children) const {
  const int64_t set = SumLimit(level, children) / 64 + 1;
  const Siblings& alike = children.alike.siblings;
  int64_t stretches = 1, looks = alike.most.empty() ? 0 : question_.members / alike.lo;
  for (const int32_t child : children.odd) {
    const Reach found = reach(level + 1, child);
    looks += found.set < 0 ? 0 : (found.hi - found.lo) / found.step;
    stretches += static_cast<int64_t>(StretchesOf(found).size());
  }
  return stretches * SumRows(level, children) * set + looks / kNumbersAStep;
}

std::vector<CountSet> Field::AlikeSums(int level, const Children& children) const {
  const int32_t parts = terms(level + 1).parts;
  CountSet zero(SumLimit(level, children));
  zero.Add(0);
  std::vector<CountSet> sums(static_cast<size_t>(SumRows(level, children)), CountSet(zero.limit()));
  CountWork(Work::kFind, std::ssize(sums));
  for (size_t used = 0; used < sums.size(); ++used)
    AddAlike(children.alike.siblings, parts == 0 ? kAnyParts : parts - static_cast<int32_t>(used),
             zero, sums[used]);
  return sums;
}

std::vector<CountSet> Field::SumsBefore(int level, const Children& children, size_t odd,
                                        const std::vector<CountSet>& behind) const {
  const bool counted = terms(level + 1).parts > 0;
  const Reach found = reach(level + 1, children.odd[odd]);
  const std::vector<Stretch> stretches = StretchesOf(found);
  std::vector<CountSet> sums(behind.size(), CountSet(behind.front().limit()));
  CountWork(Work::kFind, std::ssize(behind));
  for (size_t used = 0; used < std::min(sums.size(), odd + 1); ++used) {
    const size_t more = counted ? used + 1 : 0;
    if (found.zero) sums[used].AddShifted(behind[used], 0);
    if (more >= behind.size()) continue;
    for (const Stretch& one : stretches)
      sums[used].AddShifted(behind[more].PlusEach(one.first, found.step, one.last), 0);
  }
  return sums;
}

CountSet Field::LastSums(int level, const Children& children) const {
  std::vector<CountSet> sums = AlikeSums(level, children);
  for (size_t odd = children.odd.size(); odd-- > 0;) sums = SumsBefore(level, children, odd, sums);
  return std::move(sums.front());
}

Field::Sums Field::SumsAfter(int level, const Children& children) const {
  Sums sums;
  sums.spans_ = SpansAfter(level, children);
  if (!sums.spans_.empty()) return sums;
  sums.sets_.resize(children.odd.size() + 1);
  sums.sets_.back() = AlikeSums(level, children);
  for (size_t odd = children.odd.size(); odd-- > 0;)
    sums.sets_[odd] = SumsBefore(level, children, odd, sums.sets_[odd + 1]);
  return sums;
}

bool Field::Sums::Has(size_t odd, int32_t used, int32_t members) const {
  if (!spans_.empty()) {
    const Span& span = spans_[odd * width_ + (width_ > 1 ? static_cast<size_t>(used) : 0)];
    return span.lo <= members && members <= span.hi;
  }
  const CountSet& set = sets_[odd][static_cast<size_t>(used)];
  return members <= set.limit() && set.Has(members);
}

bool Field::CanTake(int level, const Children& children, int32_t members) const {
  if (const std::vector<Span> spans = SpansAfter(level, children); !spans.empty())
    return spans.front().lo <= members && members <= spans.front().hi;
  const CountSet sums = LastSums(level, children);
  return members <= sums.limit() && sums.Has(members);
}

std::vector<Field::Stretch> Field::StretchesOf(const Reach& reach) const {
  CountWork(Work::kFind, 1);
  if (reach.set < 0) return {{reach.lo, reach.hi}};
  CountWork(Work::kEntry, (reach.hi - reach.lo) / reach.step);
  std::vector<Stretch> stretches;
  for (int32_t at = reach.lo; at <= reach.hi; at = sets_[reach.set].Next(at + 1)) {
    Stretch& one = stretches.emplace_back(Stretch{at, at});
    while (Has(reach, one.last + reach.step)) one.last += reach.step;
    at = one.last;
  }
  return stretches;
}

void Field::AddChild(const Reach& found, const CountSet& from, CountSet& to) const {
  for (const Stretch& one : StretchesOf(found))
    to.AddShifted(from.PlusEach(one.first, found.step, one.last), 0);
}

void Field::AddAlike(const Siblings& siblings, int32_t parts, const CountSet& from,
                     CountSet& to) const {
  const int32_t usable = siblings.Usable();
  if (parts > usable) return;
  if (parts <= 0) to.AddShifted(from, 0);
  if (parts == 0 || usable == 0) return;
  const int32_t fewest = parts == kAnyParts ? 1 : parts;
  const int32_t most = parts == kAnyParts ? usable : parts;
  int64_t begin = int64_t{fewest} * siblings.lo, end = siblings.Held(fewest), held = end;
  auto run = siblings.most.begin();
  for (int32_t used = fewest + 1, before = 0; used <= most; ++used) {
    const int64_t next = int64_t{used} * siblings.lo;
    if (next > question_.members) break;
    while (used > before + run->count) before += run++->count;
    held += run->value;
    CountWork(Work::kEntry, 1);
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

Reach Field::Own(Reach reach, int level, int32_t index) {
  const Terms& terms = question_.terms[static_cast<size_t>(level)];
  const int32_t min = std::max(terms.min, terms.FloorOf(index));
  const bool all = min <= reach.lo && terms.max >= reach.hi && terms.factor == 1;
  if (reach.empty() || all) return reach;
  if (reach.set < 0) {
    const int64_t step = std::lcm(int64_t{reach.step}, int64_t{terms.factor});
    const int64_t low = std::max(reach.lo, min), high = std::min(reach.hi, terms.max);
    const int64_t lo = (low + step - 1) / step * step, hi = high / step * step;
    if (hi < lo) return Reach{};
    return Progression(static_cast<int32_t>(lo), static_cast<int32_t>(hi),
                       static_cast<int32_t>(std::min<int64_t>(step, INT32_MAX)), true);
  }
  CountSet kept(question_.members);
  CountWork(Work::kEntry, (reach.hi - reach.lo) / reach.step);
  for (int32_t count = reach.lo; count <= reach.hi; count += reach.step) {
    const bool allowed = count >= min && count <= terms.max && count % terms.factor == 0;
    if (allowed && Has(reach, count)) kept.Add(count);
  }
  return Normal(std::move(kept));
}

// As few numbers as the set needs; 0 is not looked at.
Reach Field::Normal(CountSet set) {
  const CountSet::Extent extent = set.extent();
  if (extent.size == 0) return Reach{};
  Reach reach{extent.lowest, extent.highest, extent.lowest, -1, true};
  for (int32_t count = extent.lowest; count <= extent.highest && reach.step > 1;
       count = set.Next(count + 1)) {
    reach.step = std::gcd(reach.step, count);
    CountWork(Work::kCompare, 1);
  }
  if (extent.size == (reach.hi - reach.lo) / reach.step + 1)
    return Progression(reach.lo, reach.hi, reach.step, true);
  reach.set = static_cast<int32_t>(sets_.size());
  set.Lower(reach.hi);
  sets_.push_back(std::move(set));
  return reach;
}

}  // namespace gangplan::exact
