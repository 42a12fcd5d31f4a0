// Solves: how a group's life table is carried out.
#include <algorithm>

#include "algorithms/explain.h"
#include "extender/planner/limits.h"
#include "extender/planner/model_room.h"
#include "extender/planner/planner.h"
#include "topology/base/check.h"

namespace gangplan {

void Planner::Fire(absl::Time now, Group& group, GroupEvent event) {
  if (group.size == 0) return;  // no sound member has told what the group is
  if (!group.stale.empty()) return;
  for (const LifeRow& row : LifeTable()) {
    if (row.state != group.state || row.event != event || !Holds(group, row.guard)) continue;
    group.state = row.next;
    if (row.next == GroupState::kRunning && !group.times.end) group.times.end = now;
    Act(now, group, row.action);
    return;
  }
}

bool Planner::Holds(const Group& group, GroupGuard guard) const {
  auto every = [&](auto predicate) {
    return std::all_of(group.slots.begin(), group.slots.end(), predicate);
  };
  switch (guard) {
    case GroupGuard::kAlways:
      return true;
    case GroupGuard::kComplete:
      return every([](const Slot& slot) { return !slot.open() || !slot.member.empty(); });
    case GroupGuard::kIncomplete:
      return !Holds(group, GroupGuard::kComplete);
    case GroupGuard::kStarted:
      return group.Started();
    case GroupGuard::kNotStarted:
      return !group.Started();
    case GroupGuard::kAllBound:
      return group.In(SlotState::kBound) + group.In(SlotState::kFinished) == group.size;
    case GroupGuard::kAllCalled:
      if (group.In(SlotState::kEmpty) > 0 || group.in_bind < group.In(SlotState::kHeld))
        return false;
      return every([&](const Slot& slot) {
        if (!slot.open()) return true;
        auto it = group.members.find(slot.member);
        return slot.state == SlotState::kHeld && it != group.members.end() && it->second.call;
      });
    case GroupGuard::kAllAsked:
      return every([&](const Slot& slot) {
        auto it = group.members.find(slot.member);
        return !slot.open() || (it != group.members.end() && it->second.asked);
      });
    case GroupGuard::kAllFinished:
      return group.In(SlotState::kFinished) == group.size;
  }
  return false;
}

void Planner::Act(absl::Time now, Group& group, GroupAction action) {
  switch (action) {
    case GroupAction::kNothing:
      break;
    case GroupAction::kSolve:
      Solve(now, group);
      break;
    case GroupAction::kRefill:
      Refill(now, group);
      break;
    case GroupAction::kFill:
      if (PlaceWanted(now, group, WantedSlots(group))) NominateAll(group);
      if (group.deadline == absl::InfiniteFuture() && HasVacantHold(group))
        group.deadline = now + options_.gather_timeout;
      break;
    case GroupAction::kArmGather:
    case GroupAction::kArmStart:
      group.deadline = now + options_.gather_timeout;
      break;
    case GroupAction::kDisarm:
      group.deadline = absl::InfiniteFuture();
      break;
    case GroupAction::kRelease:
      GiveBack(group);
      break;
    case GroupAction::kReleaseVacant:
      group.deadline = absl::InfiniteFuture();
      ReleaseVacant(group);
      break;
    case GroupAction::kAskCommit:
      effects_.push_back(CommitReady{group.id});
      break;
  }
}

// The plan was of no use in its time.
void Planner::GiveBack(Group& group) {
  group.deadline = absl::InfiniteFuture();
  std::string_view why = "members did not all come in time";
  std::string_view until = "a member comes or goes";
  if (Holds(group, GroupGuard::kComplete)) {
    why = "the scheduler did not bind all members in time";
    until = "every member is asked for";
  }
  SetReason(group, Outcome::kWait,
            fmt::format("gang {} of {}: {}, its room was given back; it is planned again when {}",
                        group.name, group.size, why, until));
  Release(group, group.reason);
  for (auto& [uid, member] : group.members) member.asked = false;
}

namespace {

bool InSlices(const GroupPodSet& set) {
  return set.known && set.front_end->keeps_slices_whole() &&
         std::any_of(set.rules.begin(), set.rules.end(),
                     [](const auto& rule) { return rule && rule->factor; });
}

}  // namespace

bool Planner::HasVacantHold(const Group& group) const {
  return std::any_of(group.slots.begin(), group.slots.end(), [](const Slot& slot) {
    return slot.state == SlotState::kHeld && slot.member.empty();
  });
}

// Before anything of the group is bound every empty slot is wanted; later only those with a member,
// and with one of them the others of a pod set in slices: a slice that was lost as a whole is
// placed as a whole, before its first new pod settles where the rest cannot follow.
std::vector<int32_t> Planner::WantedSlots(const Group& group) const {
  std::vector<int32_t> wanted;
  for (const GroupPodSet& set : group.pod_sets) {
    const auto first = group.slots.begin() + set.first;
    const bool waits = std::any_of(first, first + set.count, [](const Slot& slot) {
      return slot.state == SlotState::kEmpty && !slot.member.empty();
    });
    const bool all = !group.Started() || (waits && InSlices(set));
    for (int32_t i = set.first; i < set.first + set.count; ++i) {
      const Slot& slot = group.slots[i];
      if (slot.state == SlotState::kEmpty && (all || !slot.member.empty())) wanted.push_back(i);
    }
  }
  return wanted;
}

// The nodes to avoid are said in Kubernetes' own words: metadata.name NotIn, in every term.
void Planner::RefreshShape(absl::Time now, GroupPodSet& set) {
  std::erase_if(set.avoided, [&](const auto& entry) { return entry.second <= now; });
  NodeFilter filter = set.filter;
  if (!set.avoided.empty()) {
    SelectorRequirement others{"metadata.name", SelectorOperator::kNotIn, {}};
    for (const auto& [name, until] : set.avoided) others.values.push_back(name);
    if (!filter.required_terms) filter.required_terms.emplace(1);
    for (NodeSelectorTerm& term : *filter.required_terms) term.fields.push_back(others);
  }
  ShapeId shape = model_.AcquireShape(set.demand, filter);
  if (set.shape >= 0) model_.ReleaseShape(set.shape);
  set.shape = shape;
}

namespace {

// Said by all pod sets alike: of a group that has started the first ones may not be known.
const LevelRules& GroupRules(const Group& group) {
  const auto told = std::find_if(group.pod_sets.begin(), group.pod_sets.end(),
                                 [](const GroupPodSet& set) { return set.known; });
  GANGPLAN_CHECK(told != group.pod_sets.end());
  return told->rules;
}

}  // namespace

// What stands, and the wanted slots, pod set by pod set; a set with neither is left out. Ranks of
// the request only order the answer: in each set what stands comes first, then the wanted slots.
Planner::Ask Planner::AskFor(const Group& group, const std::vector<int32_t>& wanted) {
  Ask ask;
  PlacementRequest& request = ask.request;
  request.strategy = EngineOf(group).strategy;
  request.tas = options_.tas;
  const bool one = group.pod_sets.size() == 1;
  const bool together = one || request.strategy != Strategy::kTas;
  request.rules = together ? GroupRules(group) : LevelRules(model_.tree().level_count());
  auto next = wanted.begin();
  for (const GroupPodSet& set : group.pod_sets) {
    const auto index = static_cast<int32_t>(request.pod_sets.size());
    int32_t count = 0;
    for (int32_t i = set.first; i < set.first + set.count; ++i) {
      const Slot& slot = group.slots[i];
      if (slot.state == SlotState::kEmpty || slot.state == SlotState::kFinished) continue;
      int32_t leaf = model_.LeafOfNode(slot.node);
      if (leaf >= 0) request.fixed.push_back({index, count++, leaf});
    }
    for (; next != wanted.end() && set.Has(*next); ++next) ++count;
    if (count == 0) continue;
    request.pod_sets.push_back({set.name, count, 0, set.tie});
    if (!together) request.pod_sets.back().rules = set.rules;
    ask.shapes.push_back(set.shape);
    ask.scores.emplace_back();
    if (request.strategy == Strategy::kTas) ask.scores.back() = PreferenceOf(set);
  }
  group.front_end->Translate(request);
  return ask;
}

EngineChoice Planner::EngineOf(const Group& group) const {
  if (options_.engine_for_all) return {*options_.engine_for_all, "engines.strategy"};
  return group.front_end->engine();
}

// What its words contradict each other in, or the engine in; empty: nothing.
std::string Planner::FaultOf(const Group& group) const {
  if (!group.fault.empty()) return group.fault;
  if (!options_.engine_for_all || group.front_end == nullptr) return {};
  const std::vector<PodSetSpec> pod_sets(group.pod_sets.begin(), group.pod_sets.end());
  return group.front_end->EngineFault(pod_sets, *options_.engine_for_all, group_options_.topology);
}

// Sets the reason when it can not.
bool Planner::CanBePlaced(Group& group) {
  const std::string fault = FaultOf(group);
  if (group.Placeable() && fault.empty()) return true;
  group.tried_at = model_.gain_version();
  if (!fault.empty()) {
    SetReason(group, Outcome::kInvalid, fmt::format("gang {}: invalid: {}", group.name, fault));
    return false;
  }
  std::string names;
  for (const GroupPodSet& set : group.pod_sets) {
    if (!set.known) names += (names.empty() ? "" : ", ") + set.name;
  }
  SetReason(group, Outcome::kWait,
            fmt::format("gang {} of {}: no pod of pod set{} {} was seen yet; the gang is placed "
                        "when one pod of each is there",
                        group.name, group.size, group.unseen == 1 ? "" : "s", names));
  return false;
}

bool Planner::PlaceWanted(absl::Time now, Group& group, const std::vector<int32_t>& wanted) {
  if (wanted.empty()) return true;
  if (!CanBePlaced(group)) return false;
  for (GroupPodSet& set : group.pod_sets) {
    if (set.known) RefreshShape(now, set);
  }
  const Ask ask = AskFor(group, wanted);
  const PlacementRequest& request = ask.request;
  const ModelRoom room(model_, CountKind::kNow, ask.shapes);
  const ModelRoom empty(model_, CountKind::kEmpty, ask.shapes);
  const auto [result, took] = options_.engine(
      Liked(room.View(), ask), [&] { return Liked(empty.View(), ask); }, request,
      Budget{kSolveSteps});
  ++totals_.solves[static_cast<int>(result.outcome)];
  group.times.solver += took;
  group.tried_at = model_.gain_version();
  if (result.outcome != Outcome::kPlaced) {
    SetReason(group, result.outcome,
              ShortReason(model_.tree(), request, result, fmt::format("gang {}", group.name)));
    return false;
  }
  GANGPLAN_CHECK(result.members.size() == wanted.size());
  const std::vector<int32_t> leaves = LeavesInOrder(group, result);
  for (size_t i = 0; i < wanted.size(); ++i) Hold(group, wanted[i], model_.NodeOfLeaf(leaves[i]));
  group.outcome = Outcome::kPlaced;
  group.reason.clear();
  group.tell_owner = false;
  return true;
}

void Planner::Solve(absl::Time now, Group& group) {
  const std::vector<int32_t> wanted = WantedSlots(group);
  const bool placed = PlaceWanted(now, group, wanted);
  // A group that is read anew while all of it stands keeps its plan; found so, it has its first.
  if (placed && (!wanted.empty() || group.plans == 0)) ++group.plans;
  Fire(now, group, placed ? GroupEvent::kPlanFound : GroupEvent::kPlanFailed);
  if (placed) NominateAll(group);
}

void Planner::Refill(absl::Time now, Group& group) {
  bool placed = PlaceWanted(now, group, WantedSlots(group));
  if (!placed) {
    Release(group,
            fmt::format("gang {}: a planned node was lost, the gang is planned anew", group.name));
    placed = PlaceWanted(now, group, WantedSlots(group));
    if (placed) ++group.plans;
  }
  Fire(now, group, placed ? GroupEvent::kPlanFound : GroupEvent::kPlanFailed);
  if (placed) NominateAll(group);
}

void Planner::SetReason(Group& group, Outcome outcome, std::string reason) {
  group.tell_owner = group.tell_owner || group.reason != reason;
  group.outcome = outcome;
  group.reason = std::move(reason);
}

}  // namespace gangplan
