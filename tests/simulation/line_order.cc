#include "tests/simulation/line_order.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

// What was asked on a copy before it stood in line comes back as late as that.
constexpr absl::Duration kAnswers = absl::Seconds(1);

}  // namespace

// It has room that it had not at the last look, and has not begun.
void LineOrder::CheckNewRoom(const std::string& uid, const Job& job) {
  for (const auto& [other, waits] : since_) {
    const bool before = waits.priority > job.spec.priority && waits.topology == job.topology;
    if (other == uid || !before || time_.now() < waits.since + kAnswers) continue;
    throw Broken(fmt::format("{} of priority {} passes {} of priority {}: {}", uid,
                             job.spec.priority, other, waits.priority,
                             service_.Describe(waits.name)));
  }
}

void LineOrder::AfterInput() {
  if (!service_.alive()) return;
  std::map<std::string, Waits> now;
  std::set<std::string> held;
  std::vector<std::string> begun;
  for (const auto& [uid, job] : jobs_.all()) {
    if (job.gated) gated_.insert(uid);
    const std::string name = GroupName(job);
    const std::optional<GroupReport> report = service_.planner().Report(name);
    if (!report) continue;
    if (report->line_place > 0) {
      const auto before = since_.find(uid);
      const bool stood = before != since_.end() && before->second.priority == report->priority;
      now[uid] = {stood ? before->second.since : time_.now(), report->priority, name, job.topology};
    }
    const auto& slots = report->slots;
    const bool has = std::any_of(slots.begin(), slots.end(),
                                 [](const auto& slot) { return !slot.node.empty(); });
    if (!has) continue;
    held.insert(name);
    // Who runs has its lost members placed anew.
    const bool begins =
        report->state == GroupState::kGathering || report->state == GroupState::kPlanned;
    if (begins && !held_.contains(name) && !gated_.contains(uid)) begun.push_back(uid);
  }
  since_ = std::move(now);
  held_ = std::move(held);
  for (const std::string& uid : begun) CheckNewRoom(uid, jobs_.all().at(uid));
}

}  // namespace gangplan::simulation
