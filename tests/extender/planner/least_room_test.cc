// What a PodGroup wants free in all, beyond what its members ask for.
#include "extender/protocol/kubernetes_objects.h"
#include "fmt/format.h"
#include "tests/extender/planner/elastic_world.h"
#include "tests/extender/planner/line_world.h"
#include "tests/extender/planner/preemption_world.h"

namespace gangplan::least_room_test {
namespace {

OwnerFacts Wants(int64_t least, ResourceList wanted) {
  OwnerFacts owner = AtLeast(least);
  owner.min_resources = std::move(wanted);
  return owner;
}

TEST_CASE("PodGroup: minResources count beside a number of its own") {
  RacksWorld world(4);
  OwnerFacts owner = Wants(2, {{"example.com/gpu", 1'000}});
  SetWord(owner.annotations, "gangplan.io/start", "3");
  world.Register(owner);
  for (const PodFacts& pod : Ring(0, 3)) world.Show(pod);
  for (const PodFacts& pod : Ring(0, 3)) CHECK_FALSE(Try(world, pod));
}

TEST_CASE("PodGroup: who waits for so much in all is asked when it comes free") {
  RacksWorld world(4);
  PodFacts other = ForeignPod("other", 0);
  other.requests = {{"cpu", 60'000}, {"pods", 1}};
  world.ShowBound(other, NodeNameAt(0, 0, 0));
  world.Register(Wants(2, {{"cpu", 8 * 64'000 - 1'000}}));
  for (const PodFacts& pod : Ring(0, 2)) world.Show(pod);
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == 0);
  SECTION("a pod goes") { world.Delete(other); }
  SECTION("a node comes") { world.AddNodes({MakeNode(0, 1, 7)}); }
  SECTION("less is wanted") { world.Say(Wants(2, {{"cpu", 1'000}})); }
  world.Pass(absl::Seconds(1));
  world.Run(Ring(0, 2));
}

TEST_CASE("PodGroup: one with what the controllers of quotas write starts") {
  std::string json = R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",
    "metadata":{"name":"ring","namespace":"team","uid":"u",
                "annotations":{"gangplan.io/place":"rack=pack!"}},
    "spec":{"minMember":2,"queue":"default","minTaskMember":{"ring":2},
            "minResources":{"count/pods":"2","cpu":"200m","limits.cpu":"200m","pods":"2",
                            "requests.cpu":"200m"}}})";
  absl::StatusOr<OwnerFacts> owner = DecodeOwner(json);
  REQUIRE(owner.ok());
  owner->ref.uid = "Volcano PodGroup team/ring";
  RacksWorld world(4);
  world.Register(*owner);
  std::vector<PodFacts> pods;
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = ForeignPod(fmt::format("ring-{}", i), 8);
    SetWord(pod.annotations, "scheduling.k8s.io/group-name", "ring");
    world.Show(pod);
    pods.push_back(pod);
  }
  INFO(world.Report("team/ring").reason);
  for (const PodFacts& pod : pods) CHECK(Try(world, pod));
}

TEST_CASE("PodGroup: two that want all do not both start with room for one") {
  RacksWorld world(2);
  world.Register(Wants(2, {{"example.com/gpu", 32}}));
  OwnerFacts second = Wants(2, {{"example.com/gpu", 32}});
  second.ref.name = "second";
  second.ref.uid = "PodGroup team/second";
  world.Register(second);
  std::vector<PodFacts> others;
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = ForeignPod(fmt::format("second-{}", i), 8);
    SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "second");
    others.push_back(pod);
  }
  for (int i = 0; i < 2; ++i) {
    world.Show(Ring(i, i + 1)[0]);
    world.Show(others[static_cast<size_t>(i)]);
  }
  world.Run(Ring(0, 2));
  for (const PodFacts& pod : others) CHECK_FALSE(Try(world, pod));
  for (const PodFacts& pod : Ring(0, 2)) world.Delete(pod);
  world.Pass(absl::Seconds(1));
  world.Run(others);
}

TEST_CASE("PodGroup: minResources are raised while room is held") {
  RacksWorld world(4);
  world.Register(Wants(2, {{"example.com/gpu", 16}}));
  world.Show(Ring(0, 1)[0]);
  REQUIRE(world.HoldCount() == 2);
  world.Say(Wants(2, {{"example.com/gpu", 1'000}}));
  world.Pass(absl::Seconds(1));
  world.Show(Ring(1, 2)[0]);
  for (const PodFacts& pod : Ring(0, 2)) CHECK_FALSE(Try(world, pod));
  world.Say(Wants(2, {{"example.com/gpu", 16}}));
  world.Pass(absl::Seconds(1));
  world.Run(Ring(0, 2));
}

TEST_CASE("PodGroup: who wants no more than its members ask for stands in a strict line") {
  PlannerWorld world(With(QueueMode::kStrict));
  world.AddNodes(MakeNodes(1, 1, 4));
  world.Sync();
  const JobSpec runs = Whole("runs", 2);
  Run(world, runs);
  world.Register(Wants(4, {{"example.com/gpu", 32}}));
  for (const PodFacts& pod : Ring(0, 4)) world.Show(pod);
  world.Pass(absl::Seconds(1));
  CHECK_FALSE(Try(world, Ring(0, 1)[0]));
  const JobSpec late = Whole("late", 2);
  world.ShowJob(late, 0, 2);
  for (int i = 0; i < 2; ++i) Try(world, JobPod(late, i));
  CHECK(world.BindAll() == 0);  // nobody passes
}

TEST_CASE("PodGroup: and takes the room that is held for lesser gangs") {
  for (const bool word : {false, true}) {
    RacksWorld world(2);
    for (const char* name : {"low", "lower"}) {
      JobSpec job{.name = name, .size = 2, .gpus = 8, .place = "rack=pack!"};
      world.ShowJob(job, 0, 1);
    }
    REQUIRE(world.HoldCount() == 4);
    world.Register(word ? Wants(2, {{"example.com/gpu", 16}}) : AtLeast(2));
    std::vector<PodFacts> ring = Ring(0, 2);
    for (PodFacts& pod : ring) pod.priority = 10;
    for (const PodFacts& pod : ring) world.Show(pod);
    world.Pass(absl::Seconds(1));
    INFO("word " << word << ": " << world.Report("team/ring").reason);
    for (const PodFacts& pod : ring) CHECK(Try(world, pod));
    CHECK(world.BindAll() == 2);
  }
}

TEST_CASE("PodGroup: and has lesser ones give way") {
  for (const bool word : {false, true}) {
    PlannerOptions options = PlannerWorld::Options();
    options.preempts = true;
    PlannerWorld world(options);
    world.AddNodes(MakeNodes(1, 1, 2));
    world.Sync();
    const JobSpec low = Whole("low", 2);
    Run(world, low);
    world.Register(word ? Wants(2, {{"example.com/gpu", 16}}) : AtLeast(2));
    std::vector<PodFacts> ring = Ring(0, 2);
    for (PodFacts& pod : ring) pod.priority = 10;
    for (const PodFacts& pod : ring) world.Show(pod);
    int deletes = 0;
    for (int i = 0; i < 60; ++i) {
      world.Pass(absl::Milliseconds(500));
      for (const PodFacts& pod : ring) Try(world, pod);
      deletes += static_cast<int>(world.Take<PodDelete>().size() + world.Take<PodMark>().size());
    }
    INFO("word " << word << ": " << world.Report("team/ring").reason);
    CHECK(deletes > 0);
  }
}

}  // namespace
}  // namespace gangplan::least_room_test
