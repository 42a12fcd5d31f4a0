#include "algorithms/exact/crowd.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/chooser.h"
#include "algorithms/exact/crowd_places.h"
#include "algorithms/exact/crowd_room.h"
#include "algorithms/exact/crowd_split.h"
#include "algorithms/exact/deal_table.h"
#include "algorithms/exact/domains.h"
#include "algorithms/exact/fullest.h"

namespace gangplan::exact {
namespace {

// Units of Fullest::Work, rows of siblings, and numbers of rooms that are looked at in one step.
constexpr int64_t kWorkAStep = 32;
constexpr int64_t kRowsAStep = 2;
constexpr int64_t kRoomsAStep = 4;
// Entries of a table.
constexpr int64_t kMostEntries = int64_t{1} << 17;

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
        places_(tree, room) {}

  CrowdAnswer Find(int32_t members);

 private:
  using Table = DealTable<kWords>;
  struct Level {
    std::vector<Run> split;
    KeyOf cost;
  };
  // A child, with a part of the load, that takes so many.
  struct Taken {
    int32_t child = 0;
    int32_t part = 0;
    int32_t members = 0;
  };

  bool ended() const { return steps_ <= 0; }
  bool LeavesBelow(int level) const { return level + 1 == tree_.leaf_level(); }
  const Terms& TermsBelow(int level) const { return terms_[static_cast<size_t>(level + 1)]; }
  Tree::Range Range(int level, int32_t index) const { return ChildrenOf(tree_, level, index); }
  const Fullest* FullestOf(int level, int32_t index);
  bool FindSplit(int level, int32_t index, int32_t load, int32_t members, bool rough, Level& found);
  KeyOf Best(int level, int32_t index, int32_t load, int32_t members, const KeyOf* cap);
  KeyOf Ask(int level, const Taken& child, const KeyOf* cap);
  KeyOf LeastOf(int level, const Taken& child);
  KeyOf OneTakesAll(int level, int32_t index, int32_t load, int32_t members, const KeyOf* cap,
                    Taken* who);
  void AddOptions(int level, int32_t child, int32_t load, Table& table) const;
  KeyOf DealOut(int level, int32_t index, int32_t load, const std::vector<Run>& split,
                std::vector<Taken>* taken);
  void Descend(int level, int32_t index, int32_t load, int32_t members);

  const Tree& tree_;
  std::span<const Terms> terms_;
  const CrowdRoom& room_;
  const Loads& loads_;
  const KeyLayout& layout_;
  int64_t& steps_;
  absl::flat_hash_map<uint64_t, KeyOf> known_;  // by place, the load in its index
  absl::flat_hash_map<uint64_t, std::unique_ptr<Fullest>> fullest_;
  int64_t bytes_ = 0;
  std::vector<int64_t> costs_;
  CrowdPlaces places_;
  bool whole_ = true;  // all was found down to the leaves
};

// Of the children; nothing once the steps have ended.
template <int kWords>
const Fullest* Crowd<kWords>::FullestOf(int level, int32_t index) {
  const int32_t same = room_.Same(level, index);
  std::unique_ptr<Fullest>& known = fullest_[PlaceOf(level, same, 0)];
  if (known != nullptr) return known.get();
  const std::span<const int32_t> rows = room_.Rows(level + 1, Range(level, same));
  const size_t siblings = rows.size() / static_cast<size_t>(loads_.count());
  steps_ -= Fullest::Work(siblings, loads_) / kWorkAStep + 1;
  bytes_ += Fullest::Bytes(siblings, loads_);
  if (bytes_ > kMostCrowdBytes) steps_ = std::min<int64_t>(steps_, 0);
  if (ended()) return nullptr;
  known = std::make_unique<Fullest>(rows, loads_);
  return known.get();
}

// The split of the children that nothing is better than; false where it is not known. Roughly:
// perhaps one that is better than the other.
template <int kWords>
bool Crowd<kWords>::FindSplit(int level, int32_t index, int32_t load, int32_t members, bool rough,
                              Level& found) {
  const Terms& terms = TermsBelow(level);
  const int32_t parts = terms.parts > 0 ? terms.parts : kAnyParts;
  const std::span<const int32_t> rows = room_.Rows(level + 1, Range(level, index));
  steps_ -= static_cast<int64_t>(rows.size()) / loads_.count() / kRowsAStep + 1;
  bool known = false;
  if (ended() || terms.kind == LevelRule::Kind::kAny) return false;
  if (terms.kind == LevelRule::Kind::kSpread) {
    known = SpreadCrowd(rows, loads_, load, terms, parts, members, found.split);
  } else if (rough) {
    steps_ -= int64_t{loads_.count()} * loads_.count() / kWorkAStep;
    const RoughlyFullest fullest(rows, loads_, load);
    known = PackedCrowd(fullest.held(), terms, parts, members, found.split);
  } else if (const Fullest* const fullest = FullestOf(level, index)) {
    known = PackedCrowd(HeldOf(*fullest, load), terms, parts, members, found.split);
  }
  if (!known) return false;
  for (const Run& run : found.split) layout_.Add(level + 1, run.value, run.count, found.cost);
  return true;
}

// What is below the domain costs no less; what is beyond `cap` may be less than that, but beyond.
template <int kWords>
Key<kWords> Crowd<kWords>::Best(int level, int32_t index, int32_t load, int32_t members,
                                const KeyOf* cap) {
  const int32_t same = room_.Same(level, index);
  const uint64_t place = PlaceOf(level, same * loads_.count() + load, members);
  --steps_;
  if (const auto found = known_.find(place); found != known_.end()) return found->second;
  Level here;
  KeyOf key;
  if (FindSplit(level, same, load, members, false, here)) {
    key = here.cost;
    if (cap != nullptr && *cap < key) return key;
    if (!LeavesBelow(level)) {
      const bool one = here.split.front().value == members;
      key = one ? OneTakesAll(level, same, load, members, cap, nullptr)
                : here.cost + DealOut(level, same, load, here.split, nullptr);
      key = std::max(key, here.cost);  // no child is known to take all
    }
  }
  if (ended()) return KeyOf{};
  if (cap == nullptr || !(*cap < key)) known_.emplace(place, key);
  return key;
}

// A child of `level`, its own level included.
template <int kWords>
Key<kWords> Crowd<kWords>::Ask(int level, const Taken& child, const KeyOf* cap) {
  KeyOf own;
  layout_.Add(level, child.members, 1, own);
  if (child.members == 0) return KeyOf{};
  if (level == tree_.leaf_level()) return own;
  if (cap == nullptr) return own + Best(level, child.child, child.part, child.members, nullptr);
  const KeyOf below = *cap - own;
  return own + Best(level, child.child, child.part, child.members, &below);
}

// The same at least, by a look at its children alone.
template <int kWords>
Key<kWords> Crowd<kWords>::LeastOf(int level, const Taken& child) {
  KeyOf own;
  layout_.Add(level, child.members, 1, own);
  Level below;
  if (level == tree_.leaf_level() ||
      !FindSplit(level, child.child, child.part, child.members, true, below))
    return own;
  return own + below.cost;
}

// The best child that takes all members and the load; those that can cost the least come first.
template <int kWords>
Key<kWords> Crowd<kWords>::OneTakesAll(int level, int32_t index, int32_t load, int32_t members,
                                       const KeyOf* cap, Taken* who) {
  const Tree::Range range = Range(level, index);
  std::vector<std::pair<KeyOf, int32_t>> children;
  for (int32_t child = range.begin; child < range.end && !ended(); ++child) {
    const int32_t same = room_.Same(level + 1, child);
    const bool again = same >= range.begin && same < child;
    if (!again && room_.Row(level + 1, child)[static_cast<size_t>(load)] >= members)
      children.emplace_back(LeastOf(level + 1, {child, load, members}), child);
  }
  std::sort(children.begin(), children.end());
  std::optional<KeyOf> best;
  for (const auto& [least, child] : children) {
    if (ended() || (best && !(least < *best))) break;
    const KeyOf* const limit = best && (cap == nullptr || *best < *cap) ? &*best : cap;
    const KeyOf key = Ask(level + 1, {child, load, members}, limit);
    if (best && !(key < *best)) continue;
    best = key;
    if (who != nullptr) *who = {child, load, members};
  }
  return best.value_or(KeyOf{});
}

// What the child can take of the values and of the load.
template <int kWords>
void Crowd<kWords>::AddOptions(int level, int32_t child, int32_t load, Table& table) const {
  const std::span<const int32_t> row = room_.Row(level, child);
  table.AddChild();
  for (int32_t part = 0; part <= load; ++part) {
    if (!loads_.Within(part, load)) continue;
    for (size_t v = 0; v < table.values().size(); ++v) {
      const int32_t value = table.values()[v].value;
      const bool fits = value >= loads_.pods(part) && value <= row[static_cast<size_t>(part)];
      if (value == 0 ? part == 0 : fits) table.Add(v, part, child);
    }
  }
}

// What is below the children's level where these are dealt the split, at least; with `taken` who
// takes which, nobody where that is not known.
template <int kWords>
Key<kWords> Crowd<kWords>::DealOut(int level, int32_t index, int32_t load,
                                   const std::vector<Run>& split, std::vector<Taken>* taken) {
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
  if (table.IsBeyond(static_cast<size_t>(range.end - range.begin), kMostEntries)) return KeyOf{};
  for (int32_t child = range.begin; child < range.end; ++child)
    AddOptions(level + 1, child, load, table);
  if (!table.Begin()) return KeyOf{};
  for (typename Table::Option& option : table.options()) {
    if (option.used && !ended())
      option.key = Ask(level + 1, {option.child, option.part, table.value(option)}, nullptr);
  }
  if (ended() || !table.Fill() || !table.can()) return KeyOf{};
  if (taken != nullptr) {
    for (const size_t at : table.Trace()) {
      const typename Table::Option& option = table.option(at);
      if (table.value(option) > 0)
        taken->push_back({option.child, option.part, table.value(option)});
    }
  }
  return table.key() - own;
}

// What was found, once more, from the top: what each level costs, and who hosts the load.
template <int kWords>
void Crowd<kWords>::Descend(int level, int32_t index, int32_t load, int32_t members) {
  Level here;
  if (!FindSplit(level, index, load, members, false, here)) {
    whole_ = false;
    return;
  }
  const LevelRule::Kind kind = TermsBelow(level).kind;
  for (const Run& run : here.split)
    costs_[static_cast<size_t>(level + 1)] += LevelCost(kind, run.value) * run.count;
  if (LeavesBelow(level)) {
    const Tree::Range leaves = Range(level, index);
    steps_ -= Fullest::Work(static_cast<size_t>(leaves.end - leaves.begin), loads_) / kWorkAStep;
    if (load > 0 && !ended()) whole_ = places_.Put(kind, leaves, load, here.split) && whole_;
    return;
  }
  std::vector<Taken> taken;
  if (here.split.front().value == members) {
    Taken who;
    OneTakesAll(level, index, load, members, nullptr, &who);
    if (who.members > 0) taken.push_back(who);
  } else {
    DealOut(level, index, load, here.split, &taken);
  }
  whole_ = whole_ && !taken.empty();
  for (const Taken& one : taken) Descend(level + 1, one.child, one.part, one.members);
}

template <int kWords>
CrowdAnswer Crowd<kWords>::Find(int32_t members) {
  CrowdAnswer answer;
  const int32_t whole = loads_.whole();
  if (room_.Row(-1, 0)[static_cast<size_t>(whole)] < members) return answer;
  costs_.assign(terms_.size(), 0);
  Best(-1, 0, whole, members, nullptr);
  if (!ended()) Descend(-1, 0, whole, members);
  if (ended()) return answer;
  answer.bound = std::move(costs_);
  if (whole_) answer.put = places_.Take();
  return answer;
}

template <int kWords>
CrowdAnswer FindWith(const Tree& tree, std::span<const Terms> terms, const CrowdRoom& room,
                     const KeyLayout& layout, int32_t members, int64_t& steps) {
  return Crowd<kWords>(tree, terms, room, layout, steps).Find(members);
}

// What there are loads of the few pods; beyond the limit just more than that.
int64_t CountLoads(const Shapes& shapes) {
  int64_t loads = 1;
  for (size_t shape = 0; shape < shapes.all().size() && loads <= kMostCrowdLoads; ++shape)
    if (shape != shapes.main()) loads *= shapes.all()[shape].missing + 1;
  return loads;
}

}  // namespace

CrowdAnswer AskCrowd(const Tree& tree, const Shapes& shapes, std::span<const Terms> terms,
                     int32_t members, int64_t& steps) {
  const int64_t count = CountLoads(shapes);
  if (count > kMostCrowdLoads || !shapes.standing().empty()) return {};
  if (terms.size() != static_cast<size_t>(tree.level_count())) return {};
  const int64_t rooms = tree.leaf_count() * count;
  const int64_t cost = rooms / kRoomsAStep + rooms * count / kWorkAStep;
  if (cost >= steps) return {};
  steps -= cost;
  const Loads loads(shapes);
  const CrowdRoom room(tree, terms, loads, shapes.counts(shapes.main()), members);
  const KeyLayout layout(tree, {terms.begin(), terms.end()}, members);
  if (layout.words() <= 1) return FindWith<1>(tree, terms, room, layout, members, steps);
  if (layout.words() == 2) return FindWith<2>(tree, terms, room, layout, members, steps);
  return FindWith<kMaxLevels + 1>(tree, terms, room, layout, members, steps);
}

}  // namespace gangplan::exact
