#include "extender/planner/group.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "extender/frontends/front_end.h"
#include "fmt/format.h"
#include "topology/base/check.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

template <typename Entry>
void Keep(std::set<Entry>& entries, const Entry& entry, int32_t sign) {
  sign > 0 ? static_cast<void>(entries.insert(entry)) : static_cast<void>(entries.erase(entry));
}

}  // namespace

Group::Group(GroupId id, GroupKey key, std::optional<OwnerRef> owner)
    : id_(id),
      key_(std::move(key)),
      name_(NameInNamespace(key_.ns, key_.name)),
      owner_(std::move(owner)) {}

const Member* Group::Find(std::string_view uid) const {
  auto it = members_.find(uid);
  return it == members_.end() ? nullptr : &it->second;
}

// ---- counts

bool Group::IsApart(const Member& member) {
  return member.released && !member.runs && !member.own_node.empty();
}

void Group::Count(const Member& member, int32_t sign) {
  finished_ += sign * static_cast<int32_t>(member.finished);
  over_ += sign * static_cast<int32_t>(member.over);
  given_up_ += sign * static_cast<int32_t>(member.given_up && !member.finished);
  in_bind_ += sign * static_cast<int32_t>(member.in_bind);
  astray_ += sign * static_cast<int32_t>(member.problem == kAstray);
  misfits_[static_cast<size_t>(member.misfit)] += sign;
  if (!member.sound()) Keep(unsound_, UnsoundMember::Of(member), sign);
  if (!member.live()) return;
  live_ += sign;
  gated_ += sign * static_cast<int32_t>(member.gated);
  released_ += sign * static_cast<int32_t>(member.released && !member.runs);
  apart_ += sign * static_cast<int32_t>(IsApart(member));
  going_ += sign * static_cast<int32_t>(member.going);
  held_ += sign * static_cast<int32_t>(member.held);
  if (member.nice > 0 && (nices_[member.nice] += sign) == 0) nices_.erase(member.nice);
  asked_ += sign * static_cast<int32_t>(member.asked == asking_);
  if (planned() && member.slot < 0) Keep(slotless_, SeatTurn::Of(member), sign);
}

void Group::Count(const Slot& slot, int32_t sign) {
  slots_in_[static_cast<size_t>(slot.state)] += sign;
  if (slot.open()) vacant_ += sign * static_cast<int32_t>(slot.member() == nullptr);
  if (slot.state != SlotState::kEmpty || slot.member() == nullptr) return;
  (slot.member()->gave_back ? unasked_ : wanting_) += sign;
}

template <typename Change>
void Group::Edit(Member& member, Change change) {
  Slot* own = member.slot < 0 ? nullptr : &slots_[static_cast<size_t>(member.slot)];
  if (own != nullptr) Count(*own, -1);
  Count(member, -1);
  change(member);
  Count(member, 1);
  if (own != nullptr) Count(*own, 1);
}

template <typename Change>
void Group::Edit(int32_t index, Change change) {
  Slot& slot = slots_[static_cast<size_t>(index)];
  Count(slot, -1);
  change(slot);
  Count(slot, 1);
  if (slot.member() == nullptr) may_be_free_ |= 1U << pod_sets_.IndexOf(index);
}

void Group::Put(int32_t index, SlotState state, NodeIndex node) {
  Edit(index, [&](Slot& slot) {
    slot.state = state;
    slot.node = node;
    slot.lost = false;
    slot.ends = 0;
  });
}

void Group::Seat(Member& member, int32_t index) {
  if (member.slot >= 0) Edit(member.slot, [](Slot& slot) { slot.member_ = nullptr; });
  Count(member, -1);
  member.slot = index;
  Count(member, 1);
  if (index >= 0) Edit(index, [&](Slot& slot) { slot.member_ = &member; });
}

// ---- members

void Group::SetUngated(std::string_view uid, bool released, std::string own_node) {
  Edit(members_.find(uid)->second, [&](Member& one) {
    one.gated = one.going = false;
    one.released = released;
    one.own_node = std::move(own_node);
  });
}

void Group::SetGoing(std::string_view uid, bool going) {
  Edit(members_.find(uid)->second, [&](Member& one) { one.going = going; });
}

void Group::Remove(std::string_view uid) {
  auto it = members_.find(uid);
  Member& member = it->second;
  if (member.slot >= 0) {
    const int32_t index = member.slot;
    GANGPLAN_CHECK(slot(index).state != SlotState::kPosting);
    Seat(member, -1);
    lost_ |= slot(index).state == SlotState::kBound;
    if (slot(index).state == SlotState::kBound) Put(index, SlotState::kEmpty, kNoNode);
  }
  Count(member, -1);
  if (member.sound() && !member.over) pod_sets_.Lose(member.pod_set, member.runs);
  if (it->second.seen == first_seen_) first_seen_.reset();
  members_.erase(it);
  ShrinkLast();
}

// By its rank; -1: any slot of its pod set will do.
int32_t Group::OwnSlot(const Member& member) const {
  const PodSet& set = pod_sets_.at(member.pod_set);
  const int32_t rank = member.indexed ? member.rank - set.first_index : member.rank;
  return rank < 0 || rank >= set.count ? -1 : set.first + rank;
}

int32_t Group::SlotToAdopt(std::string_view uid, std::optional<int32_t> rank) {
  MakeSlots();
  Member& member = members_.find(uid)->second;
  if (rank) {
    Edit(member, [&](Member& one) {
      one.rank = *rank;
      one.indexed = false;
    });
    const int32_t own = OwnSlot(member);
    if (member.slot >= 0 && member.slot != own) Unseat(uid);
  }
  if (member.slot >= 0) return member.slot;
  const int32_t own = OwnSlot(member);
  if (own >= 0 && slot(own).state == SlotState::kEmpty) return own;
  return FreeSlotFor(member);
}

void Group::Unseat(std::string_view uid) {
  Member& member = members_.find(uid)->second;
  const int32_t index = member.slot;
  Seat(member, -1);
  if (slot(index).state == SlotState::kBound) Put(index, SlotState::kEmpty, kNoNode);
}

void Group::Adopt(std::string_view uid, int32_t index, NodeIndex node) {
  if (index < 0) return;
  Member& member = members_.find(uid)->second;
  if (member.slot != index) {
    if (Member* other = MutableAt(index)) Seat(*other, -1);
    Seat(member, index);
  }
  Put(index, SlotState::kBound, node);
  MarkRuns(member);
}

void Group::MarkRuns(Member& member) {
  if (start_ == GroupStart::kComing) start_ = GroupStart::kStarted;
  if (member.runs) return;
  Count(member, -1);
  member.runs = true;
  Count(member, 1);
  pod_sets_.Run(member.pod_set);
}

void Group::Finish(std::string_view uid) {
  Member& member = members_.find(uid)->second;
  const int32_t index = member.slot;
  if (index >= 0) {
    Seat(member, -1);
    Put(index, SlotState::kFinished, kNoNode);
  }
  Count(member, -1);
  if (index >= 0) member.rank = index - pod_sets_.Of(index).first;  // the slot forgets its member
  member.indexed = false;
  member.finished = true;
  Count(member, 1);
  MarkRuns(member);
  ShrinkLast();
}

bool Group::OnlySucceeded() const {
  const bool stands = In(SlotState::kBound) + In(SlotState::kPosting) > 0;
  return lost_ && AnyLive() && !stands && AnyFinished() && In(SlotState::kFinished) < claimed();
}

void Group::PassOver() {
  most_live_ = most_bound_ = 0;
  for (auto& [uid, member] : members_) {
    if (!member.finished || member.over) continue;
    Edit(member, [](Member& one) { one.over = true; });
    if (member.sound()) pod_sets_.Lose(member.pod_set, member.runs);
  }
  for (int32_t i = 0; i < static_cast<int32_t>(slots_.size()); ++i) {
    if (slot(i).state == SlotState::kFinished) Put(i, SlotState::kEmpty, kNoNode);
  }
}

void Group::SeatAt(std::string_view uid, int32_t index) {
  Member& member = members_.find(uid)->second;
  if (member.slot == index) return;
  if (Member* other = MutableAt(index)) Seat(*other, -1);
  Seat(member, index);
}

bool Group::SetAsked(std::string_view uid, absl::Time now) {
  Member& member = members_.find(uid)->second;
  const bool before = member.asked == asking_ && !member.gave_back;
  if (before || now < member.not_before) return false;
  Edit(member, [&](Member& one) {
    one.asked = asking_;
    one.gave_back = false;
  });
  return true;
}

void Group::SetInBind(std::string_view uid, bool in_bind) {
  Edit(members_.find(uid)->second, [&](Member& one) { one.in_bind = in_bind; });
}

void Group::GiveUp(std::string_view uid) {
  Edit(members_.find(uid)->second, [](Member& member) { member.given_up = true; });
  LimitWhole(bound() - given_up_);
}

void Group::CountRefusal(absl::Time now, std::string_view uid, std::string_view message) {
  Member& member = members_.find(uid)->second;
  ++member.refusals;
  member.refused_since = std::min(member.refused_since, now);
  refusal_ = std::string(message);
}

absl::Duration Group::RefusedFor(std::string_view uid, absl::Time now) const {
  return now - Find(uid)->refused_since;
}

void Group::ForgetRefusals(std::string_view uid) {
  Member& member = members_.find(uid)->second;
  member.refusals = member.given_back = 0;
  member.refused_since = absl::InfiniteFuture();
  refusal_.clear();
  fruitless_ = 0;
}

void Group::Swap(int32_t a, int32_t b) {
  Member* first = MutableAt(a);
  Member* second = MutableAt(b);
  if (first != nullptr) Seat(*first, -1);
  if (second != nullptr) Seat(*second, -1);
  if (first != nullptr) Seat(*first, b);
  if (second != nullptr) Seat(*second, a);
}

// ---- slots

void Group::DropSlots() {
  if (!planned() || In(SlotState::kEmpty) < size()) return;
  ClearSlots();
  pod_sets_.TakeSpare();
}

void Group::ClearSlots() {
  for (Slot& slot : slots_) {  // what counts them is cleared below
    if (slot.member_ != nullptr) slot.member_->slot = -1;
  }
  slots_ = {};
  slots_in_ = {};
  vacant_ = wanting_ = unasked_ = 0;
  slotless_.clear();
}

void Group::SetHeld(int32_t index, NodeIndex node) {
  GANGPLAN_CHECK(slot(index).state == SlotState::kEmpty);
  Put(index, SlotState::kHeld, node);
}

void Group::SetPosting(int32_t index) {
  const Slot& one = slot(index);
  GANGPLAN_CHECK(one.state == SlotState::kHeld || one.state == SlotState::kPosting);
  const bool lost = one.lost;
  Put(index, SlotState::kPosting, one.node);
  if (lost) SetLost(index);
}

void Group::SetHeldAgain(int32_t index) {
  GANGPLAN_CHECK(slot(index).state == SlotState::kPosting);
  const bool lost = slot(index).lost;
  Put(index, SlotState::kHeld, slot(index).node);
  if (lost) SetLost(index);
}

void Group::SetBound(int32_t index, NodeIndex node) {
  Put(index, SlotState::kBound, node);
  if (Member* member = MutableAt(index)) MarkRuns(*member);
}

void Group::SetEmpty(int32_t index) {
  Put(index, SlotState::kEmpty, kNoNode);
  ShrinkLast();
}

void Group::MarkGivenBack(int32_t index, absl::Time not_before) {
  Member* member = MutableAt(index);
  if (member == nullptr) return;
  ++member->given_back;
  member->not_before = not_before;
  member->refused_since = absl::InfiniteFuture();
  Edit(*member, [](Member& one) {
    one.asked = 0;
    one.gave_back = true;
  });
}

void Group::MarkAllGivenBack() {
  ++asking_;
  asked_ = 0;
}

int64_t Group::FreeSome(int64_t most) {
  for (; most > 0 && !members_.empty(); --most) members_.erase(members_.begin());
  for (; most > 0 && !slots_.empty(); --most) slots_.pop_back();
  for (; most > 0 && !slotless_.empty(); --most) slotless_.erase(slotless_.begin());
  for (; most > 0 && !unsound_.empty(); --most) unsound_.erase(unsound_.begin());
  return most;
}

std::string Group::BrokenInvariant() const {
  Group counted(id_, key_, owner_);
  std::vector<int32_t> in_set(pod_sets_.sets().size());
  counted.slots_.resize(slots_.size());  // planned() is asked by Count
  counted.asking_ = asking_;
  for (const auto& [uid, member] : members_) {
    counted.Count(member, 1);
    if (member.sound() && !member.over) ++in_set[static_cast<size_t>(member.pod_set)];
    if (member.slot < 0) continue;
    if (At(member.slot) != &member || !pod_sets_.at(member.pod_set).Has(member.slot))
      return fmt::format("group {}: pod {} and slot {} disagree", name_, uid, member.slot);
  }
  for (const Slot& one : slots_) {
    counted.Count(one, 1);
    if (one.state == SlotState::kBound && one.member() == nullptr)
      return fmt::format("group {}: a slot is bound by nobody", name_);
  }
  for (size_t i = 0; i < in_set.size(); ++i) {
    if (in_set[i] != pod_sets_.sets()[i].members)
      return fmt::format("group {}: members of pod set {} are miscounted", name_, i);
  }
  const auto counts = [](const Group& group) {
    return std::make_tuple(group.slots_in_, group.vacant_, group.wanting_, group.unasked_,
                           group.in_bind_, group.finished_, group.over_, group.live_,
                           group.given_up_, group.asked_, group.gated_, group.released_,
                           group.going_, group.astray_, group.apart_, group.slotless_,
                           group.unsound_, group.misfits_);
  };
  if (counts(counted) != counts(*this))
    return fmt::format("group {}: members or slots are miscounted", name_);
  if (planned() && slots_.size() != static_cast<size_t>(size()))
    return fmt::format("group {}: slots and size differ", name_);
  if (In(SlotState::kHeld) > 0 && !Placeable())
    return fmt::format("group {}: holds room before every pod set is known", name_);
  std::string broken = pod_sets_.BrokenInvariant();
  return broken.empty() ? broken : fmt::format("group {}: {}", name_, broken);
}

}  // namespace gangplan
