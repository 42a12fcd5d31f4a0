// Gangs that get another size while they wait, begin or run.
#include "extender/planner/owner_key.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan::scaled_test {
namespace {

// The owner says so many, and is read.
void Rescale(PlannerWorld& world, JobSpec& job, int32_t size) {
  job.size = size;
  world.Reregister(job);
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), JobOwner(job));
}

JobSpec Unindexed(int32_t size) {
  JobSpec job = Whole("train", size);
  job.indexed = false;
  return job;
}

// Of its Bindings all are refused but the one of `doubtful`, of which nobody can tell.
BindingWrite Doubt(PlannerWorld& world, const JobSpec& job, int doubtful) {
  world.ShowJob(job, 0, job.size);
  for (int i = 0; i < job.size; ++i) REQUIRE(Try(world, JobPod(job, i)));
  BindingWrite open;
  for (const BindingWrite& post : world.Take<BindingWrite>()) {
    const bool doubted = post.pod.uid == JobPod(job, doubtful).uid;
    world.Settle(post, doubted ? BindOutcome::kUnknown : BindOutcome::kRefused, "no");
    if (doubted) open = post;
  }
  return open;
}

}  // namespace

TEST_CASE("Scaled: a gang that gathers and becomes larger is asked again as its pods come") {
  PlannerOptions options = PlannerWorld::Options();
  options.hold_from = 50;
  LivesWorld world(8, options);
  JobSpec job = Whole("train", 4);
  const int there = GENERATE(2, 4);
  world.ShowJob(job, 0, there);
  REQUIRE(world.StateOf("team/train") == (there == 2 ? "Gathering" : "Planned"));
  Rescale(world, job, 12);
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == 0);  // too few of its members exist
  Rescale(world, job, 8);
  for (int i = there; i < 8; ++i) world.Show(JobPod(job, i));
  Start(world, job);
  CHECK(world.StateOf("team/train") == "Running");
}

// Its slots would be there at once, whether its pods ever are or not.
TEST_CASE("Scaled: a gang that runs grows as far as its namespace may claim, and by who is there") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.members = 10;
  LivesWorld world(16, options);
  JobSpec other = Whole("other", 4);
  world.Register(other);
  world.Show(JobPod(other, 0));
  JobSpec job = Whole("train", 4);
  Run(world, job);
  Rescale(world, job, 10);
  world.Pass(absl::Seconds(3));
  CHECK(world.Report("team/train").size == 6);
  for (int i = 4; i < 7; ++i) world.Show(JobPod(job, i));
  CHECK_THAT(world.Refusal(JobPod(job, 7)),
             ContainsText("already has its 6 members; the groups of"
                          " namespace team may have 10 members in all"
                          " (limits.namespace.claimedMembers)"));
  world.Pass(absl::Seconds(2));
  CHECK(world.Report("team/train").size == 8);  // of which two are there beside those that claim
  SECTION("it is as large as its owner says when others have ended") {
    world.Delete(JobPod(other, 0));
    world.Pass(absl::Seconds(2));
    CHECK(world.Report("team/train").size == 10);
  }
  SECTION("it is not kept small when its owner takes that back") {
    Rescale(world, job, 8);
    world.Show(JobPod(job, 8));
    CHECK(world.Refusal(JobPod(job, 8)).find("claimedMembers") == std::string::npos);
  }
}

TEST_CASE("Scaled: a gang that waits is as large as its owner says, and smaller again") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.members = 4;
  LivesWorld world(8, options);
  JobSpec job = Whole("train", 4);
  world.ShowJob(job, 0, 3);
  Rescale(world, job, 400'000);
  Rescale(world, job, 5);
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/train").size == 5);
  Rescale(world, job, 4);
  world.Show(JobPod(job, 3));
  Start(world, job);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Scaled: a gang that shrank starts with those left when who was in doubt is deleted") {
  LivesWorld world(5);
  JobSpec job = Unindexed(4);
  Doubt(world, job, 0);
  Rescale(world, job, 3);
  world.Delete(JobPod(job, 0));
  world.Pass(absl::Seconds(1));
  for (int i = 1; i < 4; ++i) Try(world, JobPod(job, i));
  CHECK(world.BindAll() == 3);
}

TEST_CASE("Scaled: a gang that shrank starts when the Binding in doubt was of a pod that is gone") {
  LivesWorld world(5);
  JobSpec job = Unindexed(4);
  const BindingWrite open = Doubt(world, job, 3);
  Rescale(world, job, 3);
  world.planner().OnBindResult(world.now(), open.pod, open.node, open.attempt,
                               {BindOutcome::kGone, ""});
  for (int i = 0; i < 3; ++i) Try(world, JobPod(job, i));
  CHECK(world.BindAll() == 3);
}

TEST_CASE("Scaled: a gang that shrank starts when the last, which is in doubt, is deleted") {
  LivesWorld world(5);
  JobSpec job = Unindexed(4);
  Doubt(world, job, 3);
  Rescale(world, job, 3);
  world.Delete(JobPod(job, 3));
  world.Pass(absl::Seconds(1));
  for (int i = 0; i < 3; ++i) Try(world, JobPod(job, i));
  CHECK(world.BindAll() == 3);
}

TEST_CASE("Scaled: a Binding that is seen before its answer keeps a place that was to go") {
  LivesWorld world(4);
  JobSpec job = Unindexed(3);
  Run(world, job);
  world.Delete(JobPod(job, 2));
  world.Show(JobPod(job, 2, 1));
  const std::string node = world.Passed(JobPod(job, 2, 1));
  REQUIRE(world.Bind(JobPod(job, 2, 1), node).decision.held);
  Rescale(world, job, 2);
  world.ShowBound(JobPod(job, 2, 1), node);
  CHECK(world.Report("team/train").bound == 3);
  world.Delete(JobPod(job, 0));
  CHECK(world.HoldCount() == 0);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Scaled: a gang of which one in the middle was scaled away runs") {
  LivesWorld world(4);
  JobSpec job = Unindexed(4);
  Run(world, job);
  job.size = 3;
  world.Reregister(job);
  world.Delete(JobPod(job, 1));
  AwaitOwners(world);
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").size == 3);
  world.Delete(JobPod(job, 3));
  world.Show(JobPod(job, 3, 1));
  CHECK(Try(world, JobPod(job, 3, 1)));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Scaled: no room is held for one that runs without a place") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  const JobSpec job = Unindexed(2);
  world.Register(job);
  for (int i = 0; i < 3; ++i) world.Show(BoundByUs(job, i, NodeNameAt(0, 0, i), i));
  world.Sync();
  world.Delete(JobPod(job, 0));
  CHECK(world.HoldCount() == 0);
  CHECK(world.Report("team/train").bound == 2);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Scaled: a gang is broken while one beyond its size runs on") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  const JobSpec job = Unindexed(2);
  world.Register(job);
  for (int i = 0; i < 3; ++i) world.Show(BoundByUs(job, i, NodeNameAt(0, 0, 0), i));
  const JobSpec other = Whole("other", 1);
  world.Register(other);
  world.Show(BoundByUs(other, 0, NodeNameAt(0, 0, 1), 0));
  world.Sync();
  const std::vector<std::string> uids = {JobPod(job, 0).uid, JobPod(job, 2).uid,
                                         JobPod(other, 0).uid};
  const std::vector<PreemptCandidate> candidates = {{"b0-r0-n0", {uids[0], uids[1]}},
                                                    {"b0-r0-n1", {uids[2]}}};
  CHECK(world.planner().Preempt(world.now(), ForeignPod("f", 1, 100), candidates) ==
        std::vector<int32_t>{1});
}

TEST_CASE("Scaled: a slot of nobody that was to go goes with its room, and the gang runs") {
  LivesWorld world(4);
  JobSpec job = Unindexed(3);
  Run(world, job);
  world.Delete(JobPod(job, 2));
  world.Show(JobPod(job, 2, 1));
  REQUIRE(world.HoldCount() == 1);
  Rescale(world, job, 2);
  world.Delete(JobPod(job, 2, 1));
  world.Pass(PlannerWorld::Options().gather_timeout + absl::Seconds(1));
  CHECK(world.HoldCount() == 0);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE(
    "Scaled: who runs beyond the size takes the place of one that goes, and starts the rest") {
  LivesWorld world(4);
  const JobSpec job = Unindexed(2);
  world.ShowJob(job, 0, 2);
  REQUIRE(Try(world, JobPod(job, 0)));
  world.ShowBound(JobPod(job, 2), "b0-r0-n3");
  world.Delete(JobPod(job, 1));
  CHECK(world.BindAll() == 1);
}

}  // namespace gangplan::scaled_test
