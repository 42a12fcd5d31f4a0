// PodGroups of coscheduling: whose pods they count, one run after another under a name, and what
// becomes of the count while pods come and go.
#include "extender/cluster/annotations.h"
#include "extender/planner/owner_key.h"
#include "tests/extender/planner/gates_world.h"
#include "tests/extender/planner/several_world.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::pod_group_test {

TEST_CASE("PodGroup: a bare pod behind a gate waits for it, and is told for whom") {
  GatesWorld world;
  world.answer_owners = false;
  const PodFacts pod = GatesWorld::Behind(Ring(0, 1)[0]);
  world.Show(pod);
  const std::string why = world.planner().WhyLeft("team/ring-0");
  CHECK(why.find("its owner, PodGroup ring,") != std::string::npos);
  world.planner().OnOwner(world.now(), OwnerKey("team", "PodGroup team/ring"),
                          absl::UnavailableError("no route"));
  world.Pass(absl::Seconds(1));
  CHECK(world.planner().BrokenInvariant() == "");
}

TEST_CASE("PodGroup: a pod of another namespace that writes its name as a UID counts for nothing") {
  RacksWorld world(6);
  world.Register(AtLeast(2));
  PodFacts evil = ForeignPod("evil", 8);
  evil.ns = "evil";
  evil.controller = OwnerRef{"batch/v1", "Job", "x", "PodGroup team/ring"};
  SetWord(evil.annotations, "gangplan.io/place", "rack=pack!");
  world.Show(evil);
  world.Run(Ring(0, 2));
  evil.name = evil.uid = "evil-2";
  world.Show(evil);
  world.Pass(kOwnerRecheck);
  CHECK(world.StateOf("team/ring") == "Running");
  world.Run(Ring(2, 3));
}

TEST_CASE("PodGroup: a Job with its label that waits suspended makes the gang of its pods") {
  SuspendedWorld world;
  JobSpec job = Pair();
  job.labels = {{"scheduling.x-k8s.io/pod-group", "ring"}};
  world.Run(job);
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.planner().List(0, 10).size() == 1);
}

TEST_CASE("PodGroup: another run under its name is a gang again, by what it says then") {
  RacksWorld world(6);
  world.Register(AtLeast(2));
  world.Run(Ring(0, 2));
  for (const PodFacts& pod : Ring(0, 2)) world.ShowFinished(pod, NodeNameAt(0, 0, 0));
  REQUIRE(world.StateOf("team/ring") == "Done");
  world.Register(AtLeast(4));
  for (const PodFacts& pod : Ring(2, 5)) world.Show(pod);
  CHECK(world.Report("team/ring").size == 4);
  for (const PodFacts& pod : Ring(2, 5)) Try(world, pod);
  CHECK(world.BindAll() == 0);
  world.Run(Ring(2, 6));
  CHECK(world.StateOf("team/ring") == "Running");
}

TEST_CASE("PodGroup: another run waits while its PodGroup is being read") {
  RacksWorld world(6);
  world.Register(AtLeast(2));
  world.Run(Ring(0, 2));
  for (const PodFacts& pod : Ring(0, 2)) world.ShowFinished(pod, NodeNameAt(0, 0, 0));
  world.answer_owners = false;
  for (const PodFacts& pod : Ring(2, 4)) {
    world.Show(pod);
    CHECK_FALSE(Try(world, pod));
  }
  CHECK(world.BindAll() == 0);
  world.answer_owners = true;
  world.Say(AtLeast(2));
  world.Run(Ring(2, 4));
}

TEST_CASE("PodGroup: those that have succeeded keep one slot each, and the gang runs") {
  RacksWorld world(6);
  world.Register(AtLeast(2));
  world.Run(Ring(0, 2));
  world.Run(Ring(2, 4));
  const std::vector<std::string> nodes = world.Nodes("team/ring");
  for (int i : {3, 2}) {
    world.ShowFinished(Ring(i, i + 1)[0], nodes[static_cast<size_t>(i)]);
    CHECK(world.Report("team/ring").size == 4);
    CHECK(world.StateOf("team/ring") == "Running");
  }
  // One that goes is not missed, wherever its slot is, and those that come take what is there.
  world.Delete(Ring(0, 1)[0]);
  CHECK(world.StateOf("team/ring") == "Running");
  world.Run(Ring(4, 7));
  CHECK(world.StateOf("team/ring") == "Running");
  CHECK(world.Report("team/ring").size <= 5);
}

TEST_CASE("PodGroup: a pod with the whole size beside it does not end the growth") {
  RacksWorld world(6);
  world.Register(AtLeast(2));
  world.Run(Ring(0, 2));
  world.Run(Ring(2, 3));
  PodFacts sized = Ring(3, 4)[0];
  SetWord(sized.annotations, "gangplan.io/size", "3");
  SetWord(sized.annotations, "gangplan.io/place", "rack=pack!");
  world.Run({sized});
  world.Run(Ring(4, 5));
  CHECK(world.Report("team/ring").bound == 5);
}

TEST_CASE("PodGroup: ranks are what they were after a restart") {
  RacksWorld world(6);
  world.Register(AtLeast(2));
  world.Run(Ring(0, 2));
  world.Run(Ring(2, 5));
  std::vector<PodFacts> pods = Ring(0, 5);
  const std::vector<std::string> nodes = world.Nodes("team/ring");
  // As they are told; there are never so many as the last one tells.
  constexpr std::string_view kRanks[] = {"0", "1", "3", "2", "49999"};
  for (size_t i = 0; i < pods.size(); ++i) {
    pods[i].node_name = nodes[i];
    SetWord(pods[i].annotations, kAssignedRankAnnotation, kRanks[i]);
    SetWord(pods[i].annotations, kPlanAnnotation, "ring.1");
  }
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 6));
  world.answer_owners = false;
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Sync();
  world.answer_owners = true;
  world.Say(AtLeast(2));
  world.Pass(absl::Seconds(1));
  const std::vector<std::string> found = world.Nodes("team/ring");
  REQUIRE(found.size() == 5);
  for (size_t i : {0, 1}) CHECK(found[i] == nodes[i]);
  CHECK(found[3] == nodes[2]);
  CHECK(found[2] == nodes[3]);
  CHECK(world.StateOf("team/ring") == "Running");
}

}  // namespace gangplan::pod_group_test
