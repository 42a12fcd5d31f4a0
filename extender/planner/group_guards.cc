// What the life table's guards ask of a group, and how it has gone. Reads, but for the notes.
#include <algorithm>

#include "extender/planner/group.h"
#include "fmt/format.h"

namespace gangplan {

bool Group::Started() const {
  return In(SlotState::kPosting) + In(SlotState::kBound) + In(SlotState::kFinished) + finished_ > 0;
}

bool Group::Complete() const {
  if (planned()) return vacant_ == 0;
  return size() > 0 && std::all_of(pod_sets_.sets().begin(), pod_sets_.sets().end(),
                                   [](const PodSet& set) { return set.members >= set.count; });
}

bool Group::AllBound() const {
  return planned() && In(SlotState::kBound) + In(SlotState::kFinished) == size();
}

bool Group::AllCalled() const {
  return planned() && In(SlotState::kEmpty) + In(SlotState::kPosting) == 0 &&
         in_bind_ == In(SlotState::kHeld);
}

bool Group::AllAsked() const { return live_ > 0 && asked_ == live_; }

bool Group::AllFinished() const { return planned() && In(SlotState::kFinished) == size(); }

bool Group::WaitsForRoom() const {
  switch (state_) {
    case GroupState::kNew:
    case GroupState::kBlocked:
      return true;
    case GroupState::kBinding:
    case GroupState::kRepairing:
      return WantsSlots();
    default:
      return false;
  }
}

std::string Group::UnseenText() const {
  std::string names;
  for (const PodSet& set : pod_sets_.sets()) {
    if (!set.known) names += (names.empty() ? "" : ", ") + set.name;
  }
  return fmt::format(
      "gang {} of {}: no pod of pod set{} {} was seen yet; the gang is placed when "
      "one pod of each is there",
      name_, size(), pod_sets_.unseen() == 1 ? "" : "s", names);
}

bool Group::Progressed() const { return live_ > most_live_ || bound() + finished_ > most_bound_; }

void Group::NoteProgress() {
  most_live_ = std::max(most_live_, live_);
  most_bound_ = std::max(most_bound_, bound() + finished_);
}

// ---- how it went

void Group::SetVerdict(Verdict verdict) {
  tell_ = (tell_ || verdict_.reason != verdict.reason) && verdict.outcome != Outcome::kPlaced;
  verdict_ = std::move(verdict);
}

bool Group::TakeTold() { return std::exchange(tell_, false); }

void Group::MarkBegun() {
  if (Started()) return;
  for (const auto& [uid, member] : members_)
    begun_ = std::min(begun_.value_or(member.seen), member.seen);
}

void Group::SetPast(const Past& past) {
  plans_ = past.plans;
  solver_time_ = past.solver_time;
  begun_ = past.begun;
  whole_ = past.whole;
  fruitless_ = past.fruitless;
}

void Group::SetState(GroupState state, absl::Time now) {
  state_ = state;
  if (state == GroupState::kRunning && !whole_) whole_ = now;
}

}  // namespace gangplan
