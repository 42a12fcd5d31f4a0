// Gangs for the tests of the aggregated API, and who tells them. For tests only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extender/api/gang_source.h"
#include "fmt/format.h"

namespace gangplan {

inline GroupReport MakeReport(const std::string& ns, const std::string& name, int64_t id) {
  GroupReport report;
  report.id = id;
  report.key = {"Job", ns, name, fmt::format("uid-{}", id)};
  report.name = fmt::format("{}/{}", ns, name);
  report.created = 1'800'000'000 - 3'600;
  report.state = GroupState::kRunning;
  report.size = report.seen = report.bound = 4;
  report.place = "rack=pack!";
  return report;
}

inline GroupReport MakeBlocked(const std::string& ns, const std::string& name, int64_t id) {
  GroupReport report = MakeReport(ns, name, id);
  report.state = GroupState::kBlocked;
  report.road = Road::kGated;
  report.bound = 0;
  report.outcome = Outcome::kWait;
  report.reason = fmt::format(
      "gang {}: 4 members must share one rack; no rack has room for all of them now", report.name);
  return report;
}

class FakeSource : public GangSource {
 public:
  std::string WhyNotReady() override { return not_ready; }
  std::vector<ListedGroup> Listed() override {
    ++lists;
    return groups;
  }
  std::optional<GroupReport> Whole(std::string_view name) override {
    ++wholes;
    for (const ListedGroup& group : groups) {
      if (group.report.name != name) continue;
      GroupReport whole = group.report;
      whole.evidence = whole.bound == 0 ? evidence : "";
      return whole;
    }
    return std::nullopt;
  }
  InfoHandler::Answer Explain(const Asked& asked) override {
    asked_for = fmt::format("{}{}/{}", asked.of_pod ? "pod " : "", asked.ns, asked.name);
    if (asked.id != 0) asked_for += fmt::format(" that is {}", asked.id);
    if (explained) return *explained;
    return {200, fmt::format("explained: {}\n", asked_for), "text/plain; charset=utf-8"};
  }
  InfoHandler::Answer Info(const std::string& path) override {
    asked_for = path;
    if (path.find("none") != std::string::npos) return {404, R"({"error":"no"})"};
    return {200, fmt::format("\"{}\"", path)};
  }

  std::vector<ListedGroup> groups;
  std::string not_ready;
  std::string evidence = "  rack: most room now in b0/r1: 3, 1 short\n  node: most room now";
  std::optional<InfoHandler::Answer> explained;
  std::string asked_for;
  int lists = 0;
  int wholes = 0;
};

}  // namespace gangplan
