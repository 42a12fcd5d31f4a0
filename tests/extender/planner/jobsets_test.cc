// JobSets: whose pods are one gang, and those that wait suspended.
#include "fmt/format.h"
#include "tests/extender/planner/jobsets_world.h"

namespace gangplan::jobsets_test {
namespace {

std::vector<std::string> NamedIn(const TemplateTerms& terms) {
  std::vector<std::string> names;
  for (const NodeSelectorTerm& term : terms.required) names.push_back(term.fields.back().values[0]);
  return names;
}

}  // namespace

TEST_CASE("JobSets: all their pods start together, ranked in each pod set Job after Job") {
  SetWorld world;
  const JobSetSpec set = Large();
  world.ShowAll(set);
  CHECK(world.StateOf("team/train") == "Planned");
  const GroupReport report = world.Report("team/train");
  REQUIRE(report.slots.size() == 5);
  CHECK(report.slots[0].pod == "train-driver-0-0-0");
  CHECK(report.slots[1].pod == "train-workers-0-0-0");
  CHECK(report.slots[2].pod == "train-workers-0-1-0");
  CHECK(report.slots[3].pod == "train-workers-1-0-0");
  CHECK(report.slots[4].pod == "train-workers-1-1-0");
  const std::vector<PodFacts> pods = PodsOf(set);
  for (size_t i = 0; i < pods.size(); ++i) {
    REQUIRE(Try(world, pods[i]));
    CHECK(world.Take<BindingWrite>().size() == (i + 1 < pods.size() ? 0 : 5));
  }
}

TEST_CASE("JobSets: one is read once for the pods of all its Jobs") {
  SetWorld world;
  world.answer_owners = false;
  for (const PodFacts& pod : PodsOf(Large())) world.Show(pod);
  const auto reads = world.Take<OwnerRead>();
  REQUIRE(reads.size() == 1);
  CHECK(reads[0].owner == OwnerOf(Large()).ref);
}

TEST_CASE("JobSets: one that is started anew is another gang than what is left of the old one") {
  SetWorld world;
  JobSetSpec set = Large();
  world.ShowAll(set);
  for (const PodFacts& pod : PodsOf(set)) REQUIRE(Try(world, pod));
  CHECK(world.BindAll() == 5);
  set.restarts = 1;
  for (const PodFacts& pod : PodsOf(set)) world.Show(pod);
  const std::vector<PodFacts> anew = PodsOf(set);
  CHECK(world.StateOf("team/train") == "Planned");
  for (size_t i = 0; i + 1 < anew.size(); ++i) REQUIRE(Try(world, anew[i]));
  CHECK(world.Take<BindingWrite>().empty());
  REQUIRE(Try(world, anew.back()));
  CHECK(world.Take<BindingWrite>().size() == 5);
}

TEST_CASE("JobSets: one that waits is planned whole and started with a pin for each pod set") {
  SetWorld world;
  world.See(Large());
  CHECK(world.HoldCount() == 5);
  const JobWrite write = world.Written();
  CHECK(write.job == OwnerOf(Large()).ref);
  CHECK(write.resource_version == "101");
  CHECK_FALSE(write.suspend);
  CHECK(write.labels == LabelPatch{{"gangplan.io/suspended", std::nullopt}});
  REQUIRE(write.annotations.size() == 2);
  CHECK(write.annotations[1].first == "gangplan.io/pinned");
  CHECK(write.annotations[1].second.value().starts_with("nodes members=5 terms="));
  REQUIRE(write.templates.size() == 2);
  CHECK(write.templates[0].name == "driver");
  CHECK(write.templates[0].jobs == 1);
  CHECK(NamedIn(write.templates[0]).size() == 5);
  CHECK(write.templates[1].name == "workers");
  CHECK(write.templates[1].jobs == 2);
  CHECK(NamedIn(write.templates[1]) == NamedIn(write.templates[0]));
}

TEST_CASE("JobSets: the pods of one that was started join the gang that holds their room") {
  SetWorld world;
  const JobSetSpec set = Large();
  const JobWrite start = world.Start(set);
  world.ShowBorn(set, start);
  CHECK(world.Take<Nomination>().empty());
  CHECK(world.HoldCount() == 5);
  world.RunBorn(set, start);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("JobSets: none is started before its Jobs are all there, but its room is held") {
  SetWorld world;
  world.See(Large(), false);
  CHECK(world.HoldCount() == 5);
  CHECK(world.Take<JobWrite>().empty());
  world.See(Large(), true);
  CHECK(world.Written().resource_version == "102");
  CHECK(world.HoldCount() == 5);
}

TEST_CASE("JobSets: nobody gives way to one before it may be started") {
  PlannerOptions options = PlannerWorld::Options();
  options.preempts = true;
  SetWorld world(options);
  for (const char* name : {"left", "right"}) Run(world, Whole(name, 5, -1));
  world.ForgetEffects();
  JobSetSpec set = Large();
  for (JobSetPart& part : set.parts) part.priority = 10;
  world.See(set, false);
  for (int i = 0; i < 60; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Take<PodDelete>().empty());
  world.See(set, true);
  world.Pass(absl::Seconds(1));
  INFO(world.Report("team/train").reason);
  CHECK(world.Take<PodDelete>().size() == 5);
}

TEST_CASE("JobSets: one whose Jobs never come gives its room back in time") {
  SetWorld world;
  world.See(Large(), false);
  CHECK(world.HoldCount() == 5);
  world.Pass(PlannerWorld::Options().gather_timeout + absl::Seconds(1));
  CHECK(world.HoldCount() == 0);
  CHECK(world.Take<JobWrite>().empty());
}

TEST_CASE("JobSets: what stands in one is its user's, whatever its Jobs were pinned to") {
  SetWorld world;
  JobSetSpec set = Large();
  JobFacts facts = WaitingOf(set, 200);
  const NodeSelectorTerm own{{{"pool", SelectorOperator::kDoesNotExist, {}}},
                             {{"metadata.name", SelectorOperator::kIn, {"b0-r1-n0"}}}};
  facts.pods[0].filter.required_terms = {own};
  SetWord(facts.owner.annotations, kPinnedAnnotation, "nodes");  // from an earlier start
  world.See(facts);
  const JobWrite write = world.Written();
  REQUIRE(write.templates[0].required.size() == 1);
  const NodeSelectorTerm& term = write.templates[0].required[0];
  CHECK(term.labels == own.labels);
  CHECK(term.fields == std::vector<SelectorRequirement>{own.fields[0], own.fields[0]});
  CHECK(NamedIn(write.templates[1]).size() == 5);
}

TEST_CASE("JobSets: one that changes while it waits is planned as it is now") {
  SetWorld world;
  JobSetSpec set = Large();
  world.See(set);
  const JobWrite first = world.Written();
  set.parts[1].jobs = 1;
  world.See(set);
  CHECK(world.HoldCount() == 3);
  const JobWrite second = world.Written();
  CHECK(second.templates[1].jobs == 1);
  world.Tell(first);  // nobody asks what came of it any more
  CHECK(world.HoldCount() == 3);
  set.parts.pop_back();
  world.See(set);
  CHECK(world.HoldCount() == 1);
}

TEST_CASE("JobSets: where one template alone speaks, its pods are planned, the others are not") {
  SetWorld world;
  JobSetSpec set = Large();
  set.parts[0].words.clear();
  world.See(set);
  CHECK(world.HoldCount() == 4);
  const JobWrite write = world.Written();
  REQUIRE(write.templates.size() == 1);
  CHECK(write.templates[0].name == "workers");
  world.Tell(write);
  world.Leave(set);
  world.Register(OwnerOf(set));
  for (const PodFacts& pod : SetWorld::Born(set, write)) world.Show(pod);
  CHECK(world.HoldCount() == 4);
  CHECK(world.StateOf("team/train-workers") == "Planned");
}

TEST_CASE("JobSets: one that starts its Jobs in order is started at once, and told so") {
  SetWorld world;
  JobSetSpec set = Large();
  set.in_order = true;
  world.See(set, false);
  const JobWrite write = world.Written();
  CHECK(world.HoldCount() == 0);
  for (const TemplateTerms& terms : write.templates) {
    CHECK(terms.jobs == 0);
    CHECK(terms.required.empty());
  }
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].regarding == OwnerOf(set).ref);
  CHECK(notes[0].note ==
        "jobset team/train starts its Jobs one after the other and is started without a plan: each "
        "step is a gang that is planned when its pods are there");
  world.Tell(write);
  world.Leave(set);
  world.Register(OwnerOf(set));
  world.Show(PodOf(set, "driver", 0, 0));
  CHECK(world.StateOf("team/train-driver") == "Planned");
}

TEST_CASE("JobSets: one whose last pod waits for the others is started without a plan") {
  SetWorld world;
  JobSetSpec set = Large();
  set.parts[0].last = true;
  world.See(set, false);  // the Job of the last one is not made while it waits
  const JobWrite write = world.Written();
  CHECK(world.HoldCount() == 0);
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].note ==
        "jobset team/train is started at once, without a plan: its pods are planned when they are "
        "there");
  world.Tell(write);
  world.Leave(set);
  world.Register(OwnerOf(set));
  std::vector<PodFacts> pods = PodsOf(set);
  REQUIRE(pods.size() > 2);
  pods.erase(pods.begin());  // the driver
  for (const PodFacts& pod : pods) world.Show(pod);
  CHECK(world.StateOf("team/train") == "Planned");
}

TEST_CASE("JobSets: one that has begun is started, and the rest is planned when it is there") {
  SetWorld world;
  JobFacts facts = WaitingOf(Large(), 200);
  facts.begun = true;
  facts.ready = false;
  world.See(facts);
  CHECK(world.HoldCount() == 0);
  CHECK(world.Written().templates[1].jobs == 0);
}

TEST_CASE("JobSets: what is wrong with one of its templates keeps all of it waiting, and is told") {
  SetWorld world;
  JobFacts facts = WaitingOf(Large(), 200);
  facts.pods[1].fault = "spec.replicatedJobs[1].template.spec.template: spec.containers is missing";
  world.See(facts);
  CHECK(world.Take<JobWrite>().empty());
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].note ==
        "jobset team/train waits suspended for gangplan: spec.replicatedJobs[1].template.spec."
        "template: spec.containers is missing");
}

TEST_CASE("JobSets: its priority is the greatest of its templates") {
  SetWorld world;
  JobSetSpec first = Large("first");
  JobSetSpec second = Large("second");
  first.parts[0].priority = 5;
  second.parts[1].priority = 7;
  JobSetSpec third = Large("third");
  for (const JobSetSpec& set : {first, second, third}) world.See(set, false);
  CHECK(world.HoldCount() == 10);
  CHECK(world.StateOf("team/third") == "Blocked");
  JobSetSpec urgent = Large("urgent");
  urgent.parts[1].priority = 6;
  world.See(urgent, false);
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/first") == "Blocked");
  CHECK(world.StateOf("team/urgent") != "Blocked");
}

TEST_CASE("JobSets: one of which the pods do not come is suspended again, and pinned anew") {
  SetWorld world;
  const JobSetSpec set = Large();
  const JobWrite start = world.Start(set);
  world.Pass(PlannerWorld::Options().gather_timeout + absl::Seconds(1));
  CHECK(world.HoldCount() == 0);
  const JobWrite suspend = world.Written();
  CHECK(suspend.suspend);
  CHECK(suspend.templates.empty());
  CHECK(suspend.labels == LabelPatch{{"gangplan.io/suspended", "true"}});
  world.Tell(suspend);
  world.See(set);
  world.Pass(kFruitlessPause + absl::Seconds(1));
  const JobWrite again = world.Written();
  CHECK_FALSE(again.suspend);
  CHECK(again.templates.size() == 2);
}

TEST_CASE("JobSets: after a restart one that was started and not born is known by its pods") {
  SetWorld world;
  const JobSetSpec set = Large();
  const JobWrite start = world.Start(set);
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 5));
  world.ShowBorn(set, start);
  world.Sync();
  world.Pass(absl::Seconds(1));
  world.RunBorn(set, start);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("JobSets: one that was started anew and finds no room is suspended again") {
  SetWorld world;
  JobSetSpec set = Large();
  const JobWrite start = world.Start(set);
  world.ShowBorn(set, start);
  world.RunBorn(set, start);
  for (const PodFacts& pod : SetWorld::Born(set, start)) world.Delete(pod);
  for (int rack = 0; rack < 2; ++rack) {
    PodFacts other = ForeignPod(fmt::format("other-{}", rack), 8);
    world.ShowBound(other, NodeNameAt(0, rack, 0));
  }
  set.restarts = 1;
  for (const PodFacts& pod : PodsOf(set)) world.Show(pod);
  world.Pass(absl::Seconds(1));
  const JobWrite suspend = world.Written();
  CHECK(suspend.suspend);
  CHECK(suspend.job == OwnerOf(set).ref);
}

TEST_CASE("JobSets: one that starts anew before a pod was bound is known by its new pods alone") {
  const int racks = GENERATE(2, 1);
  SetWorld world;
  for (int i = 0; racks == 1 && i < 5; ++i) world.DeleteNode(NodeNameAt(0, 1, i));
  JobSetSpec set = Large();
  const JobWrite start = world.Start(set);
  world.ShowBorn(set, start);
  const std::vector<PodFacts> first = SetWorld::Born(set, start);
  for (const PodFacts& pod : first) world.Delete(pod);
  set.restarts = 1;
  OwnerFacts owner = OwnerOf(set);
  SetWord(owner.annotations, kPinnedAnnotation, "nodes");
  world.Register(owner);
  for (const PodFacts& pod : PodsOf(set)) world.Show(pod);
  world.Pass(absl::Seconds(1));
  for (const PodFacts& pod : PodsOf(set)) REQUIRE(Try(world, pod));
  CHECK(world.BindAll() == 5);
  world.Pass(absl::Minutes(6));  // what was held for the first ones has ended
  CHECK(world.Take<JobWrite>().empty());
  CHECK(world.HoldCount() == 0);
  CHECK(world.StateOf("team/train") == "Running");
  for (const PodFacts& pod : PodsOf(set)) world.Delete(pod);
  world.Pass(absl::Seconds(1));
  CHECK(world.planner().List(0, 10).empty());
}

TEST_CASE("JobSets: a fault of the write is a pause, and a Job that lacks another try") {
  SetWorld world;
  world.See(Large());
  const JobWrite first = world.Written();
  world.Tell(first, absl::UnavailableError("1 of the 2 Jobs of workers are there and suspended"));
  CHECK(world.HoldCount() == 5);
  world.Pass(kJobWriteRetry + absl::Milliseconds(100));
  const JobWrite second = world.Written();
  CHECK(second.templates.size() == 2);
  CHECK(second.resource_version == first.resource_version);
  world.ForgetEffects();
  world.Tell(second, absl::PermissionDeniedError("writing a Job of a JobSet: 403 no"));
  CHECK(world.HoldCount() == 0);
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].note ==
        "jobset team/train could not be started, its room is given back for a while: writing a Job "
        "of a JobSet: 403 no");
}

TEST_CASE(
    "JobSets: one whose Jobs come at last is started, however often its room was given back") {
  SetWorld world;
  world.See(Large(), false);
  for (int i = 0; i < 10; ++i) {
    while (world.HoldCount() > 0) world.Pass(absl::Seconds(1));
    if (i < 9)
      while (world.HoldCount() == 0) world.Pass(absl::Seconds(1));
  }
  REQUIRE(world.HoldCount() == 0);
  world.See(Large(), true);
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<JobWrite>().size() == 1);
}

TEST_CASE("JobSets: one that was never started is not told that it is to be suspended again") {
  SetWorld world;
  world.See(Large(), false);
  world.Pass(PlannerWorld::Options().gather_timeout + absl::Seconds(1));
  REQUIRE(world.HoldCount() == 0);
  CHECK(world.Report("team/train").reason ==
        "gang team/train of 5: the Jobs of its JobSet were not all there and stopped in time, its "
        "room was given back; it is planned again when that is so, or after a pause");
}

TEST_CASE("JobSets: of one with too many templates no more is read than tells so") {
  const size_t parts = kMaxPodSets + GENERATE(size_t{0}, size_t{1}, size_t{200});
  SetWorld world;
  JobSetSpec set{.name = "wide", .words = {{"gangplan.io/place", "rack=pack"}}};
  for (size_t i = 0; i < parts; ++i) set.parts.push_back({.name = fmt::format("p{}", i)});
  world.See(set);
  CHECK(world.planner().Stats().templates_read ==
        static_cast<int64_t>(parts > kMaxPodSets ? 1 : parts));
}

}  // namespace gangplan::jobsets_test
