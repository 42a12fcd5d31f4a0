// What no repair makes whole where it runs may go anywhere: repair.onFailure: relax.
#include <algorithm>

#include "extender/planner/event_reasons.h"
#include "extender/planner/restarts.h"
#include "tests/extender/planner/restarts_world.h"

namespace gangplan::relax_test {
namespace {

// Two racks of three nodes; a gang of three fills one of them.
struct RelaxWorld : AnewWorld {
  explicit RelaxWorld(JobSpec job = kTrain)
      : AnewWorld(MakeNodes(1, 2, 3), Relaxing()), train(job) {
    RunJob(train);
  }
  std::string RackOf(int index) {
    return DomainOf(Nodes("team/train")[static_cast<size_t>(index)], 1);
  }
  JobSpec train;
};

TEST_CASE("relax: what was lost may go anywhere after a while, and its owner is told") {
  RelaxWorld world;
  const std::string rack = world.RackOf(0);
  const PodFacts again = world.Lose(world.train, 2);
  world.Wait(kRestartTimeout - absl::Seconds(1));
  CHECK(world.Passed(again).empty());
  world.ForgetEffects();
  world.Wait(absl::Seconds(3));
  const auto notes = world.Take<EventNote>();
  const auto told = std::find_if(notes.begin(), notes.end(),
                                 [](const EventNote& note) { return note.reason == kGangRelaxed; });
  REQUIRE(told != notes.end());
  CHECK(told->note.starts_with(
      "gang team/train of 3: 2 of it run, and the rest has had no room beside them for 5m: it may "
      "go anywhere now (repair.onFailure: relax); gang team/train: impossible: 3 members must "
      "share "
      "one rack"));
  CHECK(world.Take<PodDelete>().empty());
  CHECK(DomainOf(world.FilterAndBind(again), 1) != rack);
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").place == "rack=pack! (what it has lost may go anywhere)");
}

TEST_CASE("relax: what is lost later goes anywhere at once") {
  RelaxWorld world;
  PodFacts again = world.Lose(world.train, 2);
  world.Wait(kRestartTimeout + absl::Seconds(2));
  world.FilterAndBind(again);
  REQUIRE(world.BindAll() == 1);
  again = world.Lose(world.train, 0);
  world.Wait(absl::Seconds(1));
  CHECK_FALSE(world.FilterAndBind(again).empty());
}

TEST_CASE("relax: who starts anew has its rules again") {
  RelaxWorld world;
  const PodFacts again = world.Lose(world.train, 2);
  world.Wait(kRestartTimeout + absl::Seconds(2));
  world.FilterAndBind(again);
  REQUIRE(world.BindAll() == 1);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  for (int i = 0; i < 3; ++i)
    world.Delete(world.On(JobPod(world.train, i, i == 2), nodes[static_cast<size_t>(i)]));
  for (int i = 0; i < 3; ++i) world.Show(JobPod(world.train, i, 2));
  world.Wait(absl::Seconds(3));
  for (int i = 0; i < 3; ++i) world.FilterAndBind(JobPod(world.train, i, 2));
  CHECK(world.BindAll() == 3);
  for (int i = 1; i < 3; ++i) CHECK(world.RackOf(i) == world.RackOf(0));
  CHECK(world.Report("team/train").place == "rack=pack!");
}

TEST_CASE("relax: a gang that asks for less after a while does that first") {
  JobSpec train = kTrain;
  train.place = "rack=pack! | after 1h: block=pack!";
  RelaxWorld world(train);
  const PodFacts again = world.Lose(world.train, 2);
  world.Wait(absl::Minutes(30));
  CHECK(world.Passed(again).empty());
  CHECK(world.Report("team/train").place.find("anywhere") == std::string::npos);
}

TEST_CASE("relax: where a pod of it has succeeded, too") {
  RelaxWorld world;
  const std::string node = world.Nodes("team/train")[1];
  world.ShowFinished(JobPod(world.train, 1), node);
  const PodFacts again = world.Lose(world.train, 2);
  world.Put([&] {  // and nobody else goes to the rest of its rack
    NodeFacts full = MakeNode(0, node[4] - '0', node[7] - '0');
    full.unschedulable = true;
    return full;
  }());
  world.Wait(kRestartTimeout + absl::Seconds(3));
  CHECK(DomainOf(world.FilterAndBind(again), 1) != world.RackOf(0));
}

}  // namespace
}  // namespace gangplan::relax_test
