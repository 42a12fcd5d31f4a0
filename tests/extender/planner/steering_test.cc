// Where pods of no gang break the least: the scores of `prioritize`.
#include "extender/planner/steering.h"

#include "extender/planner/limits.h"
#include "tests/extender/planner/line_world.h"
#include "tests/support/catch.h"

namespace gangplan::steering_test {
namespace {

// Two racks of three nodes, and a gang that runs on two nodes of b0-r0.
struct SteeredWorld : LineWorld {
  explicit SteeredWorld(int racks = 2)
      : LineWorld(MakeNodes(1, racks, 3), With(QueueMode::kGreedy)) {
    Start(runs);
    REQUIRE(RackOf(runs) == "b0-r0");
  }
  // When all needs have been taken up, one after the other.
  std::vector<int32_t> Score(const std::vector<std::string>& names, int64_t gpus = 1) {
    const PodFacts pod = ForeignPod("lone", gpus);
    const Offer offer(names.begin(), names.end());
    for (int i = 0; i < 20; ++i) {
      planner().Prioritize(now(), pod, offer);
      Pass(absl::Seconds(1));
    }
    return planner().Prioritize(now(), pod, offer);
  }
  // Of a node of each rack.
  std::vector<int32_t> Racks(int64_t gpus = 1) {
    return Score({NodeNameAt(0, 0, 2), NodeNameAt(0, 1, 2)}, gpus);
  }
  JobSpec runs = RackGang("runs", 2);
};

using Scores = std::vector<int32_t>;

TEST_CASE(
    "steering: a rack that has no room for another such gang is best, and there a used node") {
  SteeredWorld world;
  // The other rack has a node to spare for one more gang of two; either node could take a member.
  CHECK(world.Racks() == Scores{5, 2});
  CHECK(world.Racks(0) == Scores{7, 5});  // takes nothing
  world.Foreign("there", 8, NodeNameAt(0, 1, 0));
  CHECK(world.Racks() == Scores{5, 0});  // it would break it now
  world.Foreign("there-too", 8, NodeNameAt(0, 1, 1));
  CHECK(world.Racks() == Scores{5, 5});
  world.Foreign("part", 1, NodeNameAt(0, 1, 2));
  CHECK(world.Racks() == Scores{5, 10});
}

TEST_CASE("steering: a node that is of no use to such a gang costs nothing") {
  SteeredWorld world;
  world.Foreign("part", 1, NodeNameAt(0, 1, 1));
  CHECK(world.Score({NodeNameAt(0, 1, 1), NodeNameAt(0, 1, 2)}) == Scores{7, 0});
  world.Foreign("full", 8, NodeNameAt(0, 1, 0));
  CHECK(world.Score({NodeNameAt(0, 1, 1), NodeNameAt(0, 1, 2)}) == Scores{10, 5});
}

TEST_CASE("steering: several needs are weighed alike, those that wait too") {
  SteeredWorld world;
  JobSpec waits = RackGang("waits", 3);
  world.Foreign("part", 1, NodeNameAt(0, 0, 2));
  world.Foreign("other", 1, NodeNameAt(0, 1, 2));
  world.Come(waits);
  REQUIRE_FALSE(world.HasRoom(waits));
  // Both are too full for "waits"; one more of "runs" has just room beside the part of a node.
  CHECK(world.Score({NodeNameAt(0, 0, 2), NodeNameAt(0, 1, 2), NodeNameAt(0, 1, 1)}) ==
        Scores{10, 8, 3});
  world.Delete(JobPod(waits, 0));
  world.Delete(JobPod(waits, 1));
  world.Delete(JobPod(waits, 2));
  CHECK(world.Score({NodeNameAt(0, 0, 2), NodeNameAt(0, 1, 2), NodeNameAt(0, 1, 1)}) ==
        Scores{10, 7, 0});  // it has gone
}

TEST_CASE("steering: without gangs there is no opinion, and for any gang nodes count") {
  LineWorld world(MakeNodes(1, 2, 3), With(QueueMode::kGreedy));
  const PodFacts pod = ForeignPod("lone", 1);
  const std::string free = NodeNameAt(0, 1, 2), used = NodeNameAt(0, 1, 0);
  CHECK(world.planner().Prioritize(world.now(), pod, {free, used}).empty());
  JobSpec soft = RackGang("soft", 2);
  soft.place = "rack=pack";
  world.Start(soft);
  world.Foreign("part", 1, used);
  world.Pass(absl::Seconds(11));
  CHECK(world.planner().Prioritize(world.now(), pod, {free, used}) == Scores{0, 10});
}

TEST_CASE("steering: members, unknown nodes and lists that are too long") {
  SteeredWorld world;
  const JobSpec comes = RackGang("comes", 2);
  world.Come(comes);
  const std::string node = NodeNameAt(0, 1, 0);
  CHECK(world.planner().Prioritize(world.now(), JobPod(comes, 0), {node}).empty());
  CHECK(world.Score({"nobody", node}).front() == 0);
  CHECK(world.Score({}).empty());
  std::vector<std::string> names(kMaxSteeredNodes, node);
  CHECK(world.Score(names).size() == kMaxSteeredNodes);
  names.push_back(node);
  CHECK(world.Score(names).empty());
}

TEST_CASE("steering: shapes are kept for as long as they are looked at, and no longer") {
  SteeredWorld world;
  CHECK(world.Racks().size() == 2);
  world.End(world.runs);
  CHECK(world.planner().Prioritize(world.now(), ForeignPod("lone", 1), {NodeNameAt(0, 0, 0)}) ==
        Scores{2});  // as it was seen last
  world.Pass(absl::Seconds(11));
  CHECK(world.Racks().empty());
  const JobSpec next = RackGang("next", 2, "", 0, 4);
  world.Start(next);
  world.Pass(absl::Seconds(11));
  CHECK(world.Racks().size() == 2);
}

}  // namespace
}  // namespace gangplan::steering_test
