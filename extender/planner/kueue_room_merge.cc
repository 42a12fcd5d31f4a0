// What changes when Kueue gives a Workload other nodes or racks than before: see kueue_room.h.
#include <algorithm>
#include <utility>

#include "extender/planner/kueue_room.h"

namespace gangplan {

// Of the same pod sets, which take the same; where that is may have changed.
bool KueueRoom::AreAlike(const Claim& a, const Claim& b) {
  const auto alike = [](const Set& one, const Set& other) {
    return one.name == other.name && one.each == other.each && one.levels == other.levels;
  };
  return a.uid == b.uid && a.since == b.since &&
         std::equal(a.sets.begin(), a.sets.end(), b.sets.begin(), b.sets.end(), alike);
}

// Which of the old sites each new one is.
std::vector<size_t> KueueRoom::SitesBefore(const Set& set, const std::vector<Site>& sites) {
  std::vector<size_t> from;
  from.reserve(sites.size());
  size_t old = 0;
  for (const Site& site : sites) {
    while (old < set.sites.size() && set.sites[old].values < site.values) ++old;
    const bool known = old < set.sites.size() && set.sites[old].values == site.values;
    from.push_back(known ? old : kNoSite);
  }
  return from;
}

// What stands in sites that are left stays where it is. O(sites), in what is held and searched what
// changes.
void KueueRoom::Merge(const std::string& name, Claim& claim, size_t index, Set next) {
  Set& set = claim.sets[index];
  set.all = next.all;
  set.reclaimable = next.reclaimable;
  const auto same = [](const Site& one, const Site& other) {
    return one.values == other.values && one.count == other.count;
  };
  if (std::equal(set.sites.begin(), set.sites.end(), next.sites.begin(), next.sites.end(), same))
    return;
  const std::vector<size_t> from = SitesBefore(set, next.sites);
  std::vector<size_t> to(set.sites.size(), kNoSite);
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != kNoSite) to[from[i]] = i;
  const auto by_values = [](const Site& a, const Site& b) { return a.values < b.values; };
  const auto others = [&](const Site& site) {  // follow it, too
    return std::any_of(claim.sets.begin(), claim.sets.end(), [&](const Set& other) {
      return &other != &set && other.by_host &&
             std::binary_search(other.sites.begin(), other.sites.end(), site, by_values);
    });
  };
  for (size_t old = 0; old < to.size(); ++old) {
    if (to[old] != kNoSite) continue;
    if (!others(set.sites[old])) LeaveSite(name, set, set.sites[old]);
    while (!set.sites[old].nodes.empty())
      SetPods(name, claim, index, old, std::string(*set.sites[old].nodes.begin()), 0);
  }
  for (size_t i = 0; i < from.size(); ++i) {
    Site& site = next.sites[i];
    if (from[i] == kNoSite) {
      FollowSite(name, set, site);
      continue;
    }
    Site& before = set.sites[from[i]];
    site.there = before.there;
    site.held = before.held;
    site.nodes = std::move(before.nodes);
  }
  Renumber(name, set, index, from, to);
  const std::vector<Site> before = std::exchange(set.sites, std::move(next.sites));
  set.given = next.given;
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] == kNoSite || set.sites[i].count != before[from[i]].count) CountAnew(name, set, i);
  if (set.takes && !set.by_host) MarkUncounted(name, set);
}

// Whatever names its sites by number. What is not counted now is counted whole when it is.
void KueueRoom::Renumber(const std::string& name, Set& set, size_t index,
                         const std::vector<size_t>& from, const std::vector<size_t>& to) {
  if (set.takes) set.wants.Renumber(from);
  for (auto& [node, place] : set.held) place.site = to[place.site];
  std::erase_if(set.there, [&](const auto& one) { return to[one.second.site] == kNoSite; });
  for (auto& [node, there] : set.there) there.site = to[there.site];
  std::map<size_t, Search> searches;
  const auto first = short_.lower_bound({name, index, 0});
  auto next = first;
  for (; next != short_.end() && std::get<0>(next->first) == name &&
         std::get<1>(next->first) == index;
       ++next) {
    const size_t site = to[std::get<2>(next->first)];
    if (site != kNoSite) searches.emplace(site, std::move(next->second));
  }
  short_.erase(first, next);
  for (auto& [site, search] : searches)
    short_.emplace(RackKey(name, index, site), std::move(search));
}

// A site that is new, or of another number of pods; what is there of a new one is counted by Fit.
void KueueRoom::CountAnew(const std::string& name, Set& set, size_t site) {
  ++work_;
  if (!set.takes) return;
  const Site& own = set.sites[site];
  set.wants.Want(site, static_cast<int32_t>(std::max<int64_t>(0, own.count - own.there)));
  set.wants.Touch(site);
  if (!set.by_host) return;
  std::set<std::string>& nodes = dirty_[name].nodes;
  const auto others = nodes_of_host_.find(own.values.front());
  nodes.insert(own.values.front());
  if (others != nodes_of_host_.end()) nodes.insert(others->second.begin(), others->second.end());
}

// Pods that are in none of the sites may be in a new one.
void KueueRoom::MarkUncounted(const std::string& name, const Set& set) {
  const Seats* seats = SeatsOf(name);
  if (seats == nullptr) return;
  for (auto next = seats->on.lower_bound({set.name, ""});
       next != seats->on.end() && next->first.first == set.name; ++next)
    if (!set.there.contains(next->first.second)) dirty_[name].nodes.insert(next->first.second);
}

}  // namespace gangplan
