// By which road the members of a gang wait, and when people are told that many wait by rejection.
#include "extender/planner/road.h"

#include "extender/planner/crowd.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::road_test {
namespace {

PlannerOptions WithRejections(int32_t most) {
  PlannerOptions options = PlannerWorld::Options();
  options.reject_max = most;
  return options;
}

int64_t WaitBy(PlannerWorld& world, Road road) {
  return world.planner().Stats().roads[static_cast<int>(road)];
}

std::vector<EventNote> AboutUs(PlannerWorld& world) {
  std::vector<EventNote> notes = world.Take<EventNote>();
  std::erase_if(notes, [](const EventNote& note) { return !note.regarding.name.empty(); });
  return notes;
}

}  // namespace

TEST_CASE("Road: each has a word of its own, and says what it means where somebody waits") {
  std::set<std::string_view> words;
  for (int i = 0; i < kRoads; ++i) {
    const Road road = static_cast<Road>(i);
    words.insert(Name(road));
    CHECK(Meaning(road).empty() == (road == Road::kNone));
  }
  CHECK(words.size() == kRoads);
}

TEST_CASE("Road: a gang with a plan is offered its nodes, or pointed to them in a large cluster") {
  for (const int32_t from : {3, 2}) {
    PlannerOptions options = PlannerWorld::Options();
    options.nominate_from = from;
    LivesWorld world(2, options);
    const JobSpec job = Whole("train", 2);
    const Road road = from == 3 ? Road::kOffered : Road::kNominated;
    world.ShowJob(job, 0, 2);
    CHECK(world.Report("team/train").road == road);
    CHECK(WaitBy(world, road) == 1);
    Start(world, job);
    CHECK(world.Report("team/train").road == Road::kNone);
    CHECK(WaitBy(world, road) == 0);
  }
}

TEST_CASE("Road: a gang without room waits as the scheduler was answered last") {
  LivesWorld world(1, WithRejections(1));
  const JobSpec job = Whole("train", 1);
  const JobSpec second = Whole("second", 1);
  const JobSpec third = Whole("third", 1);
  Run(world, job);
  world.ShowJob(second, 0, 1);
  world.ShowJob(third, 0, 1);
  CHECK(world.Report("team/second").road == Road::kUnasked);
  world.Filter(JobPod(second, 0));
  world.Filter(JobPod(third, 0));
  CHECK(world.Report("team/second").road == Road::kRejected);
  CHECK(world.Report("team/third").road == Road::kError);
  world.ShowFinished(JobPod(job, 0), "b0-r0-n0");
  world.Delete(JobPod(second, 0));
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Report("team/third").road == Road::kOffered);
}

TEST_CASE("Road: a Job that waits suspended is so, with room or without") {
  SuspendedWorld world;
  for (std::string_view name : {"first", "second", "third"}) world.See(Pair(name));
  CHECK(WaitBy(world, Road::kSuspended) == 3);
  CHECK(world.Report("team/third").state == GroupState::kBlocked);
}

TEST_CASE("Crowd: is told when as many are rejected as may be, and again each while") {
  const absl::Time start = absl::FromUnixSeconds(1'000'000);
  Crowd crowd(100);
  CHECK_FALSE(crowd.Look(start, 99));
  const auto note = crowd.Look(start, 100);
  REQUIRE(note);
  CHECK(note->warning);
  CHECK(note->regarding.name.empty());
  CHECK_FALSE(crowd.Look(start + kCrowdToldAgain - absl::Seconds(1), 100));
  CHECK_FALSE(crowd.Look(start + kCrowdToldAgain, 99));
  CHECK(crowd.Look(start + kCrowdToldAgain, 100));
  Crowd never(0);
  CHECK_FALSE(never.Look(start, 0));
}

TEST_CASE("Crowd: the planner looks at each tick") {
  LivesWorld world(1, WithRejections(2));
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  world.Filter(JobPod(job, 0));
  world.Pass(absl::Seconds(1));
  CHECK(AboutUs(world).empty());
  world.Filter(JobPod(job, 1));
  world.Pass(absl::Seconds(1));
  CHECK(AboutUs(world).size() == 1);
  world.Pass(absl::Seconds(1));
  CHECK(AboutUs(world).empty());
}

}  // namespace gangplan::road_test
