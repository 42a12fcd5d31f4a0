// How Jobs that were started end otherwise than by their pods: deleted, not suspended because that
// is refused, suspended by others again and again, or on nodes that cannot be used.
#include <string>
#include <vector>

#include "extender/planner/owner_key.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::started_ends_test {
namespace {

void SetReady(SuspendedWorld& world, const std::string& name, bool ready, bool cordoned = false) {
  for (NodeFacts node : MakeNodes(1, 2, 2)) {
    if (node.name != name) continue;
    node.ready = ready;
    node.unschedulable = cordoned;
    world.Put(node);
  }
  world.Pass(absl::Milliseconds(50));
}

// The next instance finds this node not ready, and the Job started, with its two pods.
void RestartWithout(SuspendedWorld& world, const JobSpec& job, const JobWrite& start,
                    const std::string& planned) {
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  SetReady(world, planned, false);
  OwnerFacts owner = JobOwner(job);
  SetWord(owner.annotations, kPinnedAnnotation, PinOf(start));
  world.Register(owner);
  for (int i = 0; i < 2; ++i) world.Show(SuspendedWorld::Born(job, i, start));
  world.Sync();
}

}  // namespace

TEST_CASE("Started: a Job that is deleted before its pods come gives its room back") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite start = world.Start(job);
  world.answer_owners = false;
  CHECK(world.HoldCount() == 2);
  SECTION("none has come") {
    world.Pass(kOwnerReadAfter);
    world.Pass(absl::Milliseconds(50));
  }
  SECTION("they have come, and were deleted with it") {
    world.ShowBorn(job, start);
    for (int i = 0; i < 2; ++i) world.Delete(SuspendedWorld::Born(job, i, start));
    CHECK(world.HoldCount() == 2);
    world.Pass(kOwnerReadAfter);
    world.Pass(absl::Milliseconds(50));
  }
  CHECK(world.AnswerGone() >= 1);
  CHECK(world.HoldCount() == 0);
  CHECK(world.planner().List(0, 10).empty());
  world.Pass(absl::Minutes(10));
  CHECK(world.Take<JobWrite>().empty());
}

TEST_CASE("Started: a Job that is deleted while its pods run leaves them their room") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.Run(job);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()),
                          absl::NotFoundError("no such Job"));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Nodes("team/train") == nodes);
  // What is free is the other rack.
  const JobWrite other = world.Start(Pair("other"));
  for (const std::string& node : world.Nodes("team/other"))
    CHECK(DomainOf(node, 1) != DomainOf(nodes[0], 1));
  world.See(Pair("third"));
  CHECK(world.StateOf("team/third") == "Blocked");
}

TEST_CASE("Started: pods of a Job that was deleted hold what they have until they go") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite start = world.Start(job);
  world.Register(job);
  world.Show(SuspendedWorld::Born(job, 0, start));
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()),
                          absl::NotFoundError("no such Job"));
  CHECK(world.Report("team/train").seen == 1);
  world.Delete(SuspendedWorld::Born(job, 0, start));
  CHECK(world.HoldCount() == 0);
  CHECK(world.planner().List(0, 10).empty());
}

TEST_CASE("Started: while no pod comes the Job is read with a pause that grows") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.Start(job);
  world.answer_owners = false;
  int reads = 0;
  for (int second = 0; second < 240; ++second) {
    world.Pass(absl::Seconds(1));
    for (const OwnerRead& read : world.Take<OwnerRead>()) {
      ++reads;
      world.planner().OnOwner(world.now(), OwnerKey(read.ns, read.owner.uid), JobOwner(job));
    }
  }
  CHECK(reads >= 8);
  CHECK(reads <= 20);
  CHECK(world.HoldCount() == 2);
}

TEST_CASE("Started: a suspension that is refused is asked for again with a pause that grows") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite start = world.Start(job);
  bool pods = false;
  SECTION("none of its pods has come") { world.Pass(absl::Minutes(6)); }
  SECTION("its pods are there, and its nodes are gone") {
    pods = true;
    world.ShowBorn(job, start);
    world.LoseNodes("team/train");
  }
  JobWrite suspend = world.Written();
  REQUIRE(suspend.suspend);
  world.ForgetEffects();
  absl::Duration pause = kFruitlessPause;
  for (int i = 0; i < 5; ++i) {
    world.Tell(suspend, absl::PermissionDeniedError("jobs is forbidden"));
    if (pods) CHECK(world.Report("team/train").seen == 2);
    const int seconds = world.SecondsToWrite(200, suspend);
    CHECK(seconds >= absl::ToInt64Seconds(pause));
    CHECK(seconds <= absl::ToInt64Seconds(pause) + 2);
    CHECK(suspend.suspend);
    pause *= 2;
  }
  CHECK(world.planner().Stats().refused_suspensions == 5);
  int told = 0;
  for (const EventNote& note : world.Take<EventNote>())
    told += note.note.find("could not be suspended again") != std::string::npos ? 1 : 0;
  CHECK(told == 1);
  // It is allowed at last.
  world.Tell(suspend);
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].reason == "GangSuspended");
  world.See(job);
  for (int i = 0; i < 2; ++i) world.Delete(SuspendedWorld::Born(job, i, start));
  CHECK(world.SecondsToWrite(700, suspend) > 0);
  CHECK_FALSE(suspend.suspend);
}

TEST_CASE("Started: where room comes before the suspension is allowed its pods start") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite start = world.Start(job);
  world.ShowBorn(job, start);
  world.LoseNodes("team/train");
  world.Tell(world.Written(), absl::PermissionDeniedError("jobs is forbidden"));
  for (const NodeFacts& node : MakeNodes(1, 2, 2)) world.Put(node);
  world.Pass(absl::Seconds(1));
  world.RunBorn(job, start);
  CHECK(world.StateOf("team/train") == "Running");
  world.Pass(absl::Minutes(1));
  CHECK(world.Take<JobWrite>().empty());
}

TEST_CASE("Started: the pause after room that came to nothing is kept when its pods are stopped") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.Start(job);
  world.Pass(absl::Minutes(6));
  JobWrite write = world.Written();
  REQUIRE(write.suspend);
  world.Tell(write);
  JobFacts facts = world.Facts(job);
  for (const bool stopped : {false, true}) {
    facts.stopped = stopped;
    facts.resource_version += "1";
    world.See(facts);
    world.Pass(absl::Milliseconds(50));
    CHECK(world.Take<JobWrite>().empty());
  }
  CHECK(world.SecondsToWrite(10, write) >= 4);
  CHECK_FALSE(write.suspend);
}

TEST_CASE("Started: a Job that goes while its suspension is refused leaves nothing") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite start = world.Start(job);
  world.ShowBorn(job, start);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  SECTION("it was started by this instance") { world.DeleteNode(nodes[0]); }
  SECTION("it was started by the one before") { RestartWithout(world, job, start, nodes[0]); }
  world.DeleteNode(nodes[1]);
  world.Pass(absl::Milliseconds(50));
  const JobWrite suspend = world.Written();
  REQUIRE(suspend.suspend);
  world.answer_owners = false;
  // Its pods went with it, and there is room for others of them.
  for (int i = 0; i < 2; ++i) world.Delete(SuspendedWorld::Born(job, i, start));
  for (const NodeFacts& node : MakeNodes(1, 2, 2)) world.Put(node);
  world.Tell(suspend, absl::PermissionDeniedError("jobs is forbidden"));
  int reads = 0;
  for (int second = 0; second < 120; ++second) {
    world.Pass(absl::Seconds(1));
    reads += world.AnswerGone();
  }
  CHECK(reads > 0);
  CHECK(world.HoldCount() == 0);
  CHECK(world.planner().List(0, 10).empty());
}

TEST_CASE("Started: what is suspended by others again and again is started after longer pauses") {
  SuspendedWorld world;
  JobSpec job = Pair();
  SECTION("without a plan") { job = Named("train", "both", 4); }
  SECTION("planned") {}
  JobWrite write;
  world.See(job);
  for (const absl::Duration pause : {absl::ZeroDuration(), absl::ZeroDuration(), kFruitlessPause,
                                     2 * kFruitlessPause, 4 * kFruitlessPause}) {
    const int seconds = world.SecondsToWrite(60, write);
    CHECK(seconds >= absl::ToInt64Seconds(pause));
    CHECK(seconds <= absl::ToInt64Seconds(pause) + 2);
    CHECK_FALSE(write.suspend);
    world.Tell(write);
    world.Leave(job);
    world.ForgetEffects();
    world.See(job);
  }
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].reason == "GangWaiting");
  CHECK(notes[0].note.find("was started 5 times") != std::string::npos);
  CHECK(notes[0].note.find("gangplan.io/suspended") != std::string::npos);
}

TEST_CASE("Started: a gang moves within its set where a planned node cannot be used") {
  SuspendedWorld world;
  JobSpec job = Pair();
  job.gpus = 4;  // both on one node, and the other one is of the set
  const JobWrite start = world.Start(job);
  const std::string planned = world.Nodes("team/train")[0];
  SECTION("not ready, before its pods come") { SetReady(world, planned, false); }
  SECTION("cordoned, before its pods come") { SetReady(world, planned, true, true); }
  SECTION("when they are there") {
    world.ShowBorn(job, start);
    SetReady(world, planned, false);
  }
  SECTION("when one waits in bind") {
    world.ShowBorn(job, start);
    REQUIRE(Try(world, SuspendedWorld::Born(job, 0, start)));
    SetReady(world, planned, false);
  }
  SECTION("after a restart") { RestartWithout(world, job, start, planned); }
  CHECK(world.Take<JobWrite>().empty());
  CHECK(world.HoldCount() == 2);
  for (const std::string& node : world.Nodes("team/train")) {
    CHECK(node != planned);
    CHECK(DomainOf(node, 1) == DomainOf(planned, 1));
  }
  world.ShowBorn(job, start);
  world.RunBorn(job, start);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Started: where the set has no other node that can be used the gang starts elsewhere") {
  SuspendedWorld world;
  const JobSpec job = Pair();  // a whole rack
  const JobWrite start = world.Start(job);
  const std::string planned = world.Nodes("team/train")[0];
  bool pods = true;
  SECTION("before its pods come") {
    pods = false;
    SetReady(world, planned, false);
  }
  SECTION("when they are there") {
    world.ShowBorn(job, start);
    SetReady(world, planned, false);
  }
  SECTION("cordoned, when they are there") {
    world.ShowBorn(job, start);
    SetReady(world, planned, true, true);
  }
  SECTION("when they wait in bind") {
    world.hold_commits = true;
    world.ShowBorn(job, start);
    for (int i = 0; i < 2; ++i) REQUIRE(Try(world, SuspendedWorld::Born(job, i, start)));
    SetReady(world, planned, false);
  }
  SECTION("after a restart") { RestartWithout(world, job, start, planned); }
  const JobWrite suspend = world.Written();
  CHECK(suspend.suspend);
  CHECK(world.HoldCount() == 0);
  world.Tell(suspend);
  world.See(job);
  if (pods) {
    for (int i = 0; i < 2; ++i) world.Delete(SuspendedWorld::Born(job, i, start));
  }
  JobWrite again;
  CHECK(world.SecondsToWrite(20, again) >= 0);
  CHECK_FALSE(again.suspend);
  for (const std::string& node : world.Nodes("team/train"))
    CHECK(DomainOf(node, 1) != DomainOf(planned, 1));
}

// Anybody may write its UID on pods of their own.
TEST_CASE("Started: what strangers write of its owner takes no room from a Job that was started") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.Start(job);
  REQUIRE(world.HoldCount() == 2);
  world.answer_owners = false;
  PodFacts stranger = JobPod(Pair("forged"), 0);
  stranger.ns = "evil";
  stranger.name = stranger.uid = "stranger";
  stranger.controller->uid = job.Uid();
  world.Show(stranger);
  world.Pass(absl::Seconds(1));
  int asked = 0;
  for (const OwnerRead& read : world.Take<OwnerRead>()) {
    if (read.ns != "evil") continue;
    ++asked;
    world.planner().OnOwner(world.now(), OwnerKey(read.ns, read.owner.uid),
                            absl::NotFoundError("no such Job"));
  }
  CHECK(asked == 1);
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == 2);
  world.ShowBorn(job, JobWrite());
  for (int i = 0; i < 2; ++i) REQUIRE(Try(world, JobPod(job, i)));
  CHECK(world.BindAll() == 2);
}

}  // namespace gangplan::started_ends_test
