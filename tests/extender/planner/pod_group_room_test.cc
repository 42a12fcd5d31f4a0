// What a PodGroup of coscheduling asks beside its minimum: so much free in the cluster, and how
// long its room waits for members that are missing.
#include "tests/extender/planner/several_world.h"

namespace gangplan::pod_group_room_test {
namespace {

OwnerFacts WithFree(ResourceList wanted) {
  OwnerFacts owner = AtLeast(2);
  owner.min_resources = std::move(wanted);
  return owner;
}

}  // namespace

TEST_CASE("PodGroup: it starts when the cluster has so much free in all, and not before") {
  RacksWorld world(4);  // 64 GPUs
  PodFacts other = ForeignPod("other", 8);
  world.ShowBound(other, NodeNameAt(0, 0, 0));
  world.Register(WithFree({{"example.com/gpu", 57}, {"pods", 2}}));
  for (const PodFacts& pod : Ring(0, 2)) world.Show(pod);
  for (const PodFacts& pod : Ring(0, 2)) CHECK_FALSE(Try(world, pod));
  CHECK(world.HoldCount() == 0);
  CHECK(
      world.Report("team/ring").reason ==
      "gang team/ring of 2: PodGroup ring wants 57 example.com/gpu free in the cluster, which has "
      "56 (spec.minResources)");
  world.Delete(other);
  world.Pass(absl::Seconds(1));
  for (const PodFacts& pod : Ring(0, 2)) REQUIRE(Try(world, pod));
  CHECK(world.BindAll() == 2);
  // Once it has started nobody asks for that.
  world.Run(Ring(2, 4));
}

TEST_CASE("PodGroup: room that is held for others is not free, and its own is") {
  RacksWorld world(2);
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  REQUIRE(world.HoldCount() == 2);
  world.Register(WithFree({{"example.com/gpu", 16}}));
  world.Show(Ring(0, 1)[0]);
  CHECK(world.StateOf("team/ring") == "Gathering");
  CHECK(world.HoldCount() == 4);
  world.Run(Ring(0, 2));
}

TEST_CASE("PodGroup: the amounts are told as people write them") {
  RacksWorld world(2);
  world.Register(WithFree({{"cpu", 1'000'500}, {"memory", int64_t{3} << 30}}));
  for (const PodFacts& pod : Ring(0, 2)) world.Show(pod);
  CHECK(world.Report("team/ring").reason.find("1000500m cpu free in the cluster, which has 256") !=
        std::string::npos);
  world.Say(WithFree({{"memory", int64_t{3} << 30}}));
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/ring").reason.find("3.0Gi memory free in the cluster, which has 0") !=
        std::string::npos);
  world.Say(WithFree({}));
  world.Pass(absl::Seconds(1));
  world.Run(Ring(0, 2));
}

TEST_CASE("PodGroup: its room waits for those that are missing for its own time") {
  for (const int64_t seconds : {30, 1'200}) {
    RacksWorld world(2);
    OwnerFacts owner = AtLeast(2);
    owner.patience = seconds;
    world.Register(owner);
    world.Show(Ring(0, 1)[0]);
    REQUIRE(world.HoldCount() == 2);
    world.Pass(absl::Seconds(seconds - 1));
    CHECK(world.HoldCount() == 2);
    world.Pass(absl::Seconds(2));
    CHECK(world.HoldCount() == 0);
    CHECK(world.StateOf("team/ring") == "Released");
    world.Run(Ring(0, 2));
  }
}

TEST_CASE("PodGroup: its status is told of its pods, whatever becomes of the gang") {
  RacksWorld world(2);
  world.Register(AtLeast(2));
  world.Run(Ring(0, 2));
  world.Take<PodGroupWrite>();
  world.Pass(absl::Seconds(2));
  auto writes = world.Take<PodGroupWrite>();
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].counts.pods == 2);
  world.planner().OnPodGroupWritten(world.now(), "team", "ring", absl::OkStatus());
  world.Delete(Ring(0, 1)[0]);
  world.Pass(absl::Seconds(2));
  CHECK(world.Take<PodGroupWrite>().at(0).counts.pods == 1);
}

TEST_CASE("PodGroup: its status is left alone where nobody is to write it, or another acts") {
  PlannerOptions options = PlannerWorld::Options();
  options.pod_group_status = false;
  PlannerWorld off(options);
  PlannerWorld by(PlannerWorld::Options());
  by.active = false;
  for (PlannerWorld* world : {&off, &by}) {
    world->AddNodes(MakeNodes(1, 2, 2));
    world->Sync();
    world->Register(AtLeast(2));
    for (const PodFacts& pod : Ring(0, 2)) world->Show(pod);
    world->Pass(absl::Seconds(5));
    CHECK(world->Take<PodGroupWrite>().empty());
  }
  by.planner().SetActive(by.now(), true);
  by.Pass(absl::Seconds(1));
  CHECK(by.Take<PodGroupWrite>().size() == 1);
}

}  // namespace gangplan::pod_group_room_test
