// Gangs that step back behind others of their priority (gangplan.io/nice).
#include "extender/frontends/gangplan/words.h"
#include "fmt/format.h"
#include "tests/extender/planner/line_world.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::nice_word_test {
namespace {

JobSpec Nice(JobSpec job, int nice) {
  SetWord(job.words, kNiceWord, fmt::format("{}", nice));
  return job;
}

// A full rack, and gangs that wait for it in a strict line.
struct NiceWorld : LineWorld {
  JobSpec fills = RackGang("fills", 2);

  explicit NiceWorld(PlannerOptions options = With(QueueMode::kStrict))
      : LineWorld(MakeNodes(1, 1, 2), std::move(options)) {
    Start(fills);
  }
  std::vector<std::string> Told() {
    std::vector<std::string> notes;
    for (const EventNote& note : Take<EventNote>())
      if (note.reason == "GangReprioritized") notes.push_back(note.note);
    return notes;
  }
};

TEST_CASE("nice: a gang comes after all others of its priority that are less so, and no others") {
  NiceWorld world;
  const JobSpec nicest = Nice(RackGang("nicest", 2), 10'000), nice = Nice(RackGang("nice", 2), 1);
  const JobSpec plain = RackGang("plain", 2), greater = Nice(RackGang("greater", 2, "", 1), 10'000);
  for (const JobSpec& job : {nicest, nice, plain, greater}) world.Come(job);
  CHECK(world.Of(greater).line_place == 1);
  CHECK(world.Of(plain).line_place == 2);
  CHECK(world.Of(nice).line_place == 3);
  CHECK(world.Of(nicest).line_place == 4);
  CHECK(world.Of(nice).nice == 1);
  world.End(world.fills);
  CHECK(world.HasRoom(greater));
}

TEST_CASE("nice: it is changed while the gang waits, and the owner is told once") {
  NiceWorld world;
  const JobSpec first = RackGang("first", 2), second = RackGang("second", 2);
  world.Come(first);
  world.Come(second);
  CHECK(world.Told().empty());
  for (int i = 0; i < 2; ++i) world.Show(JobPod(Nice(first, 10), i));
  world.Some();
  CHECK(world.Of(second).line_place == 1);
  CHECK(world.Of(first).line_place == 2);
  CHECK(world.Told() == std::vector<std::string>{
                            "gang team/first comes after all others of its priority that are less "
                            "nice (gangplan.io/nice: 10)"});
  // The nicest of its pods counts.
  world.Show(JobPod(first, 0));
  world.Some();
  CHECK(world.Of(first).nice == 10);
  CHECK(world.Told().empty());
  world.Show(JobPod(first, 1));
  world.Some();
  CHECK(world.Of(first).line_place == 1);
  CHECK(world.Told() ==
        std::vector<std::string>{
            "gang team/first stands among others of its priority by its age again"});
}

TEST_CASE("nice: what the owner says counts for its pods, which may say something else") {
  NiceWorld world;
  const JobSpec first = RackGang("first", 2), second = RackGang("second", 2);
  OwnerFacts owner = JobOwner(first);
  SetWord(owner.annotations, kNiceWord, "5");
  world.Register(owner);
  for (int i = 0; i < 2; ++i) world.Show(JobPod(first, i));
  world.Some();
  CHECK(world.Of(first).nice == 5);
  for (int i = 0; i < 2; ++i) world.Show(JobPod(Nice(first, 0), i));
  world.Some();
  CHECK(world.Of(first).nice == 0);
  for (int i = 0; i < 2; ++i) world.Show(JobPod(first, i));
  world.Come(second);
  CHECK(world.Of(second).line_place == 1);
  CHECK(world.Of(first).line_place == 2);
  world.End(world.fills);
  CHECK(world.HasRoom(second));
}

TEST_CASE("nice: what is no number from 0 to 10000 is told, and at both ends it is read") {
  LineWorld world(MakeNodes(1, 1, 2));
  for (const char* word : {"-1", "10001", "ten"}) {
    JobSpec job = RackGang(fmt::format("is{}", word), 1);
    SetWord(job.words, kNiceWord, word);
    world.Come(job);
    CHECK(world.Refusal(JobPod(job, 0))
              .find(fmt::format(
                  "invalid: gangplan.io/nice: \"{}\": expected a whole number from 0 to 10000",
                  word)) != std::string::npos);
  }
  for (const int nice : {0, 10'000}) {
    const JobSpec job = Nice(RackGang(fmt::format("job-{}", nice), 1), nice);
    world.Start(job);
    CHECK(world.Of(job).nice == nice);
  }
}

TEST_CASE("nice: who is nice is evicted first of its priority, and by nobody of its own") {
  PlannerOptions options = With(QueueMode::kGreedy);
  options.preempts = true;
  LineWorld world(MakeNodes(1, 1, 2), options);
  const JobSpec nice = Nice(RackGang("nice", 1), 10), plain = RackGang("plain", 1);
  world.Start(plain);
  world.Start(nice);
  const JobSpec equal = RackGang("equal", 1), greater = RackGang("greater", 1, "", 1);
  world.Come(equal);
  world.Pass(absl::Minutes(1));
  CHECK(world.Take<PodDelete>().empty());
  world.Come(greater);
  const std::vector<PodDelete> asked = world.Take<PodDelete>();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].pod.name == JobPod(nice, 0).name);
}

TEST_CASE("nice: a Job that waits suspended steps back, and forward again") {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kStrict;
  options.suspended_jobs = true;
  SuspendedWorld world(options);
  JobSpec wide = RackGang("wide", 3), other = RackGang("other", 3);
  wide.place = other.place = "block=pack!; node=pack";
  const JobSpec fills = RackGang("fills", 2);
  world.ShowJob(fills, 0, 2);
  world.Pass(absl::Milliseconds(100));
  world.See(wide);
  world.See(other);
  CHECK(world.Report("team/wide").line_place == 1);
  world.See(Nice(wide, 7));
  world.Pass(absl::Milliseconds(100));
  CHECK(world.Report("team/other").line_place == 1);
  CHECK(world.Report("team/wide").line_place == 2);
  CHECK(world.Report("team/wide").nice == 7);
  world.See(wide);
  world.Pass(absl::Milliseconds(100));
  CHECK(world.Report("team/wide").line_place == 1);
}

TEST_CASE("nice: a gang that runs and ends is told nothing of its place") {
  NiceWorld world(With(QueueMode::kGreedy));
  world.End(world.fills);
  const JobSpec nice = Nice(RackGang("nice", 2), 10);
  world.Start(nice);
  world.Told();
  const std::vector<std::string> nodes = world.At(nice);
  SECTION("its pods succeed") {
    for (int i = 0; i < 2; ++i) world.ShowFinished(JobPod(nice, i), nodes[static_cast<size_t>(i)]);
  }
  SECTION("its pods fail") {
    for (int i = 0; i < 2; ++i)
      world.ShowFinished(JobPod(nice, i), nodes[static_cast<size_t>(i)], PodPhase::kFailed);
  }
  SECTION("its pods are deleted") { world.End(nice); }
  world.Some();
  CHECK(world.Told().empty());
}

TEST_CASE("nice: a gang that runs is told nothing of its place by a restart") {
  NiceWorld world(With(QueueMode::kGreedy));
  world.End(world.fills);
  const JobSpec nice = Nice(RackGang("nice", 2), 10);
  world.Start(nice);
  const std::vector<std::string> nodes = world.At(nice);
  world.Told();
  world.Restart();
  world.AddNodes(MakeNodes(1, 1, 2));
  for (int i = 0; i < 2; ++i) world.Show(BoundByUs(nice, i, nodes[static_cast<size_t>(i)], i));
  world.Sync();
  world.Some();
  CHECK(world.StateOf("team/nice") == "Running");
  CHECK(world.Told().empty());
}

TEST_CASE("nice: a gang of one pod is told as any other one") {
  NiceWorld world;
  const JobSpec one = RackGang("one", 1), other = RackGang("other", 1);
  world.Come(one);
  world.Come(other);
  world.Show(JobPod(Nice(one, 10), 0));
  world.Some();
  CHECK(world.Of(one).line_place == 2);
  CHECK(world.Told().size() == 1);
  world.Show(JobPod(Nice(one, 10), 0));
  world.Some();
  CHECK(world.Told().empty());
  world.Show(JobPod(one, 0));
  world.Some();
  CHECK(world.Told().size() == 1);
}

TEST_CASE("nice: what is read anew and is as nice as before is told nothing") {
  NiceWorld world(With(QueueMode::kGreedy));
  world.End(world.fills);
  const JobSpec nice = Nice(RackGang("nice", 2), 10);
  world.Come(nice);
  REQUIRE(world.HasRoom(nice));
  CHECK(world.Told().size() == 1);
  JobSpec held = nice;
  SetWord(held.words, kHoldWord, "later");
  for (int i = 0; i < 2; ++i) world.Show(JobPod(held, i));
  world.Some();
  REQUIRE_FALSE(world.HasRoom(nice));
  CHECK(world.Told().empty());
}

}  // namespace
}  // namespace gangplan::nice_word_test
