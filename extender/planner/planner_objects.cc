// Groups that objects of their users describe: what the objects say as they come and change, ranks
// that follow a distance, and how groups stand, for what their objects are told.
#include <algorithm>

#include "algorithms/tree_ranks.h"
#include "extender/planner/planner.h"

namespace gangplan {
namespace {

bool Complete(const Group& group) {
  return std::none_of(group.slots.begin(), group.slots.end(),
                      [](const Slot& slot) { return slot.open() && slot.member.empty(); });
}

ResultsMark MarkOf(const Group& group) {
  return {group.state, group.In(SlotState::kBound), group.finished, group.members.size(),
          group.plans};
}

}  // namespace

void Planner::OnGroupObject(absl::Time now, ConfigMapFacts object) {
  ObjectChange change = objects_->Put(std::move(object));
  RereadGroups(now, change.reread);
  if (change.note) effects_.push_back(*std::move(change.note));
  const auto group = groups_by_key_.find(*change.group);
  if (group != groups_by_key_.end()) results_.ObjectChanged(now, group->second->id);
}

void Planner::OnGroupObjectGone(absl::Time now, std::string_view ns, std::string_view name) {
  RereadGroups(now, objects_->Erase(ns, name).reread);
}

// Whose Events tell of the group: its owner, else the object that describes it.
std::optional<OwnerRef> Planner::ToldFor(const Group& group) const {
  if (group.owner || objects_ == nullptr) return group.owner;
  return objects_->ObjectOf(group.key);
}

void Planner::RereadGroups(absl::Time now, const std::vector<GroupKey>& keys) {
  for (const GroupKey& key : keys) {
    const auto group = groups_by_key_.find(key);
    if (group == groups_by_key_.end()) continue;
    MakeStale(*group->second, "its ConfigMap says something else now");
    RereadStale(now);
  }
}

// In the order of the wanted slots. Where ranks rise with the distance from rank 0: leaves come
// depth first, which is that order from the first of them; from one that stands it is looked for.
std::vector<int32_t> Planner::LeavesInOrder(const Group& group, const PlacementResult& result) {
  std::vector<int32_t> leaves;
  for (const PlacedMember& member : result.members) leaves.push_back(member.leaf);
  const bool by_distance = group.front_end->rank_order() == RankOrder::kByDistance;
  if (!by_distance || group.slots.front().node == kNoNode) return leaves;
  std::vector<std::string> names = {std::string(kMasterWord)};
  for (size_t i = 0; i < leaves.size(); ++i) names.push_back(fmt::format("{:08}", i));
  std::vector<TreePlace> places = {{names[0], UnitsOf(group.slots.front().node)}};
  for (size_t i = 0; i < leaves.size(); ++i)
    places.push_back({names[i + 1], UnitsOf(model_.NodeOfLeaf(leaves[i]))});
  std::vector<int32_t> ordered;
  for (int32_t place : RankByDistance(places)) {
    if (place > 0) ordered.push_back(leaves[place - 1]);
  }
  return ordered;
}

// The units that hold the node from the top, the node last; the node alone when it has no place.
std::vector<std::string_view> Planner::UnitsOf(NodeIndex node) {
  const int32_t leaf = model_.LeafOfNode(node);
  if (leaf < 0) return {model_.NodeName(node)};
  const Tree& tree = model_.tree();
  std::vector<std::string_view> units;
  for (int level = 0; level < tree.level_count(); ++level)
    units.emplace_back(tree.name(level, tree.Ancestor(leaf, level)));
  return units;
}

// What the Binding brings along, so that a container finds its rank when it starts.
LabelSet Planner::MemberLabels(const Group& group, int32_t slot) {
  LabelSet labels;
  PatchLabels(labels, group.front_end->MemberLabels(slot, group.plans));
  return labels;
}

void Planner::TickResults(absl::Time now) {
  for (auto& [id, group] : groups_) {
    const bool told = group->front_end != nullptr && group->front_end->tells_results();
    if (told && group->stale.empty()) results_.Look(now, id, MarkOf(*group));
  }
  for (int64_t id : results_.TakeDue(now)) {
    Group& group = *groups_.at(id);
    if (group.stale.empty()) results_.Tell(id, StandingOf(group), *objects_, effects_);
  }
}

GroupStanding Planner::StandingOf(const Group& group) {
  GroupStanding standing{.key = group.key,
                         .phase = PhaseOf(group.state, Complete(group)),
                         .size = group.size,
                         .plans = group.plans,
                         .begin = group.times.begin,
                         .end = group.times.end,
                         .solver_time = group.times.solver};
  for (int32_t i = 0; i < group.size; ++i) {
    if (group.slots[i].state != SlotState::kBound) continue;
    const PodRecord& record = pods_.at(group.slots[i].member);
    standing.members.push_back({record.name, i, true, PathOf(record, group.slots[i].node),
                                &record.facts->labels});
  }
  for (const auto& [uid, member] : group.members) {
    if (!member.finished) continue;
    const PodRecord& record = pods_.at(uid);
    const NodeIndex node = model_.FindNode(record.facts->node_name);
    standing.members.push_back(
        {record.name, member.rank, false, PathOf(record, node), &record.facts->labels});
  }
  return standing;
}

std::vector<std::string_view> Planner::PathOf(const PodRecord& record, NodeIndex node) {
  return node == kNoNode ? std::vector<std::string_view>{record.facts->node_name} : UnitsOf(node);
}

void Planner::OnResultsWritten(absl::Time now, int64_t id, bool again) {
  results_.OnWritten(now, id, again);
}

}  // namespace gangplan
