#include "algorithms/exact/packed_hosts.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

constexpr int64_t kHostEntriesAStep = 2;  // looked at in one step
constexpr size_t kMostHostStates = size_t{1} << 19;

// What the first leaves have.
struct State {
  bool closed = false;  // of the others only hosts are used
  int32_t load = 0;
  int32_t more = 0;  // closed: so many hosts are still to come
  // The room of the one that is not full, and its part; 0: none is chosen yet.
  int32_t room = 0;
  int32_t part = 0;
  int64_t held = 0;  // as if it were

  uint64_t Number() const {
    return (closed ? 1U : 0U) | static_cast<uint64_t>(load) << 1 |
           static_cast<uint64_t>(more) << 6 | static_cast<uint64_t>(part) << 11 |
           static_cast<uint64_t>(room) << 16 | static_cast<uint64_t>(held) << 32;
  }
};

class Packing {
 public:
  Packing(const Fullest& fullest, const Loads& loads, const Terms& terms, int32_t load,
          int32_t used, int32_t members, int64_t bound, int64_t& steps)
      : fullest_(fullest),
        loads_(loads),
        terms_(terms),
        load_(load),
        used_(used),
        members_(members),
        bound_(bound),
        few_(fullest.HeldWithin(used - 1, load) > members - LeastWith(load)),
        steps_(steps),
        largest_(static_cast<size_t>(fullest.siblings()) + 2, 0),
        layers_(largest_.size()) {
    for (int32_t place = fullest.siblings(); place-- > 0;) {
      int32_t& largest = largest_[static_cast<size_t>(place)];
      largest = largest_[static_cast<size_t>(place) + 1];
      for (int32_t part = 1; part <= load; ++part)
        if (loads.Within(part, load)) largest = std::max(largest, fullest.Most(place, part));
    }
  }

  std::optional<PackedHosts> Find();

 private:
  struct Entry {
    State state;
    int64_t squares = 0;
    size_t from = 0;   // of the layer before
    int32_t part = 0;  // of the last leaf
  };
  struct Layer {
    std::vector<Entry> entries;
    absl::flat_hash_map<uint64_t, size_t> known;
  };

  // Whether those without a part may, too: where as few as can be are used, and each has one member
  // at least, all others are not enough without any of these.
  bool AnyFew() const { return few_ && (terms_.least() > 1 || terms_.parts > 0); }
  int32_t pods() const { return loads_.pods(load_); }
  bool CanBe(int32_t place, const State& state) const;
  bool CanBeBetter(int32_t place, const Entry& entry) const;
  void Put(int32_t place, const Entry& entry);
  int32_t LeastWith(int32_t part) const { return terms_.least(loads_.pods(part)); }
  void Take(int32_t place, size_t from, int32_t part, bool maybe_least);
  void PutWith(int32_t place, Entry entry, int64_t members);
  void Close(int32_t place);
  void Next(int32_t place);
  void Look(int32_t place, size_t at);
  std::vector<Fullest::Host> Hosts() const;

  const Fullest& fullest_;
  const Loads& loads_;
  const Terms& terms_;
  const int32_t load_;
  const int32_t used_;
  const int32_t members_;
  const int64_t bound_;
  const bool few_;  // some may have no more than they must
  int64_t& steps_;
  std::vector<int32_t> largest_;  // [leaves before]: what one of the others has with a part
  std::vector<Layer> layers_;     // [leaves before]
  int64_t best_ = -1;
  int32_t best_place_ = 0;
  size_t best_at_ = 0;
};

// Whether what comes may still hold all members.
bool Packing::CanBe(int32_t place, const State& state) const {
  const int32_t left = load_ - state.load;
  if (state.closed) {
    const int64_t more = fullest_.HeldBeyond(place, state.more, left);
    return more >= 0 && state.held + more >= members_;
  }
  const int64_t with = fullest_.Held(used_, left);
  return with >= 0 && state.held - fullest_.HeldAlone(place) + with >= members_;
}

// Whether hosts that come may bring more squares than were found: as if all of them were as large
// as the largest one is.
bool Packing::CanBeBetter(int32_t place, const Entry& entry) const {
  const State& state = entry.state;
  if (best_ < 0 || !state.closed) return true;
  const int64_t largest = largest_[static_cast<size_t>(place)], room = state.room;
  const int64_t spare = room > 0 ? room - LeastWith(state.part) : 0;
  const int64_t most = entry.squares + largest * (members_ - state.held);
  return most + std::max<int64_t>(spare * (largest - 2 * room + spare), 0) > best_;
}

void Packing::Put(int32_t place, const Entry& entry) {
  if (!CanBe(place, entry.state) || !CanBeBetter(place, entry)) return;
  CountWork(Work::kFind, 1);
  Layer& layer = layers_[static_cast<size_t>(place)];
  const auto [at, fresh] = layer.known.try_emplace(entry.state.Number(), layer.entries.size());
  if (fresh)
    layer.entries.push_back(entry);
  else if (layer.entries[at->second].squares < entry.squares)
    layer.entries[at->second] = entry;
}

void Packing::PutWith(int32_t place, Entry entry, int64_t members) {
  entry.squares += members * members;
  entry.state.held += members;
  Put(place + 1, entry);
}

// The leaf is used with a part: full, with what it must have, or as the one between.
void Packing::Take(int32_t place, size_t from, int32_t part, bool maybe_least) {
  const Entry& before = layers_[static_cast<size_t>(place)].entries[from];
  const int32_t most = fullest_.Most(place, part);
  if (most <= 0) return;
  Entry entry{before.state, before.squares, from, part};
  entry.state.load += part;
  if (entry.state.closed) --entry.state.more;
  PutWith(place, entry, most);
  const int32_t least = LeastWith(part);
  if (least >= most) return;
  if (few_ && (part > 0 || AnyFew())) PutWith(place, entry, least);
  if (!maybe_least || before.state.room > 0) return;
  entry.state.room = most;
  entry.state.part = part;
  PutWith(place, entry, most);
}

void Packing::Look(int32_t place, size_t at) {
  CountWork(Work::kEntry, 4 * (load_ + 1));
  const State state = layers_[static_cast<size_t>(place)].entries[at].state;
  const int32_t left = load_ - state.load;
  if (state.closed) {
    Entry skipped = layers_[static_cast<size_t>(place)].entries[at];
    skipped.from = at;
    skipped.part = 0;
    Put(place + 1, skipped);
  } else {
    // Of those that host nothing and are full the last one has the least.
    Take(place, at, 0, place >= used_ - 1 - pods() || AnyFew());
  }
  for (int32_t part = 1; part <= left; ++part)
    if (loads_.Within(part, left)) Take(place, at, part, true);
}

// From here on only hosts.
void Packing::Close(int32_t place) {
  const size_t open = layers_[static_cast<size_t>(place)].entries.size();
  for (size_t at = 0; at < open; ++at) {
    Entry entry = layers_[static_cast<size_t>(place)].entries[at];
    if (entry.state.closed || used_ - place > loads_.pods(load_ - entry.state.load)) continue;
    entry.state.closed = true;
    entry.state.more = used_ - place;
    Put(place, entry);
  }
}

void Packing::Next(int32_t place) {
  Close(place);
  const std::vector<Entry>& entries = layers_[static_cast<size_t>(place)].entries;
  const std::vector<Entry>& next = layers_[static_cast<size_t>(place) + 1].entries;
  for (size_t at = 0; at < entries.size() && next.size() <= kMostHostStates; ++at) {
    const State& state = entries[at].state;
    if (state.closed && state.more == 0) {
      const int64_t over = state.held - members_;
      const int32_t spare = state.room > 0 ? state.room - LeastWith(state.part) : 0;
      if (state.load != load_ || over > spare) continue;
      const int64_t squares = entries[at].squares - 2 * over * state.room + over * over;
      if (squares <= best_) continue;
      best_ = squares;
      best_place_ = place;
      best_at_ = at;
    } else if (place < fullest_.siblings() && (state.closed || place < used_)) {
      Look(place, at);
    }
  }
}

std::vector<Fullest::Host> Packing::Hosts() const {
  std::vector<Fullest::Host> hosts;
  size_t at = best_at_;
  for (int32_t place = best_place_; place > 0; --place) {
    const Entry& entry = layers_[static_cast<size_t>(place)].entries[at];
    if (entry.part > 0) hosts.push_back({fullest_.sibling(place - 1), entry.part});
    at = entry.from;
  }
  return hosts;
}

std::optional<PackedHosts> Packing::Find() {
  Put(0, Entry{});
  size_t states = 0;
  for (int32_t place = 0; place <= fullest_.siblings() && best_ < bound_; ++place) {
    const size_t entries = layers_[static_cast<size_t>(place)].entries.size();
    steps_ -= static_cast<int64_t>(entries) * (load_ + 1) / kHostEntriesAStep + 1;
    states += entries;
    if (steps_ <= 0 || states > kMostHostStates) return std::nullopt;
    Next(place);
    layers_[static_cast<size_t>(place)].known = {};
  }
  if (best_ < 0) return std::nullopt;
  return PackedHosts{best_, Hosts()};
}

// With `part` on all that are full, and the rest of the load on one more that has room for `last`,
// the one with the least; nothing: there is none.
std::optional<PackedHosts> WithLast(const Fullest& fullest, const Fullest::Used& full, int32_t rest,
                                    int32_t last) {
  std::vector<int32_t> parts(static_cast<size_t>(fullest.siblings()), -1);
  for (const int32_t sibling : full.others) parts[static_cast<size_t>(sibling)] = 0;
  for (const Fullest::Host& host : full.hosts) parts[static_cast<size_t>(host.sibling)] = host.part;
  PackedHosts found{int64_t{last} * last, full.hosts};
  int32_t best = -1, least = INT32_MAX;
  for (int32_t place = 0; place < fullest.siblings(); ++place) {
    const int32_t part = parts[static_cast<size_t>(fullest.sibling(place))];
    const int32_t most = fullest.Most(place, part < 0 ? rest : part);
    if (part >= 0) {
      found.squares += int64_t{most} * most;
    } else if (most >= last && most < least) {
      best = fullest.sibling(place);
      least = most;
    }
  }
  if (best < 0) return std::nullopt;
  if (rest > 0) found.hosts.push_back({best, rest});
  return found;
}

}  // namespace

std::optional<PackedHosts> PackHosts(const Fullest& fullest, const Loads& loads, const Terms& terms,
                                     int32_t load, int32_t used, int32_t members, int64_t bound,
                                     int64_t& steps) {
  return Packing(fullest, loads, terms, load, used, members, bound, steps).Find();
}

std::optional<PackedHosts> TraceHosts(const Fullest& fullest, const Loads& loads, int32_t load,
                                      std::span<const Run> split) {
  const int32_t last = split.back().value;
  int32_t used = 0;
  int64_t members = 0;
  for (const Run& run : split) {
    used += run.count;
    members += int64_t{run.value} * run.count;
  }
  for (int32_t part = load; part >= 0; --part) {
    if (!loads.Within(part, load) || last < loads.pods(load - part)) continue;
    if (fullest.Held(used - 1, part) != members - last) continue;
    const Fullest::Used full = fullest.Trace(used - 1, part);
    const std::optional<PackedHosts> found = WithLast(fullest, full, load - part, last);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace gangplan::exact
