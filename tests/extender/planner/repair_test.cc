// A gang in Kueue's words that runs, and nodes that fail under it: where its new pods go.
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/sentences.h"

namespace gangplan::repair_test {
namespace {

constexpr std::string_view kRequired = "kueue.x-k8s.io/podset-required-topology";
constexpr std::string_view kSliceLevel = "kueue.x-k8s.io/podset-slice-required-topology";
constexpr std::string_view kSliceSize = "kueue.x-k8s.io/podset-slice-size";

JobSpec RackJob(int32_t size) {
  JobSpec job;
  job.size = size;
  job.words = {{std::string(kRequired), "example.com/rack"}};
  return job;
}

// One block is required; slices share a rack.
JobSpec SliceJob(int32_t size, int32_t slice) {
  JobSpec job;
  job.size = size;
  job.words = {{std::string(kRequired), "example.com/block"},
               {std::string(kSliceLevel), "example.com/rack"},
               {std::string(kSliceSize), fmt::format("{}", slice)}};
  return job;
}

using Names = std::vector<std::string>;

struct RepairWorld : PlannerWorld {
  explicit RepairWorld(const std::vector<NodeFacts>& nodes) {
    AddNodes(nodes);
    Sync();
  }
  // Takes so many GPUs of a node away.
  void Fill(const std::string& node, int64_t gpus) {
    ShowBound(ForeignPod("on-" + node, gpus), node);
  }
  void Free(const std::string& node) { Delete(ForeignPod("on-" + node, 0)); }
  void Run(const JobSpec& job) {
    ShowJob(job, 0, job.size);
    for (int i = 0; i < job.size; ++i) FilterAndBind(JobPod(job, i));
    REQUIRE(BindAll() == job.size);
    REQUIRE(StateOf("team/train") == "Running");
  }
  // The node is not ready, and the taint manager deletes its pods.
  void Fail(NodeFacts node, const JobSpec& job) {
    const Names nodes = Nodes("team/train");
    node.ready = false;
    node.taints = {{"node.kubernetes.io/not-ready", "", TaintEffect::kNoExecute}};
    Put(node);
    Evict(node.name, job, nodes);
  }
  // The node is gone, and the garbage collector deletes its pods.
  void Lose(const std::string& node, const JobSpec& job) {
    const Names nodes = Nodes("team/train");
    DeleteNode(node);
    Evict(node, job, nodes);
  }
  void Evict(const std::string& node, const JobSpec& job, const Names& nodes) {
    for (int i = 0; i < job.size; ++i) {
      if (nodes[static_cast<size_t>(i)] != node) continue;
      PodFacts pod = JobPod(job, i);
      pod.node_name = node;
      ShowTerminating(pod);
      lost.push_back(i);
    }
  }
  // The controller makes a new pod for each lost one, one after the other; all of them start.
  void Replace(const JobSpec& job) {
    for (int i : lost) Show(JobPod(job, i, 1));
    for (int i : lost) FilterAndBind(JobPod(job, i, 1));
    CHECK(BindAll() == static_cast<int>(lost.size()));
    CHECK(StateOf("team/train") == "Running");
  }

  std::vector<int> lost;
};

TEST_CASE("Repair: the pods of a failed node go to others of the required rack") {
  RepairWorld world(MakeNodes(1, 3, 3, 2));
  JobSpec job = RackJob(4);
  world.Run(job);
  CHECK(world.Nodes("team/train") == Names{"b0-r0-n0", "b0-r0-n0", "b0-r0-n1", "b0-r0-n1"});
  SECTION("not ready") { world.Fail(MakeNode(0, 0, 1, 2), job); }
  SECTION("gone") { world.Lose("b0-r0-n1", job); }
  CHECK(world.lost == std::vector<int>{2, 3});
  CHECK(world.StateOf("team/train") == "Repairing");
  world.Replace(job);
  CHECK(world.Nodes("team/train") == Names{"b0-r0-n0", "b0-r0-n0", "b0-r0-n2", "b0-r0-n2"});
}

TEST_CASE("Repair: no other rack takes the new pods, and the node starts them when it is back") {
  RepairWorld world(MakeNodes(1, 3, 2, 2));
  JobSpec job = RackJob(4);
  world.Run(job);
  world.Fail(MakeNode(0, 0, 1, 2), job);
  world.Show(JobPod(job, 2, 1));
  world.Show(JobPod(job, 3, 1));
  CHECK(world.Refusal(JobPod(job, 2, 1)) ==
        Sentence("no room beside those that stand", "train", 4, "b0/r0", 2, 2));
  world.Put(MakeNode(0, 0, 1, 2));
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Passed(JobPod(job, 2, 1)) == "");  // the old pods are not gone yet
  for (int i : world.lost) world.Delete(JobPod(job, i));
  world.Pass(absl::Milliseconds(50));
  world.Replace(job);
}

TEST_CASE("Repair: a broken slice is mended in its own rack, though another one is tighter") {
  RepairWorld world(MakeNodes(1, 3, 3, 1));
  JobSpec job = SliceJob(4, 2);
  world.Run(job);
  CHECK(world.Nodes("team/train") == Names{"b0-r0-n0", "b0-r0-n1", "b0-r1-n0", "b0-r1-n1"});
  world.Fill("b0-r2-n0", 1);
  world.Fill("b0-r2-n1", 1);
  world.Fail(MakeNode(0, 1, 0, 1), job);
  world.Replace(job);
  CHECK(world.Nodes("team/train") == Names{"b0-r0-n0", "b0-r0-n1", "b0-r1-n2", "b0-r1-n1"});
}

TEST_CASE("Repair: nodes of two slices that fail at once are each replaced in their own rack") {
  RepairWorld world(MakeNodes(1, 3, 3, 1));
  JobSpec job = SliceJob(4, 2);
  world.Run(job);
  world.Fail(MakeNode(0, 0, 1, 1), job);
  world.Fail(MakeNode(0, 1, 1, 1), job);
  world.Replace(job);
  CHECK(world.Nodes("team/train") == Names{"b0-r0-n0", "b0-r0-n2", "b0-r1-n0", "b0-r1-n2"});
}

// New pods come one after the other; the first one must not settle where its slice cannot follow.
TEST_CASE("Repair: a slice that is lost as a whole goes as a whole to a rack of the block") {
  RepairWorld world(MakeNodes(2, 3, 2, 4));
  JobSpec job = SliceJob(8, 4);
  for (const char* node : {"b0-r0-n1", "b0-r1-n1", "b0-r2-n1"}) world.Fill(node, 4);
  world.Run(job);
  // Where the slices are, one GPU comes free.
  for (const char* node : {"b0-r0-n1", "b0-r1-n1"}) {
    world.Free(node);
    world.Fill(node, 3);
  }
  const Names before = world.Nodes("team/train");
  const std::string failed = before[0];
  REQUIRE(DomainOf(failed, 0) == "b0");
  REQUIRE(before[3] == failed);
  REQUIRE(before[7] == before[4]);
  SECTION("all new pods at once") {
    world.Lose(failed, job);
    world.Replace(job);
  }
  SECTION("each bound before the next one comes") {
    world.Lose(failed, job);
    for (int i : world.lost) {
      world.Show(JobPod(job, i, 1));
      world.FilterAndBind(JobPod(job, i, 1));
      CHECK(world.BindAll() == 1);
    }
  }
  CHECK(world.StateOf("team/train") == "Running");
  const Names after = world.Nodes("team/train");
  for (size_t i = 0; i < 4; ++i) {
    CHECK(DomainOf(after[i], 0) == "b0");
    CHECK(DomainOf(after[i], 1) == DomainOf(after[0], 1));
  }
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Repair: room for lost members that never come again is given back") {
  RepairWorld world(MakeNodes(1, 3, 1, 4));
  JobSpec job = SliceJob(8, 4);
  world.Run(job);
  world.Lose(world.Nodes("team/train")[0], job);
  world.Show(JobPod(job, 0, 1));
  world.FilterAndBind(JobPod(job, 0, 1));
  CHECK(world.BindAll() == 1);
  CHECK(world.HoldCount() == 3);
  world.Pass(absl::Minutes(5));
  CHECK(world.HoldCount() == 0);
  world.Show(JobPod(job, 1, 1));
  CHECK(DomainOf(world.FilterAndBind(JobPod(job, 1, 1)), 1) ==
        DomainOf(world.Nodes("team/train")[0], 1));
}

}  // namespace
}  // namespace gangplan::repair_test
