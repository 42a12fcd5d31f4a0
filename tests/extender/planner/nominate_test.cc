// Nominations: on arrival in a large cluster, renewed with back-off, and what it means when the
// scheduler does not offer the planned node.
#include "extender/planner/limits.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/refuse_twice.h"
#include "tests/support/sentences.h"

namespace gangplan::nominate_test {
namespace {

// Three nodes of 8 GPUs in one rack; the scheduler offers only a sample.
struct Sampled {
  PlannerWorld world;
  explicit Sampled(int32_t nominate_from = 3)
      : world([&] {
          PlannerOptions options = PlannerWorld::Options();
          options.nominate_from = nominate_from;
          return options;
        }()) {
    world.AddNodes(MakeNodes(1, 1, 3));
    world.Sync();
  }
  // The scheduler's failed attempt clears the nomination after it stood.
  void StandAndClear(PodFacts pod, std::string_view node) {
    pod.nominated_node_name = std::string(node);
    world.Show(pod);
    pod.nominated_node_name.clear();
    world.Show(pod);
  }
};

}  // namespace

TEST_CASE("Nominate: on arrival from so many nodes on") {
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  Sampled large(3);
  large.world.ShowJob(job, 0, 2);
  std::vector<Nomination> sent = large.world.Take<Nomination>();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].pod.name == "train-0-0");
  CHECK(sent[0].node == "b0-r0-n0");
  CHECK(sent[1].node == "b0-r0-n1");
  Sampled small(4);
  small.world.ShowJob(job, 0, 2);
  CHECK(small.world.Take<Nomination>().empty());
}

TEST_CASE("Nominate: a member that is nominated already is left alone") {
  Sampled sampled;
  JobSpec job{.size = 1, .gpus = 8, .place = "rack=pack!"};
  sampled.world.Register(job);
  PodFacts pod = JobPod(job, 0);
  pod.nominated_node_name = "b0-r0-n0";
  sampled.world.Show(pod);
  CHECK(sampled.world.Take<Nomination>().empty());
}

TEST_CASE("Nominate: nobody is nominated while the gang has no plan") {
  Sampled sampled;
  JobSpec job{.size = 4, .gpus = 8, .place = "rack=pack!"};
  sampled.world.ShowJob(job, 0, 4);
  CHECK(sampled.world.Take<Nomination>().empty());
}

TEST_CASE("Nominate: one that was cleared is renewed with back-off and then the node is avoided") {
  Sampled sampled;
  PlannerWorld& world = sampled.world;
  JobSpec job{.size = 1, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  CHECK(world.Take<Nomination>().size() == 1);
  for (int renewal = 1; renewal < kMaxNominations; ++renewal) {
    sampled.StandAndClear(JobPod(job, 0), "b0-r0-n0");
    if (renewal > 1) {  // the first one is renewed at once
      const absl::Duration wait = kNominationBackoff * (1 << (renewal - 2));
      world.Pass(wait - absl::Milliseconds(1));
      CHECK(world.Take<Nomination>().empty());
      world.Pass(absl::Milliseconds(1));
    }
    std::vector<Nomination> sent = world.Take<Nomination>();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].node == "b0-r0-n0");
  }
  sampled.StandAndClear(JobPod(job, 0), "b0-r0-n0");
  world.Pass(absl::Seconds(10));
  std::vector<Nomination> sent = world.Take<Nomination>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].node == "b0-r0-n1");
}

TEST_CASE(
    "Nominate: nominated and still not offered means the node is planned around for a while") {
  Sampled sampled;
  PlannerWorld& world = sampled.world;
  JobSpec job{.size = 3, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 3);
  PodFacts pod = JobPod(job, 0);
  pod.nominated_node_name = "b0-r0-n0";
  // One name, the nominated one: only a question.
  CHECK(world.Passed(pod, {"b0-r0-n0"}) == "b0-r0-n0");
  std::string text = RefuseTwice(world, pod, {"b0-r0-n1", "b0-r0-n2"});
  CHECK(text == world.Report("team/train").reason);
  CHECK(world.StateOf("team/train") == "Blocked");
  world.Pass(kAvoidFor - absl::Seconds(1));
  CHECK(world.StateOf("team/train") == "Blocked");
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/train") == "Planned");
}

TEST_CASE("Nominate: of two members on a node only the one that it refuses goes elsewhere") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 3, .gpus = 4, .place = "rack=pack!"};
  world.ShowJob(job, 0, 3);
  std::vector<std::string> nodes = world.Nodes("team/train");
  for (int i = 0; i < 3; ++i) world.FilterAndBind(JobPod(job, i));
  std::vector<BindingWrite> posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 3);
  for (int i = 0; i < 3; ++i) {
    bool last = posts[static_cast<size_t>(i)].node == nodes[2] && nodes[0] != nodes[2];
    const BindOutcome outcome = last ? BindOutcome::kBound : BindOutcome::kRefused;
    world.Settle(posts[static_cast<size_t>(i)], outcome, "no");
  }
  REQUIRE(nodes[0] == nodes[1]);
  PodFacts pod = JobPod(job, 0);
  pod.nominated_node_name = nodes[0];
  RefuseTwice(world, pod, {nodes[2]});
  world.Refusal(JobPod(job, 1), {nodes[2]});
  CHECK(world.Nodes("team/train") == std::vector<std::string>{nodes[2], nodes[1], nodes[2]});
}

TEST_CASE("Nominate: a lone name that is not the nominated one is the whole offer") {
  Sampled sampled;
  PlannerWorld& world = sampled.world;
  JobSpec job{.size = 1, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  world.ForgetEffects();
  PodFacts pod = JobPod(job, 0);
  pod.nominated_node_name = "b0-r0-n0";
  RefuseTwice(world, pod, {"b0-r0-n2"});
  // All that it has: the node between is refused as well.
  CHECK(world.Nodes("team/train") == std::vector<std::string>{"b0-r0-n2"});
}

TEST_CASE("Nominate: one refusal costs a gang nothing") {
  Sampled sampled;
  PlannerWorld& world = sampled.world;
  const JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 2);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  PodFacts pod = JobPod(job, 0);
  pod.nominated_node_name = nodes[0];
  CHECK(world.Refusal(pod, {"b0-r0-n2"}) ==
        "error: " + Sentence("not offered, asked again", "train", "b0-r0-n0"));
  CHECK(world.Nodes("team/train") == nodes);
  SECTION("when the node is offered then") { CHECK(world.Passed(pod, {nodes[0]}) == nodes[0]); }
  SECTION("when it is refused once more in the same moment") {
    world.Refusal(pod, {"b0-r0-n2"});
    CHECK(world.Nodes("team/train") == nodes);
  }
  SECTION("when the second one comes after something has left the node") {
    PodFacts small = ForeignPod("small", 0);
    world.ShowBound(small, nodes[0]);
    world.Delete(small);
    world.Pass(absl::Seconds(1));
    world.Refusal(pod, {"b0-r0-n2"});
    CHECK(world.Nodes("team/train") == nodes);
    world.Pass(absl::Seconds(1));
    world.Refusal(pod, {"b0-r0-n2"});
    CHECK(world.Nodes("team/train")[0] == "b0-r0-n2");
  }
}

TEST_CASE("Nominate: nominations that lead nowhere are taken from a node that is refused") {
  Sampled sampled;
  PlannerWorld& world = sampled.world;
  const JobSpec waits{.name = "waits", .size = 4, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(waits, 0, 1);
  PodFacts stale = JobPod(waits, 0);
  stale.nominated_node_name = "b0-r0-n0";  // of a plan that was given up
  world.Show(stale);
  const JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 2);
  PodFacts pod = JobPod(job, 0);
  pod.nominated_node_name = "b0-r0-n0";
  world.Show(pod);
  world.ForgetEffects();
  world.Refusal(pod, {"b0-r0-n2"});
  const std::vector<Nomination> sent = world.Take<Nomination>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].pod.uid == stale.uid);
  CHECK(sent[0].node.empty());
}

TEST_CASE("Nominate: nobody takes the slot of a member that the scheduler counts there") {
  Sampled sampled(1000);
  PlannerWorld& world = sampled.world;
  const JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!", .indexed = false};
  world.ShowJob(job, 0, 2);
  const Sentence kept("not offered", "train");
  SECTION("it was given the node") {
    CHECK(world.Passed(JobPod(job, 1)) == "b0-r0-n1");
    CHECK(world.Refusal(JobPod(job, 0), {"b0-r0-n1"}) == kept);
  }
  SECTION("it is nominated to it") {
    PodFacts other = JobPod(job, 1);
    other.nominated_node_name = "b0-r0-n1";
    world.Show(other);
    CHECK(world.Refusal(JobPod(job, 0), {"b0-r0-n1"}) == kept);
  }
  SECTION("neither") { CHECK(world.Passed(JobPod(job, 0), {"b0-r0-n1"}) == "b0-r0-n1"); }
}

TEST_CASE("Nominate: two members that each need the other one's node get it") {
  Sampled sampled;
  PlannerWorld& world = sampled.world;
  const JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!", .indexed = false};
  world.ShowJob(job, 0, 2);
  PodFacts one = JobPod(job, 0), other = JobPod(job, 1);
  one.nominated_node_name = "b0-r0-n0";
  other.nominated_node_name = "b0-r0-n1";
  world.Show(one);
  world.Show(other);
  const std::string first = world.Refusal(one, {"b0-r0-n1"});
  CHECK(first.ends_with("it is asked once more"));
  world.Pass(absl::Seconds(1));
  CHECK(world.Passed(one, {"b0-r0-n1"}) == "b0-r0-n1");
  CHECK(world.Passed(other, {"b0-r0-n0"}) == "b0-r0-n0");
}

TEST_CASE("Nominate: unranked members take what is offered and ranked ones do not") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  SECTION("unranked") {
    JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!", .indexed = false};
    world.ShowJob(job, 0, 2);
    CHECK(world.Passed(JobPod(job, 0), {"b0-r0-n1"}) == "b0-r0-n1");
    CHECK(world.Passed(JobPod(job, 1)) == "b0-r0-n0");
    // The one that is in bind keeps its slot.
    world.Bind(JobPod(job, 0), "b0-r0-n1");
    CHECK(world.Refusal(JobPod(job, 1), {"b0-r0-n1"}) == Sentence("not offered", "train"));
  }
  SECTION("ranked") {
    JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
    world.ShowJob(job, 0, 2);
    CHECK(world.Refusal(JobPod(job, 0), {"b0-r0-n1"}) == Sentence("not offered", "train"));
    std::vector<Nomination> sent = world.Take<Nomination>();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].node == "b0-r0-n0");
  }
}

}  // namespace gangplan::nominate_test
