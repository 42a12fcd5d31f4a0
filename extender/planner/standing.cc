#include "extender/planner/standing.h"

namespace gangplan {
namespace {

std::vector<std::string_view> PathOf(const KnownPod& pod, NodeIndex node, const Placer& placer) {
  if (node == kNoNode) return {pod.facts->node_name};
  return placer.UnitsOf(node);
}

void AddLevels(const Group& group, const Tree& tree, GroupStanding& standing) {
  PlanShape names;
  for (int level = 0; level < tree.level_count(); ++level) {
    standing.levels.emplace_back(tree.level(level).name);
    names.levels.push_back({tree.level(level).name, 0});
  }
  if (group.quality()) standing.quality = QualityText(*group.quality(), names);
}

}  // namespace

ResultsMark MarkOf(const Group& group) {
  return {group.state(), group.bound(), group.finished(), group.members().size(), group.plans()};
}

GroupStanding StandingOf(const Group& group, const PodBook& pods, const Placer& placer,
                         const Tree& tree) {
  GroupStanding standing{.key = group.key(),
                         .phase = PhaseOf(group.state(), group.Complete()),
                         .size = group.size(),
                         .plans = group.plans(),
                         .begin = group.begun(),
                         .end = group.whole(),
                         .solver_time = group.solver_time()};
  AddLevels(group, tree, standing);
  for (int32_t i = 0; i < static_cast<int32_t>(group.slots().size()); ++i) {
    if (group.slot(i).state != SlotState::kBound) continue;
    const PodRef& ref = group.At(i)->pod;
    const KnownPod& pod = pods.At(ref.uid);
    standing.members.push_back(
        {ref, i, true, PathOf(pod, group.slot(i).node, placer), &pod.facts->labels});
  }
  for (const auto& [uid, member] : group.members()) {
    if (!member.finished || member.over) continue;
    const KnownPod& pod = pods.At(uid);
    const NodeIndex node = placer.FindNode(pod.facts->node_name);
    standing.members.push_back(
        {member.pod, member.rank, false, PathOf(pod, node, placer), &pod.facts->labels});
  }
  return standing;
}

RankLists::Gang RanksOf(const Group& group, const PodBook& pods, const Placer& placer) {
  RankLists::Gang gang{group.key().incarnation, group.size(), {}, group.finished() > 0};
  const int32_t slots = static_cast<int32_t>(group.slots().size());
  const bool grows = group.sizing().at_least && group.Started();
  if (slots == 0 || slots > kMaxListedRanks || gang.ending) return gang;
  for (const PodSet& set : group.pod_sets().sets()) {
    for (int32_t rank = 0; rank < set.count; ++rank) {
      const Member* member = group.At(set.first + rank);
      const NodeIndex node = group.slot(set.first + rank).node;
      if (member == nullptr || node == kNoNode) {
        if (grows) continue;
        gang.by_rank.clear();
        return gang;
      }
      const std::string* host = pods.At(member->pod.uid).text.get();
      const std::string& name = member->pod.name;
      gang.by_rank.push_back(
          {set.name, rank, name, host == nullptr ? name : *host, placer.UnitsOf(node)});
    }
  }
  return gang;
}

}  // namespace gangplan
