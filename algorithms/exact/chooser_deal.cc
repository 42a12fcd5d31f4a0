// Who takes which where some host a load, all hosts at once: the load is one more number of a table
// over the children, beside what is left of each value.
//
//   racks of 8, 8, 8 and 3, or 7, 7, 7 and 3 beside a leader; a leader and 14 workers, pack: the
//   split is 7 and 8; in the table a rack takes 8, or 7 and the leader, or nothing
#include <algorithm>
#include <numeric>
#include <utility>

#include "algorithms/exact/chooser_loads.h"
#include "algorithms/exact/deal_states.h"

namespace gangplan::exact {
namespace {

// Entries of a table; beyond these hosts are looked at one by one.
constexpr int64_t kMostEntries = int64_t{1} << 14;
constexpr int64_t kEntriesALook = 64;  // what a look at one choice of hosts is worth
constexpr int64_t kEntriesAStep = 4;

}  // namespace

template <int kWords>
class Chooser<kWords>::LoadedDeal {
 public:
  // What is not used is one of the values, 0.
  LoadedDeal(Chooser& chooser, int level, std::vector<Run> values, int32_t load)
      : chooser_(chooser),
        level_(level),
        load_(load),
        values_(FewFirst(std::move(values))),
        states_(values_),
        width_(states_.count() * static_cast<size_t>(load + 1)) {}

  // Where there are so many choices of hosts.
  bool IsTooLarge(size_t children, int64_t choices) const {
    const int64_t most = std::min(kMostEntries, kEntriesALook * std::min(choices, kMostEntries));
    return states_.count() >= DealStates::kMany || width_ * children > static_cast<size_t>(most);
  }
  // What is below costs at best; nothing: there is no such deal, or the steps have ended.
  std::optional<KeyOf> Solve(std::span<const int32_t> children);
  // Adds the children, with their part, that host some of the load in a best deal.
  void AddHosts(std::vector<int32_t>& hosts) const;

 private:
  struct Option {
    size_t value = 0;
    int32_t part = 0;
    int32_t child = 0;  // with the part
    bool used = false;  // in some deal
    KeyOf key;
  };
  // What a table says of what is left to be dealt out.
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
  const Loads& loads() const { return *chooser_.field_.question().loads; }
  void AddOptions(int32_t child);
  template <typename Visit>
  void VisitTaken(size_t at, size_t entry, Visit visit) const;
  template <typename Visit>
  void VisitEntries(Visit visit) const;
  bool AskOptions();

  Chooser& chooser_;
  const int level_;
  const int32_t load_;
  const std::vector<Run> values_;
  DealStates states_;
  const size_t width_;
  std::vector<Option> options_;
  std::vector<size_t> begin_;   // of a child's options; one more
  std::vector<Entry> entries_;  // [child][state][load], of this child and all after it
};

// What the child can take.
template <int kWords>
void Chooser<kWords>::LoadedDeal::AddOptions(int32_t child) {
  const Field& field = chooser_.field_;
  for (int32_t part = 0; part <= load_; ++part) {
    if (!loads().Within(part, load_)) continue;
    const int32_t loaded = field.Loaded(level_, child, part);
    const Reach reach = field.reach(level_, loaded);
    for (size_t v = 0; v < values_.size(); ++v) {
      const int32_t value = values_[v].value;
      if (field.Has(reach, value) && (value > 0 || part == 0))
        options_.push_back({v, part, loaded, false, {}});
    }
  }
}

// Calls visit(option, entry after it) for what the child may take of what is left.
template <int kWords>
template <typename Visit>
void Chooser<kWords>::LoadedDeal::VisitTaken(size_t at, size_t entry, Visit visit) const {
  const auto count = static_cast<size_t>(load_ + 1);
  const size_t state = entry / count;
  const auto left = static_cast<int32_t>(entry % count);
  for (size_t i = begin_[at]; i < begin_[at + 1]; ++i) {
    const Option& option = options_[i];
    if (!states_.Can(state, option.value) || !loads().Within(option.part, left)) continue;
    visit(i, states_.After(state, option.value) * count + static_cast<size_t>(left - option.part));
  }
}

// Calls visit(child, entry) for what may be left before the child, from the last child on.
template <int kWords>
template <typename Visit>
void Chooser<kWords>::LoadedDeal::VisitEntries(Visit visit) const {
  const size_t children = begin_.size() - 1, count = static_cast<size_t>(load_ + 1);
  for (size_t at = children; at-- > 0;) {
    for (size_t state = 0; state < states_.count(); ++state) {
      if (!states_.Fits(state, children - at)) continue;
      for (size_t left = 0; left < count; ++left) visit(at, state * count + left);
    }
  }
}

// Asks the children only what is part of some deal.
template <int kWords>
bool Chooser<kWords>::LoadedDeal::AskOptions() {
  const size_t children = begin_.size() - 1;
  VisitEntries([&](size_t at, size_t entry) {
    bool& can = entries_[at * width_ + entry].can;
    VisitTaken(at, entry,
               [&](size_t, size_t to) { can = can || entries_[(at + 1) * width_ + to].can; });
  });
  std::vector<char> before(width_, 0), next;
  before.back() = 1;
  for (size_t at = 0; at < children; ++at) {
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
  for (Option& option : options_) {
    if (!option.used) continue;
    if (chooser_.ended()) return false;
    option.key = chooser_.Ask(level_, option.child, values_[option.value].value);
  }
  return !chooser_.ended();
}

template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::LoadedDeal::Solve(std::span<const int32_t> children) {
  chooser_.steps_ -= static_cast<int64_t>(width_ * children.size()) / kEntriesAStep + 1;
  if (chooser_.ended()) return std::nullopt;
  states_.Build();
  for (const int32_t child : children) {
    begin_.push_back(options_.size());
    AddOptions(child);
  }
  begin_.push_back(options_.size());
  entries_.assign(width_ * (children.size() + 1), Entry{});
  entries_[children.size() * width_].can = true;
  if (chooser_.ended() || !AskOptions()) return std::nullopt;
  for (size_t i = 0; i < children.size() * width_; ++i) entries_[i].can = false;
  VisitEntries([&](size_t at, size_t entry) {
    VisitTaken(at, entry, [&](size_t option, size_t to) {
      const Entry& after = entries_[(at + 1) * width_ + to];
      if (after.can && options_[option].used)
        entries_[at * width_ + entry].Take(options_[option].key + after.key);
    });
  });
  const Entry& all = entries_[width_ - 1];
  return all.can ? std::optional(all.key) : std::nullopt;
}

// From the first child on: what led to an entry, and what follows it at best.
template <int kWords>
void Chooser<kWords>::LoadedDeal::AddHosts(std::vector<int32_t>& hosts) const {
  const KeyOf best = entries_[width_ - 1].key;
  std::vector<Entry> before(width_), next;
  before.back().can = true;
  for (size_t at = 0; at + 1 < begin_.size(); ++at) {
    next.assign(width_, Entry{});
    const std::span<const Entry> after = std::span(entries_).subspan((at + 1) * width_, width_);
    for (size_t entry = 0; entry < width_; ++entry) {
      if (!before[entry].can) continue;
      VisitTaken(at, entry, [&](size_t i, size_t to) {
        const Option& option = options_[i];
        const KeyOf key = before[entry].key + option.key;
        if (!option.used || !after[to].can || best < key + after[to].key) return;
        if (option.part > 0) hosts.push_back(option.child);
        next[to].Take(key);
      });
    }
    before.swap(next);
  }
}

// The key where some child of each best split hosts a part, whoever that is; with `hosts` these get
// the children that are one in some best deal. Nothing where that is not known.
template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::DealAll(int level, int32_t index, int32_t load,
                                                    const Splits& found,
                                                    std::vector<int32_t>* hosts) {
  const Tree::Range range = field_.Range(level, index);
  const auto count = static_cast<size_t>(range.end - range.begin);
  if (static_cast<int64_t>(count) > kMostEntries) return std::nullopt;
  std::vector<int32_t> children(count);
  std::iota(children.begin(), children.end(), range.begin);
  // Where children are irregular, those that are not the best by the level are set out, too.
  int64_t choices = found.count;
  if (!IsPlain(level, index)) {
    choices = static_cast<int64_t>(HostKinds(level, index, load)->size());
    if (field_.question().loads->pods(load) > 1) choices *= choices;
  }
  std::optional<KeyOf> best;
  for (std::vector<Run> split : found.splits) {
    auto rest = static_cast<int32_t>(children.size());
    for (const Run& run : split) rest -= run.count;
    if (rest > 0) split.push_back({0, rest});
    LoadedDeal deal(*this, level + 1, std::move(split), load);
    if (deal.IsTooLarge(children.size(), choices)) return std::nullopt;
    const std::optional<KeyOf> key = deal.Solve(children);
    if (ended()) return std::nullopt;
    if (!key || (best && *best < *key)) continue;
    if (hosts != nullptr && best && *key < *best) hosts->clear();
    best = key;
    if (hosts != nullptr) deal.AddHosts(*hosts);
  }
  return best;
}

#define GANGPLAN_CHOOSER_DEAL(kWords)                           \
  template std::optional<Key<kWords>> Chooser<kWords>::DealAll( \
      int, int32_t, int32_t, const Splits&, std::vector<int32_t>*);
GANGPLAN_CHOOSER_DEAL(1)
GANGPLAN_CHOOSER_DEAL(2)
GANGPLAN_CHOOSER_DEAL(kMaxLevels + 1)

}  // namespace gangplan::exact
