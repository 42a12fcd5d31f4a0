// Which room on which nodes: see kueue_room.h.
#include <algorithm>
#include <limits>

#include "extender/planner/kueue_room.h"
#include "extender/planner/limits.h"
#include "extender/planner/nobody.h"
#include "fmt/format.h"
#include "topology/fit_counts.h"

namespace gangplan {

// No pod has such a UID.
std::string KueueRoom::UidOf(const Claim& claim, size_t set, std::string_view node) {
  return fmt::format("kueue/{}/{}/{}", claim.uid, set, node);
}

const KueueRoom::Seats* KueueRoom::SeatsOf(std::string_view name) const {
  const auto seats = seats_.find(name);
  return seats == seats_.end() ? nullptr : &seats->second;
}

bool KueueRoom::IsOurs(std::string_view node) const {
  const NodeIndex index = ledger_.model().FindNode(node);
  return index != kNoNode && ledger_.model().Facts(index) != nullptr;
}

// Empty: there is no such node, or it is not ours.
std::string KueueRoom::NodeOfHost(const std::string& host) const {
  if (!host_of_.contains(host) && IsOurs(host)) return host;
  const auto nodes = nodes_of_host_.find(host);
  if (nodes == nodes_of_host_.end()) return {};
  const auto found = std::find_if(nodes->second.begin(), nodes->second.end(),
                                  [this](const std::string& name) { return IsOurs(name); });
  return found == nodes->second.end() ? std::string() : *found;
}

// Of which of the set's sites the node is.
size_t KueueRoom::SiteOf(const Set& set, const std::string& node) const {
  std::vector<std::string> host;
  const std::vector<std::string>* values = &host;
  if (set.by_host) {
    host = {HostOf(node)};
    if (NodeOfHost(host.front()) != node) return kNoSite;
  } else {
    values = IsOurs(node) ? racks_.Of(set.levels, node) : nullptr;
    if (values == nullptr) return kNoSite;
  }
  const auto site = std::lower_bound(
      set.sites.begin(), set.sites.end(), *values,
      [](const Site& one, const std::vector<std::string>& wanted) { return one.values < wanted; });
  const bool found = site != set.sites.end() && site->values == *values;
  return found ? static_cast<size_t>(site - set.sites.begin()) : kNoSite;
}

// ---- what is wanted

// How many of its pods have still to come; less than 0: there are more than it was given. Kueue
// gives sites to those alone that have not succeeded by then, and takes none back where the set
// shrinks.
int64_t KueueRoom::LeftOf(const Seats* seats, const Set& set) {
  int64_t done = set.reclaimable, live = 0;
  if (seats != nullptr && seats->of.contains(set.name)) {
    const Counts& there = seats->of.at(set.name);
    done = std::max<int64_t>(done, std::ssize(there.done));
    live = there.live;
  }
  const int64_t all = set.all > 0 ? set.all : set.given;
  return std::min(set.given, all - done) - live;
}

// What has succeeded of an earlier assignment is of none of these sites.
int64_t KueueRoom::PodsOn(const Claim& claim, const Counts& counts) {
  const auto untold = static_cast<int64_t>(counts.done.count(0));
  const auto since = counts.done.lower_bound(std::max<int64_t>(claim.since, 1));
  return counts.live + untold + std::distance(since, counts.done.end());
}

void KueueRoom::CountOn(const Seats* seats, const Claim& claim, Set& set, const std::string& node) {
  const auto want = [&](size_t index, int64_t more) {
    Site& site = set.sites[index];
    site.there += more;
    set.wants.Want(index, static_cast<int32_t>(std::max<int64_t>(0, site.count - site.there)));
  };
  ++work_;
  if (const auto known = set.there.find(node); known != set.there.end()) {
    want(known->second.site, -known->second.pods);
    set.there.erase(known);
  }
  const size_t site = SiteOf(set, node);
  if (site == kNoSite) return;
  set.wants.Touch(site);
  if (seats == nullptr) return;
  const auto there = seats->on.find({set.name, node});
  if (there == seats->on.end()) return;
  const int64_t pods = PodsOn(claim, there->second);
  set.there[node] = {site, pods};
  want(site, pods);
}

void KueueRoom::RecountAll(const Seats* seats, const Claim& claim, Set& set) {
  work_ += static_cast<int64_t>(set.sites.size());
  set.there.clear();
  set.wants.Reset(set.sites.size());
  for (size_t i = 0; i < set.sites.size(); ++i) {
    set.sites[i].there = 0;
    set.wants.Want(i, set.sites[i].count);
  }
  if (seats == nullptr) return;
  for (auto next = seats->on.lower_bound({set.name, ""});
       next != seats->on.end() && next->first.first == set.name; ++next)
    CountOn(seats, claim, set, next->first.second);
}

void KueueRoom::Recount(const std::string& name, Claim& claim, size_t index, const Dirty& dirty) {
  Set& set = claim.sets[index];
  const Seats* seats = SeatsOf(name);
  if (dirty.all) {
    set.takes = !claim.gave_way && (seats == nullptr || seats->members == 0);
    if (!set.takes) return Release(name, claim, index);
    RecountAll(seats, claim, set);
  } else if (set.takes) {
    for (const std::string& node : dirty.nodes) CountOn(seats, claim, set, node);
  } else {
    return;
  }
  set.wants.Limit(std::max<int64_t>(0, LeftOf(seats, set)));
}

// ---- what is held

// No more than the node has: so no sum of these runs over.
ResourceList KueueRoom::TakenOf(const Set& set, NodeIndex node, int32_t pods) const {
  ResourceList taken = ledger_.Listed(node, set.each);
  for (ResourceAmount& one : taken) {
    const WideAmount most = ledger_.model().Use(node, one.name).allocatable;
    one.amount = static_cast<int64_t>(std::min(WideAmount{one.amount} * pods, most));
  }
  std::erase_if(taken, [](const ResourceAmount& one) { return one.amount <= 0; });
  return taken;
}

// What it has of that node from now on.
void KueueRoom::SetPods(const std::string& name, Claim& claim, size_t index, size_t site,
                        const std::string& node, int32_t pods) {
  Set& set = claim.sets[index];
  const std::string uid = UidOf(claim, index, node);
  const auto known = set.held.find(node);
  const bool was_there = known != set.held.end();
  const int32_t before = was_there ? known->second.pods : 0;
  set.sites[site].held += pods - before;
  if (was_there && node == by_pod_on_) {
    ledger_.LiftPod(uid);
  } else if (was_there) {
    ledger_.ErasePod(uid);
  }
  if (pods > 0) {
    const NodeIndex at = ledger_.model().FindNode(node);
    Place place{site, pods, TakenOf(set, at, pods)};
    ledger_.PutPod(uid, node, place.taken, Nobody(), true);
    if (pods > before) taken_.insert(at);
    set.held.insert_or_assign(node, std::move(place));
    set.sites[site].nodes.insert(node);
    if (!was_there && ++on_[node][name] == 1) ++holding_[name];
  } else if (was_there) {
    set.sites[site].nodes.erase(node);
    set.held.erase(known);
    NoteLeft(name, node);
  }
}

// A set of the Workload has nothing on the node any more.
void KueueRoom::NoteLeft(const std::string& name, const std::string& node) {
  const auto there = on_.find(node);
  const auto own = there->second.find(name);
  if (--own->second > 0) return;
  there->second.erase(own);
  if (there->second.empty()) on_.erase(there);
  if (--holding_.at(name) == 0) holding_.erase(name);
}

void KueueRoom::Release(const std::string& name, Claim& claim, size_t index) {
  Set& set = claim.sets[index];
  work_ += std::ssize(set.held);
  while (!set.held.empty()) {
    const auto& [node, place] = *set.held.begin();
    SetPods(name, claim, index, place.site, std::string(node), 0);
  }
  const auto first = short_.lower_bound({name, index, 0});
  const auto end = short_.lower_bound({name, index + 1, 0});
  short_.erase(first, end);
}

// How many more of its pods the node has room for: less than 0 where it has too little for those
// that stand there.
int64_t KueueRoom::FitsOn(const Set& set, std::string_view node, bool over_holds) const {
  const Model& model = ledger_.model();
  const NodeIndex at = model.FindNode(node);
  WideAmount fits = std::numeric_limits<int32_t>::max();
  for (const ResourceAmount& one : ledger_.Listed(at, set.each)) {
    const ResourceUse use = model.Use(at, one.name);
    const WideAmount left =
        WideAmount{use.allocatable} - use.used - (over_holds ? 0 : WideAmount{use.held});
    const int less = left < 0 && left % one.amount != 0 ? 1 : 0;
    fits = std::min(fits, left / one.amount - less);
  }
  return static_cast<int64_t>(std::max<WideAmount>(fits, std::numeric_limits<int32_t>::min()));
}

// As many as may: the node is still one of that site, and, where that is a rack, has the room.
void KueueRoom::KeepWhatStands(const std::string& name, Claim& claim, size_t index,
                               const std::string& node) {
  Set& set = claim.sets[index];
  const auto known = set.held.find(node);
  if (known == set.held.end()) return;
  ++work_;
  const Place& place = known->second;
  const size_t site = place.site;
  int64_t keeps = SiteOf(set, node) == site ? place.pods : 0;
  if (!set.by_host && keeps > 0)
    keeps = std::max<int64_t>(0, keeps + std::min<int64_t>(0, FitsOn(set, node, true)));
  const auto pods = static_cast<int32_t>(keeps);
  if (pods == place.pods && place.taken == TakenOf(set, ledger_.model().FindNode(node), pods))
    return;
  SetPods(name, claim, index, site, node, pods);
  set.wants.Touch(site);
}

// To what the site wants: where a pod of its own comes first, else from its last node on.
void KueueRoom::Lower(const std::string& name, Claim& claim, size_t index, size_t site) {
  Set& set = claim.sets[index];
  const Site& own = set.sites[site];
  const auto lower = [&](const std::string& node) {
    const int32_t pods = set.held.at(node).pods;
    const int32_t beyond = own.held - set.wants.Of(site);
    SetPods(name, claim, index, site, node, pods - std::min(pods, beyond));
  };
  if (own.held <= set.wants.Of(site)) return;
  if (own.nodes.contains(by_pod_on_)) lower(std::string(by_pod_on_));
  while (own.held > set.wants.Of(site)) lower(std::string(*own.nodes.rbegin()));
}

void KueueRoom::GiveBack(const std::string& name, Claim& claim, size_t index, const Dirty& dirty) {
  Set& set = claim.sets[index];
  if (!set.takes) return;
  if (dirty.all) {
    std::vector<std::string> nodes;
    for (const auto& [node, place] : set.held) nodes.push_back(node);
    for (const std::string& node : nodes) KeepWhatStands(name, claim, index, node);
  } else {
    for (const std::string& node : dirty.nodes) KeepWhatStands(name, claim, index, node);
  }
  work_ += std::ssize(set.wants.changed());
  for (const size_t site : set.wants.changed()) Lower(name, claim, index, site);
}

// ---- what is taken

// What a rack still lacks, of which some is searched already, is searched on with the ticks.
void KueueRoom::Take(const std::string& name, Claim& claim, size_t index) {
  Set& set = claim.sets[index];
  if (!set.takes) return;
  for (const size_t site : set.wants.TakeChanged()) {
    const bool lacks = set.sites[site].held < set.wants.Of(site);
    if (set.by_host) {
      const std::string node = lacks ? NodeOfHost(set.sites[site].values.front()) : std::string();
      if (!node.empty()) SetPods(name, claim, index, site, node, set.wants.Of(site));
      continue;
    }
    const RackKey key(name, index, site);
    const auto searched = short_.find(key);
    if (lacks && searched != short_.end()) continue;
    if (searched != short_.end()) short_.erase(searched);
    Search search;
    if (!TakeInRack(key, search)) short_.emplace(key, std::move(search));
  }
}

// First where nothing is held, by the nodes' names. False: it lacks room still, and is to go on.
bool KueueRoom::TakeInRack(const RackKey& key, Search& search) {
  const auto& [name, index, at] = key;
  Claim& claim = claims_.at(name);
  Set& set = claim.sets[index];
  const Site& site = set.sites[at];
  const RackNodes::Nodes& nodes = racks_.With(set.levels, site.values);
  const auto lacks = [&] { return set.wants.Of(at) - site.held; };
  while (lacks() > 0) {
    for (auto next = nodes.lower_bound(search.from); next != nodes.end() && lacks() > 0; ++next) {
      search.from = *next;
      if (looks_ <= 0) return false;
      --looks_;
      ++work_;
      const NodeIndex node = ledger_.model().FindNode(*next);
      const NodeFacts* facts = node == kNoNode ? nullptr : ledger_.model().Facts(node);
      if (facts == nullptr || !facts->ready || facts->unschedulable) continue;
      const int64_t more = std::min<int64_t>(FitsOn(set, *next, search.over_holds), lacks());
      if (more <= 0) continue;
      const auto place = set.held.find(*next);
      const int32_t pods = place == set.held.end() ? 0 : place->second.pods;
      SetPods(name, claim, index, at, *next, pods + static_cast<int32_t>(more));
    }
    if (lacks() <= 0) break;
    search.from.clear();
    search.over_holds = !search.over_holds;
    if (!search.over_holds) return false;  // nowhere, now
  }
  return true;
}

// The next ones of those that lack room, in their order.
void KueueRoom::GoOn() {
  looks_ = kKueueLooksAtOnce;
  for (size_t i = short_.size(); i > 0 && looks_ > 0; --i) {
    auto next = short_.upper_bound(last_short_);
    if (next == short_.end()) next = short_.begin();
    last_short_ = next->first;
    --looks_;
    if (TakeInRack(next->first, next->second)) short_.erase(next);
  }
}

// All give back before any takes. `looks`: at so many nodes of racks at the most.
void KueueRoom::FitWithin(int64_t looks, bool grows, std::string_view by_pod_on) {
  if (dirty_.empty()) return;
  by_pod_on_ = by_pod_on;
  for (const auto& [name, dirty] : dirty_) {
    Claim& claim = claims_.at(name);
    for (size_t i = 0; i < claim.sets.size(); ++i) {
      Recount(name, claim, i, dirty);
      GiveBack(name, claim, i, dirty);
    }
  }
  by_pod_on_ = {};
  if (!grows) return;
  looks_ = looks;
  for (const auto& [name, dirty] : dirty_) {
    Claim& claim = claims_.at(name);
    for (size_t i = 0; i < claim.sets.size(); ++i) Take(name, claim, i);
  }
  dirty_.clear();
}

}  // namespace gangplan
