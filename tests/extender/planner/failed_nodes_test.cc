// Nodes that are not ready for a while: repair.after.
#include "extender/planner/failed_nodes.h"

#include <set>

#include "extender/planner/event_reasons.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan::failed_nodes_test {
namespace {

constexpr absl::Duration kAfter = absl::Seconds(30);

PlannerOptions Repairing(absl::Duration after = kAfter) {
  PlannerOptions options = PlannerWorld::Options();
  options.repair.after = after;
  return options;
}

// A rack of six nodes, of which a gang of four has the first ones.
struct RackOfSix : LivesWorld {
  JobSpec job = Whole("train", 4);

  explicit RackOfSix(PlannerOptions options = Repairing()) : LivesWorld(6, std::move(options)) {
    Run(*this, job);
    Take<EventNote>();
  }
  void SetReady(int node, bool ready) {
    NodeFacts facts = MakeNode(0, 0, node);
    facts.ready = ready;
    Put(facts);
  }
  std::vector<std::string> Deleted(PodDelete::How how = PodDelete::How::kEvict) {
    std::vector<std::string> names;
    for (const PodDelete& one : Take<PodDelete>()) {
      CHECK(one.how == how);
      names.push_back(one.pod.uid);
    }
    return names;
  }
  std::string UidOn(int node) {
    const std::vector<std::string> nodes = Nodes("team/train");
    const auto at = std::find(nodes.begin(), nodes.end(), NodeNameAt(0, 0, node));
    return JobPod(job, static_cast<int>(at - nodes.begin())).uid;
  }
};

TEST_CASE("Failed nodes: nobody is deleted for what was seen before the watches went silent") {
  RackOfSix world;
  world.SetReady(1, false);
  for (int i = 0; i < 4; ++i) world.planner().Tick(world.now() + i * kAfter, false);
  world.Pass(4 * kAfter);  // it is seen again, and has its time from now on
  CHECK(world.Deleted().empty());
  world.Pass(kAfter - absl::Milliseconds(1));
  CHECK(world.Deleted().empty());
  const bool ready = GENERATE(false, true);
  if (ready) world.SetReady(1, true);
  world.Pass(kAfter);
  CHECK(world.Deleted().empty() == ready);
}

TEST_CASE("Failed nodes: members there are deleted, and made anew beside the others") {
  RackOfSix world;
  const std::string lost = world.UidOn(1);
  world.SetReady(1, false);
  world.Pass(kAfter - absl::Milliseconds(1));
  CHECK(world.Deleted().empty());
  world.Pass(absl::Milliseconds(1));
  CHECK(world.Deleted() == std::vector<std::string>{lost});
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].reason == kGangRepaired);
  CHECK(notes[0].note ==
        "gang team/train of 4: node b0-r0-n1 has not been ready for 30s: its pods there are "
        "evicted, to be made anew where there is room; the others stay");
  const int index = JobPod(world.job, 1).uid == lost ? 1 : 0;
  REQUIRE(JobPod(world.job, index).uid == lost);
  PodFacts stops = BoundByUs(world.job, index, NodeNameAt(0, 0, 1), index);
  stops.terminating = true;  // its kubelet says no more
  world.Show(stops);
  world.Show(JobPod(world.job, index, 1));
  CHECK(Try(world, JobPod(world.job, index, 1)));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
  world.Pass(kFailedRetry);
  CHECK(world.Deleted().empty());
}

TEST_CASE("Failed nodes: what is not seen to go is deleted again, and told once") {
  RackOfSix world;
  world.SetReady(1, false);
  world.Pass(kAfter);
  CHECK(world.Deleted().size() == 1);
  world.Pass(kFailedRetry - absl::Milliseconds(1));
  CHECK(world.Deleted().empty());
  world.Pass(absl::Milliseconds(1));
  CHECK(world.Deleted().size() == 1);
  CHECK(world.Take<EventNote>().size() == 1);
}

TEST_CASE("Failed nodes: what a budget is against is deleted") {
  RackOfSix world;
  world.SetReady(1, false);
  world.Pass(kAfter);
  const std::vector<std::string> evicted = world.Deleted();
  REQUIRE(evicted.size() == 1);
  const auto status =
      GENERATE(absl::StatusCode::kFailedPrecondition, absl::StatusCode::kUnavailable);
  world.planner().OnPodDelete(world.now(), evicted[0], FailedNodes::kAttempt,
                              absl::Status(status, "no"));
  world.Pass(absl::Milliseconds(50));
  const bool refused = status == absl::StatusCode::kFailedPrecondition;
  CHECK(world.Deleted(PodDelete::How::kForce).size() == (refused ? 1U : 0U));
}

// A slow API server answers one after another: the others are still on their way.
TEST_CASE("Failed nodes: a budget that is against one pod has nobody else sent once more") {
  PlannerWorld world(Repairing());
  for (int i = 0; i < 6; ++i) world.Put(MakeNode(0, 0, i, 4));
  world.Sync();
  JobSpec job = Whole("train", 4);
  job.gpus = 1;  // all on one node
  Run(world, job);
  NodeFacts lost = MakeNode(0, 0, world.Nodes("team/train")[0].back() - '0', 4);
  lost.ready = false;
  world.Put(lost);
  world.Pass(kAfter);
  const auto evicted = world.Take<PodDelete>();
  REQUIRE(evicted.size() == 4);
  const bool stops = GENERATE(false, true);
  PodFacts first = JobPod(job, 0);
  REQUIRE(evicted[0].pod.uid == first.uid);
  first.node_name = lost.name;
  if (stops) world.ShowTerminating(first);
  for (int i = 0; i < 2; ++i) {  // told twice
    world.planner().OnPodDelete(world.now(), first.uid, FailedNodes::kAttempt,
                                absl::FailedPreconditionError("a budget"));
    world.Pass(absl::Milliseconds(50));
  }
  const auto forced = world.Take<PodDelete>();
  REQUIRE(forced.size() == (stops ? 0U : 1U));
  if (stops) return;
  CHECK(forced[0].pod.uid == first.uid);
  CHECK(forced[0].how == PodDelete::How::kForce);
  world.Pass(kFailedRetry);
  CHECK(world.Take<PodDelete>().size() == 4);
}

TEST_CASE("Failed nodes: one that comes back in time costs nothing, however often") {
  RackOfSix world;
  for (int i = 0; i < 10; ++i) {
    world.SetReady(1, false);
    world.Pass(kAfter - absl::Seconds(1));
    world.SetReady(1, true);
    world.Pass(absl::Seconds(2));
  }
  CHECK(world.Deleted().empty());
  CHECK(world.Take<EventNote>().empty());
}

TEST_CASE("Failed nodes: news of one that is still not ready do not begin anew") {
  RackOfSix world;
  world.SetReady(1, false);
  world.Pass(kAfter / 2);
  world.SetReady(1, false);
  world.Pass(kAfter / 2);
  CHECK(world.Deleted().size() == 1);
}

// The pods stay bound to it until the garbage collector finds them, a minute later.
TEST_CASE("Failed nodes: one that is deleted has failed, whether it was ready or not") {
  RackOfSix world;
  const bool ready = GENERATE(true, false);
  const std::string lost = world.UidOn(1);
  if (!ready) world.SetReady(1, false);
  world.Pass(kAfter / 2);
  world.planner().OnNodeDeleted(world.now(), NodeNameAt(0, 0, 1));
  if (ready) world.Pass(kAfter / 2);
  world.Pass(kAfter / 2 - absl::Milliseconds(1));
  CHECK(world.Deleted().empty());
  const bool back = GENERATE(true, false);
  if (back) world.SetReady(1, true);
  world.Pass(absl::Milliseconds(1));
  CHECK(world.Deleted() == (back ? std::vector<std::string>() : std::vector<std::string>{lost}));
}

TEST_CASE("Failed nodes: those that are deleted are no outage, and are forgotten with their pods") {
  RackOfSix world;
  for (int i = 0; i < 4; ++i) {
    world.planner().OnNodeDeleted(world.now(), NodeNameAt(0, 0, i));
    world.Pass(absl::Milliseconds(50));
  }
  world.Pass(kAfter);
  CHECK(world.Deleted().size() == 4);
  for (int i = 0; i < 4; ++i) world.Delete(JobPod(world.job, i));
  world.Pass(kFailedRetry);
  CHECK(world.Deleted().empty());
}

TEST_CASE("Failed nodes: without repair.after that is left to Kubernetes") {
  RackOfSix world(Repairing(absl::ZeroDuration()));
  world.SetReady(1, false);
  world.Pass(absl::Hours(1));
  CHECK(world.Deleted().empty());
}

TEST_CASE("Failed nodes: where most are not ready nothing is deleted, and that is told once") {
  RackOfSix world;
  for (int i = 0; i < 4; ++i) world.SetReady(i, false);  // of six
  world.Pass(kAfter);
  world.Pass(kFailedRetry);
  CHECK(world.Deleted().empty());
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].reason == kManyNodesNotReady);
  CHECK(notes[0].note ==
        "4 of 6 nodes are not ready: no pod is deleted for that, as long as they are more than "
        "55 %");
  world.SetReady(0, true);  // three of six
  world.Pass(kFailedRetry);
  CHECK(world.Deleted().size() == 3);
}

TEST_CASE("Failed nodes: an instance that does not act deletes nobody, until it acts") {
  RackOfSix world;
  world.planner().SetActive(world.now(), false);
  world.SetReady(1, false);
  world.Pass(absl::Hours(1));
  CHECK(world.Deleted().empty());
  world.planner().SetActive(world.now(), true);
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Deleted().size() == 1);
}

TEST_CASE("Failed nodes: pods of others there, and those that nobody makes anew, are left") {
  LivesWorld world(6, Repairing());
  JobSpec job = Named("alone", "alone", 1);
  PodFacts bare = JobPod(job, 0);
  bare.controller.reset();
  world.Show(bare);
  REQUIRE(Try(world, bare));
  REQUIRE(world.BindAll() == 1);
  world.ShowBound(ForeignPod("f", 1), NodeNameAt(0, 0, 1));
  for (int i = 0; i < 2; ++i) {
    NodeFacts facts = MakeNode(0, 0, i);
    facts.ready = false;
    world.Put(facts);
  }
  world.Pass(kAfter);
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("Failed nodes: so many are deleted at once, and the rest at the next look") {
  constexpr int kNodes = 10, kOnEach = 64;
  PlannerWorld world(Repairing());
  for (int i = 0; i < kNodes; ++i) world.Put(MakeNode(0, 0, i, kOnEach));
  world.Sync();
  JobSpec job = Whole("large", kNodes * kOnEach);
  job.gpus = 1;
  Run(world, job);
  for (int i = 0; i < kNodes / 2; ++i) {
    NodeFacts lost = MakeNode(0, 0, i, kOnEach);
    lost.ready = false;
    world.Put(lost);
  }
  world.Pass(kAfter);
  CHECK(world.Take<PodDelete>().size() == kDeletedAtOnce);
  const std::string first = JobPod(job, 0).uid;
  world.Delete(JobPod(job, 0));
  world.Pass(kFailedRetry);
  for (const PodDelete& one : world.Take<PodDelete>()) CHECK(one.pod.uid != first);
}

TEST_CASE("Failed nodes: pods that may not be deleted keep no others from being") {
  constexpr int kNodes = 12, kOnEach = 64, kLost = 5;
  PlannerWorld world(Repairing());
  for (int i = 0; i < kNodes; ++i) world.Put(MakeNode(0, 0, i, kOnEach));
  world.Sync();
  JobSpec denied = Whole("denied", kLost * kOnEach);
  denied.gpus = 1;
  Run(world, denied);
  const std::vector<std::string> first = world.Nodes("team/denied");
  JobSpec late = Whole("late", 1);
  late.gpus = kOnEach;
  Run(world, late);
  std::set<std::string> lost(first.begin(), first.end());
  lost.insert(world.Nodes("team/late")[0]);
  REQUIRE(lost.size() == kLost + 1);
  for (int i = 0; i < kNodes; ++i) {
    NodeFacts node = MakeNode(0, 0, i, kOnEach);
    node.ready = !lost.contains(node.name);
    if (!node.ready) world.Put(node);
  }
  world.Pass(kAfter);
  bool evicted = false;
  std::set<std::string> sent;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 20; ++i) {  // also what is sent at once, since it was refused
      for (const PodDelete& one : world.Take<PodDelete>()) {
        evicted |= one.pod.uid == JobPod(late, 0).uid;
        sent.insert(one.pod.uid);
        const bool force = one.how == PodDelete::How::kForce;
        world.planner().OnPodDelete(
            world.now(), one.pod.uid, one.attempt,
            force ? absl::PermissionDeniedError("403") : absl::FailedPreconditionError("429"));
      }
      world.Pass(absl::Milliseconds(50));
    }
    world.Pass(kFailedRetry);
  }
  CHECK(evicted);
  CHECK(sent.size() == static_cast<size_t>(denied.size + 1));
}

}  // namespace
}  // namespace gangplan::failed_nodes_test
