// The writes that start owners and suspend them again, and what comes of them.
#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/pod_sets.h"
#include "extender/cluster/annotations.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/suspended_owners.h"
#include "extender/planner/write_errors.h"
#include "fmt/format.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

// Of the template that this was told of. A Job's own has no name.
TemplateTerms TermsOf(const OwnerFacts& owner, const Foretold& told, const NodeFilter& filter) {
  TemplateTerms terms;
  if (filter.required_terms) terms.required = *filter.required_terms;
  if (owner.pod_sets.empty()) return terms;
  const OwnerPodSet& set = owner.pod_sets[told.index];
  terms.name = set.name;
  terms.jobs = set.jobs;
  return terms;
}

// As its pods will find it.
OwnerFacts AsStarted(OwnerFacts owner, const Pin& pin) {
  std::erase_if(owner.labels, [](const auto& word) { return word.first == kSuspendedLabel; });
  std::erase_if(owner.annotations, [](const auto& word) {
    return word.first == kNotBeforeAnnotation || word.first == kPinnedAnnotation;
  });
  if (!pin.words.empty()) SetLabel(owner.annotations, kPinnedAnnotation, pin.words);
  return owner;
}

}  // namespace

// ---- starting

void SuspendedOwners::Write(Entry& entry, JobWrite write, State state) {
  write.ns = entry.job.owner.ns;
  write.job = entry.job.owner.ref;
  write.attempt = entry.attempt = ++attempts_;
  if (write.suspend) entry.suspending = write.attempt;
  entry.version = write.resource_version;
  entry.state = state;
  entry.in_doubt = entry.withdrawn = false;
  entry.write = write;
  books_.outbox.Push(std::move(write));
}

Pin SuspendedOwners::PinOf(const Foretold& told, const Group& group) const {
  const std::vector<NodeIndex> nodes = group.HeldNodes(told.spec.pod_set);
  const PodSet& set = group.pod_sets().at(told.spec.pod_set);
  const LevelRules rules = OwnOver(set.own_rules, set.rules);
  const PinBy& by = PinsOf(group);
  return PinTo(books_.ledger.model(), {told.pod.filter, rules, nodes, group.size(),
                                       by.levels_on_nodes, by.ours, group.topology()});
}

// The Jobs of a JobSet may have one of a start that nobody has heard of.
bool SuspendedOwners::MayBePinned(const Entry& entry) {
  return !FindOwnerKind(entry.job.owner.ref.kind)->pins_own_template ||
         FindLabel(entry.job.owner.annotations, kPinnedAnnotation) != nullptr;
}

// Each pod set to its own nodes; of the first pin that there is use for is told. What may be pinned
// from before gets back what its user asks for.
Pin SuspendedOwners::PinAll(const Entry& entry, Group& group, JobWrite& write) const {
  Pin told;
  for (const Foretold& one : entry.told) {
    Pin pin = PinOf(one, group);
    NodeFilter filter = one.pod.filter;
    if (!pin.terms.empty()) filter.required_terms = pin.terms;
    if (!pin.terms.empty() || MayBePinned(entry))
      write.templates.push_back(TermsOf(entry.job.owner, one, filter));
    plans_.SetFilter(group, one.spec.pod_set, filter);
    if (told.terms.empty()) told = std::move(pin);
  }
  if (!told.terms.empty()) {
    write.annotations.emplace_back(kPinnedAnnotation, told.words);
  } else if (MayBePinned(entry)) {
    write.annotations.emplace_back(kPinnedAnnotation, std::nullopt);
  }
  return told;
}

void SuspendedOwners::Start(absl::Time now, Entry& entry) {
  if (entry.state != State::kWaits || !entry.marked || !entry.job.MayStart() || !IsPlaced(entry))
    return;
  if (entry.suspending != 0) return;  // what is on its way might stop the next run
  Group& group = *books_.groups.Find(entry.group);
  if (!books_.outbox.active()) return;
  JobWrite write;
  Pin pin;
  if (entry.job.check) {
    write = WriteOf(entry, CheckState::kReady, "");
    pin.told = PinCheck(entry, group, *write.check);
  } else {
    write.resource_version = entry.job.resource_version;
    write.labels = {{std::string(kSuspendedLabel), std::nullopt}};
    write.annotations = {{std::string(kNotBeforeAnnotation), std::nullopt}};
    pin = PinAll(entry, group, write);
  }
  std::string told =
      fmt::format("gang {} of {} has room and is started{}{}{}", group.name(), group.size(),
                  write.check ? " by Kueue" : "", pin.told.empty() ? "" : " on ", pin.told);
  if (write.check) write.check->message = told;
  books_.owners.Foretell(AsStarted(entry.job.owner, pin));
  group.SetStart(GroupStart::kComing);
  group.NoteBoundBy(group.rung());  // its nodes are by that
  plans_.AwaitPods(now, group);
  group.NoteStartedWith(group.size());
  Tell(entry, kGangStarting, std::move(told));
  Write(entry, std::move(write), State::kStarting);
}

// Some pod of its own gangs is there: what its controller has told may be of an earlier run. Pods
// of other namespaces may write its UID.
bool SuspendedOwners::RunsStill(const Entry& entry) const {
  const OwnerFacts& owner = entry.job.owner;
  const std::vector<GroupId> ids = books_.groups.OfOwner(owner.ref.uid);
  return std::any_of(ids.begin(), ids.end(), [&](GroupId id) {
    const Group& group = *books_.groups.Find(id);
    return group.key().ns == owner.ns && group.key().IsOf(owner.ref.uid) && group.AnyLive();
  });
}

// Its pods are planned when they are there: a gang of several owners cannot be told from one of
// them, nobody knows when a gate of theirs goes, and those that are started one after the other are
// never all there. Or they are of no gang, and go by themselves.
void SuspendedOwners::StartUnplanned(absl::Time now, const std::string& uid, Entry& entry,
                                     const Templates& read) {
  if (!entry.job.stopped) return;  // the watch shows when it is
  if (entry.suspending != 0) return due_.Set(uid, now + kJobWriteRetry);
  if (RunsStill(entry)) return due_.Set(uid, now + kEndedRetry);
  if (!books_.outbox.active()) return;
  // Its pods wait for room by themselves, and it is not suspended again for that.
  for (GroupId id : books_.groups.OfOwner(uid))
    books_.groups.Find(id)->SetStart(GroupStart::kByItself);
  if (!read.foreign) books_.owners.Foretell(AsStarted(entry.job.owner, Pin()));
  std::string told = read.foreign ? WhyUnplanned(entry, read) : WhatIsUnplanned(entry);
  if (entry.job.check) {
    JobWrite ready = WriteOf(entry, CheckState::kReady, told);
    Tell(entry, kGangStarting, std::move(told));
    return Write(entry, std::move(ready), State::kStarting);
  }
  JobWrite write;
  write.resource_version = entry.job.resource_version;
  write.labels = {{std::string(kSuspendedLabel), std::nullopt}};
  write.annotations = {{std::string(kNotBeforeAnnotation), std::nullopt}};
  if (MayBePinned(entry)) {
    write.annotations.emplace_back(kPinnedAnnotation, std::nullopt);
    for (const Foretold& one : read.foreign ? read.others : read.members) {
      write.templates.push_back(TermsOf(entry.job.owner, one, one.pod.filter));
      write.templates.back().jobs = 0;  // as many as there are
    }
  }
  Tell(entry, kGangStarting, std::move(told));
  Write(entry, std::move(write), State::kStarting);
}

void SuspendedOwners::Suspend(Entry& entry) {
  if (entry.job.check) return GiveQuotaBack(entry, CheckState::kRetry, entry.why);
  JobWrite write;
  write.suspend = true;
  write.annotations = {{std::string(kNotBeforeAnnotation), TimeText(entry.not_before)}};
  write.labels = {{std::string(kSuspendedLabel), "true"}};
  Write(entry, std::move(write), State::kSuspending);
}

// ---- what came of it

void SuspendedOwners::OnWritten(absl::Time now, std::string_view uid, int64_t attempt,
                                const absl::Status& status) {
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  if (entry.suspending == attempt) entry.suspending = 0;
  if (entry.saying == attempt) return Said(now, it->first, entry, status);
  if (entry.attempt != attempt) return entry.state == State::kWaits ? Look(now, it->first) : void();
  if (!IsInDoubt(status)) entry.doubts = 0;
  if (entry.state == State::kStarting) {
    Started(now, it->first, entry, status);
  } else if (entry.state == State::kSuspending) {
    Suspended(now, it->first, entry, status);
  }
}

void SuspendedOwners::Started(absl::Time now, const std::string& uid, Entry& entry,
                              const absl::Status& status) {
  const bool doubt = std::exchange(entry.in_doubt, false);
  if (status.ok() || (absl::IsAborted(status) && doubt && !entry.marked)) {
    entry.state = State::kStarted;
    if (!entry.job.check) starts_.NoteStart(now, uid);
    if (entry.withdrawn) return Suspend(entry);
    entry.read_after = absl::ZeroDuration();
    due_.Set(uid, now + kOwnerReadAfter);
    // Of one that was not planned nothing more is to be known.
    if (entry.group == 0) Drop(uid);
  } else if (absl::IsNotFound(status)) {
    Drop(uid);
  } else if (absl::IsAborted(status) && doubt) {
    Doubt(now, uid, entry);  // the watch tells whether that was our own write
  } else if (absl::IsAborted(status)) {
    entry.state = State::kWaits;  // the watch shows what it is now
    if (IsReady(entry)) return TakeOver(now, uid, entry);
    if (!entry.marked) StartedElsewhere(now, uid);
  } else if (WasRefused(status)) {
    NotStarted(now, uid, entry, Message(status));
  } else {
    Doubt(now, uid, entry);
  }
}

// Nobody can tell whether it was done: it is written once more, after a pause that grows.
void SuspendedOwners::Doubt(absl::Time now, const std::string& uid, Entry& entry) {
  entry.in_doubt = true;
  due_.Set(uid, now + SolveQueue::PauseAfter(kJobWriteRetry, entry.doubts++, kMaxJobWriteRetry));
}

void SuspendedOwners::NotStarted(absl::Time now, const std::string& uid, Entry& entry,
                                 std::string_view why) {
  Tell(entry, kGangWaiting,
       fmt::format("{} could not be started, its room is given back for a while: {}", NameOf(entry),
                   why));
  entry.state = State::kWaits;
  entry.not_before = now + SolveQueue::PauseAfter(kFruitlessPause, entry.fruitless++);
  LeaveGroup(entry);
  if (!entry.marked) return Drop(uid);
  Pend(uid, entry);
}

void SuspendedOwners::Suspended(absl::Time now, const std::string& uid, Entry& entry,
                                const absl::Status& status) {
  if (entry.job.check && entry.marked) return GaveBack(now, uid, entry, status);
  entry.in_doubt = false;
  if (status.ok()) {
    const bool refused = std::exchange(entry.refused, 0) > 0;
    TellSuspended(entry, refused ? "the API server had refused that until now" : entry.why);
    due_.Set(uid, now + kUnmarkedFor);  // the watch shows it
  } else if (absl::IsNotFound(status)) {
    books_.owners.NoteGone(OwnerKey(entry.job.owner.ns, uid));
    Drop(uid);
  } else if (absl::IsAborted(status) && entry.job.check) {  // it was never Ready, or is no more
    check_due_.Set(uid, now + kFirstSaying);
    WaitAgain(uid, entry);
  } else if (absl::IsAborted(status)) {  // it is finished, or somebody else has suspended it
    const Group* group = books_.groups.Find(entry.group);
    // Its pods will join as those of any gang, if there are ever some.
    if (group == nullptr || group->members().empty()) return Drop(uid);
    SuspendLater(now, uid, entry);
  } else if (WasRefused(status)) {
    NotSuspended(now, uid, entry, Message(status));
  } else {
    Doubt(now, uid, entry);
  }
}

void SuspendedOwners::NotSuspended(absl::Time now, const std::string& uid, Entry& entry,
                                   std::string_view why) {
  ++refused_suspensions_;
  Tell(entry, kGangWaiting,
       fmt::format("{} could not {}, which is tried again with a pause that grows; "
                   "until then its pods wait for room on the nodes that it was started on: {}",
                   NameOf(entry), entry.job.check ? "give its quota back" : "be suspended again",
                   why));
  SuspendLater(now, uid, entry);
}

// It is asked for again after a pause that grows. Meanwhile its pods are planned as those of any
// gang, in case that there is room where they may go.
void SuspendedOwners::SuspendLater(absl::Time now, const std::string& uid, Entry& entry) {
  entry.state = State::kStarted;
  entry.suspend_from = now + SolveQueue::PauseAfter(kFruitlessPause, entry.refused++);
  due_.Set(uid, entry.suspend_from);
  Group* group = books_.groups.Find(entry.group);
  if (group == nullptr) return Drop(uid);
  group->SetStart(group->members().empty() ? GroupStart::kComing : GroupStart::kStarted);
  books_.queue.Pause(group->id(), now);
  plans_.AskAnew(group->id());
}

}  // namespace gangplan
