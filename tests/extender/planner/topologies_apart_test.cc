// Several topologies in one planner: what is of one of them is no matter of another one's.
#include <algorithm>

#include "extender/frontends/gangplan/words.h"
#include "tests/extender/planner/topologies_world.h"
#include "tests/support/sakkara_world.h"
#include "topology/base/time_text.h"

namespace gangplan::topologies_apart_test {
namespace {

using Names = std::vector<std::string>;
using World = TopologiesWorld;

void Some(World& world, int seconds = 5) {
  for (int i = 0; i < seconds; ++i) world.Pass(absl::Seconds(1));
}

TEST_CASE("Topologies: spare nodes of one are kept whoever waits in another") {
  World world;
  JobSpec kept = InRings("kept", 1);
  SetWord(kept.words, "gangplan.io/spares", "1");
  world.Run(kept);
  Some(world);
  REQUIRE(world.Report("team/kept").spares == "1 of 1 spare nodes are kept: x/x-1");
  for (int rack : {0, 1})
    for (int node : {0, 1})
      world.ShowBound(ForeignPod(fmt::format("on-{}-{}", rack, node), 8),
                      NodeNameAt(0, rack, node));
  world.ShowJob({.name = "greater", .size = 2, .gpus = 8, .place = "rack=pack!", .priority = 10}, 0,
                2);
  Some(world);
  REQUIRE(world.StateOf("team/greater") == "Blocked");
  CHECK(world.Report("team/kept").spares == "1 of 1 spare nodes are kept: x/x-1");
  // Of its own topology it is.
  JobSpec ringed = InRings("ringed", 2);
  ringed.priority = 10;
  world.ShowBound(ForeignPod("on-y", 8), "y-0");
  world.ShowJob(ringed, 0, 2);
  Some(world);
  CHECK(world.Report("team/kept").spares == "0 of 1 spare nodes are kept");
}

// Of the ring x, among the racks by now.
NodeFacts InRacks(int node) {
  NodeFacts moved = RingNode("x", node);
  moved.labels = RackNode(1, 5).labels;
  SetLabel(moved.labels, "kubernetes.io/hostname", moved.name);
  return moved;
}

// The levels come from objects, which place the nodes of the rings anew.
TEST_CASE("Topologies: nodes that are placed elsewhere at once: who waits is told what is so now") {
  PlannerOptions options = RacksAndRings();
  options.topologies[1].changes = true;
  World world(std::move(options));
  world.ShowBound(ForeignPod("lone", 8), "x-0");
  world.ShowBound(ForeignPod("other", 8), "y-0");
  world.ShowJob(InRings("waits", 2), 0, 2);
  Some(world);
  REQUIRE(world.Report("team/waits").outcome == Outcome::kWait);
  std::vector<NodeFacts> moved = {RingNode("x", 1), RingNode("y", 1)};
  SetLabel(moved[0].labels, "example.com/ring", "z0");
  SetLabel(moved[1].labels, "example.com/ring", "z1");
  const Topology rings = *CompleteTopology({"rings", {{"ring", "example.com/ring"}}});
  REQUIRE(world.planner().OnTopology(world.now(), rings, moved));
  Some(world);
  CHECK(world.Report("team/waits").outcome == Outcome::kImpossible);
}

TEST_CASE("Topologies: nodes that leave one: who waits there is told what is so now") {
  World world;
  world.ShowBound(ForeignPod("lone", 8), "x-0");
  world.ShowBound(ForeignPod("other", 8), "y-0");
  world.ShowJob(InRings("waits", 2), 0, 2);
  Some(world);
  REQUIRE(world.Report("team/waits").outcome == Outcome::kWait);
  for (const char* ring : {"x", "y"}) {
    NodeFacts gone = RingNode(ring, 1);
    SetLabel(gone.labels, kPool, "none");
    world.Put(gone);
  }
  Some(world);
  CHECK(world.Report("team/waits").outcome == Outcome::kImpossible);
  world.Put(RingNode("x", 1));
  Some(world);
  CHECK(world.Report("team/waits").outcome == Outcome::kWait);
  world.Put(RingNode("y", 1));
  world.Put(RingNode("x", 2));
  Some(world);
  CHECK(world.Nodes("team/waits") == Names{"x-1", "x-2"});
}

// Pod sets of one gang that are told another topology one after the other.
TEST_CASE("Topologies: a gang of two pod sets that chooses another one goes there") {
  World world;
  JobSpec job{.name = "moves", .size = 2, .gpus = 8, .place = "node=pack", .leader_gpus = 4};
  world.ShowJob(job, 0, 2);
  Some(world);
  REQUIRE(world.Nodes("team/moves")[0].starts_with("b0"));
  SetWord(job.words, "gangplan.io/topology", "rings");
  const bool first = GENERATE(true, false);
  for (int i : {0, 1}) {
    world.Show(JobPod(job, first ? i : 1 - i));
    Some(world, 1);
  }
  Some(world);
  CHECK(world.Nodes("team/moves")[0].find('-') == 1);
  CHECK(world.Report("team/moves").in_topology == "rings");
  CHECK(world.Report("team/moves").problems.empty());
}

// Which of its pods is wrong does not hang on which of them is heard of first.
TEST_CASE("Topologies: a gang whose pods choose several is told the same after a restart") {
  World world;
  const JobSpec job{.name = "split", .size = 2, .gpus = 8, .place = "node=pack"};
  world.Register(job);
  PodFacts one = JobPod(job, 0), other = JobPod(job, 1);
  SetWord(other.annotations, "gangplan.io/topology", "rings");
  world.Show(one);
  world.Show(other);
  Some(world);
  const GroupReport before = world.Report("team/split");
  world.Restart();
  world.AddNodes(AllNodes());
  world.Show(other);
  world.Show(one);
  world.Sync();
  Some(world);
  CHECK(world.Report("team/split").problems == before.problems);
  CHECK(world.Report("team/split").in_topology == before.in_topology);
}

// In backfill each line has its own reservation; a gang that goes over takes nothing along.
TEST_CASE("Topologies: the first in line of one that chooses another leaves nothing behind") {
  PlannerOptions options = RacksAndRings();
  options.queue_mode = QueueMode::kBackfill;
  World world(std::move(options));
  JobSpec first = InRings("first", 2), second = InRings("second", 2);
  SetWord(first.words, "gangplan.io/runtime", "1h");
  SetWord(second.words, "gangplan.io/runtime", "2h");
  world.Run(first);
  world.Run(second);
  JobSpec waits = InRings("waits", 2);
  world.ShowJob(waits, 0, 2);
  Some(world);
  REQUIRE(world.Report("team/waits").reservation.find("room for 2 is kept in x") !=
          std::string::npos);
  // All racks are taken.
  JobSpec racked{.name = "racked", .size = 4, .gpus = 8, .place = "node=pack"};
  SetWord(racked.words, "gangplan.io/runtime", "3h");
  world.Run(racked);
  SetWord(waits.words, "gangplan.io/topology", "racks");
  waits.place = "rack=pack!";
  for (int i : {0, 1}) world.Show(JobPod(waits, i));
  Some(world);
  const GroupReport report = world.Report("team/waits");
  CHECK(report.in_topology == "racks");
  CHECK(report.line_place == 1);
  CHECK(report.reservation.find("is kept in b0/r0") != std::string::npos);
  // What was kept in the rings is anybody's.
  for (int i : {0, 1}) world.ShowFinished(JobPod(first, i), fmt::format("x-{}", i));
  Some(world);
  world.Run(InRings("next", 2));
  CHECK(world.Nodes("team/next") == Names{"x-0", "x-1"});
}

TEST_CASE("Topologies: room is kept for the first of each line") {
  PlannerOptions options = RacksAndRings();
  options.queue_mode = QueueMode::kBackfill;
  World world(std::move(options));
  for (const char* name : {"a", "b"}) {
    JobSpec ringed = InRings(fmt::format("ring-{}", name), 2);
    JobSpec racked{
        .name = fmt::format("rack-{}", name), .size = 2, .gpus = 8, .place = "rack=pack!"};
    SetWord(ringed.words, "gangplan.io/runtime", *name == 'a' ? "1h" : "2h");
    SetWord(racked.words, "gangplan.io/runtime", *name == 'a' ? "3h" : "4h");
    world.Run(ringed);
    world.Run(racked);
  }
  world.ShowJob(InRings("ring-waits", 2), 0, 2);
  world.ShowJob({.name = "rack-waits", .size = 2, .gpus = 8, .place = "rack=pack!"}, 0, 2);
  Some(world);
  CHECK(world.Report("team/ring-waits").reservation.find("is kept in x") != std::string::npos);
  CHECK(world.Report("team/rack-waits").reservation.find("is kept in b0/r0") != std::string::npos);
  for (int i : {0, 1}) world.ShowFinished(JobPod(InRings("ring-a", 2), i), fmt::format("x-{}", i));
  Some(world);
  CHECK(world.Nodes("team/ring-waits") == Names{"x-0", "x-1"});
  CHECK(world.Report("team/rack-waits").line_place == 1);
}

// One of its nodes is of the racks by now, and a pod is made anew.
TEST_CASE("Topologies: a gang that runs in part on nodes of another one is repaired in its own") {
  World world;
  JobSpec job = InRings("all", 4);
  job.place = GENERATE("node=pack", "ring=pack");
  world.Run(job);
  const Names before = world.Nodes("team/all");
  world.Put(InRacks(1));
  Some(world);
  const auto on = [&](std::string_view node) {
    return static_cast<int>(std::find(before.begin(), before.end(), node) - before.begin());
  };
  const int lost = on("y-1");
  world.Delete(JobPod(job, lost));
  world.Show(JobPod(job, lost, 1));
  Some(world);
  CHECK(world.Nodes("team/all")[static_cast<size_t>(lost)] == "y-1");
  CHECK(world.StateOf("team/all") != "Blocked");
}

TEST_CASE(
    "Topologies: a reservation whose node goes to another one is found elsewhere in its own") {
  World world;
  ConfigMapFacts object;
  object.ns = "gangplan";
  object.name = object.uid = "evening";
  object.labels = {{std::string(kReservationWord), "true"}};
  for (const auto& [key, value] : LabelSet{{"from", UtcText(world.now() + absl::Seconds(1))},
                                           {"until", UtcText(world.now() + absl::Hours(1))},
                                           {"count", "2"},
                                           {"requests", "example.com/gpu=8"},
                                           {"namespaces", "team"},
                                           {"place", "ring=pack!"},
                                           {"topology", "rings"}})
    SetLabel(object.data, key, value);
  world.planner().OnReservation(world.now(), object, true);
  Some(world);
  REQUIRE(world.planner().ListReservations().at(0).domain == "x");
  world.Put(InRacks(1));
  Some(world, 60);
  CHECK(world.planner().ListReservations().at(0).domain == "y");
  CHECK(world.HoldCount() == 2);
}

// Bindings are on their way when the node leaves.
TEST_CASE("Topologies: what lands on a node that has left is told, and stays") {
  World world;
  const JobSpec job = InRings("lands", 2);
  world.ShowJob(job, 0, 2);
  for (int i : {0, 1}) {
    const std::string node = world.Passed(JobPod(job, i));
    REQUIRE(world.Bind(JobPod(job, i), node).decision.held);
  }
  const auto writes = world.Take<BindingWrite>();
  REQUIRE(writes.size() == 2);
  world.Put(InRacks(1));
  Some(world);
  world.ForgetEffects();
  const bool answered = GENERATE(true, false);  // before the watch shows it
  for (const BindingWrite& write : writes) {
    if (answered) world.Settle(write, BindOutcome::kBound);
  }
  for (int i : {0, 1}) world.ShowBound(JobPod(job, i), fmt::format("x-{}", i));
  Some(world);
  CHECK(world.StateOf("team/lands") == "Running");
  std::vector<std::string> told;
  for (const EventNote& note : world.Take<EventNote>()) {
    if (note.reason == "NodesLeft") told.push_back(note.note);
  }
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("1 of its pods run on nodes that are not topology rings's any more: x-1 (of "
                     "racks now)") != std::string::npos);
}

TEST_CASE("Topologies: a group that a ConfigMap describes goes by the one that its pods name") {
  PlannerOptions options = RacksAndRings();
  options.group_objects = MakeSakkaraGroups;
  World world(std::move(options));
  world.planner().OnGroupObject(world.now(),
                                RingObject("2", R"({"ring":{"type":"pack","hard":true}})"));
  const std::string named = GENERATE("rings", "tori");
  for (const char* name : {"one", "two"}) {
    PodFacts pod = RingPod(name, 8);
    SetWord(pod.annotations, kTopologyWord, named);
    world.Show(pod);
  }
  Some(world);
  if (named == "rings") {
    CHECK(world.Nodes("team/ring") == Names{"x-0", "x-1"});
    CHECK(world.Report("team/ring").place == "ring=pack!");
  } else {
    PodFacts pod = RingPod("one", 8);
    SetWord(pod.annotations, kTopologyWord, named);
    CHECK(world.Refusal(pod).find("there is no topology \"tori\"") != std::string::npos);
  }
}

// Of this namespace.
void ComeTo(World& world, const std::string& ns, const JobSpec& job, int64_t created) {
  OwnerFacts owner = JobOwner(job);
  owner.ns = ns;
  world.Register(owner);
  for (int i = 0; i < job.size; ++i) {
    PodFacts pod = JobPod(job, i);
    pod.ns = ns;
    pod.created = created;
    world.Show(pod);
  }
  Some(world, 2);
}

TEST_CASE("Topologies: with fair shares who waits in one keeps nobody of its own back in another") {
  PlannerOptions options = RacksAndRings();
  options.fair = true;
  options.queue_mode = QueueMode::kStrict;
  World world(std::move(options));
  for (const NodeFacts& node : AllNodes())
    world.ShowBound(ForeignPod("on-" + node.name, 8), node.name);
  ComeTo(world, "a", {.name = "racked", .size = 2, .gpus = 8, .place = "rack=pack!"}, 100);
  ComeTo(world, "a", InRings("older", 2), 200);
  ComeTo(world, "b", InRings("younger", 2), 300);
  Some(world);
  CHECK(world.planner().Report("a/older")->line_place == 1);
  for (const char* node : {"x-0", "x-1"}) world.Delete(ForeignPod(fmt::format("on-{}", node), 8));
  Some(world);
  CHECK(world.Nodes("a/older") == Names{"x-0", "x-1"});
}

}  // namespace
}  // namespace gangplan::topologies_apart_test
