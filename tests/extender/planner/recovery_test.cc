// A planner that starts anew is fed by lists and finds its groups again.
#include "extender/cluster/annotations.h"
#include "extender/frontends/gangplan/words.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {
namespace {

PodFacts BoundByUs(const JobSpec& job, int index, std::string_view node) {
  PodFacts pod = JobPod(job, index);
  pod.node_name = std::string(node);
  SetWord(pod.annotations, kAssignedRankAnnotation, fmt::format("{}", index));
  SetWord(pod.annotations, kPlanAnnotation, job.name + ".1");
  return pod;
}

}  // namespace

TEST_CASE("Recovery: a gang that was half bound is completed in its rack before all others") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  JobSpec greedy{.name = "a-greedy", .size = 2, .gpus = 8, .place = "rack=pack!", .priority = 50};
  JobSpec half{.name = "half", .size = 2, .gpus = 8, .place = "rack=pack!"};
  JobSpec more{.name = "b-more", .size = 2, .gpus = 8, .place = "rack=pack!", .priority = 50};
  world.ShowJob(greedy, 0, 2);
  world.ShowJob(more, 0, 2);
  world.Register(half);
  world.Show(JobPod(half, 0));
  world.Show(BoundByUs(half, 1, "b0-r1-n0"));
  world.Sync();
  CHECK(world.Nodes("team/half") == std::vector<std::string>{"b0-r1-n1", "b0-r1-n0"});
  CHECK(world.StateOf("team/half") == "Binding");
  CHECK(world.StateOf("team/a-greedy") == "Planned");
  CHECK(world.StateOf("team/b-more") == "Blocked");
  world.FilterAndBind(JobPod(half, 0));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/half") == "Running");
}

TEST_CASE("Recovery: a bound pod keeps its rank though pods that wait are read before it") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  const JobSpec job{.size = 4, .gpus = 8, .place = "rack=pack!", .indexed = false};
  world.Register(job);
  std::vector<PodFacts> bound = {BoundByUs(job, 2, "b0-r0-n1"), BoundByUs(job, 3, "b0-r0-n0")};
  SetWord(bound[0].annotations, kAssignedRankAnnotation, "0");
  SetWord(bound[1].annotations, kAssignedRankAnnotation, "1");
  for (int waiting : {0, 1}) world.Show(JobPod(job, waiting));
  for (const PodFacts& pod : bound) world.Show(pod);
  world.Sync();
  const auto slots = world.Report("team/train").slots;
  CHECK(slots[0].pod == bound[0].name);
  CHECK(slots[1].pod == bound[1].name);
  CHECK(slots[2].pod == JobPod(job, 0).name);
  CHECK(slots[3].pod == JobPod(job, 1).name);
}

TEST_CASE("Recovery: while owners are read calls are answered by Error and no room is given away") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 1, 2));
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  JobSpec named{.name = "named", .size = 1, .gpus = 8, .place = "rack=pack!"};
  named.words = {{"gangplan.io/group", "named"}, {"gangplan.io/size", "1"}};
  world.Show(JobPod(job, 0));
  world.Show(BoundByUs(job, 1, "b0-r0-n1"));
  world.Show(JobPod(named, 0));
  world.Sync();
  CHECK(world.planner().recovering());
  CHECK(world.Refusal(JobPod(named, 0)) == "error: gangplan is still finding its groups again");
  CHECK(world.Bind(JobPod(named, 0), "b0-r0-n0").decision.error ==
        "gangplan is still finding its groups again");
  SECTION("until they are known") {
    world.planner().OnOwner(world.now(), "job-train", JobOwner(job));
    world.Pass(absl::ZeroDuration());
    CHECK(world.StateOf("team/train") == "Binding");
    CHECK(world.StateOf("team/named") == "Blocked");
  }
  SECTION("or for ten seconds") {
    world.Pass(absl::Seconds(10));
    CHECK_FALSE(world.planner().recovering());
    CHECK(world.Passed(JobPod(named, 0)) == "b0-r0-n0");
  }
}

TEST_CASE(
    "Recovery: the rest of a gang whose pods that have run are gone waits until told its size") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  OwnerFacts owner = JobOwner(job);
  world.Show(JobPod(job, 1, 1));
  world.planner().OnOwner(world.now(), job.Uid(), owner);
  CHECK(world.StateOf("team/train") == "Gathering");
  world.Delete(JobPod(job, 1, 1));
  owner.annotations = {{std::string(kSizeWord), "1"}};
  world.Show(JobPod(job, 1, 2));
  world.planner().OnOwner(world.now(), job.Uid(), owner);
  CHECK(world.StateOf("team/train") == "Planned");
  world.FilterAndBind(JobPod(job, 1, 2));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Recovery: a gang that runs is found running and a lost member is replaced in its rack") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 3));
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.Register(job);
  world.Show(BoundByUs(job, 0, "b0-r1-n0"));
  world.Show(BoundByUs(job, 1, "b0-r1-n1"));
  world.Sync();
  CHECK(world.StateOf("team/train") == "Running");
  world.Delete(JobPod(job, 0));
  CHECK(world.StateOf("team/train") == "Repairing");
  world.Show(JobPod(job, 0, 1));
  CHECK(world.FilterAndBind(JobPod(job, 0, 1)).starts_with("b0-r1-"));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Recovery: pods that have succeeded show that their gang has run") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.Register(job);
  world.ShowFinished(BoundByUs(job, 0, "b0-r0-n0"), "b0-r0-n0");
  world.Show(JobPod(job, 1, 1));
  world.Sync();
  // The replacement starts by itself: its partner will not come again.
  world.FilterAndBind(JobPod(job, 1, 1));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Recovery: gangs that had not begun are planned by priority then by name") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  JobSpec low{.name = "a-low", .size = 1, .gpus = 8, .place = "rack=pack!"};
  JobSpec high{.name = "z-high", .size = 1, .gpus = 8, .place = "rack=pack!", .priority = 9};
  world.ShowJob(low, 0, 1);
  world.ShowJob(high, 0, 1);
  world.Sync();
  CHECK(world.StateOf("team/z-high") == "Planned");
  CHECK(world.StateOf("team/a-low") == "Blocked");
}

}  // namespace gangplan
