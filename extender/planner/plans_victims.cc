// Questions who has to go: a group that waits for room, and finds none behind what lesser groups
// hold, may take that of lesser groups that run.
#include <utility>

#include "extender/planner/known_ends.h"
#include "extender/planner/limits.h"
#include "extender/planner/plans.h"

namespace gangplan {

// False: nobody gives way. `without`: what it is told if that does not help, either.
bool Plans::AskForVictims(absl::Time now, Group& group, const Verdict& without,
                          const std::vector<int32_t>& wanted) {
  if (!victims_search_.MayPreempt(group) || !books_.outbox.active() || !books_.sight.sees())
    return false;
  if (const std::string* why = books_.yielding.WhyAwaits(group.id()); why != nullptr) {
    Fail(group, {Outcome::kWait, *why, true});
    return true;
  }
  if (ComesFree(group)) return true;
  // What is promised to the first in line is so to nobody who comes before it.
  const RoomLine& line = books_.lines.of(group.topology());
  const bool others = line.reserved() != nullptr && line.reserved()->group != group.id();
  if (others) StandInLine(group);
  if (others && line.reserved() == nullptr) {
    Line(group);
    return true;
  }
  if (MayGain(group) || !victims_search_.MayAsk(now, group)) return false;
  if (outside_.group != 0 || (!line_.empty() && answered_ != group.id())) {
    Line(group);
    return true;
  }
  if (books_.ledger.HoldCount(ReservedFor(group.id())) > 0) {  // it is in the way of the question
    books_.ledger.ReleaseOpen(ReservedFor(group.id()));
    books_.lines.of(group.topology()).Unreserve();
  }
  std::shared_ptr<SolveTask> task = victims_search_.Ask(now, group, wanted, round_.spent());
  if (task == nullptr) return false;
  Send(group, std::move(task), without);
  return true;
}

void Plans::TakeAnswer(absl::Time now, Group& group, const SolveTask& task, Plan plan,
                       const Verdict& without) {
  const VictimsResult& found = task.victims->result;
  const bool goes = found.outcome == VictimsResult::Outcome::kFound ||
                    found.outcome == VictimsResult::Outcome::kNotNeeded;
  if (!goes || !plan.placed()) {
    books_.yielding.EndAgainst(group.id(), now);
    return Fail(group, without);
  }
  if (found.victims.empty() && Fits(group, plan)) return Conclude(now, group, plan, task.wanted);
  const std::vector<Victim> victims = task.victims->Victims();
  if (StopsTooLate(now, group, plan, victims)) return;
  victims_[group.id()] = {std::move(plan), victims, victims_search_.StopTimeOf(victims)};
  Fail(group, without);
}

// Behind why it has no room: that others would give way, and why they may not, or are not asked.
void Plans::TellAgainst(const Group& group, Verdict& verdict) const {
  const bool of_room = !verdict.behind && !verdict.kept_back && !verdict.short_in_all;
  if (verdict.outcome != Outcome::kWait || !of_room) return;
  const std::string* against = books_.yielding.WhyAgainst(group.id());
  if (against != nullptr) verdict.reason += *against;
  verdict.reason += victims_search_.WhyPauses(group);
}

void Plans::NoteInVain(absl::Time now, GroupId id) {
  const Group* group = books_.groups.Find(id);
  if (group != nullptr) victims_search_.NoteInVain(now, *group);
}

// By the time that they have stopped maintenance would keep it off: nobody goes in vain. True: it
// is asked once more without such nodes.
bool Plans::StopsTooLate(absl::Time now, Group& group, const Plan& plan,
                         const std::vector<Victim>& victims) {
  const absl::Duration stop = victims_search_.StopTimeOf(victims);
  if (!books_.placer.MeetsMaintenance(group, now + stop, plan)) return false;
  victims_search_.NoteTooLate(group.id(), stop);
  Mark(group);
  return true;
}

void Plans::NoteWhole(const Group& group) {
  const bool waits = group.state() == GroupState::kBlocked && group.live() == group.Expected();
  if (IsSolvedOutside(group.id())) {
    StandInLine(group);
  } else if (group.state() == GroupState::kBlocked || books_.lines.Stands(group.id())) {
    StandAsTold(group);
  }
  const bool passes = books_.named.any() && RoomTakenBy(group) > 0;  // by when it is gone
  if (waits && (passes || victims_search_.MayPreempt(group))) AskAnew(group.id());
}

void Plans::TickVictims(absl::Time now) {
  for (GroupId id : victims_search_.TakeDue(now)) AskAnew(id);
}

void Plans::TakePlan(absl::Time now, GroupId id, const Plan& plan) {
  AskAnew(id);
  books_.lifecycle.Run(now, *this);
  Group* group = books_.groups.Find(id);
  if (group == nullptr || !IsReady(*group, true)) return;
  EnsureShapes(*group);
  const std::vector<int32_t> wanted = group->WantedSlots();
  const bool same = std::equal(wanted.begin(), wanted.end(), plan.places.begin(), plan.places.end(),
                               [](int32_t slot, const auto& place) { return slot == place.first; });
  if (!same || !WhyNotYet(*group).empty() || !Fits(*group, plan)) return;
  books_.queue.Forget(id);
  Found(now, *group, plan);
}

}  // namespace gangplan
