// Which room on which nodes: see kueue_room.h.
#include <algorithm>
#include <limits>

#include "extender/planner/kueue_room.h"
#include "extender/planner/nobody.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

ResourceList TimesOf(const ResourceList& each, int32_t pods) {
  ResourceList sum;
  AddResources(sum, each, pods);
  return sum;
}

}  // namespace

// No pod has such a UID.
std::string KueueRoom::UidOf(const Claim& claim, size_t set, std::string_view node) {
  return fmt::format("kueue/{}/{}/{}", claim.uid, set, node);
}

bool KueueRoom::Takes(std::string_view name, const Claim& claim, const Set& set) const {
  if (claim.over || set.whose == Whose::kOurs) return false;
  const auto seats = set.whose == Whose::kAskUs ? seats_.find(name) : seats_.end();
  return seats == seats_.end() || seats->second.members == 0;
}

// Empty: there is no such node, or it is not ours.
std::string KueueRoom::NodeOfHost(const std::string& host) const {
  const Model& model = ledger_.model();
  const auto is_ours = [&](const std::string& name) {
    const NodeIndex node = model.FindNode(name);
    return node != kNoNode && model.Facts(node) != nullptr;
  };
  if (!host_of_.contains(host) && is_ours(host)) return host;
  const auto nodes = nodes_of_host_.find(host);
  if (nodes == nodes_of_host_.end()) return {};
  const auto found = std::find_if(nodes->second.begin(), nodes->second.end(), is_ours);
  return found == nodes->second.end() ? std::string() : *found;
}

const KueueRoom::Seats* KueueRoom::SeatsOf(std::string_view name) const {
  const auto seats = seats_.find(name);
  return seats == seats_.end() ? nullptr : &seats->second;
}

const std::string& KueueRoom::HostOf(const std::string& node) const {
  const auto host = host_of_.find(node);
  return host == host_of_.end() ? node : host->second;
}

// The node is one of the site's.
bool KueueRoom::Matches(const Set& set, const Site& site, std::string_view node) const {
  if (set.by_host) return NodeOfHost(site.values.front()) == node;
  const NodeIndex index = ledger_.model().FindNode(node);
  const NodeFacts* facts = index == kNoNode ? nullptr : ledger_.model().Facts(index);
  if (facts == nullptr) return false;
  for (size_t i = 0; i < set.levels.size(); ++i) {
    const std::string* value = FindLabel(facts->labels, set.levels[i]);
    if (value == nullptr || *value != site.values[i]) return false;
  }
  return true;
}

KueueRoom::Counts KueueRoom::Seated(const Seats& seats, const Set& set, const Site& site) const {
  Counts sum;
  if (set.by_host) {
    const auto there = seats.on.find({set.name, NodeOfHost(site.values.front())});
    return there == seats.on.end() ? sum : there->second;
  }
  for (auto next = seats.on.lower_bound({set.name, ""});
       next != seats.on.end() && next->first.first == set.name; ++next) {
    if (!Matches(set, site, next->first.second)) continue;
    sum.live += next->second.live;
    sum.done += next->second.done;
  }
  return sum;
}

int32_t KueueRoom::WantOf(const Seats* seats, const Set& set, const Site& site) const {
  const Counts there = seats == nullptr ? Counts() : Seated(*seats, set, site);
  return std::max(0, site.count - there.live - there.done);
}

// How many of its pods have still to come.
int64_t KueueRoom::LeftOf(const Seats* seats, const Set& set) {
  Counts all;
  if (seats != nullptr) {
    const auto of = seats->of.find(set.name);
    if (of != seats->of.end()) all = of->second;
  }
  return std::max<int64_t>(0, set.given - std::max<int64_t>(all.done, set.reclaimable) - all.live);
}

void KueueRoom::NoteAmounts(const std::string& name, const std::string& node,
                            const ResourceList& amounts, int sign) {
  auto& there = on_[node];
  const auto [own, added] = there.try_emplace(name);
  AddResources(own->second, amounts, sign);
  std::erase_if(own->second, [](const ResourceAmount& one) { return one.amount == 0; });
  if (added) ++holding_[name];
  if (!own->second.empty()) return;
  there.erase(own);
  if (there.empty()) on_.erase(node);
  if (--holding_[name] == 0) holding_.erase(name);
}

// What it has of that node from now on.
void KueueRoom::SetPods(const std::string& name, Claim& claim, size_t index, Site& site,
                        const std::string& node, int32_t pods) {
  const Set& set = claim.sets[index];
  const std::string uid = UidOf(claim, index, node);
  const auto place = std::find_if(site.held.begin(), site.held.end(),
                                  [&](const Place& one) { return one.node == node; });
  const NodeIndex at = ledger_.model().FindNode(node);
  if (place != site.held.end()) {
    NoteAmounts(name, node, place->taken, -1);
    if (node == by_pod_on_) {
      ledger_.LiftPod(uid);
    } else {
      ledger_.ErasePod(uid);
    }
  }
  if (pods == 0) {
    if (place != site.held.end()) site.held.erase(place);
    return;
  }
  ResourceList taken = ledger_.Listed(at, TimesOf(set.each, pods));
  const bool more = place == site.held.end() || place->pods < pods;
  ledger_.PutPod(uid, node, taken, Nobody(), true);
  NoteAmounts(name, node, taken, 1);
  if (more) taken_.insert(at);
  if (place == site.held.end()) {
    site.held.push_back({node, pods, std::move(taken)});
  } else {
    *place = {node, pods, std::move(taken)};
  }
}

void KueueRoom::FitHost(const std::string& name, Claim& claim, size_t index, Site& site,
                        int32_t want, bool grows) {
  const std::string node = NodeOfHost(site.values.front());
  if (!site.held.empty() && site.held.front().node != node)
    SetPods(name, claim, index, site, std::string(site.held.front().node), 0);
  const int32_t held = site.held.empty() ? 0 : site.held.front().pods;
  if (node.empty() || (want > held && !grows)) return;
  const ResourceList each = TimesOf(claim.sets[index].each, held);
  const bool same =
      want == held && (held == 0 || site.held.front().taken ==
                                        ledger_.Listed(ledger_.model().FindNode(node), each));
  if (!same) SetPods(name, claim, index, site, node, want);
}

// Of each site as many as it was given less those that have come; of all together no more than have
// still to come: the last sites have less.
void KueueRoom::FitAll(const std::string& name, Claim& claim, size_t index, bool grows) {
  Set& set = claim.sets[index];
  const bool takes = Takes(name, claim, set);
  const Seats* seats = SeatsOf(name);
  set.wanted = 0;
  for (Site& site : set.sites) set.wanted += site.want = WantOf(seats, set, site);
  set.cut = !takes || set.wanted > LeftOf(seats, set);
  int64_t beyond = takes ? std::max<int64_t>(0, set.wanted - LeftOf(seats, set)) : set.wanted;
  for (size_t i = set.sites.size(); i > 0; --i) {
    Site& site = set.sites[i - 1];
    const auto less = static_cast<int32_t>(std::min<int64_t>(site.want, beyond));
    beyond -= less;
    const int32_t want = site.want - less;
    if (set.by_host) {
      FitHost(name, claim, index, site, want, grows);
    } else {
      FitRack(name, claim, index, site, want, grows);
    }
  }
}

// Its sites of these nodes; all of them where some have less than they want.
void KueueRoom::FitNodes(const std::string& name, Claim& claim, size_t index,
                         const std::set<std::string>& nodes, bool grows) {
  Set& set = claim.sets[index];
  const Seats* seats = SeatsOf(name);
  bool all = !set.by_host || set.cut;
  std::vector<Site*> sites;
  for (const std::string& node : nodes) {
    const std::string& host = HostOf(node);
    const auto site = std::lower_bound(
        set.sites.begin(), set.sites.end(), host,
        [](const Site& one, const std::string& value) { return one.values.front() < value; });
    if (all || site == set.sites.end() || site->values.front() != host) continue;
    const int32_t want = WantOf(seats, set, *site);
    set.wanted += want - site->want;
    site->want = want;
    sites.push_back(&*site);
  }
  all |= set.wanted > LeftOf(seats, set);
  if (all) return FitAll(name, claim, index, grows);
  for (Site* site : sites) FitHost(name, claim, index, *site, site->want, grows);
}

// How many more of its pods the node has room for: less than 0 where it has too little for those
// that stand there. What holds it of others that may give way counts where `beside_holds`.
int64_t KueueRoom::FitsOn(const Set& set, std::string_view node, bool beside_holds) const {
  const Model& model = ledger_.model();
  const NodeIndex at = model.FindNode(node);
  int64_t fits = std::numeric_limits<int32_t>::max();
  for (const ResourceAmount& one : ledger_.Listed(at, set.each)) {
    const ResourceUse use = model.Use(at, one.name);
    const int64_t left = use.allocatable - use.used - (beside_holds ? use.held : 0);
    const int64_t less = left < 0 && left % one.amount != 0 ? 1 : 0;
    fits = std::min(fits, left / one.amount - less);
  }
  return fits;
}

// What stands goes only where the node has no room for it; what is missing goes first where nothing
// is held, by the nodes' names.
void KueueRoom::FitRack(const std::string& name, Claim& claim, size_t index, Site& site,
                        int32_t want, bool grows) {
  const Set& set = claim.sets[index];
  const std::vector<Place> before = site.held;
  for (const Place& place : before) {
    int64_t keeps = 0;
    if (Matches(set, site, place.node))
      keeps = std::clamp<int64_t>(place.pods + std::min<int64_t>(0, FitsOn(set, place.node, false)),
                                  0, want);
    if (keeps != place.pods)
      SetPods(name, claim, index, site, place.node, static_cast<int32_t>(keeps));
    want -= static_cast<int32_t>(keeps);
  }
  if (want == 0 || !grows) return;
  std::vector<std::string> nodes;
  for (const NodeFacts* node : ledger_.model().AllFacts()) {
    if (node->ready && !node->unschedulable && Matches(set, site, node->name))
      nodes.push_back(node->name);
  }
  std::sort(nodes.begin(), nodes.end());
  for (const bool beside_holds : {true, false}) {
    for (const std::string& node : nodes) {
      if (want == 0) return;
      const int64_t more = std::clamp<int64_t>(FitsOn(set, node, beside_holds), 0, want);
      if (more == 0) continue;
      const auto place = std::find_if(site.held.begin(), site.held.end(),
                                      [&](const Place& one) { return one.node == node; });
      const int32_t held = place == site.held.end() ? 0 : place->pods;
      SetPods(name, claim, index, site, node, held + static_cast<int32_t>(more));
      want -= static_cast<int32_t>(more);
    }
  }
}

void KueueRoom::Fit(bool grows, std::string_view by_pod_on) {
  if (dirty_.empty()) return;
  by_pod_on_ = by_pod_on;
  for (const auto& [name, dirty] : dirty_) {
    Claim& claim = claims_.at(name);
    for (size_t i = 0; i < claim.sets.size(); ++i) {
      if (dirty.all) {
        FitAll(name, claim, i, grows);
      } else {
        FitNodes(name, claim, i, dirty.nodes, grows);
      }
    }
  }
  by_pod_on_ = {};
  if (grows) dirty_.clear();
}

}  // namespace gangplan
