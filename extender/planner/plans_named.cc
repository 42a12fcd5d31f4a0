// Reservations by name, as far as plans are concerned: their room is fitted before anybody is
// solved, lifted for those who may have it, and each of them is asked about as a gang.
#include <algorithm>
#include <set>
#include <utility>

#include "extender/planner/limits.h"
#include "extender/planner/plans.h"

namespace gangplan {

// True: somebody may gain by it.
bool Plans::FitNamed() {
  round_.Spend(kSlotWork * books_.named.Fit());
  const std::set<GroupId> gainers = books_.named.TakeGainers();
  for (const GroupId id : gainers) {
    if (books_.groups.Find(id) != nullptr) books_.lifecycle.Fire(id, GroupEvent::kCapacityGained);
  }
  return !gainers.empty();
}

// Of these accounts those of reservations by name are taken out, and what they hold on the plan's
// nodes is lifted. Returns these nodes.
std::vector<NodeIndex> Plans::LiftNamed(std::vector<GroupId>& accounts, const Plan& plan) {
  const auto first = std::stable_partition(accounts.begin(), accounts.end(),
                                           [](GroupId id) { return !IsNamed(id); });
  const std::vector<GroupId> named(first, accounts.end());
  accounts.erase(first, accounts.end());
  std::set<NodeIndex> nodes;
  if (!named.empty()) {
    for (const auto& [slot, node] : plan.places) nodes.insert(node);
  }
  std::vector<NodeIndex> lifted(nodes.begin(), nodes.end());
  books_.named.LiftAt(named, lifted);
  round_.Spend(kSlotWork * std::ssize(lifted));
  return lifted;
}

// Where it would go without what is kept for reservations that begin later: these may find other
// nodes. Asked in the turn itself, of gangs that are quickly solved.
void Plans::WishForRoom(const Group& group) {
  const std::vector<GroupId> ahead = books_.named.MovableFor(group);
  const std::vector<int32_t> wanted = group.WantedSlots();
  const auto& sets = group.pod_sets().sets();
  const bool asked = std::all_of(sets.begin(), sets.end(),
                                 [](const PodSet& set) { return !set.known || set.shape >= 0; });
  if (ahead.empty() || wanted.empty() || !asked || !books_.placer.IsShort(group)) return;
  std::shared_ptr<SolveTask> task;
  books_.ledger.WithoutNeighbours(
      ahead, [&] { task = books_.placer.CopyOf(group, wanted, books_.ledger.RoomOf(ahead)); });
  round_.Spend(WorkOf(*task));
  task->Run(kSolveSteps);
  const Plan plan = books_.placer.PlanOf(group, *task);
  if (!plan.placed()) return;
  const std::vector<NodeIndex> nodes = plan.nodes();
  for (const GroupId account : ahead) {
    const auto& held = books_.named.Find(account)->held;
    const bool there = std::any_of(nodes.begin(), nodes.end(),
                                   [&](NodeIndex node) { return held.contains(node); });
    if (there) books_.named.Wish(account, nodes);
  }
}

bool Plans::AskWhere(absl::Time now, GroupId account, absl::Time begins,
                     const std::vector<NodeIndex>& avoid) {
  const NamedRoom::Reservation& own = *books_.named.Find(account);
  books_.named.SetWantsCopy(outside_.group != 0);
  if (outside_.group != 0 || !planning_ || IsFreeing()) return false;
  const std::vector<int32_t> wanted = own.group->WantedSlots();
  auto task = ends_search_.Ask(now, *own.group, wanted, round_.spent());
  books_.placer.AvoidMaintenance(*own.group, begins, *task);
  books_.placer.Avoid(*own.group, avoid, *task);
  Send(*own.group, std::move(task), std::nullopt);
  return true;
}

void Plans::SetNamed(GroupId account, std::unique_ptr<Group> group) {
  const Group* before = books_.named.Find(account)->group.get();
  if (group != nullptr) EnsureShapes(*group);
  if (before != nullptr) {
    for (const PodSet& set : before->pod_sets().sets())
      if (set.shape >= 0) books_.ledger.ReleaseShape(set.shape);
  }
  if (group == nullptr) books_.ledger.StopSeeking(account);
  books_.named.SetGroup(account, std::move(group));
}

void Plans::TakeNamed(const SolveTask& task) {
  const NamedRoom::Reservation* own = books_.named.Find(task.group);
  if (own != nullptr && !own->over) {
    Foreseen found;
    found.plan.verdict.decided = false;
    if (books_.placer.WouldAsk(*own->group, task)) {
      found.plan = books_.placer.PlanOf(*own->group, task);
      found.by = task.ends->by;
      if (!found.by) found.awaited = task.victims->Ids();
    }
    named_found_[task.group] = std::move(found);
  }
  if (!round_.IsOver()) SolveNextOutside();  // else with the next turn
}

}  // namespace gangplan
