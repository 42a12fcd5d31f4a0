#include "extender/planner/lesser_room.h"

#include <algorithm>
#include <limits>

#include "extender/planner/limits.h"

namespace gangplan {

void LesserRoom::Renew(int64_t& work) {
  nodes_.reset();
  most_.clear();
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
  if (!nodes_) return;
  AddNodes(group.id());
  most_.clear();
}

void LesserRoom::AddNodes(GroupId group) {
  for (const PromisedRoom& room : ledger_.RoomOf({group})) nodes_->insert(room.node);
}

std::vector<GroupId> LesserRoom::Below(int32_t priority, int64_t& work) const {
  std::vector<GroupId> lesser;
  size_t slots = 0;
  ledger_.VisitBelow(priority, [&](GroupId id) {
    work += kLookWork;
    const size_t holds = ledger_.HoldCount(id);
    const Group& one = *groups_.Find(id);
    // Who was released from its gate, or may be by now, can go nowhere else.
    const bool fixed = one.Started() || one.IsFixed();
    if (!fixed && slots + holds <= kMaxLiftedSlots) {
      slots += holds;
      lesser.push_back(id);
    }
    return slots < kMaxLiftedSlots;
  });
  return lesser;
}

void LesserRoom::LookAgain(int64_t& work) {
  const Model& model = ledger_.model();
  if (nodes_ && gain_version_ == model.gain_version() && tree_.get() == &model.tree()) return;
  nodes_.emplace();
  most_.clear();
  tree_ = model.SharedTree();
  gain_version_ = model.gain_version();
  for (GroupId group : Below(std::numeric_limits<int32_t>::max(), work)) AddNodes(group);
  work += static_cast<int64_t>(nodes_->size());
}

const LesserRoom::ByDomain& LesserRoom::MostOf(ShapeId shape, int level, int64_t& work) {
  const Model& model = ledger_.model();
  LookAgain(work);
  const auto [found, fresh] = most_.try_emplace({shape, level});
  if (!fresh) return found->second;
  work += static_cast<int64_t>(nodes_->size());
  const std::vector<int32_t>& now = model.Counts(shape).levels.back();
  const std::vector<int32_t>& empty = model.EmptyCounts(shape).levels.back();
  for (NodeIndex node : *nodes_) {
    const int32_t leaf = model.LeafOfNode(node);
    if (leaf < 0) continue;
    const auto at = static_cast<size_t>(leaf);
    const int64_t more = empty[at] - now[at];
    if (more > 0) found->second[model.tree().Ancestor(leaf, level)] += more;
  }
  return found->second;
}

}  // namespace gangplan
