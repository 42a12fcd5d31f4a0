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
  if (group.holds() == 0) return given;
  for (int32_t i = 0; i < static_cast<int32_t>(group.slots().size()); ++i) {
    const Slot& slot = group.slot(i);
    const bool vacant = slot.state == SlotState::kHeld && slot.member() == nullptr;
    if (vacant && Give(slot.node, group.pod_sets().Of(i).demand)) given.push_back(slot.node);
  }
  return given;
}

bool KeptRoom::Draft::GiveReturn(std::string_view uid) {
  return Give(books_.ledger.NodeOf(uid), *books_.pods.At(uid).requests);
}

bool KeptRoom::Keep(GroupId account, Draft draft, HoldReason reason, absl::Time end) {
  draft.reason_ = reason;
  draft.end_ = end;
  if (!HoldRest(account, draft)) return false;
  Enter(account, std::move(draft));
  return true;
}

bool KeptRoom::Renew(GroupId account, absl::FunctionRef<void(Draft&)> fill) {
  const Draft& old = At(account);
  Draft draft(books_, *books_.groups.Find(old.group_), old.plan_);
  draft.reason_ = old.reason_;
  draft.end_ = old.end_;
  End(account);
  fill(draft);
  const bool all = HoldRest(account, draft);
  if (!all) ++draft.kept_;  // it has lost that
  Enter(account, std::move(draft));
  return all;
}

// All that others do not leave, or nothing.
bool KeptRoom::HoldRest(GroupId account, Draft& draft) {
  for (const auto& [node, site] : draft.sites_) {
    const ResourceList rest = Without(site.need, site.given);
    if (rest.empty() || Hold(account, draft, node, rest)) continue;
    books_.ledger.ReleaseOpen(account);
    return false;
  }
  return true;
}

void KeptRoom::Enter(GroupId account, Draft draft) {
  for (const auto& [uid, pod] : draft.awaited_) books_.yielding.Promise(uid, account);
  kept_.emplace(account, std::move(draft));
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
