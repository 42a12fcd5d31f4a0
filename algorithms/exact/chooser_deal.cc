// Who takes which where some host a load, all hosts at once: the load is one more number of a table
// over the children, beside what is left of each value.
//
//   racks of 8, 8, 8 and 3, or 7, 7, 7 and 3 beside a leader; a leader and 14 workers, pack: the
//   split is 7 and 8; in the table a rack takes 8, or 7 and the leader, or nothing
#include <algorithm>
#include <numeric>
#include <utility>

#include "algorithms/exact/chooser_loads.h"
#include "algorithms/exact/deal_table.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

// Entries of a table; beyond these hosts are looked at one by one.
constexpr int64_t kMostEntries = int64_t{1} << 14;
constexpr int64_t kEntriesALook = 64;  // what a look at one choice of hosts is worth
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
        table_(*chooser.field_.question().loads, std::move(values), load, chooser.steps_) {}

  // Where there are so many choices of hosts.
  bool IsTooLarge(size_t children, int64_t choices) const {
    return table_.IsBeyond(children,
                           std::min(kMostEntries, kEntriesALook * std::min(choices, kMostEntries)));
  }
  // What is below costs at best; nothing: there is no such deal, or the steps have ended. What
  // costs more than `cap` is not looked into: a lower bound beyond it.
  std::optional<KeyOf> Solve(std::span<const int32_t> children, const KeyOf* cap);
  // The children, with their part, that host the load in the best deal that was found.
  const std::vector<int32_t>& hosts() const { return hosts_; }

 private:
  using Option = typename DealTable<kWords>::Option;

  void AddOptions(int32_t child);
  void Estimate();
  void Estimate(Option& option);
  bool Ask(Option& option);

  Chooser& chooser_;
  const int level_;
  const int32_t load_;
  DealTable<kWords> table_;
  std::vector<int32_t> hosts_;
};

// What the child can take.
template <int kWords>
void Chooser<kWords>::LoadedDeal::AddOptions(int32_t child) {
  const Field& field = chooser_.field_;
  table_.AddChild();
  CountWork(Work::kReach, load_ + 1);
  CountWork(Work::kEntry, 2 * (load_ + 1) * std::ssize(table_.values()));
  for (int32_t part = 0; part <= load_; ++part) {
    if (!field.question().loads->Within(part, load_)) continue;
    const int32_t loaded = field.Loaded(level_, child, part);
    const Reach reach = field.reach(level_, loaded);
    for (size_t v = 0; v < table_.values().size(); ++v) {
      const int32_t value = table_.values()[v].value;
      if (field.Has(reach, value) && (value > 0 || part == 0)) table_.Add(v, part, loaded);
    }
  }
}

// False: the steps have ended.
template <int kWords>
bool Chooser<kWords>::LoadedDeal::Ask(Option& option) {
  if (!option.asked && !chooser_.ended())
    option.key = chooser_.Ask(level_, option.child, table_.value(option));
  option.asked = true;
  return !chooser_.ended();
}

// What an option costs at least; without a load that is known as fast as what it costs.
template <int kWords>
void Chooser<kWords>::LoadedDeal::Estimate(Option& option) {
  const Field& field = chooser_.field_;
  const int32_t value = table_.value(option);
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
  const auto first_of = [&](size_t child) { return table_.begin(child); };
  CountWork(Work::kReach, std::ssize(table_.options()));
  for (size_t at = 0; at < table_.children(); ++at) {
    const auto same = [&](size_t child) {
      const Option& first = table_.option(first_of(child));
      return first.part == 0 ? chooser_.field_.Same(level_, first.child) : -1;
    };
    const size_t count = first_of(at + 1) - first_of(at);
    const bool again = at > 0 && count > 0 && count == first_of(at) - first_of(at - 1) &&
                       same(at) >= 0 && same(at) == same(at - 1);
    for (size_t i = first_of(at); i < first_of(at + 1) && !chooser_.ended(); ++i) {
      Option& option = table_.option(i);
      const Option* const before = again ? &table_.option(i - count) : nullptr;
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

// By what the options cost at least: the best deal of that is the best of all once what it takes
// was asked.
template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::LoadedDeal::Solve(std::span<const int32_t> children,
                                                              const KeyOf* cap) {
  for (const int32_t child : children) AddOptions(child);
  if (!table_.Begin()) return std::nullopt;
  Estimate();
  for (int looks = 0; !chooser_.ended(); ++looks) {
    if (!table_.Fill() || !table_.can()) break;
    if (cap != nullptr && *cap < table_.key()) return table_.key();
    const std::vector<size_t> taken = table_.Trace();
    const bool known = std::all_of(taken.begin(), taken.end(),
                                   [&](size_t option) { return table_.option(option).asked; });
    if (known) {
      for (const size_t option : taken)
        if (table_.option(option).part > 0) hosts_.push_back(table_.option(option).child);
      return table_.key();
    }
    for (const size_t option : taken)
      if (!Ask(table_.option(option))) return std::nullopt;
    for (Option& option : table_.options())
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
