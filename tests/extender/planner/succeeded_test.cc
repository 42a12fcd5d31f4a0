// Jobs of which some indices have succeeded for good, while the rest has to start once more.
#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "tests/extender/planner/succeeded_world.h"

namespace gangplan::succeeded_test {
namespace {

void Remake(PlannerWorld& world, const JobSpec& job) {
  for (int i = 1; i < 3; ++i) world.Delete(JobPod(job, i));
  for (int i = 1; i < 3; ++i) world.Show(JobPod(job, i, 1));
  AwaitOwners(world);
}

// One of its members has succeeded, and all of them are gone then.
void EndAndLose(PlannerWorld& world, JobSpec& job, int ended) {
  const std::vector<std::string> nodes = world.Nodes("team/" + job.name);
  const auto on = [&](int index) {
    PodFacts pod = JobPod(job, index);
    pod.node_name = nodes[static_cast<size_t>(index)];
    return pod;
  };
  world.Show(Ended(on(ended), PodPhase::kSucceeded));
  job.left = job.size - 1;
  world.Reregister(job);
  for (int i = 0; i < job.size; ++i) world.Delete(on(i));
}

}  // namespace

TEST_CASE("Lives: what has succeeded and is gone is not waited for") {
  LivesWorld world(3);
  const JobSpec job = FirstHasSucceeded(world);
  world.Delete(JobPod(job, 0));
  Remake(world, job);
  StartRest(world, job);
  CHECK(world.StateOf("team/train") == "Running");
}

// Whichever of them it was: a whole pod set, or one of several.
TEST_CASE("Lives: what has succeeded and is gone is not waited for where pods tell their sets") {
  const int gone = GENERATE(0, 1);
  LivesWorld world(4);
  JobSpec job = Whole("train", 4);
  job.leader_gpus = 8;
  job.left = 4;
  Run(world, job);
  EndAndLose(world, job, gone);
  const auto remake = [&](int life) {
    for (int i = 0; i < 4; ++i) {
      if (i != gone) world.Show(JobPod(job, i, life));
    }
    AwaitOwners(world);
  };
  remake(1);
  CHECK(world.Report("team/train").size == 3);
  for (int i = 0; i < 4; ++i) {
    if (i == gone) continue;
    world.Delete(JobPod(job, i, 1));  // one is made anew once more
    world.Show(JobPod(job, i, 2));
    break;
  }
  AwaitOwners(world);
  int tried = 0;
  for (int i = 0; i < 4; ++i) {
    const bool again = i == (gone == 0 ? 1 : 0);
    if (i != gone) tried += Try(world, JobPod(job, i, again ? 2 : 1));
  }
  CHECK(tried == 3);
  CHECK(world.BindAll() == 3);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: the only worker that is left may be made anew") {
  LivesWorld world(3);
  JobSpec job = Whole("train", 3);
  job.leader_gpus = 8;
  job.left = 3;
  Run(world, job);
  EndAndLose(world, job, 1);
  std::vector<PodFacts> others;
  for (int i = 0; i < 2; ++i) {
    PodFacts other = ForeignPod(fmt::format("other-{}", i), 8);
    other.scheduler_name = "default-scheduler";
    other.node_name = fmt::format("b0-r0-n{}", i);
    world.Show(other);
    others.push_back(other);
  }
  for (int i : {0, 2}) world.Show(JobPod(job, i, 1));
  AwaitOwners(world);
  REQUIRE(world.Report("team/train").size == 2);
  world.Delete(JobPod(job, 2, 1));
  world.Show(JobPod(job, 2, 2));
  AwaitOwners(world);
  for (int i = 0; i < 60; ++i) world.Pass(absl::Seconds(1));
  for (const PodFacts& other : others) world.Delete(other);
  world.Pass(absl::Seconds(1));
  CHECK(world.Refusal(JobPod(job, 2, 2)) == "passed: 1");
  CHECK(Try(world, JobPod(job, 0, 1)));
  CHECK(Try(world, JobPod(job, 2, 2)));
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Lives: a gang whose owner makes fewer than its pods say waits for the rest") {
  LivesWorld world(4);
  JobSpec job = Whole("train", 2);
  job.left = 2;
  job.words = {{"gangplan.io/size", "4"}};
  world.ShowJob(job, 0, 2);
  AwaitOwners(world);
  for (int i = 0; i < 2; ++i) Try(world, JobPod(job, i));
  CHECK(world.BindAll() == 0);
  CHECK(world.Report("team/train").size == 4);
}

TEST_CASE("Lives: what has succeeded goes while the rest waits to start once more") {
  LivesWorld world(3);
  const JobSpec job = FirstHasSucceeded(world);
  Remake(world, job);
  world.Delete(JobPod(job, 0));
  AwaitOwners(world);
  StartRest(world, job);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: a restart does not wait for what has succeeded and is gone") {
  PlannerWorld world;
  const JobSpec job = TwoAreLeft(world);
  for (int i = 1; i < 3; ++i) world.Show(JobPod(job, i, 1));
  world.Sync();
  StartRest(world, job);
}

TEST_CASE("Lives: the gang that is left starts whole") {
  LivesWorld world(3);
  const JobSpec job = FirstHasSucceeded(world);
  world.Delete(JobPod(job, 0));
  for (int i = 1; i < 3; ++i) world.Delete(JobPod(job, i));
  world.Show(JobPod(job, 1, 1));
  AwaitOwners(world);
  CHECK(Try(world, JobPod(job, 1, 1)));
  CHECK(world.BindAll() == 0);  // the other one is waited for
  world.Show(JobPod(job, 2, 1));
  CHECK(Try(world, JobPod(job, 2, 1)));
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Lives: a gang that runs keeps its place when some have succeeded and are gone") {
  LivesWorld world(3);
  const JobSpec job = FirstHasSucceeded(world);
  world.Delete(JobPod(job, 0));
  AwaitOwners(world);
  world.Delete(JobPod(job, 2));
  world.Show(JobPod(job, 2, 1));
  AwaitOwners(world);
  CHECK(Try(world, JobPod(job, 2, 1)));
  CHECK(world.BindAll() == 1);
}

TEST_CASE("Lives: who has succeeded is not counted twice while the owner is not read") {
  LivesWorld world(3);
  JobSpec job = FirstHasSucceeded(world);
  world.Delete(JobPod(job, 0));
  Remake(world, job);
  StartRest(world, job);
  PodFacts pod = JobPod(job, 1, 1);
  pod.node_name = world.Nodes("team/train").front();
  world.Show(Ended(pod, PodPhase::kSucceeded));
  CHECK(world.Report("team/train").slots.size() == 2);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: after a restart a gang runs of which some have succeeded and are gone") {
  PlannerWorld world;
  const JobSpec job = TwoAreLeft(world);
  for (int i = 1; i < 3; ++i) world.Show(BoundByUs(job, i, fmt::format("b0-r0-n{}", i), i - 1));
  world.Sync();
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").slots.size() == 2);
}

TEST_CASE("Lives: a gang that has not started after all has the size that is left") {
  LivesWorld world(3);
  JobSpec job = FirstHasSucceeded(world);
  world.Delete(JobPod(job, 0));
  world.Delete(JobPod(job, 2));
  world.Show(JobPod(job, 2, 1));
  AwaitOwners(world);
  REQUIRE(Try(world, JobPod(job, 2, 1)));
  const std::vector<BindingWrite> posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 1);
  world.Delete(JobPod(job, 1));
  world.Show(JobPod(job, 1, 1));
  AwaitOwners(world);
  world.Settle(posts.front(), BindOutcome::kRefused, "no");
  world.Pass(absl::Seconds(1));
  StartRest(world, job);
}

TEST_CASE("Lives: a Job that was scaled to nothing and back starts") {
  LivesWorld world(3);
  JobSpec job = Whole("train", 2);
  Run(world, job);
  PodFacts stays = JobPod(job, 0);
  stays.node_name = "b0-r0-n0";
  world.Show(Ended(stays, PodPhase::kSucceeded));
  world.Delete(JobPod(job, 1));
  job.size = 0;
  world.Reregister(job);
  AwaitOwners(world);
  job.size = 2;
  world.Show(JobPod(job, 1, 1));
  world.Reregister(job);
  AwaitOwners(world);
  world.Pass(absl::Seconds(1));
  CHECK(Try(world, JobPod(job, 1, 1)));
  CHECK(world.BindAll() == 1);
}

TEST_CASE("Lives: two owners of one group are not told that a part of it has succeeded") {
  LivesWorld world(4);
  JobSpec one = Whole("one", 2);
  one.words = {{"gangplan.io/group", "both"}};
  JobSpec two = one;
  two.name = "two";
  one.indexed = two.indexed = false;
  one.left = 1;
  world.Register(one);
  world.Register(two);
  world.Show(JobPod(one, 0));
  world.Show(JobPod(two, 0));
  AwaitOwners(world);
  CHECK(world.Report("team/both").slots.size() == 2);
}

// Its pods tell all, so that its owner was not read before; after a restart only that knows.
TEST_CASE("Lives: the last of a gang by name does not wait for what has succeeded and is gone") {
  const int32_t size = GENERATE(2, 3);  // of another size than its owner's it may have two owners
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 3));
  JobSpec job = Whole("last", 2);
  job.words = {{"gangplan.io/group", "last"}, {"gangplan.io/size", fmt::format("{}", size)}};
  job.left = 1;
  world.Register(job);
  world.Show(JobPod(job, 1, 1));
  world.Sync();
  Try(world, JobPod(job, 1, 1));
  CHECK(world.BindAll() == 0);
  world.Pass(absl::Seconds(31));
  AwaitOwners(world);
  Try(world, JobPod(job, 1, 1));
  CHECK(world.BindAll() == (size == 2 ? 1 : 0));
  CHECK(world.Report("team/last").size == (size == 2 ? 1 : 3));
}

TEST_CASE("Lives: an owner of whose words nobody has need may say others") {
  LivesWorld world(3);
  JobSpec job = Whole("told", 2);
  job.words = {{"gangplan.io/group", "told"}, {"gangplan.io/size", "2"}};
  world.Register(job);
  world.Show(JobPod(job, 0));
  world.Pass(absl::Seconds(31));
  AwaitOwners(world);
  REQUIRE(world.HoldCount() == 2);
  const std::vector<std::string> nodes = world.Nodes("team/told");
  OwnerFacts owner = JobOwner(job);
  owner.annotations = {{"gangplan.io/place", "block=pack!"}, {"gangplan.io/runtime", "no time"}};
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), owner);
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/told") == nodes);
  world.Show(JobPod(job, 1));
  Start(world, job);
  CHECK(world.StateOf("team/told") == "Running");
}

TEST_CASE("Lives: a group that ends with room that it held for a replacement makes place, too") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.groups = 1;
  LivesWorld world(2, options);
  const JobSpec old = Named("old", "old", 2);
  world.Show(BoundByUs(old, 0, "b0-r0-n0", 0));
  world.Show(JobPod(old, 1));
  REQUIRE(world.HoldCount() == 1);
  world.Delete(JobPod(old, 1));
  REQUIRE(world.HoldCount() == 1);  // for a replacement
  world.Show(Ended(BoundByUs(old, 0, "b0-r0-n0", 0), PodPhase::kSucceeded));
  CHECK(world.StateOf("team/old") == "Done");
  CHECK(world.HoldCount() == 0);
  const JobSpec next = Named("new", "new", 1);
  world.Show(JobPod(next, 0));
  CHECK(world.StateOf("team/new") == "Planned");
  CHECK(world.planner().Stats().refused_claims == 0);
}

}  // namespace gangplan::succeeded_test
