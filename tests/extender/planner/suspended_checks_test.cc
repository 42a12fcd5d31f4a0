// Owners that Kueue starts, when admission checks of ours say that there is room for them.
#include <algorithm>
#include <string>
#include <vector>

#include "extender/planner/limits.h"
#include "extender/planner/suspended_owners.h"
#include "tests/extender/planner/checks_world.h"

namespace gangplan::suspended_checks_test {

TEST_CASE("Checks: a Job that has quota is planned and held, and its check says so with its rack") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.SeeCheck(job, CheckIs::kWaits);
  CHECK(world.HoldCount() == 2);
  const JobWrite write = world.Written();
  REQUIRE(write.check);
  CHECK(write.ns == "team");
  CHECK(write.job.uid == job.Uid());
  CHECK(write.resource_version == std::to_string(world.version));
  CHECK(write.labels.empty());
  CHECK(write.templates.empty());
  CHECK(write.check->workload == "w-train");
  CHECK(write.check->uid == "u-w-train");
  CHECK(write.check->names == std::vector<std::string>{"room"});
  CHECK(write.check->state == CheckState::kReady);
  CHECK(
      write.check->message.starts_with("gang team/train of 2 has room and is started by Kueue on"));
  REQUIRE(write.check->updates.size() == 1);
  CHECK(write.check->updates[0].pod_set == "main");
  CHECK(write.check->updates[0].node_selector.size() == 2);  // block and rack
}

TEST_CASE("Checks: the pods that Kueue has made join what is held for them") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.MakeReady(job);
  const std::vector<std::string> planned = world.Nodes("team/train");
  CHECK(planned.size() == 2);
  world.ShowAll(job);
  CHECK(world.Nodes("team/train") == planned);
  world.RunAll(job);
  CHECK(world.StateOf("team/train") == "Running");
  world.SeeCheck(job, CheckIs::kNone);  // it is finished
  CHECK(world.Take<JobWrite>().empty());
  for (int i = 0; i < job.size; ++i) world.Delete(world.BornOf(job, i));
  CHECK(world.planner().List(0, 10).empty());
}

TEST_CASE("Checks: without room it says why, once a while, and is Ready when room comes") {
  ChecksWorld world;
  world.FillAll();
  const JobSpec job = Pair("third");
  world.SeeCheck(job, CheckIs::kWaits);
  CHECK(world.Take<JobWrite>().empty());
  world.Pass(absl::Seconds(1));
  const JobWrite said = world.Written();
  REQUIRE(said.check);
  CHECK(said.check->state == CheckState::kPending);
  CHECK(said.check->message.find("team/third") != std::string::npos);
  CHECK(said.check->updates.empty());
  world.Tell(said);
  world.message = said.check->message;
  world.SeeCheck(job, CheckIs::kWaits);
  world.Pass(kSayEvery + absl::Seconds(1));
  CHECK(world.Take<JobWrite>().empty());  // that is said
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(Pair("first"), i));
  world.Pass(absl::Milliseconds(50));
  const JobWrite ready = world.Written();
  CHECK(ready.check->state == CheckState::kReady);
  CHECK(ready.resource_version == std::to_string(world.version));
}

TEST_CASE("Checks: what could not be said is said again") {
  ChecksWorld world;
  world.FillAll();
  const JobSpec job = Pair("third");
  world.SeeCheck(job, CheckIs::kWaits);
  world.Pass(absl::Seconds(1));
  world.Tell(world.Written(), absl::UnavailableError("time-out"));
  JobWrite again;
  CHECK(world.SecondsToWrite(10, again) <= 3);
  CHECK(again.check->state == CheckState::kPending);
}

TEST_CASE("Checks: who has no room for long gives its quota back, each time that it has some") {
  ChecksWorld world(Patient(absl::Minutes(2)));
  world.FillAll();
  const JobSpec job = Pair("third");
  for (int times = 0; times < 3; ++times) {
    world.SeeCheck(job, CheckIs::kWaits);
    world.Pass(absl::Seconds(1));
    const JobWrite said = world.Written();
    world.Tell(said);
    world.message = said.check->message;
    world.SeeCheck(job, CheckIs::kWaits);
    JobWrite back;
    const int after = world.SecondsToWrite(200, back);
    CHECK(after > 100);
    CHECK(after < 130);
    CHECK(back.check->state == CheckState::kRetry);
    CHECK(back.check->message == said.check->message);
    CHECK(back.resource_version == std::to_string(world.version));
    world.Tell(back);
    world.SeeCheck(job, CheckIs::kLost);
    world.SeeCheck(job, CheckIs::kNone);
    CHECK(world.planner().Report("team/third") == std::nullopt);
    world.message.clear();
  }
}

TEST_CASE("Checks: what can never go is rejected when that has been so for a while") {
  ChecksWorld world;
  const JobSpec job = Whole("vast", 3);  // a rack has two nodes
  world.SeeCheck(job, CheckIs::kWaits);
  world.Pass(absl::Seconds(1));
  const JobWrite said = world.Written();
  CHECK(said.check->state == CheckState::kPending);
  world.Tell(said);
  world.message = said.check->message;
  world.SeeCheck(job, CheckIs::kWaits);
  SECTION("it stays so") {
    JobWrite rejected;
    const int after = world.SecondsToWrite(700, rejected);
    CHECK(after > 590);
    CHECK(rejected.check->state == CheckState::kRejected);
    CHECK(rejected.check->message == said.check->message);
  }
  SECTION("a node comes") {
    world.Pass(absl::Minutes(6));  // an autoscaler may take as long
    std::vector<NodeFacts> nodes = MakeNodes(1, 2, 3);
    world.AddNodes(nodes);
    JobWrite ready;
    CHECK(world.SecondsToWrite(100, ready) >= 0);
    CHECK(ready.check->state == CheckState::kReady);
  }
}

TEST_CASE("Checks: one whose later rung fits is not rejected meanwhile") {
  ChecksWorld world;
  JobSpec job = Whole("vast", 3);
  job.place = "rack=pack! | after 12m: any";
  JobFacts facts = world.Facts(job);
  world.SeeCheck(job, CheckIs::kWaits);
  world.Pass(absl::Seconds(1));
  JobWrite said = world.Written();
  CHECK(said.check->state == CheckState::kPending);
  world.Tell(said);
  world.message = said.check->message;
  world.SeeCheck(job, CheckIs::kWaits);
  REQUIRE(world.SecondsToWrite(900, said) >= 0);
  CHECK(said.check->state == CheckState::kRetry);  // by patience, as any
}

TEST_CASE("Checks: a plan that is lost before its pods are bound is a Retry") {
  ChecksWorld world;
  const JobSpec job = Pair();
  const JobWrite ready = world.MakeReady(job);
  bool made = false;
  SECTION("before they are made") {}
  SECTION("after that") {
    world.ShowAll(job);
    made = true;
  }
  world.LoseNodes("team/train");
  JobWrite retry;
  CHECK(world.SecondsToWrite(5, retry) >= 0);
  REQUIRE(retry.check);
  CHECK(retry.check->state == CheckState::kRetry);
  CHECK(retry.resource_version.empty());
  world.Tell(retry);
  world.SeeCheck(job, CheckIs::kLost);
  for (int i = 0; made && i < job.size; ++i) world.Delete(world.BornOf(job, i));
  world.SeeCheck(job, CheckIs::kNone);
  CHECK(world.HoldCount() == 0);
  world.pinned.clear();
  world.SeeCheck(job, CheckIs::kWaits);
  JobWrite again;
  CHECK(world.SecondsToWrite(5, again) >= 0);
  CHECK(again.check->state == CheckState::kReady);  // in the other rack
  CHECK(again.check->updates[0].node_selector != ready.check->updates[0].node_selector);
}

TEST_CASE("Checks: room for pods that never come is given back in time") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.MakeReady(job);
  JobWrite retry;
  const int after = world.SecondsToWrite(400, retry);
  CHECK(after > 200);
  REQUIRE(retry.check);
  CHECK(retry.check->state == CheckState::kRetry);
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Checks: who loses its quota lets go of its room at once") {
  ChecksWorld world;
  const JobSpec job = Pair();
  SECTION("before its check was written") {
    world.SeeCheck(job, CheckIs::kWaits);
    CHECK(world.HoldCount() == 2);
    world.SeeCheck(job, CheckIs::kNone);
  }
  SECTION("when it was Ready") {
    world.MakeReady(job);
    world.SeeCheck(job, CheckIs::kNone);
  }
  CHECK(world.HoldCount() == 0);
  world.Take<JobWrite>();
  world.Pass(absl::Minutes(10));
  CHECK(world.Take<JobWrite>().empty());
}

}  // namespace gangplan::suspended_checks_test
