#include "extender/planner/end_search.h"

#include <algorithm>
#include <map>

#include "extender/planner/ending_pods.h"
#include "extender/planner/known_ends.h"
#include "extender/planner/limits.h"

namespace gangplan {

// Bindings that are being written have landed by then.
int64_t EndSearch::EndOfHolds(absl::Time now, const Ledger& ledger, const Group& group) {
  const int64_t taken = RoomTakenBy(group);
  if (taken == 0 || group.holds() == 0) return 0;
  absl::Time end = ledger.EndOf(group.id());
  if (end == absl::InfiniteFuture()) end = now + kLandsWithin;
  return absl::ToUnixSeconds(end) + 1 + taken;
}

void EndSearch::AddForeign(absl::Time now, SolveTask& task, int64_t& work) const {
  const Model& model = books_.ledger.model();
  std::map<const ResourceList*, size_t> amounts;
  const auto add = [&](uint32_t at, const std::string& uid) {
    const NodeIndex node = books_.ledger.NodeOf(uid);
    const int32_t leaf = node == kNoNode ? -1 : model.LeafOfNode(task.snapshot.topology(), node);
    const bool others = books_.yielding.PromisedTo(uid) != 0;  // it is others' then
    if (leaf < 0 || others || books_.pods.stopping().contains(uid)) return true;
    const RequestsRef& requests = books_.pods.At(uid).requests;
    const auto [known, added] = amounts.try_emplace(requests.get(), 0);
    if (added) known->second = task.ends->AddAmounts(task.snapshot.AmountsOf(*requests));
    task.ends->Add(at, leaf, known->second);
    return true;
  };
  work += static_cast<int64_t>(VisitEnding(books_.pods, now, add));
}

// Of those that run what is known of each pod, where that is so of all; of those that hold room
// when all of it is gone. False: of some that runs nobody knows it.
// Members that are `promised` to others leave nothing.
bool EndSearch::AddSlots(absl::Time now, const Group& group, const std::set<int32_t>& promised,
                         SolveTask& task) const {
  const Model& model = books_.ledger.model();
  const int64_t all = EndOfHolds(now, books_.ledger, group);
  const int64_t seconds = absl::ToUnixSeconds(now);
  const bool endless = std::any_of(group.slots().begin(), group.slots().end(), [&](auto& slot) {
    return slot.state == SlotState::kBound && slot.ends <= seconds;
  });
  if (endless) return false;
  for (const PodSet& set : group.pod_sets().sets()) {
    const size_t amounts = task.ends->AddAmounts(task.snapshot.AmountsOf(set.demand));
    for (int32_t i = set.first; i < set.first + set.count; ++i) {
      const Slot& slot = group.slot(i);
      const int64_t ends = slot.state == SlotState::kBound ? int64_t{slot.ends}
                           : slot.taken()                  ? all
                                                           : 0;
      const bool ending = ends > seconds && !promised.contains(i);
      const int32_t leaf = ending ? model.LeafOfNode(task.snapshot.topology(), slot.node) : -1;
      if (leaf < 0) continue;
      task.ends->Add(ends, leaf, amounts);
    }
  }
  return true;
}

// So much of the node is free then.
void EndSearch::AddRoom(int64_t ends, NodeIndex node, const ResourceList& room,
                        SolveTask& task) const {
  const Model& model = books_.ledger.model();
  const int32_t leaf = model.LeafOfNode(task.snapshot.topology(), node);
  if (leaf < 0) return;
  task.ends->Add(ends, leaf, task.ends->AddAmounts(task.snapshot.AmountsOf(room)));
}

// What a group keeps for what it may lose is free when the last of it has gone.
void EndSearch::AddSpares(const Group& group, SolveTask& task) const {
  const Model& model = books_.ledger.model();
  if (books_.ledger.HoldCount(SparesFor(group.id())) == 0) return;
  const int64_t ends = LastEndOf(group);
  if (ends == 0) return;
  for (const PromisedRoom& room : books_.ledger.RoomOf({SparesFor(group.id())})) {
    AddRoom(ends, room.node, model.demand(room.shape), task);
  }
}

// So is what its pods that stop leave to it.
void EndSearch::AddReturning(const Group& group, const VictimSearch::Returning& returning,
                             SolveTask& task) const {
  const auto stops = returning.find(group.id());
  const int64_t ends = stops == returning.end() ? 0 : LastEndOf(group);
  if (ends == 0) return;
  for (const std::string_view uid : stops->second) {
    const NodeIndex node = books_.ledger.NodeOf(uid);
    if (node != kNoNode) AddRoom(ends, node, *books_.pods.At(uid).requests, task);
  }
}

int64_t EndSearch::LastEndOf(const Group& group) {
  uint32_t last = 0;
  for (const Slot& slot : group.slots()) {
    if (slot.state != SlotState::kBound) continue;
    if (slot.ends == 0) return 0;
    last = std::max(last, slot.ends);
  }
  return last;
}

// Returns those that run and of which nobody knows when they end, the youngest first; so many pods
// together at the most.
std::vector<const Group*> EndSearch::AddGroups(absl::Time now,
                                               const VictimSearch::Returning& returning,
                                               const VictimSearch::Promised& promised,
                                               SolveTask& task, int64_t& work) const {
  std::vector<const Group*> endless;
  const std::set<int32_t> none;
  const NamedRoom::Reservation* self = books_.named.Find(task.group);
  for (const auto& [id, group] : books_.groups.groups()) {
    work += kLookWork + group->size();
    const bool goes = books_.yielding.EvictedFor(id) != nullptr;  // and is free already
    const bool uses = self != nullptr && books_.named.RoomOf(*group) == self;  // it is part of it
    if (goes || uses || !group->planned() || group->topology() != task.snapshot.topology())
      continue;
    const auto others = promised.find(id);
    if (AddSlots(now, *group, others == promised.end() ? none : others->second, task)) {
      AddSpares(*group, task);
      AddReturning(*group, returning, task);
      continue;
    }
    if (VictimSearch::Runs(*group) && others == promised.end()) endless.push_back(group.get());
  }
  std::reverse(endless.begin(), endless.end());
  VictimSearch::KeepSome(endless);
  return endless;
}

// What reservations by name keep: of the one that is asked about its own is free, and what those
// keep that begin when it is over; of those at the same time nothing is; of the others when they
// are over themselves.
void EndSearch::AddNamed(const Group& group, SolveTask& task) const {
  const NamedRoom::Reservation* self = books_.named.Find(group.id());
  for (const auto& [account, one] : books_.named.all()) {
    const bool own = self != nullptr && (self == &one || NamedRoom::IsBefore(*self, one));
    if (self != nullptr && !own && !one.over && !NamedRoom::IsBefore(one, *self)) continue;
    const int64_t ends = own || one.over ? 0 : absl::ToUnixSeconds(one.words.until);
    for (const auto& [node, room] : one.held) AddRoom(ends, node, room, task);
  }
}

std::shared_ptr<SolveTask> EndSearch::Ask(absl::Time now, const Group& group,
                                          const std::vector<int32_t>& wanted, int64_t& work) const {
  std::shared_ptr<SolveTask> task = books_.placer.VictimCopyOf(group, wanted, 1);
  task->ends.emplace();
  AddForeign(now, *task, work);
  AddNamed(group, *task);
  const VictimSearch::Returning returning = VictimSearch::ReturningPods(books_);
  const VictimSearch::Promised promised = victims_.PromisedBeside(group);
  victims_.AddAlike(AddGroups(now, returning, promised, *task, work), returning, *task, work);
  victims_.FreeGoing(*task);
  return task;
}

}  // namespace gangplan
