#include "extender/planner/lesser_room.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "extender/planner/limits.h"

namespace gangplan {

void LesserRoom::Renew(int64_t& work) {
  seen_.clear();
  least_.reset();
  ledger_.VisitBelow(kSystemPriority, [&](GroupId id) {
    work += kLookWork;
    const Group& group = *groups_.Find(id);
    if (!group.Started()) least_ = group.priority();
    return !least_;
  });
}

void LesserRoom::Note(const Group& group) {
  if (group.Started()) return;
  least_ = std::min(least_.value_or(group.priority()), group.priority());
  const auto seen = seen_.find(group.topology());
  if (seen == seen_.end()) return;
  AddNodes(group.id(), seen->second);
  seen->second.most.clear();
}

void LesserRoom::AddNodes(GroupId group, Seen& seen) const {
  for (const PromisedRoom& room : ledger_.RoomOf({group})) seen.nodes.insert(room.node);
}

std::vector<GroupId> LesserRoom::Below(TopologyIndex topology, int32_t priority,
                                       int64_t& work) const {
  std::vector<GroupId> lesser;
  size_t slots = 0;
  std::optional<std::pair<size_t, GroupId>> large;  // with where it stands among the others
  size_t left = kMaxLiftedSlots;                    // for all of these
  ledger_.VisitBelow(priority, [&](GroupId id) {
    work += kLookWork;
    const size_t holds = ledger_.HoldCount(id);
    const Group& one = *groups_.Find(id);
    // Who was released from its gate, or may be by now, can go nowhere else.
    const bool fixed = one.Started() || one.IsFixed();
    if (fixed || one.topology() != topology) return true;
    if (slots + holds <= (lesser.empty() && !large ? kMaxLiftedInAll : left)) {
      slots += holds;
      lesser.push_back(id);
    } else if (!large && slots + holds <= kMaxLiftedInAll) {
      large = {lesser.size(), id};
      left = std::min(left, kMaxLiftedInAll - holds);
    }
    return slots < left;
  });
  if (large) lesser.insert(lesser.begin() + static_cast<int64_t>(large->first), large->second);
  return lesser;
}

LesserRoom::Seen& LesserRoom::LookAgain(TopologyIndex topology, int64_t& work) {
  const Model& model = ledger_.model();
  const auto [known, fresh] = seen_.try_emplace(topology);
  Seen& seen = known->second;
  const bool same =
      seen.gain_version == model.gain_version() && seen.tree.get() == &model.tree(topology);
  if (!fresh && same) return seen;
  seen = {{}, model.SharedTree(topology), model.gain_version()};
  for (GroupId group : Below(topology, std::numeric_limits<int32_t>::max(), work))
    AddNodes(group, seen);
  work += static_cast<int64_t>(seen.nodes.size());
  return seen;
}

const LesserRoom::ByDomain& LesserRoom::MostOf(ShapeId shape, int level, int64_t& work) {
  const Model& model = ledger_.model();
  const TopologyIndex topology = model.TopologyOf(shape);
  Seen& seen = LookAgain(topology, work);
  const auto [found, fresh] = seen.most.try_emplace({shape, level});
  if (!fresh) return found->second;
  work += static_cast<int64_t>(seen.nodes.size());
  const std::vector<int32_t>& now = model.Counts(shape).levels.back();
  const std::vector<int32_t>& empty = model.EmptyCounts(shape).levels.back();
  for (NodeIndex node : seen.nodes) {
    const int32_t leaf = model.LeafOfNode(topology, node);
    if (leaf < 0) continue;
    const auto at = static_cast<size_t>(leaf);
    const int64_t more = empty[at] - now[at];
    if (more > 0) found->second[seen.tree->Ancestor(leaf, level)] += more;
  }
  return found->second;
}

}  // namespace gangplan
