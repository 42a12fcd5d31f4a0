// Gangs of several pod sets that are told by more than one owner, or by one whose list changes.
#include "extender/planner/owner_key.h"
#include "tests/extender/planner/several_world.h"
#include "tests/support/jobset.h"

namespace gangplan::several_owners_test {
namespace {

OwnerFacts MpiJob(int64_t workers) {
  return Owner(kMpi, {{"launcher", 1, 1, {}, {}}, {"worker", 1, workers, {}, {}}});
}

// As it is read: with what the MPIJob says.
OwnerFacts LauncherJob(int64_t workers) {
  OwnerFacts job = MpiJob(workers);
  job.part_of = std::exchange(job.ref, {"batch/v1", "Job", "train-launcher", "uid-of-launcher"});
  return job;
}

PodFacts Launcher(int life = 0) {
  PodFacts pod = Pod(kMpi, "launcher", life, 2);
  pod.controller = LauncherJob(1).ref;
  return pod;
}

std::vector<PodFacts> MpiPods(int first, int last) {
  std::vector<PodFacts> pods;
  for (int i = first; i < last; ++i) pods.push_back(Pod(kMpi, "worker", i));
  return pods;
}

void Tell(RacksWorld& world, int64_t workers) {
  world.Register(MpiJob(workers));
  world.Register(LauncherJob(workers));
}

OwnerFacts Groups(std::vector<std::pair<std::string, int64_t>> groups) {
  std::vector<OwnerPodSet> sets = {{"headgroup", 1, 1, {}, {}}};
  for (auto& [name, count] : groups) sets.push_back({name, 1, count, {}, {}});
  return Owner(kRay, std::move(sets));
}

}  // namespace

TEST_CASE("Several owners: an MPIJob whose launcher came first grows with its workers") {
  RacksWorld world(6);
  Tell(world, 2);
  world.Show(Launcher());
  CHECK(world.Report("team/train").size == 3);
  std::vector<PodFacts> pods = MpiPods(0, 2);
  pods.push_back(Launcher());
  world.Run(pods);
  REQUIRE(world.StateOf("team/train") == "Running");
  Tell(world, 4);
  for (const PodFacts& pod : MpiPods(2, 4)) world.Show(pod);
  AwaitOwners(world);
  world.Run(MpiPods(2, 4));
  CHECK(world.Report("team/train").bound == 5);
  CHECK(world.Report("team/train").problems.empty());
}

TEST_CASE("Several owners: a launcher that is made again joins a job that was scaled meanwhile") {
  RacksWorld world(6);
  Tell(world, 2);
  std::vector<PodFacts> pods = MpiPods(0, 2);
  pods.push_back(Launcher());
  world.Run(pods);
  world.Register(MpiJob(3));
  world.planner().OnOwner(world.now(), OwnerKey("team", MpiJob(3).ref.uid), MpiJob(3));
  world.Run(MpiPods(2, 3));
  world.Delete(Launcher());
  world.Run({Launcher(1)});
  CHECK(world.Report("team/train").bound == 4);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Several owners: words of an MPIJob that change reach its launcher, too") {
  RacksWorld world(1);
  Tell(world, 2);
  std::vector<PodFacts> pods = MpiPods(0, 2);
  pods.push_back(Launcher());
  for (const PodFacts& pod : pods) world.Show(pod);
  REQUIRE(world.StateOf("team/train") == "Blocked");
  OwnerFacts whole = MpiJob(2), part = LauncherJob(2);
  whole.annotations = part.annotations = {{"gangplan.io/place", "block=pack!"}};
  world.Register(part);
  world.AddNodes(MakeNodes(1, 3, 1));
  world.Say(whole);
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/train").problems.empty());
  for (const PodFacts& pod : pods) CHECK(Try(world, pod));
  CHECK(world.BindAll() == 3);
}

TEST_CASE("Several owners: a launcher that comes last is not counted among those to wait for") {
  PlannerOptions options = PlannerWorld::Options();
  options.hold_from = 100;
  PlannerWorld world(options);
  world.AddNodes(MakeNodes(1, 2, 3));
  world.Sync();
  world.Register(LauncherLast());
  for (const PodFacts& pod : MpiWorkers()) world.Show(pod);
  CHECK(world.HoldCount() == 3);
  for (const PodFacts& pod : MpiWorkers()) CHECK(Try(world, pod));
  CHECK(world.BindAll() == 2);
}

TEST_CASE(
    "Several owners: a last pod set that the words of the pods do not list is foretold by nobody") {
  RacksWorld world(3);
  OwnerFacts owner = LauncherLast();
  world.Register(owner);
  std::vector<PodFacts> pods = MpiWorkers();
  for (PodFacts& pod : pods) {
    SetWord(pod.annotations, "gangplan.io/pod-sets", "a=1,b=1");
    SetWord(pod.annotations, "gangplan.io/pod-set", &pod == &pods[0] ? "a" : "b");
  }
  world.Run(pods);
  CHECK(world.Report("team/train").size == 2);
}

TEST_CASE("Several owners: a group of workers that is added while a cluster runs joins it") {
  RacksWorld world(6);
  world.Register(Groups({{"small", 2}}));
  std::vector<PodFacts> pods = Workers("small", 0, 2);
  pods.push_back(Pod(kRay, "headgroup", 0));
  world.Run(pods);
  // The pod is there before the cluster is read again: it goes nowhere alone.
  world.Register(Groups({{"big", 1}, {"small", 2}}));
  const PodFacts big = Pod(kRay, "big", 0);
  world.Show(big);
  CHECK(world.Refusal(big).find("RayCluster train: had no pods of \"big\"") != std::string::npos);
  AwaitOwners(world);
  world.Run({big});
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").size == 4);
  CHECK(world.Report("team/train").bound == 4);
}

TEST_CASE("Several owners: a group of workers that is taken away is missed by nobody") {
  RacksWorld world(6);
  world.Register(Groups({{"big", 1}, {"small", 2}}));
  std::vector<PodFacts> pods = Workers("small", 0, 2);
  pods.push_back(Pod(kRay, "headgroup", 0));
  pods.push_back(Pod(kRay, "big", 0));
  world.Run(pods);
  world.Say(Groups({{"small", 2}}));
  world.Delete(Pod(kRay, "big", 0));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").size == 3);
  world.Delete(Pod(kRay, "small", 1));
  world.Run(Workers("small", 2, 3));
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Several owners: a count that comes while Bindings behind it are open is kept") {
  RacksWorld world(6);
  world.Register(Groups({{"small", 2}, {"big", 1}}));
  std::vector<PodFacts> pods = Workers("small", 0, 2);
  pods.push_back(Pod(kRay, "headgroup", 0));
  pods.push_back(Pod(kRay, "big", 0));
  for (const PodFacts& pod : pods) world.Show(pod);
  for (const PodFacts& pod : pods) REQUIRE(Try(world, pod));
  const std::vector<BindingWrite> posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 4);
  world.Say(Groups({{"small", 3}, {"big", 1}}));
  CHECK(world.Report("team/train").size == 4);
  for (size_t i = 0; i < 3; ++i) world.Settle(posts[i], BindOutcome::kBound);
  REQUIRE(posts[3].pod.name == "train-big-0");  // the watch shows it before its answer comes
  world.ShowBound(pods[3], posts[3].node);
  CHECK(world.Report("team/train").size == 5);
  world.Run(Workers("small", 2, 3));
  CHECK(world.Report("team/train").bound == 5);
}

TEST_CASE("Several owners: a JobSet whose pods name their pod set has gangs of that size") {
  RacksWorld world(6);
  JobSetSpec set = Training();
  set.parts[1].words = {{"gangplan.io/place", "rack=pack!"}, {"gangplan.io/pod-set", "workers"}};
  world.Register(OwnerOf(set));
  const PodFacts pod = PodOf(set, "workers", 0, 0);
  world.Show(pod);
  world.Show(PodOf(set, "workers", 0, 1));
  AwaitOwners(world);
  CHECK(Try(world, pod));
  CHECK(Try(world, PodOf(set, "workers", 0, 1)));
  CHECK(world.BindAll() == 2);
}

// As Kubeflow's trainer has its MPI jobs made: two nodes of eight GPUs, and a launcher of two.
JobSetSpec NodesAndLauncher(int restarts) {
  return {.name = "train",
          .parts = {{.name = "node", .each = 2, .gpus = 8},
                    {.name = "launcher", .gpus = 2, .last = true}},
          .words = kInOneRack,
          .restarts = restarts};
}

TEST_CASE("Several owners: a JobSet's nodes start without the launcher that waits for them") {
  const int restarts = GENERATE(0, 3);
  RacksWorld world(3);
  const JobSetSpec set = NodesAndLauncher(restarts);
  world.Register(OwnerOf(set));
  world.Run({PodOf(set, "node", 0, 0), PodOf(set, "node", 0, 1)});
  CHECK(world.HoldCount() == 1);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  REQUIRE(nodes.size() == 3);
  for (const std::string& node : nodes) CHECK(RackOf(node) == RackOf(nodes[0]));
  const PodFacts launcher = PodOf(set, "launcher", 0, 0);
  world.Show(launcher);
  CHECK(world.Passed(launcher) == nodes[2]);
  REQUIRE(Try(world, launcher));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Several owners: nobody of a JobSet starts where its last pod has no room") {
  RacksWorld world(2);  // the nodes take a rack of two
  const JobSetSpec set = NodesAndLauncher(0);
  world.Register(OwnerOf(set));
  for (int i = 0; i < 2; ++i) world.Show(PodOf(set, "node", 0, i));
  CHECK(world.StateOf("team/train") == "Blocked");
  CHECK(world.HoldCount() == 0);
}

}  // namespace gangplan::several_owners_test
