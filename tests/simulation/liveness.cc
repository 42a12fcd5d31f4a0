#include "tests/simulation/liveness.h"

#include <algorithm>

#include "fmt/format.h"
#include "tests/simulation/group_objects.h"

namespace gangplan::simulation {

std::set<std::string> Liveness::WaitingPods(const Job& job) const {
  std::set<std::string> waiting;
  int32_t there = 0;
  int32_t succeeded = 0;
  for (const Job::Index& index : job.indices) {
    succeeded += static_cast<int32_t>(index.succeeded);
    const auto pod = api_.pods().find(index.pod);
    if (index.succeeded || pod == api_.pods().end()) continue;
    if (pod->second.terminating || pod->second.finished()) continue;
    ++there;
    if (pod->second.node_name.empty()) waiting.insert(index.pod);
  }
  if (!job.ordered && there < std::min(job.spec.size, job.completions - succeeded)) return {};
  return waiting;
}

void Liveness::Check() {
  if (limit_ == absl::InfiniteDuration()) return;
  const bool up = service_.alive() && scheduler_.alive();
  if (!up) waiting_.clear();
  for (const auto& [uid, job] : jobs_.all()) {
    std::set<std::string> pods = WaitingPods(job);
    if (!up || job.done || job.refusal != Refusal::kNone || pods.empty() ||
        job.OneSetAfterTheOther() || !GroupObjects::IsSound(api_, job) ||
        finder_.Find(job) != Fit::kFits) {
      waiting_.erase(uid);
      continue;
    }
    Waiting& waiting = waiting_[uid];
    if (waiting.pods != pods) waiting = {time_.now(), std::move(pods)};
    if (time_.now() < waiting.since + limit_) continue;
    throw Broken(fmt::format("{}: {} members fit on free room and are not bound for {}: {}", uid,
                             waiting.pods.size(), absl::FormatDuration(limit_),
                             service_.Describe(GroupName(job))));
  }
}

}  // namespace gangplan::simulation
