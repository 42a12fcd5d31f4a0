// Levels that come, and become others, while groups wait, start and run.
#include <random>

#include "extender/cluster/annotations.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/sentences.h"
#include "topology/model.h"

namespace gangplan::topology_test {
namespace {

constexpr std::string_view kRequired = "kueue.x-k8s.io/podset-required-topology";
constexpr std::string_view kRackLabel = "example.com/rack";

PlannerOptions LiveOptions() {
  PlannerOptions options = PlannerWorld::Options();
  options.topologies[0].topology.levels = {{"node", std::string(kHostnameLabel)}};
  options.topologies[0].live = "the levels of Kueue's Topology \"default\"";
  return options;
}

// Racks of the same name in several blocks are one domain here.
Topology RackAndNode() {
  Topology topology;
  topology.levels = {{"rack", std::string(kRackLabel)}};
  return *CompleteTopology(topology);
}

// Eight GPUs a pod fill a node; one rack is required.
JobSpec RackJob(std::string name, int32_t size) {
  JobSpec job;
  job.name = std::move(name);
  job.size = size;
  job.gpus = 8;
  job.words = {{std::string(kRequired), std::string(kRackLabel)}};
  return job;
}

struct LiveWorld : PlannerWorld {
  // Two blocks of two racks of two nodes.
  explicit LiveWorld(std::optional<Topology> first = ThreeLevels()) : PlannerWorld(LiveOptions()) {
    AddNodes(MakeNodes(2, 2, 2));
    if (first) CHECK(Give(*first));
    Sync();
  }
  bool Give(const Topology& topology) {
    const bool news = planner().OnTopology(now(), topology);
    REQUIRE(planner().BrokenInvariant() == "");
    return news;
  }
  // All members from the first filter to the open Binding.
  void CallAll(const JobSpec& job) {
    for (int i = 0; i < job.size; ++i) FilterAndBind(JobPod(job, i));
  }
  bool AnyOvercommitted() {
    const Model& model = planner().model();
    for (const NodeFacts& node : MakeNodes(2, 2, 2)) {
      if (model.Overcommitted(model.FindNode(node.name))) return true;
    }
    return false;
  }
  void Run(const JobSpec& job) {
    ShowJob(job, 0, job.size);
    CallAll(job);
    CHECK(BindAll() == job.size);
    CHECK(StateOf("team/" + job.name) == "Running");
  }
};

using Names = std::vector<std::string>;

TEST_CASE("Topology: needs of other levels are forgotten with them") {
  LiveWorld world;
  const JobSpec job = RackJob("job", 2);
  world.ShowJob(job, 0, 2);
  const PodFacts lone = ForeignPod("lone", 1);
  const std::string node = NodeNameAt(1, 1, 1);
  for (int i = 0; i < 5; ++i) {
    world.planner().Prioritize(world.now(), lone, {node});
    world.Pass(absl::Seconds(2));
  }
  CHECK(world.planner().Prioritize(world.now(), lone, {node}).size() == 1);
  Topology nodes;
  nodes.levels = {{"node", std::string(kHostnameLabel)}};
  CHECK(world.Give(nodes));
  for (int i = 0; i < 5; ++i) {
    CHECK(world.planner().Prioritize(world.now(), lone, {node}).size() <= 1);
    world.Pass(absl::Seconds(2));
  }
}

}  // namespace

TEST_CASE("Live topology: nothing is planned before the levels are known") {
  LiveWorld world(std::nullopt);
  JobSpec job = RackJob("train", 2);
  world.ShowJob(job, 0, 2);
  CHECK_FALSE(world.planner().synced());
  const Sentence why("waits for levels", "the levels of Kueue's Topology \"default\"");
  CHECK(world.Refusal(JobPod(job, 0)) == "error: " + why);
  CHECK(world.Bind(JobPod(job, 0), "b0-r0-n0").decision.error == why);
  world.Pass(absl::Minutes(1));
  CHECK(world.Take<EventNote>().empty());
  Topology other = ThreeLevels();
  other.name = "another";
  CHECK_FALSE(world.Give(other));
  CHECK_FALSE(world.planner().synced());
  CHECK(world.Give(ThreeLevels()));
  CHECK(world.planner().synced());
  CHECK(world.Nodes("team/train") == Names{"b0-r0-n0", "b0-r0-n1"});
}

TEST_CASE("Live topology: levels before the lists wait for these") {
  PlannerWorld world(LiveOptions());
  CHECK(world.planner().OnTopology(world.now(), ThreeLevels()));
  CHECK_FALSE(world.planner().synced());
  CHECK(world.Refusal(JobPod(RackJob("train", 2), 0)) ==
        "error: " + Sentence("still reading the cluster"));
  world.Sync();
  CHECK(world.planner().synced());
}

TEST_CASE("Live topology: configured levels never change") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  CHECK_FALSE(world.planner().OnTopology(world.now(), RackAndNode()));
  CHECK(world.planner().model().tree(0).level_count() == 3);
}

TEST_CASE("Live topology: nodes that move under a plan have it made anew, once and as a whole") {
  LiveWorld world;
  const JobSpec running = RackJob("running", 2);
  world.Run(running);
  const Names stays = world.Nodes("team/running");
  const JobSpec job = RackJob("train", 2);
  world.ShowJob(job, 0, 2);
  CHECK(world.Nodes("team/train") == Names{"b0-r1-n0", "b0-r1-n1"});
  const int64_t solves = world.planner().Stats().solves[static_cast<int>(Outcome::kPlaced)];
  std::vector<NodeFacts> moved;  // the racks of the first block exchange a node
  for (const auto& [rack, node, to] : {std::tuple{0, 1, "b0-r1"}, {1, 1, "b0-r0"}}) {
    moved.push_back(MakeNode(0, rack, node));
    SetWord(moved.back().labels, kRackLabel, to);
  }
  CHECK(world.planner().OnTopology(world.now(), ThreeLevels(), moved));
  CHECK(world.planner().BrokenInvariant() == "");
  CHECK(world.Nodes("team/running") == stays);
  CHECK(world.Nodes("team/train") == Names{"b1-r0-n0", "b1-r0-n1"});
  CHECK(world.planner().Stats().solves[static_cast<int>(Outcome::kPlaced)] == solves + 1);
  CHECK_FALSE(world.planner().OnTopology(world.now(), ThreeLevels(), {}));
}

TEST_CASE("Live topology: where members have moved, a replacement is planned anew beside them") {
  LiveWorld world;
  const JobSpec job = RackJob("train", 2);
  world.Run(job);
  world.Delete(JobPod(job, 1));
  world.Show(JobPod(job, 1, 1));
  REQUIRE(world.Passed(JobPod(job, 1, 1)) == "b0-r0-n1");
  std::vector<NodeFacts> moved = {MakeNode(0, 0, 0)};
  SetWord(moved.back().labels, kRackLabel, "r1");
  CHECK(world.planner().OnTopology(world.now(), ThreeLevels(), moved));
  CHECK(world.Passed(JobPod(job, 1, 1)) == "b0-r1-n0");
}

TEST_CASE("Live topology: the same levels again change nothing") {
  LiveWorld world;
  JobSpec job = RackJob("train", 2);
  world.ShowJob(job, 0, 2);
  const auto call = world.Bind(JobPod(job, 0), world.Passed(JobPod(job, 0)));
  REQUIRE(call.decision.held);
  CHECK_FALSE(world.Give(ThreeLevels()));
  CHECK_FALSE(world.Answer(call.id).has_value());
}

TEST_CASE("Live topology: a gang that waits is tried again with the new levels and woken") {
  LiveWorld world;
  JobSpec job = RackJob("train", 3);
  world.ShowJob(job, 0, 3);
  CHECK(world.StateOf("team/train") == "Blocked");
  for (int i = 0; i < 3; ++i) CHECK(world.Passed(JobPod(job, i)) == "");
  world.ForgetEffects();
  CHECK(world.Give(RackAndNode()));
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.Take<Nomination>().size() == 3);
  CHECK(world.Nodes("team/train") == Names{"b0-r0-n0", "b0-r0-n1", "b1-r0-n0"});
  world.CallAll(job);
  CHECK(world.BindAll() == 3);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE(
    "Live topology: a plan that nobody was bound to is made anew, and its calls are answered") {
  LiveWorld world;
  JobSpec job = RackJob("train", 2);
  world.ShowJob(job, 0, 2);
  const auto call = world.Bind(JobPod(job, 0), world.Passed(JobPod(job, 0)));
  REQUIRE(call.decision.held);
  CHECK(world.HoldCount() == 2);
  world.Put(MakeNode(1, 0, 2));
  CHECK(world.Give(RackAndNode()));
  CHECK(world.Answer(call.id) == Sentence("topology changed", "train"));
  CHECK(world.HoldCount() == 2);
  CHECK(world.StateOf("team/train") == "Planned");
  // Rack r1 with four nodes is a tighter fit than r0 with five.
  CHECK(world.Nodes("team/train") == Names{"b0-r1-n0", "b0-r1-n1"});
  world.CallAll(job);
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Live topology: a gang that runs keeps its places, and is mended by the new levels") {
  LiveWorld world(RackAndNode());
  JobSpec job = RackJob("train", 3);
  world.Run(job);
  CHECK(world.Nodes("team/train") == Names{"b0-r0-n0", "b0-r0-n1", "b1-r0-n0"});
  world.ForgetEffects();
  CHECK(world.Give(ThreeLevels()));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Nodes("team/train") == Names{"b0-r0-n0", "b0-r0-n1", "b1-r0-n0"});
  CHECK(world.Take<BindingWrite>().empty());
  CHECK(world.Take<Nomination>().empty());
  CHECK(world.Give(RackAndNode()));
  world.Delete(JobPod(job, 2));
  world.Show(JobPod(job, 2, 1));
  CHECK(world.FilterAndBind(JobPod(job, 2, 1)).substr(2, 3) == "-r0");
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Live topology: Bindings on their way are settled before their gang is read again") {
  LiveWorld world;
  JobSpec job = RackJob("train", 2);
  world.ShowJob(job, 0, 2);
  const Names planned = world.Nodes("team/train");
  world.CallAll(job);
  const std::vector<BindingWrite> posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 2);
  world.Settle(posts[0], BindOutcome::kBound);
  CHECK(world.Give(RackAndNode()));
  CHECK(world.Nodes("team/train") == planned);
  SECTION("as bound") {
    world.Settle(posts[1], BindOutcome::kBound);
    world.Pass(absl::Milliseconds(50));
    CHECK(world.Nodes("team/train") == planned);
    CHECK(world.StateOf("team/train") == "Running");
  }
  SECTION("as not written: the rest is planned by the new levels") {
    CHECK(world.Refusal(JobPod(job, 1)) ==
          "error: " + Sentence("topology changed, Bindings open", "train"));
    world.Settle(posts[1], BindOutcome::kRefused);
    world.Pass(absl::Milliseconds(50));
    CHECK(world.Nodes("team/train")[0] == planned[0]);
    CHECK(world.StateOf("team/train") == "Binding");
    world.FilterAndBind(JobPod(job, 1));
    CHECK(world.BindAll() == 1);
    CHECK(world.StateOf("team/train") == "Running");
  }
  SECTION("in doubt: what is proved later counts") {
    world.Settle(posts[1], BindOutcome::kUnknown);
    world.Pass(absl::Seconds(1));
    CHECK(world.HoldCount() == 1);
    world.Settle(posts[1], BindOutcome::kBound);
    world.Pass(absl::Milliseconds(50));
    CHECK(world.Nodes("team/train") == planned);
    CHECK(world.HoldCount() == 0);
  }
}

TEST_CASE("Live topology: words for a level that is gone wait with that reason until it is back") {
  LiveWorld world;
  JobSpec job = RackJob("train", 2);
  world.ShowJob(job, 0, 2);
  CHECK(world.StateOf("team/train") == "Planned");
  Topology blocks;
  blocks.levels = {{"block", "example.com/block"}};
  CHECK(world.Give(*CompleteTopology(blocks)));
  const std::string why =
      fmt::format("{}: topology \"default\" has no level \"{}\"", kRequired, kRackLabel);
  CHECK(world.Refusal(JobPod(job, 0)).find(why) != std::string::npos);
  CHECK(world.HoldCount() == 0);
  world.ForgetEffects();
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/train").problems.size() == 2);
  CHECK(world.Give(ThreeLevels()));
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.Take<Nomination>().size() == 2);
  world.CallAll(job);
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Live topology: what runs with words for a level that is gone goes on running") {
  LiveWorld world;
  JobSpec job = RackJob("train", 2);
  world.Run(job);
  Topology blocks;
  blocks.levels = {{"block", "example.com/block"}};
  CHECK(world.Give(*CompleteTopology(blocks)));
  // Its pods are load, and nothing else takes their room.
  CHECK(world.planner()
            .model()
            .Use(world.planner().model().FindNode("b0-r0-n0"), "example.com/gpu")
            .used == 8);
  CHECK(world.Give(ThreeLevels()));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Nodes("team/train") == Names{"b0-r0-n0", "b0-r0-n1"});
}

TEST_CASE("Live topology: a gang of which members have succeeded is still one that ran") {
  LiveWorld world;
  JobSpec job = RackJob("train", 2);
  world.Run(job);
  PodFacts done = JobPod(job, 0);
  SetWord(done.annotations, kAssignedRankAnnotation, "0");
  SetWord(done.annotations, kPlanAnnotation, "train.1");
  world.ShowFinished(done, "b0-r0-n0");
  CHECK(world.Give(RackAndNode()));
  world.Delete(JobPod(job, 1));
  world.Show(JobPod(job, 1, 1));
  world.FilterAndBind(JobPod(job, 1, 1));  // it starts by itself
  CHECK(world.BindAll() == 1);
}

// After every step PlannerWorld looks at the invariants.
TEST_CASE("Live topology: levels that change at any moment break nothing") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    INFO(seed);
    std::mt19937 random(seed);
    LiveWorld world;
    std::vector<JobSpec> jobs;
    for (int j = 0; j < 3; ++j) jobs.push_back(RackJob(fmt::format("job-{}", j), 1 + j));
    for (const JobSpec& job : jobs) world.Register(job);
    bool three = true;
    for (int step = 0; step < 60; ++step) {
      const JobSpec& job = jobs[random() % jobs.size()];
      const PodFacts pod =
          JobPod(job, static_cast<int>(random() % static_cast<uint32_t>(job.size)));
      switch (random() % 6) {
        case 0:
          three = !three;
          CHECK(world.Give(three ? ThreeLevels() : RackAndNode()));
          break;
        case 1:
          if (const std::string node = world.Passed(pod); !node.empty()) world.Bind(pod, node);
          break;
        case 2: {
          std::vector<BindingWrite> posts = world.Take<BindingWrite>();
          for (const BindingWrite& post : posts)
            world.Settle(post, random() % 3 == 0 ? BindOutcome::kRefused : BindOutcome::kBound);
          break;
        }
        case 3:
          world.Show(pod);
          break;
        case 4:
          world.Pass(absl::Milliseconds(50));
          break;
        default:
          world.BindAll();
      }
    }
    CHECK_FALSE(world.AnyOvercommitted());
    world.BindAll();
    world.Pass(absl::Minutes(10));
    world.Pass(absl::Milliseconds(50));
    CHECK_FALSE(world.AnyOvercommitted());
  }
}

}  // namespace gangplan::topology_test
