// How groups get, keep and give back a plan.
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/sentences.h"

namespace gangplan::gather_test {

TEST_CASE("Gather: the first member takes room for the whole gang in one rack") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  JobSpec job{.size = 4, .gpus = 4, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  CHECK(world.StateOf("team/train") == "Gathering");
  CHECK(world.HoldCount() == 4);
  CHECK(world.Nodes("team/train") ==
        std::vector<std::string>{"b0-r0-n0", "b0-r0-n0", "b0-r0-n1", "b0-r0-n1"});
  CHECK(world.Passed(JobPod(job, 0)) == "b0-r0-n0");
}

TEST_CASE("Gather: filter alone makes the plan when it comes before the watch") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.Register(job);
  CHECK(world.Refusal(JobPod(job, 1)) == "error: " + Sentence("reading the owner"));
  CHECK(world.Passed(JobPod(job, 1)) == "b0-r0-n1");
  CHECK(world.Passed(JobPod(job, 0)) == "b0-r0-n0");
  CHECK(world.StateOf("team/train") == "Planned");
}

TEST_CASE("Gather: of two gangs for one rack the second waits with one text until room is freed") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec first{.name = "first", .size = 2, .gpus = 8, .place = "rack=pack!"};
  JobSpec second{.name = "second", .size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(first, 0, 2);
  world.ShowJob(second, 0, 2);
  CHECK(world.StateOf("team/first") == "Planned");
  CHECK(world.StateOf("team/second") == "Blocked");
  std::string text = world.Refusal(JobPod(second, 0));
  CHECK(text.find("second") != std::string::npos);
  CHECK(world.Report("team/second").outcome == Outcome::kWait);
  int64_t solves = world.planner().Stats().solves[static_cast<int>(Outcome::kWait)];
  for (int i = 0; i < 5; ++i) {
    world.Pass(absl::Seconds(1));
    CHECK(world.Refusal(JobPod(second, 0)) == text);
  }
  // Nothing changed: nothing was solved again.
  CHECK(world.planner().Stats().solves[static_cast<int>(Outcome::kWait)] == solves);
  world.ForgetEffects();
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(first, i));
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/second") == "Planned");
  // The member that was told to wait is woken, the other is not asked for yet.
  std::vector<Nomination> woken = world.Take<Nomination>();
  REQUIRE(woken.size() == 1);
  CHECK(woken[0].pod.name == "second-0-0");
  CHECK(woken[0].node == "b0-r0-n0");
}

TEST_CASE("Gather: what can never fit is told at once and without another solve") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  JobSpec job{.size = 5, .gpus = 4, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  CHECK(world.StateOf("team/train") == "Blocked");
  CHECK(world.Report("team/train").outcome == Outcome::kImpossible);
  CHECK(world.HoldCount() == 0);
  std::string text = world.Refusal(JobPod(job, 0));
  CHECK(text.starts_with("gang team/train"));
  CHECK(world.Refusal(JobPod(job, 0)) == text);
}

TEST_CASE("Gather: one Event for each new reason") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 2);
  world.Pass(absl::Seconds(1));
  std::vector<EventNote> events = world.Take<EventNote>();
  REQUIRE(events.size() == 1);
  CHECK(events[0].reason == "GangImpossible");
  CHECK(events[0].regarding.name == "train");
  CHECK(events[0].note.starts_with(world.Report("team/train").reason));
  world.Pass(absl::Minutes(10));
  world.Filter(JobPod(job, 1));
  world.Pass(absl::Minutes(10));
  CHECK(world.Take<EventNote>().empty());
}

TEST_CASE("Gather: a gang whose last member never comes gives its room back and leaves it") {
  PlannerOptions options = PlannerWorld::Options();
  options.gather_timeout = absl::Minutes(5);
  PlannerWorld world(options);
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  world.Pass(absl::Minutes(5) - absl::Seconds(1));
  CHECK(world.HoldCount() == 2);
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/train") == "Released");
  CHECK(world.HoldCount() == 0);
  const Sentence text("members did not come", "train", 2);
  // Neither calls nor capacity take the room again.
  CHECK(world.Refusal(JobPod(job, 0)) == text);
  world.Put(MakeNode(0, 0, 7));
  world.Pass(absl::Minutes(1));
  CHECK(world.Refusal(JobPod(job, 0)) == text);
  CHECK(world.HoldCount() == 0);
  world.Show(JobPod(job, 1));
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.HoldCount() == 2);
}

TEST_CASE("Gather: calls that wait are answered when the room is given back") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  auto call = world.Bind(JobPod(job, 0), world.Passed(JobPod(job, 0)));
  CHECK(call.decision.held);
  world.Pass(absl::Minutes(5));
  CHECK(world.Answer(call.id) == Sentence("members did not come", "train", 2));
}

TEST_CASE("Gather: a gang that the scheduler did not bind in time is planned again when it asks") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 2);
  CHECK(world.StateOf("team/train") == "Planned");
  world.Pass(absl::Minutes(5));
  CHECK(world.HoldCount() == 0);
  world.Pass(absl::Minutes(5));
  CHECK(world.HoldCount() == 0);
  // One member asked for is not enough: the other may be stuck elsewhere.
  CHECK(world.Refusal(JobPod(job, 0)) == Sentence("members were not bound", "train", 2));
  CHECK(world.HoldCount() == 0);
  CHECK(world.Passed(JobPod(job, 1)) == "b0-r0-n1");
  CHECK(world.StateOf("team/train") == "Planned");
  std::vector<Nomination> woken = world.Take<Nomination>();
  REQUIRE(woken.size() == 1);
  CHECK(woken[0].pod.name == "train-0-0");
}

TEST_CASE("Gather: room that came to nothing twice is taken again after a pause that doubles") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  int made = 0;
  for (const int pause : {0, 5, 10, 20}) {
    REQUIRE(world.HoldCount() == 2);
    world.Pass(PlannerWorld::Options().gather_timeout);
    REQUIRE(world.HoldCount() == 0);
    world.Show(JobPod(job, 0, made + 1));
    world.Delete(JobPod(job, 0, made++));
    if (pause == 0) continue;
    world.Pass(absl::Seconds(pause) - absl::Milliseconds(1));
    CHECK(world.HoldCount() == 0);
    world.Pass(absl::Milliseconds(1));
  }
  CHECK(world.HoldCount() == 2);
}

TEST_CASE("Gather: many waiting pods are answered by Error beyond the limit") {
  PlannerOptions options = PlannerWorld::Options();
  options.reject_max = 3;
  PlannerWorld world(options);
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  JobSpec job{.size = 5, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 5);
  for (int i = 0; i < 3; ++i) {
    CHECK(world.Filter(JobPod(job, i)).error == "");
    CHECK(world.planner().Stats().rejected_pods == i + 1);
  }
  FilterDecision fourth = world.Filter(JobPod(job, 3));
  CHECK(fourth.error == world.Report("team/train").reason);
  CHECK(fourth.rejected.empty());
  // Those that are rejected already stay so; one that leaves makes place for another.
  CHECK(world.Filter(JobPod(job, 0)).error == "");
  world.Delete(JobPod(job, 0));
  CHECK(world.planner().Stats().rejected_pods == 2);
  CHECK(world.Filter(JobPod(job, 3)).error == "");
}

TEST_CASE("Gather: a member beyond the size waits for a place and is woken when it has one") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!", .indexed = false};
  world.ShowJob(job, 0, 3);
  CHECK(world.Refusal(JobPod(job, 2)) == Sentence("too many members", "train", 2));
  world.ForgetEffects();
  world.Delete(JobPod(job, 0));
  CHECK(world.StateOf("team/train") == "Planned");
  std::vector<Nomination> woken = world.Take<Nomination>();
  REQUIRE(woken.size() == 1);
  CHECK(woken[0].pod.name == "train-2-0");
  CHECK(world.Passed(JobPod(job, 2)) == "b0-r0-n0");
}

TEST_CASE("Gather: of two members with one rank the second takes what is free") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.Register(job);
  world.Show(JobPod(job, 1, 0));
  world.Show(JobPod(job, 1, 1));
  CHECK(world.Passed(JobPod(job, 1, 0)) == "b0-r0-n1");
  CHECK(world.Passed(JobPod(job, 1, 1)) == "b0-r0-n0");
  world.Show(JobPod(job, 0));
  CHECK(world.Refusal(JobPod(job, 0)) == Sentence("too many members", "train", 2));
}

TEST_CASE("Gather: a pod that differs from its gang is told how") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  world.Sync();
  JobSpec job{.size = 4, .gpus = 1, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  auto refusal = [&](PodFacts pod) {
    world.Show(pod);
    return world.Refusal(pod);
  };
  JobSpec other = job;
  other.gpus = 2;
  CHECK(refusal(JobPod(other, 1, 1)) == Sentence("other resources", "train"));
  other = job;
  other.place = "block=pack!";
  CHECK(refusal(JobPod(other, 1, 2)) ==
        Sentence("another place", "train", "block=pack!", "rack=pack!"));
  other = job;
  other.words = {{"gangplan.io/size", "3"}};
  CHECK(refusal(JobPod(other, 1, 3)) == Sentence("another size", "train", 3, 4));
  PodFacts selective = JobPod(job, 1, 4);
  selective.filter.node_selector = {{"disk", "ssd"}};
  CHECK(refusal(selective) == Sentence("other nodes", "train"));
  // The sound members go on without them.
  for (int i = 1; i < 4; ++i) world.Show(JobPod(job, i));
  CHECK(world.StateOf("team/train") == "Planned");
  world.Pass(absl::Seconds(1));
  std::vector<EventNote> events = world.Take<EventNote>();
  REQUIRE(events.size() == 1);
  CHECK(events[0].reason == "GangInvalid");
  CHECK(events[0].note.starts_with(
      "pod train-1-1: requests other resources than the rest of its pod set\n"));
}

TEST_CASE("Gather: invalid pods alone make no plan and the first sound one does") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec wrong{.size = 2, .gpus = 8, .place = "rack=packed"};
  world.ShowJob(wrong, 0, 2);
  CHECK(world.Refusal(JobPod(wrong, 0)) == Sentence("no such rule", "train", "rack=packed"));
  world.Delete(JobPod(wrong, 0));
  CHECK(world.StateOf("team/train") == "New");
  JobSpec right{.size = 2, .gpus = 8, .place = "rack=pack"};
  for (int i = 0; i < 2; ++i) world.Show(JobPod(right, i, 1));
  CHECK(world.StateOf("team/train") == "Planned");
  for (int i = 0; i < 2; ++i) world.FilterAndBind(JobPod(right, i, 1));
  CHECK(world.BindAll() == 2);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Gather: at most so many groups are kept") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.groups = kMaxGroups + 1;
  PlannerWorld world(options);
  world.AddNodes(MakeNodes(1, 1, 1, 1));
  Planner& planner = world.planner();
  auto pod = [](size_t i) {
    PodFacts facts = ForeignPod(fmt::format("p{}", i), 1);
    facts.annotations = {{"gangplan.io/group", facts.name}, {"gangplan.io/size", "2"}};
    facts.created = static_cast<int64_t>(i) + 1;
    return facts;
  };
  for (size_t i = 0; i < kMaxGroups; ++i) planner.OnPod(world.now(), pod(i));
  planner.OnPod(world.now(), pod(kMaxGroups));
  world.Sync();
  while (planner.recovering()) planner.Tick(world.now());
  CHECK(world.Refusal(pod(kMaxGroups - 1)) == "error: " + Sentence("waits for its turn", "p9999"));
  while (planner.busy()) planner.Tick(world.now());
  CHECK(world.Refusal(pod(kMaxGroups - 1)).starts_with("gang team/p9999"));
  CHECK(world.Refusal(pod(kMaxGroups)) == "error: " + Sentence("no more groups", 10000));
  // One that goes makes place.
  world.Delete(pod(0));
  CHECK(world.Refusal(pod(kMaxGroups)).starts_with("gang team/p10000"));
}

TEST_CASE("Gather: an owner that is not found leaves the pod to its own words") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.Show(JobPod(job, 0));
  std::vector<OwnerRead> reads = world.Take<OwnerRead>();
  REQUIRE(reads.size() == 1);
  CHECK(reads[0].owner.uid == "job-train");
  world.Show(JobPod(job, 1));
  CHECK(world.Take<OwnerRead>().empty());  // asked once
  Planner& planner = world.planner();
  // An error is asked again, later.
  planner.OnOwner(world.now(), OwnerKey("team", "job-train"), absl::UnavailableError("away"));
  world.Pass(kOwnerRetry - absl::Milliseconds(1));
  CHECK(world.Take<OwnerRead>().empty());
  CHECK(world.Refusal(JobPod(job, 0)) == "error: " + Sentence("reading the owner"));
  world.Pass(absl::Milliseconds(1));
  CHECK(world.Take<OwnerRead>().size() == 1);
  SECTION("then it is known") {
    planner.OnOwner(world.now(), OwnerKey("team", "job-train"), JobOwner(job));
    CHECK(world.StateOf("team/train") == "Planned");
  }
  SECTION("then there is none") {
    planner.OnOwner(world.now(), OwnerKey("team", "job-train"), absl::NotFoundError("gone"));
    CHECK(world.Refusal(JobPod(job, 0)) == Sentence("no size", "train"));
  }
  SECTION("then another one has its name") {
    OwnerFacts other = JobOwner(job);
    other.ref.uid = "job-train-2";
    planner.OnOwner(world.now(), OwnerKey("team", "job-train"), other);
    CHECK(world.Refusal(JobPod(job, 0)).starts_with("gang team/train: invalid: gangplan.io/size"));
  }
}

TEST_CASE("Gather: a pod that was bound while its owner was read is nobody's member") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8};  // the word stands on the owner
  OwnerFacts owner = JobOwner(job);
  owner.annotations = {{"gangplan.io/place", "rack=pack!"}};
  world.Show(JobPod(job, 0));
  world.ShowBound(JobPod(job, 0), "b0-r0-n0");
  world.planner().OnOwner(world.now(), OwnerKey("team", "job-train"), owner);
  CHECK(world.StateOf("team/train") == "(none)");
}

TEST_CASE("Gather: a gated pod is a member once its gate is gone even if filter says so first") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.Register(job);
  PodFacts gated = JobPod(job, 0);
  gated.gates.others = true;
  world.Show(gated);
  CHECK(world.StateOf("team/train") == "(none)");
  CHECK(world.Refusal(JobPod(job, 0)) == "error: " + Sentence("reading the owner"));
  CHECK(world.Passed(JobPod(job, 0)) == "b0-r0-n0");
  CHECK(world.StateOf("team/train") == "Gathering");
}

TEST_CASE("Gather: a pod that only the scheduler has shown is dropped when no watch confirms it") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.Register(job);
  world.Filter(JobPod(job, 0));
  CHECK(world.Passed(JobPod(job, 0)) != "");
  world.Pass(kUnconfirmedFor - absl::Seconds(1));
  CHECK(world.HoldCount() == 2);
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == 0);
  CHECK(world.StateOf("team/train") == "(none)");
}

TEST_CASE("Gather: before the lists are read everything is answered by Error") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  CHECK(world.Refusal(JobPod(job, 0)) == "error: " + Sentence("still reading the cluster"));
  CHECK(world.Bind(JobPod(job, 0), "b0-r0-n0").decision.error ==
        Sentence("still reading the cluster"));
}

}  // namespace gangplan::gather_test
