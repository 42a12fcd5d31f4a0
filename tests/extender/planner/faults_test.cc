// Nodes and members that go while a gang holds room, waits in bind or runs.
#include "extender/planner/owner_key.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/sentences.h"

namespace gangplan::faults_test {
namespace {

struct Rack {
  PlannerWorld world;
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  explicit Rack(int nodes = 3) {
    world.AddNodes(MakeNodes(1, 1, nodes));
    world.Sync();
    world.ShowJob(job, 0, 2);
  }
  void Run() {
    for (int i = 0; i < 2; ++i) world.FilterAndBind(JobPod(job, i));
    REQUIRE(world.BindAll() == 2);
    REQUIRE(world.StateOf("team/train") == "Running");
  }
};

}  // namespace

TEST_CASE("Faults: a held node is deleted or cordoned or not ready or moved") {
  Rack rack;
  auto stays = rack.world.Bind(JobPod(rack.job, 1), "b0-r0-n1");
  NodeFacts node = MakeNode(0, 0, 0);
  SECTION("deleted") { rack.world.DeleteNode(node.name); }
  SECTION("cordoned") {
    node.unschedulable = true;
    rack.world.Put(node);
  }
  SECTION("not ready") {
    node.ready = false;
    rack.world.Put(node);
  }
  SECTION("tainted") {
    node.taints = {{"broken", "", TaintEffect::kNoSchedule}};
    rack.world.Put(node);
  }
  SECTION("without room") {
    node.allocatable[1].amount = 7;
    rack.world.Put(node);
  }
  SECTION("moved to another rack") {
    SetWord(node.labels, "example.com/rack", "r9");
    rack.world.Put(node);
  }
  CHECK(rack.world.Nodes("team/train") == std::vector<std::string>{"b0-r0-n2", "b0-r0-n1"});
  CHECK_FALSE(rack.world.Answer(stays.id).has_value());
  CHECK(rack.world.FilterAndBind(JobPod(rack.job, 0)) == "b0-r0-n2");
  CHECK(rack.world.Take<BindingWrite>().size() == 2);
}

TEST_CASE("Faults: a member in bind whose node goes is told and the gang waits without any room") {
  Rack rack(2);
  auto first = rack.world.Bind(JobPod(rack.job, 0), "b0-r0-n0");
  rack.world.DeleteNode("b0-r0-n0");
  CHECK(rack.world.Answer(first.id) == Sentence("planned node lost, by name", "train", "b0-r0-n0"));
  CHECK(rack.world.StateOf("team/train") == "Blocked");
  CHECK(rack.world.HoldCount() == 0);
}

TEST_CASE("Faults: all members of a running gang go and come again as a gang") {
  Rack rack;
  rack.Run();
  for (int i = 0; i < 2; ++i) rack.world.Delete(JobPod(rack.job, i));
  CHECK(rack.world.StateOf("team/train") == "(none)");
  CHECK(rack.world.HoldCount() == 0);
  for (int i = 0; i < 2; ++i) rack.world.Show(JobPod(rack.job, i, 1));
  rack.world.FilterAndBind(JobPod(rack.job, 0, 1));
  CHECK(rack.world.Take<BindingWrite>().empty());
  rack.world.FilterAndBind(JobPod(rack.job, 1, 1));
  CHECK(rack.world.BindAll() == 2);
}

TEST_CASE("Faults: all members are replaced one after the other and start together again") {
  Rack rack(4);
  rack.Run();
  rack.world.ShowTerminating(JobPod(rack.job, 0));
  rack.world.Show(JobPod(rack.job, 0, 1));
  rack.world.ShowTerminating(JobPod(rack.job, 1));
  rack.world.Show(JobPod(rack.job, 1, 1));
  CHECK(rack.world.StateOf("team/train") == "Planned");
  rack.world.FilterAndBind(JobPod(rack.job, 0, 1));
  CHECK(rack.world.Take<BindingWrite>().empty());
  rack.world.FilterAndBind(JobPod(rack.job, 1, 1));
  CHECK(rack.world.BindAll() == 2);
  CHECK(rack.world.StateOf("team/train") == "Running");
}

TEST_CASE("Faults: the room of a replacement that goes again is held for a while only") {
  Rack rack;
  rack.Run();
  rack.world.Delete(JobPod(rack.job, 0));
  rack.world.Show(JobPod(rack.job, 0, 1));
  CHECK(rack.world.HoldCount() == 1);
  rack.world.Delete(JobPod(rack.job, 0, 1));
  CHECK(rack.world.HoldCount() == 1);
  rack.world.Pass(absl::Minutes(5));
  CHECK(rack.world.HoldCount() == 0);
  CHECK(rack.world.StateOf("team/train") == "Repairing");
  // It is taken again when one comes.
  rack.world.Show(JobPod(rack.job, 0, 2));
  rack.world.FilterAndBind(JobPod(rack.job, 0, 2));
  CHECK(rack.world.BindAll() == 1);
  CHECK(rack.world.StateOf("team/train") == "Running");
}

TEST_CASE("Faults: a gang half bound waits for room in its own rack") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 2);
  for (int i = 0; i < 2; ++i) world.FilterAndBind(JobPod(job, i));
  world.BindAll();
  world.Delete(JobPod(job, 0));
  PodFacts intruder = ForeignPod("intruder", 8);
  intruder.scheduler_name = "another";
  world.ShowBound(intruder, "b0-r0-n0");
  world.Show(JobPod(job, 0, 1));
  CHECK(world.Nodes("team/train")[0] == "-");
  CHECK(world.Filter(JobPod(job, 0, 1)).passed.empty());
  world.ForgetEffects();
  world.Delete(intruder);
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/train")[0] == "b0-r0-n0");
  CHECK(world.Take<Nomination>().size() == 1);
}

TEST_CASE("Faults: members succeed one by one and a late failure is replaced alone") {
  Rack rack;
  rack.Run();
  rack.world.ShowFinished(JobPod(rack.job, 0), "b0-r0-n0");
  CHECK(rack.world.StateOf("team/train") == "Running");
  rack.world.ShowFinished(JobPod(rack.job, 1), "b0-r0-n1", PodPhase::kFailed);
  CHECK(rack.world.StateOf("team/train") == "Done");
  rack.world.Show(JobPod(rack.job, 1, 1));
  rack.world.FilterAndBind(JobPod(rack.job, 1, 1));
  CHECK(rack.world.BindAll() == 1);
  rack.world.ShowFinished(JobPod(rack.job, 1, 1), rack.world.Nodes("team/train")[0]);
  CHECK(rack.world.StateOf("team/train") == "Done");
  for (int i = 0; i < 2; ++i) rack.world.Delete(JobPod(rack.job, i));
  rack.world.Delete(JobPod(rack.job, 1, 1));
  CHECK(rack.world.StateOf("team/train") == "(none)");
}

TEST_CASE("Faults: the whole gang fails and starts together again") {
  Rack rack(4);
  rack.Run();
  rack.world.ShowFinished(JobPod(rack.job, 0), "b0-r0-n0", PodPhase::kFailed);
  rack.world.Show(JobPod(rack.job, 0, 1));
  rack.world.ShowFinished(JobPod(rack.job, 1), "b0-r0-n1", PodPhase::kFailed);
  rack.world.FilterAndBind(JobPod(rack.job, 0, 1));
  CHECK(rack.world.Take<BindingWrite>().empty());
  rack.world.Show(JobPod(rack.job, 1, 1));
  rack.world.FilterAndBind(JobPod(rack.job, 1, 1));
  CHECK(rack.world.BindAll() == 2);
}

TEST_CASE("Faults: a pod that is going is neither offered a node nor bound") {
  Rack rack;
  PodFacts pod = JobPod(rack.job, 0);
  rack.world.ShowTerminating(pod);
  CHECK(rack.world.Refusal(pod) == "error: " + Sentence("pod gone"));
  CHECK(rack.world.Bind(pod, "b0-r0-n2").decision.error == Sentence("pod gone"));
  rack.world.Delete(pod);
  CHECK(rack.world.Refusal(pod) == "error: " + Sentence("pod gone from the watch"));
  // What arrives late from another stream changes nothing.
  rack.world.Show(pod);
  CHECK(rack.world.StateOf("team/train") == "Gathering");
}

TEST_CASE("Faults: a pod that another controller takes while its first one is being read") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  world.answer_owners = false;
  PodFacts pod = JobPod({.name = "train", .size = 1, .place = "rack=pack!"}, 0);
  world.Show(pod);
  const JobSpec heir = {.name = "heir", .size = 1, .place = "rack=pack!"};
  pod.controller = OwnerRef{"batch/v1", "Job", heir.name, heir.Uid()};
  const bool asked_first = GENERATE(false, true);
  if (asked_first) CHECK(world.Passed(pod) == "");
  world.Show(pod);
  world.planner().OnOwner(world.now(), OwnerKey("team", heir.Uid()), JobOwner(heir));
  CHECK_FALSE(world.Passed(pod).empty());
  world.Delete(pod);
}

}  // namespace gangplan::faults_test
