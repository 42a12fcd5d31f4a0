// Domains with children that are not alike.
#include <algorithm>

#include "algorithms/exact/chooser.h"
#include "algorithms/exact/odd_table.h"
#include "algorithms/exact/work.h"
#include "topology/base/check.h"

namespace gangplan::exact {

// What children odd.. cost in all, for every state of the table that a best split can come by.
template <int kWords>
struct Chooser<kWords>::Layers {
  std::vector<std::vector<char>> seen;
  std::vector<std::vector<KeyOf>> keys;
};

namespace {

// Entries of the table that take as long as one step, and bytes of all tables that are filled at a
// time: one for each level.
constexpr int64_t kEntriesPerStep = 32;
constexpr int64_t kMostOddBytes = int64_t{128} << 20;

// Counts of a child that are held against each other in one step.
constexpr size_t kCountsPerStep = 4;

class Holding {
 public:
  Holding(int64_t& all, int64_t own) : all_(all), own_(own) { all_ += own_; }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;
  ~Holding() { all_ -= own_; }

 private:
  int64_t& all_;
  const int64_t own_;
};

int64_t StepsOf(std::span<const int32_t> counts) {
  return static_cast<int64_t>(counts.size() / kCountsPerStep) + 1;
}

// Marks every state that a best split can come by, children in order, as far as the steps go.
void MarkBest(const OddTable& table, std::vector<std::vector<char>>& seen, int64_t& steps) {
  seen.assign(table.odd() + 1, std::vector<char>(table.states(), 0));
  seen[0][table.State(0, table.members())] = 1;
  for (size_t odd = 0; odd < table.odd(); ++odd) {
    CountWork(Work::kEntry, static_cast<int64_t>(table.states()));
    for (int32_t used = 0; used <= table.used_limit(); ++used) {
      for (int32_t rest = 0; rest <= table.members() && steps > 0; ++rest) {
        if (seen[odd][table.State(used, rest)] == 0) continue;
        steps -= StepsOf(table.counts(odd));
        CountWork(Work::kEntry, 2 * std::ssize(table.counts(odd)));
        for (int32_t count : table.counts(odd)) {
          if (table.CanBeBest(odd, used, rest, count))
            seen[odd + 1][table.State(table.Used(used, count), rest - count)] = 1;
        }
      }
    }
  }
}

}  // namespace

template <int kWords>
void Chooser<kWords>::FillLayer(const OddTable& table, int level, int32_t child, size_t odd,
                                Layers& layers) {
  std::vector<KeyOf> asked(static_cast<size_t>(table.members()) + 1);
  std::vector<char> known(asked.size(), 0);
  CountWork(Work::kEntry, static_cast<int64_t>(table.states()));
  for (int32_t used = 0; used <= table.used_limit(); ++used) {
    for (int32_t rest = 0; rest <= table.members() && !ended(); ++rest) {
      const size_t state = table.State(used, rest);
      if (layers.seen[odd][state] == 0) continue;
      steps_ -= StepsOf(table.counts(odd));
      CountWork(Work::kEntry, 2 * std::ssize(table.counts(odd)));
      bool first = true;
      for (int32_t count : table.counts(odd)) {
        if (!table.CanBeBest(odd, used, rest, count)) continue;
        if (known[count] == 0) asked[count] = Ask(level + 1, child, count);
        known[count] = 1;
        const size_t next = table.State(table.Used(used, count), rest - count);
        const KeyOf key = asked[count] + layers.keys[odd + 1][next];
        if (first || key < layers.keys[odd][state]) layers.keys[odd][state] = key;
        first = false;
      }
    }
  }
}

template <int kWords>
Key<kWords> Chooser<kWords>::BestOdd(int level, int32_t index, const Children& children,
                                     int32_t members, std::vector<Pick>* picks) {
  steps_ -= OddTable::Work(field_, level, children, members) / kEntriesPerStep;
  constexpr int64_t kBytes = sizeof(int64_t) + sizeof(KeyOf) + 1;
  const int64_t entries = OddTable::Entries(field_, level, children, members);
  if (entries > (kMostOddBytes - odd_bytes_) / kBytes) steps_ = std::min<int64_t>(steps_, 0);
  if (ended()) {
    if (picks != nullptr) AnyOdd(level, index, children, members, *picks);
    return KeyOf{};
  }
  const Holding holding(odd_bytes_, entries * kBytes);
  const OddTable table(field_, level, children, members);
  GANGPLAN_CHECK(table.Possible(0, 0, members));
  Layers layers;
  MarkBest(table, layers.seen, steps_);
  const size_t count = table.odd();
  layers.keys.assign(count + 1, std::vector<KeyOf>(table.states()));
  for (int32_t used = 0; used <= table.used_limit(); ++used) {
    for (int32_t rest = 0; rest <= members && !ended(); ++rest) {
      const size_t state = table.State(used, rest);
      if (layers.seen[count][state] == 0) continue;
      KeyOf& key = layers.keys[count][state];
      BestAlike(level, index, children.alike, table.PartsLeft(used), rest, key, nullptr);
    }
  }
  for (size_t odd = count; odd-- > 0;) FillLayer(table, level, children.odd[odd], odd, layers);
  const KeyOf best = layers.keys[0][table.State(0, members)];
  if (picks == nullptr) return ended() ? KeyOf{} : best;
  if (ended()) {
    AnyOdd(level, index, children, members, *picks);
    return KeyOf{};
  }
  PickOdd(table, level, index, children, layers, *picks);
  return best;
}

// Each odd child in turn takes the largest count of a best placement.
template <int kWords>
void Chooser<kWords>::PickOdd(const OddTable& table, int level, int32_t index,
                              const Children& children, const Layers& layers,
                              std::vector<Pick>& picks) {
  int32_t used = 0, rest = table.members();
  for (size_t odd = 0; odd < table.odd(); ++odd) {
    const std::span<const int32_t> counts = table.counts(odd);
    const KeyOf& goal = layers.keys[odd][table.State(used, rest)];
    int32_t taken = -1;
    for (size_t i = counts.size(); i-- > 0 && taken < 0;) {
      if (!table.CanBeBest(odd, used, rest, counts[i])) continue;
      const size_t next = table.State(table.Used(used, counts[i]), rest - counts[i]);
      const KeyOf key = Ask(level + 1, children.odd[odd], counts[i]) + layers.keys[odd + 1][next];
      if (ended() || key == goal) taken = counts[i];
    }
    GANGPLAN_CHECK(taken >= 0);
    if (taken > 0) picks.push_back({children.odd[odd], taken});
    used = table.Used(used, taken);
    rest -= taken;
  }
  KeyOf key;
  BestAlike(level, index, children.alike, table.PartsLeft(used), rest, key, &picks);
}

// A valid split without a table: each odd child in turn takes as many as leave the others something
// that they can take.
template <int kWords>
void Chooser<kWords>::AnyOdd(int level, int32_t index, const Children& children, int32_t members,
                             std::vector<Pick>& picks) {
  const int32_t parts = field_.terms(level + 1).parts;
  const Field::Sums after = field_.SumsAfter(level, children);
  int32_t used = 0, rest = members;
  for (size_t odd = 0; odd < children.odd.size(); ++odd) {
    const Reach reach = field_.reach(level + 1, children.odd[odd]);
    int32_t taken = std::min(reach.hi, rest);
    const auto fits = [&](int32_t count) {
      if (!field_.Has(reach, count)) return false;
      const int32_t now = parts > 0 && count > 0 ? used + 1 : used;
      return now <= parts && after.Has(odd + 1, now, rest - count);
    };
    while (taken > 0 && !fits(taken)) --taken;
    GANGPLAN_CHECK(fits(taken));
    if (taken > 0) picks.push_back({children.odd[odd], taken});
    if (taken > 0 && parts > 0) ++used;
    rest -= taken;
  }
  KeyOf key;
  BestAlike(level, index, children.alike, parts > 0 ? parts - used : kAnyParts, rest, key, &picks);
}

// The members defined here, for every width; the others are in chooser.cc.
#define GANGPLAN_CHOOSER_ODD(kWords)                                                        \
  template Key<kWords> Chooser<kWords>::BestOdd(int, int32_t, const Children&, int32_t,     \
                                                std::vector<Pick>*);                        \
  template void Chooser<kWords>::FillLayer(const OddTable&, int, int32_t, size_t, Layers&); \
  template void Chooser<kWords>::PickOdd(const OddTable&, int, int32_t, const Children&,    \
                                         const Layers&, std::vector<Pick>&);                \
  template void Chooser<kWords>::AnyOdd(int, int32_t, const Children&, int32_t, std::vector<Pick>&);
GANGPLAN_CHOOSER_ODD(1)
GANGPLAN_CHOOSER_ODD(2)
GANGPLAN_CHOOSER_ODD(kMaxLevels + 1)

}  // namespace gangplan::exact
