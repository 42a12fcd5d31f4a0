#include "extender/planner/nominations.h"

#include <utility>

#include "extender/planner/limits.h"

namespace gangplan {

// A Binding in doubt may be written again: to the same node, where its room is held.
bool Nominations::MayGo(const Group& group, const Member& member) const {
  if (member.slot < 0 || member.deleted) return false;
  const SlotState state = group.slot(member.slot).state;
  if (state == SlotState::kHeld) return true;
  const BindingAttempt* attempt = desk_.AttemptOf(member.pod.uid);
  return state == SlotState::kPosting && attempt != nullptr && attempt->doubtful();
}

void Nominations::Send(const Group& group, std::string_view uid) {
  const Member* member = group.Find(uid);
  if (member == nullptr || member->in_bind || member->gated || !MayGo(group, *member)) return;
  // The scheduler looks at all nodes that it names: its own one is among them.
  if (group.pod_sets().at(member->pod_set).names_nodes && !waker_.Rejected(uid)) return;
  const Model& model = ledger_.model();
  waker_.Nominate(member->pod, model.NodeName(group.slot(member->slot).node),
                  model.node_count() >= sampled_from_);
}

void Nominations::SendAll(const Group& group) {
  std::string last;
  const bool later = group.holds() > kNominatedAtOnce;  // its room has taken its time
  if (!later && SendSome(group, kNominatedAtOnce, last) > 0) {
    unsent_.erase(group.id());
  } else {
    unsent_[group.id()] = std::move(last);
  }
}

// Those after `last`, which is the last one then. How many more it could have been; 0: there may be
// some.
int64_t Nominations::SendSome(const Group& group, int64_t most, std::string& last) {
  if (group.holds() == 0) return most;
  const auto& members = group.members();
  for (auto next = members.upper_bound(last); most > 0 && next != members.end(); ++next, --most) {
    last = next->first;
    Send(group, last);
  }
  return most;
}

void Nominations::SendRest() {
  TellLost();
  for (int64_t left = kNominatedAtOnce; left > 0 && !unsent_.empty();) {
    const auto first = unsent_.begin();
    const Group* group = groups_.Find(first->first);
    if (group != nullptr) left = SendSome(*group, left, first->second);
    if (left > 0) unsent_.erase(first);
  }
}

bool Nominations::Renew(absl::Time now, const std::string& uid) {
  const KnownPod* record = pods_.Find(uid);
  const Group* group = record == nullptr ? nullptr : groups_.Find(record->group);
  const Member* member = group == nullptr ? nullptr : group->Find(uid);
  if (member == nullptr || member->in_bind || !MayGo(*group, *member)) return true;
  const Slot& slot = group->slot(member->slot);
  if (waker_.Renew(member->pod, ledger_.model().NodeName(slot.node))) return true;
  if (slot.state != SlotState::kHeld) return true;  // what becomes of its Binding decides
  refusals_.Learn(group->id(), member->pod_set, slot.node, now + kAvoidFor,
                  record->facts == nullptr ? std::string() : record->facts->scheduler_words);
  return false;
}

void Nominations::WithdrawFrom(NodeIndex node) {
  const std::string& name = ledger_.model().NodeName(node);
  for (const std::string& uid : waker_.NominatedTo(name, kMaxWithdrawn)) {
    const KnownPod* record = pods_.Find(uid);
    const Group* group = record == nullptr ? nullptr : groups_.Find(record->group);
    const Member* member = group == nullptr ? nullptr : group->Find(uid);
    if (member == nullptr || member->in_bind) continue;
    const bool here = member->slot >= 0 && group->slot(member->slot).node == node;
    if (here) continue;
    waker_.Withdraw(member->pod);
    refusals_.Disturb(node);
  }
}

bool Nominations::NoteLost(GroupId group, size_t slots) {
  const bool many = slots > at_once_;
  if (many) lost_[group] = {};
  return many;
}

// So many members in all.
void Nominations::TellLost() {
  for (size_t left = at_once_; left > 0 && !lost_.empty();) {
    const auto first = lost_.begin();
    if (const Group* group = groups_.Find(first->first)) {
      const auto& members = group->members();
      auto next = members.upper_bound(first->second);
      for (; left > 0 && next != members.end(); ++next, --left) {
        first->second = next->first;
        if (!MayGo(*group, next->second)) waker_.Reset(next->first);
      }
    }
    if (left > 0) lost_.erase(first);
  }
}

}  // namespace gangplan
