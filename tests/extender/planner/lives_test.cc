// Lives of gangs over hours: pods that finish, come again or are scaled, who goes first, and owners
// that are read late.
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "tests/extender/planner/lives_world.h"
#include "tests/support/sentences.h"

namespace gangplan::lives_test {

TEST_CASE("Lives: a restart reads the pod that has succeeded after those that run") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  JobSpec job = Whole("train", 2);
  job.indexed = false;
  world.Register(job);
  world.Show(BoundByUs(job, 1, "b0-r0-n0", 0));
  world.Show(BoundByUs(job, 2, "b0-r0-n1", 1));
  world.Show(Ended(BoundByUs(job, 0, "b0-r0-n0", 0), PodPhase::kSucceeded));
  world.Sync();
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").bound == 2);
}

TEST_CASE("Lives: a second run under the name of one that has ended starts as a gang") {
  LivesWorld world(4);
  const JobSpec one = Named("run1", "nightly", 4);
  const JobSpec two = Named("run2", "nightly", 4);
  Run(world, one);
  for (int i = 0; i < 4; ++i)
    world.Show(Ended(BoundByUs(one, i, fmt::format("b0-r0-n{}", i), i), PodPhase::kSucceeded));
  CHECK(world.StateOf("team/nightly") == "Done");
  world.Pass(absl::Hours(1));
  for (int i = 0; i < 2; ++i)
    world.ShowBound(ForeignPod(fmt::format("f{}", i), 8), fmt::format("b0-r0-n{}", i));
  world.Register(two);
  for (int i = 0; i < 4; ++i) world.Show(JobPod(two, i));
  CHECK(world.StateOf("team/nightly") == "Blocked");
  for (int i = 0; i < 4; ++i) CHECK(world.Passed(JobPod(two, i)) == "");
  CHECK(world.Take<BindingWrite>().empty());
  for (int i = 0; i < 2; ++i) world.Delete(ForeignPod(fmt::format("f{}", i), 8));
  world.Pass(absl::Seconds(1));
  Start(world, two);
  CHECK(world.StateOf("team/nightly") == "Running");
}

TEST_CASE("Lives: pods of one Job that follow others join their gang") {
  LivesWorld world(4);
  JobSpec job = Named("run", "stream", 2);
  job.indexed = false;
  Run(world, job);
  world.Show(Ended(BoundByUs(job, 0, "b0-r0-n0", 0), PodPhase::kSucceeded));
  world.Show(Ended(BoundByUs(job, 1, "b0-r0-n1", 1), PodPhase::kSucceeded));
  world.Show(JobPod(job, 2));
  CHECK(Try(world, JobPod(job, 2)));
  CHECK(world.BindAll() == 1);
}

TEST_CASE("Lives: a restart finds pods of a second run that follow others in their gang") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  const JobSpec one = Named("run1", "stream", 2);
  JobSpec two = Named("run2", "stream", 2);
  two.indexed = false;
  for (const JobSpec& job : {one, two}) {
    for (int i = 0; i < 2; ++i)
      world.Show(Ended(BoundByUs(job, i, fmt::format("b0-r0-n{}", i), i), PodPhase::kSucceeded));
  }
  world.Show(JobPod(two, 2));
  world.Sync();
  CHECK(Try(world, JobPod(two, 2)));
  CHECK(world.BindAll() == 1);
}

TEST_CASE("Lives: a pod that came before its place was free starts when another has succeeded") {
  LivesWorld world(4);
  JobSpec job = Whole("train", 1);
  job.indexed = false;
  Run(world, job);
  world.Show(JobPod(job, 1));
  CHECK(world.Passed(JobPod(job, 1)) == "");
  world.Show(Ended(BoundByUs(job, 0, "b0-r0-n0", 0), PodPhase::kSucceeded));
  CHECK(Try(world, JobPod(job, 1)));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: words that are mended on the owner are read again") {
  LivesWorld world(2);
  JobSpec job = Whole("train", 2);
  job.place.clear();
  OwnerFacts owner = JobOwner(job);
  owner.annotations = {{"gangplan.io/place", "rack=pakc!"}};
  world.answer_owners = false;
  for (int i = 0; i < 2; ++i) world.Show(JobPod(job, i));
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), owner);
  CHECK(world.StateOf("team/train") == "New");
  owner.annotations = {{"gangplan.io/place", "rack=pack!"}};
  world.ForgetEffects();
  world.Pass(kOwnerRecheck);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Take<OwnerRead>().size() == 1);
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), owner);
  CHECK(world.StateOf("team/train") == "Planned");
}

TEST_CASE("Lives: words that were mended before the owner was read are not forgotten for a call") {
  LivesWorld world(2);
  world.answer_owners = false;
  JobSpec job = Whole("train", 1);
  job.place = "rack=pakc!";
  const PodFacts before = JobPod(job, 0);
  world.Show(before);
  job.place = "rack=pack!";
  world.Show(JobPod(job, 0));
  CHECK(world.Refusal(before) == "error: " + Sentence("reading the owner"));
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), JobOwner(job));
  CHECK(Try(world, JobPod(job, 0)));
}

TEST_CASE("Lives: groups that have ended make place for new ones") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.groups = 3;
  LivesWorld world(2, options);
  for (int i = 0; i < 3; ++i) {
    const JobSpec job = Named(fmt::format("j{}", i), fmt::format("j{}", i), 2);
    for (int k = 0; k < 2; ++k) world.Show(BoundByUs(job, k, "b0-r0-n0", k));
    world.Show(Ended(BoundByUs(job, 0, "b0-r0-n0", 0), PodPhase::kSucceeded));
    world.Show(Ended(BoundByUs(job, 1, "b0-r0-n0", 1), PodPhase::kFailed));
    CHECK(world.StateOf(fmt::format("team/j{}", i)) == "Done");
  }
  const JobSpec job = Named("new", "new", 1);
  world.Show(JobPod(job, 0));
  CHECK(world.Passed(JobPod(job, 0)) != "");
  CHECK(world.planner().Stats().refused_claims == 0);
}

TEST_CASE("Lives: who waits with a greater priority takes the room before a newcomer") {
  LivesWorld world(2);
  const PodFacts used = ForeignPod("used", 8);
  world.ShowBound(used, "b0-r0-n0");
  const JobSpec high = Whole("high", 2, 1000);
  const JobSpec low = Whole("low", 1);
  world.ShowJob(high, 0, 2);
  SECTION("the newcomer's pod is shown between the event and the tick") {
    world.Delete(used);
    world.ShowJob(low, 0, 1);
    world.Pass(absl::Milliseconds(50));
  }
  SECTION("one that waits is asked for between the event and the tick") {
    const PodFacts other = ForeignPod("other", 8);
    world.ShowBound(other, "b0-r0-n1");
    world.ShowJob(low, 0, 1);
    CHECK(world.StateOf("team/low") == "Blocked");
    world.Delete(used);
    world.Delete(other);
    world.Refusal(JobPod(low, 0));
    world.Pass(absl::Milliseconds(50));
  }
  CHECK(world.StateOf("team/high") == "Planned");
  CHECK(world.StateOf("team/low") == "Blocked");
}

TEST_CASE("Lives: holds of a gang that has not started give way to a greater priority") {
  LivesWorld world(2);
  const JobSpec low = Whole("low", 2);
  const JobSpec high = Whole("high", 2, 1000);
  world.ShowJob(low, 0, 1);
  const auto call = world.Bind(JobPod(low, 0), world.Passed(JobPod(low, 0)));
  world.ShowJob(high, 0, 2);
  CHECK(world.StateOf("team/high") == "Planned");
  CHECK(world.StateOf("team/low") == "Blocked");
  CHECK(world.Answer(call.id) == Sentence("gives way to a gang", "low", "high"));
  Start(world, high);
}

TEST_CASE("Lives: holds that are not in the way of a greater priority stay") {
  LivesWorld world(4);
  const JobSpec low = Whole("low", 2);
  world.ShowBound(ForeignPod("used", 8), "b0-r0-n3");
  world.ShowJob(low, 0, 1);
  const std::vector<std::string> nodes = world.Nodes("team/low");
  const JobSpec high = Whole("high", 1, 1000);
  world.ShowJob(high, 0, 1);
  CHECK(world.StateOf("team/high") == "Planned");
  CHECK(world.Nodes("team/low") == nodes);
}

TEST_CASE("Lives: a gang whose room is free is planned however many others wait") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 4));
  world.Sync();
  for (int i = 0; i < 8; ++i)
    world.ShowBound(ForeignPod(fmt::format("f{}", i), 8), fmt::format("b0-r{}-n{}", i / 4, i % 4));
  for (int g = 0; g < 40; ++g) world.ShowJob(Whole(fmt::format("big{}", g), 4), 0, 4);
  world.ShowJob(Whole("small", 1), 0, 1);
  world.Delete(ForeignPod("f0", 8));
  for (int t = 0; t < 5; ++t) {
    PodFacts tiny = ForeignPod(fmt::format("x{}", t), 0);
    tiny.requests = {{"cpu", 1}, {"pods", 1}};
    world.ShowBound(tiny, "b0-r1-n0");
    world.Delete(tiny);
    world.Pass(absl::Milliseconds(50));
  }
  CHECK(world.StateOf("team/small") == "Planned");
}

TEST_CASE("Lives: ends of pods that help nobody cost no solve") {
  LivesWorld world(2);
  world.ShowBound(ForeignPod("used", 8), "b0-r0-n0");
  world.ShowJob(Whole("big", 2), 0, 2);
  CHECK(world.StateOf("team/big") == "Blocked");
  const auto solves = [&] {
    int64_t sum = 0;
    for (int64_t count : world.planner().Stats().solves) sum += count;
    return sum;
  };
  const int64_t before = solves();
  for (int i = 0; i < 100; ++i) {
    PodFacts tiny = ForeignPod(fmt::format("x{}", i), 0);
    tiny.requests = {{"cpu", 1}, {"pods", 1}};
    world.ShowBound(tiny, "b0-r0-n1");
    world.Delete(tiny);
    world.Pass(absl::Milliseconds(50));
  }
  CHECK(solves() == before);
  world.Delete(ForeignPod("used", 8));
  world.Pass(absl::Milliseconds(50));
  CHECK(world.StateOf("team/big") == "Planned");
}

TEST_CASE("Lives: a Job that is scaled before it starts is a gang of its new size") {
  LivesWorld world(8);
  JobSpec job = Whole("train", 4);
  world.ShowJob(job, 0, 2);
  CHECK(world.StateOf("team/train") == "Gathering");
  job.size = 2;
  world.Reregister(job);
  world.Pass(kOwnerRecheck);
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.HoldCount() == 2);
  Start(world, job);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: a Job that is scaled while it runs has more members or fewer") {
  LivesWorld world(8);
  JobSpec job = Whole("train", 4);
  Run(world, job);
  job.size = 6;
  world.Reregister(job);
  for (int i = 4; i < 6; ++i) world.Show(JobPod(job, i));
  CHECK(world.Refusal(JobPod(job, 4)) == Sentence("too many members", "train", 4));
  AwaitOwners(world);
  for (int i = 4; i < 6; ++i) CHECK(Try(world, JobPod(job, i)));
  CHECK(world.BindAll() == 2);
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").size == 6);
}

TEST_CASE("Lives: room for a replacement that nobody asks for ends") {
  LivesWorld world(3);
  const JobSpec job = Whole("train", 2);
  Run(world, job);
  world.Delete(JobPod(job, 0));
  world.Show(JobPod(job, 0, 1));
  CHECK(world.HoldCount() == 1);
  for (int minute = 0; minute < 6; ++minute) world.Pass(absl::Minutes(1));
  CHECK(world.HoldCount() == 0);
  CHECK(world.Report("team/train").reason.find("nobody bound 1 of its members in time") !=
        std::string::npos);
  // Asked for, it has room again.
  CHECK(Try(world, JobPod(job, 0, 1)));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: an owner that is read late brings its running pods before any is planned") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 2, 2));
  const JobSpec job = Whole("train", 2);
  world.Show(JobPod(job, 0));
  world.Show(BoundByUs(job, 1, "b0-r1-n0", 1));
  world.Sync();
  world.Pass(absl::Seconds(11));
  CHECK_FALSE(world.planner().recovering());
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), JobOwner(job));
  CHECK(world.Passed(JobPod(job, 0)) == "b0-r1-n1");
}

TEST_CASE("Lives: a group of which some runs waits for the owner of that part") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 2, 2));
  JobSpec late = Named("late", "pair", 2);
  late.place.clear();  // the owner tells where
  JobSpec known = Named("known", "pair", 2);
  PodFacts runs = BoundByUs(late, 1, "b0-r1-n0", 1);
  SetWord(runs.annotations, kPlanAnnotation, "pair.1");
  world.Show(runs);
  world.Show(JobPod(known, 0));
  world.Sync();
  world.Pass(absl::Seconds(11));
  CHECK(world.Passed(JobPod(known, 0)) == "");
  OwnerFacts owner = JobOwner(late);
  owner.annotations = {{"gangplan.io/place", "rack=pack!"}};
  world.planner().OnOwner(world.now(), OwnerKey("team", late.Uid()), owner);
  CHECK(world.Passed(JobPod(known, 0)) == "b0-r1-n1");
}

TEST_CASE("Lives: foreign pods wait while groups are found again") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 1, 2));
  const JobSpec job = Whole("train", 2);
  world.Show(JobPod(job, 0));
  world.Show(BoundByUs(job, 1, "b0-r0-n1", 1));
  const PodFacts foreign = ForeignPod("f", 8);
  world.Show(foreign);
  world.Sync();
  CHECK(world.Refusal(foreign) == "error: " + Sentence("still finding groups"));
  CHECK_FALSE(world.Bind(foreign, "b0-r0-n0").decision.held);
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), JobOwner(job));
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Refusal(foreign, {"b0-r0-n0"}) == Sentence("held for a gang"));
}

TEST_CASE("Lives: a Job that is scaled down and up again while all run has its old size") {
  LivesWorld world(4);
  JobSpec job = Whole("train", 3);
  Run(world, job);
  job.size = 1;
  world.Reregister(job);
  world.Delete(JobPod(job, 0));
  AwaitOwners(world);
  job.size = 3;
  world.Reregister(job);
  world.Delete(JobPod(job, 1));
  AwaitOwners(world);
  for (int i = 0; i < 2; ++i) world.Show(JobPod(job, i, 1));
  for (int i = 0; i < 2; ++i) CHECK(Try(world, JobPod(job, i, 1)));
  CHECK(world.BindAll() == 2);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: who stood on a place that was scaled away gets one that is left") {
  LivesWorld world(2);
  JobSpec job = Whole("train", 2);
  job.indexed = false;
  Run(world, job);
  for (int i = 0; i < 2; ++i) {
    const PodFacts pod = BoundByUs(job, i, fmt::format("b0-r0-n{}", i), i);
    world.Show(Ended(pod, PodPhase::kSucceeded));
    world.Show(JobPod(job, i, 1));
  }
  CHECK(world.HoldCount() == 2);
  job.size = 1;
  world.Reregister(job);
  world.Delete(JobPod(job, 0, 1));
  for (int minute = 0; minute < 7; ++minute) world.Pass(absl::Minutes(1));
  CHECK(Try(world, JobPod(job, 1, 1)));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: who was written as a foreign pod joins its gang when that Binding is over") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  Planner& planner = world.planner();
  JobSpec job{.size = 2, .gpus = 8};
  for (int i = 0; i < 2; ++i) world.Show(JobPod(job, i));
  planner.OnOwner(world.now(), OwnerKey("team", "job-train"), absl::UnavailableError("away"));
  const auto call = world.Bind(JobPod(job, 0), "b0-r0-n0");
  REQUIRE(call.decision.held);  // it says nothing of a gang
  const std::vector<BindingWrite> posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 1);
  OwnerFacts owner = JobOwner(job);
  owner.annotations = {{"gangplan.io/place", "rack=pack!"}};
  planner.OnOwner(world.now(), OwnerKey("team", "job-train"), owner);
  CHECK(planner.BrokenInvariant() == "");
  CHECK_FALSE(world.Bind(JobPod(job, 0), "b0-r0-n1").decision.held);
  world.Settle(posts.front(), BindOutcome::kRefused, "no");
  CHECK(world.Answer(call.id) == "no");
  world.Pass(absl::Seconds(1));
  CHECK(planner.BrokenInvariant() == "");
  for (int i = 0; i < 2; ++i) world.FilterAndBind(JobPod(job, i));
  CHECK(world.BindAll() == 2);
}

}  // namespace gangplan::lives_test
