#include "extender/planner/firm_room.h"

#include <algorithm>

namespace gangplan {

FirmRoom::FirmRoom(const Books& books, int32_t priority)
    : books_(books), counts_(books.named.any() && priority < kSystemPriority) {
  if (!counts_) return;
  for (const auto& [id, name] : books_.named.users()) {
    const Group* group = books_.groups.Find(id);
    // Others give way to no such pod in any case.
    const bool yields = group != nullptr && group->holds() > 0 && group->priority() < priority;
    if (!yields || books_.named.RoomOf(*group) == nullptr) continue;
    keep_.insert(id);
    for (const PodSet& set : group->pod_sets().sets()) {
      for (int32_t i = set.first; group->planned() && i < set.first + set.count; ++i) {
        const Slot& slot = group->slot(i);
        if (slot.state == SlotState::kHeld) AddResources(held_[slot.node], set.demand);
      }
    }
  }
}

ResourceList FirmRoom::With(NodeIndex node, ResourceList requests) const {
  const auto held = held_.find(node);
  if (held == held_.end()) return requests;
  for (ResourceAmount& one : requests)
    if (one.amount > 0) one.amount += AmountOf(held->second, one.name);
  return requests;
}

// What its users leave is the reservation's again, so what they have counts as lacking, too.
bool FirmRoom::TakesWhatIsLeft(NodeIndex node, const ResourceList& requests) const {
  const auto& all = books_.named.all();
  return counts_ && std::any_of(all.begin(), all.end(), [&](const auto& entry) {
           const NamedRoom::Reservation& one = entry.second;
           const auto pods = one.pods.find(node);
           if (pods == one.pods.end()) return false;
           ResourceList need;
           AddResources(need, one.words.requests, pods->second);
           const auto held = one.held.find(node);
           return std::any_of(requests.begin(), requests.end(), [&](const ResourceAmount& asked) {
             const int64_t has = held == one.held.end() ? 0 : AmountOf(held->second, asked.name);
             return asked.amount > 0 && asked.name != "pods" && AmountOf(need, asked.name) > has;
           });
         });
}

}  // namespace gangplan
