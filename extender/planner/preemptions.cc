#include "extender/planner/preemptions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "extender/cluster/annotations.h"
#include "extender/frontends/find_group.h"
#include "extender/frontends/named_group.h"
#include "extender/planner/least.h"
#include "extender/planner/limits.h"
#include "extender/planner/plan_words.h"
#include "extender/planner/shown_pods.h"
#include "extender/planner/told_gang.h"
#include "fmt/format.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

// A pod that a DaemonSet has made is back on its node at once, one that a kubelet has made of a
// file cannot be deleted, and one that tells of a group, which is not here, or that others start
// with more, is part of somebody's.
bool MayGoAlone(const PodFacts& pod, const KnownPod& record, bool all_jobs) {
  if (!record.bound || record.leaving || record.group != 0 || record.faulty) return false;
  if (pod.controller && (pod.controller->kind == "DaemonSet" || pod.controller->kind == "Node"))
    return false;
  if (all_jobs && pod.controller && pod.controller->kind == "Job") return false;  // a gang's
  return FindLabel(pod.annotations, kMirrorAnnotation) == nullptr && pod.scheduling_group.empty() &&
         !SpeaksOfGroup(pod) && !IsPartOfMore(pod) && !BoundByPlan(pod);
}

}  // namespace

// ---- begin

// It runs still, and nobody else has asked it to go.
bool Preemptions::MayTake(const Victim& victim, const Group& group) const {
  if (!victim.pod.empty()) {
    const KnownPod* pod = books_.pods.Find(victim.pod);
    if (pod == nullptr || pod->leaving) return true;  // it goes by itself
    return VictimSearch::WouldYield(*pod, group) &&
           !books_.yielding.IsPromisedBeside(victim.pod, group.id());
  }
  const Group* other = books_.groups.Find(victim.id);
  return other != nullptr && VictimSearch::WouldYield(*other, group) &&
         books_.yielding.EvictedFor(victim.id) == nullptr && !evictions_.Knows(victim.id);
}

// Who is to go may still, and the plan is that of the group as it is.
bool Preemptions::MayBegin(const Group& group, const Plans::Victims& found) const {
  return KeptRoom::IsWanted(&group, found.plan) && plans_.MayPreempt(group) &&
         std::all_of(found.victims.begin(), found.victims.end(),
                     [&](const Victim& one) { return MayTake(one, group); });
}

bool Preemptions::CanDoWithout(const Group& victim, size_t pods) const {
  return pods == 0 || SurplusOf(victim, books_.owners).size() >= pods;
}

// False: who was found is not there any more. The pods are those that stand in the slots now.
bool Preemptions::TakeVictims(const std::vector<Victim>& found, Preemption& preemption) const {
  for (const Victim& one : found) {
    if (!one.pod.empty()) continue;
    Yielder& victim = preemption.victims.emplace_back(Yielder{one.id});
    const Group& group = *books_.groups.Find(one.id);
    for (const int32_t slot : one.slots) {
      const bool stands = slot < static_cast<int32_t>(group.slots().size()) &&
                          group.slot(slot).state == SlotState::kBound;
      if (!stands || group.At(slot) == nullptr) return false;
      victim.some.push_back(group.At(slot)->pod);
    }
    if (!CanDoWithout(group, victim.some.size())) return false;
  }
  return true;
}

// Before all others: where one of them may stay after all no gang has gone in vain.
void Preemptions::TakeSingles(const std::vector<Victim>& found, Preemption& preemption) {
  std::map<std::string_view, std::vector<PodRef>> by_namespace;
  for (const Victim& one : found) {
    if (one.pod.empty()) continue;
    const KnownPod* record = books_.pods.Find(one.pod);
    if (record == nullptr) continue;
    const SinglePods::Pod* pod = books_.pods.singles().Find(record->single_on, *record);
    if (pod == nullptr) continue;
    const std::string& ns = record->profile->ns;
    by_namespace[ns].push_back({ns, std::string(pod->name()), one.pod});
  }
  for (auto& [ns, pods] : by_namespace)
    preemption.victims.push_back({evictions_.NextSingles(), std::move(pods)});
}

void Preemptions::Begin(absl::Time now, const Group& group, Plans::Victims found) {
  const GroupId id = group.id();
  if (preemptions_.contains(id)) return;
  if (!MayBegin(group, found)) return plans_.AskAnew(id);
  Preemption preemption;
  TakeSingles(found.victims, preemption);
  if (!TakeVictims(found.victims, preemption)) return plans_.AskAnew(id);
  preemption.end = now + patience_ + std::min(found.stop, kMostStop);
  preemption.why = group.verdict().reason;
  KeptRoom::Draft draft(books_, group, std::move(found.plan));
  OweRest(preemption, draft);
  AwaitPods(id, preemption, draft);
  if (!kept_.Keep(KeptFor(id), std::move(draft), HoldReason::kPreempting, preemption.end))
    return plans_.AskAnew(id);
  books_.yielding.Await(id, WhyAwaits(group, preemption));
  books_.yielding.EndAgainst(id);
  Preemption& begun = preemptions_[id] = std::move(preemption);
  for (const Yielder& victim : begun.victims) begun.asked.insert(victim.group);
  evictions_.Check(now, group.name(), begun.victims);
  plans_.AskAnew(id);  // it is told what it waits for
}

// What its victims hold for whoever comes to them anew, and what their pods that stop leave to
// them: they may stay after all, and then it is theirs.
void Preemptions::OweRest(const Preemption& preemption, KeptRoom::Draft& draft) const {
  const VictimSearch::Returning returning = VictimSearch::ReturningPods(books_);
  for (const Yielder& victim : preemption.victims) {
    const Group* group = books_.groups.Find(victim.group);
    if (group == nullptr || !victim.some.empty()) continue;
    if (const auto stop = returning.find(victim.group); stop != returning.end()) {
      for (const std::string_view uid : stop->second) draft.OweReturn(victim.group, uid);
    }
    draft.OweVacant(*group);
  }
}

// All victims may go, and it is the turn of this one. False: somebody else has some of that.
bool Preemptions::TakeRest(GroupId account, const Yielder& victim) {
  if (!victim.some.empty()) return true;
  if (!kept_.MayCollect(account, victim.group)) return false;
  plans_.GiveUpRoom(victim.group);
  return kept_.Collect(account, victim.group);
}

// The pods on its nodes that go: those of the victims, and, where room is lacking without them,
// those that go already and are promised to nobody else.
void Preemptions::AwaitPods(GroupId whose, const Preemption& preemption,
                            KeptRoom::Draft& draft) const {
  const auto await_group = [&](GroupId id) {
    const Group* group = books_.groups.Find(id);
    if (group == nullptr) return;
    for (const auto& [uid, member] : group->members()) {
      if (VictimSearch::MayLeave(books_, id, member)) draft.Await(uid);
    }
  };
  for (const Yielder& victim : preemption.victims) {
    for (const PodRef& pod : victim.some) draft.Await(pod.uid);
    if (victim.some.empty()) await_group(victim.group);
  }
  for (const auto& [evicted, whom] : books_.yielding.evicted()) await_group(evicted);
  for (const std::string_view uid : VictimSearch::StoppingPods(books_, whose)) draft.Await(uid);
}

// ---- what goes on

void Preemptions::End(absl::Time now, GroupId id, Preemption& preemption) {
  kept_.End(KeptFor(id));
  books_.yielding.EndAwaiting(id);
  for (const Yielder& victim : preemption.victims) evictions_.Cancel(now, victim.group);
}

void Preemptions::NoteTook(GroupId id, Preemption& preemption) {
  preemption.took = true;
  plans_.NoteWent(id);
}

void Preemptions::TakeNews() {
  for (const auto& [victim, came] : evictions_.TakeNews()) {
    const auto& [news, said] = came;
    for (auto& [id, preemption] : preemptions_) {
      std::vector<Yielder>& victims = preemption.victims;
      const auto it = std::find_if(victims.begin(), victims.end(),
                                   [&](const Yielder& one) { return one.group == victim; });
      if (it == victims.end()) continue;
      preemption.asked.erase(victim);
      if (news == Evictions::News::kRefused) {
        preemption.refused = true;
        preemption.against = WhyNobodyGoes(*it, id, said);
      }
      if (news != Evictions::News::kToldAll) continue;
      if (it == victims.begin() && std::exchange(preemption.telling, false))
        NoteTook(id, preemption);
      victims.erase(it);
      preemption.refused |= !kept_.Collect(KeptFor(id), victim);  // it may have had no turn
    }
  }
}

// Of these nobody could tell in time whether they may go.
void Preemptions::SpareSilent(absl::Time now, const Preemption& preemption) {
  for (const Yielder& victim : preemption.victims) {
    if (!preemption.asked.contains(victim.group)) continue;
    if (!IsSingles(victim.group)) {
      books_.yielding.Spare(victim.group, now + kSparedFor);
      continue;
    }
    for (const PodRef& pod : victim.some) books_.yielding.SparePod(pod.uid, now + kSparedFor);
  }
}

// One that was deleted meanwhile goes by itself.
bool Preemptions::StillGoes(const Yielder& victim, const Group& group) const {
  if (IsSingles(victim.group)) {
    return std::all_of(victim.some.begin(), victim.some.end(), [&](const PodRef& pod) {
      const KnownPod* record = books_.pods.Find(pod.uid);
      return record == nullptr || record->leaving || VictimSearch::WouldYield(*record, group);
    });
  }
  const Group* other = books_.groups.Find(victim.group);
  return other != nullptr && CanDoWithout(*other, victim.some.size()) &&
         (other->bound() + other->In(SlotState::kPosting) == 0 ||
          VictimSearch::WouldYield(*other, group));
}

// The next victim, one after the other. True: it is over.
bool Preemptions::GoOn(absl::Time now, GroupId id, Preemption& preemption) {
  const Group* group = books_.groups.Find(id);
  const bool telling = preemption.telling && !preemption.took;
  if (telling && evictions_.AnyGone(preemption.victims.front().group)) NoteTook(id, preemption);
  if (now >= preemption.end) {
    SpareSilent(now, preemption);
    return true;
  }
  const GroupId account = KeptFor(id);
  if (!kept_.IsWantedBy(group, account) || preemption.refused || kept_.HasLost(account))
    return true;
  if (preemption.victims.empty()) return kept_.AllGone(account);
  if (preemption.telling || !preemption.asked.empty()) return false;
  const Yielder& next = preemption.victims.front();
  // It is just read anew, or nobody knows how it is.
  if (books_.groups.Retired(next.group) || !books_.sight.sees()) return false;
  if (!StillGoes(next, *group)) return true;
  if (!plans_.MayPreempt(*group) || !kept_.Stands(*group, account)) return true;
  if (!plans_.WhyKeptBack(*group).empty()) return true;
  // Nobody goes for room that it could not take.
  if (books_.placer.MeetsMaintenance(*group, now, kept_.PlanOf(account))) return true;
  if (!AllShown(books_.pods, *group)) return false;
  if (!TakeRest(account, next)) return true;
  preemption.telling = true;
  evictions_.Begin(now, next.group, WhyEvicted(next, *group, preemption));
  return false;
}

void Preemptions::OnPod(absl::Time now, const PodFacts& pod) {
  if (pod.terminating) books_.pods.HangsAt(pod.uid, now + absl::Seconds(pod.run.grace) + patience_);
  const KnownPod* record = books_.pods.Find(pod.uid);
  if (record == nullptr) return;
  const bool alone = MayGoAlone(pod, *record, all_jobs_);
  books_.pods.NoteSingle(pod, alone ? books_.ledger.NodeOf(pod.uid) : kNoNode);
}

void Preemptions::Follow(absl::Time now) {
  books_.pods.NoteHanging(now);
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
    bool in_vain = kept_.HasLost(account);
    const bool took = preemption.took;
    End(now, ended, preemption);
    if (!preemption.against.empty())
      books_.yielding.NoteAgainst(ended, std::move(preemption.against), now + kSparedFor);
    next = preemptions_.erase(next);
    if (group == nullptr) continue;
    if (free) {
      plans_.TakePlan(now, ended, plan);
      const Group* after = books_.groups.Find(ended);
      in_vain = after != nullptr && after->holds() == 0 && !after->Started();
    } else {
      plans_.AskAnew(ended);
    }
    if (took && in_vain) plans_.NoteInVain(now, ended);
  }
}

// ---- for people

std::string Preemptions::WhyEvicted(const Yielder& who, const Group& group,
                                    const Preemption& preemption) const {
  if (IsSingles(who.group)) {
    const std::string why = OfOneNamespace(who.some.front().ns + "/", group.name())
                                ? ": " + preemption.why
                                : std::string();
    return fmt::format("gives way to {} of {}, priority {}, which would wait otherwise{}",
                       ToldTo(who.some.front().ns + "/", group.name()), group.size(),
                       group.priority(), why);
  }
  const Group& victim = *books_.groups.Find(who.group);
  const std::string how =
      who.some.empty()
          ? "gives way as a whole"
          : fmt::format("gives up {} of its pods, which it can do without,", who.some.size());
  const bool own = OfOneNamespace(victim.name(), group.name());
  return fmt::format(
      "gang {} of {}, priority {}, {} to {} of {}, priority {}, which would wait otherwise{}",
      victim.name(), victim.bound(), victim.priority(), how, ToldTo(victim.name(), group.name()),
      group.size(), group.priority(), own ? ": " + preemption.why : std::string());
}

// Behind the reason of the gang that waits: of its own namespace who it is, and what is against it.
// Empty: nobody has said anything.
std::string Preemptions::WhyNobodyGoes(const Yielder& who, GroupId id,
                                       std::string_view said) const {
  const Group* group = books_.groups.Find(id);
  const Group* victim = books_.groups.Find(who.group);
  if (said.empty() || group == nullptr || (victim == nullptr && !IsSingles(who.group))) return {};
  const bool singles = IsSingles(who.group);
  const std::string name = singles ? who.some.front().ns + "/" : victim->name();
  if (!OfOneNamespace(name, group->name()))
    return fmt::format("; {} would give way, and may not",
                       singles ? "pods of another namespace" : kGangElsewhere);
  return fmt::format("; {} would give way, and may not: {}",
                     singles ? "pods of this namespace" : ToldTo(group->name(), name),
                     CutUtf8(said, kMaxToldRefusal));
}

// Those of its namespace by name, and of the others how many they are.
std::string Preemptions::SinglesText(const Group& group, const Preemption& preemption) const {
  size_t own = 0, others = 0;
  std::vector<std::string> names;
  for (const Yielder& victim : preemption.victims) {
    if (!IsSingles(victim.group)) continue;
    const std::string ns = victim.some.front().ns + "/";
    (OfOneNamespace(ns, group.name()) ? own : others) += victim.some.size();
    for (const PodRef& pod : victim.some) {
      if (names.size() == kToldVictims || !OfOneNamespace(ns, group.name())) break;
      names.push_back(ns + pod.name);
    }
  }
  std::vector<std::string> parts;
  if (!names.empty()) {
    parts.push_back(fmt::format("pod{} {}", own == 1 ? "" : "s", fmt::join(names, ", ")));
    if (own > names.size()) parts.back() += fmt::format(" and {} more", own - names.size());
  }
  if (others == 1) parts.push_back("a pod of another namespace");
  if (others > 1) parts.push_back(fmt::format("{} pods of other namespaces", others));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string Preemptions::WhyAwaits(const Group& group, const Preemption& preemption) const {
  std::vector<std::string> names;
  size_t gangs = 0;
  for (const Yielder& victim : preemption.victims) {
    if (IsSingles(victim.group)) continue;
    ++gangs;
    const std::string& name = books_.groups.Find(victim.group)->name();
    if (names.size() == kToldVictims || !OfOneNamespace(group.name(), name)) continue;
    names.push_back(name);
    if (!victim.some.empty()) names.back() += fmt::format(" ({} of its pods)", victim.some.size());
  }
  if (preemption.victims.empty())
    return fmt::format("gang {} of {}: it has room when pods that are stopping have gone",
                       group.name(), group.size());
  const size_t others = gangs - names.size();
  std::string whom = fmt::format("{}", fmt::join(names, ", "));
  if (names.empty() && others > 0) {
    whom = others == 1 ? std::string(kGangElsewhere)
                       : fmt::format("{} gangs of other namespaces", others);
  } else if (others > 0) {
    whom += fmt::format(" and {} more", others);
  }
  const std::string singles = SinglesText(group, preemption);
  if (!whom.empty() && !singles.empty()) whom += ", ";
  return fmt::format("gang {} of {}: it has room when what gives way to it has stopped: {}{}",
                     group.name(), group.size(), whom, singles);
}

}  // namespace gangplan
