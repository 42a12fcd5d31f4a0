#include "extender/planner/room_ask.h"

#include <algorithm>

#include "extender/planner/advice_search.h"

namespace gangplan {
namespace {

bool NeverByNewNodes(const Group& group) {
  const Verdict& told = group.verdict();
  const auto& sets = group.pod_sets().sets();
  return told.kept_back || told.outcome == Outcome::kInvalid || group.AnyUnsound() ||
         std::any_of(sets.begin(), sets.end(),
                     [](const PodSet& set) { return set.nodes_asked || set.names_nodes; });
}

RoomAsk::Stand StandOf(const Books& books, const Group& group, bool wants) {
  if (group.state() != GroupState::kBlocked)
    return group.planned() ? RoomAsk::Stand::kHasRoom : RoomAsk::Stand::kOpen;
  if (NeverByNewNodes(group)) return RoomAsk::Stand::kNothing;
  const bool lacks = wants && AdviceSearch(books).LacksRoomAlone(group);
  return lacks ? RoomAsk::Stand::kLacks : RoomAsk::Stand::kOpen;
}

}  // namespace

RoomAsk AskOf(const Books& books, const Group& group, const std::vector<int32_t>& wanted) {
  RoomAsk ask;
  ask.stand = StandOf(books, group, !wanted.empty());
  ask.ns = group.key().ns;
  ask.incarnation = group.key().incarnation;
  ask.reason = group.verdict().reason;
  ask.owner = group.owner();
  if (ask.stand != RoomAsk::Stand::kLacks) return ask;
  for (const PodSet& set : group.pod_sets().sets()) {
    const auto of_set = [&](int32_t slot) { return set.Has(slot); };
    const auto count = std::count_if(wanted.begin(), wanted.end(), of_set);
    if (count == 0 || !set.known) continue;
    ask.pod_sets.push_back(
        {set.name, static_cast<int32_t>(count), set.demand, set.filter, set.profile});
  }
  return ask;
}

}  // namespace gangplan
