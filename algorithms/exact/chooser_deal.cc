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
// Tables that are filled before all that may be part of a deal is asked.
constexpr int kMostLooks = 6;

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
  // What is below costs at best; nothing: there is no such deal, or the steps have ended. What
  // costs more than `cap` is not looked into: a lower bound beyond it.
  std::optional<KeyOf> Solve(std::span<const int32_t> children, const KeyOf* cap);
  // The children, with their part, that host the load in the best deal that was found.
  const std::vector<int32_t>& hosts() const { return hosts_; }

 private:
  struct Option {
    size_t value = 0;
    int32_t part = 0;
    int32_t child = 0;   // with the part
    bool used = false;   // in some deal
    bool asked = false;  // else it costs no less than the key
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
  void MarkUsed();
  void Estimate();
  void Estimate(Option& option);
  bool Ask(Option& option);
  void Fill();
  std::vector<size_t> Trace() const;

  Chooser& chooser_;
  const int level_;
  const int32_t load_;
  const std::vector<Run> values_;
  DealStates states_;
  const size_t width_;
  std::vector<Option> options_;
  std::vector<size_t> begin_;   // of a child's options; one more
  std::vector<Entry> entries_;  // [child][state][load], of this child and all after it
  std::vector<int32_t> hosts_;
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
        options_.push_back({v, part, loaded, false, false, {}});
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

// Only what is part of some deal counts.
template <int kWords>
void Chooser<kWords>::LoadedDeal::MarkUsed() {
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
}

// False: the steps have ended.
template <int kWords>
bool Chooser<kWords>::LoadedDeal::Ask(Option& option) {
  if (!option.asked && !chooser_.ended())
    option.key = chooser_.Ask(level_, option.child, values_[option.value].value);
  option.asked = true;
  return !chooser_.ended();
}

// What an option costs at least; without a load that is known as fast as what it costs.
template <int kWords>
void Chooser<kWords>::LoadedDeal::Estimate(Option& option) {
  const Field& field = chooser_.field_;
  const int32_t value = values_[option.value].value;
  std::optional<KeyOf> least;
  if (option.part > 0 && level_ < field.question().last_level)
    least = chooser_.LeastLoaded(level_, field.Unloaded(level_, option.child), option.part, value);
  if (!least) {
    Ask(option);
    return;
  }
  option.key = *least;
  chooser_.layout_.Add(level_, value, 1, option.key);
}

// Children that are the same inside cost the same.
template <int kWords>
void Chooser<kWords>::LoadedDeal::Estimate() {
  for (size_t at = 0; at + 1 < begin_.size(); ++at) {
    const auto same = [&](size_t child) {
      const Option& first = options_[begin_[child]];
      return first.part == 0 ? chooser_.field_.Same(level_, first.child) : -1;
    };
    const size_t count = begin_[at + 1] - begin_[at];
    const bool again = at > 0 && count > 0 && count == begin_[at] - begin_[at - 1] &&
                       same(at) >= 0 && same(at) == same(at - 1);
    for (size_t i = begin_[at]; i < begin_[at + 1] && !chooser_.ended(); ++i) {
      Option& option = options_[i];
      const Option* const before = again ? &options_[i - count] : nullptr;
      if (!option.used) continue;
      if (before != nullptr && before->used) {
        option.key = before->key;
        option.asked = before->asked;
      } else {
        Estimate(option);
      }
    }
  }
}

// The table by the keys of the options.
template <int kWords>
void Chooser<kWords>::LoadedDeal::Fill() {
  const size_t last = (begin_.size() - 1) * width_;
  chooser_.steps_ -= static_cast<int64_t>(last) / kEntriesAStep + 1;
  for (size_t i = 0; i < last; ++i) entries_[i].can = false;
  VisitEntries([&](size_t at, size_t entry) {
    VisitTaken(at, entry, [&](size_t option, size_t to) {
      const Entry& after = entries_[(at + 1) * width_ + to];
      if (after.can && options_[option].used)
        entries_[at * width_ + entry].Take(options_[option].key + after.key);
    });
  });
}

// The options of one of the best deals of the table: as much of the load as can be on the first
// children.
template <int kWords>
std::vector<size_t> Chooser<kWords>::LoadedDeal::Trace() const {
  std::vector<size_t> taken;
  size_t entry = width_ - 1;
  for (size_t at = 0; at + 1 < begin_.size(); ++at) {
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

// By what the options cost at least: the best deal of that is the best of all once what it takes
// was asked.
template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::LoadedDeal::Solve(std::span<const int32_t> children,
                                                              const KeyOf* cap) {
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
  MarkUsed();
  Estimate();
  for (int looks = 0; !chooser_.ended(); ++looks) {
    Fill();
    const Entry& all = entries_[width_ - 1];
    if (!all.can || chooser_.ended()) break;
    if (cap != nullptr && *cap < all.key) return all.key;
    const std::vector<size_t> taken = Trace();
    const bool known = std::all_of(taken.begin(), taken.end(),
                                   [&](size_t option) { return options_[option].asked; });
    if (known) {
      for (const size_t option : taken)
        if (options_[option].part > 0) hosts_.push_back(options_[option].child);
      return all.key;
    }
    for (const size_t option : taken)
      if (!Ask(options_[option])) return std::nullopt;
    for (Option& option : options_)
      if (looks >= kMostLooks && option.used && !Ask(option)) return std::nullopt;
  }
  return std::nullopt;
}

// The key where some child of each best split hosts a part, whoever that is; with `hosts` these get
// the hosts of a best deal. One beyond `cap` may be less than it is. Nothing where it is not known.
template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::DealAll(int level, int32_t index, int32_t load,
                                                    const Splits& found, const KeyOf* cap,
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
  std::vector<int32_t> best_hosts;
  for (std::vector<Run> split : found.splits) {
    auto rest = static_cast<int32_t>(children.size());
    for (const Run& run : split) rest -= run.count;
    if (rest > 0) split.push_back({0, rest});
    LoadedDeal deal(*this, level + 1, std::move(split), load);
    if (deal.IsTooLarge(children.size(), choices)) return std::nullopt;
    const std::optional<KeyOf> key = deal.Solve(children, cap);
    if (ended()) return std::nullopt;
    if (!key || (best && *best < *key)) continue;
    if (!best || *key < *best) best_hosts = deal.hosts();
    best = key;
  }
  if (hosts != nullptr) *hosts = std::move(best_hosts);
  return best;
}

#define GANGPLAN_CHOOSER_DEAL(kWords)                           \
  template std::optional<Key<kWords>> Chooser<kWords>::DealAll( \
      int, int32_t, int32_t, const Splits&, const Key<kWords>*, std::vector<int32_t>*);
GANGPLAN_CHOOSER_DEAL(1)
GANGPLAN_CHOOSER_DEAL(2)
GANGPLAN_CHOOSER_DEAL(kMaxLevels + 1)

}  // namespace gangplan::exact
