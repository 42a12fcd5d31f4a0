// Who takes which of some values, and which part of a load with it, at the least cost, where there
// are many values that few can take: as DealTable, but only what can be left before each child is
// set out, which is little where nearly all are full.
//
//   values 9, 8 and 7, children of 9, 8 and 8: the first takes 9, and then 8 and 7 or 7 and 8
//
// Use: Pay; AddChild and Add for each, those that can take the most first; Begin; keys of the
// options that are used; Fill and Trace as often as keys change. Values of one call; `steps` pays
// for each pass. Memory: up to kMostEdges edges, some 40 MB. Thread rule: one call at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/deal_option.h"
#include "algorithms/exact/key.h"
#include "algorithms/exact/loads.h"
#include "algorithms/exact/split.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {

template <int kWords>
class DealGraph {
 public:
  using KeyOf = Key<kWords>;
  using Option = DealOption<KeyOf>;
  static constexpr size_t kMostEdges = size_t{1} << 20;

  // `values`: the largest first; what is not used is one of them, 0.
  DealGraph(const Loads& loads, std::vector<Run> values, int32_t load, int64_t& steps)
      : loads_(loads), load_(load), values_(std::move(values)), steps_(steps) {
    for (const Run& run : values_) {
      const uint64_t many = static_cast<uint64_t>(run.count) + 1;
      stride_.push_back(states_);
      states_ = states_ > kTooMany / many ? kTooMany : states_ * many;
    }
  }
  // For the options of so many children, before these are added. False: they take more than the
  // steps, or there are too many states.
  bool Pay(int64_t children) const {
    const auto options = static_cast<int64_t>(values_.size()) * (load_ + 1);
    steps_ -= children * options / kOptionsAStep + 1;
    return steps_ > 0 && states_ < kTooMany;
  }

  std::span<const Run> values() const { return values_; }
  int32_t value(const Option& option) const { return values_[option.value].value; }

  void AddChild() { begin_.push_back(options_.size()); }
  void Add(size_t value, int32_t part, int32_t child) {
    options_.push_back({value, part, child, false, false, false, {}});
  }
  // After the last child: says which options are part of some deal. False: it takes too much.
  bool Begin();

  // By the keys of the options. False: the steps have ended.
  bool Fill();
  bool can() const { return !layers_.back().empty(); }
  // REQUIRES: can.
  const KeyOf& key() const { return layers_.front().front().key; }
  // The options of one of the best deals. REQUIRES: can.
  std::vector<size_t> Trace() const;

  std::span<Option> options() { return options_; }
  Option& option(size_t at) { return options_[at]; }

 private:
  static constexpr uint64_t kTooMany = uint64_t{1} << 56;
  static constexpr int64_t kEdgesAStep = 4;
  static constexpr int64_t kLooksAStep = 12;
  static constexpr int64_t kOptionsAStep = 16;
  static constexpr int64_t kSumsAStep = 32;

  struct State {
    uint64_t left = 0;  // of the values, in all digits of stride_
    int32_t load = 0;
    bool can = false;    // is followed by a whole deal
    bool known = false;  // the key
    size_t best = 0;     // its option
    size_t next = 0;
    KeyOf key;
  };
  struct Edge {
    size_t from = 0, option = 0, to = 0;
  };
  // What is left before a child, and what of it the child may take so that the others are enough.
  struct Ahead {
    std::vector<uint64_t> many;  // by value
    int64_t together = 0;
    // Of the values before the last that is not 0.
    size_t full = 0;
    int64_t full_together = 0;
    size_t largest = 0;  // the child takes one of the first ones up to this; beyond all: any
    bool enough = true;  // false: they are not, whatever it takes
  };

  size_t children() const { return begin_.size() - 1; }
  uint64_t Left(uint64_t left, size_t value) const {
    return left / stride_[value] % (static_cast<uint64_t>(values_[value].count) + 1);
  }
  void CountAble();
  void CountMost();
  void CountFull();
  bool IsFull(size_t value) const { return value < last_; }
  Ahead LookAhead(size_t child, uint64_t left) const;
  bool LeavesFull(size_t child, const Ahead& ahead, const Option& option, int32_t load) const;
  bool Starts() const;
  bool Follow(size_t child, absl::flat_hash_map<uint64_t, size_t>& known);
  void MarkUsed();
  bool IsFilled(size_t child) const;

  const Loads& loads_;
  const int32_t load_;
  const std::vector<Run> values_;
  std::vector<uint64_t> stride_;
  uint64_t states_ = 1;
  int64_t& steps_;
  std::vector<Option> options_;
  std::vector<size_t> begin_;               // of a child's options; one more
  size_t count_ = 0;                        // of all edges
  std::vector<std::vector<int64_t>> most_;  // [child][load], less than 0: it does not fit
  size_t last_ = 0;                         // of the values, the last that is not 0
  size_t many_full_ = 0;                    // of those before
  // [child][how many, load]: so many from it on take together at most with a part of the load, of
  // the values before the last.
  std::vector<std::vector<int64_t>> full_;
  std::vector<std::vector<uint64_t>> able_;  // [child][value]: from it on so many take that or more
  std::vector<KeyOf> filled_;                // by option: its key at the last Fill
  std::vector<std::vector<State>> layers_;   // [children before]
  std::vector<std::vector<Edge>> edges_;     // [child]
};

template <int kWords>
void DealGraph<kWords>::CountAble() {
  able_.assign(children() + 1, std::vector<uint64_t>(values_.size(), 0));
  for (size_t child = children(); child-- > 0;) {
    able_[child] = able_[child + 1];
    size_t largest = values_.size();
    for (size_t at = begin_[child]; at < begin_[child + 1]; ++at)
      largest = std::min(largest, options_[at].value);
    for (size_t value = largest; value < values_.size(); ++value) ++able_[child][value];
  }
}

// What those from the child on take together at most with just so much of the load.
template <int kWords>
void DealGraph<kWords>::CountMost() {
  most_.assign(children() + 1, std::vector<int64_t>(static_cast<size_t>(load_) + 1, -1));
  most_.back().front() = 0;
  for (size_t child = children(); child-- > 0;) {
    for (int32_t load = 0; load <= load_; ++load) {
      int64_t& most = most_[child][static_cast<size_t>(load)];
      for (size_t at = begin_[child]; at < begin_[child + 1]; ++at) {
        const Option& option = options_[at];
        if (!loads_.Within(option.part, load)) continue;
        const int64_t others = most_[child + 1][static_cast<size_t>(load - option.part)];
        if (others >= 0) most = std::max(most, others + value(option));
      }
    }
  }
}

// Where all but a few are full, what those few leave is not left by these.
template <int kWords>
void DealGraph<kWords>::CountFull() {
  for (size_t value = 0; value + 1 < values_.size() && values_[value + 1].value > 0; ++value)
    many_full_ += static_cast<size_t>(values_[last_++].count);
  const auto loads = static_cast<size_t>(load_) + 1;
  full_.assign(children() + 1, std::vector<int64_t>((many_full_ + 1) * loads, -1));
  std::fill_n(full_.back().begin(), loads, 0);
  std::vector<int64_t> largest(loads);
  for (size_t child = children(); child-- > 0;) {
    std::fill(largest.begin(), largest.end(), -1);
    for (size_t at = begin_[child]; at < begin_[child + 1]; ++at) {
      const Option& option = options_[at];
      int64_t& most = largest[static_cast<size_t>(option.part)];
      if (IsFull(option.value)) most = std::max<int64_t>(most, value(option));
    }
    const std::vector<int64_t>& others = full_[child + 1];
    full_[child] = others;
    CountWork(Work::kWord, std::ssize(others) * (load_ + 2) / 2);
    for (size_t at = loads; at < others.size(); ++at) {
      const auto load = static_cast<int32_t>(at % loads);
      for (int32_t part = 0; part <= load; ++part) {
        const int64_t before = others[at - loads - static_cast<size_t>(part)];
        const int64_t with = largest[static_cast<size_t>(part)];
        if (before >= 0 && with >= 0 && loads_.Within(part, load))
          full_[child][at] = std::max(full_[child][at], before + with);
      }
    }
  }
}

// Those after the child are enough for the largest values that are left, and for all, where no more
// are left than they can take: one more where the child takes it or a larger one.
template <int kWords>
typename DealGraph<kWords>::Ahead DealGraph<kWords>::LookAhead(size_t child, uint64_t left) const {
  Ahead ahead;
  ahead.largest = values_.size();
  uint64_t needed = 0;
  for (size_t value = 0; value < values_.size(); ++value) {
    const uint64_t many = Left(left, value), able = able_[child + 1][value];
    ahead.many.push_back(many);
    const int64_t together = static_cast<int64_t>(many) * values_[value].value;
    ahead.together += together;
    if (IsFull(value)) {
      ahead.full += many;
      ahead.full_together += together;
    }
    needed += many;
    if (needed > able) ahead.largest = std::min(ahead.largest, value);
    if (needed > able + 1) ahead.enough = false;
  }
  return ahead;
}

// Whether all are enough for all.
template <int kWords>
bool DealGraph<kWords>::Starts() const {
  uint64_t needed = 0;
  int64_t together = 0;
  for (size_t value = 0; value < values_.size(); ++value) {
    needed += static_cast<uint64_t>(values_[value].count);
    together += int64_t{values_[value].value} * values_[value].count;
    if (needed > able_.front()[value]) return false;
  }
  return together <= most_.front()[static_cast<size_t>(load_)];
}

// Whether those after the child are enough for the values before the last where it has the option.
template <int kWords>
bool DealGraph<kWords>::LeavesFull(size_t child, const Ahead& ahead, const Option& option,
                                   int32_t load) const {
  const bool full = IsFull(option.value);
  const size_t many = ahead.full - (full ? 1 : 0);
  const int64_t together = ahead.full_together - (full ? value(option) : 0);
  const size_t loads = static_cast<size_t>(load_) + 1;
  return together <= full_[child + 1][many * loads + static_cast<size_t>(load)];
}

// Each edge is a step. False: there are too many.
template <int kWords>
bool DealGraph<kWords>::Follow(size_t child, absl::flat_hash_map<uint64_t, size_t>& known) {
  const std::vector<State>& states = layers_[child];
  std::vector<State>& next = layers_[child + 1];
  const auto loads = static_cast<uint64_t>(load_) + 1;
  for (size_t from = 0; from < states.size(); ++from) {
    const Ahead ahead = LookAhead(child, states[from].left);
    CountWork(Work::kEntry, 4 * std::ssize(values_));
    CountWork(Work::kEntry, 2 * static_cast<int64_t>(begin_[child + 1] - begin_[child]));
    for (size_t at = begin_[child]; at < begin_[child + 1] && ahead.enough; ++at) {
      const Option& option = options_[at];
      if (!loads_.Within(option.part, states[from].load)) continue;
      if (ahead.many[option.value] == 0 || option.value > ahead.largest) continue;
      const uint64_t left = states[from].left - stride_[option.value];
      const int32_t load = states[from].load - option.part;
      const int64_t most = most_[child + 1][static_cast<size_t>(load)];
      if (ahead.together - value(option) > most) continue;
      if (!LeavesFull(child, ahead, option, load)) continue;
      CountWork(Work::kFind, 1);
      if (++count_ > kMostEdges || --steps_ <= 0) return false;
      const auto [to, fresh] =
          known.try_emplace(left * loads + static_cast<uint64_t>(load), next.size());
      if (fresh) next.push_back({left, load, false, false, 0, 0, {}});
      edges_[child].push_back({from, at, to->second});
    }
  }
  return true;
}

// And leaves out what no deal goes through.
template <int kWords>
void DealGraph<kWords>::MarkUsed() {
  for (State& state : layers_.back()) state.can = true;
  for (size_t child = children(); child-- > 0;) {
    const std::vector<State>& next = layers_[child + 1];
    std::erase_if(edges_[child], [&](const Edge& edge) { return !next[edge.to].can; });
    for (const Edge& edge : edges_[child]) {
      layers_[child][edge.from].can = true;
      options_[edge.option].used = true;
    }
  }
}

template <int kWords>
bool DealGraph<kWords>::Begin() {
  begin_.push_back(options_.size());
  if (states_ >= kTooMany) return false;
  const int64_t loads = load_ + 1;
  int64_t sums = static_cast<int64_t>(options_.size()) * loads;
  for (size_t value = 0; value + 1 < values_.size(); ++value)
    sums += int64_t{values_[value].count} * static_cast<int64_t>(children()) * loads * loads / 2;
  steps_ -= sums / kSumsAStep + 1;
  if (steps_ <= 0) return false;
  CountAble();
  CountMost();
  CountFull();
  layers_.assign(children() + 1, {});
  edges_.assign(children(), {});
  if (!Starts()) return true;
  layers_.front().push_back({states_ - 1, load_, false, false, 0, 0, {}});
  for (size_t child = 0; child < children(); ++child) {
    absl::flat_hash_map<uint64_t, size_t> known;
    const size_t looks =
        layers_[child].size() * (begin_[child + 1] - begin_[child] + values_.size());
    steps_ -= static_cast<int64_t>(looks) / kLooksAStep + 1;
    if (steps_ <= 0 || !Follow(child, known)) return false;
  }
  MarkUsed();
  return true;
}

// Whether the child's keys are those of the last time.
template <int kWords>
bool DealGraph<kWords>::IsFilled(size_t child) const {
  for (size_t at = begin_[child]; at < begin_[child + 1]; ++at)
    if (!(options_[at].key == filled_[at])) return false;
  return true;
}

// What is after the last child that costs something else now is as it was.
template <int kWords>
bool DealGraph<kWords>::Fill() {
  size_t child = children();
  if (filled_.empty())
    filled_.resize(options_.size());
  else
    while (child > 0 && IsFilled(child - 1)) --child;
  while (child-- > 0) {
    steps_ -= static_cast<int64_t>(edges_[child].size()) / kEdgesAStep + 1;
    if (steps_ <= 0) {
      filled_.clear();
      return false;
    }
    for (size_t at = begin_[child]; at < begin_[child + 1]; ++at) filled_[at] = options_[at].key;
    CountWork(Work::kEntry, 2 * std::ssize(edges_[child]));
    for (State& state : layers_[child]) state.known = false;
    for (const Edge& edge : edges_[child]) {
      State& state = layers_[child][edge.from];
      const KeyOf key = options_[edge.option].key + layers_[child + 1][edge.to].key;
      if (state.known && !(key < state.key)) continue;
      state.known = true;
      state.key = key;
      state.best = edge.option;
      state.next = edge.to;
    }
  }
  return steps_ > 0;
}

template <int kWords>
std::vector<size_t> DealGraph<kWords>::Trace() const {
  std::vector<size_t> taken;
  size_t at = 0;
  for (size_t child = 0; child < children(); ++child) {
    const State& state = layers_[child][at];
    taken.push_back(state.best);
    at = state.next;
  }
  return taken;
}

}  // namespace gangplan::exact
