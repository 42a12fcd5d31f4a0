// What is asked of the room that Kueue has given: see kueue_room.h.
#include <algorithm>

#include "extender/planner/kueue_room.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {

std::vector<std::string> KueueRoom::Nodes() const {
  std::vector<std::string> nodes;
  for (const auto& [node, workloads] : on_) nodes.push_back(node);
  return nodes;
}

ResourceList KueueRoom::OpenTo(const PodFacts& pod, std::string_view node) const {
  return Open(WorkloadOf(pod), pod.priority, node);
}

ResourceList KueueRoom::OpenTo(std::string_view uid, int32_t priority,
                               std::string_view node) const {
  const auto pod = pods_.find(uid);
  return Open(pod == pods_.end() ? std::string() : pod->second.workload, priority, node);
}

ResourceList KueueRoom::Open(const std::string& workload, int32_t priority,
                             std::string_view node) const {
  ResourceList open;
  const auto there = on_.find(node);
  if (there == on_.end()) return open;
  for (const auto& [name, sets] : there->second) {
    if (name != workload && priority < kSystemPriority) continue;
    for (const Set& set : claims_.at(name).sets) {
      const auto place = set.held.find(node);
      if (place != set.held.end()) AddResources(open, place->second.taken);
    }
  }
  return open;
}

// ---- who leaves

// As many as its sites want, and no more than are to come.
int64_t KueueRoom::Leaving::OfSet::more() const {
  const int64_t to_come = std::max<int64_t>(0, left + gone);
  return std::min(set->wants.wanted() + wanted, to_come) - set->wants.all();
}

void KueueRoom::Leaving::Go(std::string_view uid) {
  const auto pod = room_.pods_.find(uid);
  if (pod == room_.pods_.end() || pod->second.node.empty() || pod->second.done) return;
  const auto claim = room_.claims_.find(pod->second.workload);
  if (claim == room_.claims_.end() || goers_.contains(uid)) return;
  const std::vector<Set>& sets = claim->second.sets;
  const auto set = std::find_if(sets.begin(), sets.end(), [&](const Set& one) {
    return one.takes && one.name == pod->second.set;
  });
  if (set == sets.end()) return;
  const auto [known, added] = sets_.try_emplace({claim->first, set - sets.begin()});
  OfSet& of = known->second;
  if (added) of.left = LeftOf(room_.SeatsOf(claim->first), *(of.set = &*set));
  ++of.gone;
  const auto there = set->there.find(pod->second.node);
  bool wanted = false;
  if (there != set->there.end()) {
    const Site& site = set->sites[there->second.site];
    wanted = site.there - ++of.from[there->second.site] < site.count;
  }
  of.wanted += wanted ? 1 : 0;
  goers_.emplace(uid, Goer{&of, wanted});
}

// Where more of them are wanted than are to come, of all that are: which ones hangs on the others.
const ResourceList* KueueRoom::Leaving::TakenAgain(std::string_view uid) const {
  const auto known = goers_.find(uid);
  const bool again = known != goers_.end() && known->second.wanted && known->second.of->more() > 0;
  return again ? &known->second.of->set->each : nullptr;
}

ResourceList KueueRoom::TakenAgain(const std::vector<std::string_view>& victims,
                                   const PodFacts& pod) const {
  ResourceList taken;
  if (claims_.empty() || pod.priority >= kSystemPriority) return taken;
  const std::string own = WorkloadOf(pod);
  Leaving leaving(*this);
  for (const std::string_view uid : victims) leaving.Go(uid);
  for (const std::string_view uid : victims) {
    const ResourceList* again = leaving.TakenAgain(uid);
    if (again != nullptr && pods_.find(uid)->second.workload != own) AddResources(taken, *again);
  }
  return taken;
}

// ---- what is told

std::string KueueRoom::Told(std::string_view own, bool more, bool others) {
  std::string told;
  if (!own.empty())
    told = fmt::format("Kueue's Workload {}{}", Shown(own), more ? " and others" : "");
  if (others) {
    told += own.empty() ? "" : " and ";
    told += "another namespace's Workload of Kueue's";
  }
  return told;
}

std::string KueueRoom::ToldTo(std::string_view ns, const std::vector<std::string>& nodes) const {
  const std::string prefix = NameInNamespace(ns, "");
  std::string_view own;
  bool more = false;
  bool others = false;
  for (const std::string& node : nodes) {
    const auto there = on_.find(node);
    if (there == on_.end()) continue;
    const auto& all = there->second;
    others |= !all.begin()->first.starts_with(prefix) || !all.rbegin()->first.starts_with(prefix);
    auto next = all.lower_bound(prefix);
    for (int i = 0; i < 2 && next != all.end() && next->first.starts_with(prefix); ++i, ++next) {
      more |= !own.empty() && own != next->first;
      if (own.empty() || next->first < own) own = next->first;
    }
  }
  return Told(own, more, others);
}

std::string KueueRoom::ToldTo(std::string_view ns) const {
  if (holding_.empty()) return {};
  const std::string prefix = NameInNamespace(ns, "");
  const auto is_own = [&](auto at) {
    return at != holding_.end() && at->first.starts_with(prefix);
  };
  const auto first = holding_.lower_bound(prefix);
  const bool any = is_own(first);
  const bool others = !is_own(holding_.begin()) || !is_own(std::prev(holding_.end()));
  return Told(any ? std::string_view(first->first) : std::string_view(),
              any && is_own(std::next(first)), others);
}

std::string KueueRoom::BrokenSet(const std::string& name, const Claim& claim, size_t index) const {
  const Set& set = claim.sets[index];
  int64_t held = 0;
  std::vector<int64_t> of(set.sites.size());
  for (const auto& [node, place] : set.held) {
    held += place.pods;
    of[place.site] += place.pods;
    const NodeIndex at = ledger_.NodeOf(UidOf(claim, index, node));
    if (at == kNoNode || ledger_.model().NodeName(at) != node)
      return fmt::format("kueue room: {} counts nowhere on {}", name, node);
  }
  for (size_t i = 0; i < of.size(); ++i) {
    const int32_t wants = set.takes ? set.wants.Of(i) : 0;
    if (of[i] != set.sites[i].held || of[i] > wants)
      return fmt::format("kueue room: {} has {} pods of {} in site {}, which holds {} and wants {}",
                         name, of[i], set.name, i, set.sites[i].held, wants);
  }
  const int64_t left = set.takes ? std::max<int64_t>(0, LeftOf(SeatsOf(name), set)) : 0;
  if (held > left)
    return fmt::format("kueue room: {} holds room for {} pods of {}, of which {} are to come", name,
                       held, set.name, left);
  return {};
}

// What stands in the ledger is what the Workloads hold, and these hold what they want.
std::string KueueRoom::BrokenInvariant() const {
  if (!dirty_.empty()) return "kueue room: something was not fitted";
  std::map<std::string, std::map<std::string, int32_t>, std::less<>> on;
  for (const auto& [name, claim] : claims_) {
    for (size_t i = 0; i < claim.sets.size(); ++i) {
      if (std::string broken = BrokenSet(name, claim, i); !broken.empty()) return broken;
      for (const auto& [node, place] : claim.sets[i].held) ++on[node][name];
    }
  }
  return on == on_ ? std::string() : "kueue room: what is on the nodes is miscounted";
}

}  // namespace gangplan
