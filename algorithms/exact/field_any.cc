// Some way to spread a load and members over the children of a domain, without a search: what the
// children before each one take together, and then back from the last one.
//
//   racks of 3 and 3 workers, or 2 and 2 beside a leader; a leader and 4 workers, pack: before the
//   second rack there are 0 to 3, or the leader and 0 to 2; the second takes the leader and 2,
//   which leaves 2 for the first
#include <algorithm>

#include "algorithms/exact/field.h"
#include "algorithms/exact/work.h"
#include "topology/base/check.h"

namespace gangplan::exact {
namespace {

// Steps that a table is given in any case: some milliseconds.
constexpr int64_t kLeastTableSteps = 1 << 18;

}  // namespace

// Where children take everything from their least number on, so do all of them together. Nothing
// where some do not, or what is taken has gaps.
std::vector<Field::Span> Field::SpansBefore(int level, int32_t index) const {
  const Loads& loads = *question_.loads;
  const auto count = static_cast<size_t>(loads.count());
  if (terms(level + 1).parts > 0) return {};
  constexpr Span kNone{0, -1};
  std::vector<Span> spans(count, kNone);
  spans.front() = {0, 0};
  const Tree::Range range = Range(level, index);
  for (int32_t child = range.begin; child < range.end; ++child) {
    const size_t before = spans.size() - count;
    spans.resize(spans.size() + count, kNone);
    CountWork(Work::kReach, static_cast<int64_t>(count));
    for (size_t part = 0; part < count; ++part) {
      const auto of_load = static_cast<int32_t>(part);
      const Reach found = reach(level + 1, Loaded(level + 1, child, of_load));
      if (found.empty() && !found.zero) continue;
      const bool whole = found.set < 0 && (found.step == 1 || found.lo == found.hi);
      if (!found.empty() && (!whole || (found.zero && found.lo != 1))) return {};
      for (size_t load = part; load < count; ++load) {
        const Span& others = spans[before + load - part];
        if (others.hi < 0 || !loads.Within(of_load, static_cast<int32_t>(load))) continue;
        const Span with = {others.lo + (found.zero ? 0 : found.lo),
                           others.hi + (found.empty() ? 0 : found.hi)};
        Span& all = spans[before + count + load];
        if (all.hi >= 0 && (with.lo > all.hi + 1 || all.lo > with.hi + 1)) return {};
        all = all.hi < 0 ? with : Span{std::min(all.lo, with.lo), std::max(all.hi, with.hi)};
      }
    }
  }
  return spans;
}

std::optional<Field::Sums> Field::SumsBefore(int level, int32_t index) const {
  Sums sums;
  sums.width_ = static_cast<size_t>(question_.loads->count());
  sums.spans_ = SpansBefore(level, index);
  if (!sums.spans_.empty()) return sums;
  const Tree::Range range = Range(level, index);
  if (LoadedBytes(level, range.end - range.begin + 1) > kMostSumBytes) return std::nullopt;
  if (LoadedSteps(level, index) > std::max(question_.most_steps, kLeastTableSteps))
    return std::nullopt;
  const std::vector<CountSet> none((terms(level + 1).parts + 1) * question_.loads->count(),
                                   CountSet(question_.members));
  sums.sets_ = {none};
  sums.sets_.front().front().Add(0);
  for (int32_t child = range.begin; child < range.end; ++child) {
    std::vector<CountSet> with = none;
    CountWork(Work::kFind, std::ssize(none));
    AddLoadedChild(level, child, sums.sets_.back(), with);
    sums.sets_.push_back(std::move(with));
  }
  return sums;
}

// Back from the last child: what it takes leaves something that those before it can take.
std::optional<std::vector<LoadedCount>> Field::AnyLoaded(int level, int32_t index, int32_t load,
                                                         int32_t members) const {
  const std::optional<Sums> before = SumsBefore(level, index);
  if (!before) return std::nullopt;
  const Loads& loads = *question_.loads;
  const Tree::Range range = Range(level, index);
  const int32_t parts = terms(level + 1).parts, count = loads.count();
  const bool even = terms(level + 1).kind == LevelRule::Kind::kSpread;
  std::vector<LoadedCount> taken;
  int32_t used = parts, rest = members, left = load;
  for (int32_t child = range.end; child-- > range.begin;) {
    const auto at = static_cast<size_t>(child - range.begin);
    const auto take = [&](int32_t part, int32_t members_of) {
      const int32_t now = parts > 0 && members_of > 0 ? used - 1 : used;
      if (now < 0 || !before->Has(at, now * count + left - part, rest - members_of)) return false;
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
