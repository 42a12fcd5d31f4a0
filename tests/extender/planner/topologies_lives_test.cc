// Lives of gangs where there are several topologies: what they lose, who gives way, what is kept
// for them, and other choices than before.
#include <algorithm>

#include "extender/frontends/gangplan/words.h"
#include "tests/extender/planner/suspended_world.h"
#include "tests/extender/planner/topologies_world.h"
#include "topology/base/time_text.h"

namespace gangplan::topologies_lives_test {
namespace {

using Names = std::vector<std::string>;
using World = TopologiesWorld;

// Four nodes of the rings, wherever they are.
JobSpec AllRings(std::string name, int32_t size = 4) {
  JobSpec job = InRings(std::move(name), size);
  job.place = "node=pack";
  return job;
}

void Reserve(World& world, LabelSet more) {
  ConfigMapFacts object;
  object.ns = "gangplan";
  object.name = "evening";
  object.uid = "uid-evening";
  object.labels = {{std::string(kReservationWord), "true"}};
  object.data = std::move(more);
  SetLabel(object.data, "from", UtcText(world.now() + absl::Seconds(1)));
  SetLabel(object.data, "until", UtcText(world.now() + absl::Hours(1)));
  SetLabel(object.data, "count", "2");
  SetLabel(object.data, "requests", "example.com/gpu=8");
  SetLabel(object.data, "namespaces", "team");
  world.planner().OnReservation(world.now(), object, true);
  for (int i = 0; i < 5; ++i) world.Pass(absl::Seconds(1));
}

TEST_CASE("Topologies: what waits is told its own, and what came nearest there") {
  World world;
  world.Run(InRings("first", 2));
  world.ShowBound(ForeignPod("lone", 8), "y-0");
  world.ShowJob(InRings("second", 2), 0, 2);
  world.Pass(absl::Seconds(1));
  CHECK(
      world.Report("team/second").reason ==
      "gang team/second in topology rings: 2 members must share one ring; no ring has room for all "
      "of them now");
}

TEST_CASE("Topologies: gangs of the other one give nothing, and stay") {
  PlannerOptions options = RacksAndRings();
  options.preempts = true;
  options.suspended_jobs = false;
  World world(std::move(options));
  for (const std::string name : {"low-a", "low-b"})
    world.Run({.name = name, .size = 2, .gpus = 8, .place = "rack=pack!"});
  JobSpec first = InRings("first", 2), second = InRings("second", 2);
  first.priority = second.priority = 50;
  world.Run(first);
  world.Run(second);
  world.ForgetEffects();
  JobSpec high = InRings("high", 2);
  high.priority = 10;
  world.ShowJob(high, 0, 2);
  for (int i = 0; i < 3; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Take<PodMark>().empty());
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.StateOf("team/high") == "Blocked");
  // Of its own the lesser ones go.
  JobSpec higher = InRings("higher", 2);
  higher.priority = 100;
  world.ShowJob(higher, 0, 2);
  for (int i = 0; i < 3; ++i) world.Pass(absl::Seconds(1));
  const auto marks = world.Take<PodMark>();
  const auto ends = world.Take<PodDelete>();
  REQUIRE(marks.size() + ends.size() > 0);
  for (const PodMark& mark : marks) CHECK_FALSE(mark.pod.name.starts_with("low"));
  for (const PodDelete& end : ends) CHECK_FALSE(end.pod.name.starts_with("low"));
}

TEST_CASE("Topologies: what is lost of a gang is made anew in its own") {
  World world;
  const JobSpec job = AllRings("all");
  world.Run(job);
  const std::string lost = world.Nodes("team/all")[1];
  world.DeleteNode(lost);
  world.Delete(JobPod(job, 1));
  world.Show(JobPod(job, 1, 1));
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/all")[1] == "-");  // the racks are free
  CHECK(world.Refusal(JobPod(job, 1, 1)).find("in topology rings") != std::string::npos);
  world.Put(RingNode("z", 0));
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/all")[1] == "z-0");
}

TEST_CASE("Topologies: spare nodes are its own topology's") {
  World world;
  JobSpec job = AllRings("kept", 2);
  SetWord(job.words, "gangplan.io/spares", "4");
  world.Run(job);
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/kept").spares == "2 of 4 spare nodes are kept: y/y-0, y/y-1");
  CHECK(world.HoldCount() == 2);
}

TEST_CASE("Topologies: room that is reserved in one") {
  World world;
  Reserve(world, {{"place", "ring=pack!"}, {"topology", "rings"}});
  const auto reservation = [&] { return world.planner().ListReservations().at(0); };
  REQUIRE(reservation().state == ReservationState::kStarted);
  CHECK(reservation().topology == "rings");
  CHECK(reservation().domain == "x");
  JobSpec user = InRings("user", 2);
  SetWord(user.words, kReservationWord, "evening");
  world.Run(user);
  CHECK(world.Nodes("team/user") == Names{"x-0", "x-1"});
  JobSpec racked{.name = "racked", .size = 2, .gpus = 8, .place = "rack=pack!"};
  SetWord(racked.words, kReservationWord, "evening");
  world.ShowJob(racked, 0, 2);
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/racked").reason ==
        "gang team/racked of 2: reservation evening: it is in topology rings, and the gang goes by "
        "racks (gangplan.io/topology)");
}

TEST_CASE("Topologies: a reservation goes by its node selector, or by the default") {
  World world;
  SECTION("selector") {
    Reserve(world, {{"nodeSelector", "pool=rings"}});
    CHECK(world.planner().ListReservations().at(0).topology == "rings");
  }
  SECTION("default") {
    Reserve(world, {{"place", "rack=pack!"}});
    CHECK(world.planner().ListReservations().at(0).topology == "racks");
    CHECK(world.planner().ListReservations().at(0).domain == "b0/r0");
  }
  SECTION("unknown") {
    Reserve(world, {{"topology", "tori"}});
    CHECK(world.planner().ListReservations().at(0).problem ==
          "topology: there is no topology \"tori\", only \"racks\" and \"rings\"");
  }
}

TEST_CASE("Topologies: a gang that chooses another one goes there") {
  World world;
  JobSpec job{.name = "moves", .size = 2, .gpus = 8, .place = "node=pack"};
  world.ShowJob(job, 0, 2);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Nodes("team/moves")[0].starts_with("b0"));
  SetWord(job.words, "gangplan.io/topology", "rings");
  SECTION("its pods say so") {
    for (int i : {0, 1}) world.Show(JobPod(job, i));
  }
  SECTION("its pods are made anew") {
    for (int i : {0, 1}) world.Delete(JobPod(job, i));
    world.Reregister(job);
    for (int i : {0, 1}) world.Show(JobPod(job, i, 1));
  }
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/moves") == Names{"x-0", "x-1"});
  CHECK(world.Report("team/moves").in_topology == "rings");
  CHECK(world.HoldCount() == 2);
}

TEST_CASE("Topologies: a Job that waits suspended is started on the nodes of its own") {
  World world;
  const JobSpec job = InRings("sleeps", 2);
  world.Register(job);
  world.planner().OnJob(world.now(), SuspendedFactsOf(job));
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/sleeps") == Names{"x-0", "x-1"});
  const auto writes = world.Take<JobWrite>();
  REQUIRE(writes.size() == 1);
  CHECK_FALSE(writes[0].suspend);
  REQUIRE(writes[0].templates.size() == 1);
  for (const NodeSelectorTerm& term : writes[0].templates[0].required) {
    REQUIRE(term.fields.size() == 1);
    CHECK(term.fields[0].values.front().starts_with("x-"));
  }
}

TEST_CASE("Topologies: another one than the first may be the default") {
  PlannerOptions options = RacksAndRings();
  options.default_topology = 1;
  World world(std::move(options));
  world.Run({.name = "told", .size = 2, .gpus = 8, .place = "ring=pack!"});
  CHECK(world.Nodes("team/told") == Names{"x-0", "x-1"});
}

TEST_CASE("Topologies: a pod of no gang breaks nothing of another one") {
  World world;
  world.Run(InRings("first", 2));
  const Offer offer = {"b0-r0-n0", "y-0", "stray"};
  CHECK(world.planner().Prioritize(world.now(), ForeignPod("lone", 1), offer) ==
        std::vector<int32_t>{10, 0, 0});
}

}  // namespace
}  // namespace gangplan::topologies_lives_test
