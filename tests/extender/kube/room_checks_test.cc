#include "extender/kube/room_checks.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace gangplan {
namespace {

using CheckIs = RoomCheck::State;

struct Bench {
  std::vector<JobFacts> Take(ClusterEvent event) {
    std::vector<ClusterEvent> events;
    events.push_back(std::move(event));
    std::vector<JobFacts> jobs;
    for (ClusterEvent& one : checks.Take(std::move(events)))
      jobs.push_back(std::get<JobFacts>(std::move(one)));
    return jobs;
  }
  // The one owner that it makes.
  JobFacts TakeOne(ClusterEvent event) {
    std::vector<JobFacts> jobs = Take(std::move(event));
    REQUIRE(jobs.size() == 1);
    REQUIRE(jobs[0].check);
    return std::move(jobs[0]);
  }

  int reads = 0;
  absl::StatusOr<JobFacts> owner = absl::NotFoundError("none");
  std::vector<std::string> said;
  RoomChecks checks{[this](const std::string&, const OwnerRef&) {
                      ++reads;
                      return owner;
                    },
                    [this](const AdmissionCheckFacts& check) { said.push_back(check.name); }};
};

AdmissionCheckFacts Ours(std::optional<bool> active = true) {
  AdmissionCheckFacts check;
  check.name = "room";
  check.uid = "u-room";
  check.controller = kRoomController;
  check.active = active;
  return check;
}

JobFacts Job() {
  JobFacts job;
  job.owner.ns = "team";
  job.owner.ref = {"batch/v1", "Job", "train", "u-train"};
  job.owner.size = 4;
  job.pods.emplace_back().name = "train";
  return job;
}

WorkloadFacts Workload(CheckState state = CheckState::kPending) {
  WorkloadFacts workload;
  workload.ns = "team";
  workload.name = "w";
  workload.uid = "u-w";
  workload.resource_version = "1";
  workload.owner = {"batch/v1", "Job", "train", "u-train"};
  workload.quota = true;
  workload.quota_since = 100;
  workload.pod_sets = {{"main", 4, {"fast"}}};
  workload.checks = {{"room", state, "said", {}}};
  return workload;
}

TEST_CASE("RoomChecks: a Workload with quota is told as its owner, once the check is known") {
  Bench bench;
  bench.owner = Job();
  CHECK(bench.Take(Workload()).empty());
  CHECK(bench.reads == 0);
  const JobFacts job = bench.TakeOne(Ours());
  CHECK(bench.said.empty());
  CHECK(job.owner.ref.uid == "u-train");
  CHECK(job.resource_version == "1");
  CHECK(job.suspended);
  CHECK(*job.check ==
        RoomCheck{CheckIs::kWaits, "w", "u-w", {"room"}, "said", {{"main", {"fast"}, {}}}});
  WorkloadFacts next = Workload();
  next.resource_version = "2";
  CHECK(bench.TakeOne(next).resource_version == "2");
  CHECK(bench.reads == 1);  // once for a quota
  next.quota_since = 200;
  bench.TakeOne(next);
  CHECK(bench.reads == 2);
}

TEST_CASE("RoomChecks: other checks come first, and what they add is told") {
  Bench bench;
  bench.owner = Job();
  CHECK(bench.Take(Ours()).empty());
  WorkloadFacts workload = Workload();
  workload.checks.push_back({"other", CheckState::kPending, "", {}});
  CHECK(bench.Take(workload).empty());
  workload.checks[1].state = CheckState::kReady;
  workload.checks[1].updates = {{"main", {{"zone", "a"}}}, {"else", {{"zone", "b"}}}};
  const JobFacts job = bench.TakeOne(workload);
  CHECK(job.check->names == std::vector<std::string>{"room"});
  CHECK(job.check->pod_sets[0].node_selector == LabelSet{{"zone", "a"}});
}

TEST_CASE("RoomChecks: what the check says is told") {
  Bench bench;
  bench.owner = Job();
  bench.Take(Ours());
  WorkloadFacts ready = Workload(CheckState::kReady);
  ready.checks[0].updates = {{"main", {{"rack", "r"}}}};
  const JobFacts job = bench.TakeOne(ready);
  CHECK(job.check->state == CheckIs::kReady);
  CHECK(job.check->pod_sets[0].node_selector == LabelSet{{"rack", "r"}});
  CHECK(bench.TakeOne(Workload(CheckState::kRetry)).check->state == CheckIs::kLost);
  CHECK(bench.TakeOne(Workload(CheckState::kRejected)).check->state == CheckIs::kLost);
}

TEST_CASE("RoomChecks: who has no quota any more, or is gone, is told once") {
  Bench bench;
  bench.owner = Job();
  bench.Take(Ours());
  bench.TakeOne(Workload());
  JobFacts none;
  SECTION("its quota") {
    WorkloadFacts lost = Workload();
    lost.quota = false;
    none = bench.TakeOne(lost);
  }
  SECTION("it is gone") { none = bench.TakeOne(WorkloadGone{"team/w"}); }
  SECTION("our check is gone") { none = bench.TakeOne(AdmissionCheckGone{"room"}); }
  SECTION("its owner is gone") {
    bench.owner = absl::NotFoundError("none");
    WorkloadFacts anew = Workload();
    anew.quota_since = 200;
    none = bench.TakeOne(anew);
  }
  SECTION("its owner has finished") {
    bench.owner->finished = true;
    WorkloadFacts anew = Workload();
    anew.quota_since = 200;
    none = bench.TakeOne(anew);
  }
  CHECK(none.owner.ref.uid == "u-train");
  CHECK(none.check->state == CheckIs::kNone);
  CHECK(bench.Take(WorkloadGone{"team/w"}).empty());
}

TEST_CASE("RoomChecks: an old Workload that goes takes nothing from the new one of its owner") {
  Bench bench;
  bench.owner = Job();
  bench.Take(Ours());
  bench.TakeOne(Workload());
  WorkloadFacts anew = Workload();
  anew.name = "w2";
  anew.uid = "u-w2";
  CHECK(bench.TakeOne(anew).check->workload == "w2");
  CHECK(bench.Take(WorkloadGone{"team/w"}).empty());
  CHECK(bench.TakeOne(WorkloadGone{"team/w2"}).check->state == CheckIs::kNone);
}

TEST_CASE("RoomChecks: a Workload that loses its owner, or gets another one, lets the old one go") {
  Bench bench;
  bench.owner = Job();
  bench.Take(Ours());
  bench.TakeOne(Workload());
  WorkloadFacts orphan = Workload();
  orphan.owner.reset();
  const JobFacts gone = bench.TakeOne(orphan);
  CHECK(gone.owner.ref.uid == "u-train");
  CHECK(gone.check->state == CheckIs::kNone);
  CHECK(bench.Take(orphan).empty());
  bench.TakeOne(Workload());
  WorkloadFacts other = Workload();
  other.owner->uid = "u-other";
  bench.owner->owner.ref.uid = "u-other";
  const std::vector<JobFacts> both = bench.Take(other);
  REQUIRE(both.size() == 2);
  CHECK(both[0].owner.ref.uid == "u-train");
  CHECK(both[0].check->state == CheckIs::kNone);
  CHECK(both[1].owner.ref.uid == "u-other");
  CHECK(both[1].check->state == CheckIs::kWaits);
}

TEST_CASE("RoomChecks: an owner that cannot be read is told with the reason, and read again") {
  Bench bench;
  bench.owner = absl::PermissionDeniedError("reading a Job: 403");
  bench.Take(Ours());
  const JobFacts job = bench.TakeOne(Workload());
  REQUIRE(job.pods.size() == 1);
  CHECK(job.pods[0].fault == "it could not be read: reading a Job: 403");
  bench.owner = Job();
  const JobFacts read = bench.TakeOne(Workload());
  CHECK(read.pods[0].fault.empty());
}

TEST_CASE("RoomChecks: fewer pods of a Job may have quota, and none of other names") {
  Bench bench;
  bench.owner = Job();
  bench.owner->owner.left = 4;
  bench.Take(Ours());
  WorkloadFacts workload = Workload();
  workload.pod_sets[0].count = 3;
  const JobFacts job = bench.TakeOne(workload);
  CHECK(job.owner.size == 3);
  CHECK(job.owner.left == 3);
  bench.owner->owner.pod_sets = {{"leader", 1, 1, {}, {}, 0, {}}};
  workload.quota_since = 200;
  CHECK(bench.TakeOne(workload).pods[0].fault ==
        "its pod sets are not those that Workload w has quota for");
}

TEST_CASE("RoomChecks: an owner of another kind is told without templates, and not read") {
  Bench bench;
  bench.Take(Ours());
  WorkloadFacts workload = Workload();
  workload.owner->kind = "RayJob";
  const JobFacts job = bench.TakeOne(workload);
  CHECK(job.pods.empty());
  CHECK(bench.reads == 0);
}

TEST_CASE("RoomChecks: that a check is ours is said where it is not, and again when asked") {
  Bench bench;
  bench.Take(Ours(std::nullopt));
  CHECK(bench.said == std::vector<std::string>{"room"});
  bench.checks.SayAgain();
  CHECK(bench.said.size() == 2);
  bench.Take(Ours(true));
  bench.checks.SayAgain();
  CHECK(bench.said.size() == 2);
  AdmissionCheckFacts parameters = Ours(true);
  parameters.parameters = true;
  bench.Take(parameters);
  CHECK(bench.said.size() == 3);
  AdmissionCheckFacts other = Ours(std::nullopt);
  other.name = "other";
  other.controller = "somebody/else";
  bench.Take(other);
  CHECK(bench.said.size() == 3);
}

}  // namespace
}  // namespace gangplan
