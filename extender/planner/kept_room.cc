#include "extender/planner/kept_room.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "extender/planner/nobody.h"
#include "extender/planner/rest_of.h"

namespace gangplan {
namespace {

// From the top, by name: another node may have its index when it is gone.
std::vector<std::string> UnitsOf(const Books& books, NodeIndex node) {
  const std::vector<std::string_view> units = books.placer.UnitsOf(node);
  return {units.begin(), units.end()};
}

// What it holds for whoever comes to it anew. O(slots), where it holds nothing O(1).
template <typename Visit>
void VisitVacant(const Group& group, Visit visit) {
  if (group.holds() == 0) return;
  for (int32_t i = 0; i < static_cast<int32_t>(group.slots().size()); ++i) {
    const Slot& slot = group.slot(i);
    if (slot.state == SlotState::kHeld && slot.member() == nullptr)
      visit(slot.node, group.pod_sets().Of(i).demand);
  }
}

}  // namespace

KeptRoom::Draft::Draft(const Books& books, const Group& group, Plan plan)
    : books_(books), group_(group.id()), plan_(std::move(plan)) {
  for (const auto& [slot, node] : plan_.places) {
    const auto [site, added] = sites_.try_emplace(node);
    if (added) site->second = {group.pod_sets().IndexOf(slot), {}, UnitsOf(books, node), {}};
    AddResources(site->second.need, group.pod_sets().Of(slot).demand);
  }
}

bool KeptRoom::Draft::Lacks(NodeIndex node, const Site& site) const {
  return !books_.ledger.model().HasRoom(node, Without(site.need, site.given));
}

void KeptRoom::Draft::Await(std::string_view uid) {
  const auto site = sites_.find(books_.ledger.NodeOf(uid));
  if (site == sites_.end() || books_.yielding.PromisedTo(uid) != 0) return;
  if (!Lacks(site->first, site->second)) return;
  const RequestsRef requests = books_.pods.At(uid).requests;
  if (awaited_.emplace(uid, Awaited{site->first, requests}).second)
    AddResources(site->second.given, *requests);
}

bool KeptRoom::Draft::Give(NodeIndex node, const ResourceList& room) {
  const auto site = sites_.find(node);
  if (site == sites_.end() || !Lacks(node, site->second)) return false;
  AddResources(site->second.given, room);
  return true;
}

std::vector<NodeIndex> KeptRoom::Draft::GiveVacant(const Group& group) {
  std::vector<NodeIndex> given;
  VisitVacant(group, [&](NodeIndex node, const ResourceList& room) {
    if (Give(node, room)) given.push_back(node);
  });
  return given;
}

void KeptRoom::Draft::GiveReturn(std::string_view uid) {
  Give(books_.ledger.NodeOf(uid), *books_.pods.At(uid).requests);
}

void KeptRoom::Draft::Owe(GroupId from, std::string_view uid) {
  const GroupId to = books_.yielding.PromisedTo(uid);
  if ((to != 0 && to != from) || awaited_.contains(uid)) return;
  const NodeIndex node = books_.ledger.NodeOf(uid);
  const ResourceList& room = *books_.pods.At(uid).requests;
  if (Give(node, room)) owed_.push_back({from, std::string(uid), node, room});
}

void KeptRoom::Draft::OweVacant(const Group& from) {
  VisitVacant(from, [&](NodeIndex node, const ResourceList& room) {
    if (Give(node, room)) owed_.push_back({from.id(), {}, node, room});
  });
}

bool KeptRoom::Keep(GroupId account, Draft draft, HoldReason reason, absl::Time end) {
  draft.reason_ = reason;
  draft.end_ = end;
  for (const auto& [node, site] : draft.sites_) {
    const ResourceList rest = Without(site.need, site.given);
    if (rest.empty() || Hold(account, draft, node, rest)) continue;
    books_.ledger.ReleaseOpen(account);
    return false;
  }
  for (const auto& [uid, pod] : draft.awaited_) books_.yielding.Promise(uid, account);
  kept_.emplace(account, std::move(draft));
  return true;
}

// What of it is so.
template <typename Is>
bool KeptRoom::Collect(GroupId account, Is is) {
  Draft& draft = kept_.at(account);
  const auto from = std::stable_partition(draft.owed_.begin(), draft.owed_.end(), std::not_fn(is));
  const std::vector<Draft::Owed> owed(from, draft.owed_.end());
  draft.owed_.erase(from, draft.owed_.end());
  const bool all = std::all_of(owed.begin(), owed.end(), [&](const Draft::Owed& one) {
    return CollectOne(account, draft, one);
  });
  if (!all) ++draft.kept_;  // it has lost that
  return all;
}

bool KeptRoom::CollectPods(GroupId account) {
  return Collect(account, [this](const Draft::Owed& one) {
    return !one.uid.empty() && books_.yielding.PromisedTo(one.uid) != one.from &&
           books_.ledger.NodeOf(one.uid) == one.node;
  });
}

bool KeptRoom::CollectRest(GroupId account, GroupId from) {
  return Collect(account, [from](const Draft::Owed& one) { return one.from == from; });
}

// A pod may have gone from there meanwhile, or another one have come.
bool KeptRoom::CollectOne(GroupId account, Draft& draft, const Draft::Owed& owed) {
  if (!owed.uid.empty() && books_.ledger.NodeOf(owed.uid) == owed.node)
    return AwaitLate(account, draft, owed.uid);
  if (Hold(account, draft, owed.node, owed.room)) return true;
  const Group* group = books_.groups.Find(owed.from);
  if (group == nullptr) return false;
  const auto& members = group->members();
  const auto came = std::find_if(members.begin(), members.end(), [&](const auto& member) {
    return books_.ledger.NodeOf(member.first) == owed.node &&
           !draft.awaited_.contains(member.first);
  });
  return came != members.end() && AwaitLate(account, draft, came->first);
}

// Who is first in line may count on it, and finds its room anew.
bool KeptRoom::AwaitLate(GroupId account, Draft& draft, const std::string& uid) {
  const GroupId to = books_.yielding.PromisedTo(uid);
  if (to != 0 && !IsReserved(to)) return false;
  if (to != 0) books_.lines.of(books_.groups.Find(draft.group_)->topology()).Unreserve();
  draft.awaited_.emplace(uid,
                         Draft::Awaited{books_.ledger.NodeOf(uid), books_.pods.At(uid).requests});
  books_.yielding.Promise(uid, account);
  return true;
}

// False: there is no room for it.
bool KeptRoom::Hold(GroupId account, Draft& draft, NodeIndex node, const ResourceList& room) {
  const Group& group = *books_.groups.Find(draft.group_);
  const PodSet& set = group.pod_sets().at(draft.sites_.at(node).pod_set);
  const ShapeId shape = books_.ledger.AcquireShape(group.topology(), room, set.Where());
  const bool fits =
      books_.ledger.model().MayUse(node, shape) && books_.ledger.model().HasRoom(node, room);
  if (fits) {
    books_.ledger.Hold({account, draft.kept_++}, node, shape, group.priority(), Nobody());
    books_.ledger.SetEnd(account, draft.reason_, draft.end_);
  }
  books_.ledger.ReleaseShape(shape);
  return fits;
}

bool KeptRoom::IsWanted(const Group* group, const Plan& plan) {
  return group != nullptr && group->stale().empty() && !group->Started() && group->holds() == 0 &&
         group->hold() == nullptr && group->size() == static_cast<int32_t>(plan.places.size());
}

bool KeptRoom::IsWantedBy(const Group* group, GroupId account) const {
  return IsWanted(group, At(account).plan_);
}

bool KeptRoom::Stands(const Group& group, GroupId account) const {
  const Model& model = books_.ledger.model();
  const Draft& draft = At(account);
  const auto& places = draft.plan_.places;
  return IsWanted(&group, draft.plan_) &&
         std::all_of(places.begin(), places.end(), [&](const auto& place) {
           const auto& [slot, node] = place;
           const ShapeId shape = group.pod_sets().Of(slot).shape;
           return shape >= 0 && model.MayUse(node, shape) &&
                  UnitsOf(books_, node) == draft.sites_.at(node).units;
         });
}

void KeptRoom::End(GroupId account) {
  const auto kept = kept_.find(account);
  books_.ledger.ReleaseOpen(account);
  for (const auto& [uid, pod] : kept->second.awaited_) {
    if (books_.yielding.PromisedTo(uid) == account) books_.yielding.EndPromise(uid);
  }
  kept_.erase(kept);
}

void KeptRoom::OnPodGone(std::string_view uid) {
  const GroupId account = books_.yielding.PromisedTo(uid);
  if (account == 0 || books_.ledger.NodeOf(uid) != kNoNode) return;
  books_.yielding.EndPromise(uid);
  Draft& draft = kept_.at(account);
  const auto pod = draft.awaited_.find(uid);
  const Draft::Awaited gone = pod->second;
  draft.awaited_.erase(pod);
  if (!IsWanted(books_.groups.Find(draft.group_), draft.plan_)) return;
  if (!Hold(account, draft, gone.node, *gone.requests)) ++draft.kept_;  // it has lost that
}

}  // namespace gangplan
