// A gang that a pod has left, for which its room is kept, in the way of one of greater priority.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/extender/planner/returns_world.h"

namespace gangplan::returns_preempted_test {
namespace {

std::vector<std::string> NamesOf(const std::vector<PodDelete>& writes) {
  std::vector<std::string> names;
  for (const PodDelete& one : writes) names.push_back(one.pod.name);
  std::sort(names.begin(), names.end());
  return names;
}

// The gang comes, and it is asked whether the only pod of the set that is there may be evicted.
std::vector<PodDelete> AskFor(SetWorld& world, const JobSpec& high) {
  world.ForgetEffects();
  world.ShowJob(high, 0, high.size);
  world.Pass(absl::Seconds(1));
  std::vector<PodDelete> asked = world.Take<PodDelete>();
  REQUIRE(NamesOf(asked) == std::vector<std::string>{"shard-0"});
  return asked;
}

TEST_CASE("Returns: a gang that lacks a pod gives way as a whole, with the room of that one") {
  SetWorld world(2, Preempting());
  const bool gone = GENERATE(true, false);
  if (gone) world.Lose(1);
  if (!gone) world.Stop(1);
  world.ForgetEffects();
  const JobSpec high = Whole("high", 2, 1000);
  world.ShowJob(high, 0, 2);
  world.Pass(absl::Seconds(1));
  for (int i = 0; i < 2; ++i) {  // asked about, then evicted
    const auto writes = world.Take<PodDelete>();
    REQUIRE(NamesOf(writes) == std::vector<std::string>{"shard-0"});
    world.planner().OnPodDelete(world.now(), writes[0].pod.uid, writes[0].attempt,
                                absl::OkStatus());
  }
  world.Stop(0);
  if (!gone) world.Delete(world.Pod(1));
  if (gone) world.Show(world.Pod(1, 1));
  world.Delete(world.Pod(0));
  CHECK(world.Nodes("team/high").size() == 2);
  for (int i = 0; i < 2; ++i) CHECK(Try(world, JobPod(high, i)));
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Returns: a gang that lacks a pod and may not be evicted keeps the room of that one") {
  SetWorld world(2, Preempting());
  const bool gone = GENERATE(true, false);
  const std::string node = world.NodeOf(1);
  if (gone) world.Lose(1);
  if (!gone) world.Stop(1);
  const JobSpec high = Whole("high", 2, 1000);
  const auto asked = AskFor(world, high);
  world.planner().OnPodDelete(world.now(), asked[0].pod.uid, asked[0].attempt,
                              absl::FailedPreconditionError("disruption budget"));
  world.Pass(absl::Seconds(1));
  if (!gone) world.Delete(world.Pod(1));
  CHECK(world.HoldCount() == 1);
  world.Show(world.Pod(1, 1));
  CHECK(world.Passed(world.Pod(1, 1)) == node);
}

// Gangs that may not be evicted, all of them.
void Refuse(PlannerWorld& world, const std::vector<PodDelete>& asked) {
  for (const PodDelete& one : asked) {
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt,
                                absl::FailedPreconditionError("disruption budget"));
  }
  world.Pass(absl::Seconds(1));
}

TEST_CASE("Returns: a pod that comes anew while it is asked about its gang goes with that") {
  SetWorld world(3, Preempting(), SetOf(3));
  for (int i : {1, 2}) world.Lose(i);
  const JobSpec high = Whole("high", 3, 1000);
  const auto asked = AskFor(world, high);
  world.Show(world.Pod(1, 1));
  world.planner().OnPodDelete(world.now(), asked[0].pod.uid, asked[0].attempt, absl::OkStatus());
  world.Pass(absl::Seconds(1));
  REQUIRE(NamesOf(world.Take<PodDelete>()) == std::vector<std::string>{"shard-0"});
  world.Stop(0);
  world.Delete(world.Pod(0));
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/high").size() == 3);
}

TEST_CASE("Returns: of a gang that cannot go as it was found nothing is given up") {
  SetWorld world(3, Preempting(), SetOf(3));
  const std::string node = world.NodeOf(2);
  const std::string other = world.NodeOf(1);
  for (int i : {1, 2}) world.Lose(i);
  const auto asked = AskFor(world, Whole("high", 3, 1000));
  PodFacts single = ForeignPod("single", 8, 2'000);  // of another scheduler
  single.node_name = other;
  single.phase = PodPhase::kRunning;
  world.Show(single);
  for (const PodDelete& one : asked)
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.HoldCount() == 1);
  world.Show(world.Pod(2, 1));
  CHECK(world.Passed(world.Pod(2, 1)) == node);
}

TEST_CASE("Returns: a gang whose turn to go has not come keeps what it holds for who may come") {
  PlannerOptions options = Preempting();
  options.preempts_pods = true;
  SetWorld world(3, options);
  PodFacts single = ForeignPod("single", 8);
  const std::vector<std::string> own = world.Nodes("team/shard");
  for (int i = 0; i < 3; ++i) {
    const std::string node = fmt::format("b0-r0-n{}", i);
    if (std::find(own.begin(), own.end(), node) == own.end()) single.node_name = node;
  }
  single.priority = -1;
  single.phase = PodPhase::kRunning;
  world.Show(single);
  world.Lose(1);
  world.ForgetEffects();
  world.ShowJob(Whole("high", 3, 1000), 0, 3);
  world.Pass(absl::Seconds(1));
  auto asked = world.Take<PodDelete>();
  REQUIRE(NamesOf(asked) == std::vector<std::string>{"shard-0", "single"});
  for (const PodDelete& one : asked)
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  world.Pass(absl::Seconds(1));
  asked = world.Take<PodDelete>();
  REQUIRE(NamesOf(asked) == std::vector<std::string>{"single"});
  CHECK(world.HoldCount() > 0);
  Refuse(world, asked);
  world.Take<PodMark>();
  CHECK(world.HoldCount() == 1);
  world.Show(world.Pod(1, 1));
  CHECK(world.Passed(world.Pod(1, 1)) == own[1]);
}

// The pod is there again, and goes with its gang.
TEST_CASE("Returns: a gang whose pod is there again before it is evicted gives way as a whole") {
  SetWorld world(2, Preempting());
  world.Lose(1);
  const JobSpec high = Whole("high", 2, 1000);
  const auto asked = AskFor(world, high);
  world.Show(world.Pod(1, 1));
  REQUIRE(Try(world, world.Pod(1, 1)));
  REQUIRE(world.BindAll() == 1);
  world.planner().OnPodDelete(world.now(), asked[0].pod.uid, asked[0].attempt, absl::OkStatus());
  world.Pass(absl::Seconds(1));
  for (auto writes = world.Take<PodDelete>(); !writes.empty(); writes = world.Take<PodDelete>()) {
    for (const PodDelete& one : writes)
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  }
  world.Stop(0);
  PodFacts again = world.Pod(1, 1);
  again.node_name = world.NodeOf(1);
  world.ShowTerminating(again);
  world.Delete(world.Pod(0));
  world.Delete(world.Pod(1, 1));
  for (int i = 0; i < 2; ++i) CHECK(Try(world, JobPod(high, i)));
  CHECK(world.BindAll() == 2);
}

}  // namespace
}  // namespace gangplan::returns_preempted_test
