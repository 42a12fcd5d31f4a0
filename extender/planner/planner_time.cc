// Time: recovery, deadlines, blocked groups, renewals, Events.
#include <algorithm>

#include "extender/planner/limits.h"
#include "extender/planner/planner.h"

namespace gangplan {
namespace {

constexpr absl::Duration kRecoverWithin = absl::Seconds(10);

// A node that some pod set avoided may be tried again.
bool AvoidsLess(const Group& group, absl::Time now) {
  return std::any_of(group.pod_sets.begin(), group.pod_sets.end(), [&](const GroupPodSet& set) {
    return std::any_of(set.avoided.begin(), set.avoided.end(),
                       [&](const auto& entry) { return entry.second <= now; });
  });
}

}  // namespace

void Planner::OnSynced(absl::Time now) {
  listed_ = true;
  StartRecovery(now);
}

// With the lists and the levels there, once.
void Planner::StartRecovery(absl::Time now) {
  if (synced_ || !listed_ || !levels_known_) return;
  synced_ = true;
  recovering_ = true;
  recover_by_ = now + kRecoverWithin;
  FinishRecovery(now);
}

// Once every owner that matters was read: groups that had started first, then by priority and age.
void Planner::FinishRecovery(absl::Time now) {
  bool asking = std::any_of(owners_.begin(), owners_.end(),
                            [](const auto& entry) { return !entry.second.waiting.empty(); });
  if (!recovering_ || (asking && now < recover_by_)) return;
  recovering_ = false;
  std::vector<Group*> order;
  for (auto& [id, group] : groups_) order.push_back(group.get());
  std::sort(order.begin(), order.end(), [](const Group* a, const Group* b) {
    const auto key = [](const Group& group) {
      return std::make_tuple(!group.Started(), -int64_t{group.priority},
                             -int64_t{group.object_priority}, std::string_view(group.name),
                             group.id);
    };
    return key(*a) < key(*b);
  });
  for (Group* group : order) {
    if (group->size > 0) Fire(now, *group, GroupEvent::kMembersChanged);
  }
}

void Planner::Tick(absl::Time now) {
  if (!synced_) return;
  TickOwners(now);
  FinishRecovery(now);
  if (recovering_) return;
  RereadStale(now);
  std::vector<int64_t> ids;
  for (const auto& [id, group] : groups_) ids.push_back(id);
  for (int64_t id : ids) {
    auto it = groups_.find(id);
    if (it != groups_.end()) TickGroup(now, *it->second);
  }
  TryBlocked(now);
  TellOwners();
  TickResults(now);
  std::erase_if(prove_later_, [&](auto& entry) {
    if (entry.first > now) return false;
    effects_.push_back(std::move(entry.second));
    return true;
  });
}

void Planner::TickGroup(absl::Time now, Group& group) {
  if (now >= group.deadline) Fire(now, group, GroupEvent::kTimeout);
  if (group.state != GroupState::kRunning && group.state != GroupState::kDone)
    TickMembers(now, group);
}

void Planner::TickMembers(absl::Time now, Group& group) {
  std::vector<std::string> unconfirmed;
  for (auto& [uid, member] : group.members) {
    bool held = member.slot >= 0 && group.slots[member.slot].state == SlotState::kHeld;
    if (member.call && held && now >= member.call->call_off) {
      DropCall(group, member,
               fmt::format("gang {} of {}: still waiting for its other members; the plan "
                           "stays, the pod is tried again",
                           group.name, group.size));
    }
    bool posting = member.slot >= 0 && group.slots[member.slot].state == SlotState::kPosting;
    if (!member.confirmed && !member.call && !posting && now >= member.seen + kUnconfirmedFor)
      unconfirmed.push_back(uid);
    if (now < member.nominate_at) continue;
    member.nominate_at = absl::InfiniteFuture();
    if (!MayGo(group, member) || member.call) continue;
    if (member.nominations >= kMaxNominations) {
      if (!held) continue;  // in doubt: what becomes of the Binding decides
      Avoid(now, group, member);
      return;  // the slots have changed: the others are looked at by the next tick
    }
    int sent = member.nominations;
    member.nominations = 0;
    MarkRejected(member, true);
    Nominate(group, member);
    member.nominations = sent + 1;
  }
  for (const std::string& uid : unconfirmed) ForgetPod(now, uid);
}

// Greatest priority first, then age; a bounded number of solves a tick, the rest at the next one.
void Planner::TryBlocked(absl::Time now) {
  std::vector<Group*> blocked;
  for (auto& [id, group] : groups_) {
    bool may_gain =
        group->state == GroupState::kBlocked || group->state == GroupState::kNew ||
        ((group->state == GroupState::kBinding || group->state == GroupState::kRepairing) &&
         !WantedSlots(*group).empty());
    bool gained = group->tried_at != model_.gain_version() || AvoidsLess(*group, now);
    if (group->Placeable() && may_gain && gained) blocked.push_back(group.get());
  }
  std::stable_sort(blocked.begin(), blocked.end(), [](const Group* a, const Group* b) {
    return std::tie(a->priority, a->object_priority) > std::tie(b->priority, b->object_priority);
  });
  if (blocked.size() > kMaxSolvesPerTick) blocked.resize(kMaxSolvesPerTick);
  for (Group* group : blocked) Fire(now, *group, GroupEvent::kCapacityGained);
}

// One Event with the whole evidence for each new reason; made outside of the verbs.
void Planner::TellOwners() {
  for (auto& [id, group] : groups_) {
    if (!group->tell_owner || !group->stale.empty()) continue;
    group->tell_owner = false;
    const std::optional<OwnerRef> regarding = ToldFor(*group);
    if (!regarding) continue;
    GroupReport report = Describe(*group);
    std::string note = report.reason;
    auto add = [&](const std::string& line) { note += (note.empty() ? "" : "\n") + line; };
    if (!report.evidence.empty()) add(report.evidence);
    for (const std::string& problem : report.problems) add(problem);
    std::string_view reason = !report.problems.empty()                 ? "GangInvalid"
                              : group->outcome == Outcome::kImpossible ? "GangImpossible"
                              : group->outcome == Outcome::kInvalid    ? "GangInvalid"
                                                                       : "GangWaiting";
    effects_.push_back(
        EventNote{group->key.ns, *regarding, true, std::string(reason), kPlanAction,
                  std::move(note)});
  }
}

}  // namespace gangplan
