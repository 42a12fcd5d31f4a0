#include "tests/simulation/promises.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

// From the last pod's end until the planner has seen it and asked the first one.
constexpr absl::Duration kSeen = absl::Seconds(10);
// Of the first in line: whoever is in its way has got all its pods, has run and has been seen to
// end. See RandomJob.
const absl::Duration kTurn = absl::Seconds(8 * 4 + 200) + kSeen;

}  // namespace

void Promises::AfterInput() {
  if (!service_.alive()) return;
  std::map<std::string, absl::Time> promised;
  for (const auto& [uid, job] : jobs_.all()) {
    const std::optional<GroupReport> report = service_.planner().Report(GroupName(job));
    if (by_age_ && report) CheckBound(uid, job, *report);
    if (!report || report->line_place != 1) continue;
    const auto told = promised_.find(uid);
    if (told != promised_.end()) {
      promised.insert(*told);
      if (report->expected_by && *report->expected_by > told->second + kSeen) {
        throw Broken(fmt::format("{} is promised room {} later than before: {}", uid,
                                 absl::FormatDuration(*report->expected_by - told->second),
                                 report->reservation));
      }
    } else if (report->expected_by) {
      promised.emplace(uid, *report->expected_by);
    }
  }
  promised_ = std::move(promised);
  for (const auto& [uid, by] : promised_) {
    if (time_.now() <= by + kSeen) continue;
    throw Broken(fmt::format("{} was promised room {} ago, and has none: {}", uid,
                             absl::FormatDuration(time_.now() - by),
                             service_.Describe(GroupName(jobs_.all().at(uid)))));
  }
}

void Promises::CheckBound(const std::string& uid, const Job& job, const GroupReport& report) {
  if (report.state != GroupState::kBlocked) turns_.erase(uid);
  if (report.line_place == 0) return;
  Turns& turns = turns_.try_emplace(uid, Turns{time_.now()}).first->second;
  turns.most = std::max(turns.most, report.line_place);
  if (time_.now() <= turns.since + turns.most * kTurn) return;
  throw Broken(fmt::format("{} has waited for longer than its turns in line: {}", uid,
                           service_.Describe(GroupName(job))));
}

}  // namespace gangplan::simulation
