// Members that the watch shows bound, and those that a restart finds so: which slot is theirs.
#include <algorithm>
#include <tuple>

#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/plan_words.h"
#include "extender/planner/plans.h"
#include "fmt/format.h"

namespace gangplan {

void Plans::Bound(Group& group, const PodFacts& pod) {
  const NodeIndex node = books_.ledger.model().FindNode(pod.node_name);
  const Member& member = *group.Find(pod.uid);
  const int32_t slot = member.slot;
  if (slot >= 0 && group.slot(slot).state == SlotState::kBound && group.slot(slot).node == node) {
    CheckNode(node);  // the pod may have grown
    return;
  }
  const bool as_planned = slot < 0 || group.slot(slot).node == node;
  DropCall(group, pod.uid,
           as_planned ? std::string() : fmt::format("the pod is bound to {}", pod.node_name));
  books_.waker.Forget(pod.uid);
  const bool began = group.AnyRuns();
  AdoptBound(group, pod, node);
  CheckNode(node);
  if (!began) PostAwaited(group);
  books_.lifecycle.Fire(group.id(), GroupEvent::kSettled);
  books_.lifecycle.Fire(group.id(), GroupEvent::kMembersChanged);
}

// Its slot is the one that it was planned for, also where that was to be scaled away, else the one
// that its Binding names. A hold that stands there is not needed any more.
void Plans::AdoptBound(Group& group, const PodFacts& pod, NodeIndex node) {
  const Member& member = *group.Find(pod.uid);
  group.NoteBoundBy(PlannedRungOf(pod, group.ladder().size()));
  std::optional<int32_t> rank;
  // Who plans has chosen the slot itself.
  if (member.slot < 0 || !planning_) {
    const int32_t count = group.pod_sets().at(member.pod_set).count;
    rank = PlannedRankOf(pod, group.sizing().at_least ? kMaxGroupSize : count);
  }
  const bool beyond = rank && *rank >= group.size();
  if (beyond && *rank < RanksOf(group, member.pod_set)) Resize(group, member.pod_set, *rank + 1);
  AdoptAt(group, pod.uid, rank, node);
  group.ForgetRefusals(pod.uid);
  NoteRun(group, member.pod_set);
  SeatAndSend(group);
}

void Plans::AdoptAt(Group& group, const std::string& uid, std::optional<int32_t> rank,
                    NodeIndex node) {
  const int32_t slot = group.SlotToAdopt(uid, rank);
  if (slot >= 0 && group.slot(slot).taken()) books_.ledger.Release({group.id(), slot});
  group.Adopt(uid, slot, node);
  books_.pods.NoteSeated(uid);
}

// After a restart a group of at least so many has the ranks that its pods tell, as far as there are
// about as many pods: whatever one of them tells, it gets no more slots.
int32_t Plans::RanksOf(const Group& group, int32_t set) const {
  const int32_t count = group.pod_sets().at(set).count;
  if (!group.sizing().at_least) return count;
  const bool by_owner = (group.sizing().by_owner || group.sizing().of_owner) && group.owner();
  const int32_t pods = by_owner ? books_.owners.Users(OwnerKeyOf(group))
                                : static_cast<int32_t>(group.members().size());
  return std::clamp(2 * pods, count, std::max(count, kMaxGroupSize));
}

// Of a group of at least so many those were taken in, by any order, before there were as many pods
// as their ranks need: each goes where it says that it belongs.
void Plans::SeatByRank(Group& group) {
  if (!group.sizing().at_least || !group.planned()) return;
  const int32_t most = RanksOf(group, 0);
  std::vector<std::tuple<int32_t, std::string, NodeIndex>> astray;
  for (const auto& [uid, member] : group.members()) {
    const bool bound = member.slot >= 0 && group.slot(member.slot).state == SlotState::kBound;
    if (bound && !member.indexed && member.rank >= 0 && member.rank < most &&
        member.rank != member.slot)
      astray.emplace_back(member.rank, uid, group.slot(member.slot).node);
  }
  if (astray.empty()) return;
  std::sort(astray.begin(), astray.end());
  for (const auto& [rank, uid, node] : astray) group.Unseat(uid);
  const int32_t last = std::get<0>(astray.back());
  if (last >= group.size()) Resize(group, 0, last + 1);
  for (const auto& [rank, uid, node] : astray) {
    AdoptAt(group, uid, rank, node);
    NoteEnd(books_.pods.At(uid), uid);
  }
  SeatMembers(group);
}

}  // namespace gangplan
