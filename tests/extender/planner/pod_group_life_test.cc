// PodGroups that change, go and come again while their pods wait and run.
#include <algorithm>

#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "tests/extender/planner/elastic_world.h"

namespace gangplan::pod_group_life_test {
namespace {

TEST_CASE("PodGroup: minMember is changed while it waits and while it runs") {
  RacksWorld world(6);
  world.Register(AtLeast(2));
  world.Show(Ring(0, 1)[0]);
  world.Say(AtLeast(3));
  world.Pass(absl::Seconds(1));
  world.Show(Ring(1, 2)[0]);
  CHECK(Try(world, Ring(0, 1)[0]));
  CHECK(Try(world, Ring(1, 2)[0]));
  CHECK(world.BindAll() == 0);
  world.Show(Ring(2, 3)[0]);
  CHECK(Try(world, Ring(2, 3)[0]));
  CHECK(world.BindAll() == 3);
  world.Say(AtLeast(5));
  world.Pass(absl::Minutes(10));
  CHECK(world.HoldCount() == 0);
  world.Run(Ring(3, 4));
  world.Say(AtLeast(1));
  world.Pass(absl::Minutes(10));
  world.Run(Ring(4, 5));
  CHECK(world.StateOf("team/ring") == "Running");
  CHECK(world.Report("team/ring").size == 5);
}

TEST_CASE("PodGroup: who joins after its time was changed joins") {
  RacksWorld world(6);
  OwnerFacts owner = AtLeast(2);
  const bool number = GENERATE(false, true);
  if (number) SetWord(owner.annotations, "gangplan.io/start", "2");
  owner.patience = 60;
  world.Register(owner);
  world.Run(Ring(0, 2));
  world.Run(Ring(2, 3));
  owner.patience = 120;
  world.Say(owner);
  world.Pass(absl::Seconds(1));
  const PodFacts pod = Ring(3, 4)[0];
  world.Show(pod);
  INFO("number " << number << ": " << world.Refusal(pod));
  CHECK(Try(world, pod));
}

TEST_CASE("PodGroup: who joins a gang of Koordinator with another waiting time joins") {
  RacksWorld world(6);
  const auto pod = [](int i, std::string_view wait) {
    PodFacts one = ForeignPod(fmt::format("ring-{}", i), 8);
    SetWord(one.annotations, "gang.scheduling.koordinator.sh/name", "ring");
    SetWord(one.annotations, "gang.scheduling.koordinator.sh/min-available", "2");
    SetWord(one.annotations, "gang.scheduling.koordinator.sh/waiting-time", wait);
    SetWord(one.annotations, "gangplan.io/place", "rack=pack!");
    return one;
  };
  world.Run({pod(0, "60s"), pod(1, "60s")});
  world.Run({pod(2, "60s")});
  world.Show(pod(3, "90s"));
  INFO(world.Refusal(pod(3, "90s")));
  CHECK(Try(world, pod(3, "90s")));
}

TEST_CASE("PodGroup: its time is changed while it waits") {
  RacksWorld world(6);
  OwnerFacts owner = AtLeast(2);
  owner.patience = 30;
  world.Register(owner);
  world.Show(Ring(0, 1)[0]);
  owner.patience = 600;
  world.Say(owner);
  world.Pass(absl::Seconds(100));
  CHECK(world.HoldCount() == 2);
  world.Pass(absl::Seconds(600));
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("PodGroup: one second, and the longest time") {
  for (const int64_t seconds : {int64_t{1}, int64_t{2'147'483'647}, int64_t{86'401}}) {
    RacksWorld world(6);
    OwnerFacts owner = AtLeast(2);
    owner.patience = seconds;
    world.Register(owner);
    world.Show(Ring(0, 1)[0]);
    REQUIRE(world.HoldCount() == 2);
    world.Pass(absl::Seconds(std::min<int64_t>(seconds, 86'400) - 1));
    CHECK(world.HoldCount() == 2);
    world.Pass(absl::Seconds(2));
    CHECK(world.HoldCount() == 0);
    world.Run(Ring(0, 2));
  }
}

TEST_CASE("PodGroup: one is deleted and made again under its name while pods wait") {
  RacksWorld world(6);
  world.Register(AtLeast(3));
  for (const PodFacts& pod : Ring(0, 2)) world.Show(pod);
  world.planner().OnOwner(world.now(), OwnerKey("team", "PodGroup team/ring"),
                          absl::NotFoundError("gone"));
  world.Pass(absl::Seconds(1));
  world.Say(AtLeast(2));
  world.Pass(absl::Seconds(1));
  world.Run(Ring(0, 2));
}

TEST_CASE("PodGroup: its time is for members that are missing, not for the scheduler") {
  RacksWorld world(6);
  OwnerFacts owner = AtLeast(4);
  owner.patience = 10;
  world.Register(owner);
  for (const PodFacts& pod : Ring(0, 4)) world.Show(pod);  // none is missing
  for (const PodFacts& pod : Ring(0, 4)) {                 // the scheduler has others to do beside
    CHECK(Try(world, pod));
    world.Pass(absl::Seconds(4));
  }
  CHECK(world.BindAll() == 4);
}

TEST_CASE("PodGroup: one with a short time starts, however its pods are tried") {
  RacksWorld world(6);
  OwnerFacts owner = AtLeast(4);
  const int64_t seconds = GENERATE(5, 10, 300);
  owner.patience = seconds;
  world.Register(owner);
  for (const PodFacts& pod : Ring(0, 4)) world.Show(pod);
  int bound = 0, held = 0;
  // Each pod is tried every ten seconds, the scheduler's longest pause, four seconds apart.
  for (int second = 0; second < 3'600 && bound < 4; ++second) {
    world.Pass(absl::Seconds(1));
    for (int i = 0; i < 4; ++i) {
      if (second % 12 == 3 * i) held += Try(world, Ring(i, i + 1)[0]) ? 1 : 0;
    }
    bound += world.BindAll();
  }
  INFO("seconds " << seconds << ", held " << held);
  CHECK(bound == 4);
}

TEST_CASE("PodGroup: a pod is moved from one to another while it waits") {
  RacksWorld world(6);
  world.Register(AtLeast(2));
  OwnerFacts second = AtLeast(2);
  second.ref.name = "second";
  second.ref.uid = "PodGroup team/second";
  world.Register(second);
  world.Show(Ring(0, 1)[0]);
  REQUIRE(world.HoldCount() == 2);
  PodFacts moved = Ring(0, 1)[0];
  SetWord(moved.labels, "scheduling.x-k8s.io/pod-group", "second");
  world.Show(moved);
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/ring") == "(none)");
  CHECK(world.HoldCount() == 2);
  PodFacts other = Ring(1, 2)[0];
  SetWord(other.labels, "scheduling.x-k8s.io/pod-group", "second");
  world.Run({moved, other});
}

}  // namespace
}  // namespace gangplan::pod_group_life_test
