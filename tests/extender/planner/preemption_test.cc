// Gangs that run and give way, each as a whole, to one of greater priority.
#include "extender/cluster/annotations.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/ledger.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/support/catch.h"

namespace gangplan::preemption_test {
namespace {

TEST_CASE("the gang of the least priority gives way, as a whole, and its room is the gang's") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  CHECK(world.Refusal(JobPod(racks.high, 0)) ==
        "gang team/high of 2: it has room when what gives way to it has stopped: team/a");
  CHECK(racks.Try() == std::vector<std::string>{"a-0-0", "a-1-0"});
  const PodMark mark = racks.Mark();
  CHECK(mark.annotations ==
        LabelPatch{{std::string(kEvictedForAnnotation), std::string("team/high")}});
  CHECK(world.Take<PodDelete>().empty());  // nobody goes before it is known that all do
  racks.Tell(mark);
  const PodDelete first = racks.Evict();
  CHECK(first.how == PodDelete::How::kEvict);
  CHECK(first.pod.uid != mark.pod.uid);
  racks.Tell(first);
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].reason == kGangPreempted);
  CHECK(notes[0].regarding.name == "a");
  CHECK(notes[0].note.find(
            "gang team/a of 2, priority 1, gives way as a whole to gang team/high "
            "of 2, priority 100, which would wait otherwise: gang team/high: 2 members must "
            "share one rack") == 0);
  const PodDelete last = racks.Evict();
  CHECK(last.pod.uid == mark.pod.uid);
  racks.Tell(last);

  const std::vector<PodFacts> pods = racks.StopA();
  CHECK(world.Nodes("team/high").empty());
  world.Delete(pods[0]);
  // What has come free is nobody else's: of a newcomer that fits there alone, and of a pod.
  const JobSpec small = Gang("small", 50, 1);
  world.ShowJob(small, 0, 1);
  CHECK(world.Passed(JobPod(small, 0)) == "");
  const PodFacts foreign = ForeignPod("foreign", 8, 3);
  world.Show(foreign);
  CHECK(world.Filter(foreign).rejected.size() >= 1);
  CHECK(world.Filter(foreign, {pods[0].node_name}).passed.empty());
  world.Delete(pods[1]);
  CHECK(world.Nodes("team/high") == racks.nodes_of_a);
  CHECK(world.HoldCount() == 2);
  CHECK(world.FilterAndBind(JobPod(racks.high, 0)) == racks.nodes_of_a[0]);
  CHECK(world.FilterAndBind(JobPod(racks.high, 1)) == racks.nodes_of_a[1]);
  CHECK(world.BindAll() == 2);
  CHECK(world.StateOf("team/b") == "Running");
}

TEST_CASE("neither of two namespaces is told how the gang of the other one is called") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  PodFacts pod;
  for (int i = 0; i < 2; ++i) {
    pod = ForeignPod(fmt::format("falcon-{}", i), 8, 100);
    pod.ns = "mergers";
    SetWord(pod.annotations, "gangplan.io/group", "falcon");
    SetWord(pod.annotations, "gangplan.io/size", "2");
    SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
    world.Show(pod);
  }
  CHECK(world.Refusal(pod) ==
        "gang mergers/falcon of 2: it has room when what gives way to it has stopped: a gang of "
        "another namespace");
  racks.Try();
  const PodMark mark = racks.Mark();
  CHECK(mark.annotations == LabelPatch{{std::string(kEvictedForAnnotation),
                                        std::string("a gang of another namespace")}});
  racks.Tell(mark);
  racks.Tell(racks.Evict());
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(
      notes[0].note.find("gang team/a of 2, priority 1, gives way as a whole to a gang of another "
                         "namespace of 2, priority 100, which would wait otherwise") == 0);
  CHECK(notes[0].note.find("falcon") == std::string::npos);
  racks.Tell(racks.Evict());
  const PodFacts gone = racks.BoundPod(racks.a, 0);
  world.ShowTerminating(gone);
  world.Delete(gone);
  const PodFacts again = JobPod(racks.a, 0, 1);
  world.Show(again);
  CHECK(world.Refusal(again).find(
            "gang team/a gives way to a gang of another namespace of greater priority") == 0);
}

TEST_CASE("what was evicted waits as a whole until its last pod has stopped") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  racks.EvictAll();
  const PodFacts pods[] = {racks.BoundPod(racks.a, 0), racks.BoundPod(racks.a, 1)};
  world.ShowTerminating(pods[0]);
  world.Delete(pods[0]);
  const PodFacts again = JobPod(racks.a, 0, 1);
  world.Show(again);
  CHECK(world.Refusal(again).find("gang team/a gives way to gang team/high of greater priority") ==
        0);
  // There is room for the one that was lost, and none for both.
  world.Put(MakeNode(0, 1, 7));
  CHECK(world.Passed(again) == "");
  world.Delete(pods[1]);
  world.Show(JobPod(racks.a, 1, 1));
  CHECK(world.Passed(again) == "");  // two nodes in one rack, and there is one
  world.Put(MakeNode(0, 1, 8));
  CHECK(world.Passed(again) != "");
}

TEST_CASE("nobody is asked to give way: by configuration, by the pods' word, for an equal") {
  SECTION("configuration") {
    TwoRacks racks(PlannerWorld::Options());
    racks.world.ShowJob(racks.high, 0, 2);
    CHECK(racks.world.Passed(JobPod(racks.high, 0)) == "");
    CHECK(racks.world.Take<PodDelete>().empty());
  }
  SECTION("the pods' word") {
    TwoRacks racks;
    racks.world.Register(racks.high);
    for (int i = 0; i < 2; ++i) {
      PodFacts pod = JobPod(racks.high, i);
      pod.never_preempts = true;
      racks.world.Show(pod);
    }
    CHECK(racks.world.Take<PodDelete>().empty());
  }
  SECTION("an equal") {
    TwoRacks racks;
    racks.world.ShowJob(Gang("equal", 1), 0, 2);
    CHECK(racks.world.Take<PodDelete>().empty());
  }
  SECTION("one of which a member is missing") {
    TwoRacks racks;
    racks.world.ShowJob(racks.high, 0, 1);
    CHECK(racks.world.Take<PodDelete>().empty());
    racks.world.Show(JobPod(racks.high, 1));
    CHECK(racks.Try().size() == 2);
  }
  SECTION("one that fits nowhere, whoever goes") {
    TwoRacks racks;
    racks.world.ShowJob(Gang("huge", 100, 3), 0, 3);
    CHECK(racks.world.Take<PodDelete>().empty());
  }
}

TEST_CASE("who may not be evicted stays, and another set is taken") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  CHECK(racks.Try(absl::FailedPreconditionError("disruption budget")).size() == 2);
  CHECK(world.Take<PodMark>().empty());
  const std::string why = world.Report("team/high").reason;
  CHECK(why.ends_with("; gang team/a would give way, and may not: disruption budget"));
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Report("team/high").reason == why);
  world.Pass(kVictimPause);
  CHECK(world.Report("team/high").reason.ends_with("has stopped: team/b"));
  CHECK(racks.Try() == std::vector<std::string>{"b-0-0", "b-1-0"});
  CHECK(world.StateOf("team/a") == "Running");
  CHECK(world.Take<PodMark>().size() == 1);
}

TEST_CASE("a first eviction that is refused is an end: the mark goes, and nobody was touched") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  const PodMark mark = racks.TryAndMark();
  racks.Tell(racks.Evict(), absl::FailedPreconditionError("disruption budget"));
  const PodMark unmark = racks.Mark();
  CHECK(unmark.pod.uid == mark.pod.uid);
  CHECK(unmark.annotations == LabelPatch{{std::string(kEvictedForAnnotation), std::nullopt}});
  racks.Tell(unmark);
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.HoldCount() == 0);
  world.Pass(kVictimPause);
  CHECK(racks.Try() == std::vector<std::string>{"b-0-0", "b-1-0"});
}

TEST_CASE("a first pod that has gone by itself is nobody's eviction: the next one may be refused") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  racks.TryAndMark();
  racks.Tell(racks.Evict(), absl::NotFoundError("it is gone"));
  const PodDelete next = racks.Evict();
  CHECK(next.how == PodDelete::How::kEvict);
  racks.Tell(next, absl::FailedPreconditionError("disruption budget"));
  CHECK(world.Take<PodDelete>().empty());
  CHECK(racks.Mark().annotations == LabelPatch{{std::string(kEvictedForAnnotation), std::nullopt}});
}

TEST_CASE("a first pod whose eviction nobody answered, and that is gone then, was evicted") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  racks.TryAndMark();
  racks.Tell(racks.Evict(), absl::UnavailableError("time-out"));
  world.Pass(kEvictionRetry);
  racks.Tell(racks.Evict(), absl::NotFoundError("it is gone"));
  racks.Tell(racks.Evict(), absl::FailedPreconditionError("disruption budget"));
  CHECK(racks.Evict().how == PodDelete::How::kForce);
  CHECK(world.Take<PodMark>().empty());
}

TEST_CASE("once one has gone all go, whatever a budget says of the others") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  racks.TryAndMark();
  racks.Tell(racks.Evict());
  racks.Tell(racks.Evict(), absl::FailedPreconditionError("disruption budget"));
  const PodDelete forced = racks.Evict();
  CHECK(forced.how == PodDelete::How::kForce);
  racks.Tell(forced, absl::UnavailableError("later"));
  CHECK(world.Take<PodDelete>().empty());
  world.Pass(kEvictionRetry);
  CHECK(racks.Evict().how == PodDelete::How::kForce);
}

TEST_CASE("whoever starts anew finds the mark and does the rest") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  const PodMark mark = racks.TryAndMark();
  racks.Tell(racks.Evict());
  std::vector<PodFacts> pods;
  for (int i = 0; i < 2; ++i) pods.push_back(racks.BoundPod(racks.a, i));
  for (PodFacts& pod : pods) {
    SetWord(pod.annotations, kPlanAnnotation, "a.1");
    if (pod.uid == mark.pod.uid) SetWord(pod.annotations, kEvictedForAnnotation, "team/high");
  }
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  for (PodFacts& pod : pods) {
    pod.terminating = pod.uid != mark.pod.uid;
    world.Show(pod);
  }
  world.Sync();
  const PodDelete rest = racks.Evict();
  CHECK(rest.how == PodDelete::How::kEvict);
  CHECK(rest.pod.uid == mark.pod.uid);
}

TEST_CASE("a Job is suspended where that is ours to do, else its pods are evicted") {
  TwoRacks racks(Suspending());
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  CHECK(racks.Try().size() == 2);
  const auto writes = world.Take<JobWrite>();
  REQUIRE(writes.size() == 1);
  const JobWrite& write = writes[0];
  CHECK(write.job.name == "a");
  CHECK((write.suspend && write.evicts && write.resource_version.empty()));
  CHECK(write.labels == LabelPatch{{std::string(kSuspendedLabel), std::string("true")}});
  const auto tell = [&](const absl::Status& status) {
    world.planner().OnJobWritten(world.now(), write.job.uid, write.attempt, status);
  };
  SECTION("it is") {
    tell(absl::OkStatus());
    CHECK(world.Take<EventNote>().size() == 1);
    const std::vector<PodFacts> pods = racks.StopA();
    CHECK(world.Take<PodMark>().empty());
    for (const PodFacts& pod : pods) world.Delete(pod);
    CHECK(world.Nodes("team/high") == racks.nodes_of_a);
  }
  SECTION("somebody else has done it, or it is finished") {
    tell(absl::AbortedError("somebody else has suspended it"));
    CHECK(world.Take<EventNote>().empty());
    for (const PodFacts& pod : racks.StopA()) world.Delete(pod);
    CHECK(world.Nodes("team/high") == racks.nodes_of_a);
  }
  SECTION("its controller would start it again") {
    tell(absl::FailedPreconditionError("its controller would start it again"));
    CHECK(world.Take<PodMark>().size() == 1);
  }
  SECTION("it may have been done") {
    tell(absl::UnavailableError("time-out"));
    CHECK(world.Take<JobWrite>().empty());
    world.Pass(kEvictionRetry);
    CHECK(world.Take<JobWrite>().size() == 1);
  }
}

TEST_CASE("whoever waits no more needs nobody to go") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  SECTION("before it has begun nobody goes") {
    const auto tries = world.Take<PodDelete>();
    for (int i = 0; i < 2; ++i) world.Delete(JobPod(racks.high, i));
    for (const PodDelete& one : tries) racks.Tell(one);
    CHECK(world.Take<PodMark>().empty());
    CHECK(world.HoldCount() == 0);
  }
  SECTION("what has begun goes on") {
    racks.TryAndMark();
    for (int i = 0; i < 2; ++i) world.Delete(JobPod(racks.high, i));
    racks.Tell(racks.Evict());
    racks.Tell(racks.Evict());
    const PodFacts pods[] = {racks.BoundPod(racks.a, 0), racks.BoundPod(racks.a, 1)};
    for (const PodFacts& pod : pods) {
      world.ShowTerminating(pod);
      world.Delete(pod);
    }
    CHECK(world.HoldCount() == 0);
    for (int i = 0; i < 2; ++i) world.Show(JobPod(racks.a, i, 1));
    CHECK(world.Nodes("team/a").size() == 2);
  }
}

TEST_CASE("pods that do not stop keep nobody's room for ever") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  racks.EvictAll();
  const absl::Time end = world.now() + PlannerWorld::Options().gather_timeout + kGrace;
  world.Pass(absl::Seconds(1));
  const std::vector<PodFacts> pods = racks.StopA();
  world.Delete(pods[0]);
  CHECK(world.HoldCount() == 1);
  world.Pass(end - world.now());
  world.Pass(kMaxVictimPause);
  // It is asked once more, and waits for who stops already: nobody else has to go.
  CHECK(world.Take<PodDelete>().empty());
  world.Delete(pods[1]);
  world.Pass(kMaxVictimPause);
  CHECK(world.Nodes("team/high") == racks.nodes_of_a);
}

TEST_CASE("a pod that hangs is where it was: others give way, and the room beside it is free") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  racks.EvictAll();
  const std::vector<PodFacts> pods = racks.StopA();
  world.Delete(pods[0]);
  const absl::Duration patience = PlannerWorld::Options().gather_timeout;
  world.Pass(patience);
  CHECK(world.HoldCount() == 1);  // once more
  for (int i = 0; i < 2; ++i) world.Pass(patience / 2 + kMaxVictimPause);
  CHECK(racks.Try() == std::vector<std::string>{"b-0-0", "b-1-0"});
  const JobSpec small = Gang("small", 1, 1);
  world.ShowJob(small, 0, 1);
  CHECK(world.FilterAndBind(JobPod(small, 0)) == pods[0].node_name);
}

TEST_CASE("room that is kept yields to a pod of greater priority") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  racks.EvictAll();
  const std::vector<PodFacts> pods = racks.StopA();
  world.Delete(pods[0]);
  const PodFacts system = ForeignPod("system", 8, kSystemPriority);
  world.Show(system);
  CHECK(world.Filter(system, {pods[0].node_name}).passed.size() == 1);
  world.ShowBound(system, pods[0].node_name);
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("free room that the plan needs is kept while others go") {
  PlannerWorld world(Preempting());
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  const JobSpec low = Gang("low", 1, 1);
  world.ShowJob(low, 0, 1);
  world.FilterAndBind(JobPod(low, 0));
  REQUIRE(world.BindAll() == 1);
  world.ForgetEffects();
  world.ShowJob(Gang("high", 100), 0, 2);
  CHECK(world.Take<PodDelete>().size() == 1);
  CHECK(world.HoldCount() == 1);
  const JobSpec other = Gang("other", 50, 1);
  world.ShowJob(other, 0, 1);
  CHECK(world.Passed(JobPod(other, 0)) == "");
}

}  // namespace
}  // namespace gangplan::preemption_test
