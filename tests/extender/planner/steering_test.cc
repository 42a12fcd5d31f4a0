// Where pods of no gang break the least: the scores of `prioritize`.
#include "extender/planner/steering.h"

#include "extender/planner/limits.h"
#include "tests/extender/planner/line_world.h"
#include "tests/support/catch.h"

namespace gangplan {
namespace {

// Two racks of three nodes, and a gang that runs on two nodes of b0-r0.
struct SteeredWorld : LineWorld {
  explicit SteeredWorld(int racks = 2)
      : LineWorld(MakeNodes(1, racks, 3), With(QueueMode::kGreedy)) {
    Start(runs);
    REQUIRE(RackOf(runs) == "b0-r0");
  }
  std::vector<int32_t> Score(const std::vector<std::string>& names, int64_t gpus = 1) {
    const PodFacts pod = ForeignPod("lone", gpus);
    return planner().Prioritize(now(), pod, Offer(names.begin(), names.end()));
  }
  // Of a node of each rack.
  std::vector<int32_t> Racks(int64_t gpus = 1) {
    return Score({NodeNameAt(0, 0, 2), NodeNameAt(0, 1, 2)}, gpus);
  }
  JobSpec runs = RackGang("runs", 2);
};

using Scores = std::vector<int32_t>;

TEST_CASE("steering: a rack that has no room for another such gang is best") {
  SteeredWorld world;
  // The other rack has a node to spare for one more gang of two.
  CHECK(world.Racks() == Scores{10, 5});
  world.Foreign("there", 8, NodeNameAt(0, 1, 0));
  CHECK(world.Racks() == Scores{10, 0});  // it would break it now
  CHECK(world.Racks(0) == Scores{10, 5});
  world.Foreign("there-too", 8, NodeNameAt(0, 1, 1));
  CHECK(world.Racks() == Scores{10, 10});
}

TEST_CASE("steering: a node that is of no use to such a gang costs nothing") {
  SteeredWorld world;
  world.Foreign("full", 8, NodeNameAt(0, 1, 0));
  world.Foreign("part", 1, NodeNameAt(0, 1, 1));
  CHECK(world.Score({NodeNameAt(0, 1, 1), NodeNameAt(0, 1, 2)}) == Scores{10, 10});
  SteeredWorld other;
  other.Foreign("part", 1, NodeNameAt(0, 1, 1));
  CHECK(other.Score({NodeNameAt(0, 1, 1), NodeNameAt(0, 1, 2)}) == Scores{5, 0});
}

TEST_CASE("steering: several needs are weighed alike, those that wait too") {
  SteeredWorld world;
  const JobSpec wide = RackGang("wide", 3);
  world.Come(wide);
  REQUIRE(world.RackOf(wide) == "b0-r1");
  world.End(wide);
  world.Pass(absl::Seconds(11));
  CHECK(world.Racks() == Scores{10, 5});  // it has gone
  JobSpec waits = RackGang("waits", 3);
  waits.place = "rack=pack!; node=spread!";
  world.Foreign("part", 1, NodeNameAt(0, 0, 2));
  world.Foreign("other", 1, NodeNameAt(0, 1, 2));
  world.Come(waits);
  REQUIRE_FALSE(world.HasRoom(waits));
  world.Pass(absl::Seconds(11));
  world.Racks();  // one more need at a time
  world.Pass(absl::Seconds(1));
  // Both are too full for "waits"; one more of "runs" has just room beside the part of a node.
  CHECK(world.Score({NodeNameAt(0, 0, 2), NodeNameAt(0, 1, 2), NodeNameAt(0, 1, 1)}) ==
        Scores{10, 7, 5});
}

TEST_CASE("steering: there is no opinion where nothing is to be kept whole") {
  LineWorld world(MakeNodes(1, 2, 3), With(QueueMode::kGreedy));
  const PodFacts pod = ForeignPod("lone", 1);
  const std::string node = NodeNameAt(0, 0, 0);
  CHECK(world.planner().Prioritize(world.now(), pod, {node}).empty());
  JobSpec soft = RackGang("soft", 2);
  soft.place = "rack=pack";
  world.Start(soft);
  world.Pass(absl::Seconds(11));
  CHECK(world.planner().Prioritize(world.now(), pod, {node}).empty());
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
  CHECK(world.Racks() == Scores{5, 5});  // as it was seen last
  world.Pass(absl::Seconds(11));
  CHECK(world.Racks().empty());
  const JobSpec next = RackGang("next", 2, "", 0, 4);
  world.Start(next);
  world.Pass(absl::Seconds(11));
  CHECK(world.Racks().size() == 2);
}

}  // namespace
}  // namespace gangplan
