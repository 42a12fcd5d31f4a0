// Gangs that are read anew while they give way to others.
#include <set>
#include <string>

#include "tests/extender/planner/preemption_world.h"
#include "tests/support/catch.h"

namespace gangplan::preempted_reread_test {

TEST_CASE("a gang that is read anew while it is marked goes as a whole") {
  PlannerOptions options = Preempting();
  options.topologies[0].live = "levels";
  PlannerWorld world(options);
  world.AddNodes(MakeNodes(1, 1, 2));
  REQUIRE(world.planner().OnTopology(world.now(), ThreeLevels()));
  world.Sync();
  const JobSpec low = Gang("low", 1);
  world.ShowJob(low, 0, 2);
  for (int i = 0; i < 2; ++i) world.FilterAndBind(JobPod(low, i));
  REQUIRE(world.BindAll() == 2);
  world.ForgetEffects();
  world.ShowJob(Gang("high", 100), 0, 2);
  for (const PodDelete& one : world.Take<PodDelete>())
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  const auto marks = world.Take<PodMark>();
  REQUIRE(marks.size() == 1);
  Topology others = ThreeLevels();
  others.levels[0].label = "example.com/zone";
  const auto change = [&] { REQUIRE(world.planner().OnTopology(world.now(), others)); };
  const auto tell = [&](const PodRef& pod, int64_t attempt) {
    world.planner().OnPodDelete(world.now(), pod.uid, attempt, absl::OkStatus());
  };
  SECTION("before the mark is there") {
    change();
    tell(marks[0].pod, marks[0].attempt);
  }
  SECTION("before the first has gone") {
    tell(marks[0].pod, marks[0].attempt);
    change();
  }
  std::set<std::string> ended;
  for (int i = 0; i < 4; ++i) {
    for (const PodDelete& one : world.Take<PodDelete>()) {
      if (one.how == PodDelete::How::kEvict) ended.insert(one.pod.name);
      tell(one.pod, one.attempt);
    }
  }
  CHECK(ended.size() == 2);
}

// Those that run go over before the one that waits.
TEST_CASE("a gang that is read anew in pieces while it goes does so as a whole") {
  PlannerOptions options = Preempting();
  options.topologies[0].live = "levels";
  options.at_once = 2;
  PlannerWorld world(options);
  world.AddNodes(MakeNodes(1, 1, 4));
  REQUIRE(world.planner().OnTopology(world.now(), ThreeLevels()));
  world.Sync();
  JobSpec low = Gang("low", 1);
  low.size = 4;
  world.ShowJob(low, 0, 4);
  for (int i = 0; i < 4; ++i) world.FilterAndBind(JobPod(low, i));
  REQUIRE(world.BindAll() == 4);
  PodFacts lost = JobPod(low, 3);
  lost.node_name = world.Nodes("team/low")[3];
  world.Delete(lost);
  PodFacts other = ForeignPod("other", 8);
  other.node_name = lost.node_name;
  world.Show(other);
  world.Show(JobPod(low, 3, 1));
  world.ForgetEffects();
  JobSpec high = Gang("high", 100);
  high.size = 3;
  world.ShowJob(high, 0, 3);
  std::set<std::string> ended;
  const auto answer = [&] {
    for (const PodMark& one : world.Take<PodMark>())
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
    for (const PodDelete& one : world.Take<PodDelete>()) {
      if (one.how == PodDelete::How::kEvict) ended.insert(one.pod.name);
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
    }
    world.Pass(absl::ZeroDuration());
  };
  for (int i = 0; i < 10 && ended.empty(); ++i) answer();
  REQUIRE(ended.size() == 1);
  for (int i = 0; i < 3; ++i) world.Delete(JobPod(high, i));
  Topology others = ThreeLevels();
  others.levels[0].label = "example.com/zone";
  REQUIRE(world.planner().OnTopology(world.now(), others));
  for (int i = 0; i < 20; ++i) answer();
  CHECK(ended.size() == 3);
}

}  // namespace gangplan::preempted_reread_test
