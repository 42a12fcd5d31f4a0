// Holds that are given back, many at a time: the slots are free at once, their room in parts.
#include <algorithm>
#include <limits>
#include <utility>

#include "extender/planner/ledger.h"
#include "topology/base/check.h"

namespace gangplan {

std::vector<int32_t> Ledger::ReleaseOpen(GroupId group) {
  std::vector<int32_t> released;
  const auto account = accounts_.find(group);
  if (account == accounts_.end()) return released;
  Holds& holds = account->second.holds;
  Holds pinned;
  for (auto& [slot, hold] : holds) {
    if (hold.pinned) {
      pinned.emplace_hint(pinned.end(), slot, std::move(hold));
      continue;
    }
    if (released.size() < at_once_ || IsKept(group)) {
      model_.RemoveHold(hold.node, hold.shape);
      Detach({group, slot}, hold, false);
    } else {
      Spend({group, slot}, std::move(hold));
    }
    released.push_back(slot);
  }
  holds = std::move(pinned);
  if (holds.empty()) Close(account);
  return released;
}

void Ledger::Spend(HoldId id, HoldRecord&& hold) {
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
  Account& spent = accounts_[kSpent];
  if (spent.holds.empty()) next_spent_ = 0;
  const HoldId now{kSpent, next_spent_++};
  OnNode(id, hold.node) = {now.group, now.slot, kLeast, hold.shape};
  hold.priority = kLeast;
  spent.holds.emplace_hint(spent.holds.end(), now.slot, std::move(hold));
}

void Ledger::FreeSpent() {
  const auto spent = accounts_.find(kSpent);
  if (spent == accounts_.end()) return;
  Holds& holds = spent->second.holds;
  auto end = holds.begin();
  for (size_t left = at_once_; left > 0 && end != holds.end(); --left, ++end) {
    model_.RemoveHold(end->second.node, end->second.shape);
    Detach({kSpent, end->first}, end->second, false);
  }
  holds.erase(holds.begin(), end);
  if (holds.empty()) Close(spent);
}

void Ledger::LiftOne(HoldId id) {
  const auto account = accounts_.find(id.group);
  GANGPLAN_CHECK(account != accounts_.end() && account->second.holds.contains(id.slot));
  const HoldRecord& hold = account->second.holds.at(id.slot);
  model_.LiftHold(hold.node, hold.shape);
  Forget(account, id.slot, true);
}

void Ledger::SetWatched(NodeIndex node, bool watched) {
  const auto index = static_cast<size_t>(node);
  if (index >= watched_.size()) watched_.resize(index + 1);
  watched_[index] = watched;
  if (!watched) left_.erase(node);
}

std::vector<NodeIndex> Ledger::TakeLeft(size_t most) {
  std::vector<NodeIndex> nodes;
  while (nodes.size() < most && !left_.empty()) {
    nodes.push_back(*left_.begin());
    left_.erase(left_.begin());
  }
  return nodes;
}

std::vector<GroupId> Ledger::TakeEnded(absl::Time now, size_t most) {
  std::vector<GroupId> ended;
  for (size_t holds = 0; holds < most && ends_.Next() <= now;) {
    ended.push_back(ends_.TakeDue(now, 1).front());
    holds += HoldCount(ended.back());
  }
  return ended;
}

}  // namespace gangplan
