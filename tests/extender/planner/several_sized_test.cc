// Gangs of several pod sets whose owner counts them anew, those of which one pod set comes last,
// and those of at least so many.
#include "tests/extender/planner/several_world.h"

namespace gangplan::several_sized_test {

TEST_CASE("Several sized: workers that come later go beside those that run, in the same rack") {
  RacksWorld world(6);
  StartCluster(world);
  const std::string rack = RackOf(world.Nodes("team/train").front());
  world.Say(Cluster(4, 1));
  world.Run(Workers("small", 2, 4));
  CHECK(world.StateOf("team/train") == "Running");
  const std::vector<std::string> nodes = world.Nodes("team/train");
  REQUIRE(nodes.size() == 6);
  for (const std::string& node : nodes) CHECK(RackOf(node) == rack);
  // There is no room for more in that rack: who runs is left alone, and the seventh is told.
  world.Say(Cluster(4, 2));
  world.Show(Pod(kRay, "big", 1));
  CHECK(world.Refusal(Pod(kRay, "big", 1)).find("rack") != std::string::npos);
  CHECK(world.Report("team/train").bound == 6);
}

TEST_CASE("Several sized: workers that are there before the new count is read join when it is") {
  RacksWorld world(6);
  StartCluster(world);
  for (const PodFacts& pod : Workers("small", 2, 4)) world.Show(pod);
  CHECK(world.Passed(Pod(kRay, "small", 2)).empty());
  world.Say(Cluster(4, 1));
  world.Run(Workers("small", 2, 4));
  CHECK(world.Report("team/train").bound == 6);
}

TEST_CASE("Several sized: a cluster that is scaled down and up again runs all the time") {
  RacksWorld world(6);
  StartCluster(world);
  world.Say(Cluster(4, 1));
  world.Run(Workers("small", 2, 4));
  world.Say(Cluster(2, 1));
  for (int gone : {0, 3}) world.Delete(Pod(kRay, "small", gone));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").bound == 4);
  CHECK(world.HoldCount() == 0);
  world.Say(Cluster(4, 1));
  world.Run(Workers("small", 4, 6));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").bound == 6);
}

TEST_CASE("Several sized: a group of workers may have none at first, and none in the end") {
  RacksWorld world(6);
  world.Register(Cluster(2, 0));
  std::vector<PodFacts> pods = Workers("small", 0, 2);
  pods.push_back(Pod(kRay, "headgroup", 0));
  world.Run(pods);
  CHECK(world.StateOf("team/train") == "Running");
  world.Say(Cluster(2, 1));
  world.Run({Pod(kRay, "big", 0)});
  CHECK(world.Report("team/train").bound == 4);
  world.Say(Cluster(0, 1));
  for (int i = 0; i < 2; ++i) world.Delete(Pod(kRay, "small", i));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").bound == 2);
}

TEST_CASE("Several sized: a gang that waits is planned with the new counts") {
  RacksWorld world(4);
  world.Register(Cluster(4, 1));
  for (const PodFacts& pod : Workers("small", 0, 2)) world.Show(pod);
  world.Show(Pod(kRay, "headgroup", 0));
  world.Show(Pod(kRay, "big", 0));
  CHECK(world.HoldCount() == 0);  // six nodes of a rack of four
  world.Say(Cluster(2, 1));
  world.Pass(absl::Seconds(1));
  std::vector<PodFacts> pods = Workers("small", 0, 2);
  pods.push_back(Pod(kRay, "headgroup", 0));
  pods.push_back(Pod(kRay, "big", 0));
  for (const PodFacts& pod : pods) CHECK(Try(world, pod));
  CHECK(world.BindAll() == 4);
}

namespace {

// Words stand on the group "big" alone, which has so many.
OwnerFacts BigAlone(int64_t big) {
  OwnerFacts owner = Cluster(2, big);
  owner.annotations.clear();
  owner.pod_sets[2].annotations = kInOneRack;
  return owner;
}

PodFacts Big(int index) {
  PodFacts pod = Pod(kRay, "big", index);
  pod.annotations = kInOneRack;
  return pod;
}

}  // namespace

TEST_CASE("Several sized: workers that come from none are one gang, of their new count") {
  RacksWorld world(6);
  world.Register(BigAlone(0));
  world.Show(Pod(kRay, "headgroup", 0));
  world.Show(Big(0));
  CHECK(world.Refusal(Big(0)).find("had no pods of \"big\"") != std::string::npos);
  world.Say(BigAlone(2));
  world.Pass(absl::Seconds(1));
  REQUIRE(Try(world, Big(0)));
  CHECK(world.BindAll() == 0);  // not without the second
  world.Show(Big(1));
  REQUIRE(Try(world, Big(1)));
  CHECK(world.BindAll() == 2);
  world.Say(BigAlone(3));
  world.Run({Big(2)});
  CHECK(world.Report("team/train-big").bound == 3);
}

TEST_CASE("Several sized: workers of which all have gone are counted anew when some come again") {
  RacksWorld world(6);
  world.Register(BigAlone(2));
  world.Show(Pod(kRay, "headgroup", 0));
  world.Run({Big(0), Big(1)});
  world.Take<OwnerRead>();
  for (int i = 0; i < 2; ++i) world.Delete(Big(i));
  world.Reregister(BigAlone(0));
  world.Pass(absl::Seconds(3));
  CHECK(world.planner().List(0, 10).empty());
  for (int i = 2; i < 4; ++i) world.Show(Big(i));
  CHECK_FALSE(Try(world, Big(2)));
  world.Say(BigAlone(4));
  world.Pass(absl::Seconds(1));
  for (int i = 2; i < 4; ++i) REQUIRE(Try(world, Big(i)));
  CHECK(world.BindAll() == 0);  // two of four
}

// ---- who comes last

TEST_CASE("Last: workers start without the launcher that waits for them, and its room is kept") {
  RacksWorld world(3);
  world.Register(LauncherLast());
  world.Run(MpiWorkers());
  CHECK(world.HoldCount() == 1);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  REQUIRE(nodes.size() == 3);
  CHECK(RackOf(nodes[0]) == RackOf(nodes[1]));
  const PodFacts launcher = Pod(kMpi, "launcher", 0, 2);
  world.Show(launcher);
  CHECK(world.Passed(launcher) == nodes[0]);
  REQUIRE(Try(world, launcher));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Last: nobody starts where the launcher has no room") {
  RacksWorld world(2);  // the workers take a rack of two nodes
  world.Register(LauncherLast());
  for (const PodFacts& pod : MpiWorkers()) world.Show(pod);
  CHECK(world.StateOf("team/train") == "Blocked");
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Last: a launcher that never comes leaves the others to run, and its room to others") {
  RacksWorld world(3);
  world.Register(LauncherLast());
  world.Run(MpiWorkers());
  world.Pass(PlannerWorld::Options().gather_timeout + absl::Seconds(1));
  CHECK(world.HoldCount() == 0);
  CHECK(world.Report("team/train").bound == 2);
  // One that comes late is placed beside them.
  const PodFacts launcher = Pod(kMpi, "launcher", 0, 2);
  world.Show(launcher);
  REQUIRE(Try(world, launcher));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Last: workers wait for each other all the same") {
  RacksWorld world(3);
  world.Register(LauncherLast());
  const PodFacts first = MpiWorkers()[0];
  world.Show(first);
  CHECK(world.HoldCount() == 3);
  REQUIRE(Try(world, first));
  CHECK(world.BindAll() == 0);
}

// ---- at least so many

TEST_CASE("At least: so many start together, and more go beside those that run") {
  RacksWorld world(6);
  world.Register(AtLeast(3));
  for (const PodFacts& pod : Ring(0, 2)) world.Show(pod);
  REQUIRE(Try(world, Ring(0, 1)[0]));
  CHECK(world.BindAll() == 0);
  world.Run(Ring(0, 3));
  CHECK(world.StateOf("team/ring") == "Running");
  const std::string rack = RackOf(world.Nodes("team/ring").front());
  world.Run(Ring(3, 6));
  CHECK(world.StateOf("team/ring") == "Running");
  REQUIRE(world.Nodes("team/ring").size() == 6);
  for (const std::string& node : world.Nodes("team/ring")) CHECK(RackOf(node) == rack);
}

TEST_CASE("At least: who comes before the start waits for it") {
  RacksWorld world(6);
  world.Register(AtLeast(3));
  for (const PodFacts& pod : Ring(0, 5)) world.Show(pod);
  CHECK(world.HoldCount() == 3);
  int started = 0;
  for (const PodFacts& pod : Ring(0, 5)) started += Try(world, pod) ? 1 : 0;
  CHECK(started == 3);
  CHECK(world.BindAll() == 3);
  for (const PodFacts& pod : Ring(0, 3)) world.ShowBound(pod, world.Passed(pod));
  world.Pass(absl::Seconds(1));
  for (const PodFacts& pod : Ring(3, 5)) CHECK(Try(world, pod));
  CHECK(world.BindAll() == 2);
  CHECK(world.StateOf("team/ring") == "Running");
}

TEST_CASE("At least: those that go beyond it are not missed, and the least is again") {
  RacksWorld world(6);
  world.Register(AtLeast(2));
  world.Run(Ring(0, 2));
  world.Run(Ring(2, 4));
  world.Delete(Ring(3, 4)[0]);
  CHECK(world.StateOf("team/ring") == "Running");
  CHECK(world.Report("team/ring").size == 3);
  world.Delete(Ring(2, 3)[0]);
  world.Delete(Ring(1, 2)[0]);
  CHECK(world.StateOf("team/ring") == "Repairing");
  world.Run(Ring(4, 5));
  CHECK(world.StateOf("team/ring") == "Running");
}

}  // namespace gangplan::several_sized_test
