#include "extender/planner/kueue_room.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "extender/protocol/kueue_words.h"
#include "fmt/format.h"
#include "topology/object_name.h"
#include "topology/topology.h"

namespace gangplan {
namespace {

// Of which Workload the pod says it is; empty: of none that there could be.
std::string WorkloadOf(const PodFacts& pod) {
  const std::string* name = FindLabel(pod.annotations, kKueueWorkloadAnnotation);
  if (name == nullptr || name->empty() || name->size() > kMaxWorkloadNameBytes) return {};
  return NameInNamespace(pod.ns, *name);
}

std::string SetOf(const PodFacts& pod) {
  const std::string* name = FindLabel(pod.labels, kKueuePodSetLabel);
  return name == nullptr ? std::string() : *name;
}

}  // namespace

// ---- facts

// They take the same, of the same.
bool KueueRoom::AreAlike(const Claim& a, const Claim& b) {
  const auto site = [](const Site& one, const Site& other) {
    return one.values == other.values && one.count == other.count;
  };
  const auto set = [&](const Set& one, const Set& other) {
    return one.name == other.name && one.each == other.each && one.levels == other.levels &&
           std::equal(one.sites.begin(), one.sites.end(), other.sites.begin(), other.sites.end(),
                      site);
  };
  return a.uid == b.uid &&
         std::equal(a.sets.begin(), a.sets.end(), b.sets.begin(), b.sets.end(), set);
}

void KueueRoom::Put(absl::Time now, const WorkloadFacts& workload,
                    const std::vector<Whose>& whose) {
  const std::string name = NameInNamespace(workload.ns, workload.name);
  if (!workload.quota || !workload.placed()) return Erase(name);
  Claim next;
  next.uid = workload.uid;
  next.quota_since = workload.quota_since;
  for (size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const WorkloadFacts::PodSet& from = workload.pod_sets[i];
    if (!from.placement) continue;
    Set& set = next.sets.emplace_back();
    set.name = from.name;
    set.whose = whose[i];
    set.each = from.each;
    set.levels = from.placement->levels;
    set.by_host = set.levels.size() == 1 && set.levels.front() == kHostnameLabel;
    set.reclaimable = from.reclaimable;
    next.loose |= !set.by_host;
    for (const WorkloadFacts::Domain& one : from.placement->domains) {
      set.sites.push_back({one.values, one.count});
      set.given += one.count;
    }
  }
  const absl::Time since =
      workload.quota_since > 0 ? absl::FromUnixSeconds(workload.quota_since) : now;
  const absl::Time end =
      workload.admitted ? absl::InfiniteFuture() : since + kKueueRoomUnadmittedFor;
  const auto known = claims_.find(name);
  if (known != claims_.end()) {
    Claim& before = known->second;
    const bool stands = AreAlike(before, next);
    // What is held stays where it is, if it may.
    for (size_t i = 0; stands && i < next.sets.size(); ++i) {
      for (size_t site = 0; site < next.sets[i].sites.size(); ++site)
        next.sets[i].sites[site].held = before.sets[i].sites[site].held;
    }
    if (!stands) Erase(name);
  }
  next.over = now >= end;
  if (next.over) {
    ends_.Clear(name);
  } else {
    ends_.Set(name, end);
  }
  for (const Set& set : next.sets) {
    for (const Site& site : set.sites)
      if (set.by_host) by_host_[site.values.front()].insert(name);
  }
  if (next.loose) loose_.insert(name);
  claims_[name] = std::move(next);
  dirty_[name].all = true;
}

void KueueRoom::Release(const std::string& name, Claim& claim) {
  for (size_t i = 0; i < claim.sets.size(); ++i) {
    for (Site& site : claim.sets[i].sites) {
      while (!site.held.empty()) {
        const std::string node = site.held.back().node;
        SetPods(name, claim, i, site, node, 0);
      }
    }
  }
}

void KueueRoom::Erase(std::string_view name) {
  const auto known = claims_.find(name);
  if (known == claims_.end()) return;
  const std::string key = known->first;
  Release(key, known->second);
  for (const Set& set : known->second.sets) {
    for (const Site& site : set.sites) {
      const auto host = set.by_host ? by_host_.find(site.values.front()) : by_host_.end();
      if (host == by_host_.end()) continue;
      host->second.erase(key);
      if (host->second.empty()) by_host_.erase(host);
    }
  }
  ends_.Clear(key);
  loose_.erase(key);
  dirty_.erase(key);
  claims_.erase(known);
}

void KueueRoom::Count(const Seat& seat, int sign) {
  Seats& seats = seats_[seat.workload];
  if (!seat.node.empty()) {
    const std::pair<std::string, std::string> place(seat.set, seat.node);
    Counts& counts = seats.on[place];
    Counts& all = seats.of[seat.set];
    (seat.done ? counts.done : counts.live) += sign;
    (seat.done ? all.done : all.live) += sign;
    if (all.live == 0 && all.done == 0) seats.of.erase(seat.set);
    if (counts.live == 0 && counts.done == 0) seats.on.erase(place);
  }
  seats.members += seat.member ? sign : 0;
  seats.all += sign;
  if (seats.all == 0) seats_.erase(seat.workload);
  if (!claims_.contains(seat.workload)) return;
  Dirty& dirty = dirty_[seat.workload];
  dirty.all |= seat.member;
  if (!seat.node.empty()) dirty.nodes.insert(seat.node);
}

void KueueRoom::SetSeat(std::string_view uid, Seat seat) {
  const auto known = pods_.find(uid);
  if (known != pods_.end()) {
    Count(known->second, -1);
    pods_.erase(known);
  }
  if (seat.workload.empty()) return;
  Count(seat, 1);
  pods_.emplace(uid, std::move(seat));
}

void KueueRoom::OnPod(const PodFacts& pod) {
  std::string workload = WorkloadOf(pod);
  const auto known = pods_.find(pod.uid);
  if (workload.empty() && known == pods_.end()) return;
  Seat seat{std::move(workload), SetOf(pod), {}};
  if (pod.phase != PodPhase::kFailed) seat.node = pod.node_name;
  seat.done = pod.phase == PodPhase::kSucceeded;
  if (known != pods_.end()) {
    const Seat& before = known->second;
    seat.member = before.member;
    seat.binding = before.binding && pod.node_name.empty() && !pod.finished();
    if (seat.binding) seat.node = before.node;
    if (before.workload == seat.workload && before.set == seat.set && before.node == seat.node &&
        before.done == seat.done && before.binding == seat.binding)
      return;
  }
  SetSeat(pod.uid, std::move(seat));
}

void KueueRoom::NoteBinding(std::string_view uid, std::string_view node) {
  const auto known = pods_.find(uid);
  if (known == pods_.end()) return;
  const Seat& before = known->second;
  if (!before.binding && (node.empty() || !before.node.empty())) return;
  Seat seat = before;
  seat.node = std::string(node);
  seat.binding = !node.empty();
  if (seat.node != before.node) SetSeat(std::string(uid), std::move(seat));
}

void KueueRoom::NoteMember(const PodFacts& pod, bool member) {
  const auto known = pods_.find(pod.uid);
  if (known == pods_.end() || known->second.member == member) return;
  Seat seat = known->second;
  seat.member = member;
  SetSeat(pod.uid, std::move(seat));
}

void KueueRoom::OnPodDeleted(std::string_view uid) { SetSeat(uid, {}); }

void KueueRoom::OnNode(const NodeFacts& node) {
  const std::string* label = FindLabel(node.labels, kHostnameLabel);
  const std::string host = label == nullptr ? node.name : *label;
  const auto before = host_of_.find(node.name);
  const bool moved = before != host_of_.end() && before->second != host;
  if (moved) OnNodeGone(node.name);
  if (host != node.name) {
    host_of_[node.name] = host;
    nodes_of_host_[host].insert(node.name);
  }
  const auto given = by_host_.find(host);
  if (given != by_host_.end()) {
    for (const std::string& name : given->second) dirty_[name].nodes.insert(node.name);
  }
  const auto taken = on_.find(node.name);
  if (taken == on_.end()) return;
  for (const auto& [name, amounts] : taken->second) dirty_[name].nodes.insert(node.name);
}

void KueueRoom::OnNodeGone(std::string_view name) {
  if (const auto host = host_of_.find(name); host != host_of_.end()) {
    const auto nodes = nodes_of_host_.find(host->second);
    nodes->second.erase(host->first);
    if (nodes->second.empty()) nodes_of_host_.erase(nodes);
    host_of_.erase(host);
  }
  const auto taken = on_.find(name);
  if (taken == on_.end()) return;
  for (const auto& [workload, amounts] : taken->second) dirty_[workload].all = true;
}

// Room in racks is looked at now and then: others come and go there.
void KueueRoom::Tick(absl::Time now) {
  for (const std::string& name : ends_.TakeDue(now)) {
    claims_.at(name).over = true;
    dirty_[name].all = true;
  }
  if (loose_.empty() || now < next_loose_) return;
  next_loose_ = now + kKueueRacksEvery;
  for (size_t i = std::min(loose_.size(), kKueueRacksAtOnce); i > 0; --i) {
    auto next = loose_.upper_bound(last_loose_);
    if (next == loose_.end()) next = loose_.begin();
    last_loose_ = *next;
    dirty_[last_loose_].all = true;
  }
}

// ---- questions

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
  for (const auto& [name, amounts] : there->second)
    if (name == workload || priority >= kSystemPriority) AddResources(open, amounts);
  return open;
}

bool KueueRoom::Covers(std::string_view uid) const {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end() || pod->second.node.empty() || pod->second.done) return false;
  const Seat& seat = pod->second;
  const auto known = claims_.find(seat.workload);
  if (known == claims_.end()) return false;
  const auto& sets = known->second.sets;
  return std::any_of(sets.begin(), sets.end(), [&](const Set& set) {
    return set.name == seat.set && Takes(known->first, known->second, set) &&
           std::any_of(set.sites.begin(), set.sites.end(),
                       [&](const Site& site) { return Matches(set, site, seat.node); });
  });
}

std::string KueueRoom::Told(std::string_view own, bool more, bool others) {
  std::string told;
  if (!own.empty()) told = fmt::format("Kueue's Workload {}{}", own, more ? " and others" : "");
  if (others) {
    told += own.empty() ? "" : " and ";
    told += "another namespace's Workload of Kueue's";
  }
  return told;
}

std::string KueueRoom::ToldTo(std::string_view ns, const std::vector<std::string>& nodes) const {
  const std::string prefix = NameInNamespace(ns, "");
  std::set<std::string_view> own;
  bool others = false;
  for (const std::string& node : nodes) {
    const auto there = on_.find(node);
    if (there == on_.end()) continue;
    for (const auto& [name, amounts] : there->second) {
      if (name.starts_with(prefix)) own.insert(name);
      others |= !name.starts_with(prefix);
    }
  }
  return Told(own.empty() ? std::string_view() : *own.begin(), own.size() > 1, others);
}

std::string KueueRoom::ToldTo(std::string_view ns) const {
  const std::string prefix = NameInNamespace(ns, "");
  const auto first = holding_.lower_bound(prefix);
  size_t own = 0;
  for (auto next = first; next != holding_.end() && next->first.starts_with(prefix); ++next) ++own;
  return Told(own == 0 ? std::string_view() : std::string_view(first->first), own > 1,
              own < holding_.size());
}

// What stands in the ledger is what the Workloads hold, and these hold what they want.
std::string KueueRoom::BrokenInvariant() const {
  if (!dirty_.empty()) return "kueue room: something was not fitted";
  std::map<std::string, std::map<std::string, ResourceList>, std::less<>> on;
  for (const auto& [name, claim] : claims_) {
    for (size_t i = 0; i < claim.sets.size(); ++i) {
      const Set& set = claim.sets[i];
      int64_t held = 0;
      for (const Site& site : set.sites) {
        for (const Place& place : site.held) {
          held += place.pods;
          AddResources(on[place.node][name], place.taken);
          const NodeIndex node = ledger_.NodeOf(UidOf(claim, i, place.node));
          if (node == kNoNode || ledger_.model().NodeName(node) != place.node)
            return fmt::format("kueue room: {} counts nowhere on {}", name, place.node);
        }
      }
      const int64_t left = Takes(name, claim, set) ? LeftOf(SeatsOf(name), set) : 0;
      if (held > left)
        return fmt::format("kueue room: {} holds room for {} pods of {}, of which {} are to come",
                           name, held, set.name, left);
    }
  }
  return on == on_ ? std::string() : "kueue room: what is on the nodes is miscounted";
}

}  // namespace gangplan
