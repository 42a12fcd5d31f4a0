// Ways with children that are alike, without setting out their hosts one by one. The split of such
// a way is known, and which children of its kinds host the load changes what two segments of it
// cost: the one that the host leaves and the one that it joins with its part of the load.
//
//   racks of 8, 8, 8 and 3 that hold one less beside a leader; a leader and 18 workers, pack:
//   the split is 8, 8 and 3, and the host takes one of these: all racks of 8 are one segment
//   each rack as the host: the sums of the segment without it, and with it and the leader
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>

#include "algorithms/exact/chooser_loads.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

constexpr int64_t kOfferSteps = 2;
constexpr int64_t kPairSteps = 10;  // of a look at what some hosts cost together

// One child of `gone` (none with 0) is one of `come` now.
void Exchange(int32_t gone, int32_t come, std::vector<Run>& most) {
  const auto at = [&](int32_t value) {
    return std::find_if(most.begin(), most.end(),
                        [&](const Run& run) { return run.value <= value; });
  };
  if (gone > 0 && --at(gone)->count == 0) most.erase(at(gone));
  const auto to = at(come);
  if (to != most.end() && to->value == come)
    ++to->count;
  else
    most.insert(to, {come, 1});
}

}  // namespace

// Which hosts of a way are the best, for all ways of a domain that have the same segments.
// REQUIRES: the children are alike, and no leaves.
template <int kWords>
class Chooser<kWords>::WayPrices {
 public:
  struct Segment;
  WayPrices(Chooser& chooser, int level, int32_t index, std::vector<Segment> segments);

  bool Matches(const std::vector<Segment>& segments) const;
  struct Found {
    KeyOf key;
    LoadedChildren hosts;
  };
  // Nothing once the steps have ended.
  std::optional<Found> Best(const Ways& ways, const Way& way);

 private:
  struct Offer;
  struct Host;
  using Hosts = std::vector<std::pair<Host, LoadedChildren>>;  // that cost the same

  int SegmentOf(int32_t most) const;
  Offer Ask(const Segment& segment, int32_t child);
  void Fill(int32_t child);
  Hosts FindHosts(const HostKind& kind, const KeyOf* bound);
  const Hosts& HostsOf(const Ways& ways, size_t kind, const KeyOf* bound);
  std::optional<KeyOf> Price(std::span<const Host* const> hosts) const;
  std::optional<KeyOf> Price(int segment, std::span<const Host* const> hosts) const;

  Chooser& chooser_;
  const int below_;
  std::vector<Segment> segments_;
  std::map<size_t, Hosts> hosts_;  // by kind
};

// What a child costs with the first and with the last value of a segment.
template <int kWords>
struct Chooser<kWords>::WayPrices::Offer {
  bool can_first = false, can_last = false;
  KeyOf first, last;

  bool has_choice() const { return can_first && can_last; }
  friend bool operator<(const Offer& a, const Offer& b) {
    return std::tie(a.can_first, a.can_last, a.first.words, a.last.words) <
           std::tie(b.can_first, b.can_last, b.first.words, b.last.words);
  }
};

// Children of which each takes one of two values at most: some can take the first only or the last
// only, and of the others those take the first for whom it costs the least more.
template <int kWords>
struct Chooser<kWords>::WayPrices::Segment {
  Run first, last;          // one value: all children have the first, `last` is the same
  int32_t forced = 0;       // can take the first value only
  bool broken = false;      // some child can take neither
  KeyOf fixed;              // of all; of those with a choice, the last value
  std::vector<KeyOf> more;  // of these, what the first value costs more; ascending
  std::vector<KeyOf> sums;  // of the first 0, 1, ... of `more`

  bool single() const { return first.value == last.value; }
};

// A host: the segments that it leaves and joins; -1: it has nothing without the load.
template <int kWords>
struct Chooser<kWords>::WayPrices::Host {
  int leaves = -1;
  int joins = -1;
  Offer without, with;

  friend bool operator<(const Host& a, const Host& b) {
    return std::tie(a.leaves, a.joins, a.without, a.with) <
           std::tie(b.leaves, b.joins, b.without, b.with);
  }
};

template <int kWords>
Chooser<kWords>::WayPrices::WayPrices(Chooser& chooser, int level, int32_t index,
                                      std::vector<Segment> segments)
    : chooser_(chooser), below_(level + 1), segments_(std::move(segments)) {
  for (const int32_t child : chooser.field_.children(level, index).alike.order) Fill(child);
  for (Segment& segment : segments_) {
    CountSort(segment.more.size());
    std::sort(segment.more.begin(), segment.more.end());
    segment.sums.resize(segment.more.size() + 1);
    std::partial_sum(segment.more.begin(), segment.more.end(), segment.sums.begin() + 1);
  }
}

template <int kWords>
bool Chooser<kWords>::WayPrices::Matches(const std::vector<Segment>& segments) const {
  return std::equal(
      segments_.begin(), segments_.end(), segments.begin(), segments.end(),
      [](const Segment& a, const Segment& b) { return a.first == b.first && a.last == b.last; });
}

// Of those who hold so many at most.
template <int kWords>
int Chooser<kWords>::WayPrices::SegmentOf(int32_t most) const {
  for (size_t i = 0; i < segments_.size(); ++i)
    if (most >= segments_[i].last.value) return static_cast<int>(i);
  return -1;
}

template <int kWords>
typename Chooser<kWords>::WayPrices::Offer Chooser<kWords>::WayPrices::Ask(const Segment& segment,
                                                                           int32_t child) {
  Offer offer;
  chooser_.steps_ -= kOfferSteps;
  CountWork(Work::kReach, 2);
  const Reach reach = chooser_.field_.reach(below_, child);
  offer.can_first = chooser_.field_.Has(reach, segment.first.value);
  if (offer.can_first) offer.first = chooser_.Ask(below_, child, segment.first.value);
  if (segment.single()) return offer;
  offer.can_last = chooser_.field_.Has(reach, segment.last.value);
  if (offer.can_last) offer.last = chooser_.Ask(below_, child, segment.last.value);
  return offer;
}

template <int kWords>
void Chooser<kWords>::WayPrices::Fill(int32_t child) {
  const int at = SegmentOf(chooser_.field_.Most(below_, child));
  if (at < 0 || chooser_.ended()) return;
  Segment& segment = segments_[static_cast<size_t>(at)];
  const Offer offer = Ask(segment, child);
  segment.broken = segment.broken || !(offer.can_first || offer.can_last);
  segment.forced += static_cast<int32_t>(offer.can_first && !offer.can_last);
  segment.fixed += offer.can_last ? offer.last : offer.first;
  if (offer.has_choice()) segment.more.push_back(offer.first - offer.last);
}

// The children of the kind, those together that cost the same; by index within. Only the first one
// with which all costs no more than `bound`, where one is given and there is such a child.
template <int kWords>
typename Chooser<kWords>::WayPrices::Hosts Chooser<kWords>::WayPrices::FindHosts(
    const HostKind& kind, const KeyOf* bound) {
  std::map<Host, LoadedChildren> hosts;
  for (const int32_t child : kind.loaded) {
    Host host;
    CountWork(Work::kFind, 4);
    const int32_t without = chooser_.field_.Unloaded(below_, child);
    const int32_t most = chooser_.field_.Most(below_, without);
    if (most > 0) host.leaves = SegmentOf(most);
    if (host.leaves >= 0) host.without = Ask(segments_[static_cast<size_t>(host.leaves)], without);
    host.joins = SegmentOf(chooser_.field_.Most(below_, child));
    if (host.joins < 0) continue;
    host.with = Ask(segments_[static_cast<size_t>(host.joins)], child);
    if (chooser_.ended()) break;
    if (!host.with.can_first && !host.with.can_last) continue;
    hosts[host].push_back(child);
    if (bound == nullptr) continue;
    const Host* const alone = &host;
    chooser_.steps_ -= kPairSteps * static_cast<int64_t>(segments_.size());
    const std::optional<KeyOf> key = Price({&alone, 1});
    if (key && !(*bound < *key)) return {{host, {child}}};
  }
  return Hosts(hosts.begin(), hosts.end());
}

template <int kWords>
const typename Chooser<kWords>::WayPrices::Hosts& Chooser<kWords>::WayPrices::HostsOf(
    const Ways& ways, size_t kind, const KeyOf* bound) {
  const auto [known, fresh] = hosts_.try_emplace(kind);
  if (fresh) known->second = FindHosts((*ways.kinds)[kind], bound);
  return known->second;
}

// What the segment costs with these hosts; nothing: it is not possible.
template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::WayPrices::Price(
    int at, std::span<const Host* const> hosts) const {
  const Segment& segment = segments_[static_cast<size_t>(at)];
  KeyOf cost = segment.fixed;
  int32_t missing = segment.first.count - segment.forced;
  absl::InlinedVector<KeyOf, 2> gone, come;
  CountWork(Work::kFind, 2);
  for (const Host* host : hosts) {
    if (host->leaves == at) {
      const Offer& offer = host->without;
      cost = cost - (offer.can_last ? offer.last : offer.first);
      missing += static_cast<int32_t>(!offer.can_last);
      if (offer.has_choice()) gone.push_back(offer.first - offer.last);
    }
    if (host->joins == at) {
      const Offer& offer = host->with;
      cost += offer.can_last ? offer.last : offer.first;
      missing -= static_cast<int32_t>(!offer.can_last);
      if (offer.has_choice()) come.push_back(offer.first - offer.last);
    }
  }
  std::sort(gone.begin(), gone.end());
  std::sort(come.begin(), come.end());
  std::optional<KeyOf> best;
  KeyOf of_come;
  // So many of those who come take the first value, the others are the first ones of the segment.
  for (size_t taken = 0; taken <= come.size(); ++taken) {
    if (taken > 0) of_come += come[taken - 1];
    const int32_t others = missing - static_cast<int32_t>(taken);
    if (others < 0) break;
    auto end = static_cast<size_t>(others);
    KeyOf of_gone;
    auto from = segment.more.begin();
    for (const KeyOf& one : gone) {
      from = std::lower_bound(from, segment.more.end(), one);
      if (static_cast<size_t>(from - segment.more.begin()) >= end) break;
      ++from;
      ++end;
      of_gone += one;
    }
    const size_t left = segment.more.size() - gone.size();
    if (static_cast<size_t>(others) > left) continue;
    const KeyOf sum = of_come + segment.sums[end] - of_gone;
    if (!best || sum < *best) best = sum;
  }
  if (!best) return std::nullopt;
  return cost + *best;
}

template <int kWords>
std::optional<Key<kWords>> Chooser<kWords>::WayPrices::Price(
    std::span<const Host* const> hosts) const {
  KeyOf cost;
  for (size_t at = 0; at < segments_.size(); ++at) {
    if (segments_[at].broken) return std::nullopt;
    const std::optional<KeyOf> one = Price(static_cast<int>(at), hosts);
    if (!one) return std::nullopt;
    cost += *one;
  }
  return cost;
}

template <int kWords>
std::optional<typename Chooser<kWords>::WayPrices::Found> Chooser<kWords>::WayPrices::Best(
    const Ways& ways, const Way& way) {
  absl::InlinedVector<const Hosts*, 2> hosts;
  const KeyOf* const bound = way.kinds.size() == 1 ? &way.bound : nullptr;
  for (const size_t kind : way.kinds) hosts.push_back(&HostsOf(ways, kind, bound));
  std::optional<Found> best;
  absl::InlinedVector<const Host*, 2> chosen;
  absl::InlinedVector<ChildList, 2> lists;
  const auto choose = [&](const auto& self, size_t from) -> void {
    const size_t at = chosen.size();
    if (chooser_.ended()) return;
    if (at == way.kinds.size()) {
      chooser_.steps_ -= kPairSteps * static_cast<int64_t>(segments_.size());
      const std::optional<KeyOf> key = Price(chosen);
      if (!key || (best && !(*key < best->key))) return;
      chooser_.VisitDistinct(below_ - 1, lists, [&](std::span<const int32_t> children) {
        best = Found{*key, {children.begin(), children.end()}};
        return false;
      });
      return;
    }
    const bool same = at > 0 && way.kinds[at] == way.kinds[at - 1];
    for (size_t i = same ? from : 0; i < hosts[at]->size(); ++i) {
      chosen.push_back(&(*hosts[at])[i].first);
      lists.push_back(&(*hosts[at])[i].second);
      self(self, i);
      chosen.pop_back();
      lists.pop_back();
    }
  };
  choose(choose, 0);
  if (chooser_.ended()) return std::nullopt;
  return best;
}

// The best hosts of a way whose children are alike and no leaves, if they cost less than `best`.
// `some` of them have this split. Nothing: a segment has more than two values.
template <int kWords>
std::optional<bool> Chooser<kWords>::PriceHosts(int level, int32_t index, const Ways& ways,
                                                const Way& way, std::span<const int32_t> some,
                                                std::vector<Run> split, Prices& known, KeyOf& best,
                                                LoadedChildren& hosts) {
  std::vector<Run> most(field_.children(level, index).alike.siblings.most.begin(),
                        field_.children(level, index).alike.siblings.most.end());
  for (const int32_t child : some) {
    Exchange(field_.Most(level + 1, field_.Unloaded(level + 1, child)),
             field_.Most(level + 1, child), most);
  }
  std::vector<typename WayPrices::Segment> segments;
  const Siblings siblings{most};
  const bool simple = VisitSegments(siblings, split, [&](std::span<const Run> values, auto, auto) {
    segments.emplace_back();
    segments.back().first = values.front();
    segments.back().last = values.back();
    return values.size() <= 2;
  });
  if (!simple) return std::nullopt;
  steps_ -= static_cast<int64_t>(most.size());
  auto prices = std::find_if(known.begin(), known.end(),
                             [&](const auto& one) { return one->Matches(segments); });
  if (prices == known.end()) {
    known.push_back(std::make_shared<WayPrices>(*this, level, index, std::move(segments)));
    prices = known.end() - 1;
  }
  const auto found = (*prices)->Best(ways, way);
  if (!found || !(found->key < best)) return false;
  best = found->key;
  hosts = found->hosts;
  return true;
}

#define GANGPLAN_CHOOSER_TIES(kWords)                                                             \
  template std::optional<bool> Chooser<kWords>::PriceHosts(                                       \
      int, int32_t, const Ways&, const Way&, std::span<const int32_t>, std::vector<Run>, Prices&, \
      Key<kWords>&, LoadedChildren&);
GANGPLAN_CHOOSER_TIES(1)
GANGPLAN_CHOOSER_TIES(2)
GANGPLAN_CHOOSER_TIES(kMaxLevels + 1)

}  // namespace gangplan::exact
