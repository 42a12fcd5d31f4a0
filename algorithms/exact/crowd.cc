#include "algorithms/exact/crowd.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/chooser.h"
#include "algorithms/exact/crowd_level.h"
#include "algorithms/exact/crowd_room.h"
#include "algorithms/exact/deal_graph.h"
#include "algorithms/exact/domains.h"
#include "algorithms/exact/fullest.h"
#include "algorithms/exact/step_share.h"

namespace gangplan::exact {
namespace {

template <int kWords>
class Crowd {
 public:
  using KeyOf = Key<kWords>;

  Crowd(const Tree& tree, std::span<const Terms> terms, const CrowdRoom& room,
        const KeyLayout& layout, int64_t& steps)
      : tree_(tree),
        terms_(terms),
        room_(room),
        loads_(room.loads()),
        layout_(layout),
        steps_(steps),
        levels_(tree, terms, room, steps) {}

  CrowdAnswer Find(int32_t members);

 private:
  using Table = DealGraph<kWords>;
  // A child, with a part of the load, that takes so many.
  struct Taken {
    int32_t child = 0;
    int32_t part = 0;
    int32_t members = 0;
  };

  bool ended() const { return steps_ <= 0; }
  bool LeavesBelow(int level) const { return level + 1 == tree_.leaf_level(); }
  Tree::Range Range(int level, int32_t index) const { return ChildrenOf(tree_, level, index); }
  KeyOf KeyOfLevel(int level, const CrowdLevel& found) const;
  // What one domain of the level costs by the level itself.
  KeyOf Own(int level, int32_t members) const {
    KeyOf own;
    if (members > 0) layout_.Add(level, members, 1, own);
    return own;
  }
  KeyOf Best(int level, int32_t index, int32_t load, int32_t members, const KeyOf* cap);
  KeyOf BestOfLeaves(int level, const Taken& domain);
  KeyOf LeastOfLeaves(int level, int32_t load, int32_t members);
  KeyOf Ask(int level, const Taken& child, const KeyOf* cap);
  bool SetOut(int level, Tree::Range range, int32_t load, Table& table);
  void AskAll(int level, Table& table);
  void RaiseAll(const typename Table::Option& same, const KeyOf& least, Table& table);
  bool Sharpen(int level, Table& table, KeyOf& key);
  KeyOf LeastOf(int level, const Taken& child);
  std::optional<KeyOf> OneTakesAll(int level, int32_t index, int32_t load, int32_t members,
                                   const KeyOf* cap, Taken* who);
  std::vector<int32_t> LargestFirst(int level, Tree::Range range, int32_t load) const;
  void AddOptions(int level, int32_t child, int32_t load, Table& table) const;
  std::optional<KeyOf> DealOut(int level, int32_t index, int32_t load,
                               const std::vector<Run>& split, std::vector<Taken>* taken);
  std::optional<KeyOf> Share(int level, int32_t index, int32_t load, int32_t members,
                             const std::vector<Run>& split, const KeyOf* cap,
                             std::vector<Taken>* taken);
  KeyOf ShareBest(int level, int32_t index, int32_t load, int32_t members, const KeyOf* cap,
                  CrowdLevel& here, std::vector<Taken>* taken);
  void PutHosts(int32_t first, std::span<const Fullest::Host> hosts);
  KeyOf Descend(int level, int32_t index, int32_t load, int32_t members);

  const Tree& tree_;
  std::span<const Terms> terms_;
  const CrowdRoom& room_;
  const Loads& loads_;
  const KeyLayout& layout_;
  int64_t& steps_;
  absl::flat_hash_map<uint64_t, KeyOf> known_;      // by place, the load in its index
  absl::flat_hash_map<uint64_t, KeyOf> of_leaves_;  // the same, as near as they can be
  absl::flat_hash_map<uint64_t, KeyOf> of_any_;     // the same, of any domain of leaves
  CrowdLevels levels_;
  std::map<int32_t, Mix> put_;
  bool whole_ = true;  // so far it is known who hosts what
};

template <int kWords>
Key<kWords> Crowd<kWords>::KeyOfLevel(int level, const CrowdLevel& found) const {
  KeyOf key;
  if (found.known) layout_.AddAll(level + 1, found.used, found.squares, key);
  return key;
}

// What is below the domain costs no less, also when the steps end; what is beyond `cap` may be less
// than that, but beyond.
template <int kWords>
Key<kWords> Crowd<kWords>::Best(int level, int32_t index, int32_t load, int32_t members,
                                const KeyOf* cap) {
  const int32_t same = room_.Same(level, index);
  const uint64_t place = PlaceOf(level, same * loads_.count() + load, members);
  --steps_;
  if (const auto found = known_.find(place); found != known_.end()) return found->second;
  CrowdLevel here = levels_.Look(level, same, load, members, false);
  KeyOf key = KeyOfLevel(level, here);
  if (cap != nullptr && *cap < key) return key;
  if (!LeavesBelow(level)) key = ShareBest(level, same, load, members, cap, here, nullptr);
  if (!ended() && (cap == nullptr || !(*cap < key))) known_.emplace(place, key);
  return key;
}

// The same for a domain of leaves, looked at as near as it can be.
template <int kWords>
Key<kWords> Crowd<kWords>::BestOfLeaves(int level, const Taken& domain) {
  const int32_t same = room_.Same(level, domain.child);
  const uint64_t place = PlaceOf(level, same * loads_.count() + domain.part, domain.members);
  if (const auto found = of_leaves_.find(place); found != of_leaves_.end()) return found->second;
  KeyOf key = Own(level, domain.members);
  key += KeyOfLevel(level, levels_.LookAtLeaves(level, same, domain.part, domain.members));
  if (!ended()) of_leaves_.emplace(place, key);
  return key;
}

// No domain of leaves costs less with the load, its own level included.
template <int kWords>
Key<kWords> Crowd<kWords>::LeastOfLeaves(int level, int32_t load, int32_t members) {
  const uint64_t place = PlaceOf(level, load, members);
  if (const auto found = of_any_.find(place); found != of_any_.end()) return found->second;
  const KeyOf key = Own(level, members) + KeyOfLevel(level, levels_.LookAtAnyLeaves(load, members));
  if (!ended()) of_any_.emplace(place, key);
  return key;
}

// A child of `level`, its own level included.
template <int kWords>
Key<kWords> Crowd<kWords>::Ask(int level, const Taken& child, const KeyOf* cap) {
  const KeyOf own = Own(level, child.members);
  if (child.members == 0 || level == tree_.leaf_level()) return own;
  if (cap == nullptr) return own + Best(level, child.child, child.part, child.members, nullptr);
  const KeyOf below = *cap - own;
  return own + Best(level, child.child, child.part, child.members, &below);
}

// The same at least, by a look at its children alone.
template <int kWords>
Key<kWords> Crowd<kWords>::LeastOf(int level, const Taken& child) {
  const KeyOf own = Own(level, child.members);
  if (level == tree_.leaf_level()) return own;
  return own + KeyOfLevel(level, levels_.Look(level, child.child, child.part, child.members, true));
}

// The best child that takes all members and the load; those that can cost the least come first. Its
// level included; nothing: there is none. When the steps end: what none costs less than.
template <int kWords>
std::optional<Key<kWords>> Crowd<kWords>::OneTakesAll(int level, int32_t index, int32_t load,
                                                      int32_t members, const KeyOf* cap,
                                                      Taken* who) {
  const Tree::Range range = Range(level, index);
  std::vector<std::pair<KeyOf, int32_t>> children;
  for (int32_t child = range.begin; child < range.end && !ended(); ++child) {
    const int32_t same = room_.Same(level + 1, child);
    const bool again = same >= range.begin && same < child;
    if (!again && room_.Row(level + 1, child)[static_cast<size_t>(load)] >= members)
      children.emplace_back(LeastOf(level + 1, {child, load, members}), child);
  }
  if (ended()) return Own(level + 1, members);
  std::sort(children.begin(), children.end());
  std::optional<KeyOf> best;
  for (const auto& [least, child] : children) {
    if (best && !(least < *best)) break;
    if (ended()) return least;
    if (best && LeavesBelow(level + 1) && !(LeastOfLeaves(level + 1, load, members) < *best)) break;
    const KeyOf* const limit = best && (cap == nullptr || *best < *cap) ? &*best : cap;
    KeyOf key = Ask(level + 1, {child, load, members}, limit);
    if (LeavesBelow(level + 1) && (limit == nullptr || !(*limit < key)))
      key = BestOfLeaves(level + 1, {child, load, members});
    if (best && !(key < *best)) continue;
    best = key;
    if (who != nullptr) *who = {child, load, members};
  }
  return best;
}

// By the most that each takes with any part.
template <int kWords>
std::vector<int32_t> Crowd<kWords>::LargestFirst(int level, Tree::Range range, int32_t load) const {
  std::vector<std::pair<int32_t, int32_t>> children;
  for (int32_t child = range.begin; child < range.end; ++child) {
    const std::span<const int32_t> row = room_.Row(level, child);
    const auto with = row.first(static_cast<size_t>(load) + 1);
    children.emplace_back(-*std::max_element(with.begin(), with.end()), child);
  }
  std::sort(children.begin(), children.end());
  std::vector<int32_t> order;
  for (const auto& [most, child] : children) order.push_back(child);
  return order;
}

// What the child can take of the values and of the load.
template <int kWords>
void Crowd<kWords>::AddOptions(int level, int32_t child, int32_t load, Table& table) const {
  const std::span<const int32_t> row = room_.Row(level, child);
  const Terms& terms = terms_[static_cast<size_t>(level)];
  table.AddChild();
  for (int32_t part = 0; part <= load; ++part) {
    if (!loads_.Within(part, load)) continue;
    for (size_t v = 0; v < table.values().size(); ++v) {
      const int32_t value = table.values()[v].value;
      const bool fits =
          value >= terms.least(loads_.pods(part)) && value <= row[static_cast<size_t>(part)];
      if (value == 0 ? part == 0 : fits) table.Add(v, part, child);
    }
  }
}

// What the options that are used cost at least, as far as most of the steps go.
template <int kWords>
void Crowd<kWords>::AskAll(int level, Table& table) {
  const StepShare share(steps_, 3);
  for (typename Table::Option& option : table.options()) {
    if (!option.used) continue;
    const Taken taken{option.child, option.part, table.value(option)};
    option.key = ended() ? Own(level, taken.members) : Ask(level, taken, nullptr);
  }
}

// What takes the same as this costs no less than `least`.
template <int kWords>
void Crowd<kWords>::RaiseAll(const typename Table::Option& same, const KeyOf& least, Table& table) {
  for (typename Table::Option& option : table.options())
    if (option.value == same.value && option.part == same.part)
      option.key = std::max(option.key, least);
}

// Domains of leaves are looked at as near as they can be where the best deal has them, until none
// is new; what else they take costs no less than its key. False: the steps for it have ended, and
// who takes what is not known.
template <int kWords>
bool Crowd<kWords>::Sharpen(int level, Table& table, KeyOf& key) {
  const StepShare share(steps_, 2);
  for (bool fresh = LeavesBelow(level); fresh && !ended();) {
    fresh = false;
    for (const size_t at : table.Trace()) {
      typename Table::Option& option = table.option(at);
      if (option.asked || option.part == 0 || table.value(option) == 0) continue;
      option.asked = true;
      const int32_t part = option.part, value = table.value(option);
      const KeyOf nearer = BestOfLeaves(level, {option.child, part, value});
      if (!(option.key < nearer)) continue;
      fresh = true;
      const KeyOf any = LeastOfLeaves(level, part, value);
      if (option.key < any) RaiseAll(option, any, table);
      option.key = std::max(any, nearer);
    }
    if (fresh && !table.Fill()) return false;
    key = table.key();
  }
  return !ended();
}

// All deals, by a part of the steps. False: there are too many for it.
template <int kWords>
bool Crowd<kWords>::SetOut(int level, Tree::Range range, int32_t load, Table& table) {
  const StepShare share(steps_, 2);
  if (!table.Pay(range.end - range.begin)) return false;
  for (const int32_t child : LargestFirst(level, range, load))
    AddOptions(level, child, load, table);
  return table.Begin();
}

// What the children cost at least where these are dealt the split; with `taken` who takes which,
// nobody where that is not known. Nothing: it cannot be dealt.
template <int kWords>
std::optional<Key<kWords>> Crowd<kWords>::DealOut(int level, int32_t index, int32_t load,
                                                  const std::vector<Run>& split,
                                                  std::vector<Taken>* taken) {
  const Tree::Range range = Range(level, index);
  KeyOf own;
  std::vector<Run> values = split;
  int32_t rest = range.end - range.begin;
  for (const Run& run : split) {
    rest -= run.count;
    layout_.Add(level + 1, run.value, run.count, own);
  }
  if (rest > 0) values.push_back({0, rest});
  Table table(loads_, std::move(values), load, steps_);
  if (!SetOut(level + 1, range, load, table)) return own;
  AskAll(level + 1, table);
  if (!table.Fill()) return own;
  if (!table.can()) return std::nullopt;
  KeyOf key = table.key();
  if (!Sharpen(level + 1, table, key)) return key;
  if (taken != nullptr) {
    for (const size_t at : table.Trace()) {
      const typename Table::Option& option = table.option(at);
      if (table.value(option) > 0)
        taken->push_back({option.child, option.part, table.value(option)});
    }
  }
  return key;
}

template <int kWords>
std::optional<Key<kWords>> Crowd<kWords>::Share(int level, int32_t index, int32_t load,
                                                int32_t members, const std::vector<Run>& split,
                                                const KeyOf* cap, std::vector<Taken>* taken) {
  if (split.front().value != members) return DealOut(level, index, load, split, taken);
  Taken who;
  const std::optional<KeyOf> key = OneTakesAll(level, index, load, members, cap, &who);
  if (taken != nullptr && key) taken->push_back(who);
  return key;
}

// What the children cost at least by their level, which is corrected, and below.
template <int kWords>
Key<kWords> Crowd<kWords>::ShareBest(int level, int32_t index, int32_t load, int32_t members,
                                     const KeyOf* cap, CrowdLevel& here,
                                     std::vector<Taken>* taken) {
  if (!here.split.empty()) {
    const std::optional<KeyOf> key = Share(level, index, load, members, here.split, cap, taken);
    if (key) return *key;
  }
  std::optional<KeyOf> best;
  for (const std::vector<Run>& split : levels_.NearestSplits(level, index, load, members, here)) {
    std::vector<Taken> who;
    const std::optional<KeyOf> key = Share(level, index, load, members, split, cap, &who);
    if (!key || (best && !(*key < *best))) continue;
    best = key;
    if (taken != nullptr) *taken = std::move(who);
  }
  return best.value_or(KeyOfLevel(level, here));
}

// By their place after the first leaf.
template <int kWords>
void Crowd<kWords>::PutHosts(int32_t first, std::span<const Fullest::Host> hosts) {
  for (const Fullest::Host& host : hosts) put_.emplace(first + host.sibling, loads_.mix(host.part));
}

// As Best, and who hosts the load in what was found, from the top.
template <int kWords>
Key<kWords> Crowd<kWords>::Descend(int level, int32_t index, int32_t load, int32_t members) {
  const bool leaves = LeavesBelow(level);
  CrowdLevel here = leaves ? levels_.LookAtLeaves(level, index, load, members)
                           : levels_.Look(level, index, load, members, false);
  std::vector<Taken> taken;
  KeyOf key = KeyOfLevel(level, here);
  if (!leaves) key = ShareBest(level, index, load, members, nullptr, here, &taken);
  whole_ = whole_ && !ended() && (leaves ? here.hosts.has_value() : !taken.empty());
  if (!whole_) return key;
  if (leaves) PutHosts(Range(level, index).begin, *here.hosts);
  for (const Taken& one : taken) Descend(level + 1, one.child, one.part, one.members);
  return key;
}

template <int kWords>
CrowdAnswer Crowd<kWords>::Find(int32_t members) {
  CrowdAnswer answer;
  const int32_t whole = loads_.whole();
  if (room_.Row(-1, 0)[static_cast<size_t>(whole)] < members) return answer;
  const KeyOf key = Descend(-1, 0, whole, members);
  if (!(key == KeyOf{})) answer.bound = layout_.CostsOf(key);
  if (whole_) answer.put = std::move(put_);
  return answer;
}

template <int kWords>
CrowdAnswer FindWith(const Tree& tree, std::span<const Terms> terms, const CrowdRoom& room,
                     const KeyLayout& layout, int32_t members, int64_t& steps) {
  return Crowd<kWords>(tree, terms, room, layout, steps).Find(members);
}

}  // namespace

CrowdAnswer AskCrowd(const Tree& tree, const Shapes& shapes, std::span<const Terms> terms,
                     int32_t members, int64_t& steps) {
  const int64_t count = Loads::Count(shapes, kMostCrowdLoads);
  if (count > kMostCrowdLoads || !shapes.standing().empty()) return {};
  if (terms.size() != static_cast<size_t>(tree.level_count())) return {};
  const int64_t cost = CrowdRoom::Cost(tree, terms, count);
  if (cost >= steps) return {};
  steps -= cost;
  const Loads loads(shapes);
  const std::vector<Terms> all = WithThoseBelow(terms);
  const CrowdRoom room(tree, all, loads, shapes.counts(shapes.main()), members);
  const KeyLayout layout(tree, all, members);
  if (layout.words() <= 1) return FindWith<1>(tree, all, room, layout, members, steps);
  if (layout.words() == 2) return FindWith<2>(tree, all, room, layout, members, steps);
  return FindWith<kMaxLevels + 1>(tree, all, room, layout, members, steps);
}

}  // namespace gangplan::exact
