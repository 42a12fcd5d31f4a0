// Writes of Jobs that wait or were started and do not go as they should: refused for long, in
// doubt, of a Job that is gone; and what changes between a start and its first pod.
#include <string>
#include <vector>

#include "extender/planner/owner_key.h"
#include "tests/extender/planner/suspended_world.h"
#include "tests/support/sakkara_world.h"

namespace gangplan::started_writes_test {
namespace {

int CountSuspended(SuspendedWorld& world) {
  int told = 0;
  for (const EventNote& note : world.Take<EventNote>()) told += note.reason == "GangSuspended";
  return told;
}

// One of its two pods has gone for good, with both of its nodes.
void LoseOne(SuspendedWorld& world, const JobSpec& job, const JobWrite& start) {
  world.LoseNodes("team/train");
  world.Delete(SuspendedWorld::Born(job, 0, start));
  PodFacts again = SuspendedWorld::Born(job, 0, start);
  again.uid += "-again";
  again.name += "-again";
  world.Show(again);
}

// The pause after so many refusals in a row.
int PauseAfter(int refusals) { return refusals > 7 ? 600 : 5 << (refusals - 1); }

}  // namespace

TEST_CASE("Writes: a refused suspension of a gang that runs is tried again with a growing pause") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  LoseOne(world, job, world.Run(job));
  JobWrite write;
  REQUIRE(world.SecondsToWrite(310, write) >= 0);
  for (int refusals = 1; refusals < 12; ++refusals) {
    REQUIRE(write.suspend);
    world.Tell(write, absl::PermissionDeniedError("jobs is forbidden"));
    const int seconds = world.SecondsToWrite(1'000, write);
    CHECK(seconds >= PauseAfter(refusals));
    CHECK(seconds <= PauseAfter(refusals) + 2);
  }
}

TEST_CASE("Writes: what was refused in one run is no pause of the next one") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite start = world.Start(job);
  world.ShowBorn(job, start);
  world.LoseNodes("team/train");
  JobWrite write = world.Written();
  for (int refusals = 1; refusals <= 8; ++refusals) {
    REQUIRE(write.suspend);
    world.Tell(write, absl::PermissionDeniedError("jobs is forbidden"));
    if (refusals < 8) REQUIRE(world.SecondsToWrite(700, write) >= 0);
  }
  // Its user suspends it, with the label; it starts in the other rack, and no pod comes.
  world.See(job);
  for (int i = 0; i < 2; ++i) world.Delete(SuspendedWorld::Born(job, i, start));
  REQUIRE(world.SecondsToWrite(100, write) >= 0);
  REQUIRE_FALSE(write.suspend);
  world.Tell(write);
  world.Leave(job);
  const int seconds = world.SecondsToWrite(7'200, write);
  CHECK(seconds >= 290);
  CHECK(seconds <= 310);
  CHECK(write.suspend);
}

TEST_CASE(
    "Writes: a Job that is gone while its pods wait is written to once, and nothing is told") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite start = world.Start(job);
  world.ShowBorn(job, start);
  world.LoseNodes("team/train");
  world.answer_owners = false;
  int writes = 0;
  for (int second = 0; second < 120; ++second) {
    for (const JobWrite& write : world.Take<JobWrite>()) {
      ++writes;
      world.Tell(write, absl::NotFoundError("gone"));
    }
    world.AnswerGone();
    world.Pass(absl::Seconds(1));
  }
  CHECK(writes == 1);
  CHECK(CountSuspended(world) == 0);
}

TEST_CASE("Writes: one that somebody else has suspended is not told to be so by Gangplan") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.Start(job);
  JobWrite write;
  REQUIRE(world.SecondsToWrite(700, write) >= 0);
  REQUIRE(write.suspend);
  world.Tell(write, absl::AbortedError("somebody else has suspended it"));
  CHECK(world.SecondsToWrite(700, write) < 0);
  CHECK(CountSuspended(world) == 0);
  // It is no gang that waits any more, and claims nothing; when it is resumed its pods are one.
  CHECK(world.planner().List(0, 10).empty());
  world.AddNodes(MakeNodes(1, 2, 2));
  for (int i = 0; i < job.size; ++i) world.Show(JobPod(job, i));
  for (int i = 0; i < job.size; ++i) REQUIRE(Try(world, JobPod(job, i)));
  CHECK(world.BindAll() == job.size);
}

TEST_CASE("Writes: a start in doubt is taken back when its room has come to nothing") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.Register(job);
  world.See(job);
  JobWrite write = world.Written();
  int starts = 1;
  for (; !write.suspend && starts < 100; ++starts) {
    world.Tell(write, absl::InternalError("failed calling webhook"));
    REQUIRE(world.SecondsToWrite(60, write) >= 0);
  }
  CHECK(starts <= 20);  // the pause between them grows
  REQUIRE(write.suspend);
  CHECK(world.HoldCount() == 0);
  world.Tell(write);
  // The watch shows the version that this has made: it was never started.
  world.See(job);
  CHECK(world.SecondsToWrite(60, write) >= 0);
  CHECK_FALSE(write.suspend);
  CHECK(world.HoldCount() == 2);
}

TEST_CASE("Writes: what its owner says besides leaves a gang its room before its pods come") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite start = world.Start(job);
  world.answer_owners = false;
  for (int second = 0; second < 40; ++second) {
    world.Pass(absl::Seconds(1));
    for (const OwnerRead& read : world.Take<OwnerRead>()) {
      OwnerFacts owner = JobOwner(job);
      SetWord(owner.annotations, kPinnedAnnotation, PinOf(start));
      SetWord(owner.annotations, "team.example.com/note", "started");
      world.planner().OnOwner(world.now(), OwnerKey(read.ns, read.owner.uid), owner);
    }
  }
  CHECK(world.HoldCount() == 2);
  JobWrite write;
  CHECK(world.SecondsToWrite(310, write) >= 0);
  CHECK(write.suspend);
}

TEST_CASE("Writes: where the levels change before its pods come it is suspended and planned anew") {
  SuspendedWorld world(LiveLevels());
  const JobSpec job = Pair();
  world.Start(job);
  Topology levels = ThreeLevels();
  levels.levels.erase(levels.levels.begin());
  REQUIRE(world.planner().OnTopology(world.now(), levels));
  JobWrite write;
  REQUIRE(world.SecondsToWrite(5, write) >= 0);
  REQUIRE(write.suspend);
  world.Tell(write);
  CHECK(CountSuspended(world) == 1);
  world.See(job);
  REQUIRE(world.SecondsToWrite(5, write) >= 0);
  CHECK_FALSE(write.suspend);
}

TEST_CASE("Writes: one of which a pod has come goes on where the levels change") {
  SuspendedWorld world(LiveLevels());
  const JobSpec job = Pair();
  const JobWrite start = world.Start(job);
  world.Register(job);
  world.Show(world.Born(job, 0, start));
  Topology levels = ThreeLevels();
  levels.levels.erase(levels.levels.begin());
  REQUIRE(world.planner().OnTopology(world.now(), levels));
  for (int i = 0; i < 5; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Take<JobWrite>().empty());
}

TEST_CASE("Writes: one whose level comes later is started then") {
  SuspendedWorld world(LiveLevels());
  Topology without = ThreeLevels();
  without.levels.erase(without.levels.begin() + 1);
  REQUIRE(world.planner().OnTopology(world.now(), without));
  world.See(Pair());
  CHECK(world.Take<JobWrite>().empty());
  REQUIRE(world.planner().OnTopology(world.now(), ThreeLevels()));
  JobWrite write;
  CHECK(world.SecondsToWrite(2, write) >= 0);
}

TEST_CASE("Writes: one whose ConfigMap comes later is started then") {
  StartsWorld world(SakkaraOptions());
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  JobFacts facts;
  const JobSpec job{.name = "train", .size = 2};
  facts.owner = JobOwner(job);
  facts.resource_version = "1";
  facts.suspended = true;
  PodFacts pod = RingPod("train");
  pod.uid.clear();
  pod.controller = facts.owner.ref;
  facts.pods = {pod};
  world.planner().OnJob(world.now(), facts);
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<JobWrite>().empty());
  world.planner().OnGroupObject(world.now(), RingObject("2"));
  JobWrite write;
  CHECK(world.SecondsToWrite(2, write) >= 0);
}

TEST_CASE("Writes: a Job whose last run is not told to be stopped says so, with and without room") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.Register(job);
  JobFacts facts = world.Facts(job);
  facts.stopped = false;
  world.See(facts);
  CHECK(world.HoldCount() == 2);
  const auto says_so = [&] {
    const std::string reason = world.Report("team/train").reason;
    return reason.find("the pods of its last run are stopped") != std::string::npos;
  };
  CHECK(says_so());
  world.Pass(absl::Minutes(6));
  CHECK(world.HoldCount() == 0);
  CHECK(says_so());
}

TEST_CASE("Writes: wrong words and a pause are told before that its last run is not stopped") {
  SuspendedWorld world;
  JobSpec job = Pair();
  SECTION("wrong words") {
    job.place = "shelf=pack";
    JobFacts facts = world.Facts(job);
    facts.stopped = false;
    world.See(facts);
    world.Pass(absl::Seconds(1));
    CHECK(world.Report("team/train").reason.find("shelf") != std::string::npos);
  }
  SECTION("a pause") {
    for (int i = 0; i < 2; ++i) world.Start(job);
    ++world.version;
    JobFacts facts = world.Facts(job);
    facts.stopped = false;
    world.See(facts);
    world.Pass(absl::Seconds(1));
    CHECK(world.Report("team/train").reason.find("was started 2 times") != std::string::npos);
  }
}

TEST_CASE("Writes: pods that came to nothing while a start was in doubt are suspended after it") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.Register(job);
  world.See(job);
  const JobWrite start = world.Written();
  world.Tell(start, absl::UnavailableError("time-out"));
  world.Leave(job);
  world.ShowBorn(job, start);
  world.RunBorn(job, start);
  // Its user stops it and resumes it by hand; meanwhile its nodes have gone.
  const std::vector<std::string> nodes = world.Nodes("team/train");
  for (int i = 0; i < 2; ++i) world.Delete(SuspendedWorld::Born(job, i, start));
  for (const std::string& node : nodes) world.DeleteNode(node);
  for (int i = 0; i < 2; ++i) {
    PodFacts again = SuspendedWorld::Born(job, i, start);
    again.uid += "-again";
    again.name += "-again";
    world.Show(again);
  }
  JobWrite write;
  REQUIRE(world.SecondsToWrite(10, write) >= 0);
  REQUIRE_FALSE(write.suspend);
  world.Tell(write, absl::AbortedError("the object has been modified"));
  REQUIRE(world.SecondsToWrite(10, write) >= 0);
  CHECK(write.suspend);
}

TEST_CASE("Writes: room that comes while a suspension is in doubt is taken when it is not done") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite start = world.Start(job);
  world.ShowBorn(job, start);
  world.LoseNodes("team/train");
  const JobWrite suspend = world.Written();
  REQUIRE(suspend.suspend);
  world.Tell(suspend, absl::UnavailableError("time-out"));
  for (const NodeFacts& node : MakeNodes(1, 2, 2)) world.Put(node);
  world.Pass(absl::Seconds(1));
  JobWrite again;
  REQUIRE(world.SecondsToWrite(10, again) >= 0);
  world.Tell(again, absl::AbortedError("somebody else has suspended it"));
  world.Pass(absl::Seconds(1));
  world.RunBorn(job, start);
}

TEST_CASE("Writes: who was started by another instance, or by hand, pauses as after our starts") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.Register(job);
  JobFacts facts = world.Facts(job);
  facts.stopped = false;
  for (int i = 0; i < 3; ++i) {
    world.See(facts);
    world.Leave(job);
  }
  world.See(job);
  JobWrite write;
  CHECK(world.SecondsToWrite(20, write) >= 9);
}

}  // namespace gangplan::started_writes_test
