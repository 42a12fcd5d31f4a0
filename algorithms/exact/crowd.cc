#include "algorithms/exact/crowd.h"

#include <algorithm>
#include <utility>

#include "algorithms/exact/chooser.h"
#include "algorithms/exact/crowd_search.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {

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
  CountWork(Work::kFind, 2);
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

// A child of `level`, its own level included.
template <int kWords>
Key<kWords> Crowd<kWords>::Ask(int level, const Taken& child, const KeyOf* cap) {
  const KeyOf own = Own(level, child.members);
  if (child.members == 0 || level == tree_.leaf_level()) return own;
  if (cap == nullptr) return own + Best(level, child.child, child.part, child.members, nullptr);
  const KeyOf below = *cap - own;
  return own + Best(level, child.child, child.part, child.members, &below);
}

// The same at least: by a look at its children alone, and where these are domains of leaves by what
// any of them cost.
template <int kWords>
Key<kWords> Crowd<kWords>::LeastOf(int level, const Taken& child) {
  KeyOf least = Own(level, child.members);
  if (child.members == 0 || level == tree_.leaf_level()) return least;
  const CrowdLevel found = levels_.Look(level, child.child, child.part, child.members, true);
  least += KeyOfLevel(level, found);
  if (LeavesBelow(level + 1) && !found.split.empty())
    least += floor_.OfAll(found.split, child.part);
  return least;
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
  CountWork(Work::kEntry, 2 * (range.end - range.begin));
  CountSort(children.size());
  std::sort(children.begin(), children.end());
  std::optional<KeyOf> best;
  for (const auto& [least, child] : children) {
    if (best && !(least < *best)) break;
    if (ended()) return least;
    if (best && LeavesBelow(level + 1) && !(LeastOfAny(level + 1, load, members) < *best)) break;
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

template <int kWords>
std::optional<Key<kWords>> Crowd<kWords>::Share(int level, int32_t index, int32_t load,
                                                int32_t members, const std::vector<Run>& split,
                                                const KeyOf* cap, std::vector<Taken>* taken) {
  if (split.front().value != members) return DealOut(level, index, load, split, cap, taken);
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

template class Crowd<1>;
template class Crowd<2>;
template class Crowd<kMaxLevels + 1>;

namespace {

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
