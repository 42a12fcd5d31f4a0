// Gangs of which nothing stands but what has succeeded: the rest starts once more, as a whole.
#include <string>
#include <vector>

#include "fmt/format.h"
#include "tests/extender/planner/succeeded_world.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::passed_over_test {
// What has succeeded is there still.
TEST_CASE("Lives: the rest starts whole when nothing of it stands beside what has succeeded") {
  LivesWorld world(3);
  const JobSpec job = FirstHasSucceeded(world);
  for (int i = 1; i < 3; ++i) world.Delete(JobPod(job, i));
  world.Show(JobPod(job, 1, 1));
  AwaitOwners(world);
  Try(world, JobPod(job, 1, 1));
  CHECK(world.BindAll() == 0);  // the other one is waited for
  world.Show(JobPod(job, 2, 1));
  StartRest(world, job);
  CHECK(world.StateOf("team/train") == "Running");
}

// The others go as they come: each pair that is left stands together still.
TEST_CASE("Lives: units of ranks are not torn where some of their ranks have succeeded") {
  LivesWorld world(8);
  JobSpec job = Whole("train", 4);
  job.gpus = 4;
  job.left = 4;
  SetWord(job.words, "gangplan.io/ranks", "pair=2 node");
  Run(world, job);
  LoseBesideSucceeded(world, job, 3);
  for (int i = 1; i < 4; ++i) world.Show(JobPod(job, i, 1));
  AwaitOwners(world);
  for (int i = 1; i < 4; ++i) Try(world, JobPod(job, i, 1));
  world.BindAll();
  const std::vector<std::string> nodes = world.Nodes("team/train");
  REQUIRE(nodes.size() == 4);
  CHECK(nodes[2] == nodes[3]);
}

TEST_CASE("Lives: the rest goes to one rack, and waits until that has room for all of it") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 3));
  world.Sync();
  JobSpec job = Whole("train", 3);
  job.left = 3;
  Run(world, job);
  std::vector<std::string> nodes = world.Nodes("team/train");
  const std::string rack = nodes[0].substr(0, 5);
  PodFacts ended = JobPod(job, 0);
  ended.node_name = nodes[0];
  world.Show(Ended(ended, PodPhase::kSucceeded));
  job.left = 2;
  world.Reregister(job);
  for (int i = 1; i < 3; ++i) world.Delete(JobPod(job, i));
  // One whole node of each rack is free.
  for (const char* node : {"b0-r0-n0", "b0-r0-n1", "b0-r1-n0", "b0-r1-n1"}) {
    PodFacts other = ForeignPod(fmt::format("other-{}", node), 8);
    other.node_name = node;
    world.Show(other);
  }
  for (int i = 1; i < 3; ++i) world.Show(JobPod(job, i, 1));
  AwaitOwners(world);
  for (int i = 1; i < 3; ++i) CHECK_FALSE(Try(world, JobPod(job, i, 1)));
  CHECK(world.BindAll() == 0);
  CHECK(world.HoldCount() == 0);
  PodFacts gone = ForeignPod("other-b0-r1-n1", 8);
  gone.node_name = "b0-r1-n1";
  world.Delete(gone);
  world.Pass(absl::Seconds(1));
  StartRest(world, job);
  for (const std::string& node : world.Nodes("team/train")) {
    if (!node.empty() && node != "-") CHECK(node.substr(0, 5) == "b0-r1");
  }
}

// A whole pod set has: nobody tells its template any more where Gangplan has begun anew.
TEST_CASE("Lives: the rest starts beside a pod set that has succeeded") {
  LivesWorld world(4);
  JobSpec job = Whole("train", 3);
  job.leader_gpus = 8;
  Run(world, job);
  PodFacts leader = JobPod(job, 0);
  leader.node_name = world.Nodes("team/train")[0];
  world.Show(Ended(leader, PodPhase::kSucceeded));
  for (int i = 1; i < 3; ++i) world.Delete(JobPod(job, i));
  AwaitOwners(world);
  world.Show(JobPod(job, 1, 1));
  Try(world, JobPod(job, 1, 1));
  CHECK(world.BindAll() == 0);
  world.Show(JobPod(job, 2, 1));
  StartRest(world, job);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: the rest starts whole beside what has succeeded after a restart, too") {
  PlannerWorld world;
  const JobSpec job = TwoAreLeft(world);
  PodFacts ended = JobPod(job, 0);
  ended.node_name = "b0-r0-n0";
  world.Show(Ended(ended, PodPhase::kSucceeded));
  world.Show(JobPod(job, 1, 1));
  world.Sync();
  AwaitOwners(world);
  Try(world, JobPod(job, 1, 1));
  CHECK(world.BindAll() == 0);
  world.Show(JobPod(job, 2, 1));
  StartRest(world, job);
}

// However often; and it is done in the end.
TEST_CASE("Lives: the rest that is lost once more starts whole once more") {
  LivesWorld world(3);
  JobSpec job = Whole("train", 3);
  const bool tells_left = GENERATE(true, false);
  if (tells_left) job.left = 3;
  Run(world, job);
  world.Show(Succeeded(world, job, 0));
  if (tells_left) job.left = 2;
  world.Reregister(job);
  Lose(world, job, 1);
  CHECK(world.StateOf("team/train") == "Done");
  ComeWhole(world, job, 1, 1);
  Lose(world, job, 1, 1);
  CHECK(world.StateOf("team/train") == "Done");
  SECTION("who has succeeded is there still") {}
  SECTION("it is gone") { world.Delete(JobPod(job, 0)); }
  if (tells_left || world.StateOf("team/train") != "(none)") {
    ComeWhole(world, job, 1, 2);
    CHECK(world.StateOf("team/train") == "Running");
    for (int i = 1; i < 3; ++i) {
      PodFacts pod = JobPod(job, i, 2);
      pod.node_name = world.Nodes("team/train")[static_cast<size_t>(i - 1)];
      world.Show(Ended(pod, PodPhase::kSucceeded));
    }
    CHECK(world.StateOf("team/train") == "Done");
    CHECK(world.HoldCount() == 0);
  }
}

// These come after the others, of which nothing was lost.
TEST_CASE("Lives: a Job of which all that ran have succeeded runs on with its next pods") {
  LivesWorld world(4);
  JobSpec job = Whole("waves", 2);
  job.left = 4;
  Run(world, job);
  for (int i = 0; i < 2; ++i) world.Show(Succeeded(world, job, i));
  job.left = 2;
  world.Reregister(job);
  world.Show(JobPod(job, 2));
  AwaitOwners(world);
  CHECK(Try(world, JobPod(job, 2)));
  CHECK(world.BindAll() == 1);
}

// Whose pods come next nobody knows.
TEST_CASE("Lives: nobody is passed over in a gang of several owners") {
  LivesWorld world(4);
  JobSpec one = Whole("one", 2);
  one.words = {{"gangplan.io/group", "both"}, {"gangplan.io/size", "4"}};
  JobSpec two = one;
  two.name = "two";
  for (const JobSpec& job : {one, two}) world.ShowJob(job, 0, 2);
  for (const JobSpec& job : {one, two}) {
    for (int i = 0; i < 2; ++i) REQUIRE(Try(world, JobPod(job, i)));
  }
  REQUIRE(world.BindAll() == 4);
  PodFacts pod = JobPod(one, 0);
  pod.node_name = world.Nodes("team/both")[0];
  world.Show(Ended(pod, PodPhase::kSucceeded));
  Lose(world, one, 1);
  Lose(world, two, 0);
  world.Show(JobPod(two, 0, 1));
  AwaitOwners(world);
  CHECK(Try(world, JobPod(two, 0, 1)));
  CHECK(world.BindAll() == 1);
}

// Kueue places the two together, and knows of one pod in one of them.
TEST_CASE("Lives: nobody is passed over where a pod set is over that another one goes by") {
  LivesWorld world(4);
  JobSpec job{.name = "train", .size = 3, .gpus = 8};
  job.words = {{"kueue.x-k8s.io/podset-required-topology", "example.com/rack"},
               {"kueue.x-k8s.io/podset-group-name", "lw"}};
  job.leader_gpus = 8;
  job.together = true;
  job.left = 3;
  Run(world, job);
  LoseBesideSucceeded(world, job, 2);
  world.Show(JobPod(job, 1, 1));
  AwaitOwners(world);
  CHECK(Try(world, JobPod(job, 1, 1)));
  CHECK(world.BindAll() == 1);
}

// Whatever it waits for then.
TEST_CASE("Lives: it is done where the rest goes once more before it starts") {
  LivesWorld world(3);
  JobSpec job = Whole("train", 3);
  job.left = 3;
  Run(world, job);
  LoseBesideSucceeded(world, job, 2);
  PodFacts other = ForeignPod("other", 8);
  other.node_name = "b0-r0-n0";
  int come = 2;
  std::string state = "Planned";
  SECTION("all of it has room") {}
  SECTION("some of it has come") { come = 1, state = "Gathering"; }
  SECTION("it has no room") {
    PodFacts another = ForeignPod("another", 8);
    another.node_name = "b0-r0-n1";
    world.Show(other);
    world.Show(another);
    state = "Blocked";
  }
  SECTION("its room came to nothing") { state = "Released"; }
  for (int i = 1; i <= come; ++i) world.Show(JobPod(job, i, 1));
  AwaitOwners(world);
  if (state == "Released") world.Pass(absl::Minutes(6));
  CHECK(world.StateOf("team/train") == state);
  for (int i = 1; i <= come; ++i) world.Delete(JobPod(job, i, 1));
  CHECK(world.StateOf("team/train") == "Done");
  CHECK(world.HoldCount() == 0);
  world.Pass(absl::Minutes(20));
  CHECK(world.StateOf("team/train") == "Done");
  world.Show(JobPod(job, 1, 2));
  AwaitOwners(world);
  world.Delete(JobPod(job, 0));  // of whom the status tells
  world.Delete(JobPod(job, 1, 2));
  CHECK(world.StateOf("team/train") == "(none)");
}

// The JobSet says that there are to be three.
TEST_CASE("Lives: the rest of a JobSet starts whole beside a Job of it that has succeeded") {
  LivesWorld world(4);
  JobSpec job = Whole("train", 3);
  job.leader_gpus = 8;
  job.in_set = true;
  Run(world, job);
  world.Show(Succeeded(world, job, 0));
  Lose(world, job, 1);
  ComeWhole(world, job, 1, 1);
  CHECK(world.StateOf("team/train") == "Running");
  world.Reregister(job);
  AwaitOwners(world);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: where the last one succeeds while others wait, these start whole") {
  LivesWorld world(3);
  JobSpec job = Whole("train", 3);
  job.left = 3;
  Run(world, job);
  const PodFacts first = Succeeded(world, job, 0);
  Lose(world, job, 1);
  for (int i = 1; i < 3; ++i) world.Show(JobPod(job, i, 1));
  job.left = 2;
  world.Reregister(job);
  world.Show(first);
  AwaitOwners(world);
  Try(world, JobPod(job, 1, 1));
  CHECK(world.BindAll() == 0);
  StartRest(world, job);
}

// It is the last one that was to stand.
TEST_CASE("Lives: where a Binding beside what has succeeded is refused, the rest starts whole") {
  LivesWorld world(3);
  JobSpec job = FirstHasSucceeded(world);
  world.Delete(JobPod(job, 2));
  world.Show(JobPod(job, 2, 1));
  AwaitOwners(world);
  REQUIRE(Try(world, JobPod(job, 2, 1)));
  const std::vector<BindingWrite> posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 1);
  world.Delete(JobPod(job, 1));
  world.Settle(posts.front(), BindOutcome::kRefused, "no");
  AwaitOwners(world);
  Try(world, JobPod(job, 2, 1));
  CHECK(world.BindAll() == 0);  // the other one is waited for
  world.Show(JobPod(job, 1, 1));
  for (int i = 1; i < 3; ++i) world.Passed(JobPod(job, i, 1));  // planned when all are asked for
  StartRest(world, job);
}

TEST_CASE("Lives: what has succeeded stays in the report of a gang that starts anew") {
  LivesWorld world(3);
  const JobSpec job = FirstHasSucceeded(world);
  Lose(world, job, 1);
  world.Show(JobPod(job, 1, 1));
  AwaitOwners(world);
  CHECK(world.Report("team/train").size == 2);
  CHECK(world.Report("team/train").seen == 1);
}

TEST_CASE("Suspended: what is left of a Job that was started by us is not suspended for ever") {
  SuspendedWorld world;
  JobSpec job{.name = "train", .size = 3, .gpus = 4, .place = "rack=pack!", .indexed = false};
  job.left = 3;
  const JobWrite start = world.Run(job);
  PodFacts first = SuspendedWorld::Born(job, 0, start);
  first.node_name = world.Nodes("team/train")[0];
  world.Show(Ended(first, PodPhase::kSucceeded));
  job.left = 2;
  world.Reregister(job);
  AwaitOwners(world);
  world.LoseNodes("team/train");
  for (int i = 1; i < 3; ++i) world.Delete(SuspendedWorld::Born(job, i, start));
  // Its pods may go nowhere else.
  for (int i = 1; i < 3; ++i) {
    PodFacts next = JobPod(job, i, 1);
    next.filter.required_terms = first.filter.required_terms;
    world.Show(next);
  }
  AwaitOwners(world);
  JobWrite write;
  REQUIRE(world.SecondsToWrite(600, write) >= 0);
  CHECK(write.suspend);
  world.Tell(write);
  world.See(job);
  for (int i = 1; i < 3; ++i) world.Delete(JobPod(job, i, 1));
  REQUIRE(world.SecondsToWrite(60, write) >= 0);
  CHECK_FALSE(write.suspend);
  world.Tell(write);
  world.Leave(job);
  // What is free takes one of them only.
  std::vector<PodFacts> others;
  for (const NodeFacts& node : MakeNodes(1, 2, 2)) {
    if (world.planner().model().FindNode(node.name) == kNoNode) continue;
    PodFacts other = ForeignPod("other-" + node.name, others.empty() ? 4 : 8);
    other.node_name = node.name;
    world.Show(other);
    others.push_back(other);
  }
  REQUIRE(others.size() == 2);
  for (int i = 1; i < 3; ++i) world.Show(JobPod(job, i, 2));
  for (int i = 0; i < 600; ++i) world.Pass(absl::Seconds(3));
  CHECK(world.Take<JobWrite>().empty());
  CHECK(world.HoldCount() == 0);
  for (const PodFacts& other : others) world.Delete(other);
  world.Pass(absl::Seconds(1));
  for (int i = 1; i < 3; ++i) CHECK(Try(world, JobPod(job, i, 2)));
  CHECK(world.BindAll() == 2);
}

}  // namespace gangplan::passed_over_test
