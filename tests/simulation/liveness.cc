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

FitFinder::Standing Liveness::KeptForRefused() const {
  FitFinder::Standing kept;
  for (const auto& [uid, job] : jobs_.all()) {
    if (job.refusal == Refusal::kNone || job.done) continue;
    const std::optional<GroupReport> group = service_.planner().Report(GroupName(job));
    const bool runs =
        group && std::any_of(group->slots.begin(), group->slots.end(),
                             [](const GroupReport::SlotReport& slot) {
                               return slot.state == "bound" || slot.state == "finished";
                             });
    if (!runs) continue;
    for (const Job::Index& index : job.indices) {
      const auto pod = api_.pods().find(index.pod);
      if (pod == api_.pods().end() || !pod->second.node_name.empty()) continue;
      for (const GroupReport::SlotReport& slot : group->slots) {
        if (slot.pod == pod->second.name) kept[slot.node].push_back(&pod->second);
      }
    }
  }
  return kept;
}

// Others that wait for room come before it, where nobody passes them.
bool Liveness::StandsBehind(const Job& job) const {
  const std::optional<GroupReport> group = service_.planner().Report(GroupName(job));
  return group && group->line_place > 1;
}

void Liveness::Check() {
  if (limit_ == absl::InfiniteDuration()) return;
  const bool up = service_.alive() && scheduler_.alive();
  if (!up) return waiting_.clear();
  const FitFinder::Standing kept = KeptForRefused();
  for (const auto& [uid, job] : jobs_.all()) {
    std::set<std::string> pods = WaitingPods(job);
    if (job.done || job.refusal != Refusal::kNone || pods.empty() || job.OneSetAfterTheOther() ||
        !GroupObjects::IsSound(api_, job) || StandsBehind(job) ||
        finder_.Find(job, kept) != Fit::kFits) {
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
