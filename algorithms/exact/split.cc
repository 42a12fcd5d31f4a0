#include "algorithms/exact/split.h"

#include <algorithm>
#include <numeric>

#include "absl/container/inlined_vector.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {

int32_t Siblings::Usable() const {
  int32_t usable = 0;
  for (const Run& run : most) usable += run.count;
  return usable;
}

int64_t Siblings::Held(int32_t parts) const {
  int64_t held = 0;
  for (const Run& run : most) {
    const int32_t count = std::min(run.count, parts);
    held += int64_t{run.value} * count;
    parts -= count;
  }
  return held;
}

namespace {

void Append(std::vector<Run>& split, int32_t value, int32_t count) {
  if (count == 0) return;
  if (!split.empty() && split.back().value == value)
    split.back().count += count;
  else
    split.push_back({value, count});
}

// The fewest siblings that hold `members`; more than there are when all of them do not.
int32_t Fewest(const Siblings& siblings, int64_t members) {
  int32_t parts = 0;
  for (const Run& run : siblings.most) {
    const int64_t needed = (members + run.value - 1) / run.value;
    if (needed <= run.count) return parts + static_cast<int32_t>(needed);
    members -= int64_t{run.value} * run.count;
    parts += run.count;
  }
  return parts + 1;
}

// `parts` siblings of `lo` each, and what is over fills the largest first.
void SplitPacked(const Siblings& siblings, int32_t parts, int32_t members,
                 std::vector<Run>& split) {
  int64_t over = members - int64_t{parts} * siblings.lo;
  for (const Run& run : siblings.most) {
    const int64_t extra = run.value - siblings.lo;
    if (over == 0 || extra == 0) break;
    const bool all = over >= extra * run.count;
    const auto full = all ? run.count : static_cast<int32_t>(over / extra);
    Append(split, run.value, full);
    over -= full * extra;
    parts -= full;
    if (full == run.count) continue;
    if (over > 0) {
      Append(split, siblings.lo + static_cast<int32_t>(over), 1);
      --parts;
    }
    over = 0;
  }
  Append(split, siblings.lo, parts);
}

// The `parts` largest siblings, as even as their room allows.
void SplitEven(const Siblings& siblings, int32_t parts, int32_t members, std::vector<Run>& split) {
  absl::InlinedVector<Run, 16> chosen;
  int32_t missing = parts;
  for (const Run& run : siblings.most) {
    const int32_t count = std::min(run.count, missing);
    missing -= count;
    if (count > 0) chosen.push_back({run.value, count});
  }
  int64_t rest = members;
  size_t open = chosen.size();
  for (; open > 0 && int64_t{chosen[open - 1].value} * parts <= rest; --open) {
    rest -= int64_t{chosen[open - 1].value} * chosen[open - 1].count;
    parts -= chosen[open - 1].count;
  }
  if (parts > 0) {
    const int64_t steps = rest / siblings.step;
    const auto value = static_cast<int32_t>(steps / parts * siblings.step);
    const auto higher = static_cast<int32_t>(steps % parts);
    Append(split, value + siblings.step, higher);
    Append(split, value, parts - higher);
  }
  for (; open < chosen.size(); ++open) Append(split, chosen[open].value, chosen[open].count);
}

}  // namespace

bool BestSplit(const Siblings& siblings, LevelRule::Kind kind, int32_t parts, int32_t members,
               std::vector<Run>& split) {
  split.clear();
  CountWork(Work::kEntry, 8 + 4 * std::ssize(siblings.most));
  if (members % siblings.step != 0) return false;
  if (members == 0) return parts <= 0;
  const bool spread = kind == LevelRule::Kind::kSpread;
  const int32_t usable = siblings.Usable();
  if (parts == kAnyParts)
    parts = spread ? std::min(usable, members / siblings.lo)
                   : std::max(Fewest(siblings, members), siblings.least);
  if (parts <= 0 || parts > usable) return false;
  if (int64_t{parts} * siblings.lo > members || siblings.Held(parts) < members) return false;
  if (spread)
    SplitEven(siblings, parts, members, split);
  else
    SplitPacked(siblings, parts, members, split);
  return true;
}

bool BestSplitWith(const Siblings& siblings, std::span<const int32_t> without,
                   std::span<const int32_t> with, LevelRule::Kind kind, int32_t parts,
                   int32_t members, std::vector<Run>& split) {
  const bool any = parts == kAnyParts;
  const bool fewest = any && kind != LevelRule::Kind::kSpread;
  auto used = static_cast<int32_t>(with.size());
  int32_t limit = any ? members / siblings.lo : parts;
  int64_t held = std::accumulate(with.begin(), with.end(), int64_t{0});
  if (used > limit) return false;
  CountWork(Work::kEntry, 8 + 4 * std::ssize(siblings.most));
  absl::InlinedVector<Run, 16> runs;
  for (const Run& run : siblings.most) {
    if (used == limit || (fewest && held >= members)) break;
    int64_t count = run.count - std::count(without.begin(), without.end(), run.value);
    if (fewest && members - held < run.value * count)
      count = (members - held + run.value - 1) / run.value;
    count = std::min<int64_t>(count, limit - used);
    if (count == 0) continue;
    runs.push_back({run.value, static_cast<int32_t>(count)});
    used += static_cast<int32_t>(count);
    held += run.value * count;
  }
  if (held < members || (!any && used != parts)) return false;
  for (const int32_t most : with)
    runs.insert(
        std::find_if(runs.begin(), runs.end(), [&](const Run& run) { return run.value <= most; }),
        {most, 1});
  return BestSplit({runs, siblings.lo, siblings.step, 0}, kind, used, members, split);
}

}  // namespace gangplan::exact
