#include "extender/frontends/gangplan/runtime.h"

#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"

namespace gangplan::runtime_test {
namespace {

PodFacts PodThatRuns(std::string_view word, int64_t limit = 0) {
  PodFacts pod;
  pod.run = {0, limit, 10};
  if (!word.empty()) SetWord(pod.annotations, kRuntimeWord, word);
  return pod;
}

OwnerFacts OwnerThatSays(std::string_view word, int64_t deadline = 0) {
  OwnerFacts owner;
  owner.deadline = deadline;
  if (!word.empty()) SetWord(owner.annotations, kRuntimeWord, word);
  return owner;
}

}  // namespace

TEST_CASE("Runtime: the least that was told, and the time to stop") {
  CHECK(RoomTaken(PodThatRuns(""), nullptr) == 0);
  CHECK(RoomTaken(PodThatRuns("1m"), nullptr) == 70);
  CHECK(RoomTaken(PodThatRuns("1m", 50), nullptr) == 60);
  CHECK(RoomTaken(PodThatRuns("1m", 90), nullptr) == 70);
  CHECK(RoomTaken(PodThatRuns("1500ms"), nullptr) == 12);
  const OwnerFacts owner = OwnerThatSays("40s", 30);
  CHECK(RoomTaken(PodThatRuns(""), &owner) == 40);
  CHECK(RoomTaken(PodThatRuns("20s"), &owner) == 30);
  const OwnerFacts endless = OwnerThatSays("40s");
  CHECK(RoomTaken(PodThatRuns("1h"), &endless) == 3'610);  // its own word counts before
}

TEST_CASE("Runtime: of a JobSet's pod the deadline is that of its replicated Job") {
  OwnerFacts owner = OwnerThatSays("", 5);
  owner.pod_sets = {{"driver", 1, 1, {}, {}, 0}, {"workers", 2, 4, {}, {}, 100}};
  PodFacts pod = PodThatRuns("");
  pod.labels = {{"jobset.sigs.k8s.io/replicatedjob-name", "workers"}};
  CHECK(RoomTaken(pod, &owner) == 110);
  pod.labels.front().second = "driver";
  CHECK(RoomTaken(pod, &owner) == 0);
}

TEST_CASE("Runtime: a word that is no time is told, wherever it stands, and counts for nothing") {
  for (std::string_view bad : {"soon", "0s", "-1h", "10", ""}) {
    INFO(bad);
    PodFacts pod;
    SetWord(pod.annotations, kRuntimeWord, bad);
    CHECK(Message(CheckRuntime(pod, nullptr)) ==
          fmt::format("gangplan.io/runtime: \"{}\" is no time; expected one such as 90m or 12h",
                      bad));
    CHECK(RoomTaken(pod, nullptr) == 0);
  }
  const OwnerFacts owner = OwnerThatSays("soon");
  CHECK_FALSE(CheckRuntime(PodThatRuns(""), &owner).ok());
  CHECK(CheckRuntime(PodThatRuns("1h"), &owner).ok());
  const std::string most = fmt::format("{}s", kMaxRunSeconds);
  CHECK(CheckRuntime(PodThatRuns(most), nullptr).ok());
  CHECK_FALSE(CheckRuntime(PodThatRuns(fmt::format("{}s", kMaxRunSeconds + 1)), nullptr).ok());
}

}  // namespace gangplan::runtime_test
