#include "tests/simulation/deadlock.h"

namespace gangplan::simulation {
namespace {

struct Members {
  int bound = 0;
  int waiting = 0;
};

Members MembersOf(const Job& job, const ApiServer& api) {
  Members members;
  for (const Job::Index& index : job.indices) {
    const auto pod = api.pods().find(index.pod);
    if (pod == api.pods().end() || pod->second.finished() || pod->second.terminating) continue;
    ++(pod->second.node_name.empty() ? members.waiting : members.bound);
  }
  return members;
}

}  // namespace

bool Deadlock::End() {
  const Job* ended = nullptr;
  std::string why;
  for (const auto& [uid, job] : world_.jobs.all()) {
    const Members members = MembersOf(job, world_.api);
    if (job.done || members.bound == 0 || job.refusal != Refusal::kNone) continue;
    if (members.waiting == 0) return false;  // it runs, and will end
    const Fit fit = finder_.Find(job);
    if (fit == Fit::kFits && !job.OneSetAfterTheOther()) return false;
    if (ended != nullptr && fit != Fit::kTorn) continue;
    ended = &job;
    why = fit == Fit::kTorn     ? "it is torn apart"
          : fit == Fit::kNoRoom ? "those that stand leave it no room"
                                : "one of its pod sets took the other's place";
    if (fit == Fit::kTorn) break;
  }
  if (ended == nullptr) return false;
  ++ended_;
  world_.Say("the user ends " + ended->spec.Uid() + ": " + why);
  for (const Job::Index& index : ended->indices)
    world_.api.DeletePod(index.pod, absl::ZeroDuration());
  return true;
}

}  // namespace gangplan::simulation
