// What the planner asks for, done outside of its lock: writes and reads of the cluster, answers of
// held calls. What becomes of them is told to the planner, on the cluster's threads.
//
// Thread rule: any thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "config/settings.h"
#include "extender/app/gang_log.h"
#include "extender/app/held_calls.h"
#include "extender/app/locked_planner.h"
#include "extender/app/owner_reads.h"
#include "extender/app/solver.h"
#include "extender/cluster/cluster.h"
#include "extender/observe/log.h"
#include "extender/observe/metrics.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

// Ids of running calls whose peer is gone.
using ClosedCalls = std::function<std::vector<CallId>()>;

class EffectRunner {
 public:
  // All outlive the runner. WakeBy::kNominate falls back on annotations, for kNominationPause each
  // time, where the server, or in one namespace its rights or a policy, leave no other way.
  EffectRunner(Cluster& cluster, LockedPlanner& planner, HeldCalls& calls, OwnerReads& owner_reads,
               Metrics& metrics, const Clock& clock, ClosedCalls closed_calls, WakeBy wake);

  void Run(Effects effects);
  // Calls whose peer has gone are held no more; so many in a turn.
  void DropClosedCalls();
  // See Solver::Running.
  absl::Duration Solving() const { return solver_.Running(); }
  // No question is asked any more.
  void Stop() { solver_.Stop(); }

 private:
  void RunOne(WriteBindings effect);
  void RunOne(BindingRead effect);
  void RunOne(AnswerCall effect);
  void RunOne(CommitReady effect);
  void RunOne(Nomination effect);
  void RunOne(OwnerRead effect);
  void RunOne(WriteResults effect);
  void RunOne(WriteRankList effect);
  void RunOne(WriteMemberLabels effect);
  void RunOne(PodGroupWrite effect);
  void RunOne(JobWrite effect);
  void RunOne(PodRelease effect);
  void RunOne(PodDelete effect);
  void RunOne(PodMark effect);
  void RunOne(EventNote effect);
  void RunOne(SolveOnCopy effect);
  void RunOne(ExplainGroup effect);
  void RunOne(GangChange effect);
  std::function<void(BindResult)> Settle(BindingRead about);
  void Settled(const BindingRead& about, const BindResult& result);
  std::function<void(absl::Status)> Written(int64_t group);
  std::function<void(absl::Status)> Ended(PodRef pod, int64_t attempt, std::string_view what);
  void Nominated(const PodRef& pod, const absl::Status& status);
  std::vector<CallId> DropManyClosed();
  bool NominationsPause(const std::string& ns);
  bool PauseIn(const std::string& ns) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool PauseNominations(const std::string& ns);
  void Wake(const PodRef& pod);
  void WarnOfPod(const PodRef& pod, std::string_view what, const absl::Status& status);
  void Solved(const SolveTask& task);

  Cluster& cluster_;
  LockedPlanner& planner_;
  HeldCalls& calls_;
  OwnerReads& owner_reads_;
  Metrics& metrics_;
  const Clock& clock_;
  const ClosedCalls closed_calls_;
  Mutex mutex_;
  // Before: wake by annotation, in all namespaces, and in those that deny nominations.
  absl::Time nominate_from_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, absl::Time> denied_until_ ABSL_GUARDED_BY(mutex_);
  RepeatedLog jobs_log_{absl::Minutes(1)};
  RepeatedLog gates_log_{absl::Minutes(1)};
  RepeatedLog results_log_{absl::Minutes(1)};
  GangLog gang_log_;
  Solver solver_;
};

}  // namespace gangplan
