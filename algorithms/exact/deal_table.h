// Who takes which of some values, and which part of a load with it, at the least cost: a table over
// the children, with what is left of each value and of the load.
//
//   values 8, 8 and 0, a leader: a child takes 8, or 8 and the leader, or nothing
//
// Use: AddChild and Add for each, then Begin; keys of the options that are used; Fill and Trace as
// often as keys change. Values of one call; `steps` pays for each pass before it is made. Thread
// rule: one call at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/exact/deal_option.h"
#include "algorithms/exact/deal_states.h"
#include "algorithms/exact/key.h"
#include "algorithms/exact/loads.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {

template <int kWords>
class DealTable {
 public:
  using KeyOf = Key<kWords>;
  using Option = DealOption<KeyOf>;

  // What is not used is one of the values, 0.
  DealTable(const Loads& loads, std::vector<Run> values, int32_t load, int64_t& steps)
      : loads_(loads),
        load_(load),
        values_(FewFirst(std::move(values))),
        states_(values_),
        width_(states_.count() * static_cast<size_t>(load + 1)),
        steps_(steps) {}

  std::span<const Run> values() const { return values_; }
  int32_t value(const Option& option) const { return values_[option.value].value; }
  // Whether the table over so many children has more than so many entries.
  bool IsBeyond(size_t children, int64_t most) const {
    return states_.count() >= DealStates::kMany || width_ * children > static_cast<size_t>(most);
  }

  void AddChild() { begin_.push_back(options_.size()); }
  void Add(size_t value, int32_t part, int32_t child) {
    options_.push_back({value, part, child, false, false, false, {}});
  }
  // After the last child: says which options are part of some deal. False: the steps have ended.
  bool Begin();

  // By the keys of the options. False: the steps have ended.
  bool Fill();
  bool can() const { return entries_[width_ - 1].can; }
  // REQUIRES: can.
  const KeyOf& key() const { return entries_[width_ - 1].key; }
  // The options of one of the best deals of the table: as much of the load as can be on the first
  // children. REQUIRES: can.
  std::vector<size_t> Trace() const;

  size_t children() const { return begin_.size() - 1; }
  std::span<Option> options() { return options_; }
  Option& option(size_t at) { return options_[at]; }
  // Of a child, the first one; of the number of children, the end.
  size_t begin(size_t child) const { return begin_[child]; }

 private:
  // Entries that are looked at with an option in one step.
  static constexpr int64_t kOptionsAStep = 8;

  struct Entry {
    bool can = false;
    KeyOf key;

    void Take(const KeyOf& other) {
      if (can && !(other < key)) return;
      can = true;
      key = other;
    }
  };

  // The value that most have is the last: it is not counted.
  static std::vector<Run> FewFirst(std::vector<Run> values) {
    std::sort(values.begin(), values.end(),
              [](const Run& a, const Run& b) { return a.count < b.count; });
    return values;
  }
  bool Pay() {
    steps_ -= static_cast<int64_t>(width_ * options_.size()) / kOptionsAStep + 1;
    return steps_ > 0;
  }
  template <typename Visit>
  void VisitTaken(size_t at, size_t entry, Visit visit) const;
  template <typename Visit>
  void VisitEntries(Visit visit) const;

  const Loads& loads_;
  const int32_t load_;
  const std::vector<Run> values_;
  DealStates states_;
  const size_t width_;
  int64_t& steps_;
  std::vector<Option> options_;
  std::vector<size_t> begin_;   // of a child's options; one more
  std::vector<Entry> entries_;  // [child][state][load], of this child and all after it
};

// Calls visit(option, entry after it) for what the child may take of what is left.
template <int kWords>
template <typename Visit>
void DealTable<kWords>::VisitTaken(size_t at, size_t entry, Visit visit) const {
  const auto count = static_cast<size_t>(load_ + 1);
  const size_t state = entry / count;
  const auto left = static_cast<int32_t>(entry % count);
  for (size_t i = begin_[at]; i < begin_[at + 1]; ++i) {
    const Option& option = options_[i];
    if (!states_.Can(state, option.value) || !loads_.Within(option.part, left)) continue;
    visit(i, states_.After(state, option.value) * count + static_cast<size_t>(left - option.part));
  }
}

// Calls visit(child, entry) for what may be left before the child, from the last child on.
template <int kWords>
template <typename Visit>
void DealTable<kWords>::VisitEntries(Visit visit) const {
  const auto count = static_cast<size_t>(load_ + 1);
  size_t looks = 0;
  for (size_t at = children(); at-- > 0;) {
    for (size_t state = 0; state < states_.count(); ++state) {
      if (!states_.Fits(state, children() - at)) continue;
      looks += count * (2 * (begin_[at + 1] - begin_[at]) + 1);
      for (size_t left = 0; left < count; ++left) visit(at, state * count + left);
    }
  }
  CountWork(Work::kEntry, static_cast<int64_t>(looks));
}

template <int kWords>
bool DealTable<kWords>::Begin() {
  begin_.push_back(options_.size());
  if (!Pay()) return false;
  states_.Build();
  entries_.assign(width_ * (children() + 1), Entry{});
  entries_[children() * width_].can = true;
  VisitEntries([&](size_t at, size_t entry) {
    bool& can = entries_[at * width_ + entry].can;
    VisitTaken(at, entry,
               [&](size_t, size_t to) { can = can || entries_[(at + 1) * width_ + to].can; });
  });
  std::vector<char> before(width_, 0), next;
  before.back() = 1;
  for (size_t at = 0; at < children(); ++at) {
    next.assign(width_, 0);
    for (size_t entry = 0; entry < width_; ++entry) {
      if (before[entry] == 0) continue;
      VisitTaken(at, entry, [&](size_t option, size_t to) {
        if (!entries_[(at + 1) * width_ + to].can) return;
        options_[option].used = true;
        next[to] = 1;
      });
    }
    before.swap(next);
  }
  return true;
}

template <int kWords>
bool DealTable<kWords>::Fill() {
  if (!Pay()) return false;
  for (size_t i = 0; i < children() * width_; ++i) entries_[i].can = false;
  VisitEntries([&](size_t at, size_t entry) {
    VisitTaken(at, entry, [&](size_t option, size_t to) {
      const Entry& after = entries_[(at + 1) * width_ + to];
      if (after.can && options_[option].used)
        entries_[at * width_ + entry].Take(options_[option].key + after.key);
    });
  });
  return true;
}

template <int kWords>
std::vector<size_t> DealTable<kWords>::Trace() const {
  std::vector<size_t> taken;
  size_t entry = width_ - 1;
  for (size_t at = 0; at < children(); ++at) {
    size_t next = 0;
    bool found = false;
    VisitTaken(at, entry, [&](size_t option, size_t to) {
      const Entry& after = entries_[(at + 1) * width_ + to];
      if (!after.can || !options_[option].used ||
          !(options_[option].key + after.key == entries_[at * width_ + entry].key))
        return;
      if (found && options_[option].part <= options_[taken.back()].part) return;
      if (found) taken.pop_back();
      found = true;
      next = to;
      taken.push_back(option);
    });
    entry = next;
  }
  return taken;
}

}  // namespace gangplan::exact
