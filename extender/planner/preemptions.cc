#include "extender/planner/preemptions.h"

#include <algorithm>
#include <utility>

#include "extender/planner/least.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {

// ---- begin

// Who is to go runs still, and the plan is that of the group as it is.
bool Preemptions::MayBegin(const Group& group, const Plans::Victims& found) const {
  return KeptRoom::IsWanted(&group, found.plan) && plans_.MayPreempt(group) &&
         std::all_of(found.victims.begin(), found.victims.end(), [&](const Victim& one) {
           const Group* victim = books_.groups.Find(one.id);
           return victim != nullptr && VictimSearch::WouldYield(*victim, group) &&
                  books_.yielding.EvictedFor(one.id) == nullptr && !evictions_.Knows(one.id);
         });
}

bool Preemptions::CanDoWithout(const Group& victim, size_t pods) const {
  return SurplusOf(victim, books_.owners).size() >= pods;
}

// False: who was found is not there any more. The pods are those that stand in the slots now.
bool Preemptions::TakeVictims(const std::vector<Victim>& found, Preemption& preemption) const {
  for (const Victim& one : found) {
    preemption.victims.push_back(one.id);
    if (one.slots.empty()) continue;
    const Group& group = *books_.groups.Find(one.id);
    std::vector<PodRef>& pods = preemption.some[one.id];
    for (const int32_t slot : one.slots) {
      const bool stands = slot < static_cast<int32_t>(group.slots().size()) &&
                          group.slot(slot).state == SlotState::kBound;
      if (!stands || group.At(slot) == nullptr) return false;
      pods.push_back(group.At(slot)->pod);
    }
    if (!CanDoWithout(group, pods.size())) return false;
  }
  return true;
}

void Preemptions::Begin(absl::Time now, const Group& group, Plans::Victims found) {
  const GroupId id = group.id();
  if (preemptions_.contains(id)) return;
  if (!MayBegin(group, found)) return plans_.AskAnew(id);
  Preemption preemption;
  if (!TakeVictims(found.victims, preemption)) return plans_.AskAnew(id);
  preemption.end = now + patience_;
  preemption.why = group.verdict().reason;
  KeptRoom::Draft draft(books_, group, std::move(found.plan));
  AwaitPods(preemption, draft);
  if (!kept_.Keep(KeptFor(id), std::move(draft), HoldReason::kPreempting, preemption.end))
    return plans_.AskAnew(id);
  books_.yielding.Await(id, WhyAwaits(group, preemption));
  Preemption& begun = preemptions_[id] = std::move(preemption);
  begun.asked = {begun.victims.begin(), begun.victims.end()};
  for (GroupId victim : begun.victims) {
    const auto some = begun.some.find(victim);
    if (some == begun.some.end()) {
      evictions_.Check(now, victim, group.name());
    } else {
      evictions_.CheckSome(now, victim, group.name(), some->second);
    }
  }
  plans_.AskAnew(id);  // it is told what it waits for
}

// The pods on its nodes that go: those of the victims, and, where room is lacking without them,
// those that go already and are promised to nobody.
void Preemptions::AwaitPods(const Preemption& preemption, KeptRoom::Draft& draft) const {
  const auto await_group = [&](GroupId id) {
    const Group* group = books_.groups.Find(id);
    if (group == nullptr) return;
    for (const auto& [uid, member] : group->members()) {
      if (member.runs && !member.finished) draft.Await(uid);
    }
  };
  for (GroupId victim : preemption.victims) {
    const auto some = preemption.some.find(victim);
    if (some == preemption.some.end()) {
      await_group(victim);
    } else {
      for (const PodRef& pod : some->second) draft.Await(pod.uid);
    }
  }
  for (const auto& [evicted, whom] : books_.yielding.evicted()) await_group(evicted);
  for (const std::string& uid : books_.pods.stopping()) draft.Await(uid);
}

// ---- what goes on

void Preemptions::End(GroupId id, Preemption& preemption) {
  kept_.End(KeptFor(id));
  books_.yielding.EndAwaiting(id);
  for (GroupId victim : preemption.victims) evictions_.Cancel(victim);
}

void Preemptions::TakeNews() {
  for (const auto& [victim, news] : evictions_.TakeNews()) {
    for (auto& [id, preemption] : preemptions_) {
      std::vector<GroupId>& victims = preemption.victims;
      if (std::find(victims.begin(), victims.end(), victim) == victims.end()) continue;
      preemption.asked.erase(victim);
      if (news == Evictions::News::kRefused) preemption.refused = true;
      if (news != Evictions::News::kToldAll) continue;
      if (victims.front() == victim) preemption.telling = false;
      std::erase(victims, victim);
    }
  }
}

// The next victim, one after the other. True: it is over.
bool Preemptions::GoOn(absl::Time now, GroupId id, Preemption& preemption) {
  const Group* group = books_.groups.Find(id);
  if (now >= preemption.end) {  // of these nobody could tell in time whether they may go
    for (GroupId silent : preemption.asked) books_.yielding.Spare(silent, now + kSparedFor);
    return true;
  }
  const GroupId account = KeptFor(id);
  if (!kept_.IsWantedBy(group, account) || preemption.refused || kept_.HasLost(account))
    return true;
  if (preemption.victims.empty()) return kept_.AllGone(account);
  if (preemption.telling || !preemption.asked.empty()) return false;
  const Group* victim = books_.groups.Find(preemption.victims.front());
  // One that was deleted meanwhile goes by itself.
  const auto some = preemption.some.find(preemption.victims.front());
  const bool goes = victim != nullptr && (victim->bound() + victim->In(SlotState::kPosting) == 0 ||
                                          VictimSearch::WouldYield(*victim, *group));
  if (goes && some != preemption.some.end() && !CanDoWithout(*victim, some->second.size()))
    return true;
  if (!goes || !plans_.MayPreempt(*group) || !kept_.Stands(*group, account)) return true;
  if (!plans_.WhyKeptBack(*group).empty()) return true;
  // Nobody goes for room that it could not take.
  if (books_.placer.MeetsMaintenance(*group, now, kept_.PlanOf(account))) return true;
  preemption.telling = true;
  evictions_.Begin(now, victim->id(), WhyEvicted(*victim, *group, preemption));
  return false;
}

void Preemptions::Follow(absl::Time now) {
  for (auto& [id, found] : plans_.TakeVictims()) {
    const Group* group = books_.groups.Find(id);
    if (group != nullptr) Begin(now, *group, std::move(found));
  }
  evictions_.Follow(now);
  TakeNews();
  for (auto next = preemptions_.begin(); next != preemptions_.end();) {
    auto& [id, preemption] = *next;
    if (!GoOn(now, id, preemption)) {
      ++next;
      continue;
    }
    const GroupId ended = id;
    const Group* group = books_.groups.Find(ended);
    const GroupId account = KeptFor(ended);
    const bool free = preemption.victims.empty() && kept_.AllGone(account) && group != nullptr &&
                      kept_.Stands(*group, account);
    const Plan plan = kept_.PlanOf(account);
    End(ended, preemption);
    next = preemptions_.erase(next);
    if (group == nullptr) continue;
    if (free) {
      plans_.TakePlan(now, ended, plan);
    } else {
      plans_.AskAnew(ended);
    }
  }
}

// ---- for people

std::string Preemptions::WhyEvicted(const Group& victim, const Group& group,
                                    const Preemption& preemption) const {
  const auto some = preemption.some.find(victim.id());
  const std::string how =
      some == preemption.some.end()
          ? "gives way as a whole"
          : fmt::format("gives up {} of its pods, which it can do without,", some->second.size());
  return fmt::format(
      "gang {} of {}, priority {}, {} to gang {} of {}, priority {}, which would wait otherwise: "
      "{}",
      victim.name(), victim.bound(), victim.priority(), how, group.name(), group.size(),
      group.priority(), preemption.why);
}

std::string Preemptions::WhyAwaits(const Group& group, const Preemption& preemption) const {
  std::string whom;
  for (size_t i = 0; i < preemption.victims.size(); ++i) {
    if (i == kToldVictims) {
      whom += fmt::format(" and {} more", preemption.victims.size() - i);
      break;
    }
    const GroupId victim = preemption.victims[i];
    whom += fmt::format("{}{}", i == 0 ? "" : ", ", books_.groups.Find(victim)->name());
    if (const auto some = preemption.some.find(victim); some != preemption.some.end())
      whom += fmt::format(" ({} of its pods)", some->second.size());
  }
  if (whom.empty())
    return fmt::format("gang {} of {}: it has room when pods that are stopping have gone",
                       group.name(), group.size());
  return fmt::format("gang {} of {}: it has room when what gives way to it has stopped: {}",
                     group.name(), group.size(), whom);
}

}  // namespace gangplan
