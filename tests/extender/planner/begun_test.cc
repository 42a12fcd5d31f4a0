// Whether a gang has begun, where nobody could tell of its first Bindings; and what those are told
// who are still missing when it has.
#include "tests/extender/planner/lives_world.h"
#include "tests/support/sentences.h"
#include "topology/model.h"

namespace gangplan::begun_test {
namespace {

// A gang of four of which all Bindings but the last one's were refused, and of that one nobody
// could tell.
struct Doubtful : LivesWorld {
  Doubtful() : LivesWorld(5) {
    ShowJob(job, 0, job.size);
    for (int i = 0; i < job.size; ++i) REQUIRE(Try(*this, JobPod(job, i)));
    const auto posts = Take<BindingWrite>();
    REQUIRE(posts.size() == 4);
    for (const BindingWrite& post : posts) {
      const bool last = post.pod.uid == JobPod(job, 3).uid;
      Settle(post, last ? BindOutcome::kUnknown : BindOutcome::kRefused, "no");
    }
    REQUIRE(Try(*this, JobPod(job, 0)));
    REQUIRE(Try(*this, JobPod(job, 1)));
    CHECK(Take<BindingWrite>().empty());
    Pass(absl::Seconds(3));
    const auto reads = Take<BindingRead>();
    REQUIRE(reads.size() == 1);
    read = reads[0];
  }
  void Tell(BindOutcome outcome) {
    planner().OnBindResult(now(), read.pod, read.node, read.attempt, {outcome, ""});
  }

  const JobSpec job = Whole("train", 4);
  BindingRead read;
};

}  // namespace

TEST_CASE("Begun: who is called while all Bindings are in doubt is written when one is known") {
  Doubtful world;
  world.Tell(BindOutcome::kBound);
  CHECK(world.BindAll() == 2);
  CHECK(Try(world, JobPod(world.job, 2)));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Begun: a gang of which no Binding was written begins as a whole") {
  Doubtful world;
  world.Tell(BindOutcome::kNotWritten);
  CHECK(world.Take<BindingWrite>().empty());
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(Try(world, JobPod(world.job, 2)));
  CHECK(world.Take<BindingWrite>().empty());
  CHECK(Try(world, JobPod(world.job, 3)));
  CHECK(world.BindAll() == 4);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Begun: the watch shows a member bound before its Binding could be read") {
  Doubtful world;
  world.ShowBound(JobPod(world.job, 3), world.read.node);
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Begun: a call that waits is answered when its node is lost, not written") {
  Doubtful world;
  const std::string node = world.Nodes("team/train")[0];
  NodeFacts cordoned = MakeNode(0, 0, node.back() - '0');
  cordoned.unschedulable = true;
  world.Put(cordoned);
  world.Tell(BindOutcome::kBound);
  for (const BindingWrite& post : world.Take<BindingWrite>()) CHECK(post.node != node);
}

TEST_CASE("Begun: a member on a node that another binder filled starts nobody on it") {
  LivesWorld world(5);
  const JobSpec job = Whole("train", 3);
  world.ShowJob(job, 0, 3);
  for (int i = 0; i < 2; ++i) REQUIRE(Try(world, JobPod(job, i)));
  const std::string held = world.Nodes("team/train")[0];
  world.ShowBound(JobPod(job, 2), held);
  for (const BindingWrite& post : world.Take<BindingWrite>()) CHECK(post.node != held);
}

TEST_CASE("Begun: a surplus pod that another binder took begins no gang") {
  LivesWorld world(6);
  const JobSpec job = Whole("train", 4);
  world.ShowJob(job, 0, 4);
  for (int i = 0; i < 2; ++i) REQUIRE(Try(world, JobPod(job, i)));
  world.ShowBound(JobPod(job, 4), "b0-r0-n5");
  CHECK(world.Take<BindingWrite>().empty());
}

TEST_CASE("Begun: a gang that shrank while its last Binding was in doubt begins with those left") {
  Doubtful world;
  REQUIRE(Try(world, JobPod(world.job, 2)));
  JobSpec smaller = world.job;
  smaller.size = 3;
  world.Reregister(smaller);
  SECTION("its last pod goes while nobody knows") {
    world.Delete(JobPod(world.job, 3));
    AwaitOwners(world);
    world.Tell(BindOutcome::kNotWritten);
  }
  SECTION("it is known first") {
    AwaitOwners(world);
    world.Tell(BindOutcome::kNotWritten);
    world.Delete(JobPod(world.job, 3));
  }
  world.Pass(absl::Seconds(5));
  for (int i = 0; i < 3; ++i) Try(world, JobPod(smaller, i));
  CHECK(world.BindAll() == 3);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Begun: a pod that asked for more leaves while its Binding is open") {
  LivesWorld world(1);
  JobSpec job = Whole("train", 1);
  job.gpus = 4;
  JobSpec beside = job;
  beside.name = "beside";
  world.ShowJob(job, 0, 1);
  REQUIRE(Try(world, JobPod(job, 0)));
  REQUIRE(world.Take<BindingWrite>().size() == 1);
  world.ShowJob(beside, 0, 1);
  REQUIRE(world.StateOf("team/beside") == "Planned");
  PodFacts grown = JobPod(job, 0);
  for (ResourceAmount& entry : grown.requests) {
    if (entry.name == "example.com/gpu") entry.amount = 8;
  }
  world.Show(grown);
  world.ShowTerminating(grown);
  CHECK(world.StateOf("team/beside") == "Blocked");
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Begun: a member that nobody asks for is told of while others are planned") {
  LivesWorld world(6);
  const JobSpec job = Whole("train", 4);
  Run(world, job);
  for (int i = 0; i < 2; ++i) {
    world.Delete(JobPod(job, i));
    world.Show(JobPod(job, i, 1));
  }
  AwaitOwners(world);
  CHECK(world.HoldCount() == 2);
  world.Pass(absl::Minutes(6));
  CHECK(world.HoldCount() == 0);
  CHECK(Try(world, JobPod(job, 1, 1)));
  CHECK(world.Report("team/train").reason ==
        Sentence("some members were not bound", "train", 4, 2));
  CHECK(world.BindAll() == 1);
  CHECK(Try(world, JobPod(job, 0, 1)));
  CHECK(world.Report("team/train").reason.empty());
  CHECK(world.BindAll() == 1);
}

TEST_CASE("Begun: who waits for a part that runs goes on when that is gone unread") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 2, 2));
  const JobSpec late = Named("late", "pair", 2);
  const JobSpec known = Named("known", "pair", 2);
  PodFacts runs = BoundByUs(late, 1, "b0-r1-n0", 1);
  runs.labels.clear();
  runs.annotations.clear();
  SetWord(runs.annotations, kPlanAnnotation, "pair.1");
  world.Show(runs);
  world.Sync();
  world.Pass(absl::Seconds(11));
  for (int i = 0; i < 2; ++i) world.Show(JobPod(known, i));
  CHECK(world.Passed(JobPod(known, 0)) == "");
  world.Delete(runs);
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/pair") == "Planned");
}

TEST_CASE("Begun: a pod that grew while its Binding was open takes room from who holds it there") {
  LivesWorld world(1);
  JobSpec job = Whole("train", 1);
  job.gpus = 4;
  world.ShowJob(job, 0, 1);
  REQUIRE(Try(world, JobPod(job, 0)));
  const auto posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 1);
  JobSpec other = Whole("other", 1);
  other.gpus = 4;
  world.ShowJob(other, 0, 1);
  REQUIRE(world.StateOf("team/other") == "Planned");
  PodFacts grown = JobPod(job, 0);
  AddResources(grown.requests, {{"example.com/gpu", 1}});
  world.Show(grown);
  world.Settle(posts[0], BindOutcome::kBound);
  CHECK(world.StateOf("team/other") == "Blocked");
}

TEST_CASE("Begun: a Binding in doubt is written again with those of all the others") {
  Doubtful world;
  REQUIRE(Try(world, JobPod(world.job, 3)));
  CHECK(world.Take<BindingWrite>().empty());
  SECTION("all are called") {
    REQUIRE(Try(world, JobPod(world.job, 2)));
    CHECK(world.BindAll() == 4);
    CHECK(world.StateOf("team/train") == "Running");
  }
  SECTION("it was written") {
    world.Tell(BindOutcome::kBound);
    CHECK(world.BindAll() == 2);
  }
  SECTION("its node is lost meanwhile") {
    NodeFacts cordoned = MakeNode(0, 0, world.read.node.back() - '0');
    cordoned.unschedulable = true;
    world.Put(cordoned);
    Try(world, JobPod(world.job, 2));
    CHECK(world.Take<BindingWrite>().empty());
  }
}

TEST_CASE("Begun: a Binding in doubt of a gang that is to be read anew is not written by itself") {
  PlannerOptions options = PlannerWorld::Options();
  options.topologies[0].live = "levels";
  PlannerWorld world(options);
  REQUIRE(world.planner().OnTopology(world.now(), ThreeLevels()));
  world.AddNodes(MakeNodes(1, 1, 5));
  world.Sync();
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  for (int i = 0; i < 2; ++i) REQUIRE(Try(world, JobPod(job, i)));
  for (const BindingWrite& post : world.Take<BindingWrite>()) {
    const bool first = post.pod.uid == JobPod(job, 0).uid;
    world.Settle(post, first ? BindOutcome::kUnknown : BindOutcome::kRefused, "no");
  }
  Topology levels = ThreeLevels();
  levels.levels.erase(levels.levels.begin());
  REQUIRE(world.planner().OnTopology(world.now(), levels));
  CHECK_FALSE(Try(world, JobPod(job, 0)));
  CHECK(world.Take<BindingWrite>().empty());
}

TEST_CASE("Begun: what has ended while nobody could tell of its Binding takes no room") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  for (int i = 0; i < 2; ++i) REQUIRE(Try(world, JobPod(job, i)));
  const auto posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 2);
  for (const BindingWrite& post : posts) world.Settle(post, BindOutcome::kUnknown);
  PodFacts first = JobPod(job, 0);
  const bool is_first = posts[0].pod.uid == first.uid;
  const std::string& planned = posts[is_first ? 0 : 1].node;
  const std::string& other = posts[is_first ? 1 : 0].node;
  const auto used = [&](const std::string& node) {
    const Model& model = world.planner().model();
    return model.Use(model.FindNode(node), "example.com/gpu").used;
  };
  SECTION("it failed where it was bound") {
    first.node_name = planned;
    world.Show(Ended(first, PodPhase::kFailed));
    CHECK(used(planned) == 0);
  }
  SECTION("it is being deleted elsewhere") {
    first.node_name = other;
    first.terminating = true;
    world.Show(first);
    CHECK(used(planned) == 0);
    CHECK(used(other) == 8);
  }
}

TEST_CASE("Begun: who is refused again and again gives room back when the time-out is over") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  Run(world, job);
  world.Delete(JobPod(job, 1));
  world.Show(JobPod(job, 1, 1));
  bool gave_back = false;
  for (int i = 0; i < 200 && !gave_back; ++i) {
    if (Try(world, JobPod(job, 1, 1))) {
      for (const BindingWrite& post : world.Take<BindingWrite>())
        world.Settle(post, BindOutcome::kRefused, "no");
    }
    gave_back = world.HoldCount() == 0;
    world.Pass(absl::Seconds(10));
  }
  CHECK(gave_back);
  for (int i = 0; i < 100 && !Try(world, JobPod(job, 1, 1)); ++i) world.Pass(absl::Seconds(10));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Begun: a call over a doubt is called off in time, and written with nobody then") {
  PlannerOptions options = PlannerWorld::Options();
  options.bind_timeout = absl::Seconds(30);
  LivesWorld world(2, options);
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  for (int i = 0; i < 2; ++i) REQUIRE(Try(world, JobPod(job, i)));
  for (const BindingWrite& post : world.Take<BindingWrite>()) {
    const bool first = post.pod.uid == JobPod(job, 0).uid;
    world.Settle(post, first ? BindOutcome::kUnknown : BindOutcome::kRefused, "no");
  }
  const std::string node = world.Passed(JobPod(job, 0));
  const auto again = world.Bind(JobPod(job, 0), node);
  REQUIRE(again.decision.held);
  SECTION("its time is over") { world.Pass(options.bind_timeout); }
  SECTION("its peer has gone") { world.planner().OnCallsClosed(world.now(), {again.id}); }
  CHECK(world.Answer(again.id).has_value());
  REQUIRE(Try(world, JobPod(job, 1)));
  CHECK(world.Take<BindingWrite>().empty());
}

TEST_CASE(
    "Begun: a gang of which the last that ran has gone is written with the Binding in doubt") {
  LivesWorld world(3);
  const JobSpec job = Whole("train", 2);
  Run(world, job);
  world.Delete(JobPod(job, 1));
  world.Show(JobPod(job, 1, 1));
  REQUIRE(Try(world, JobPod(job, 1, 1)));
  for (const BindingWrite& post : world.Take<BindingWrite>())
    world.Settle(post, BindOutcome::kUnknown, "no");
  world.Delete(JobPod(job, 0));
  world.Show(JobPod(job, 0, 1));
  REQUIRE(Try(world, JobPod(job, 0, 1)));
  CHECK(world.Take<BindingWrite>().empty());
  REQUIRE(Try(world, JobPod(job, 1, 1)));
  CHECK(world.BindAll() == 2);
  CHECK(world.StateOf("team/train") == "Running");
}

}  // namespace gangplan::begun_test
