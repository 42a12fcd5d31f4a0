// A planner that starts anew is fed by lists and finds its groups again.
#include "extender/frontends/gangplan/words.h"
#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "tests/extender/planner/lives_world.h"
#include "tests/support/sentences.h"

namespace gangplan::recovery_test {

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
  world.Show(BoundByUs(half, 1, "b0-r1-n0", 1));
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
  std::vector<PodFacts> bound = {BoundByUs(job, 2, "b0-r0-n1", 2),
                                 BoundByUs(job, 3, "b0-r0-n0", 3)};
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
  world.Show(BoundByUs(job, 1, "b0-r0-n1", 1));
  world.Show(JobPod(named, 0));
  world.Sync();
  CHECK(world.planner().recovering());
  CHECK(world.Refusal(JobPod(named, 0)) == "error: " + Sentence("still finding groups"));
  CHECK(world.Bind(JobPod(named, 0), "b0-r0-n0").decision.error ==
        Sentence("still finding groups"));
  SECTION("until they are known") {
    world.planner().OnOwner(world.now(), OwnerKey("team", "job-train"), JobOwner(job));
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
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), owner);
  CHECK(world.StateOf("team/train") == "Gathering");
  world.Delete(JobPod(job, 1, 1));
  owner.annotations = {{std::string(kSizeWord), "1"}};
  world.Show(JobPod(job, 1, 2));
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), owner);
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
  world.Show(BoundByUs(job, 0, "b0-r1-n0", 0));
  world.Show(BoundByUs(job, 1, "b0-r1-n1", 1));
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
  world.ShowFinished(BoundByUs(job, 0, "b0-r0-n0", 0), "b0-r0-n0");
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

TEST_CASE("Recovery: who waits for a second run is not taken for the run that has ended") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  const JobSpec one = Named("run1", "nightly", 2);
  const JobSpec two = Named("run2", "nightly", 2);
  world.Register(one);
  world.Register(two);
  SECTION("whoever is read first") {
    world.Show(JobPod(two, 0));
    for (int i = 0; i < 2; ++i)
      world.Show(Ended(BoundByUs(one, i, fmt::format("b0-r0-n{}", i), i), PodPhase::kSucceeded));
  }
  SECTION("or last") {
    for (int i = 0; i < 2; ++i)
      world.Show(Ended(BoundByUs(one, i, fmt::format("b0-r0-n{}", i), i), PodPhase::kSucceeded));
    world.Show(JobPod(two, 0));
  }
  world.Sync();
  world.FilterAndBind(JobPod(two, 0));
  CHECK(world.BindAll() == 0);  // it waits for the other one
  world.Show(JobPod(two, 1));
  world.FilterAndBind(JobPod(two, 1));
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Recovery: many who wait join in several turns, before anybody is planned") {
  constexpr int kGangs = 300;
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 4, 8));
  for (int i = 0; i < kGangs; ++i) {
    const JobSpec job{.name = fmt::format("g{:03}", i), .size = 4, .gpus = 0, .place = "rack=pack"};
    world.ShowJob(job, 0, 4);
  }
  world.Sync();
  CHECK(world.planner().recovering());
  CHECK(world.planner().busy());
  CHECK(world.HoldCount() == 0);
  for (int ticks = 0; world.planner().busy() && ticks < 1'000; ++ticks)
    world.planner().Tick(world.now());
  CHECK_FALSE(world.planner().recovering());
  CHECK(world.HoldCount() == 4 * kGangs);
}

TEST_CASE("Recovery: a call with older words does not take a pod to its group of before") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  world.answer_owners = false;
  const JobSpec other{.name = "other", .size = 1, .gpus = 8};
  world.Register(other);
  world.Show(JobPod(other, 0));  // its owner is to be read: the recovery waits
  PodFacts pod = ForeignPod("solo", 8);
  SetWord(pod.annotations, "gangplan.io/size", "1");
  SetWord(pod.annotations, "gangplan.io/group", "old");
  const PodFacts older = pod;
  SetWord(pod.annotations, "gangplan.io/group", "new");
  world.Show(pod);
  world.Sync();
  CHECK(world.Filter(older).error == Sentence("still finding groups"));
  world.Pass(absl::Seconds(11));
  CHECK(world.StateOf("team/new") == "Planned");
}

}  // namespace gangplan::recovery_test
