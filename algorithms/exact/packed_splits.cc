#include "algorithms/exact/packed_splits.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace gangplan::exact {
namespace {

constexpr int64_t kEntriesAStep = 2;
constexpr int64_t kMostStates = int64_t{1} << 18;
constexpr size_t kMostSplits = 16;

class Splitting {
 public:
  Splitting(const Fullest& fullest, const Loads& loads, const Terms& terms, int32_t load,
            int32_t used, int32_t members, int64_t& steps)
      : fullest_(fullest),
        loads_(loads),
        terms_(terms),
        load_(load),
        full_(used - 1),
        members_(members),
        rest_(members - fullest.HeldWithin(full_, load)),
        steps_(steps) {
    for (int32_t part = 0; part <= load; ++part) most_with_.push_back(MostWith(part));
  }

  PackedSplits Find();

 private:
  // What the first siblings have that are full.
  struct State {
    bool closed = false;  // of the others only hosts are full
    int32_t load = 0;
    int32_t more = 0;  // closed: so many hosts are still to come
    int32_t end = 0;   // closed: the first place after those that are full without a part
    int64_t held = 0;

    uint64_t Number() const {
      return (closed ? 1U : 0U) | static_cast<uint64_t>(load) << 1 |
             static_cast<uint64_t>(more) << 6 | static_cast<uint64_t>(held) << 11 |
             static_cast<uint64_t>(end) << 40;
    }
  };
  struct Entry {
    State state;
    int64_t squares = 0;
    std::vector<int32_t> values;  // the largest first
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
  void Close(int32_t place, Layer& layer);
  void Look(int32_t place, const Entry& entry, Layer& next);
  void Finish(const Entry& entry);
  bool Fill();
  int64_t MostBeyond() const;
  int32_t MostWith(int32_t part) const;
  int32_t MostLeft(const State& state, int32_t part) const;

  const Fullest& fullest_;
  const Loads& loads_;
  const Terms& terms_;
  const int32_t load_;
  const int32_t full_;
  const int32_t members_;
  const int64_t rest_;  // the one that is not full has so many at least
  int64_t& steps_;
  std::vector<int32_t> most_with_;  // by part
  int64_t more_ = 4;                // and so many more at the most
  PackedSplits found_;
};

// Whether what comes may still leave no more than that.
bool Splitting::CanBe(int32_t place, const State& state) const {
  const int64_t needed = members_ - rest_ - more_ - state.held;
  const int32_t left = load_ - state.load;
  if (!state.closed) return fullest_.HeldWithin(full_, left) - fullest_.HeldAlone(place) >= needed;
  for (int32_t part = 0; part <= left; ++part) {
    const int64_t more =
        loads_.Within(part, left) ? fullest_.HeldBeyond(place, state.more, part) : -1;
    if (more >= 0 && more >= needed) return true;
  }
  return false;
}

void Splitting::Put(int32_t place, const Entry& entry, Layer& layer) {
  if (!CanBe(place, entry.state)) return;
  const uint64_t number = entry.state.Number();
  const auto [most, fresh] = layer.squares.try_emplace(number, entry.squares);
  if (most->second > entry.squares) return;
  most->second = entry.squares;
  if (layer.known.try_emplace({number, entry.values}, layer.entries.size()).second)
    layer.entries.push_back(entry);
}

void Splitting::Take(int32_t place, Entry entry, int32_t part, Layer& next) {
  const int32_t most = fullest_.Most(place, part);
  if (most <= 0) return;
  entry.squares += int64_t{most} * most;
  entry.state.load += part;
  entry.state.held += most;
  if (entry.state.closed) --entry.state.more;
  entry.values.insert(
      std::upper_bound(entry.values.begin(), entry.values.end(), most, std::greater<>()), most);
  Put(place + 1, entry, next);
}

// From here on only hosts.
void Splitting::Close(int32_t place, Layer& layer) {
  const size_t open = layer.entries.size();
  for (size_t at = 0; at < open; ++at) {
    Entry entry = layer.entries[at];
    if (entry.state.closed || full_ - place > loads_.pods(load_ - entry.state.load)) continue;
    entry.state.closed = true;
    entry.state.more = full_ - place;
    entry.state.end = place;
    Put(place, entry, layer);
  }
}

void Splitting::Look(int32_t place, const Entry& entry, Layer& next) {
  if (entry.state.closed)
    Put(place + 1, entry, next);
  else
    Take(place, entry, 0, next);
  const int32_t left = load_ - entry.state.load;
  for (int32_t part = 1; part <= left; ++part)
    if (loads_.Within(part, left)) Take(place, entry, part, next);
}

int32_t Splitting::MostWith(int32_t part) const {
  int32_t most = -1;
  for (int32_t place = 0; place < fullest_.siblings(); ++place)
    most = std::max(most, fullest_.Most(place, part));
  return most;
}

// What the one that is not full may have; without a part it is none of the fullest.
int32_t Splitting::MostLeft(const State& state, int32_t part) const {
  if (part > 0) return most_with_[static_cast<size_t>(part)];
  return state.end < fullest_.siblings() ? fullest_.Most(state.end, 0) : -1;
}

// The one that is not full takes the rest.
void Splitting::Finish(const Entry& entry) {
  const int64_t rest = members_ - entry.state.held;
  const int32_t part = load_ - entry.state.load;
  if (rest < std::max(terms_.least(), loads_.pods(part)) || rest > MostLeft(entry.state, part))
    return;
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
    steps_ -= entries * (load_ + 1 + full_ / 4) / kEntriesAStep + 1;
    if (steps_ <= 0 || states > kMostStates) return false;
    for (const Entry& entry : layer.entries) {
      if (next.entries.size() > static_cast<size_t>(kMostStates)) return false;
      if (entry.squares < layer.squares[entry.state.Number()]) continue;
      if (entry.state.closed && entry.state.more == 0)
        Finish(entry);
      else if (place < fullest_.siblings() && (entry.state.closed || place < full_))
        Look(place, entry, next);
    }
    layer = std::move(next);
    next = {};
  }
  return found_.splits.size() <= kMostSplits;
}

// The squares of any split in which the one that is not full has more than that; less than 0: none.
int64_t Splitting::MostBeyond() const {
  const int64_t together = members_ - rest_ - more_ - 1;
  const int32_t room = *std::max_element(most_with_.begin(), most_with_.end());
  if (rest_ + more_ >= room) return -1;
  std::vector<int64_t> most = {0};
  for (int32_t i = 1; i <= full_; ++i)
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
  all.known = all.splits.size() <= kMostSplits;
  return all;
}

}  // namespace

PackedSplits FindPackedSplits(const Fullest& fullest, const Loads& loads, const Terms& terms,
                              int32_t load, int32_t used, int32_t members, int64_t& steps) {
  const bool enough =
      members - fullest.HeldWithin(used - 1, load) >= terms.least(loads.pods(load));
  const bool few = fullest.Held(used - 1, load) < members;
  if (!enough && (!few || terms.parts > 0 || terms.least() > terms.factor)) return {};
  return FindAll(fullest, loads, terms, load, used, members, steps);
}

}  // namespace gangplan::exact
