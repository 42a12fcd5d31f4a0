// What people are told of a Job that waits suspended and has no group: by explain, the list and one
// Event; and how those beyond the limits wait and are taken up.
#include <string>
#include <vector>

#include "fmt/format.h"
#include "tests/extender/planner/suspended_world.h"
#include "tests/support/sentences.h"

namespace gangplan::suspended_told_test {
namespace {

std::vector<GroupReport> Alone(SuspendedWorld& world, size_t most = 3) {
  std::vector<GroupReport> all;
  std::string after;
  do {
    for (GroupReport& report : world.planner().ListAlone(after, most))
      all.push_back(std::move(report));
  } while (!after.empty());
  return all;
}

}  // namespace

TEST_CASE("Suspended told: explain says why a Job without a group waits, and the list has it") {
  SuspendedWorld world;
  JobFacts facts = world.Facts(Pair());
  std::string expected;
  SECTION("a wrong word") {
    SetWord(facts.pods[0].annotations, "gangplan.io/place", "rack=pakc!");
    expected = "gangplan.io/place";
  }
  SECTION("no word") {
    facts.pods[0].annotations.clear();
    expected = "nothing says which gang its pods are";
  }
  SECTION("another scheduler") {
    facts.pods[0].scheduler_name = "other";
    expected = "its template names the scheduler \"other\", while Gangplan plans for ";
  }
  SECTION("a template that cannot be read") {
    facts.pods[0].fault = "spec.template.spec.containers[0]: expected an object";
    expected = "containers[0]: expected an object";
  }
  SECTION("a class that is not there") {
    facts.needs.emplace_back().priority_class = "high";
    expected = "there is no PriorityClass high";
  }
  world.See(facts);
  world.Pass(absl::Seconds(1));
  const GroupReport report = world.Report("team/train");
  CHECK(report.reason.starts_with("job team/train waits suspended for gangplan: "));
  CHECK(report.reason.find(expected) != std::string::npos);
  CHECK(report.outcome == Outcome::kInvalid);
  CHECK(report.road == Road::kSuspended);
  CHECK(report.state == GroupState::kBlocked);
  CHECK(report.size == 2);
  CHECK(world.planner().Question("team/train") == nullptr);
  REQUIRE(Alone(world).size() == 1);
  CHECK(Alone(world)[0].reason == report.reason);
  // Another version of it that says the same is told once.
  facts.resource_version += "0";
  world.See(facts);
  world.Pass(absl::Seconds(1));
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].note == report.reason);
  // It is mended: its group tells.
  world.See(Pair());
  CHECK(world.Report("team/train").outcome == Outcome::kPlaced);
  CHECK(Alone(world).empty());
}

TEST_CASE("Suspended told: whose last word went is started, and its pods are of no gang") {
  SuspendedWorld world;
  JobFacts facts = world.Facts(Pair());
  LabelSet& words = facts.pods[0].annotations;
  SECTION("it was held, and nothing else") { words = {{"gangplan.io/hold", "data"}}; }
  SECTION("its words could not be followed") { words = {{"gangplan.io/palce", "any"}}; }
  SECTION("it had no room") { words = {{"gangplan.io/place", "rack=pack!"}}; }
  facts.stopped = false;  // so that it is not started before
  world.See(facts);
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<JobWrite>().empty());
  world.Take<EventNote>();
  words = {{"gangplan.io/runtime", "12h"}};
  facts.stopped = true;
  facts.resource_version = "101";
  world.See(facts);
  world.Pass(absl::Seconds(1));
  const JobWrite write = world.Written();
  CHECK_FALSE(write.suspend);
  CHECK(write.resource_version == "101");
  CHECK(write.labels == LabelPatch{{std::string(kSuspendedLabel), std::nullopt}});
  CHECK(write.templates.empty());
  CHECK(world.HoldCount() == 0);
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].reason == "GangStarting");
  CHECK(notes[0].note == Sentence("its last word went", "job team/train"));
  CHECK(world.Report("team/train").reason == notes[0].note);
}

TEST_CASE("Suspended told: whose last word went gets its own nodes back") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  JobFacts facts = world.Facts(job);
  const JobWrite first = world.Start(job);
  SetLabel(facts.owner.annotations, kPinnedAnnotation, PinOf(first));
  facts.pods[0].filter.required_terms = first.templates[0].required;
  facts.resource_version = "200";
  facts.stopped = false;
  world.See(facts);
  world.Pass(absl::Minutes(20));
  CHECK(world.Take<JobWrite>().empty());
  facts.pods[0].annotations.clear();
  facts.stopped = true;
  facts.resource_version = "201";
  world.See(facts);
  world.Pass(absl::Seconds(1));
  const JobWrite write = world.Written();
  CHECK(PinOf(write).empty());
  REQUIRE(write.templates.size() == 1);
  CHECK(write.templates[0].required.empty());
}

TEST_CASE("Suspended told: one that is gone, or that somebody else has taken, is told no more") {
  SuspendedWorld world;
  JobFacts facts = world.Facts(Pair());
  facts.pods[0].annotations.clear();
  world.See(facts);
  REQUIRE(world.planner().Report("team/train"));
  world.Leave(Pair());
  CHECK_FALSE(world.planner().Report("team/train"));
  CHECK(Alone(world).empty());
}

TEST_CASE("Suspended told: one that pauses, or that was just started without a plan, is told") {
  SuspendedWorld world;
  const JobSpec job = Named("train", "both", 4);
  world.See(job);
  CHECK(world.Report("team/train").reason.find("started at once") != std::string::npos);
  for (int i = 0; i < 2; ++i) {
    world.Tell(world.Written());
    world.Leave(job);
    world.See(job);
  }
  CHECK(world.Report("team/train").reason.find("was started 2 times") != std::string::npos);
}

TEST_CASE("Suspended told: those beyond their namespace's limit wait for a place, told once") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.groups = 3;
  SuspendedWorld world(options);
  // Of which none has room.
  for (const std::string name : {"a", "b", "c"}) world.See(Whole(name, 5));
  CHECK(world.planner().List(0, 10).size() == 3);
  CHECK(Alone(world).empty());
  world.ForgetEffects();
  for (const std::string name : {"d", "e"}) world.See(Pair(name));
  CHECK(world.planner().List(0, 10).size() == 3);
  CHECK(Alone(world, 1).size() == 2);
  const GroupReport report = world.Report("team/d");
  CHECK(report.outcome == Outcome::kWait);
  CHECK(report.reason.find("limits.namespace.groups") != std::string::npos);
  for (int i = 0; i < 100; ++i) world.Pass(absl::Seconds(1));
  auto notes = world.Take<EventNote>();
  std::erase_if(notes, [](const EventNote& note) { return note.regarding.uid != "job-d"; });
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].note == report.reason);
  CHECK(world.planner().Stats().refused_claims == 2);
  // Another namespace has its own, and the pods of this one, too.
  JobFacts other = world.Facts(Pair("other"));
  other.owner.ns = other.pods[0].ns = "others";
  world.See(other);
  CHECK(world.Take<JobWrite>().size() == 1);
  const JobSpec gang = Whole("gang", 2);
  world.ShowJob(gang, 0, 2);
  CHECK(world.StateOf("team/gang") == "Planned");
  // One that goes makes place for the first of them, at once.
  world.Leave(Whole("b", 5));
  world.Pass(absl::Milliseconds(50));
  CHECK(world.planner().Report("team/d")->road == Road::kSuspended);
  CHECK(world.planner().List(0, 10).size() == 5);
  REQUIRE(Alone(world).size() == 1);
  CHECK(Alone(world)[0].name == "team/e");
}

TEST_CASE("Suspended told: a place that is of no use to the first goes to the next one") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims = {.groups = 2, .members = 10};
  SuspendedWorld world(options);
  for (const std::string name : {"a", "b"}) world.See(Whole(name, 5));
  world.See(Whole("c", 6));
  world.See(Pair("d"));
  CHECK(Alone(world).size() == 2);
  // Its place has come free, but with five more members c would be one too many.
  world.Leave(Whole("b", 5));
  world.Pass(absl::Milliseconds(50));
  world.Pass(absl::Milliseconds(50));
  const auto writes = world.Take<JobWrite>();
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].job.name == "d");
  CHECK(world.Report("team/c").outcome == Outcome::kWait);
}

TEST_CASE("Suspended told: one that is larger than its namespace may claim hears what helps") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.members = 4;
  SuspendedWorld world(options);
  world.See(Whole("train", 5));
  const GroupReport report = world.Report("team/train");
  CHECK(report.outcome == Outcome::kInvalid);
  CHECK(report.reason ==
        "job team/train waits suspended for gangplan: the groups of namespace team may have 4 "
        "members in all (limits.namespace.claimedMembers), and this one alone asks for 5: it "
        "starts when it is smaller, or that limit is raised");
  CHECK(world.Take<EventNote>().size() == 1);
  world.See(Pair());
  CHECK(world.Take<JobWrite>().size() == 1);
}

TEST_CASE("Suspended told: a place that is free goes to the oldest, not to who asks last") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.groups = 1;
  SuspendedWorld world(options);
  world.See(Whole("first", 5));
  for (const auto& [name, created] : {std::pair("young", 30), {"old", 10}, {"middle", 20}}) {
    JobFacts facts = world.Facts(Whole(name, 5));
    facts.owner.created = created;
    world.See(facts);
  }
  world.Leave(Whole("first", 5));
  world.Pass(absl::Milliseconds(50));
  REQUIRE(world.planner().List(0, 10).size() == 1);
  CHECK(world.planner().List(0, 10)[0].name == "team/old");
}

TEST_CASE("Suspended told: however many wait, the pods of others have their groups") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.groups = kMaxGroups + 1;
  SuspendedWorld world(options);
  Planner& planner = world.planner();
  planner.SetActive(world.now(), false);  // of nobody an Event
  JobFacts facts = world.Facts(Whole("j", 5));
  for (size_t i = 0; i <= kMaxGroups; ++i) {
    facts.owner.ref.name = facts.pods[0].name = fmt::format("j{:05}", i);
    facts.owner.ref.uid = fmt::format("u{:05}", i);
    facts.pods[0].controller = facts.owner.ref;
    planner.OnJob(world.now(), facts);
  }
  while (planner.busy()) planner.Tick(world.now());
  planner.TakeEffects();
  const auto beyond = [&](std::string_view name) {
    const std::optional<GroupReport> report = planner.Report(name);
    REQUIRE(report);
    return report->reason.find("10000 Jobs and JobSets that wait") != std::string::npos;
  };
  CHECK_FALSE(beyond("team/j09999"));
  CHECK(beyond("team/j10000"));
  const JobSpec gang = Whole("gang", 2);
  world.Register(gang);
  for (int i = 0; i < 2; ++i) planner.OnPod(world.now(), JobPod(gang, i));
  world.Pass(absl::Milliseconds(50));
  while (planner.busy()) planner.Tick(world.now());
  CHECK(world.StateOf("team/gang") == "Planned");
  planner.OnJobLeft(world.now(), "u00000");
  planner.Tick(world.now());
  while (planner.busy()) planner.Tick(world.now());
  CHECK_FALSE(beyond("team/j10000"));
}

TEST_CASE("Suspended told: one whose last pods have to go first is not told that it is started") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.Run(job);
  world.See(job);  // suspended by hand, with the label
  const auto alone = Alone(world);
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].reason.find("is started") == std::string::npos);
}

TEST_CASE("Suspended told: who is suspended again is told one time from which it is planned") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  for (int i = 0; i < 3; ++i) {
    world.Register(job);
    world.See(job);
    world.Pass(4 * kFruitlessPause);
    world.Tell(world.Written());
    world.Leave(job);
    world.ForgetEffects();
    world.Pass(PlannerWorld::Options().gather_timeout + absl::Seconds(1));  // no pod comes
    const JobWrite stop = world.Written();
    REQUIRE(stop.suspend);
    world.Tell(stop);
    const auto notes = world.Take<EventNote>();
    REQUIRE_FALSE(notes.empty());
    for (const EventNote& note : notes)
      CHECK(note.note.find("from now at the earliest") == std::string::npos);
  }
}

}  // namespace gangplan::suspended_told_test
