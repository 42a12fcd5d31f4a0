// What the planner wants done outside: values, in the order in which they arose. The planner itself
// does no I/O; the service carries effects out after it has let the lock go, and reports back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/requests.h"
#include "extender/planner/life.h"

namespace gangplan {

struct SolveTask;

// One bind call of the scheduler that waits for its answer.
using CallId = int64_t;

// Write these Bindings: one, or all of a gang that begins. By pointer, since a gang may have
// thousands, which were made when the calls came.
struct WriteBindings {
  std::vector<std::unique_ptr<BindingWrite>> writes;
};
// Answer a bind call; empty error: bound.
struct AnswerCall {
  CallId call = 0;
  std::string error;
};
// Every member is in bind: look which calls have lost their peer, then Planner::Commit.
struct CommitReady {
  int64_t group = 0;
};
// Change the data of the ConfigMap that describes a group. Comes back as OnResultsWritten.
struct WriteResults {
  int64_t group = 0;
  DataWrite write;
};
// Likewise of one that is told a gang's ranks. Comes back as OnRankListWritten.
struct WriteRankList {
  DataWrite write;
};
// Change a member's labels. Comes back as OnResultsWritten.
struct WriteMemberLabels {
  int64_t group = 0;
  LabelsWrite write;
};

// Ask this question on a thread of its own (SolveTask::Run). Comes back as OnSolved.
struct SolveOnCopy {
  std::shared_ptr<SolveTask> task;
};
// Write this Event, with the answer's evidence behind its note, and then the rest.
struct ExplainGroup {
  EventNote note;
  std::shared_ptr<SolveTask> question;  // null: there is no evidence
  std::string rest;
};

// A group's life has gone on: for the log, the metrics, and the Event that it may be worth.
struct GangChange {
  std::string gang;  // "namespace/name"
  GroupState before = GroupState::kNew;
  GroupState after = GroupState::kNew;
  bool gone = false;  // nothing of it is left
  std::string why;    // it waits
  int32_t bound = 0;
  int32_t size = 0;
  // Since it was first seen: it has a plan now, the first since then, or is gone without one.
  std::optional<absl::Duration> waited;
  std::optional<absl::Duration> took;  // likewise: all of it is bound
  std::optional<EventNote> event;
};

// Each BindingWrite comes back by Planner::OnBindResult with its attempt, and so does a
// BindingRead, until its outcome is known. Each JobWrite comes back by OnJobWritten, each
// PodRelease by OnReleased, each PodDelete and PodMark by OnPodDelete, each PodGroupWrite by
// OnPodGroupWritten.
using Effect =
    std::variant<WriteBindings, BindingRead, AnswerCall, CommitReady, Nomination, OwnerRead,
                 WriteResults, WriteRankList, WriteMemberLabels, EventNote, SolveOnCopy,
                 ExplainGroup, JobWrite, PodRelease, PodDelete, PodMark, PodGroupWrite, GangChange>;
using Effects = std::vector<Effect>;

// The Event, whole. Asks the question, if there is one: not under the planner's lock.
EventNote Explained(ExplainGroup explain);

}  // namespace gangplan
