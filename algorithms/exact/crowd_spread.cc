#include "algorithms/exact/crowd_spread.h"

#include <algorithm>
#include <functional>

#include "algorithms/exact/best_hosts.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

// More than what siblings hold together that are levelled to hold all members.
constexpr int64_t kRooms = int64_t{1} << 20;
constexpr int64_t kMostGain = int64_t{1} << 41;
// Entries of a table of hosts in one step.
constexpr int64_t kSpreadEntriesAStep = 16;

class Spreading {
 public:
  Spreading(std::span<const int32_t> rows, const Loads& loads, int32_t load, const Terms& terms,
            int32_t parts, int32_t members, int64_t& steps)
      : rows_(rows),
        loads_(loads),
        load_(load),
        terms_(terms),
        to_use_(parts),
        members_(members),
        steps_(steps) {}

  // As if each had the part with which it holds the most.
  bool Loose(SpreadLevel& level) const;
  void Levelled(SpreadLevel& level) const;
  void Price(SpreadLevel& level) const;

 private:
  size_t siblings() const { return rows_.size() / static_cast<size_t>(loads_.count()); }
  // What a sibling holds with the part; less than 0: it does not fit.
  int32_t Most(size_t sibling, int32_t part) const {
    const bool within = loads_.Within(part, load_);
    return within ? rows_[sibling * static_cast<size_t>(loads_.count()) + static_cast<size_t>(part)]
                  : -1;
  }
  bool LevelOf(std::vector<int32_t> mosts, SpreadLevel& level) const;
  bool Pay() const {
    steps_ -=
        static_cast<int64_t>(siblings()) * (load_ + 1) * (load_ + 2) / 2 / kSpreadEntriesAStep + 1;
    return steps_ > 0;
  }
  int64_t HeldBelow(int32_t value) const;
  int32_t Top() const;
  void PriceAt(int32_t top, SpreadLevel& level, int64_t& met) const;

  std::span<const int32_t> rows_;
  const Loads& loads_;
  const int32_t load_;
  const Terms& terms_;
  const int32_t to_use_;
  const int32_t members_;
  int64_t& steps_;
};

bool Spreading::LevelOf(std::vector<int32_t> mosts, SpreadLevel& level) const {
  CountSort(mosts.size());
  CountWork(Work::kEntry, std::ssize(rows_));
  std::sort(mosts.begin(), mosts.end(), std::greater<>());
  std::vector<Run> runs;
  for (const int32_t most : mosts)
    if (most > 0) AddRun(runs, most);
  level.known = BestSplit({runs, terms_.least(), terms_.factor, 0}, LevelRule::Kind::kSpread,
                          to_use_, members_, level.split);
  level.squares = 0;
  if (!level.known) return false;
  for (const Run& run : level.split) level.squares += int64_t{run.value} * run.value * run.count;
  return true;
}

bool Spreading::Loose(SpreadLevel& level) const {
  std::vector<int32_t> mosts(siblings(), 0);
  for (size_t at = 0; at < mosts.size(); ++at)
    for (int32_t part = 0; part <= load_; ++part) mosts[at] = std::max(mosts[at], Most(at, part));
  return LevelOf(std::move(mosts), level);
}

// What siblings that host the load hold together at most of no more than `value` each; less than 0:
// the load has no place, or the steps have ended.
int64_t Spreading::HeldBelow(int32_t value) const {
  if (!Pay()) return -1;
  BestHosts hosts(loads_, load_);
  std::vector<int64_t> worth(static_cast<size_t>(load_) + 1);
  for (size_t at = 0; at < siblings(); ++at) {
    for (int32_t part = 0; part <= load_; ++part) {
      const int32_t most = Most(at, part);
      worth[static_cast<size_t>(part)] = most < 0 ? BestHosts::kNever : std::min(most, value);
    }
    hosts.Add(worth);
  }
  return hosts.can() ? hosts.worth() : -1;
}

// By what is held at most of no more than each value: how many siblings have so many at least.
// Where that is not known the level is left as it is.
void Spreading::Levelled(SpreadLevel& level) const {
  const int32_t step = terms_.factor;
  const int32_t most = *std::max_element(rows_.begin(), rows_.end());
  std::vector<Run> split;
  int64_t before = 0, last = INT64_MAX, squares = 0;
  bool falls = true;
  for (int32_t value = step; before < members_; value += step) {
    const int64_t held = value > most ? -1 : std::min<int64_t>(HeldBelow(value), members_);
    if (held < before || (held - before) % step != 0) return;
    const int64_t many = (held - before) / step;
    squares += many * (2 * int64_t{value} - step) * step;
    falls = falls && many <= last;
    if (last > many && value > step)
      split.push_back({value - step, static_cast<int32_t>(last - many)});
    if (held == members_) split.push_back({value, static_cast<int32_t>(many)});
    last = many;
    before = held;
  }
  if (squares <= level.squares) return;
  level.squares = squares;
  level.split.clear();
  if (!falls) return;
  std::reverse(split.begin(), split.end());
  std::erase_if(split, [](const Run& run) { return run.count == 0; });
  level.split = std::move(split);
}

// The least value that holds all members where no sibling has more; -1: none does.
int32_t Spreading::Top() const {
  const int32_t step = terms_.factor;
  int32_t low = 1, high = *std::max_element(rows_.begin(), rows_.end()) / step;
  if (HeldBelow(high * step) < members_) return -1;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (HeldBelow(middle * step) < members_)
      low = middle + 1;
    else
      high = middle;
  }
  return high;
}

// With a price a member at which a sibling may have `top` steps or one less: no split costs less
// than what all members pay but for what the siblings gain by it at most.
void Spreading::PriceAt(int32_t top, SpreadLevel& level, int64_t& met) const {
  const int64_t step = terms_.factor;
  const int64_t price = step * (2 * top - 1);
  const int64_t most_gain = price * price / 4 * static_cast<int64_t>(siblings());
  if (most_gain >= kMostGain || !Pay()) return;
  BestHosts hosts(loads_, load_);
  std::vector<int64_t> worth(static_cast<size_t>(load_) + 1);
  const auto gain = [price](int64_t count) { return (price - count) * count; };
  for (size_t at = 0; at < siblings(); ++at) {
    for (int32_t part = 0; part <= load_; ++part) {
      const int64_t most = Most(at, part);
      const int64_t least = terms_.least(loads_.pods(part));
      int64_t& worth_of = worth[static_cast<size_t>(part)];
      worth_of = part == 0 ? 0 : BestHosts::kNever;
      if (most < least) continue;
      const int64_t gained = gain(std::clamp(step * (top - 1), least, most));
      const int64_t room = std::clamp(step * top, least, most);
      worth_of = std::max(worth_of, gained * kRooms + room);
    }
    hosts.Add(worth);
  }
  if (!hosts.can()) return;
  // The room is a tie break alone: it is less than one of what is gained.
  const int64_t gained = (hosts.worth() - (hosts.worth() % kRooms + kRooms) % kRooms) / kRooms;
  level.squares = std::max(level.squares, price * members_ - gained);
  std::vector<int32_t> parts = hosts.Parts(), mosts;
  for (size_t at = 0; at < parts.size(); ++at) mosts.push_back(Most(at, parts[at]));
  SpreadLevel reached;
  if (!LevelOf(std::move(mosts), reached) || reached.squares >= met) return;
  met = reached.squares;
  level.parts = std::move(parts);
}

void Spreading::Price(SpreadLevel& level) const {
  const int32_t top = Top();
  if (top < 0) return;
  int64_t met = INT64_MAX;
  for (const int32_t at : {top, top + 1, top - 1})
    if (at > 0 && met > level.squares) PriceAt(at, level, met);
}

}  // namespace

SpreadLevel SpreadLoosely(std::span<const int32_t> rows, const Loads& loads, int32_t load,
                          const Terms& terms, int32_t parts, int32_t members, int64_t& steps) {
  SpreadLevel level;
  Spreading(rows, loads, load, terms, parts, members, steps).Loose(level);
  return level;
}

SpreadLevel SpreadCrowd(std::span<const int32_t> rows, const Loads& loads, int32_t load,
                        const Terms& terms, int32_t parts, int32_t members, int64_t& steps) {
  const Spreading spreading(rows, loads, load, terms, parts, members, steps);
  SpreadLevel level;
  if (!spreading.Loose(level) || load == 0) return level;
  if (parts == kAnyParts) spreading.Levelled(level);
  return level;
}

SpreadLevel SpreadLeaves(std::span<const int32_t> rows, const Loads& loads, int32_t load,
                         const Terms& terms, int32_t parts, int32_t members, int64_t& steps) {
  const Spreading spreading(rows, loads, load, terms, parts, members, steps);
  SpreadLevel level;
  if (spreading.Loose(level) && load > 0) spreading.Price(level);
  return level;
}

}  // namespace gangplan::exact
