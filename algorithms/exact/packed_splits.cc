#include "algorithms/exact/packed_splits.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

constexpr int64_t kSplitEntriesAStep = 2;
constexpr int64_t kSplitRoomsAStep = 32;
constexpr int64_t kMostStates = int64_t{1} << 18;
constexpr size_t kMostSplitsTried = 16;

class Splitting {
 public:
  Splitting(const Fullest& fullest, const Loads& loads, const Terms& terms, int32_t load,
            int32_t used, int32_t members, int64_t& steps)
      : fullest_(fullest),
        loads_(loads),
        terms_(terms),
        load_(load),
        used_(used),
        members_(members),
        rest_(members - fullest.HeldWithin(used - 1, load)),
        steps_(steps) {}

  PackedSplits Find();

 private:
  // What the first siblings have.
  struct State {
    bool closed = false;  // of the others only hosts are used
    int32_t load = 0;
    int32_t more = 0;  // closed: so many hosts are still to come
    // The room of the one that is not full, as far as it counts, and its part; 0: none is chosen.
    int32_t room = 0;
    int32_t part = 0;
    int64_t held = 0;  // by those that are full

    uint64_t Number() const {
      return (closed ? 1U : 0U) | static_cast<uint64_t>(load) << 1 |
             static_cast<uint64_t>(more) << 6 | static_cast<uint64_t>(part) << 11 |
             static_cast<uint64_t>(room) << 16 | static_cast<uint64_t>(held) << 32;
    }
  };
  struct Entry {
    State state;
    int64_t squares = 0;
    std::vector<int32_t> values;  // of those that are full, the largest first
  };
  // Entries with the most squares of their state, each with other values.
  struct Layer {
    std::vector<Entry> entries;
    absl::flat_hash_map<uint64_t, int64_t> squares;  // by state
    absl::flat_hash_map<std::pair<uint64_t, std::vector<int32_t>>, size_t> known;
  };

  bool CanBe(int32_t place, const State& state) const;
  void Put(int32_t place, const Entry& entry, Layer& layer);
  void Take(int32_t place, Entry entry, int32_t part, Layer& next);
  void Choose(int32_t place, Entry entry, int32_t part, Layer& next);
  void Close(int32_t place, Layer& layer);
  void Look(int32_t place, const Entry& entry, Layer& next);
  void Finish(const Entry& entry);
  bool Fill();
  int32_t Room() const;
  int64_t MostBeyond() const;

  const Fullest& fullest_;
  const Loads& loads_;
  const Terms& terms_;
  const int32_t load_;
  const int32_t used_;
  const int32_t members_;
  const int64_t rest_;  // the one that is not full has so many at least
  int64_t& steps_;
  int64_t more_ = 4;  // and so many more at the most
  PackedSplits found_;
};

// Whether what comes may still leave no more than that.
bool Splitting::CanBe(int32_t place, const State& state) const {
  const int64_t needed = std::max<int64_t>(members_ - rest_ - more_ - state.held, 0);
  const int32_t left = load_ - state.load;
  const int32_t chosen = state.room > 0 ? 0 : 1;  // still to be chosen
  if (!state.closed)
    return fullest_.HeldWithin(used_ - chosen, left) - fullest_.HeldAlone(place) >= needed;
  if (chosen == 0) return fullest_.HeldBeyond(place, state.more, left) >= needed;
  for (int32_t part = 0; part < left && state.more > 0; ++part) {
    if (loads_.Within(part, left) && fullest_.HeldBeyond(place, state.more - 1, part) >= needed)
      return true;
  }
  return false;
}

void Splitting::Put(int32_t place, const Entry& entry, Layer& layer) {
  if (!CanBe(place, entry.state)) return;
  const uint64_t number = entry.state.Number();
  CountWork(Work::kFind, 3);
  const auto [most, fresh] = layer.squares.try_emplace(number, entry.squares);
  if (most->second > entry.squares) return;
  most->second = entry.squares;
  if (layer.known.try_emplace({number, entry.values}, layer.entries.size()).second)
    layer.entries.push_back(entry);
}

void Splitting::Take(int32_t place, Entry entry, int32_t part, Layer& next) {
  const int32_t most = fullest_.Most(place, part);
  if (most <= 0 || most < entry.state.room) return;
  entry.squares += int64_t{most} * most;
  entry.state.load += part;
  entry.state.held += most;
  if (entry.state.closed) --entry.state.more;
  entry.values.insert(
      std::upper_bound(entry.values.begin(), entry.values.end(), most, std::greater<>()), most);
  Put(place + 1, entry, next);
}

// As the one that is not full, which has the least room of all; without a part it is the last one.
void Splitting::Choose(int32_t place, Entry entry, int32_t part, Layer& next) {
  State& state = entry.state;
  const auto room =
      static_cast<int32_t>(std::min<int64_t>(fullest_.Most(place, part), rest_ + more_));
  if (state.room > 0 || room <= 0 || room < rest_) return;
  if (!entry.values.empty() && entry.values.back() < room) return;
  state.room = room;
  state.part = part;
  state.load += part;
  if (state.closed) --state.more;
  if (part == 0) {
    state.closed = true;
    state.more = used_ - place - 1;
    if (state.more > loads_.pods(load_ - state.load)) return;
  }
  Put(place + 1, entry, next);
}

// From here on only hosts.
void Splitting::Close(int32_t place, Layer& layer) {
  const size_t open = layer.entries.size();
  for (size_t at = 0; at < open; ++at) {
    Entry entry = layer.entries[at];
    if (entry.state.closed || used_ - place > loads_.pods(load_ - entry.state.load)) continue;
    entry.state.closed = true;
    entry.state.more = used_ - place;
    Put(place, entry, layer);
  }
}

void Splitting::Look(int32_t place, const Entry& entry, Layer& next) {
  CountWork(Work::kFind, load_ + 1);
  if (entry.state.closed) {
    Put(place + 1, entry, next);
  } else {
    Take(place, entry, 0, next);
    Choose(place, entry, 0, next);
  }
  const int32_t left = load_ - entry.state.load;
  for (int32_t part = 1; part <= left; ++part) {
    if (!loads_.Within(part, left)) continue;
    Take(place, entry, part, next);
    Choose(place, entry, part, next);
  }
}

// The one that is not full takes the rest.
void Splitting::Finish(const Entry& entry) {
  const int64_t rest = members_ - entry.state.held;
  if (entry.state.load != load_ || entry.state.room < rest) return;
  if (rest < std::max(terms_.least(), loads_.pods(entry.state.part))) return;
  const int64_t squares = entry.squares + rest * rest;
  if (squares < found_.squares) return;
  if (squares > found_.squares) found_.splits.clear();
  found_.squares = squares;
  std::vector<int32_t> values = entry.values;
  values.push_back(static_cast<int32_t>(rest));
  std::sort(values.begin(), values.end(), std::greater<>());
  std::vector<Run> split;
  for (const int32_t value : values) AddRun(split, value);
  if (std::find(found_.splits.begin(), found_.splits.end(), split) == found_.splits.end())
    found_.splits.push_back(std::move(split));
}

// False: it takes too much.
bool Splitting::Fill() {
  found_ = {};
  Layer layer, next;
  Put(0, Entry{}, layer);
  int64_t states = 0;
  for (int32_t place = 0; place <= fullest_.siblings(); ++place) {
    Close(place, layer);
    const auto entries = static_cast<int64_t>(layer.entries.size());
    states += entries;
    steps_ -= entries * (load_ + 1 + used_ / 4) / kSplitEntriesAStep + 1;
    if (steps_ <= 0 || states > kMostStates) return false;
    for (const Entry& entry : layer.entries) {
      if (next.entries.size() > static_cast<size_t>(kMostStates)) return false;
      if (entry.squares < layer.squares[entry.state.Number()]) continue;
      if (entry.state.closed && entry.state.more == 0)
        Finish(entry);
      else if (place < fullest_.siblings() && (entry.state.closed || place < used_))
        Look(place, entry, next);
    }
    layer = std::move(next);
    next = {};
  }
  return found_.splits.size() <= kMostSplitsTried;
}

// What one of them holds at most.
int32_t Splitting::Room() const {
  int32_t most = 0;
  for (int32_t place = 0; place < fullest_.siblings(); ++place)
    for (int32_t part = 0; part <= load_; ++part)
      if (loads_.Within(part, load_)) most = std::max(most, fullest_.Most(place, part));
  return most;
}

// The squares of any split in which the one that is not full has more than that; less than 0: none.
int64_t Splitting::MostBeyond() const {
  steps_ -= int64_t{fullest_.siblings()} * (load_ + 1) / kSplitRoomsAStep + 1;
  const int64_t together = members_ - rest_ - more_ - 1;
  if (rest_ + more_ >= Room()) return -1;
  std::vector<int64_t> most = {0};
  for (int32_t i = 1; i < used_; ++i)
    most.push_back(std::min(fullest_.HeldWithin(i, load_), together));
  most.push_back(members_);
  PackedLevel level;
  level.Majorize(most);
  return level.squares;
}

PackedSplits Splitting::Find() {
  while (true) {
    if (!Fill()) return {};
    if (MostBeyond() < std::max<int64_t>(found_.squares, 0)) break;
    more_ = 4 * more_;
  }
  found_.known = true;
  return found_;
}

// Those of `part`, each with one more value.
void Merge(const PackedSplits& part, int32_t value, PackedSplits& all) {
  const int64_t squares = part.squares + int64_t{value} * value;
  if (part.splits.empty() || squares < all.squares) return;
  if (squares > all.squares) all.splits.clear();
  all.squares = squares;
  for (std::vector<Run> split : part.splits) {
    const auto at = std::find_if(split.begin(), split.end(),
                                 [value](const Run& run) { return run.value <= value; });
    if (at != split.end() && at->value == value)
      ++at->count;
    else
      split.insert(at, {value, 1});
    if (std::find(all.splits.begin(), all.splits.end(), split) == all.splits.end())
      all.splits.push_back(std::move(split));
  }
}

// As FindPackedSplits, where nobody without a part has just what it must.
PackedSplits FindAll(const Fullest& fullest, const Loads& loads, const Terms& terms, int32_t load,
                     int32_t used, int32_t members, int64_t& steps) {
  const auto least = [&](int32_t part) { return terms.least(loads.pods(part)); };
  PackedSplits all = Splitting(fullest, loads, terms, load, used, members, steps).Find();
  if (!all.known || members - fullest.HeldWithin(used - 1, load) >= least(load)) return all;
  for (int32_t part = 1; part <= load && used > 1; ++part) {
    if (!loads.Within(part, load)) continue;
    const int32_t value = least(part), rest = load - part;
    const PackedLevel bound = PackedCrowd(HeldOf(fullest, rest), terms, used - 1, members - value);
    if (!bound.known || bound.squares + int64_t{value} * value < all.squares) continue;
    const PackedSplits others =
        FindAll(fullest, loads, terms, rest, used - 1, members - value, steps);
    if (!others.known) return {};
    Merge(others, value, all);
  }
  all.known = all.splits.size() <= kMostSplitsTried;
  return all;
}

}  // namespace

PackedSplits FindPackedSplits(const Fullest& fullest, const Loads& loads, const Terms& terms,
                              int32_t load, int32_t used, int32_t members, int64_t& steps) {
  const bool enough = members - fullest.HeldWithin(used - 1, load) >= terms.least(loads.pods(load));
  const bool few = fullest.Held(used - 1, load) < members;
  if (!enough && (!few || terms.parts > 0 || terms.least() > terms.factor)) return {};
  return FindAll(fullest, loads, terms, load, used, members, steps);
}

}  // namespace gangplan::exact
