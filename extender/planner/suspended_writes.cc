// The writes that start Jobs and suspend them again, and what comes of them.
#include <algorithm>
#include <utility>
#include <vector>

#include "extender/cluster/annotations.h"
#include "extender/planner/limits.h"
#include "extender/planner/suspended_jobs.h"
#include "fmt/format.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr char kGangWaiting[] = "GangWaiting";
constexpr char kGangStarting[] = "GangStarting";

bool WasRefused(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsFailedPrecondition(status) ||
         absl::IsUnimplemented(status) || absl::IsInvalidArgument(status);
}

}  // namespace

// ---- starting

void SuspendedJobs::Write(Entry& entry, JobWrite write, State state) {
  write.ns = entry.job.owner.ns;
  write.job = entry.job.owner.ref;
  write.attempt = entry.attempt = ++attempts_;
  entry.version = write.resource_version;
  entry.state = state;
  entry.in_doubt = entry.withdrawn = false;
  entry.write = write;
  books_.outbox.Push(std::move(write));
}

Pin SuspendedJobs::PinOf(const Entry& entry, const Group& group) const {
  std::vector<NodeIndex> nodes;
  for (const Slot& slot : group.slots()) nodes.push_back(slot.node);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return PinTo(books_.ledger.model(), {entry.told.filter, entry.spec.rules, nodes, group.size(),
                                       options_.levels_on_nodes});
}

// An instance that nobody asks waits a while: another one may be the scheduler's.
void SuspendedJobs::Start(absl::Time now, const std::string& uid, Entry& entry) {
  if (entry.state != State::kWaits || !entry.marked || !IsPlaced(entry)) return;
  if (!books_.outbox.active() && entry.start_from == absl::InfiniteFuture())
    entry.start_from = now + kStandbyPatience;
  if (!books_.outbox.active() && now < entry.start_from) return due_.Set(uid, entry.start_from);
  Group& group = *books_.groups.Find(entry.group);
  const Pin pin = PinOf(entry, group);
  const bool pinned = FindLabel(entry.job.owner.annotations, kPinnedAnnotation) != nullptr;
  JobWrite write;
  write.resource_version = entry.job.resource_version;
  write.labels = {{std::string(kSuspendedLabel), std::nullopt}};
  NodeFilter filter = entry.told.filter;
  if (!pin.terms.empty()) {
    filter.required_terms = pin.terms;
    write.annotations = {{std::string(kPinnedAnnotation), pin.words}};
    write.required_terms = pin.terms;
  } else if (pinned) {
    write.annotations = {{std::string(kPinnedAnnotation), std::nullopt}};
    write.required_terms = filter.required_terms.value_or(std::vector<NodeSelectorTerm>());
  }
  write.annotations.insert(write.annotations.begin(),
                           {std::string(kNotBeforeAnnotation), std::nullopt});
  plans_.SetFilter(group, filter);
  group.SetStart(GroupStart::kComing);
  group.NoteStartedWith(group.size());
  Tell(entry, kGangStarting,
       fmt::format("gang {} of {} has room and is started{}{}", group.name(), group.size(),
                   pin.told.empty() ? "" : " on ", pin.told));
  Write(entry, std::move(write), State::kStarting);
}

// Its pods are planned when they are there: a gang of several Jobs cannot be told from one of them,
// and nobody knows when a gate of theirs goes.
void SuspendedJobs::StartUnplanned(Entry& entry) {
  JobWrite write;
  write.resource_version = entry.job.resource_version;
  write.labels = {{std::string(kSuspendedLabel), std::nullopt}};
  write.annotations = {{std::string(kNotBeforeAnnotation), std::nullopt}};
  if (FindLabel(entry.job.owner.annotations, kPinnedAnnotation) != nullptr) {
    write.annotations.emplace_back(kPinnedAnnotation, std::nullopt);
    write.required_terms =
        TemplateOf(entry.job).filter.required_terms.value_or(std::vector<NodeSelectorTerm>());
  }
  Write(entry, std::move(write), State::kStarting);
}

void SuspendedJobs::Suspend(Entry& entry) {
  JobWrite write;
  write.suspend = true;
  write.annotations = {
      {std::string(kNotBeforeAnnotation),
       absl::FormatTime(absl::RFC3339_sec, entry.not_before, absl::UTCTimeZone())}};
  write.labels = {{std::string(kSuspendedLabel), "true"}};
  Write(entry, std::move(write), State::kSuspending);
}

// ---- what came of it

void SuspendedJobs::OnWritten(absl::Time now, std::string_view uid, int64_t attempt,
                              const absl::Status& status) {
  const auto it = entries_.find(uid);
  if (it == entries_.end() || it->second.attempt != attempt) return;
  Entry& entry = it->second;
  if (entry.state == State::kStarting) {
    Started(now, it->first, entry, status);
  } else if (entry.state == State::kSuspending) {
    Suspended(now, it->first, entry, status);
  }
}

void SuspendedJobs::Started(absl::Time now, const std::string& uid, Entry& entry,
                            const absl::Status& status) {
  if (status.ok() || (absl::IsAborted(status) && entry.in_doubt && !entry.marked)) {
    entry.state = State::kStarted;
    if (entry.withdrawn) return Suspend(entry);
    // Of one that was not planned nothing more is to be known.
    if (entry.group == 0) Drop(uid);
  } else if (absl::IsNotFound(status)) {
    Drop(uid);
  } else if (absl::IsAborted(status) && entry.in_doubt) {
    due_.Set(uid, now + kJobWriteRetry);  // the watch tells whether that was our own write
  } else if (absl::IsAborted(status)) {
    entry.state = State::kWaits;  // the watch shows what it is now
    if (!entry.marked) Drop(uid);
  } else if (WasRefused(status)) {
    NotStarted(now, uid, entry, Message(status));
  } else {
    entry.in_doubt = true;
    due_.Set(uid, now + kJobWriteRetry);
  }
}

void SuspendedJobs::NotStarted(absl::Time now, const std::string& uid, Entry& entry,
                               std::string_view why) {
  Tell(entry, kGangWaiting,
       fmt::format("job {}/{} could not be started, its room is given back for a while: {}",
                   entry.job.owner.ns, entry.job.owner.ref.name, why));
  entry.state = State::kWaits;
  entry.not_before = now + SolveQueue::PauseAfter(kFruitlessPause, entry.fruitless++);
  LeaveGroup(entry);
  if (!entry.marked) return Drop(uid);
  Pend(uid, entry);
}

void SuspendedJobs::Suspended(absl::Time now, const std::string& uid, Entry& entry,
                              const absl::Status& status) {
  if (status.ok()) {
    due_.Set(uid, now + kUnmarkedFor);  // the watch shows it
  } else if (absl::IsNotFound(status) || absl::IsAborted(status)) {
    Drop(uid);
  } else if (WasRefused(status)) {
    Tell(entry, kGangWaiting,
         fmt::format("job {}/{} could not be suspended again: {}", entry.job.owner.ns,
                     entry.job.owner.ref.name, Message(status)));
    Drop(uid);
  } else {
    entry.in_doubt = true;
    due_.Set(uid, now + kJobWriteRetry);
  }
}

void SuspendedJobs::Tell(Entry& entry, std::string reason, std::string problem) {
  if (entry.problem == problem) return;
  entry.problem = problem;
  const bool warning = reason != kGangStarting;
  books_.outbox.Push(EventNote{entry.job.owner.ns, entry.job.owner.ref, warning, std::move(reason),
                               kPlanAction, std::move(problem)});
}

}  // namespace gangplan
