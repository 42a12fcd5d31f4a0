// Gangs that are held at any moment of their lives: while they wait in line, while a copy of them
// is solved, behind gates, while others give way to them.
#include <algorithm>
#include <memory>
#include <variant>

#include "extender/cluster/annotations.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "extender/planner/solve_task.h"
#include "fmt/format.h"
#include "tests/extender/planner/gates_world.h"
#include "tests/extender/planner/line_world.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/extender/planner/restarts_world.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::hold_lives_test {
namespace {

PodFacts HeldPod(PodFacts pod, std::string_view why = "waits for data") {
  SetWord(pod.annotations, kHoldWord, why);
  return pod;
}

// ---- hold

TEST_CASE("hold: who is held while it waits for room leaves the line and is told so") {
  LineWorld world(MakeNodes(1, 1, 2), With(GENERATE(QueueMode::kStrict, QueueMode::kBackfill)));
  const JobSpec wide = RackGang("wide", 2), small = RackGang("small", 1);
  world.Foreign("other", 8, "b0-r0-n0");
  world.Come(wide);
  REQUIRE(world.Of(wide).line_place == 1);
  for (int i = 0; i < 2; ++i) world.Show(HeldPod(JobPod(wide, i)));
  for (int i = 0; i < 20; ++i) world.Pass(absl::Seconds(10));
  CHECK(world.Refusal(HeldPod(JobPod(wide, 0))).find("is held") != std::string::npos);
  CHECK(world.Of(wide).line_place == 0);
  world.Come(small);
  CHECK(world.HasRoom(small));
}

TEST_CASE("hold: who is held while it waits for room is not told so in a greedy queue") {
  LineWorld world(MakeNodes(1, 1, 2), With(QueueMode::kGreedy));
  const JobSpec wide = RackGang("wide", 2);
  world.Foreign("other", 8, "b0-r0-n0");
  world.Come(wide);
  for (int i = 0; i < 2; ++i) world.Show(HeldPod(JobPod(wide, i)));
  for (int i = 0; i < 20; ++i) world.Pass(absl::Seconds(10));
  CHECK(world.Refusal(HeldPod(JobPod(wide, 0))).find("is held") != std::string::npos);
}

PodFacts MemberOf(int index, int workers) {
  PodFacts pod = ForeignPod(fmt::format("train-{}", index), index == 0 ? 0 : 8);
  SetWord(pod.annotations, "gangplan.io/group", "train");
  SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
  SetWord(pod.annotations, "gangplan.io/pod-set", index == 0 ? "leader" : "workers");
  SetWord(pod.annotations, "gangplan.io/pod-sets", fmt::format("leader=1,workers={}", workers));
  return pod;
}

TEST_CASE("hold: who is held while a copy of it is solved gets no room") {
  PlannerOptions options = PlannerWorld::Options();
  options.leaves_of_several = 0;
  Planner planner(options);
  const absl::Time now = absl::FromUnixSeconds(1'000'000);
  for (const NodeFacts& node : MakeNodes(1, 1, 3)) REQUIRE(planner.OnNode(now, node).ok());
  planner.SetActive(now, true);
  planner.OnSynced(now);
  const auto take = [&] {
    std::shared_ptr<SolveTask> task;
    for (Effect& effect : planner.TakeEffects()) {
      if (auto* solve = std::get_if<SolveOnCopy>(&effect)) task = std::move(solve->task);
    }
    return task;
  };
  for (int i = 0; i < 3; ++i) planner.OnPod(now, MemberOf(i, 2));
  auto task = take();
  REQUIRE(task != nullptr);
  planner.OnPod(now, HeldPod(MemberOf(1, 2)));
  for (; task != nullptr; task = take()) {
    task->Run();
    planner.OnSolved(now, *task);
  }
  for (int i = 1; i < 5; ++i) planner.Tick(now + absl::Seconds(i));
  CHECK(Name(planner.Report("team/train")->state) == "Blocked");
  CHECK(planner.Report("team/train")->reason.find("is held") != std::string::npos);
}

TEST_CASE("hold: what is told is what is said") {
  LineWorld world(MakeNodes(1, 1, 2));
  const JobSpec train = RackGang("train", 2);
  world.Register(train);
  world.Show(HeldPod(JobPod(train, 0), "first"));
  world.Show(HeldPod(JobPod(train, 1), "second"));
  world.Some();
  world.Show(JobPod(train, 1));
  world.Some();
  CHECK(world.Refusal(JobPod(train, 1)).find("hold: first") != std::string::npos);
}

TEST_CASE("hold: a Job that is started without a plan is not started while it is held") {
  SuspendedWorld world;
  const JobSpec train = Pair();
  world.Register(train);
  ++world.version;
  JobFacts facts = world.Facts(train);
  SetWord(facts.owner.annotations, kHoldWord, "waits for data");
  if (GENERATE(true, false)) {
    facts.owner.in_order = true;
  } else {
    facts.owner.left = 1;
  }
  world.See(facts);
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<JobWrite>().empty());
}

TEST_CASE("hold: pods that were released from their gates are not deleted for a hold") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  for (int i = 0; i < 2; ++i)
    world.Show(HeldPod(GatesWorld::After(JobPod(job, i), releases[static_cast<size_t>(i)])));
  for (int i = 0; i < 300; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("hold: nobody gives way to a gang that is held") {
  TwoRacks racks;
  racks.world.ShowJob(racks.high, 0, 2);
  racks.world.Pass(absl::Milliseconds(50));
  const auto asked = racks.world.Take<PodDelete>();
  REQUIRE(asked.size() == 2);
  for (int i = 0; i < 2; ++i) racks.world.Show(HeldPod(JobPod(racks.high, i)));
  racks.world.Pass(absl::Seconds(1));
  for (const PodDelete& one : asked) racks.Tell(one);
  racks.world.Pass(absl::Seconds(1));
  CHECK(racks.world.Take<PodMark>().empty());
}

}  // namespace
}  // namespace gangplan::hold_lives_test
