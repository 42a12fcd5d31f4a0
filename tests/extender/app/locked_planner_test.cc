#include "extender/app/locked_planner.h"

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "config/settings.h"
#include "extender/app/planner_options.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/base/clock.h"

namespace gangplan::locked_planner_test {
namespace {

struct World {
  Metrics metrics;
  std::vector<Effects> carried;
  int left_work = 0;  // turns that did so
  LockedPlanner planner{PlannerOptionsFrom(Settings(), metrics, SystemClock()), metrics,
                        [this](Effects effects) { Carry(std::move(effects)); },
                        [this] { ++left_work; }};

  // Asking again would never end if the lock were still held.
  void Carry(Effects effects) {
    CHECK(planner.Take(TurnFor::kCommit, [](Planner& p) { return p.synced(); }));
    carried.push_back(std::move(effects));
  }
  bool Counts(std::string_view line) { return metrics.Text().find(line) != std::string::npos; }
};

PodFacts PodOfOwner() {
  PodFacts pod;
  pod.ns = "a";
  pod.name = pod.uid = "p";
  pod.scheduler_name = "gangplan";
  pod.requests = {{"pods", 1}};
  pod.controller = OwnerRef{"batch/v1", "Job", "j", "u"};
  return pod;
}

TEST_CASE("What a turn asks for is carried out after it, by the time it returns") {
  World world;
  const absl::Time now = absl::FromUnixSeconds(1'000'000);
  const int answer = world.planner.Take(TurnFor::kEvents, [&](Planner& planner) {
    planner.OnPod(now, PodOfOwner());
    planner.OnSynced(now);
    CHECK(world.carried.empty());
    return 7;
  });
  CHECK(answer == 7);
  REQUIRE(world.carried.size() == 1);
  CHECK(std::holds_alternative<OwnerRead>(world.carried[0].at(0)));
}

TEST_CASE("Each turn is counted under its kind with the CPU time it took") {
  World world;
  const auto burn = [](Planner&) {
    const absl::Duration end = ThreadCpuTime() + absl::Milliseconds(6);
    while (ThreadCpuTime() < end) {
    }
  };
  world.planner.Take(TurnFor::kFilter, [](Planner&) {});
  world.planner.Take(TurnFor::kFilter, burn);
  world.planner.Take(TurnFor::kTick, [](Planner&) {});
  CHECK(world.Counts("gangplan_lock_seconds_count{call=\"filter\"} 2"));
  CHECK(world.Counts("gangplan_lock_seconds_bucket{call=\"filter\",le=\"0.005\"} 1"));
  CHECK(world.Counts("gangplan_lock_seconds_count{call=\"tick\"} 1"));
}

TEST_CASE("A turn that leaves work for the next tick says so, and a tick does not") {
  World world;
  const absl::Time now = absl::FromUnixSeconds(1'000'000);
  world.planner.Take(TurnFor::kEvents, [&](Planner& planner) { planner.OnSynced(now); });
  world.planner.Take(TurnFor::kTick, [&](Planner& planner) {
    planner.SetActive(now, true);
    planner.Tick(now);
  });
  world.left_work = 0;
  world.planner.Take(TurnFor::kEvents, [](Planner&) {});
  CHECK(world.left_work == 0);
  NodeFacts node;
  node.name = "n";
  node.allocatable = {{"pods", 1}};
  const auto add = [&](Planner& planner) { return planner.OnNode(now, node); };
  REQUIRE(world.planner.Take(TurnFor::kEvents, add).ok());
  CHECK(world.left_work == 1);
  node.name = "m";
  REQUIRE(world.planner.Take(TurnFor::kTick, add).ok());
  CHECK(world.left_work == 1);
  world.planner.Take(TurnFor::kTick, [&](Planner& planner) { planner.Tick(now); });
  world.planner.Take(TurnFor::kEvents, [](Planner&) {});
  CHECK(world.left_work == 1);
}

TEST_CASE("Every kind of turn has a name of its own") {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(TurnFor::kReport); ++kind)
    CHECK(names.insert(Name(static_cast<TurnFor>(kind))).second);
  CHECK(Name(TurnFor::kReport) == "report");
}

TEST_CASE("Lock: each kind of turn is measured from the start") {
  const Metrics metrics;
  const std::string text = metrics.Text();
  for (int kind = 0; kind <= static_cast<int>(TurnFor::kReport); ++kind) {
    const std::string_view name = Name(static_cast<TurnFor>(kind));
    INFO(name);
    CHECK(text.find(fmt::format("gangplan_lock_seconds_count{{call=\"{}\"}} 0\n", name)) !=
          std::string::npos);
  }
}

TEST_CASE("Solves: each outcome is counted from the start") {
  const Metrics metrics;
  const std::string text = metrics.Text();
  for (int outcome = 0; outcome <= static_cast<int>(Outcome::kInvalid); ++outcome) {
    const std::string_view name = Name(static_cast<Outcome>(outcome));
    INFO(name);
    CHECK(text.find(fmt::format("gangplan_solves_total{{outcome=\"{}\"}} 0\n", name)) !=
          std::string::npos);
  }
}

}  // namespace
}  // namespace gangplan::locked_planner_test
