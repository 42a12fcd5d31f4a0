// What a bind call needs beside room: the watch has shown its pod, and the scheduler has asked
// where it may go. What a scheduler does in its normal life passes.
#include "extender/planner/limits.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/sentences.h"
#include "topology/pod_bytes.h"

namespace gangplan::bind_guard_test {
namespace {

// A rack of two nodes, where the scheduler has asked for a pod that nobody has shown.
struct Asked {
  PlannerWorld world;
  PodFacts pod = ForeignPod("early", 2);
  Asked() {
    world.AddNodes(MakeNodes(1, 1, 2));
    world.Sync();
    REQUIRE(world.Filter(pod).passed.size() == 2);
  }
};

// ... and sent it to a node.
struct Early : Asked {
  PlannerWorld::Call call = world.Bind(pod, "b0-r0-n0");
  Early() {
    REQUIRE(call.decision.held);
    REQUIRE(world.Take<BindingWrite>().empty());
  }
};

}  // namespace

TEST_CASE("Bind guard: a call that is ahead of the watch is written when that shows the pod") {
  Early early;
  early.world.Pass(absl::Seconds(30));
  CHECK_FALSE(early.world.Answer(early.call.id).has_value());
  CHECK(early.world.planner().HeldCalls() == std::vector<CallId>{early.call.id});
  early.world.Show(early.pod);
  CHECK(early.world.BindAll() == 1);
  CHECK(early.world.Answer(early.call.id) == "");
  CHECK(early.world.planner().HeldCalls().empty());
}

TEST_CASE("Bind guard: what the watch shows counts, not what the caller has told") {
  Early early;
  early.world.ShowBound(ForeignPod("large", 1), "b0-r0-n0");
  PodFacts shown = early.pod;
  SECTION("it is larger than there is room") {
    shown.requests = ForeignPod("early", 8).requests;
    early.world.Show(shown);
    CHECK(early.world.Answer(early.call.id) == Sentence("no room left", "b0-r0-n0"));
  }
  SECTION("it is bound already") {
    early.world.ShowBound(shown, "b0-r0-n1");
    CHECK(early.world.Answer(early.call.id) == Sentence("bound already", "b0-r0-n1"));
  }
  SECTION("it is being deleted") {
    early.world.ShowTerminating(shown);
    CHECK(early.world.Answer(early.call.id) == Sentence("pod gone"));
  }
  SECTION("it is a member of a gang, which goes where that is planned") {
    shown = JobPod({.size = 2, .gpus = 8, .place = "rack=pack!"}, 0);
    shown.uid = early.pod.uid;
    early.world.Register(JobSpec{.size = 2, .gpus = 8, .place = "rack=pack!"});
    early.world.Show(shown);
    CHECK(early.world.Answer(early.call.id) == Sentence("group not known"));
  }
  CHECK(early.world.Take<BindingWrite>().empty());
  CHECK(early.world.planner().HeldCalls().empty());
}

TEST_CASE("Bind guard: a call that is ahead of the watch ends as any that is held") {
  Early early;
  SECTION("the scheduler asks again") {
    early.world.Filter(early.pod);
    CHECK(early.world.Answer(early.call.id) == Sentence("call forgotten"));
  }
  SECTION("the scheduler calls again") {
    const auto again = early.world.Bind(early.pod, "b0-r0-n1");
    CHECK(again.decision.held);
    CHECK(early.world.Answer(early.call.id) == Sentence("another call"));
    early.world.Show(early.pod);
    CHECK(early.world.BindAll() == 1);
    CHECK(early.world.Answer(again.id) == "");
  }
  SECTION("its peer is gone") {
    early.world.planner().OnCallsClosed(early.world.now(), {early.call.id, 77});
    CHECK(early.world.Answer(early.call.id) == Sentence("call closed"));
  }
  SECTION("the pod is deleted") {
    early.world.Delete(early.pod);
    CHECK(early.world.Answer(early.call.id) == "the pod was deleted");
  }
  SECTION("the service stops") {
    early.world.planner().AnswerHeldCalls("gangplan is stopping");
    CHECK(early.world.Answer(early.call.id) == "gangplan is stopping");
  }
  SECTION("nobody shows the pod in time") {
    early.world.Pass(kUnconfirmedFor - absl::Milliseconds(1));
    CHECK_FALSE(early.world.Answer(early.call.id).has_value());
    early.world.Pass(absl::Milliseconds(1));
    CHECK(early.world.Answer(early.call.id) == Sentence("not shown"));
  }
  CHECK(early.world.planner().HeldCalls().empty());
}

TEST_CASE("Bind guard: a call that is ahead of the watch is not written late") {
  Asked asked;
  CHECK(asked.world.Bind(asked.pod, "b0-r0-n0", absl::Minutes(10)).decision.error ==
        Sentence("too late to be held, foreign"));
  // The scheduler waits 600 s for it, of which 585 may be used.
  const auto call = asked.world.Bind(asked.pod, "b0-r0-n0", absl::Seconds(575));
  CHECK(call.decision.held);
  asked.world.Pass(absl::Seconds(10));
  CHECK(asked.world.Answer(call.id) == Sentence("not shown"));
}

TEST_CASE("Bind guard: no Binding of a gang is written for a member that nobody has shown") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  const JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.Register(job);
  std::vector<PlannerWorld::Call> calls;
  for (int i = 0; i < 2; ++i) {
    const PodFacts pod = JobPod(job, i);
    world.Filter(pod);
    const std::string node = world.Passed(pod);
    REQUIRE(node != "");
    calls.push_back(world.Bind(pod, node));
    CHECK(calls.back().decision.held);
  }
  CHECK(world.StateOf("team/train") == "Planned");
  world.Show(JobPod(job, 0));
  CHECK(world.Take<BindingWrite>().empty());
  world.Show(JobPod(job, 1));
  CHECK(world.BindAll() == 2);
  for (const auto& call : calls) CHECK(world.Answer(call.id) == "");
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Bind guard: a pod of which the scheduler has not asked is asked for first") {
  Asked asked;
  PodFacts other = ForeignPod("other", 1);
  other.scheduler_name = "another";
  asked.world.Show(other);
  CHECK(asked.world.Bind(other, "b0-r0-n0").decision.error == Sentence("filter not asked"));
  CHECK(asked.world.Take<BindingWrite>().empty());
  SECTION("by filter") { asked.world.Filter(other); }
  SECTION("or by one more call, where its scheduler asks filter of other pods alone") {}
  CHECK(asked.world.Bind(other, "b0-r0-n0").decision.held);
  CHECK(asked.world.BindAll() == 1);
}

TEST_CASE("Bind guard: after a restart a pod is bound of which the one before was asked") {
  Asked asked;
  asked.world.Show(asked.pod);
  asked.world.Restart();
  asked.world.AddNodes(MakeNodes(1, 1, 2));
  asked.world.Show(asked.pod);
  asked.world.Sync();
  asked.world.Filter(ForeignPod("another", 1));
  CHECK(asked.world.Bind(asked.pod, "b0-r0-n0").decision.held);
  CHECK(asked.world.BindAll() == 1);
}

TEST_CASE("Bind guard: a scheduler that is set up without filter has its pods bound") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  const PodFacts pod = ForeignPod("alone", 8);
  world.Show(pod);
  CHECK(world.Bind(pod, "b0-r0-n0").decision.held);
  CHECK(world.BindAll() == 1);
  const PodFacts next = ForeignPod("next", 1);
  world.Show(next);
  CHECK(world.Bind(next, "b0-r0-n0").decision.error == Sentence("no room left", "b0-r0-n0"));
}

// A pod of another scheduler, for which the only node has no room, and which a caller says to be a
// gang of one.
struct Invented {
  PlannerWorld world;
  PodFacts shown = ForeignPod("victim", 8);
  PodFacts told = shown;
  Invented() {
    world.AddNodes(MakeNodes(1, 1, 1));
    world.Sync();
    world.ShowBound(ForeignPod("large", 8), "b0-r0-n0");
    shown.scheduler_name = "another";
    SetWord(told.annotations, "gangplan.io/group", "one");
    SetWord(told.annotations, "gangplan.io/size", "1");
    told.requests = ForeignPod("victim", 0).requests;
  }
};

TEST_CASE("Bind guard: what a caller tells of a pod that was shown otherwise counts for nothing") {
  Invented invented;
  PlannerWorld& world = invented.world;
  world.Show(invented.shown);
  world.Filter(invented.told);
  CHECK(world.StateOf("team/one") == "(none)");
  CHECK(world.Bind(invented.told, "b0-r0-n0").decision.error ==
        Sentence("no room left", "b0-r0-n0"));
  CHECK(world.Take<BindingWrite>().empty());
  world.Show(invented.told);  // now it is so
  CHECK(world.Passed(invented.told) == "b0-r0-n0");
  CHECK(world.StateOf("team/one") == "Planned");
}

TEST_CASE("Bind guard: what a caller has told goes when the watch shows it otherwise") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  PodFacts told = ForeignPod("victim", 1);
  SetWord(told.annotations, "gangplan.io/group", "one");
  SetWord(told.annotations, "gangplan.io/size", "2");
  PodFacts shown = told;
  SECTION("of another priority") {
    told.priority = 1000;
    world.Filter(told);
    CHECK(world.Report("team/one").priority == 1000);
    world.Show(shown);
    CHECK(world.Report("team/one").priority == 0);
  }
  SECTION("another scheduler's") {
    shown.scheduler_name = "another";
    world.Filter(told);
    CHECK(world.Report("team/one").seen == 1);
    world.Show(shown);
    CHECK(world.StateOf("team/one") == "(none)");
  }
}

TEST_CASE("Bind guard: a pod that is said to be bound, or over, is not asked for") {
  Invented invented;
  PlannerWorld& world = invented.world;
  SECTION("bound") { invented.told.node_name = "b0-r0-n0"; }
  SECTION("over") { invented.told.phase = PodPhase::kFailed; }
  SECTION("on its way out") { invented.told.terminating = true; }
  CHECK(world.Refusal(invented.told) != "");
  CHECK(world.StateOf("team/one") == "(none)");
}

TEST_CASE("Bind guard: so much text of pods that nobody has shown is kept") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  const auto with_text = [](const std::string& name, size_t bytes) {
    PodFacts pod = ForeignPod(name, 1);
    const size_t own = TextBytes(pod);
    pod.annotations.emplace_back("note", std::string(bytes - own - 4, 'x'));
    return pod;
  };
  constexpr size_t kHalf = kMaxUnconfirmedBytes / 2;
  const PodFacts first = with_text("first", kHalf);
  const PodFacts second = with_text("second", kHalf);
  const PodFacts beyond = with_text("beyond", 5);
  CHECK(world.Filter(first).passed.size() == 1);
  CHECK(world.Refusal(with_text("more", kHalf + 1)) == "error: " + Sentence("too many not shown"));
  CHECK(world.Filter(second).passed.size() == 1);
  CHECK(world.Refusal(beyond) == "error: " + Sentence("too many not shown"));
  CHECK(world.Filter(first).passed.size() == 1);  // it is one of them, and says no more
  CHECK(world.Refusal(with_text("first", kHalf + 1)) == "error: " + Sentence("too many not shown"));
  SECTION("one is shown") { world.Show(first); }
  SECTION("one is deleted") {
    world.Show(first);
    world.Delete(first);
  }
  SECTION("they are given up") { world.Pass(kUnconfirmedFor); }
  SECTION("one says less") {
    CHECK(world.Filter(with_text("second", kHalf - 5)).passed.size() == 1);
  }
  CHECK(world.Filter(beyond).passed.size() == 1);
}

TEST_CASE("Bind guard: so many pods may wait for the watch to show them") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  Planner& planner = world.planner();
  const Offer offer{"b0-r0-n0"};
  const auto name = [](size_t i) { return fmt::format("p{}", i); };
  for (size_t i = 0; i < kMaxUnconfirmed; ++i)
    CHECK(planner.Filter(world.now(), ForeignPod(name(i), 1), offer).error == "");
  const PodFacts beyond = ForeignPod("beyond", 1);
  CHECK(world.Refusal(beyond) == "error: " + Sentence("too many not shown"));
  CHECK(planner.Preempt(world.now(), beyond, {{"b0-r0-n0", {}}}).empty());
  CHECK(world.Filter(ForeignPod(name(0), 1)).passed.size() == 1);  // it is one of them
  SECTION("one is shown") { world.Show(ForeignPod(name(7), 1)); }
  SECTION("the first ones are given up") { world.Pass(kUnconfirmedFor); }
  SECTION("the watch shows it first") { world.Show(beyond); }
  CHECK(world.Filter(beyond).passed.size() == 1);
}

}  // namespace gangplan::bind_guard_test
