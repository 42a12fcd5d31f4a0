// Preempt: a gang never preempts pod by pod. A foreign pod may, but not for room that would go to a
// hold, not by breaking a gang that runs while it could take one as a whole, and never by deleting
// members that wait in bind: their gang lets go instead.
#include <algorithm>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "extender/planner/firm_room.h"
#include "extender/planner/verbs.h"

namespace gangplan {

// What a candidate node would cost.
struct SchedulerVerbs::Victims {
  std::set<GroupId> in_bind;  // gangs with a member that waits in bind
  int32_t broken = 0;         // gangs of which a part would be killed
};

SchedulerVerbs::Victims SchedulerVerbs::Judge(const PreemptCandidate& candidate,
                                              RunningOf& running) const {
  Victims victims;
  absl::flat_hash_map<GroupId, int32_t> killed;
  for (std::string_view uid : candidate.victims) {
    const KnownPod* record = books_.pods.Find(uid);
    if (record == nullptr) continue;
    const Group* group = books_.groups.Find(record->group);
    const Member* member = group == nullptr ? nullptr : group->Find(uid);
    const BindingAttempt* attempt = books_.desk.AttemptOf(uid);
    if (member != nullptr && member->in_bind && attempt == nullptr) {
      victims.in_bind.insert(group->id());
    } else if (member != nullptr && (record->bound || attempt != nullptr)) {
      ++killed[group->id()];
    }
  }
  for (const auto& [id, count] : killed) {
    const auto [known, added] = running.try_emplace(id, 0);
    if (added) known->second = Running(*books_.groups.Find(id));
    victims.broken += static_cast<int32_t>(count < known->second);
  }
  return victims;
}

// With those that run beyond its size.
int32_t SchedulerVerbs::Running(const Group& group) const {
  const int32_t runs = group.bound() + group.In(SlotState::kPosting);
  if (std::ssize(group.members()) == runs) return runs;
  const auto beyond =
      std::count_if(group.members().begin(), group.members().end(), [this](const auto& entry) {
        return entry.second.slot < 0 && books_.pods.At(entry.first).bound;
      });
  return runs + static_cast<int32_t>(beyond);
}

// The pod would have room there, beside what is held, and what reservations, and Workloads of
// Kueue's that have it from that, take as it comes free.
bool SchedulerVerbs::HasRoomFor(const PodFacts& pod, const FirmRoom& firm,
                                const PreemptCandidate& candidate, NodeIndex node) const {
  if (firm.TakesWhatIsLeft(node, pod.requests)) return false;
  const ResourceList again = books_.kueue.TakenAgain(candidate.victims, pod);
  if (!books_.ledger.HasHolds(node) && !IsKueues(node) && again.empty()) return true;
  ResourceList freed = OpenOn(node, pod);
  AddResources(freed, again, -1);
  for (std::string_view uid : candidate.victims) {
    const KnownPod* record = books_.pods.Find(uid);
    if (record == nullptr) continue;
    if (record->bound || books_.desk.AttemptOf(uid) != nullptr)
      AddResources(freed, *record->requests);
  }
  return books_.ledger.HasRoomWith(node, firm.With(node, pod.requests), freed);
}

std::vector<int32_t> SchedulerVerbs::Preempt(absl::Time now, const Readiness& ready,
                                             const PodFacts& pod,
                                             const std::vector<PreemptCandidate>& candidates) {
  std::vector<int32_t> kept;
  if (!ready.not_ready.empty() || !ready.recovering.empty()) return kept;
  const KnownPod* record = roster_.Asked(now, pod);
  if (record == nullptr || record->group != 0 || !record->foreign() || record->leaving) return kept;
  const FirmRoom firm(books_, pod.priority);
  RunningOf running;
  std::set<GroupId> waiting;   // of the first candidate that needs some to let go
  std::set<GroupId> breaking;  // likewise of one that breaks others beside
  std::vector<std::pair<int32_t, int32_t>> broken;  // gangs broken, candidate
  for (int32_t i = 0; i < static_cast<int32_t>(candidates.size()); ++i) {
    const PreemptCandidate& candidate = candidates[static_cast<size_t>(i)];
    const NodeIndex node = books_.ledger.model().FindNode(candidate.node);
    if (node == kNoNode || (!options_.nodes.empty() && !IsOurs(candidate.node))) continue;
    if (!HasRoomFor(pod, firm, candidate, node)) continue;
    const Victims victims = Judge(candidate, running);
    if (!victims.in_bind.empty()) {
      const bool kept_back = std::any_of(victims.in_bind.begin(), victims.in_bind.end(),
                                         [&](GroupId id) { return firm.Keeps(id); });
      std::set<GroupId>& those = victims.broken == 0 ? waiting : breaking;
      if (those.empty() && !kept_back) those = victims.in_bind;
    } else if (victims.broken == 0) {
      kept.push_back(i);
    } else {
      broken.emplace_back(victims.broken, i);
    }
  }
  if (!kept.empty()) return kept;
  // Nobody lets go for a pod that may not go there afterwards, either.
  const bool may_break = pod.priority >= kSystemPriority;
  if (waiting.empty() && broken.empty() && may_break) waiting = std::move(breaking);
  for (GroupId id : waiting) {
    Group& group = *books_.groups.Find(id);
    const std::string why =
        fmt::format("gang {} gives way to a pod of higher priority", group.name());
    for (const HoldId& hold : books_.ledger.HoldsOf(id)) {
      const Member* member = group.At(hold.slot);
      if (member != nullptr && group.slot(hold.slot).state == SlotState::kHeld)
        plans_.DropCall(group, member->pod.uid, why);
    }
  }
  // The cluster's own pods must run: what they break is the least.
  if (waiting.empty() && may_break && !broken.empty()) {
    std::sort(broken.begin(), broken.end());
    for (const auto& [count, index] : broken) {
      if (count == broken.front().first) kept.push_back(index);
    }
    std::sort(kept.begin(), kept.end());
  }
  return kept;
}

}  // namespace gangplan
