// What domains cost at least, so that nobody is asked who cannot be among the best.
//
//   racks with nodes for 8 at the most; 21 members spread over four of them: 6, 5, 5 and 5, so four
//   nodes at least, however the racks look inside; a rack of them needs not be compared with others
//   once it has its four
#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/exact/chooser_loads.h"
#include "algorithms/exact/work.h"
#include "algorithms/scan.h"

namespace gangplan::exact {
namespace {

constexpr int64_t kLeastSteps = 4;  // of a look at what a child costs at least
// Counts that are scanned in one step, and domains of which the width is found.
constexpr int64_t kCountsAStep = 64;
constexpr int64_t kDomainsAStep = 4;

}  // namespace

// What the child costs at least, its own level included, without a look at what is below its own
// children.
template <int kWords>
Key<kWords> Chooser<kWords>::LeastOf(int level, int32_t child, int32_t members) {
  KeyOf key, below;
  CountWork(Work::kFind, 2);
  layout_.Add(level, members, 1, key);
  if (level >= field_.question().last_level) return key;
  const int32_t load = field_.LoadOf(level, child);
  const int32_t pods = load == 0 ? 0 : field_.question().loads->pods(load);
  if (load == 0 && !LeavesBelow(level)) {
    const Children& children = field_.children(level, field_.Same(level, child));
    const Ranked& all = children.odd.empty() ? children.alike : children.loose;
    steps_ -= kLeastSteps + static_cast<int64_t>(all.siblings.most.size());
    if (!all.order.empty() &&
        BestSplit(all.siblings, field_.terms(level + 1).kind, ToUse(level), members, way_split_)) {
      AddLevel(level + 1, way_split_, key);
      return AddFloorBelow(level + 1, way_split_, members, 0, below) ? key + below : key;
    }
  }
  return AddFloor(level, level + 1, members, pods, below) ? key + below : key;
}

// The `missing` ones of `open` for whom the larger value costs the least more, of equal ones the
// first.
template <int kWords>
void Chooser<kWords>::TakeLarge(int level, std::span<const Item> items,
                                std::span<const size_t> open, std::span<const Run> values,
                                int32_t missing, std::vector<char>& takes) {
  const int32_t large = values[0].value, small = values[1].value;
  Costs more;
  if (small == 0) {
    more = AskCheapest(level, items, open, large, static_cast<size_t>(missing));
  } else {
    for (const size_t i : open)
      more.emplace_back(Ask(level, items[i].child, large) - Ask(level, items[i].child, small), i);
    CountWork(Work::kCompare, 2 * std::ssize(more));
    std::nth_element(more.begin(), more.begin() + missing, more.end());
    more.resize(static_cast<size_t>(missing));
  }
  for (const auto& one : more) takes[one.second] = 1;
}

// The `most` ones of `open` that cost the least with so many members, of equal ones the first.
// Those that cost the least at least are asked first, and nobody any more who cannot be one of
// them.
template <int kWords>
typename Chooser<kWords>::Costs Chooser<kWords>::AskCheapest(int level, std::span<const Item> items,
                                                             std::span<const size_t> open,
                                                             int32_t members, size_t most) {
  Costs found, rest;
  size_t next = 0;
  KeyOf floor;
  layout_.Add(level, members, 1, floor);
  bool cheapest = AddFloor(level, level + 1, members, 0, floor) &&
                  std::none_of(open.begin(), open.end(),
                               [&](size_t i) { return field_.LoadOf(level, items[i].child) > 0; });
  for (; cheapest && next < open.size() && found.size() < most; ++next) {
    found.emplace_back(Ask(level, items[open[next]].child, members), open[next]);
    cheapest = !(floor < found.back().first);
  }
  if (cheapest && found.size() == most) return found;
  for (const size_t i : open.subspan(next))
    rest.emplace_back(ended() ? KeyOf{} : LeastOf(level, items[i].child, members), i);
  if (!std::is_sorted(rest.begin(), rest.end())) std::sort(rest.begin(), rest.end());
  CountSort(rest.size());
  std::make_heap(found.begin(), found.end());  // the dearest at its front
  for (const auto& [least, i] : rest) {
    if (found.size() == most && found.front() < std::pair(least, i)) break;
    found.emplace_back(Ask(level, items[i].child, members), i);
    CountSort(2);
    std::push_heap(found.begin(), found.end());
    if (found.size() <= most) continue;
    std::pop_heap(found.begin(), found.end());
    found.pop_back();
  }
  return found;
}

// The largest count of the level, anywhere.
template <int kWords>
int32_t Chooser<kWords>::LargestAt(int level) {
  const Question& question = field_.question();
  for (auto at = static_cast<int>(largest_.size()); at <= level; ++at) {
    const int32_t size = field_.tree().size(at);
    steps_ -= size / kCountsAStep;
    CountWork(Work::kWord, size / 4);
    largest_.push_back(ScanCounts(question.counts->at(at).data(), 0, size, 0).most);
  }
  return largest_[static_cast<size_t>(level)];
}

// Adds what a pack with `hosts` domains of at most `host_most` and any number of others of at most
// `most` costs at least by its level: the larger ones filled first.
template <int kWords>
void Chooser<kWords>::AddPacked(int level, int32_t members, int32_t most, int32_t hosts,
                                int32_t host_most, KeyOf& key) const {
  const bool hosts_first = host_most >= most;
  int32_t rest = members;
  const auto fill_hosts = [&] {
    for (int32_t after = hosts - 1; after >= 0; --after) {
      const int32_t taken = std::min(host_most, rest - after);  // each of them has one at least
      layout_.Add(level, taken, 1, key);
      rest -= taken;
    }
  };
  if (hosts_first) fill_hosts();
  int32_t others = rest;
  if (!hosts_first) {
    const int32_t beyond = std::max(0, members - hosts * host_most);
    others = std::min(members - hosts, (beyond + most - 1) / most * most);
  }
  layout_.Add(level, most, others / most, key);
  if (others % most > 0) layout_.Add(level, others % most, 1, key);
  rest -= others;
  if (!hosts_first) fill_hosts();
}

// So many domains of the level are in one of level `top` at the most.
template <int kWords>
int32_t Chooser<kWords>::WidestAt(int top, int level) {
  const Tree& tree = field_.tree();
  if (top < 0) return tree.size(level);
  int32_t& widest = widest_.try_emplace(top * (kMaxLevels + 1) + level, 0).first->second;
  if (widest == 0) steps_ -= tree.size(top) / kDomainsAStep;
  if (widest == 0) CountWork(Work::kEntry, int64_t{tree.size(top)} * (level - top));
  for (int32_t index = 0, end = widest > 0 ? 0 : tree.size(top); index < end; ++index) {
    Tree::Range range{index, index + 1};
    for (int at = top; at < level; ++at)
      range = {tree.children(at, range.begin).begin, tree.children(at, range.end - 1).end};
    widest = std::max(widest, range.end - range.begin);
  }
  return widest;
}

// What so many members of one domain of `top` cost at least at `level` and below it: each level by
// itself, as if all of its domains were as large as the largest one anywhere, and all of them in
// this one. `pods` of the members are a load: of each level one domain hosts it, or one for each
// pod. Nothing where it is not known.
template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::FindFloor(int top, int level, int32_t members,
                                                      int32_t pods) {
  KeyOf floor;
  if (!field_.question().special.empty()) return std::nullopt;
  for (; level <= field_.question().last_level; ++level) {
    const Terms& terms = field_.terms(level);
    const int32_t most = std::min({LargestAt(level), terms.max, members});
    if (most <= 0) return std::nullopt;
    if (terms.kind == LevelRule::Kind::kSpread) {
      const int32_t parts = std::min(members, WidestAt(top, level));
      layout_.Add(level, members / parts + 1, members % parts, floor);
      layout_.Add(level, members / parts, parts - members % parts, floor);
      continue;
    }
    KeyOf least = KeyOf::Most();
    for (int32_t hosts = pods == 0 ? 0 : 1; hosts <= pods; ++hosts) {
      static_assert(Loads::kMostPods <= 2, "of three pods one of two domains may host two");
      const int32_t of_each = hosts == 0 ? 0 : pods / hosts;
      const bool leaves = level == field_.tree().leaf_level();
      const int32_t holds = hosts == 0 ? 0
                            : leaves   ? field_.LargestLoadedLeaf(of_each)
                                       : LargestAt(level) + of_each;
      if (hosts > 0 && holds <= 0) continue;
      KeyOf key;
      AddPacked(level, members, most, hosts, std::min({holds, terms.max, members}), key);
      least = std::min(least, key);
    }
    if (least == KeyOf::Most()) return std::nullopt;
    floor += least;
  }
  return floor;
}

// Adds that; false where it is not known.
template <int kWords>
bool Chooser<kWords>::AddFloor(int top, int level, int32_t members, int32_t pods, KeyOf& floor) {
  const uint64_t place = PlaceOf(level, (top + 1) * (Loads::kMostPods + 1) + pods, members);
  const auto [known, fresh] = floors_.try_emplace(place);
  CountWork(Work::kFind, 1);
  if (fresh) {
    known->second = FindFloor(top, level, members, pods);
    Keep(sizeof(*known));
  }
  if (known->second) floor += *known->second;
  return known->second.has_value();
}

// What is below the children of `level` at least that are dealt this split of the members of one
// domain, also where each of them is looked at by itself. The load is in one of them, or each pod
// in another one. False where it is not known.
template <int kWords>
bool Chooser<kWords>::AddFloorBelow(int level, std::span<const Run> split, int32_t members,
                                    int32_t pods, KeyOf& floor) {
  if (level >= field_.question().last_level) return true;
  KeyOf whole, each, one_host = KeyOf::Most(), many_hosts = KeyOf::Most();
  if (!AddFloor(level - 1, level + 1, members, pods, whole)) return false;
  for (const Run& run : split) {
    KeyOf alone, with, with_one;
    if (run.value == 0) continue;
    if (!AddFloor(level, level + 1, run.value, 0, alone)) return false;
    each += alone * run.count;
    if (pods > 0 && run.value >= pods && AddFloor(level, level + 1, run.value, pods, with))
      one_host = std::min(one_host, with - alone);
    if (pods > 1 && AddFloor(level, level + 1, run.value, 1, with_one))
      many_hosts = std::min(many_hosts, (with_one - alone) * pods);
  }
  if (pods > 0) {
    const KeyOf more = std::min(one_host, many_hosts);
    if (more == KeyOf::Most()) return false;
    each += more;
  }
  floor += std::max(whole, each);
  return true;
}

// The members defined here, for every width; the others are in chooser.cc.
#define GANGPLAN_CHOOSER_FLOOR(kWords)                                                            \
  template Chooser<kWords>::Costs Chooser<kWords>::AskCheapest(                                   \
      int, std::span<const Item>, std::span<const size_t>, int32_t, size_t);                      \
  template Key<kWords> Chooser<kWords>::LeastOf(int, int32_t, int32_t);                           \
  template void Chooser<kWords>::TakeLarge(int, std::span<const Item>, std::span<const size_t>,   \
                                           std::span<const Run>, int32_t, std::vector<char>&);    \
  template std::optional<Key<kWords>> Chooser<kWords>::FindFloor(int, int, int32_t, int32_t);     \
  template bool Chooser<kWords>::AddFloor(int, int, int32_t, int32_t, Key<kWords>&);              \
  template bool Chooser<kWords>::AddFloorBelow(int, std::span<const Run>, int32_t, int32_t,       \
                                               Key<kWords>&);                                     \
  template int32_t Chooser<kWords>::LargestAt(int);                                               \
  template int32_t Chooser<kWords>::WidestAt(int, int);                                           \
  template void Chooser<kWords>::AddPacked(int, int32_t, int32_t, int32_t, int32_t, Key<kWords>&) \
      const;
GANGPLAN_CHOOSER_FLOOR(1)
GANGPLAN_CHOOSER_FLOOR(2)
GANGPLAN_CHOOSER_FLOOR(kMaxLevels + 1)

}  // namespace gangplan::exact
