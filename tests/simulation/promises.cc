#include "tests/simulation/promises.h"

#include <utility>

#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

// From the last pod's end until the planner has seen it and asked the first one.
constexpr absl::Duration kSeen = absl::Seconds(10);

}  // namespace

void Promises::AfterInput() {
  if (!service_.alive()) return;
  std::map<std::string, absl::Time> promised;
  for (const auto& [uid, job] : jobs_.all()) {
    const std::optional<GroupReport> report = service_.planner().Report(GroupName(job));
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

}  // namespace gangplan::simulation
