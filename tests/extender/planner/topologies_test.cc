// Several topologies in one planner: each gang has the room of its own alone, and waits for that.
#include <algorithm>
#include <random>

#include "tests/extender/planner/topologies_world.h"

namespace gangplan::topologies_test {
namespace {

using Names = std::vector<std::string>;
using World = TopologiesWorld;

TEST_CASE("Topologies: a gang goes to the nodes of its own, by its own levels") {
  World world;
  world.Run({.name = "racked", .size = 2, .gpus = 8, .place = "rack=pack!"});
  world.Run(InRings("ringed", 2));
  CHECK(world.Nodes("team/racked") == Names{"b0-r0-n0", "b0-r0-n1"});
  CHECK(world.Nodes("team/ringed") == Names{"x-0", "x-1"});
  CHECK(world.Report("team/ringed").in_topology == "rings");
  CHECK(world.Report("team/ringed").shape->domain == "x");
  CHECK(world.Report("team/racked").shape->domain == "b0/r0");
}

TEST_CASE("Topologies: what is free elsewhere is no room, and coming free there wakes nobody") {
  World world;
  world.Run(InRings("first", 2));
  world.Run(InRings("second", 2));
  const JobSpec third = InRings("third", 2);
  world.ShowJob(third, 0, 2);
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/third") == "Blocked");
  CHECK(world.Report("team/third").outcome == Outcome::kWait);
  // Racks of two are free, and a pod there goes.
  const PodFacts lone = ForeignPod("lone", 8);
  world.ShowBound(lone, "b0-r0-n0");
  world.Delete(lone);
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/third") == "Blocked");
  for (int i : {0, 1}) world.ShowFinished(JobPod(InRings("first", 2), i), fmt::format("x-{}", i));
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/third") == Names{"x-0", "x-1"});
}

TEST_CASE("Topologies: a gang that fits in neither is told so of its own") {
  World world;
  JobSpec large = InRings("large", 3);
  world.ShowJob(large, 0, 3);
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/large").outcome == Outcome::kImpossible);
  CHECK(world.Report("team/large").reason.find("ring") != std::string::npos);
}

TEST_CASE("Topologies: an unknown one keeps the gang waiting, and all that there are are told") {
  World world;
  JobSpec job{.size = 1, .place = "rack=pack!", .words = {{"gangplan.io/topology", "tori"}}};
  world.ShowJob(job, 0, 1);
  world.Pass(absl::Seconds(1));
  CHECK(world.Refusal(JobPod(job, 0))
            .find("there is no topology \"tori\", only \"racks\" and \"rings\"") !=
        std::string::npos);
}

TEST_CASE("Topologies: the node selector chooses where it lets a pod go to one alone") {
  World world;
  const JobSpec job{.name = "told", .size = 2, .gpus = 8, .place = "ring=pack!"};
  world.Register(job);
  for (int i : {0, 1}) {
    PodFacts pod = JobPod(job, i);
    pod.filter.node_selector = {{kPool, "rings"}};
    world.Show(pod);
  }
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/told") == Names{"x-0", "x-1"});
}

TEST_CASE("Topologies: members that choose others than their gang are told so") {
  World world;
  const JobSpec job{.name = "split", .size = 2, .gpus = 8, .place = "node=pack"};
  world.Register(job);
  world.Show(JobPod(job, 0));
  PodFacts other = JobPod(job, 1);
  SetWord(other.annotations, "gangplan.io/topology", "rings");
  world.Show(other);
  world.Pass(absl::Seconds(1));
  CHECK(world.Refusal(other).find("goes to topology rings where the group goes to racks") !=
        std::string::npos);
}

TEST_CASE("Topologies: a pod of no gang goes to any node, but for room that is held") {
  World world;
  world.ShowJob(InRings("ringed", 2), 0, 2);
  world.Pass(absl::Seconds(1));
  const FilterDecision decision = world.Filter(ForeignPod("lone", 1));
  CHECK(decision.error.empty());
  CHECK(decision.passed == std::vector<int32_t>{0, 1, 2, 3, 6, 7, 8});
  CHECK(decision.rejected == std::vector<int32_t>{4, 5});
}

TEST_CASE("Topologies: who waits in one keeps nobody off another") {
  PlannerOptions options = RacksAndRings();
  options.queue_mode = QueueMode::kStrict;
  World world(std::move(options));
  world.Run(InRings("first", 2));
  world.Run(InRings("second", 2));
  world.ShowJob(InRings("third", 2), 0, 2);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.StateOf("team/third") == "Blocked");
  CHECK(world.Report("team/third").line_place == 1);
  world.Run({.name = "racked", .size = 2, .gpus = 8, .place = "rack=pack!"});
  world.ShowJob({.name = "more", .size = 4, .gpus = 8, .place = "block=pack!"}, 0, 4);
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/more").line_place == 1);
  CHECK(world.Report("team/more").line_length == 1);
}

TEST_CASE("Topologies: a node that comes to another one is lost to the gangs of its own") {
  World world;
  const JobSpec held{.name = "held", .size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(held, 0, 2);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Nodes("team/held") == Names{"b0-r0-n0", "b0-r0-n1"});
  NodeFacts moved = RackNode(0, 1);
  SetLabel(moved.labels, kPool, "rings");
  SetLabel(moved.labels, "example.com/ring", "y");
  world.Put(moved);
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/held") == Names{"b0-r1-n0", "b0-r1-n1"});
  world.Run(InRings("three", 3));  // in the ring that it came to
  CHECK(world.Nodes("team/three") == Names{"b0-r0-n1", "y-0", "y-1"});
}

TEST_CASE("Topologies: what runs on a node that leaves its topology stays, and is told") {
  World world;
  world.Run(InRings("ringed", 2));
  world.ForgetEffects();
  NodeFacts moved = RingNode("x", 1);
  SetLabel(moved.labels, kPool, "none");
  world.Put(moved);
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/ringed") == "Running");
  std::string told;
  for (const EventNote& note : world.Take<EventNote>()) {
    if (note.reason == "NodesLeft") told = note.note;
  }
  CHECK(told ==
        "gang team/ringed of 2: 1 of its pods run on nodes that are not topology rings's any more: "
        "x-1 (of none now); they stay there, and what is made anew of the gang goes to topology "
        "rings's nodes");
}

TEST_CASE("Topologies: a restart finds the gangs of both where they are") {
  World world;
  const JobSpec jobs[] = {{.name = "racked", .size = 2, .gpus = 8, .place = "rack=pack!"},
                          InRings("ringed", 2)};
  for (const JobSpec& job : jobs) world.Run(job);
  const Names racked = world.Nodes("team/racked"), ringed = world.Nodes("team/ringed");
  world.Restart();
  world.AddNodes(AllNodes());
  for (const JobSpec& job : jobs) {
    const Names& nodes = job.name == "racked" ? racked : ringed;
    for (int i : {0, 1}) world.ShowBound(JobPod(job, i), nodes[static_cast<size_t>(i)]);
  }
  world.Sync();
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/racked") == "Running");
  CHECK(world.StateOf("team/ringed") == "Running");
  CHECK(world.Nodes("team/racked") == racked);
  CHECK(world.Nodes("team/ringed") == ringed);
}

TEST_CASE("Topologies: plans do not depend on the order in which nodes and pods come") {
  std::mt19937 random(1);
  std::vector<NodeFacts> nodes = AllNodes();
  std::optional<std::pair<Names, Names>> first;
  for (int round = 0; round < 10; ++round) {
    PlannerWorld world(RacksAndRings());
    std::shuffle(nodes.begin(), nodes.end(), random);
    world.AddNodes(nodes);
    std::vector<JobSpec> jobs = {{.name = "racked", .size = 4, .gpus = 4, .place = "rack=pack!"},
                                 InRings("ringed", 4, 4)};
    std::shuffle(jobs.begin(), jobs.end(), random);
    for (const JobSpec& job : jobs) world.ShowJob(job, 0, job.size);
    world.Sync();
    world.Pass(absl::Seconds(1));
    const std::pair found(world.Nodes("team/racked"), world.Nodes("team/ringed"));
    if (!first) first = found;
    CHECK(found == *first);
  }
}

TEST_CASE("Topologies: other levels of one leave the plans of the other") {
  PlannerOptions options = RacksAndRings();
  options.topologies[1].changes = true;
  World world(std::move(options));
  const JobSpec racked{.name = "racked", .size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(racked, 0, 2);
  world.ShowJob(InRings("ringed", 2), 0, 2);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Report("team/racked").state == GroupState::kPlanned);
  Topology tori = *CompleteTopology({"rings", {{"torus", "example.com/ring"}}});
  CHECK(world.planner().OnTopology(world.now(), tori));
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/racked").state == GroupState::kPlanned);
  CHECK(world.Refusal(JobPod(InRings("ringed", 2), 0)).find("ring") != std::string::npos);
  Topology unknown = tori;
  unknown.name = "racks";  // its levels are configured
  CHECK_FALSE(world.planner().OnTopology(world.now(), unknown));
}

}  // namespace
}  // namespace gangplan::topologies_test
