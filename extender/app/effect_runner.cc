#include "extender/app/effect_runner.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "extender/app/limits.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/owner_key.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

std::string_view NameOf(BindOutcome outcome) {
  constexpr std::string_view kNames[] = {"bound",   "elsewhere",   "gone",
                                         "refused", "not_written", "unknown"};
  return kNames[static_cast<int>(outcome)];
}

// One to an object that is gone, or is another one now, never does.
bool MayGoThrough(const absl::Status& status) {
  return !status.ok() && !absl::IsNotFound(status) && !absl::IsAborted(status);
}

}  // namespace

EffectRunner::EffectRunner(Cluster& cluster, LockedPlanner& planner, HeldCalls& calls,
                           OwnerReads& owner_reads, Metrics& metrics, const Clock& clock,
                           ClosedCalls closed_calls, WakeBy wake)
    : cluster_(cluster),
      planner_(planner),
      calls_(calls),
      owner_reads_(owner_reads),
      metrics_(metrics),
      clock_(clock),
      closed_calls_(std::move(closed_calls)),
      nominate_from_(wake == WakeBy::kNominate ? absl::InfinitePast() : absl::InfiniteFuture()),
      gang_log_(clock),
      solver_([this](const SolveTask& task) { Solved(task); },
              [this](EventNote note) { cluster_.Emit(std::move(note)); }, clock) {}

void EffectRunner::Run(Effects effects) {
  for (Effect& effect : effects) {
    std::visit([this](auto& one) { RunOne(std::move(one)); }, effect);
  }
}

void EffectRunner::RunOne(WriteBindings effect) {
  for (const std::unique_ptr<BindingWrite>& write : effect.writes) {
    auto done = Settle({write->pod, write->node, write->attempt});
    cluster_.Bind(std::move(*write), std::move(done));
  }
}

void EffectRunner::RunOne(BindingRead effect) {
  auto done = Settle(effect);
  cluster_.Prove(std::move(effect), std::move(done));
}

// Tells the planner what became of the Binding that `about` is about.
std::function<void(BindResult)> EffectRunner::Settle(BindingRead about) {
  return [this, about = std::move(about)](const BindResult& result) { Settled(about, result); };
}

void EffectRunner::Settled(const BindingRead& about, const BindResult& result) {
  const PodRef& pod = about.pod;
  metrics_.CountBinding(NameOf(result.outcome));
  // An outcome that is not known yet is read again and again; the metric tells how often.
  if (result.outcome != BindOutcome::kBound && result.outcome != BindOutcome::kUnknown) {
    Log(LogLevel::kWarn, "binding not done",
        {{"pod", pod.ns + "/" + pod.name}, {"node", about.node}, {"why", result.message}});
  }
  planner_.Take(TurnFor::kSettle, [&](Planner& planner) {
    planner.OnBindResult(clock_.Now(), pod, about.node, about.attempt, result);
  });
}

void EffectRunner::RunOne(AnswerCall effect) {
  calls_.Answer(effect.call, std::move(effect.error));
}

void EffectRunner::DropClosedCalls() {
  const std::vector<CallId> closed = DropManyClosed();
  if (closed.empty()) return;
  planner_.Take(TurnFor::kCalls,
                [&](Planner& planner) { planner.OnCallsClosed(clock_.Now(), closed); });
}

// Those that are too many for one turn, in turns of their own. Returns those of now, not too many.
std::vector<CallId> EffectRunner::DropManyClosed() {
  std::vector<CallId> closed = closed_calls_();
  if (closed.size() <= kClosedAtOnce) return closed;
  for (size_t from = 0; from < closed.size(); from += kClosedAtOnce) {
    const size_t until = std::min(from + kClosedAtOnce, closed.size());
    const std::vector<CallId> some(closed.begin() + static_cast<ptrdiff_t>(from),
                                   closed.begin() + static_cast<ptrdiff_t>(until));
    planner_.Take(TurnFor::kCalls,
                  [&](Planner& planner) { planner.OnCallsClosed(clock_.Now(), some); });
  }
  closed = closed_calls_();
  closed.resize(std::min(closed.size(), kClosedAtOnce));
  return closed;
}

void EffectRunner::RunOne(CommitReady effect) {
  const std::vector<CallId> closed = DropManyClosed();
  planner_.Take(TurnFor::kCommit,
                [&](Planner& planner) { planner.Commit(clock_.Now(), effect.group, closed); });
}

void EffectRunner::RunOne(Nomination effect) {
  if (NominationsPause(effect.pod.ns)) return Wake(effect.pod);
  PodRef pod = effect.pod;
  cluster_.Nominate(std::move(effect), [this, pod = std::move(pod)](const absl::Status& status) {
    Nominated(pod, status);
  });
}

void EffectRunner::Nominated(const PodRef& pod, const absl::Status& status) {
  metrics_.CountNomination(status.ok() ? "ok" : "error");
  if (status.ok() || absl::IsNotFound(status)) return;
  const bool never = absl::IsPermissionDenied(status) || absl::IsUnimplemented(status);
  // A denial may be that of one namespace: of its policy, or of a right that is given there alone.
  const std::string where = absl::IsPermissionDenied(status) ? pod.ns : "";
  if (never && PauseNominations(where)) {
    Log(LogLevel::kWarn,
        "nominations do not work here, pods are woken by annotation until they are tried again",
        {{"namespace", where.empty() ? "all" : where},
         {"why", Message(status)},
         {"seconds", absl::ToInt64Seconds(kNominationPause)}});
  }
  Wake(pod);
}

bool EffectRunner::NominationsPause(const std::string& ns) {
  MutexLock lock(mutex_);
  return PauseIn(ns);
}

bool EffectRunner::PauseIn(const std::string& ns) const {
  const absl::Time now = clock_.Now();
  const auto denied = denied_until_.find(ns);
  return now < nominate_from_ || (denied != denied_until_.end() && now < denied->second);
}

// Those of this namespace; empty: all. False: they pause already. A refusal of what was sent before
// makes the pause no longer.
bool EffectRunner::PauseNominations(const std::string& ns) {
  MutexLock lock(mutex_);
  if (PauseIn(ns)) return false;
  const absl::Time now = clock_.Now();
  std::erase_if(denied_until_, [&](const auto& one) { return one.second <= now; });
  (ns.empty() ? nominate_from_ : denied_until_[ns]) = now + kNominationPause;
  return true;
}

void EffectRunner::Wake(const PodRef& pod) {
  cluster_.Wake(pod, [this, pod](const absl::Status& status) {
    metrics_.CountWake();
    WarnOfPod(pod, "a pod not woken", status);
    if (status.ok() || absl::IsNotFound(status)) return;
    planner_.Take(TurnFor::kSettle,
                  [&](Planner& planner) { planner.OnNotWoken(clock_.Now(), pod.uid); });
  });
}

void EffectRunner::RunOne(OwnerRead effect) {
  std::string key = OwnerKey(effect.ns, effect.owner.uid);
  cluster_.ReadOwner(
      std::move(effect), [this, key = std::move(key)](const absl::StatusOr<OwnerFacts>& owner) {
        planner_.Take(TurnFor::kOwner,
                      [&](Planner& planner) { planner.OnOwner(clock_.Now(), key, owner); });
        owner_reads_.Arrived();
      });
}

void EffectRunner::RunOne(WriteResults effect) {
  cluster_.WriteData(std::move(effect.write), Written(effect.group));
}

void EffectRunner::RunOne(WriteRankList effect) {
  ConfigMapRef object = effect.write.object;
  cluster_.WriteData(std::move(effect.write), [this, object = std::move(object)](
                                                  const absl::Status& status) {
    const bool open = MayGoThrough(status);
    if (open) {
      results_log_.Log(
          LogLevel::kWarn, "ranks not written to a ConfigMap",
          {{"object", NameInNamespace(object.ns, object.name)}, {"why", Message(status)}});
    }
    planner_.Take(TurnFor::kResults, [&](Planner& planner) {
      // One that is immutable stays so.
      planner.OnRankListWritten(clock_.Now(), object, open && !absl::IsFailedPrecondition(status));
    });
  });
}

void EffectRunner::RunOne(WriteMemberLabels effect) {
  cluster_.WriteLabels(std::move(effect.write), Written(effect.group));
}

// Tells the planner of a group's results what became of the write.
std::function<void(absl::Status)> EffectRunner::Written(int64_t group) {
  return [this, group](const absl::Status& status) {
    const bool again = MayGoThrough(status);
    if (again) {
      results_log_.Log(LogLevel::kWarn, "results of a group not written",
                       {{"why", Message(status)}});
    }
    planner_.Take(TurnFor::kResults,
                  [&](Planner& planner) { planner.OnResultsWritten(clock_.Now(), group, again); });
  };
}

// One that is gone, or that somebody else writes, is none to warn of.
void EffectRunner::RunOne(PodGroupWrite effect) {
  std::string ns = effect.ns, name = effect.name;
  cluster_.WritePodGroup(std::move(effect), [this, ns = std::move(ns),
                                             name = std::move(name)](const absl::Status& status) {
    if (!status.ok() && !absl::IsAborted(status) && !absl::IsNotFound(status)) {
      results_log_.Log(LogLevel::kWarn, "the status of a PodGroup not written",
                       {{"why", Message(status)}});
    }
    planner_.Take(TurnFor::kResults, [&](Planner& planner) {
      planner.OnPodGroupWritten(clock_.Now(), ns, name, status);
    });
  });
}

void EffectRunner::RunOne(JobWrite effect) {
  std::string name = effect.ns + "/" + effect.job.name;
  std::string uid = effect.job.uid;
  const int64_t attempt = effect.attempt;
  cluster_.WriteJob(std::move(effect), [this, name = std::move(name), uid = std::move(uid),
                                        attempt](const absl::Status& status) {
    // A Job that has changed or gone meanwhile is none to warn of.
    if (!status.ok() && !absl::IsAborted(status) && !absl::IsNotFound(status)) {
      jobs_log_.Log(LogLevel::kWarn, "a Job not written",
                    {{"job", name}, {"why", Message(status)}});
    }
    planner_.Take(TurnFor::kSettle, [&](Planner& planner) {
      planner.OnJobWritten(clock_.Now(), uid, attempt, status);
    });
  });
}

// One that has gone meanwhile is none to warn of.
void EffectRunner::WarnOfPod(const PodRef& pod, std::string_view what, const absl::Status& status) {
  if (status.ok() || absl::IsAborted(status) || absl::IsNotFound(status)) return;
  gates_log_.Log(LogLevel::kWarn, what,
                 {{"pod", pod.ns + "/" + pod.name}, {"why", Message(status)}});
}

void EffectRunner::RunOne(PodRelease effect) {
  PodRef pod = effect.pod;
  const int64_t attempt = effect.attempt;
  cluster_.ReleasePod(std::move(effect),
                      [this, pod = std::move(pod), attempt](const absl::Status& status) {
                        WarnOfPod(pod, "a pod not released from its gate", status);
                        planner_.Take(TurnFor::kSettle, [&](Planner& planner) {
                          planner.OnReleased(clock_.Now(), pod.uid, attempt, status);
                        });
                      });
}

void EffectRunner::RunOne(PodDelete effect) {
  auto done = Ended(effect.pod, effect.attempt, "a pod not deleted");
  cluster_.DeletePod(std::move(effect), std::move(done));
}

void EffectRunner::RunOne(PodMark effect) {
  auto done = Ended(effect.pod, effect.attempt, "a pod not annotated");
  cluster_.MarkPod(std::move(effect), std::move(done));
}

// Tells the planner what became of such a write; people where it was not done: `what`.
std::function<void(absl::Status)> EffectRunner::Ended(PodRef pod, int64_t attempt,
                                                      std::string_view what) {
  return [this, pod = std::move(pod), attempt, what](const absl::Status& status) {
    WarnOfPod(pod, what, status);
    planner_.Take(TurnFor::kSettle, [&](Planner& planner) {
      planner.OnPodDelete(clock_.Now(), pod.uid, attempt, status);
    });
  };
}

// Of reservations there are few, and no gang whose steps would tell of them.
void EffectRunner::RunOne(EventNote effect) {
  if (effect.action == kReserveAction)
    Log(effect.warning ? LogLevel::kWarn : LogLevel::kInfo, effect.note,
        {{"reservation", effect.regarding.name}, {"reason", effect.reason}});
  cluster_.Emit(std::move(effect));
}

void EffectRunner::RunOne(SolveOnCopy effect) { solver_.Add(std::move(effect)); }

void EffectRunner::RunOne(ExplainGroup effect) { solver_.Add(std::move(effect)); }

void EffectRunner::RunOne(GangChange effect) {
  gang_log_.Tell(effect);
  if (effect.waited) metrics_.ObserveGangWait(effect.gone ? "gone" : "planned", *effect.waited);
  if (effect.took) metrics_.ObserveGangStart(*effect.took);
  if (effect.event) cluster_.Emit(*std::move(effect.event));
}

void EffectRunner::Solved(const SolveTask& task) {
  planner_.Take(TurnFor::kSolved, [&](Planner& planner) { planner.OnSolved(clock_.Now(), task); });
}

}  // namespace gangplan
