#include "extender/protocol/sakkara_results.h"

#include <algorithm>
#include <random>

#include "tests/support/catch.h"

namespace gangplan::sakkara_results_test {
namespace {

using Pods = std::vector<SakkaraPlacedPod>;

Pods EightPods() {
  return {{"pod-0", {"rack-0", "node-0"}}, {"pod-4", {"rack-0", "node-0"}},
          {"pod-6", {"rack-0", "node-0"}}, {"pod-1", {"rack-0", "node-2"}},
          {"pod-3", {"rack-0", "node-2"}}, {"pod-7", {"rack-0", "node-2"}},
          {"pod-2", {"rack-1", "node-3"}}, {"pod-5", {"rack-1", "node-5"}}};
}

constexpr std::string_view kEightPods =
    R"({"root":{"rack-0":{"node-0":{"pod-0":{},"pod-4":{},"pod-6":{}},)"
    R"("node-2":{"pod-1":{},"pod-3":{},"pod-7":{}}},)"
    R"("rack-1":{"node-3":{"pod-2":{}},"node-5":{"pod-5":{}}}}})";

TEST_CASE("A placement is nested objects with empty leaves, in any order of the pods") {
  Pods pods = EightPods();
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    CHECK(SakkaraPlacementText(pods) == kEightPods);
    std::shuffle(pods.begin(), pods.end(), random);
  }
}

TEST_CASE("Placements of any depth close what they open") {
  CHECK(SakkaraPlacementText({}) == R"({"root":{}})");
  CHECK(SakkaraPlacementText(Pods{{"p", {"n"}}}) == R"({"root":{"n":{"p":{}}}})");
  CHECK(SakkaraPlacementText(Pods{{"b", {"z", "r", "n"}}, {"a", {"y", "n"}}, {"c", {"z", "n"}}}) ==
        R"({"root":{"y":{"n":{"a":{}}},"z":{"n":{"c":{}},"r":{"n":{"b":{}}}}}})");
  CHECK(SakkaraPlacementText(Pods{{"p", {"r0", "n"}}, {"q", {"r1", "n"}}}) ==
        R"({"root":{"r0":{"n":{"p":{}}},"r1":{"n":{"q":{}}}}})");
}

TEST_CASE("Names in a placement are valid JSON, as Go writes them") {
  CHECK(SakkaraPlacementText(Pods{{"p\"", {"a<b\\", "n\xff"}}}) ==
        R"({"root":{"a\u003cb\\":{"n\ufffd":{"p\"":{}}}}})");
}

TEST_CASE("Ranks are pairs in brackets") {
  CHECK(SakkaraRankText(EightPods()) ==
        "[(pod-0,0) (pod-4,1) (pod-6,2) (pod-1,3) (pod-3,4) (pod-7,5) (pod-2,6) (pod-5,7)]");
  CHECK(SakkaraRankText({}) == "[]");
}

TEST_CASE("Statuses have Sakkara's names") {
  std::string names;
  for (int i = 0; i <= static_cast<int>(SakkaraStatus::kFailed); ++i)
    names += std::string(Name(static_cast<SakkaraStatus>(i))) + " ";
  CHECK(names ==
        "Init Waiting Ready Assigned Scheduled Permitted Bound Preempting Preempted Failed ");
}

absl::Time At(int64_t nanoseconds) {
  return absl::FromUnixSeconds(1'719'932'038) + absl::Nanoseconds(nanoseconds);
}

TEST_CASE("Times are written to the nanosecond, without zeros at the end") {
  CHECK(SakkaraTimeText(At(623'520'000)) == "2024-07-02T14:53:58.62352Z");
  CHECK(SakkaraTimeText(At(1)) == "2024-07-02T14:53:58.000000001Z");
  CHECK(SakkaraTimeText(At(0)) == "2024-07-02T14:53:58Z");
  CHECK(SakkaraTimeText(At(5) + absl::Nanoseconds(0.5)) == "2024-07-02T14:53:58.000000005Z");
}

TEST_CASE("Durations are whole milliseconds") {
  CHECK(SakkaraMilliText(absl::Microseconds(154'213)) == "154");
  CHECK(SakkaraMilliText(absl::Microseconds(999)) == "0");
  CHECK(SakkaraMilliText(absl::Microseconds(-5'000)) == "0");
}

constexpr std::nullopt_t kRemoved = std::nullopt;

SakkaraGroupResults Bound() {
  SakkaraGroupResults results;
  results.status = SakkaraStatus::kBound;
  results.by_rank = {{"m", {"r", "n"}}, {"w", {"r", "n"}}};
  results.begin = At(623'520'000);
  results.end = At(777'733'000);
  results.solver_time = absl::Microseconds(300);
  return results;
}

TEST_CASE("The data of a bound group are everything but the preemptor") {
  CHECK(SakkaraGroupData(Bound()) ==
        LabelPatch{{"placement", R"({"root":{"r":{"n":{"m":{},"w":{}}}}})"},
                   {"preemptor", kRemoved},
                   {"rank", "[(m,0) (w,1)]"},
                   {"schedBeginTime", "2024-07-02T14:53:58.62352Z"},
                   {"schedEndTime", "2024-07-02T14:53:58.777733Z"},
                   {"schedSolverTimeMilli", "0"},
                   {"schedTotalTimeMilli", "154"},
                   {"status", "Bound"}});
}

TEST_CASE("The data of a bound group tell how its nodes lie in the tree") {
  SakkaraGroupResults results = Bound();
  results.distance = 4;
  results.levels = {{"zone", 1}, {"rack", 2}};
  results.quality = "no plan is better";
  LabelPatch own = SakkaraGroupData(results);
  std::erase_if(own, [](const auto& one) { return !one.first.starts_with("placement"); });
  own.erase(own.begin());
  CHECK(own == LabelPatch{{"placementDistance", "4"},
                          {"placementGap", "no plan is better"},
                          {"placementLevels", R"({"zone":1,"rack":2})"}});
}

TEST_CASE("What is not known of a bound group's times stays as it is") {
  const auto keys = [](const SakkaraGroupResults& results) {
    std::vector<std::string> times;
    for (const auto& [key, value] : SakkaraGroupData(results)) {
      if (key.starts_with("sched")) times.push_back(key);
    }
    return times;
  };
  using Keys = std::vector<std::string>;
  SakkaraGroupResults results = Bound();
  results.begin.reset();
  CHECK(keys(results) == Keys{"schedEndTime", "schedSolverTimeMilli"});
  results.end.reset();
  results.solver_time.reset();
  CHECK(keys(results).empty());
  results.begin = At(0);
  CHECK(keys(results) == Keys{"schedBeginTime"});
}

TEST_CASE("The data of a group that is not bound have no times, whatever is known") {
  for (SakkaraStatus status :
       {SakkaraStatus::kWaiting, SakkaraStatus::kReady, SakkaraStatus::kAssigned,
        SakkaraStatus::kPermitted, SakkaraStatus::kPreempting, SakkaraStatus::kPreempted,
        SakkaraStatus::kFailed}) {
    SakkaraGroupResults results = Bound();
    results.status = status;
    results.by_rank.clear();
    results.preemptor = "group-b";
    CHECK(SakkaraGroupData(results) == LabelPatch{{"placement", kRemoved},
                                                  {"placementDistance", kRemoved},
                                                  {"placementGap", kRemoved},
                                                  {"placementLevels", kRemoved},
                                                  {"preemptor", "group-b"},
                                                  {"rank", kRemoved},
                                                  {"schedBeginTime", kRemoved},
                                                  {"schedEndTime", kRemoved},
                                                  {"schedSolverTimeMilli", kRemoved},
                                                  {"schedTotalTimeMilli", kRemoved},
                                                  {"status", std::string(Name(status))}});
  }
}

TEST_CASE("A member's labels are its rank, retries and status") {
  SakkaraMemberResults results;
  CHECK(SakkaraMemberLabels(results) == LabelPatch{{"sakkara.member.rank", kRemoved},
                                                   {"sakkara.member.retries", "0"},
                                                   {"sakkara.member.status", "Init"}});
  results = {SakkaraStatus::kBound, 1, 2};
  CHECK(SakkaraMemberLabels(results) == LabelPatch{{"sakkara.member.rank", "2"},
                                                   {"sakkara.member.retries", "1"},
                                                   {"sakkara.member.status", "Bound"}});
}

}  // namespace
}  // namespace gangplan::sakkara_results_test
