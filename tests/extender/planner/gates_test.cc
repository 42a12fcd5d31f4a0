// Pods that wait behind gates of ours: planned while they are gated, released when all have room.
#include "extender/planner/gates.h"

#include <algorithm>

#include "tests/extender/planner/gates_world.h"

namespace gangplan::gates_test {
namespace {

using Names = std::vector<std::string>;

JobSpec Pair() { return Whole("train", 2); }

// Some Event on an object of this kind says so.
bool IsTold(PlannerWorld& world, std::string_view note, std::string_view kind) {
  const auto events = world.Take<EventNote>();
  return std::any_of(events.begin(), events.end(), [&](const EventNote& event) {
    return event.note == note && event.regarding.kind == kind;
  });
}

}  // namespace

TEST_CASE("Gates: a gang is released in the order of its ranks, when it is whole") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.Register(job);
  world.ShowGated(job, 1, 2);
  CHECK(world.HoldCount() == 2);
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<PodRelease>().empty());
  world.ShowGated(job, 0, 1);
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  for (int i = 0; i < 2; ++i) {
    const PodRelease& release = releases[static_cast<size_t>(i)];
    CHECK(release.pod.name == fmt::format("train-{}-0", i));
    CHECK_FALSE(release.kueue);
    CHECK(NamesOf(release.required_terms) == Names{"b0-r0-n0", "b0-r0-n1"});
    CHECK(release.annotations == LabelSet{{std::string(kPinnedAnnotation), "nodes"}});
  }
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<PodRelease>().empty());  // they are on their way
  for (int i = 0; i < 2; ++i) {
    world.Tell(releases[static_cast<size_t>(i)]);
    const PodFacts pod = GatesWorld::After(JobPod(job, i), releases[static_cast<size_t>(i)]);
    if (i == 0) world.Show(pod);  // the scheduler may be quicker than the watch
    CHECK(Try(world, pod));
  }
  CHECK(world.BindAll() == 2);
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Take<Nomination>().empty());
  CHECK(world.Take<PodRelease>().empty());
}

TEST_CASE("Gates: a pod is disowned, whoever made it, but for one that somebody applies") {
  GatesWorld world;
  const JobSpec job = Named("train", "both", 2);
  world.Register(job);
  for (const bool applied : {false, true}) {
    PodFacts pod = GatesWorld::Behind(JobPod(job, applied ? 1 : 0));
    pod.applied = applied;
    pod.controller.reset();
    world.Show(pod);
  }
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  CHECK(releases[0].disown);
  CHECK_FALSE(releases[1].disown);
}

TEST_CASE("Gates: who waits for others too is no member yet") {
  const auto seen = [](GateUse use, const PodGates& gates) {
    GatesWorld world(GatesWorld::Gated(use));
    const JobSpec job = Pair();
    world.Register(job);
    PodFacts pod = JobPod(job, 0);
    pod.gates = gates;
    world.Show(pod);
    return world.StateOf("team/train") != "(none)";
  };
  const PodGates ours{.gang = true};
  const PodGates kueue{.kueue_topology = true};
  const PodGates both{.gang = true, .kueue_topology = true};
  const PodGates others{.gang = true, .others = true};
  for (const PodGates& gates : {ours, kueue, both, others})
    CHECK_FALSE(seen(GateUse::kNone, gates));
  CHECK(seen(GateUse::kGangplan, ours));
  CHECK_FALSE(seen(GateUse::kGangplan, kueue));
  CHECK_FALSE(seen(GateUse::kGangplan, both));
  CHECK_FALSE(seen(GateUse::kGangplan, others));
  CHECK(seen(GateUse::kGangplanAndKueue, kueue));
  CHECK(seen(GateUse::kGangplanAndKueue, both));
  CHECK_FALSE(seen(GateUse::kGangplanAndKueue, others));
  CHECK(seen(GateUse::kNone, {}));
}

TEST_CASE("Gates: when the others' gates have gone, it joins") {
  GatesWorld world;
  const JobSpec job = Whole("train", 1);
  world.Register(job);
  PodFacts pod = GatesWorld::Behind(JobPod(job, 0));
  pod.gates.others = true;
  world.Show(pod);
  CHECK(world.Take<PodRelease>().empty());
  pod.gates.others = false;
  world.Show(pod);
  CHECK(world.Take<PodRelease>().size() == 1);
}

TEST_CASE("Gates: Kueue's gate is taken away, too, where that was said") {
  GatesWorld world(GatesWorld::Gated(GateUse::kGangplanAndKueue));
  const JobSpec job = Whole("train", 1);
  world.Register(job);
  PodFacts pod = JobPod(job, 0);
  pod.gates.kueue_topology = true;
  world.Show(pod);
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 1);
  CHECK(releases[0].kueue);
}

TEST_CASE("Gates: without room for all nobody is released") {
  GatesWorld world;
  world.ShowBound(ForeignPod("f0", 8), NodeNameAt(0, 0, 1));
  world.ShowBound(ForeignPod("f1", 8), NodeNameAt(0, 1, 1));
  world.ShowGated(Pair());
  CHECK(world.StateOf("team/train") == "Blocked");
  CHECK(world.Take<PodRelease>().empty());
  world.Delete(ForeignPod("f1", 8));
  world.Pass(absl::Milliseconds(50));
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  CHECK(NamesOf(releases[0].required_terms) == Names{"b0-r1-n0", "b0-r1-n1"});
}

TEST_CASE("Gates: an instance that does not act releases nobody, until it acts") {
  GatesWorld world;
  world.active = false;
  world.Restart();
  world.Begin();
  world.ShowGated(Pair());
  world.Pass(absl::Minutes(10));
  CHECK(world.Take<PodRelease>().empty());
  world.Pass(kFruitlessPause);  // its room was given back in between
  world.planner().SetActive(world.now(), true);
  world.Pass(absl::Milliseconds(1));
  CHECK(world.Take<PodRelease>().size() == 2);
}

TEST_CASE("Gates: what is in doubt is done again, the same") {
  GatesWorld world;
  world.ShowGated(Pair());
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  world.Tell(releases[0], absl::UnavailableError("time-out"));
  world.Tell(releases[1]);
  world.Pass(kReleaseRetry - absl::Milliseconds(1));
  CHECK(world.Take<PodRelease>().empty());
  world.Pass(absl::Milliseconds(1));
  const auto again = world.Take<PodRelease>();
  REQUIRE(again.size() == 1);
  CHECK(again[0].pod.uid == releases[0].pod.uid);
  CHECK(again[0].required_terms == releases[0].required_terms);
  world.Tell(releases[0]);  // of the first one
  world.Pass(kReleaseAgain);
  CHECK(world.Take<PodRelease>().empty());
}

TEST_CASE("Gates: what is refused is told, and tried again after a while") {
  GatesWorld world;
  world.ShowGated(Pair());
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  for (const PodRelease& release : releases)
    world.Tell(release, absl::PermissionDeniedError("releasing a pod: 403 no"));
  const auto events = world.Take<EventNote>();
  REQUIRE(events.size() == 1);
  CHECK(events[0].regarding.kind == "Job");
  CHECK(events[0].note ==
        "gang team/train of 2: its pods could not be released from their gates: releasing a pod: "
        "403 no");
  world.Pass(kReleaseAgain - absl::Milliseconds(1));
  CHECK(world.Take<PodRelease>().empty());
  world.Pass(absl::Milliseconds(1));
  CHECK(world.Take<PodRelease>().size() == 2);
}

TEST_CASE("Gates: who cannot be released in time is planned again by itself") {
  GatesWorld world;
  world.ShowGated(Pair());
  for (int i = 0; i < 40; ++i) {
    for (const PodRelease& release : world.Take<PodRelease>())
      world.Tell(release, absl::PermissionDeniedError("no"));
    world.Pass(absl::Seconds(10));
  }
  CHECK(world.Report("team/train").state == GroupState::kPlanned);
  CHECK(world.HoldCount() == 2);
  CHECK_FALSE(world.Take<PodRelease>().empty());
}

TEST_CASE("Gates: a pod that is shown as it was before is not released again") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  for (const PodRelease& release : world.Take<PodRelease>()) world.Tell(release);
  world.ShowGated(job, 0, 2);
  world.Pass(absl::Seconds(20));
  CHECK(world.Take<PodRelease>().empty());
  CHECK(world.HoldCount() == 2);
}

TEST_CASE("Gates: a gate that somebody else takes away is no loss") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  world.ForgetEffects();
  world.Show(JobPod(job, 1));
  CHECK(Try(world, JobPod(job, 1)));
}

TEST_CASE("Gates: the next instance releases the rest to the same nodes") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  world.ShowBound(ForeignPod("f", 1), NodeNameAt(0, 1, 0));  // which makes the other rack better
  world.Register(job);
  world.Show(GatesWorld::After(JobPod(job, 0), releases[0]));
  world.ShowGated(job, 1, 2);
  world.Sync();
  const auto rest = world.Take<PodRelease>();
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].pod.uid == releases[1].pod.uid);
  CHECK(rest[0].required_terms == releases[0].required_terms);
  CHECK(rest[0].annotations == releases[0].annotations);
}

TEST_CASE("Gates: a member that was released elsewhere than the others is deleted") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.Take<PodRelease>();
  world.Tell(releases[0]);
  PodRelease late = releases[1];
  for (NodeSelectorTerm& term : late.required_terms) term.fields.back().values = {"b0-r1-n0"};
  world.Show(GatesWorld::After(JobPod(job, 1), late));
  world.Tell(releases[1], absl::FailedPreconditionError("it has no gate any more"));
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Take<PodRelease>().empty());
  const auto deletes = world.Take<PodDelete>();
  REQUIRE(deletes.size() == 1);
  CHECK(deletes[0].pod.uid == releases[1].pod.uid);
  world.Tell(deletes[0]);
  world.Delete(JobPod(job, 1));
  world.ShowGated(job, 1, 2, 1);
  const auto again = world.Take<PodRelease>();
  REQUIRE(again.size() == 1);
  CHECK(again[0].required_terms == releases[0].required_terms);
}

TEST_CASE("Gates: where all nodes that it was released to go, it is made anew and goes elsewhere") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  world.ReleaseAll(job);
  for (int i = 0; i < 2; ++i) world.DeleteNode(NodeNameAt(0, 0, i));
  world.Pass(kFruitlessPause - absl::Milliseconds(1));
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.HoldCount() == 0);
  world.Pass(absl::Milliseconds(1));
  const auto deletes = world.Take<PodDelete>();
  REQUIRE(deletes.size() == 2);
  CHECK(IsTold(world,
               "gang team/train of 2: the nodes that its pods were released to have no room for "
               "it any more: those that wait are deleted, to be made anew",
               "Job"));
  for (const PodDelete& one : deletes) world.Tell(one);
  world.Delete(JobPod(job, 0));
  world.Delete(JobPod(job, 1));
  world.ShowGated(job, 0, 2, 1);
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  CHECK(NamesOf(releases[0].required_terms) == Names{"b0-r1-n0", "b0-r1-n1"});
}

TEST_CASE("Gates: where one node goes, it is planned anew on the others that it may use") {
  GatesWorld world;
  world.Put(MakeNode(0, 0, 2));
  world.ShowBound(ForeignPod("f", 1), NodeNameAt(0, 1, 1));
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  CHECK(NamesOf(releases[0].required_terms) == Names{"b0-r0-n0", "b0-r0-n1", "b0-r0-n2"});
  world.DeleteNode(world.Nodes("team/train")[0]);
  CHECK(world.HoldCount() == 2);
  world.Pass(absl::Seconds(20));
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("Gates: who is nobody's is told of, not deleted") {
  GatesWorld world;
  const JobSpec job = Named("lone", "named", 2);
  std::vector<PodFacts> pods = {JobPod(job, 0), JobPod(job, 1)};
  for (PodFacts& pod : pods) {
    pod.controller.reset();
    world.Show(GatesWorld::Behind(pod));
  }
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    world.Tell(releases[i]);
    world.Show(GatesWorld::After(pods[i], releases[i]));
  }
  for (int i = 0; i < 2; ++i) world.DeleteNode(NodeNameAt(0, 0, i));
  world.Pass(kFruitlessPause);
  CHECK(world.Take<PodDelete>().empty());
  CHECK(IsTold(world,
               "gang team/named of 2: the nodes that its pods were released to have no room for "
               "it any more: those that wait have to be deleted, and made again, by whoever made "
               "them",
               "Pod"));
}

TEST_CASE("Gates: a replacement in a gang that runs is released alone, to where there is room") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  for (size_t i = 0; i < 2; ++i)
    REQUIRE(Try(world, GatesWorld::After(JobPod(job, static_cast<int>(i)), releases[i])));
  REQUIRE(world.BindAll() == 2);
  world.Delete(JobPod(job, 1));
  world.ShowGated(job, 1, 2, 1);
  const auto again = world.Take<PodRelease>();
  REQUIRE(again.size() == 1);
  CHECK(again[0].pod.name == "train-1-1");
}

TEST_CASE("Gates: with first-member each goes as it comes") {
  PlannerOptions options = GatesWorld::Gated(GateUse::kGangplan);
  options.start_at_first_member = true;
  GatesWorld world(options);
  const JobSpec job = Pair();
  world.Register(job);
  world.ShowGated(job, 0, 1);
  CHECK(world.Take<PodRelease>().size() == 1);
}

TEST_CASE("Gates: so many are released at once, the others when half of these are") {
  GatesWorld world;
  JobSpec job = Whole("train", static_cast<int32_t>(kReleasesAtOnce) + 1);
  job.gpus = 1;
  job.place = "block=pack!";
  std::vector<NodeFacts> nodes;
  for (int i = 2; i < 40; ++i) nodes.push_back(MakeNode(0, 0, i));
  world.AddNodes(nodes);
  world.ShowGated(job);
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == kReleasesAtOnce);
  for (size_t i = 0; i < kReleasesAtOnce / 2 - 1; ++i) world.Tell(releases[i]);
  CHECK(world.Take<PodRelease>().empty());
  world.Tell(releases[kReleasesAtOnce - 1]);
  CHECK(world.Take<PodRelease>().size() == 1);
}

TEST_CASE("Gates: what its user asks of nodes stays, and is added to") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.Register(job);
  PodFacts pods[] = {JobPod(job, 0), JobPod(job, 1)};
  const SelectorRequirement rack{"example.com/rack", SelectorOperator::kIn, {"r1", "r7"}};
  for (PodFacts& pod : pods) {
    pod.filter.required_terms = {{{{rack}, {}}}};
    world.Show(GatesWorld::Behind(pod));
  }
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  REQUIRE(releases[0].required_terms.size() == 1);
  const NodeSelectorTerm& term = releases[0].required_terms[0];
  REQUIRE(term.labels.size() == 2);
  CHECK(term.labels[0] == rack);
  CHECK(term.labels[1].values == Names{"b0-r1-n0", "b0-r1-n1"});
  for (size_t i = 0; i < 2; ++i) {
    world.Tell(releases[i]);
    world.Show(GatesWorld::After(pods[i], releases[i]));
    CHECK(Try(world, GatesWorld::After(pods[i], releases[i])));
  }
  CHECK(world.BindAll() == 2);
}

}  // namespace gangplan::gates_test
