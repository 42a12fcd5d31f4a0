// Resources that others than the nodes serve: those that the operator names are not counted, and
// who asks for one that nobody lists is told so.
#include "tests/extender/planner/lives_world.h"
#include "tests/extender/planner/reservation_world.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::excluded_resources_test {
namespace {

constexpr std::string_view kSlice = "nvidia.com/gpumem";
const JobSpec kJob = {.name = "train", .size = 4, .gpus = 8, .place = "rack=pack!"};

PlannerOptions Excluding(std::vector<std::string> excluded) {
  PlannerOptions options = PlannerWorld::Options();
  options.excluded_resources = std::move(excluded);
  return options;
}

struct SlicesWorld : PlannerWorld {
  explicit SlicesWorld(std::vector<std::string> excluded)
      : PlannerWorld(Excluding(std::move(excluded))) {
    AddNodes(MakeNodes(1, 2, 4));
    Sync();
  }
};

PodFacts Asking(PodFacts pod, std::string_view resource = kSlice) {
  AddResources(pod.requests, {{std::string(resource), 3000}});
  return pod;
}

std::vector<PodFacts> Gang() {
  std::vector<PodFacts> pods;
  for (int i = 0; i < kJob.size; ++i) pods.push_back(Asking(JobPod(kJob, i)));
  return pods;
}

}  // namespace

TEST_CASE("Excluded resources: a gang that asks for one starts where it has room for all else") {
  SlicesWorld world({"amd.com/", "nvidia.com/gpum"});
  world.Register(kJob);
  for (const PodFacts& pod : Gang()) world.Show(pod);
  CHECK(world.HoldCount() == 4);
  for (const PodFacts& pod : Gang()) CHECK(Try(world, pod));
  CHECK(world.BindAll() == 4);
  CHECK(world.StateOf("team/train") == "Running");
  // A second one goes to the other rack, a third one waits for what is counted.
  for (std::string name : {"second", "third"}) {
    JobSpec next = kJob;
    next.name = name;
    world.Register(next);
    for (int i = 0; i < next.size; ++i) world.Show(Asking(JobPod(next, i)));
  }
  CHECK(world.HoldCount() == 4);
  CHECK(world.StateOf("team/third") == "Blocked");
  CHECK(world.Refusal(Asking(JobPod({.name = "third", .size = 4, .gpus = 8, .place = "rack=pack!"},
                                    0)))
            .find("no node lists") == std::string::npos);
}

TEST_CASE("Excluded resources: they keep no pod of no gang from a node with holds") {
  SlicesWorld world({"nvidia.com/gpum"});
  JobSpec job = kJob;
  job.gpus = 6;
  world.Register(job);
  for (int i = 0; i < job.size; ++i) world.Show(Asking(JobPod(job, i)));
  REQUIRE(world.HoldCount() == 4);
  const std::string held = world.Nodes("team/train").front();
  CHECK(world.Passed(Asking(ForeignPod("two", 2)), {held}) == held);
  CHECK(world.Passed(Asking(ForeignPod("three", 3)), {held}).empty());
}

TEST_CASE("Excluded resources: a reservation keeps all else of what it asks for") {
  PlannerOptions options = With(QueueMode::kGreedy);
  options.excluded_resources = {"nvidia.com/gpum"};
  ReservationWorld world(MakeNodes(1, 1, 3), options);
  ConfigMapFacts object = ObjectOf({.count = 2}, world.begun);
  SetLabel(object.data, "requests", "example.com/gpu=8,nvidia.com/gpumem=3000");
  world.planner().OnReservation(world.now(), object, true);
  world.GoTo(absl::Hours(1));
  CHECK(world.HoldCount() == 2);
  CHECK(world.Reservation().missing == 0);
}

TEST_CASE("Excluded resources: who asks for one that no node lists is told, with the cure") {
  SlicesWorld world({"amd.com/"});
  world.Register(kJob);
  for (const PodFacts& pod : Gang()) world.Show(pod);
  CHECK(world.HoldCount() == 0);
  CHECK(world.Refusal(Gang().front()) ==
        "gang team/train: impossible: 4 members must share one rack; the largest holds 0 when it "
        "is empty; no node lists nvidia.com/gpumem: where others than nodes serve it, "
        "resources.excludeResourcePrefixes is to name it");
  // Where nodes list it they are counted.
  for (int i = 0; i < 4; ++i) {
    NodeFacts node = MakeNode(0, 1, i);
    AddResources(node.allocatable, {{std::string(kSlice), 3000}});
    world.Put(node);
  }
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == 4);
}

TEST_CASE("Excluded resources: what some node lists is missed by no gang that is too large") {
  SlicesWorld world({});
  JobSpec large = kJob;
  large.size = 5;
  world.Register(large);
  for (int i = 0; i < large.size; ++i) world.Show(JobPod(large, i));
  CHECK(world.Refusal(JobPod(large, 0)) ==
        "gang team/train: impossible: 5 members must share one rack; the largest holds 4 when it "
        "is empty");
}

}  // namespace gangplan::excluded_resources_test
