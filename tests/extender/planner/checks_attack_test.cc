// What Kueue, an API server that refuses, and tenants may do to owners that wait for admission
// checks of ours.
#include <algorithm>
#include <string>
#include <vector>

#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "tests/extender/planner/checks_world.h"

namespace gangplan::checks_attack_test {
namespace {

// In so many seconds; each is answered with `status`.
std::vector<JobWrite> WritesIn(ChecksWorld& world, int seconds, const absl::Status& status) {
  std::vector<JobWrite> all;
  for (int second = 0; second < seconds; ++second) {
    for (const JobWrite& write : world.Take<JobWrite>()) {
      all.push_back(write);
      world.Tell(write, status);
    }
    world.Pass(absl::Seconds(1));
  }
  return all;
}

bool AnyIs(const std::vector<JobWrite>& writes, CheckState state) {
  return std::any_of(writes.begin(), writes.end(), [&](const JobWrite& write) {
    return write.check && write.check->state == state;
  });
}

std::vector<std::string> Told(ChecksWorld& world, std::string_view words) {
  std::vector<std::string> notes;
  for (const EventNote& event : world.Take<EventNote>()) {
    if (event.note.find(words) != std::string::npos) notes.push_back(event.note);
  }
  return notes;
}

}  // namespace

TEST_CASE("Checks: another quota is waited with anew, though nobody saw the first one go") {
  ChecksWorld world(Patient(absl::Minutes(2)));
  world.FillAll();
  const JobSpec job = Pair("third");
  world.SeeCheck(job, CheckIs::kWaits);
  const std::vector<JobWrite> first = WritesIn(world, 130, absl::OkStatus());
  REQUIRE(AnyIs(first, CheckState::kRetry));
  ++world.quota;
  world.SeeCheck(job, CheckIs::kWaits);
  CHECK_FALSE(AnyIs(WritesIn(world, 110, absl::OkStatus()), CheckState::kRetry));
  CHECK(AnyIs(WritesIn(world, 20, absl::OkStatus()), CheckState::kRetry));
}

TEST_CASE("Checks: a check that was set back by hand is waited with from then on") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.MakeReady(job);
  world.ShowAll(job);
  world.RunAll(job);
  world.Pass(absl::Minutes(10));
  world.SeeCheck(job, CheckIs::kWaits);
  CHECK_FALSE(AnyIs(WritesIn(world, 60, absl::OkStatus()), CheckState::kRetry));
}

TEST_CASE("Checks: where there are no nodes yet nobody is rejected for good") {
  ChecksWorld world;
  for (const NodeFacts& node : MakeNodes(1, 2, 2)) world.DeleteNode(node.name);
  const JobSpec job = Pair();
  world.SeeCheck(job, CheckIs::kWaits);
  const std::vector<JobWrite> writes = WritesIn(world, 200, absl::OkStatus());
  CHECK(AnyIs(writes, CheckState::kPending));
  CHECK_FALSE(AnyIs(writes, CheckState::kRejected));
  world.AddNodes(MakeNodes(1, 2, 2));
  CHECK(AnyIs(WritesIn(world, 10, absl::OkStatus()), CheckState::kReady));
}

TEST_CASE("Checks: what may not be written is told, and tried again with a pause that grows") {
  ChecksWorld world(Patient(absl::Minutes(1)));
  world.FillAll();
  const JobSpec job = Pair("third");
  world.SeeCheck(job, CheckIs::kWaits);
  const absl::Status refused = absl::PermissionDeniedError("workloads/status is forbidden");
  const size_t writes = WritesIn(world, 600, refused).size();
  CHECK(writes > 10);
  CHECK(writes < 50);
  CHECK(Told(world, "job team/third: its admission check cannot be written: workloads/status")
            .size() >= 1);
  // Then it may.
  CHECK(AnyIs(WritesIn(world, 40, absl::OkStatus()), CheckState::kRetry));
}

TEST_CASE("Checks: who lost its room and may not give its quota back is told so") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.MakeReady(job);
  world.LoseNodes("team/train");
  const JobWrite retry = world.Written();
  REQUIRE(retry.check->state == CheckState::kRetry);
  world.ForgetEffects();
  world.Tell(retry, absl::PermissionDeniedError("forbidden"));
  CHECK(Told(world, "job team/train could not give its quota back, which is tried again").size() ==
        1);
}

TEST_CASE("Checks: what Kueue does not evict is suspended by nobody else") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.MakeReady(job);
  world.ShowAll(job);
  world.LoseNodes("team/train");
  bool kueue = true;
  for (int minute = 0; minute < 60; ++minute) {
    for (const JobWrite& write : WritesIn(world, 60, absl::OkStatus())) kueue &= !!write.check;
    if (minute == 0) world.SeeCheck(job, CheckIs::kLost);
    if (minute == 20) world.AddNodes(MakeNodes(1, 2, 2));
    if (minute == 30) world.LoseNodes("team/train");
  }
  CHECK(kueue);
}

TEST_CASE("Checks: a gang of more pods than have quota waits, and says so") {
  ChecksWorld world;
  JobSpec job{.name = "train", .size = 4, .gpus = 1, .place = "rack=pack!"};
  job.words = {{"gangplan.io/size", "4"}};
  JobFacts facts = world.Checked(job, CheckIs::kWaits);
  facts.owner.size = 3;
  SECTION("none of them has run") {
    facts.owner.left = 4;
    world.See(facts);
    world.Pass(absl::Seconds(1));
    const JobWrite said = world.Written();
    CHECK(said.check->state == CheckState::kPending);
    CHECK(
        said.check->message ==
        "job team/train waits suspended for gangplan: it is a gang of 4, and Workload w-train has "
        "quota for 3 of its pods");
    CHECK(world.HoldCount() == 0);
  }
  SECTION("one has succeeded already") {
    facts.owner.left = 3;
    world.See(facts);
    world.Pass(absl::Seconds(1));
    CHECK(world.Written().check->state == CheckState::kReady);
  }
}

TEST_CASE("Checks: who has quota again has the place in the line that its age gives it") {
  ChecksWorld world;
  world.FillAll();
  JobFacts old = world.Checked(Pair("old"), CheckIs::kWaits);
  JobFacts young = world.Checked(Pair("young"), CheckIs::kWaits);
  old.owner.created = 1'700'000'000;
  young.owner.created = old.owner.created + 100;
  world.See(old);
  old.check->state = CheckIs::kLost;  // it has given its quota back
  world.See(old);
  old.check->state = CheckIs::kNone;
  world.See(old);
  CHECK(world.planner().Report("team/old") == std::nullopt);
  world.See(young);
  old.check->state = CheckIs::kWaits;
  world.See(old);
  world.Pass(absl::Seconds(1));
  world.Take<JobWrite>();
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(Pair("first"), i));
  world.Pass(absl::Seconds(1));
  std::vector<std::string> ready;
  for (const JobWrite& write : world.Take<JobWrite>()) {
    if (write.check->state == CheckState::kReady) ready.push_back(write.check->workload);
  }
  CHECK(ready == std::vector<std::string>{"w-old"});
}

TEST_CASE("Checks: beside other pairs one that cannot be read is answered, too") {
  PlannerOptions options = PlannerWorld::Options();
  options.nodes.labels = {{"pool", SelectorOperator::kIn, {"a"}}};
  ChecksWorld world(std::move(options));
  for (NodeFacts node : MakeNodes(1, 2, 2)) {
    SetLabel(node.labels, "pool", "a");
    world.Put(node);
  }
  JobFacts facts = world.Checked(Pair(), CheckIs::kWaits);
  facts.pods[0].fault = "it could not be read: 503";
  facts.pods[0].scheduler_name.clear();
  world.See(facts);
  world.Pass(absl::Seconds(1));
  const auto writes = world.Take<JobWrite>();
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].check->state == CheckState::kPending);
}

}  // namespace gangplan::checks_attack_test
