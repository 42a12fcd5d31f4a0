#include "extender/planner/kueue_room.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "extender/protocol/kueue_words.h"
#include "topology/object_name.h"
#include "topology/topology.h"

namespace gangplan {
namespace {

std::string SetOf(const PodFacts& pod) {
  const std::string* name = FindLabel(pod.labels, kKueuePodSetLabel);
  return name == nullptr ? std::string() : *name;
}

}  // namespace

std::string KueueRoom::WorkloadOf(const PodFacts& pod) {
  const std::string* name = FindLabel(pod.annotations, kKueueWorkloadAnnotation);
  if (name == nullptr || name->empty() || name->size() > kMaxWorkloadNameBytes) return {};
  return NameInNamespace(pod.ns, *name);
}

// ---- Workloads

KueueRoom::Claim KueueRoom::ClaimOf(const WorkloadFacts& workload,
                                    const std::vector<Whose>& whose) {
  Claim claim;
  claim.uid = workload.uid;
  claim.since = workload.quota_since;
  for (size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const WorkloadFacts::PodSet& from = workload.pod_sets[i];
    if (!from.placement || whose[i] == Whose::kOurs) continue;
    Set& set = claim.sets.emplace_back();
    set.name = from.name;
    set.each = from.each;
    set.levels = from.placement->levels;
    set.by_host = set.levels.size() == 1 && set.levels.front() == kHostnameLabel;
    set.all = from.all;
    set.reclaimable = from.reclaimable;
    for (const WorkloadFacts::Domain& one : from.placement->domains) {
      set.sites.push_back({one.values, one.count});
      set.given += one.count;
    }
    claim.loose |= !set.by_host;
    claim.sites += set.sites.size();
  }
  return claim;
}

void KueueRoom::Put(absl::Time now, const WorkloadFacts& workload,
                    const std::vector<Whose>& whose) {
  const std::string name = NameInNamespace(workload.ns, workload.name);
  const absl::Time since =
      workload.quota_since > 0 ? absl::FromUnixSeconds(workload.quota_since) : now;
  const absl::Time end =
      workload.admitted ? absl::InfiniteFuture() : since + kKueueRoomUnadmittedFor;
  if (!workload.quota || now >= end) return Erase(name);
  Claim next = ClaimOf(workload, whose);
  if (next.sites == 0) return Erase(name);
  const auto known = claims_.find(name);
  if (known != claims_.end() && AreAlike(known->second, next)) {
    dirty_[name];
    for (size_t i = 0; i < next.sets.size(); ++i)
      Merge(name, known->second, i, std::move(next.sets[i]));
  } else {
    Erase(name);
    Enter(name, std::move(next));
  }
  ends_.Set(name, end);
}

void KueueRoom::Enter(const std::string& name, Claim claim) {
  for (const Set& set : claim.sets) {
    if (!set.by_host) racks_.Follow(set.levels, ledger_.model());
    for (const Site& site : set.sites) FollowSite(name, set, site);
  }
  if (claim.loose) loose_.insert(name);
  claims_[name] = std::move(claim);
  dirty_[name].all = true;
}

void KueueRoom::FollowSite(const std::string& name, const Set& set, const Site& site) {
  if (set.by_host) by_host_[site.values.front()].insert(name);
}

void KueueRoom::LeaveSite(const std::string& name, const Set& set, const Site& site) {
  const auto host = set.by_host ? by_host_.find(site.values.front()) : by_host_.end();
  if (host == by_host_.end()) return;
  host->second.erase(name);
  if (host->second.empty()) by_host_.erase(host);
}

void KueueRoom::Erase(std::string_view name) {
  const auto known = claims_.find(name);
  if (known == claims_.end()) return;
  const std::string key = known->first;
  Claim& claim = known->second;
  for (size_t i = 0; i < claim.sets.size(); ++i) {
    Release(key, claim, i);
    if (!claim.sets[i].by_host) racks_.Leave(claim.sets[i].levels);
    for (const Site& site : claim.sets[i].sites) LeaveSite(key, claim.sets[i], site);
  }
  ends_.Clear(key);
  loose_.erase(key);
  turned_.erase(key);
  dirty_.erase(key);
  claims_.erase(known);
}

// ---- pods

// How much is looked at when all of it is: sites, what is held, and where pods are.
size_t KueueRoom::SizeOf(const std::string& name, const Claim& claim) const {
  const Seats* seats = SeatsOf(name);
  size_t size = seats == nullptr ? 0 : seats->on.size();
  for (const Set& set : claim.sets) size += 1 + set.sites.size() + set.held.size();
  return size;
}

void KueueRoom::CountSeated(const Seat& seat, int sign) {
  std::map<std::string, int64_t>& there = seated_on_[seat.node];
  int64_t& pods = there[seat.workload];
  pods += sign;
  if (pods == 0) there.erase(seat.workload);
  if (there.empty()) seated_on_.erase(seat.node);
}

void KueueRoom::Counts::Add(const Seat& seat, int sign) {
  if (!seat.done) {
    live += sign;
  } else if (sign > 0) {
    done.insert(seat.started);
  } else {
    done.erase(done.find(seat.started));
  }
}

void KueueRoom::Count(const Seat& seat, int sign) {
  Seats& seats = seats_[seat.workload];
  if (!seat.node.empty()) {
    CountSeated(seat, sign);
    const std::pair<std::string, std::string> place(seat.set, seat.node);
    Counts& counts = seats.on[place];
    Counts& all = seats.of[seat.set];
    counts.Add(seat, sign);
    all.Add(seat, sign);
    if (all.empty()) seats.of.erase(seat.set);
    if (counts.empty()) seats.on.erase(place);
  }
  const bool were_members = seats.members > 0;
  seats.members += seat.member ? sign : 0;
  const bool turned = were_members != (seats.members > 0);
  seats.all += sign;
  if (seats.all == 0) seats_.erase(seat.workload);
  const auto claim = claims_.find(seat.workload);
  if (claim == claims_.end()) return;
  if (turned && seat.member && sign > 0) claim->second.gave_way = false;
  Dirty& dirty = dirty_[seat.workload];
  if (!seat.node.empty()) dirty.nodes.insert(seat.node);
  if (!turned) return;
  if (SizeOf(seat.workload, claim->second) <= kKueueSitesAtOnce) {
    dirty.all = true;
  } else {
    turned_.insert(seat.workload);
  }
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
  if (!reads_) return;
  std::string workload = WorkloadOf(pod);
  const auto known = pods_.find(pod.uid);
  if (workload.empty() && known == pods_.end()) return;
  Seat seat{std::move(workload), SetOf(pod), {}, pod.run.started};
  if (pod.phase != PodPhase::kFailed) seat.node = pod.node_name;
  seat.done = pod.phase == PodPhase::kSucceeded;
  if (known != pods_.end()) {
    const Seat& before = known->second;
    seat.member = before.member;
    seat.binding = before.binding && pod.node_name.empty() && !pod.finished();
    if (seat.binding) seat.node = before.node;
    if (before.workload == seat.workload && before.set == seat.set && before.node == seat.node &&
        before.started == seat.started && before.done == seat.done &&
        before.binding == seat.binding)
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

void KueueRoom::NoteMember(std::string_view uid, bool member) {
  const auto known = pods_.find(uid);
  if (known == pods_.end() || known->second.member == member) return;
  Seat seat = known->second;
  seat.member = member;
  SetSeat(std::string(uid), std::move(seat));
}

void KueueRoom::NoteGivesWay(std::string_view uid) {
  const auto known = pods_.find(uid);
  if (known == pods_.end() || !known->second.member) return;
  const auto claim = claims_.find(known->second.workload);
  if (claim != claims_.end()) claim->second.gave_way = true;
}

void KueueRoom::OnPodDeleted(std::string_view uid) { SetSeat(uid, {}); }

// ---- nodes

const std::string& KueueRoom::HostOf(const std::string& node) const {
  const auto host = host_of_.find(node);
  return host == host_of_.end() ? node : host->second;
}

// Who was given this host looks at its nodes, and at this one, which may be none of them any more.
void KueueRoom::MarkHost(const std::string& host, const std::string& node) {
  const auto given = by_host_.find(host);
  if (given == by_host_.end()) return;
  const auto others = nodes_of_host_.find(host);
  for (const std::string& name : given->second) {
    std::set<std::string>& nodes = dirty_[name].nodes;
    nodes.insert({node, host});
    if (others != nodes_of_host_.end()) nodes.insert(others->second.begin(), others->second.end());
  }
}

void KueueRoom::ForgetHost(std::string_view node) {
  const auto host = host_of_.find(node);
  if (host == host_of_.end()) return;
  const auto nodes = nodes_of_host_.find(host->second);
  nodes->second.erase(host->first);
  if (nodes->second.empty()) nodes_of_host_.erase(nodes);
  host_of_.erase(host);
}

// Who has room there looks at it; and whose pods are there, who may be in another rack by now.
void KueueRoom::MarkHolders(const std::string& node) {
  if (const auto taken = on_.find(node); taken != on_.end())
    for (const auto& [name, sets] : taken->second) dirty_[name].nodes.insert(node);
  const auto seated = seated_on_.find(node);
  if (seated == seated_on_.end()) return;
  for (const auto& [name, pods] : seated->second)
    if (loose_.contains(name)) dirty_[name].nodes.insert(node);
}

void KueueRoom::OnNode(const NodeFacts& node) {
  if (!reads_) return;
  racks_.OnNode(node);
  const std::string* label = FindLabel(node.labels, kHostnameLabel);
  const std::string host = label == nullptr ? node.name : *label;
  const std::string before = HostOf(node.name);
  if (host != before) {
    ForgetHost(node.name);
    if (host != node.name) {
      host_of_[node.name] = host;
      nodes_of_host_[host].insert(node.name);
    }
    MarkHost(before, node.name);
  }
  MarkHost(host, node.name);
  MarkHolders(node.name);
}

void KueueRoom::OnNodeGone(std::string_view name) {
  const std::string node(name);
  const std::string host = HostOf(node);
  racks_.OnNodeGone(node);
  ForgetHost(node);
  MarkHost(host, node);
  MarkHolders(node);
}

void KueueRoom::OnNodesListed() {
  short_.clear();  // not all nodes were there
  for (const std::string& name : loose_) dirty_[name].all = true;
  FitWithin(kKueueLooksAtStart, true, {});
}

// ---- time

// What lacks room comes first. Room in racks is looked at now and then: others come and go there.
void KueueRoom::Tick(absl::Time now) {
  for (const std::string& name : ends_.TakeDue(now)) Erase(name);
  if (now < next_turn_ || (short_.empty() && turned_.empty() && loose_.empty())) return;
  next_turn_ = now + kKueueTurn;
  GoOn();
  if (!turned_.empty()) {
    auto next = turned_.upper_bound(last_turned_);
    if (next == turned_.end()) next = turned_.begin();
    last_turned_ = *next;
    turned_.erase(next);
    dirty_[last_turned_].all = true;
  }
  size_t looked = 0;
  for (size_t i = loose_.size(); i > 0 && looked < kKueueSitesAtOnce; --i) {
    auto next = loose_.upper_bound(last_loose_);
    if (next == loose_.end()) next = loose_.begin();
    last_loose_ = *next;
    dirty_[last_loose_].all = true;
    looked += SizeOf(last_loose_, claims_.at(last_loose_));
  }
}

}  // namespace gangplan
