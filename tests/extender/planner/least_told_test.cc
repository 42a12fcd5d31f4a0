// Gangs whose pods tell how many of them start at least (Koordinator's): nobody else is asked.
#include "extender/cluster/annotations.h"
#include "fmt/format.h"
#include "tests/extender/planner/several_world.h"

namespace gangplan::least_told_test {
namespace {

std::vector<PodFacts> Gang(int first, int last, std::string_view least = "2") {
  std::vector<PodFacts> pods;
  for (int i = first; i < last; ++i) {
    PodFacts pod = ForeignPod(fmt::format("ring-{}", i), 8);
    SetWord(pod.annotations, "gang.scheduling.koordinator.sh/name", "ring");
    SetWord(pod.annotations, "gang.scheduling.koordinator.sh/min-available", least);
    SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
    pods.push_back(std::move(pod));
  }
  return pods;
}

}  // namespace

TEST_CASE("Least told: so many start together, and the rest joins them in their rack") {
  RacksWorld world(6);
  world.Show(Gang(0, 1)[0]);
  REQUIRE(Try(world, Gang(0, 1)[0]));
  CHECK(world.BindAll() == 0);
  world.Run(Gang(0, 2));
  CHECK(world.StateOf("team/ring") == "Running");
  world.Run(Gang(2, 5));
  CHECK(world.Report("team/ring").bound == 5);
  for (const std::string& node : world.Nodes("team/ring"))
    CHECK(RackOf(node) == RackOf(world.Nodes("team/ring")[0]));
}

TEST_CASE("Least told: all that are there before it starts wait for the least number alone") {
  RacksWorld world(3);
  for (const PodFacts& pod : Gang(0, 5)) world.Show(pod);
  world.Run(Gang(0, 2));
  world.Run(Gang(2, 3));
  CHECK_FALSE(Try(world, Gang(3, 4)[0]));  // the rack is full
  CHECK(world.Report("team/ring").bound == 3);
}

TEST_CASE("Least told: who leaves is not missed, and another number is told") {
  RacksWorld world(6);
  world.Run(Gang(0, 2));
  world.Run(Gang(2, 4));
  world.Delete(Gang(0, 1)[0]);
  CHECK(world.StateOf("team/ring") == "Running");
  CHECK(world.Report("team/ring").size == 3);
  for (const auto& [index, other] : {std::pair(7, "3"), {8, "4"}}) {
    const PodFacts pod = Gang(index, index + 1, other)[0];
    world.Show(pod);
    CHECK(world.Refusal(pod).find("asks for at least ") != std::string::npos);
  }
  CHECK(world.Report("team/ring").bound == 3);
  world.Run(Gang(5, 6));
}

TEST_CASE("Least told: a gang that has grown is found again after a restart") {
  RacksWorld world(6);
  world.Run(Gang(0, 2));
  world.Run(Gang(2, 5));
  std::vector<PodFacts> pods = Gang(0, 5);
  const std::vector<std::string> nodes = world.Nodes("team/ring");
  for (size_t i = 0; i < pods.size(); ++i) {
    pods[i].node_name = nodes[i];
    SetWord(pods[i].annotations, kAssignedRankAnnotation, fmt::format("{}", i));
    SetWord(pods[i].annotations, kPlanAnnotation, "ring.1");
  }
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 6));
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Sync();
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/ring") == "Running");
  CHECK(world.Report("team/ring").bound == 5);
  world.Run(Gang(5, 6));
}

// Their names do not sort as their ranks do.
TEST_CASE("Least told: a gang is found again by its ranks, whoever is shown first") {
  std::vector<PodFacts> pods = Gang(0, 12);
  std::vector<std::string> nodes;
  for (size_t i = 0; i < pods.size(); ++i) {
    nodes.push_back(fmt::format("b0-r0-n{}", i));
    pods[i].node_name = nodes.back();
    SetWord(pods[i].annotations, kAssignedRankAnnotation, fmt::format("{}", i));
    SetWord(pods[i].annotations, kPlanAnnotation, "ring.1");
  }
  std::sort(pods.begin(), pods.end(),
            [](const PodFacts& a, const PodFacts& b) { return a.name < b.name; });
  RacksWorld world(12);
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 12));
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Sync();
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/ring") == nodes);
  // Whose ranks are forged gets no more slots than there are about as many pods.
  PodFacts forged = pods[0];
  forged.name = forged.uid = "forged";
  SetWord(forged.annotations, kAssignedRankAnnotation, "40000");
  world.Show(forged);
  CHECK(world.Report("team/ring").size == 13);
}

}  // namespace gangplan::least_told_test
