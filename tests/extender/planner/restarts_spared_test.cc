// Gangs that look as if they had lost something, and are not started anew.
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "tests/extender/planner/lives_world.h"
#include "tests/extender/planner/restarts_world.h"
#include "tests/extender/planner/several_world.h"
#include "tests/support/catch.h"

namespace gangplan::restarts_spared_test {
namespace {

std::vector<PodFacts> Made(std::vector<PodFacts> pods) {
  for (PodFacts& pod : pods) pod.controller = OwnerRef{"apps/v1", "ReplicaSet", "ring", "rs-ring"};
  return pods;
}

// A PodGroup is nobody who makes pods.
TEST_CASE("restarts: pods without a controller stay, also where a PodGroup counts them") {
  AnewWorld world(MakeNodes(1, 2, 3));
  world.Register(AtLeast(3));
  world.Run(Ring(0, 3));
  REQUIRE(world.StateOf("team/ring") == "Running");
  const std::string node = world.Nodes("team/ring")[2];
  world.DeleteNode(node);
  world.Delete(world.On(Ring(2, 3)[0], node));
  world.Show(Ring(3, 4)[0]);  // its user has made it anew by hand
  world.Wait(kRestartTimeout + absl::Seconds(5));
  CHECK(world.AnswerAll() == Names{});
}

// At least two, and four run.
TEST_CASE("restarts: a gang of at least so many that has these is not evicted for one more") {
  AnewWorld world(MakeNodes(1, 2, 5));
  world.Register(AtLeast(2));
  world.Run(Made(Ring(0, 2)));
  world.Run(Made(Ring(2, 5)));
  REQUIRE(world.StateOf("team/ring") == "Running");
  const std::string node = world.Nodes("team/ring")[4];
  world.DeleteNode(node);
  world.Delete(world.On(Made(Ring(4, 5))[0], node));
  world.Pass(absl::Seconds(1));
  world.Show(Made(Ring(5, 6))[0]);
  world.Wait(kRestartTimeout + absl::Seconds(5));
  INFO(world.Report("team/ring").reason);
  CHECK(world.AnswerAll() == Names{});
}

TEST_CASE("restarts: likewise where the pod is made anew before the old one has gone") {
  AnewWorld world(MakeNodes(1, 2, 5));
  world.Register(AtLeast(2));
  world.Run(Made(Ring(0, 2)));
  world.Run(Made(Ring(2, 5)));
  const std::string node = world.Nodes("team/ring")[4];
  world.DeleteNode(node);
  const bool before = GENERATE(true, false);
  if (before) world.Show(Made(Ring(5, 6))[0]);
  world.ShowTerminating(world.On(Made(Ring(4, 5))[0], node));
  if (!before) world.Show(Made(Ring(5, 6))[0]);
  world.Delete(world.On(Made(Ring(4, 5))[0], node));
  world.Wait(kRestartTimeout + absl::Seconds(5));
  INFO(world.Report("team/ring").reason << " size " << world.Report("team/ring").size);
  CHECK(world.AnswerAll() == Names{});
}

// 10 completions, 3 at a time: what has succeeded is not lost.
TEST_CASE("restarts: a Job whose next completion has no room has lost nothing") {
  AnewWorld world(MakeNodes(1, 1, 3));
  JobSpec job = kTrain;
  job.left = 10;
  job.indexed = GENERATE(true, false);
  world.RunJob(job);
  const std::string node = world.Nodes("team/train")[0];
  world.ShowFinished(JobPod(job, 0), node);
  PodFacts other = ForeignPod("other", 8);
  other.scheduler_name = "default-scheduler";
  world.ShowBound(other, node);
  job.left = 9;
  world.Reregister(job);
  world.Show(JobPod(job, 3));
  world.Wait(kRestartTimeout + absl::Seconds(5));
  INFO(world.Report("team/train").reason);
  CHECK(world.AnswerAll() == Names{});
}

// Its own words say that more will do in ten minutes.
TEST_CASE("restarts: a gang whose next rung is still to come is not evicted before it") {
  PlannerOptions options = Restarting();
  options.repair.on_failure = GENERATE(OnFailure::kWait, OnFailure::kRestart);
  AnewWorld world(MakeNodes(1, 2, 3), options);
  JobSpec job = kTrain;
  job.place = "rack=pack! | after 10m: block=pack!";
  world.RunJob(job);
  const std::string node = world.Nodes("team/train")[2];
  world.DeleteNode(node);
  world.Delete(world.On(JobPod(job, 2), node));
  PodFacts again = JobPod(job, 2, 1);
  again.created = absl::ToUnixSeconds(world.now());
  world.Show(again);
  world.Wait(kRestartTimeout + absl::Seconds(5));
  INFO(world.Report("team/train").reason);
  CHECK(world.AnswerAll() == Names{});
  world.Wait(absl::Minutes(5));
  CHECK(!world.Passed(again).empty());
}

// One pod set grows as another one shrinks.
TEST_CASE("restarts: a cluster of which one set grows while another shrinks has lost nothing") {
  AnewWorld world(MakeNodes(1, 2, 4));
  world.Register(Cluster(2, 1));
  std::vector<PodFacts> pods = Workers("small", 0, 2);
  pods.push_back(Pod(kRay, "headgroup", 0));
  pods.push_back(Pod(kRay, "big", 0));
  world.Run(pods);
  REQUIRE(world.StateOf("team/train") == "Running");
  const auto slots = world.Report("team/train").slots;
  const OwnerFacts now_says = Cluster(1, 2);
  world.Register(now_says);
  world.planner().OnOwner(world.now(), OwnerKey(now_says.ns, now_says.ref.uid), now_says);
  std::string node;
  for (const auto& slot : slots)
    if (slot.pod == "train-small-1") node = slot.node;
  REQUIRE(!node.empty());
  PodFacts other = ForeignPod("other", 8);
  other.scheduler_name = "default-scheduler";
  world.Delete(world.On(Workers("small", 1, 2)[0], node));
  world.ShowBound(other, node);
  world.planner().OnOwner(world.now(), OwnerKey(now_says.ns, now_says.ref.uid), now_says);
  world.Show(Pod(kRay, "big", 1));
  world.Wait(kRestartTimeout + absl::Seconds(5));
  INFO(world.Report("team/train").reason);
  CHECK(world.Report("team/train").size == 4);
  CHECK(world.AnswerAll() == Names{});
}

// The rest of it could not start as a whole beside that one.
TEST_CASE("restarts: a gang of which a member has succeeded stays") {
  AnewWorld world(MakeNodes(1, 2, 4));
  JobSpec job = kTrain;
  job.size = 4;
  job.left = 4;
  world.RunJob(job);
  const Names nodes = world.Nodes("team/train");
  const int rack = nodes[0][4] - '0';
  job.left = 3;
  world.Reregister(job);
  world.ShowFinished(JobPod(job, 0), nodes[0]);
  const auto take = [&](std::string_view name, std::string_view node) {
    PodFacts other = ForeignPod(name, 8);
    other.scheduler_name = "default-scheduler";
    world.ShowBound(other, node);
  };
  take("other", nodes[0]);
  for (int i : {0, 1}) take(fmt::format("more-{}", i), NodeNameAt(0, 1 - rack, i));
  if (GENERATE(false, true)) world.Delete(world.On(JobPod(job, 0), nodes[0]));  // it counts still
  world.DeleteNode(nodes[3]);
  world.Delete(world.On(JobPod(job, 3), nodes[3]));
  world.Show(JobPod(job, 3, 1));
  world.Wait(kRestartTimeout + absl::Seconds(5));
  CHECK(world.AnswerAll() == Names{});
}

// What a gang has grown to is not known to whoever starts anew.
TEST_CASE("restarts: what grows has lost nothing, also where Gangplan was restarted meanwhile") {
  AnewWorld world(MakeNodes(1, 2, 3));
  JobSpec job = kTrain;
  world.RunJob(job);
  const Names nodes = world.Nodes("team/train");
  job.size = 4;
  world.Reregister(job);
  world.Show(JobPod(job, 3));
  world.Wait(kOwnerReadAfter + absl::Seconds(2));
  REQUIRE(world.Report("team/train").size == 4);
  world.Wait(absl::Hours(1));
  REQUIRE(world.AnswerAll() == Names{});
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 3));
  for (int i = 0; i < 3; ++i) {
    world.Show(BoundByUs(job, i, nodes[static_cast<size_t>(i)], i));
  }
  world.Show(JobPod(job, 3));
  world.Sync();
  world.Wait(kRestartTimeout + absl::Seconds(10));
  INFO(world.StateOf("team/train") << " " << world.Report("team/train").reason);
  CHECK(world.AnswerAll() == Names{});
}

}  // namespace
}  // namespace gangplan::restarts_spared_test
