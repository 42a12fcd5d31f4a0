#include "extender/planner/room_ask.h"

#include <algorithm>

#include "extender/frontends/owner.h"
#include "extender/planner/advice_search.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/shown_pods.h"

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
  const bool lacks =
      wants && AdviceSearch(books).LacksRoomAlone(group) && AllShown(books.pods, group);
  return lacks ? RoomAsk::Stand::kLacks : RoomAsk::Stand::kOpen;
}

// A part's maker is that of the whole. O(members).
bool IsMadeBy(const Books& books, const Group& group, const std::string& uid) {
  const auto& members = group.members();
  return std::all_of(members.begin(), members.end(), [&](const auto& member) {
    const std::string_view own = books.pods.At(member.first).owner_key;
    if (UidOf(own) == uid) return true;
    const OwnerFacts* facts = own.empty() ? nullptr : books.owners.Facts(own);
    return facts != nullptr && facts->whole().uid == uid;
  });
}

// A group keeps the owner of its first pod, which may be of one of several, and gone by now.
void TakeMaker(const Books& books, const Group& group, RoomAsk& ask) {
  const std::optional<OwnerRef>& owner = group.owner();
  if (!owner || IsKnownByName(owner->uid) || !IsMadeBy(books, group, owner->uid)) return;
  ask.maker_uid = owner->uid;
  if (!books.owners.IsGone(OwnerKeyOf(group))) ask.maker = owner;
}

}  // namespace

RoomAsk AskOf(const Books& books, const Group& group, const std::vector<int32_t>& wanted) {
  RoomAsk ask;
  ask.stand = StandOf(books, group, !wanted.empty());
  ask.ns = group.key().ns;
  ask.incarnation = group.key().incarnation;
  ask.reason = group.verdict().reason;
  if (ask.stand != RoomAsk::Stand::kLacks) return ask;
  TakeMaker(books, group, ask);
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
