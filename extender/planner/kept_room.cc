#include "extender/planner/kept_room.h"

#include <algorithm>
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

std::vector<int32_t> CountsOf(const Group& group) {
  std::vector<int32_t> counts;
  for (const PodSet& set : group.pod_sets().sets()) counts.push_back(set.count);
  return counts;
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
    : books_(books), group_(group.id()), counts_(CountsOf(group)), plan_(std::move(plan)) {
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
  if (site == sites_.end() || books_.yielding.IsPromisedBeside(uid, group_)) return;
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

void KeptRoom::Draft::OweReturn(GroupId from, std::string_view uid) {
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

// A pod of the group that has come to what it held there, and is to go with it. Null: none has.
const std::string* KeptRoom::NewcomerOf(const Draft& draft, const Draft::Owed& owed) const {
  const Group* group = books_.groups.Find(owed.from);
  if (group == nullptr) return nullptr;
  for (const auto& [uid, member] : group->members()) {
    if (books_.ledger.NodeOf(uid) != owed.node || draft.awaited_.contains(uid)) continue;
    const GroupId to = books_.yielding.PromisedTo(uid);
    const bool covers = Without(owed.room, *books_.pods.At(uid).requests).empty();
    if (covers && (to == 0 || IsReserved(to))) return &uid;
  }
  return nullptr;
}

bool KeptRoom::MayCollect(GroupId account, GroupId from) const {
  const Draft& draft = At(account);
  return std::all_of(draft.owed_.begin(), draft.owed_.end(), [&](const Draft::Owed& one) {
    if (one.from != from || books_.ledger.model().HasRoom(one.node, one.room)) return true;
    if (!one.uid.empty() && books_.ledger.NodeOf(one.uid) == one.node) return true;
    const std::vector<GroupId> held = books_.ledger.GroupsOn(one.node);
    return std::binary_search(held.begin(), held.end(), from) || NewcomerOf(draft, one) != nullptr;
  });
}

bool KeptRoom::Collect(GroupId account, GroupId from) {
  Draft& draft = kept_.at(account);
  const auto begin =
      std::stable_partition(draft.owed_.begin(), draft.owed_.end(),
                            [&](const Draft::Owed& one) { return one.from != from; });
  const std::vector<Draft::Owed> owed(begin, draft.owed_.end());
  draft.owed_.erase(begin, draft.owed_.end());
  const bool wanted = IsWantedAs(books_.groups.Find(draft.group_), draft);
  const bool all = wanted && std::all_of(owed.begin(), owed.end(), [&](const Draft::Owed& one) {
                     return CollectOne(account, draft, one);
                   });
  if (!all) ++draft.kept_;  // it has lost that
  return all;
}

// The pod may have gone from there meanwhile, or another one have come.
bool KeptRoom::CollectOne(GroupId account, Draft& draft, const Draft::Owed& owed) {
  const bool there = !owed.uid.empty() && books_.ledger.NodeOf(owed.uid) == owed.node;
  if (!there && Hold(account, draft, owed.node, owed.room)) return true;
  const std::string* uid = there ? &owed.uid : NewcomerOf(draft, owed);
  if (uid != nullptr) AwaitLate(account, draft, *uid);
  return uid != nullptr;
}

// Who is first in line may count on it, and finds its room anew.
void KeptRoom::AwaitLate(GroupId account, Draft& draft, const std::string& uid) {
  if (IsReserved(books_.yielding.PromisedTo(uid)))
    books_.lines.of(books_.groups.Find(draft.group_)->topology()).Unreserve();
  draft.awaited_.emplace(uid,
                         Draft::Awaited{books_.ledger.NodeOf(uid), books_.pods.At(uid).requests});
  books_.yielding.Promise(uid, account);
}

// False: there is no room for it. REQUIRES: the group is as the plan has it.
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

bool KeptRoom::IsWantedAs(const Group* group, const Draft& draft) {
  return IsWanted(group, draft.plan_) && CountsOf(*group) == draft.counts_;
}

bool KeptRoom::IsWantedBy(const Group* group, GroupId account) const {
  return IsWantedAs(group, At(account));
}

bool KeptRoom::Stands(const Group& group, GroupId account) const {
  const Model& model = books_.ledger.model();
  const Draft& draft = At(account);
  const auto& places = draft.plan_.places;
  return IsWantedAs(&group, draft) &&
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
  if (!IsWantedAs(books_.groups.Find(draft.group_), draft)) return;
  if (!Hold(account, draft, gone.node, *gone.requests)) ++draft.kept_;  // it has lost that
}

}  // namespace gangplan
