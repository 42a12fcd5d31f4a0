// Nodes that move to another domain while some members are bound there, or about to be.
#include "fmt/format.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan::moved_test {
namespace {

// A node of rack 0 stands in rack 1 now.
NodeFacts Moved(int node) {
  NodeFacts facts = MakeNode(0, 0, node);
  SetWord(facts.labels, "example.com/rack", "r1");
  return facts;
}

// The first two members of a Job have run and succeeded, two others are planned in rack 0, and
// start one by one.
JobSpec SecondPair(PlannerWorld& world) {
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  JobSpec job = Whole("stream", 2);
  job.indexed = false;
  job.words = {{"gangplan.io/start", "first-member"}};
  Run(world, job);
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = JobPod(job, i);
    pod.node_name = fmt::format("b0-r0-n{}", i);
    world.Show(Ended(pod, PodPhase::kSucceeded));
  }
  for (int i = 2; i < 4; ++i) world.Show(JobPod(job, i));
  return job;
}

// The Binding of the first of these two is on its way, and its node moves.
BindingWrite PostAndMove(PlannerWorld& world, const JobSpec& job) {
  const std::string node = world.Passed(JobPod(job, 2));
  REQUIRE(DomainOf(node, 1) == "b0-r0");
  REQUIRE(world.Bind(JobPod(job, 2), node).decision.held);
  const std::vector<BindingWrite> posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 1);
  world.Put(Moved(node == "b0-r0-n0" ? 0 : 1));
  return posts.front();
}

}  // namespace

TEST_CASE("Moved: the rest goes where a Binding is on its way to, also when its node moves then") {
  PlannerWorld world;
  const JobSpec job = SecondPair(world);
  const BindingWrite post = PostAndMove(world, job);
  CHECK(DomainOf(world.Passed(JobPod(job, 3)), 1) == "b0-r1");
  world.Settle(post, BindOutcome::kBound);
  CHECK(DomainOf(world.Passed(JobPod(job, 3)), 1) == "b0-r1");
  CHECK(world.planner().BrokenInvariant() == "");
}

TEST_CASE("Moved: a Binding to a node that has moved is not written, and the gang stays together") {
  PlannerWorld world;
  const JobSpec job = SecondPair(world);
  const BindingWrite post = PostAndMove(world, job);
  world.Settle(post, BindOutcome::kRefused, "no");
  world.Pass(absl::Seconds(1));
  const std::vector<std::string> nodes = world.Nodes("team/stream");
  REQUIRE(nodes.size() == 2);
  for (const std::string& one : nodes) CHECK((one == post.node || DomainOf(one, 1) == "b0-r1"));
}

TEST_CASE("Moved: workers that stand apart get nobody beside them when their leader is done") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  JobSpec job{.size = 4, .gpus = 2, .leader_gpus = 1};
  job.words = {{"kueue.x-k8s.io/podset-required-topology", "example.com/rack"}};
  world.Register(job);
  world.Show(BoundByUs(job, 0, "b0-r0-n0", 0));
  world.Show(BoundByUs(job, 1, "b0-r0-n0", 0));
  world.Show(BoundByUs(job, 2, "b0-r1-n0", 1));
  world.Show(JobPod(job, 3));
  world.Sync();
  CHECK(world.Passed(JobPod(job, 3)) == "");
  world.Show(Ended(BoundByUs(job, 0, "b0-r0-n0", 0), PodPhase::kSucceeded));
  world.Pass(absl::Seconds(1));
  CHECK(world.Passed(JobPod(job, 3)) == "");
  CHECK(world.Report("team/train").reason.find("already stand in b0/r0 and in b0/r1") !=
        std::string::npos);
}

TEST_CASE("Moved: room for a replacement is where the others run, also when their node has moved") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  const JobSpec job = Whole("train", 2);
  Run(world, job);
  world.Delete(JobPod(job, 1));
  world.Show(JobPod(job, 1, 1));
  const std::string planned = world.Passed(JobPod(job, 1, 1));
  REQUIRE(DomainOf(planned, 1) == "b0-r0");
  world.Put(Moved(planned == "b0-r0-n0" ? 1 : 0));
  CHECK(DomainOf(world.Passed(JobPod(job, 1, 1)), 1) == "b0-r1");
}

TEST_CASE("Moved: room beside one who ran elsewhere is of no use when that one is gone") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 4));
  world.Sync();
  const JobSpec job = Whole("train", 3);
  Run(world, job);
  REQUIRE(world.Nodes("team/train")[0] == "b0-r0-n0");
  world.Put(Moved(0));
  world.Delete(JobPod(job, 2));
  world.Show(JobPod(job, 2, 1));
  AwaitOwners(world);
  world.Delete(JobPod(job, 1));
  world.Pass(absl::Seconds(1));
  CHECK(world.Passed(JobPod(job, 2, 1)).starts_with("b0-r1"));
}

TEST_CASE("Moved: a node that is made again binds the rest to its rack again") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  const JobSpec job = Whole("train", 2);
  Run(world, job);
  REQUIRE(world.Nodes("team/train")[0] == "b0-r0-n0");
  world.Delete(JobPod(job, 1));
  world.ShowBound(ForeignPod("f", 8), "b0-r0-n1");
  world.DeleteNode("b0-r0-n0");
  world.Show(JobPod(job, 1, 1));
  REQUIRE(world.Passed(JobPod(job, 1, 1)).starts_with("b0-r1"));
  world.Put(MakeNode(0, 0, 0));
  CHECK(world.Passed(JobPod(job, 1, 1)) == "");
}

TEST_CASE("Moved: room beside a Binding in doubt elsewhere goes when that was not written") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 4));
  world.Sync();
  const JobSpec job = Whole("train", 3);
  world.ShowJob(job, 0, 3);
  for (int i = 0; i < 3; ++i) REQUIRE(Try(world, JobPod(job, i)));
  BindingWrite doubtful;
  for (const BindingWrite& post : world.Take<BindingWrite>()) {
    const bool first = post.pod.uid == JobPod(job, 0).uid;
    const bool last = post.pod.uid == JobPod(job, 2).uid;
    if (first) doubtful = post;
    world.Settle(post,
                 first  ? BindOutcome::kUnknown
                 : last ? BindOutcome::kRefused
                        : BindOutcome::kBound,
                 "no");
  }
  REQUIRE(doubtful.node == "b0-r0-n0");
  world.Put(Moved(0));
  world.Pass(absl::Seconds(1));
  world.planner().OnBindResult(world.now(), doubtful.pod, doubtful.node, doubtful.attempt,
                               {BindOutcome::kRefused, "no"});
  world.Pass(absl::Seconds(1));
  for (int i : {0, 2}) CHECK(DomainOf(world.Passed(JobPod(job, i)), 1) == "b0-r0");
}

}  // namespace gangplan::moved_test
