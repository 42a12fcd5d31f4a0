// What the planner says of itself: reports, statistics, and its invariants.
#include <algorithm>

#include "algorithms/explain.h"
#include "extender/planner/limits.h"
#include "extender/planner/model_room.h"
#include "extender/planner/planner.h"

namespace gangplan {
namespace {

std::string_view SlotName(SlotState state) {
  constexpr std::string_view kNames[] = {"empty", "held", "posting", "bound", "finished"};
  return kNames[static_cast<int>(state)];
}

// The engine was asked for it: the shapes are there.
bool WasAsked(const Group& group) {
  return group.Placeable() &&
         std::all_of(group.pod_sets.begin(), group.pod_sets.end(),
                     [](const GroupPodSet& set) { return !set.known || set.shape >= 0; });
}

// "required rack"; "leader: required rack; workers: slices of 4 in one rack" where they differ.
std::string PlaceText(const Group& group) {
  if (group.pod_sets.empty()) return {};
  const std::string& first = group.pod_sets.front().place;
  const bool same = std::all_of(group.pod_sets.begin(), group.pod_sets.end(),
                                [&](const GroupPodSet& set) { return set.place == first; });
  if (same) return first;
  std::string text;
  for (const GroupPodSet& set : group.pod_sets) {
    std::string place = set.known ? set.place : "not seen yet";
    if (place.empty()) place = "no rule";
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", set.name, place);
  }
  return text;
}

// One a pod set; none where there is only one without a name.
std::vector<GroupReport::PodSetReport> PodSetReports(const Group& group) {
  std::vector<GroupReport::PodSetReport> reports;
  if (group.pod_sets.empty() || group.pod_sets.front().name.empty()) return reports;
  for (const GroupPodSet& set : group.pod_sets)
    reports.push_back({set.name, set.count, 0, 0, set.place});
  for (const auto& [uid, member] : group.members) {
    if (member.problem.empty() && !member.finished) ++reports[member.pod_set].seen;
  }
  for (int32_t i = 0; i < group.size; ++i) {
    if (group.slots[i].state == SlotState::kBound) ++reports[group.SetIndex(i)].bound;
  }
  return reports;
}

}  // namespace

Effects Planner::TakeEffects() {
  Effects taken;
  taken.swap(effects_);
  return taken;
}

std::vector<CallId> Planner::HeldCalls() const {
  std::vector<CallId> calls;
  for (const auto& [id, group] : groups_) {
    for (const auto& [uid, member] : group->members) {
      if (member.call) calls.push_back(member.call->id);
    }
  }
  return calls;
}

PlannerStats Planner::Stats() const {
  PlannerStats stats = totals_;
  stats.rejected_pods = rejected_pods_;
  for (const auto& [id, group] : groups_) {
    ++stats.groups[static_cast<int>(group->state)];
    for (const Slot& slot : group->slots) stats.held_slots += slot.state == SlotState::kHeld;
    for (const auto& [uid, member] : group->members) stats.held_calls += member.call.has_value();
  }
  return stats;
}

GroupReport Planner::Describe(Group& group) {
  GroupReport report;
  report.key = group.key;
  report.name = group.name;
  report.state = group.state;
  report.size = group.size;
  report.place = PlaceText(group);
  if (group.size > 0) {
    const EngineChoice engine = EngineOf(group);
    report.engine = Name(engine.strategy);
    report.engine_why = engine.why;
  }
  report.pod_sets = PodSetReports(group);
  report.outcome = group.outcome;
  report.reason = group.reason;
  if (group.deadline != absl::InfiniteFuture()) report.deadline = group.deadline;
  for (const auto& [uid, member] : group.members) {
    if (!member.problem.empty())
      report.problems.push_back(fmt::format("pod {}: {}", member.pod.name, member.problem));
    report.seen += member.problem.empty() && !member.finished;
    report.in_bind += member.call.has_value();
  }
  const Tree& tree = model_.tree();
  for (int32_t i = 0; i < group.size; ++i) {
    const Slot& slot = group.slots[i];
    const GroupPodSet& set = group.SetOf(i);
    report.bound += slot.state == SlotState::kBound;
    GroupReport::SlotReport line{i - set.first, "", "", "", std::string(SlotName(slot.state)),
                                 set.name};
    if (Member* member = MemberAt(group, i)) line.pod = member->pod.name;
    if (slot.node != kNoNode) {
      line.node = model_.NodeName(slot.node);
      int32_t leaf = model_.LeafOfNode(slot.node);
      line.domain = leaf < 0 ? line.node : tree.Path(tree.leaf_level(), leaf);
    }
    report.slots.push_back(std::move(line));
  }
  std::vector<int32_t> wanted = WantedSlots(group);
  const bool asked = WasAsked(group) && FaultOf(group).empty();
  if (!group.reason.empty() && asked && !wanted.empty() && group.stale.empty()) {
    const Ask ask = AskFor(group, wanted);
    const ModelRoom now(model_, CountKind::kNow, ask.shapes);
    const ModelRoom empty(model_, CountKind::kEmpty, ask.shapes);
    report.evidence = EvidenceText(now.View(), empty.View(), ask.request, Budget{kSolveSteps});
  }
  return report;
}

std::vector<GroupReport> Planner::Reports() {
  std::vector<GroupReport> reports;
  for (auto& [id, group] : groups_) reports.push_back(Describe(*group));
  return reports;
}

std::optional<GroupReport> Planner::Report(std::string_view name) {
  Group* newest = nullptr;
  for (auto& [id, group] : groups_) {
    if (group->name == name) newest = group.get();
  }
  if (newest == nullptr) return std::nullopt;
  return Describe(*newest);
}

namespace {

std::string BrokenCounts(const Group& group) {
  std::array<int32_t, kSlotStates> slots_in = {};
  int32_t in_bind = 0;
  int32_t finished = 0;
  int32_t slotless = 0;
  for (const Slot& slot : group.slots) ++slots_in[static_cast<size_t>(slot.state)];
  for (const auto& [uid, member] : group.members) {
    in_bind += static_cast<int32_t>(member.call.has_value());
    finished += static_cast<int32_t>(member.finished);
    slotless += static_cast<int32_t>(member.slot < 0 && !member.finished && member.problem.empty());
  }
  if (slots_in != group.slots_in) return fmt::format("{}: slots are miscounted", group.name);
  if (in_bind != group.in_bind) return fmt::format("{}: calls are miscounted", group.name);
  if (slotless != group.slotless)
    return fmt::format("{}: members without a slot are miscounted", group.name);
  if (finished != group.finished) return fmt::format("{}: ends are miscounted", group.name);
  return {};
}

// Pod sets lie one after another over all slots, and members are where their own is.
std::string BrokenPodSets(const Group& group) {
  std::vector<int32_t> members(group.pod_sets.size());
  for (const auto& [uid, member] : group.members) {
    if (!member.problem.empty()) continue;
    ++members[member.pod_set];
    if (member.slot >= 0 && !group.pod_sets[member.pod_set].Has(member.slot))
      return fmt::format("{}: pod {} has a slot of another pod set", group.name, uid);
  }
  int32_t first = 0;
  int32_t unseen = 0;
  for (size_t i = 0; i < group.pod_sets.size(); ++i) {
    const GroupPodSet& set = group.pod_sets[i];
    if (set.first != first) return fmt::format("{}: pod set {} is misplaced", group.name, set.name);
    if (set.members != members[i] || (members[i] > 0 && !set.known))
      return fmt::format("{}: members of pod set {} are miscounted", group.name, set.name);
    first += set.count;
    unseen += static_cast<int32_t>(!set.known);
  }
  if (first != group.size) return fmt::format("{}: pod sets do not add up", group.name);
  if (unseen != group.unseen) return fmt::format("{}: unseen sets are miscounted", group.name);
  if (group.In(SlotState::kHeld) > 0 && !group.Placeable())
    return fmt::format("{}: holds room before every pod set is known", group.name);
  return {};
}

}  // namespace

std::string Planner::BrokenInvariant() {
  absl::flat_hash_map<NodeIndex, int32_t> held;
  for (const auto& [id, group] : groups_) {
    if (std::string broken = BrokenCounts(*group); !broken.empty()) return broken;
    if (std::string broken = BrokenPodSets(*group); !broken.empty()) return broken;
    for (int32_t i = 0; i < group->size; ++i) {
      const Slot& slot = group->slots[i];
      bool holds = slot.state == SlotState::kHeld || slot.state == SlotState::kPosting;
      if (!holds) continue;
      ++held[slot.node];
      if (slot.state == SlotState::kHeld && !SlotStands(*group, i)) {
        return fmt::format("{}: slot {} is held on {} that cannot keep it", group->name, i,
                           model_.NodeName(slot.node));
      }
    }
    for (const auto& [uid, member] : group->members) {
      if (member.slot >= 0 && group->slots[member.slot].member != uid)
        return fmt::format("{}: pod {} and slot {} disagree", group->name, uid, member.slot);
      if (member.call && (member.slot < 0 || group->slots[member.slot].state == SlotState::kEmpty))
        return fmt::format("{}: pod {} is in bind without a node", group->name, uid);
    }
    bool waits = group->state == GroupState::kBlocked || group->state == GroupState::kReleased;
    bool any = std::any_of(group->slots.begin(), group->slots.end(),
                           [](const Slot& slot) { return slot.state == SlotState::kHeld; });
    if (waits && any) return fmt::format("{}: {} but holds room", group->name, Name(group->state));
    if (any && group->deadline == absl::InfiniteFuture() && group->members.empty())
      return fmt::format("{}: holds room without an end", group->name);
  }
  for (const auto& [node, refs] : holds_) {
    if (held[node] != static_cast<int32_t>(refs.size()) || model_.HoldCount(node) != held[node])
      return fmt::format("node {}: holds do not add up", model_.NodeName(node));
  }
  for (const auto& [node, count] : held) {
    if (count > 0 && !holds_.contains(node))
      return fmt::format("node {}: a hold is not listed", model_.NodeName(node));
  }
  return {};
}

}  // namespace gangplan
