// From the sets of children to the set of their parent.
#include <algorithm>
#include <numeric>

#include "algorithms/exact/field.h"
#include "topology/base/check.h"

namespace gangplan::exact {

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
    AddAlike(children.alike.siblings, parts == 0 ? kAnyParts : parts - used, zero,
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

// A set goes in by its stretches without a gap.
void Field::AddChild(const Reach& found, const CountSet& from, CountSet& to) const {
  if (found.set < 0) return to.AddShifted(from.PlusEach(found.lo, found.step, found.hi), 0);
  for (int32_t first = found.lo; first <= found.hi; first = sets_[found.set].Next(first + 1)) {
    int32_t last = first;
    while (Has(found, last + found.step)) last += found.step;
    to.AddShifted(from.PlusEach(first, found.step, last), 0);
    first = last;
  }
}

void Field::AddAlike(const Siblings& siblings, int32_t parts, const CountSet& from,
                     CountSet& to) const {
  const int32_t usable = siblings.Usable();
  if (parts > usable) return;
  if (parts <= 0) to.AddShifted(from, 0);
  if (parts == 0 || usable == 0) return;
  const int32_t fewest = parts == kAnyParts ? 1 : parts;
  const int32_t most = parts == kAnyParts ? usable : parts;
  int64_t begin = int64_t{fewest} * siblings.lo, end = siblings.Held(fewest);
  for (int32_t used = fewest + 1; used <= most && begin <= question_.members; ++used) {
    const int64_t next = int64_t{used} * siblings.lo, held = siblings.Held(used);
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
       count = set.Next(count + 1))
    reach.step = std::gcd(reach.step, count);
  if (extent.size == (reach.hi - reach.lo) / reach.step + 1)
    return Progression(reach.lo, reach.hi, reach.step, true);
  reach.set = static_cast<int32_t>(sets_.size());
  set.Lower(reach.hi);
  sets_.push_back(std::move(set));
  return reach;
}

// Back from the last child: what it takes leaves something that those before it can take.
std::vector<LoadedCount> Field::AnyLoaded(int level, int32_t index, int32_t load,
                                          int32_t members) const {
  const Loads& loads = *question_.loads;
  const Tree::Range range = Range(level, index);
  const int32_t parts = terms(level + 1).parts, count = loads.count();
  const bool even = terms(level + 1).kind == LevelRule::Kind::kSpread;
  const std::vector<CountSet> none((parts + 1) * count, CountSet(question_.members));
  std::vector<std::vector<CountSet>> before = {none};
  before.front().front().Add(0);
  for (int32_t child = range.begin; child < range.end; ++child) {
    std::vector<CountSet> with = none;
    AddLoadedChild(level, child, before.back(), with);
    before.push_back(std::move(with));
  }
  std::vector<LoadedCount> taken;
  int32_t used = parts, rest = members, left = load;
  for (int32_t child = range.end; child-- > range.begin;) {
    const auto at = static_cast<size_t>(child - range.begin);
    const auto take = [&](int32_t part, int32_t members_of) {
      const int32_t now = parts > 0 && members_of > 0 ? used - 1 : used;
      if (now < 0 || !before[at][now * count + left - part].Has(rest - members_of)) return false;
      if (members_of > 0) taken.push_back({Loaded(level + 1, child, part), members_of});
      used = now;
      rest -= members_of;
      left -= part;
      return true;
    };
    const int32_t fair = (rest + child - range.begin) / (child - range.begin + 1);
    bool done = false;
    for (int32_t part = left; part >= 0 && !done; --part) {
      if (!loads.Within(part, left)) continue;
      const Reach found = reach(level + 1, Loaded(level + 1, child, part));
      const int32_t first = even ? std::min(fair, rest) : rest;
      for (int32_t one = std::min(first, found.hi); one >= found.lo && !done; --one)
        done = Has(found, one) && take(part, one);
      for (int32_t one = first + 1; one <= std::min(rest, found.hi) && !done; ++one)
        done = Has(found, one) && take(part, one);
      done = done || (part == 0 && found.zero && take(0, 0));
    }
    GANGPLAN_CHECK(done);
  }
  return taken;
}

}  // namespace gangplan::exact
