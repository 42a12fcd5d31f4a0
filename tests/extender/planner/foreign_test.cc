// Foreign pods: they pass, never take held room, and move holds only by priority.
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/sentences.h"

namespace gangplan::foreign_test {
namespace {

constexpr int32_t kSystem = 2'000'000'000;

// Two nodes in one rack; a gang of priority 10 holds 6 of 8 GPUs on each.
struct Held {
  PlannerWorld world;
  JobSpec job{.size = 2, .gpus = 6, .place = "rack=pack!", .priority = 10};
  Held() {
    world.AddNodes(MakeNodes(1, 1, 2));
    world.Sync();
    world.ShowJob(job, 0, 1);
    REQUIRE(world.HoldCount() == 2);
  }
};

}  // namespace

TEST_CASE("Foreign: pods pass where room is left beside the holds") {
  Held held;
  FilterDecision decision = held.world.Filter(ForeignPod("small", 2));
  CHECK(decision.passed == std::vector<int32_t>{0, 1});
  decision = held.world.Filter(ForeignPod("large", 3));
  CHECK(decision.passed.empty());
  CHECK(decision.rejected == std::vector<int32_t>{0, 1});
  CHECK(decision.text == Sentence("held for a gang"));
  held.world.Put(MakeNode(0, 0, 2));
  CHECK(held.world.Filter(ForeignPod("large", 3)).passed == std::vector<int32_t>{2});
}

TEST_CASE("Foreign: bind looks again") {
  Held held;
  PodFacts small = ForeignPod("small", 2);
  PodFacts large = ForeignPod("large", 3);
  held.world.Show(small);
  held.world.Show(large);
  CHECK(held.world.Bind(large, "b0-r0-n0").decision.error ==
        Sentence("held for a gang on the node", "b0-r0-n0"));
  CHECK(held.world.Bind(small, "b9-r9-n9").decision.error == Sentence("no such node", "b9-r9-n9"));
  auto call = held.world.Bind(small, "b0-r0-n0");
  CHECK(call.decision.held);
  CHECK(held.world.Bind(small, "b0-r0-n0").decision.error ==
        Sentence("Binding on its way, foreign"));
  CHECK(held.world.Refusal(small) == "error: " + Sentence("Binding on its way"));
  CHECK(held.world.BindAll() == 1);
  CHECK(held.world.Answer(call.id) == "");
  CHECK(held.world.HoldCount() == 2);
}

TEST_CASE("Foreign: a Binding that was not written is answered so and gives its room back") {
  Held held;
  PodFacts pod = ForeignPod("small", 2);
  held.world.Show(pod);
  auto call = held.world.Bind(pod, "b0-r0-n0");
  std::vector<BindingWrite> posts = held.world.Take<BindingWrite>();
  REQUIRE(posts.size() == 1);
  CHECK(posts[0].annotations.empty());
  held.world.Settle(posts[0], BindOutcome::kRefused, "forbidden");
  CHECK(held.world.Answer(call.id) == "forbidden");
  CHECK(held.world.Filter(ForeignPod("other", 2)).passed == std::vector<int32_t>{0, 1});
}

TEST_CASE("Foreign: a Binding that was written counts before the watch shows it") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  PodFacts pod = ForeignPod("large", 8);
  world.Show(pod);
  world.Bind(pod, "b0-r0-n0");
  for (const BindingWrite& post : world.Take<BindingWrite>())
    world.Settle(post, BindOutcome::kBound);
  // A scheduler that does not know it yet asks again: that frees nothing.
  CHECK(world.Refusal(pod) == "error: " + Sentence("Binding on its way"));
  JobSpec job{.size = 1, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  CHECK(world.StateOf("team/train") == "Blocked");
}

TEST_CASE("Foreign: a pod is not bound where no room is left whatever the scheduler believes") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  PodFacts intruder = ForeignPod("intruder", 5);
  intruder.scheduler_name = "another";
  world.ShowBound(intruder, "b0-r0-n0");
  PodFacts pod = ForeignPod("p", 4);
  world.Show(pod);
  CHECK(world.Bind(pod, "b0-r0-n0").decision.error == Sentence("no room left", "b0-r0-n0"));
  world.Delete(intruder);
  CHECK(world.Bind(pod, "b0-r0-n0").decision.held);
}

TEST_CASE("Foreign: a call that is answered late is not written late") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  PodFacts pod = ForeignPod("p", 1);
  world.Show(pod);
  CHECK(world.Bind(pod, "b0-r0-n0", absl::Minutes(10)).decision.error ==
        Sentence("too late to be written, foreign"));
  CHECK(world.Bind(pod, "b0-r0-n0", absl::Minutes(1)).decision.held);
  std::vector<BindingWrite> posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 1);
  CHECK(posts[0].not_after < world.now() + absl::Minutes(9));
}

TEST_CASE("Foreign: a pod of greater priority moves the holds and the gang is planned anew") {
  Held held;
  auto call = held.world.Bind(JobPod(held.job, 0), "b0-r0-n0");
  CHECK(call.decision.held);
  PodFacts equal = ForeignPod("equal", 8, 10);
  CHECK(held.world.Filter(equal).passed.empty());
  PodFacts greater = ForeignPod("greater", 8, 11);
  CHECK(held.world.Filter(greater).passed == std::vector<int32_t>{0, 1});
  held.world.Show(greater);
  CHECK(held.world.Bind(greater, "b0-r0-n0").decision.held);
  CHECK(held.world.Answer(call.id) == Sentence("planned node lost, by name", "train", "b0-r0-n0"));
  CHECK(held.world.StateOf("team/train") == "Blocked");
  CHECK(held.world.HoldCount() == 0);
  CHECK(held.world.Report("team/train").outcome == Outcome::kWait);
}

TEST_CASE("Foreign: system priorities move holds of any gang") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  JobSpec job{.size = 1, .gpus = 8, .place = "rack=pack!", .priority = kSystem};
  world.ShowJob(job, 0, 1);
  CHECK(world.Filter(ForeignPod("below", 1, kSystem - 1)).passed.empty());
  CHECK(world.Filter(ForeignPod("system", 1, kSystem)).passed.size() == 1);
}

TEST_CASE("Foreign: a hold that another scheduler takes is planned anew elsewhere") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 3));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 2);
  world.FilterAndBind(JobPod(job, 1));
  PodFacts intruder = ForeignPod("intruder", 1);
  intruder.scheduler_name = "another";
  world.ShowBound(intruder, "b0-r0-n0");
  CHECK(world.Nodes("team/train") == std::vector<std::string>{"b0-r0-n2", "b0-r0-n1"});
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.planner().HeldCalls().size() == 1);
  CHECK(world.FilterAndBind(JobPod(job, 0)) == "b0-r0-n2");
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Foreign: of two gangs on a node the lesser priority yields") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  JobSpec low{.name = "low", .size = 1, .gpus = 4, .place = "node=pack"};
  JobSpec high{.name = "high", .size = 1, .gpus = 4, .place = "node=pack", .priority = 5};
  world.ShowJob(high, 0, 1);
  world.ShowJob(low, 0, 1);
  PodFacts intruder = ForeignPod("intruder", 3);
  intruder.scheduler_name = "another";
  world.ShowBound(intruder, "b0-r0-n0");
  CHECK(world.StateOf("team/high") == "Planned");
  CHECK(world.StateOf("team/low") == "Blocked");
}

TEST_CASE("Foreign: a running member that grows takes the room from a hold") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  JobSpec first{.name = "first", .size = 1, .gpus = 4, .place = "node=pack"};
  world.ShowJob(first, 0, 1);
  world.FilterAndBind(JobPod(first, 0));
  world.BindAll();
  JobSpec second{.name = "second", .size = 1, .gpus = 4, .place = "node=pack"};
  world.ShowJob(second, 0, 1);
  CHECK(world.HoldCount() == 1);
  first.gpus = 5;
  world.ShowBound(JobPod(first, 0), "b0-r0-n0");
  CHECK(world.HoldCount() == 0);
  CHECK(world.StateOf("team/second") == "Blocked");
}

TEST_CASE("Preempt: a gang never preempts pod by pod") {
  Held held;
  std::vector<PreemptCandidate> candidates{{"b0-r0-n0", {"uid-victim"}}};
  held.world.ShowBound(ForeignPod("victim", 2), "b0-r0-n0");
  CHECK(held.world.planner().Preempt(held.world.now(), JobPod(held.job, 0), candidates).empty());
  // Nor when the watch has not shown its pod yet.
  CHECK(held.world.planner().Preempt(held.world.now(), JobPod(held.job, 1), candidates).empty());
}

TEST_CASE("Preempt: nodes whose room would go to a hold are dropped") {
  Held held;
  PodFacts victim = ForeignPod("victim", 2);
  held.world.ShowBound(victim, "b0-r0-n0");
  held.world.Put(MakeNode(0, 0, 2));
  PodFacts other = ForeignPod("other", 8);
  held.world.ShowBound(other, "b0-r0-n2");
  std::vector<PreemptCandidate> candidates{{"b0-r0-n0", {victim.uid}}, {"b0-r0-n2", {other.uid}}};
  Planner& planner = held.world.planner();
  // 3 GPUs: on n0 only 2 come free beside the hold.
  CHECK(planner.Preempt(held.world.now(), ForeignPod("p", 3, 5), candidates) ==
        std::vector<int32_t>{1});
  CHECK(planner.Preempt(held.world.now(), ForeignPod("p", 2, 5), candidates) ==
        std::vector<int32_t>{0, 1});
  // Of what the node does not list nothing is asked, as by filter and bind.
  PodFacts with_nic = ForeignPod("p", 2, 5);
  with_nic.requests.push_back({"vendor.example/nic", 1});
  CHECK(planner.Preempt(held.world.now(), with_nic, candidates) == std::vector<int32_t>{0, 1});
  // Above the gang's own priority the hold yields as well.
  CHECK(planner.Preempt(held.world.now(), ForeignPod("p", 3, 11), candidates) ==
        std::vector<int32_t>{0, 1});
}

TEST_CASE("Preempt: members that wait in bind are let go and not deleted") {
  Held held;
  auto call = held.world.Bind(JobPod(held.job, 0), "b0-r0-n0");
  const PodFacts victim = JobPod(held.job, 0);
  std::vector<PreemptCandidate> candidates{{"b0-r0-n0", {victim.uid}}};
  PodFacts pod = ForeignPod("p", 8, 11);
  CHECK(held.world.planner().Preempt(held.world.now(), pod, candidates).empty());
  CHECK(held.world.Answer(call.id) == Sentence("gives way to a pod", "train"));
  CHECK(held.world.Filter(pod).passed == std::vector<int32_t>{0, 1});
}

TEST_CASE("Preempt: nobody lets go for a pod that gains nothing by it") {
  Held held;
  const JobSpec runs{.name = "runs", .size = 2, .gpus = 1, .place = "rack=pack!"};
  held.world.Register(runs);
  for (int i = 0; i < 2; ++i) held.world.ShowBound(JobPod(runs, i), NodeNameAt(0, 0, i));
  const auto call = held.world.Bind(JobPod(held.job, 0), "b0-r0-n0");
  REQUIRE(call.decision.held);
  REQUIRE(held.world.StateOf("team/runs") == "Running");
  const PodFacts waits = JobPod(held.job, 0), first = JobPod(runs, 0), second = JobPod(runs, 1);
  std::vector<PreemptCandidate> candidates{{"b0-r0-n0", {waits.uid, first.uid}}};
  std::vector<int32_t> kept;
  bool lets_go = false;
  const auto preempt = [&](int32_t priority) {
    return held.world.planner().Preempt(held.world.now(), ForeignPod("p", 8, priority), candidates);
  };
  SECTION("since it would break a gang that runs") { kept = preempt(11); }
  SECTION("since there is no room without the other one") {
    candidates = {{"b0-r0-n0", {waits.uid}}};
    kept = preempt(kSystem);
  }
  SECTION("but for one of the cluster's own, which may break it") {
    kept = preempt(kSystem);
    lets_go = true;
  }
  SECTION("who takes a node where nobody waits first") {
    candidates.push_back({"b0-r0-n1", {second.uid}});
    CHECK(preempt(kSystem) == std::vector<int32_t>{1});
  }
  CHECK(kept.empty());
  CHECK(held.world.Answer(call.id).has_value() == lets_go);
}

TEST_CASE("Preempt: a member whose Binding is on its way is not called off") {
  Held held;
  held.world.Show(JobPod(held.job, 1));
  auto first = held.world.Bind(JobPod(held.job, 0), "b0-r0-n0");
  auto second = held.world.Bind(JobPod(held.job, 1), "b0-r0-n1");
  CHECK(held.world.StateOf("team/train") == "Binding");
  const PodFacts victim = JobPod(held.job, 0);
  std::vector<PreemptCandidate> candidates{{"b0-r0-n0", {victim.uid}}};
  CHECK(held.world.planner().Preempt(held.world.now(), ForeignPod("p", 8, 11), candidates).empty());
  CHECK_FALSE(held.world.Answer(first.id).has_value());
  held.world.BindAll();
  CHECK(held.world.Answer(first.id) == "");
  CHECK(held.world.Answer(second.id) == "");
}

}  // namespace gangplan::foreign_test
