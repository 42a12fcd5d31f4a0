// Jobs that wait suspended: planned without a pod, and started by one write.
#include "extender/planner/suspended_owners.h"

#include <string>
#include <vector>

#include "tests/extender/planner/suspended_world.h"
#include "tests/support/sentences.h"

namespace gangplan::suspended_owners_test {

TEST_CASE("Suspended: a Job is planned without a pod and started on the nodes of its rack") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.See(job);
  CHECK(world.HoldCount() == 2);
  const JobWrite write = world.Written();
  CHECK(write.ns == "team");
  CHECK(write.job.uid == job.Uid());
  CHECK_FALSE(write.suspend);
  CHECK(write.resource_version == std::to_string(world.version));
  CHECK(write.labels == LabelPatch{{std::string(kSuspendedLabel), std::nullopt}});
  REQUIRE(write.annotations.size() == 2);
  CHECK(write.annotations[0] ==
        std::pair(std::string(kNotBeforeAnnotation), std::optional<std::string>()));
  CHECK(PinOf(write).starts_with("nodes members=2 terms="));
  REQUIRE(write.templates.size() == 1);
  CHECK(write.templates[0].required.size() == 2);
  const std::vector<std::string> planned = world.Nodes("team/train");
  world.Tell(write);
  world.Leave(job);
  world.ShowBorn(job, write);
  CHECK(world.Nodes("team/train") == planned);
  CHECK(world.StateOf("team/train") == "Planned");
  world.RunBorn(job, write);
  CHECK(world.StateOf("team/train") == "Running");
  for (int i = 0; i < job.size; ++i) world.Delete(SuspendedWorld::Born(job, i, write));
  CHECK(world.planner().List(0, 10).empty());
  CHECK(world.Take<JobWrite>().empty());
}

TEST_CASE("Suspended: pods may be seen before the answer to the write that has started them") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.See(job);
  const JobWrite write = world.Written();
  world.Leave(job);
  world.ShowBorn(job, write);
  world.Tell(write);
  world.RunBorn(job, write);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Suspended: a Job without room waits, and is started when room comes free") {
  SuspendedWorld world;
  const JobSpec first = Pair("first");
  const JobSpec second = Pair("second");
  const JobSpec third = Pair("third");
  for (const JobSpec& job : {first, second}) world.Run(job);
  world.See(third);
  CHECK(world.StateOf("team/third") == "Blocked");
  CHECK(world.Take<JobWrite>().empty());
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(first, i));
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Written().job.uid == third.Uid());
}

TEST_CASE("Suspended: a Job that was changed meanwhile is started as it is now") {
  SuspendedWorld world;
  JobSpec job = Pair();
  world.See(job);
  const JobWrite write = world.Written();
  SECTION("the answer comes first") {
    world.Tell(write, absl::AbortedError("the object has been modified"));
    CHECK(world.Take<JobWrite>().empty());
    world.See(job);
  }
  SECTION("the watch comes first") {
    world.See(job);
    world.Tell(write, absl::AbortedError("the object has been modified"));
  }
  SECTION("it has another size") {
    job.size = 1;
    world.See(job);
  }
  SECTION("its pods ask for less") {
    job.gpus = 4;
    world.See(job);
  }
  CHECK(world.HoldCount() == job.size);
  const JobWrite again = world.Written();
  CHECK(again.resource_version == std::to_string(world.version));
  CHECK(again.attempt != write.attempt);
  world.Tell(again);
  world.Leave(job);
  world.ShowBorn(job, again);
  world.RunBorn(job, again);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Suspended: a write of which nobody can tell is repeated for the same version") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.See(job);
  const JobWrite write = world.Written();
  world.Tell(write, absl::UnavailableError("time-out"));
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<JobWrite>().empty());
  world.Pass(absl::Seconds(2));
  const JobWrite again = world.Written();
  CHECK(again.resource_version == write.resource_version);
  SECTION("it had been done") {
    world.Leave(job);
    world.Tell(again, absl::AbortedError("the object has been modified"));
  }
  SECTION("it has been done now") {
    world.Tell(again);
    world.Leave(job);
  }
  world.ShowBorn(job, again);
  CHECK(world.HoldCount() == 2);
  world.RunBorn(job, again);
}

TEST_CASE("Suspended: a Job that may not be started gives its room back, and is tried again") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.See(job);
  world.ForgetEffects();
  world.See(job);
  const JobWrite write = world.Written();
  world.Tell(write, absl::PermissionDeniedError("jobs is forbidden"));
  CHECK(world.HoldCount() == 0);
  const auto events = world.Take<EventNote>();
  REQUIRE(events.size() == 1);
  CHECK(events[0].regarding.uid == job.Uid());
  CHECK(events[0].note.find("jobs is forbidden") != std::string::npos);
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<JobWrite>().empty());
  world.Pass(absl::Seconds(6));
  world.Pass(absl::Seconds(1));
  CHECK(world.Written().resource_version == write.resource_version);
}

TEST_CASE("Suspended: a Job that is deleted, or that somebody else takes, leaves nothing") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  SECTION("before it was started") {
    world.active = false;
    world.Restart();
    world.AddNodes(MakeNodes(1, 2, 2));
    world.Sync();
    world.See(job);
    world.Leave(job);
  }
  SECTION("while it is started") {
    world.See(job);
    const JobWrite write = world.Written();
    world.Leave(job);
    SECTION("it is gone") { world.Tell(write, absl::NotFoundError("gone")); }
    SECTION("it is another one") { world.Tell(write, absl::AbortedError("modified")); }
  }
  CHECK(world.HoldCount() == 0);
  CHECK(world.planner().List(0, 10).empty());
  world.Pass(absl::Minutes(20));
  CHECK(world.Take<JobWrite>().empty());
}

TEST_CASE("Suspended: what has succeeded is not planned for") {
  SuspendedWorld world;
  JobSpec job = Whole("train", 4);
  job.left = 1;
  world.See(job);
  const JobWrite write = world.Written();
  CHECK(write.templates.empty());
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Suspended: none is started before the pods of its last run are stopped") {
  SuspendedWorld world;
  JobSpec job = Pair();
  SECTION("with a plan") {}
  SECTION("without one, since some have succeeded") {
    job = Whole("train", 4);
    job.left = 1;
  }
  world.Register(job);
  JobFacts facts = world.Facts(job);
  facts.stopped = false;
  world.See(facts);
  world.Pass(absl::Seconds(20));
  CHECK(world.Take<JobWrite>().empty());
  facts.stopped = true;
  facts.resource_version = "101";
  world.See(facts);
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Written().resource_version == "101");
}

TEST_CASE("Suspended: a start in doubt is known by the watch") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.See(job);
  const JobWrite write = world.Written();
  world.Tell(write, absl::UnavailableError("time-out"));
  world.Pass(absl::Seconds(3));
  const JobWrite again = world.Written();
  world.Tell(again, absl::AbortedError("modified"));
  CHECK(world.HoldCount() == 2);
  SECTION("it was done") {
    world.Leave(job);
    world.Pass(absl::Seconds(3));
    world.Tell(world.Written(), absl::AbortedError("modified"));
    CHECK(world.HoldCount() == 2);
    world.ShowBorn(job, write);
    world.RunBorn(job, write);
  }
  SECTION("somebody else has changed it") {
    world.See(job);
    CHECK(world.Written().resource_version == std::to_string(world.version));
  }
}

TEST_CASE("Suspended: a Job that is finished is not planned") {
  SuspendedWorld world;
  JobFacts facts = world.Facts(Pair());
  facts.finished = true;
  world.See(facts);
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == 0);
  CHECK(world.planner().List(0, 10).empty());
}

TEST_CASE("Suspended: what cannot be a gang is told so, and not started") {
  SuspendedWorld world;
  JobSpec job = Pair();
  std::string expected;
  JobFacts facts = world.Facts(job);
  SECTION("a wrong word") {
    SetWord(facts.pods[0].annotations, "gangplan.io/place", "rack=pakc!");
    expected = "gangplan.io/place";
  }
  SECTION("no word") {
    facts.pods[0].annotations.clear();
    expected = "nothing says";
  }
  SECTION("a template that cannot be read") {
    facts.pods[0].fault = "spec.template.spec.containers[0]: expected an object";
    expected = "containers[0]";
  }
  world.See(facts);
  world.Pass(absl::Seconds(1));
  const auto events = world.Take<EventNote>();
  REQUIRE(events.size() == 1);
  CHECK(events[0].reason == "GangInvalid");
  CHECK(events[0].note.find(expected) != std::string::npos);
  CHECK(world.Take<JobWrite>().empty());
  // It is mended.
  world.See(job);
  CHECK(world.Written().resource_version == std::to_string(world.version));
}

TEST_CASE("Suspended: a Job of a gang of several is started at once, and planned by its pods") {
  SuspendedWorld world;
  const JobSpec job = Named("train-a", "both", 4);
  world.See(job);
  const JobWrite write = world.Written();
  CHECK_FALSE(write.suspend);
  CHECK(write.templates.empty());
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].reason == "GangStarting");
  CHECK(notes[0].note == Sentence("is started at once", "job team/train-a"));
  world.Tell(write);
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Suspended: a namespace holds room for pods that do not exist, one gang at a time") {
  PlannerOptions options = PlannerWorld::Options();
  options.vacant_share = 25;
  SuspendedWorld world(options);
  world.See(Pair("first"));
  CHECK(world.Take<JobWrite>().size() == 1);
  world.See(Pair("second"));
  CHECK(world.Take<JobWrite>().empty());
  CHECK(world.Report("team/second").reason.find("vacantShare") != std::string::npos);
  world.Leave(Pair("first"));
  world.ShowBorn(Pair("first"), {});
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Take<JobWrite>().size() == 1);
}

TEST_CASE("Suspended: a Job that waits is no ended group, whoever needs a place") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.groups = 1;
  SuspendedWorld world(options);
  const JobSpec waits = Whole("waits", 5);
  world.See(waits);
  world.ShowJob(Pair("other"), 0, 1);
  CHECK(world.StateOf("team/waits") == "Blocked");
  // And one that came too late is told so, and has its place when there is one.
  world.See(Pair("late"));
  CHECK(world.Take<JobWrite>().empty());
  world.Leave(waits);
  world.Delete(JobPod(Pair("other"), 0));
  world.Pass(absl::Seconds(11));
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<JobWrite>().size() == 1);
}

}  // namespace gangplan::suspended_owners_test
