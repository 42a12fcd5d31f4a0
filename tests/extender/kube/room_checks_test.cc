#include "extender/kube/room_checks.h"

#include <string>
#include <vector>

#include "fmt/format.h"
#include "tests/support/catch.h"

namespace gangplan::room_checks_test {
namespace {

using CheckIs = RoomCheck::State;

struct Bench {
  static std::vector<JobFacts> JobsOf(std::vector<ClusterEvent> told) {
    std::vector<JobFacts> jobs;
    for (ClusterEvent& one : told) jobs.push_back(std::get<JobFacts>(std::move(one)));
    return jobs;
  }
  std::vector<JobFacts> Take(ClusterEvent event) {
    std::vector<ClusterEvent> events;
    events.push_back(std::move(event));
    return JobsOf(checks.Take(std::move(events)));
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
  job.suspended = true;
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
  CHECK(
      *job.check ==
      RoomCheck{CheckIs::kWaits, "w", "u-w", {"room"}, "said", {{"main", {"fast"}, {}}}, "", 100});
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
  const std::vector<Toleration> tolerations = {Toleration{"pool", true, "", {}}};
  workload.checks[1].updates = {{"main", {{"zone", "a"}}, tolerations},
                                {"else", {{"zone", "b"}}, {Toleration{"other", true, "", {}}}}};
  const JobFacts job = bench.TakeOne(workload);
  CHECK(job.check->pod_sets[0].tolerations == tolerations);
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
  const std::vector<JobFacts> left = bench.Take(orphan);
  REQUIRE(left.size() == 2);
  CHECK(left[0].owner.ref.uid == "u-train");
  CHECK(left[0].check->state == CheckIs::kNone);
  CHECK(left[1].owner.ref.uid == "u-w");
  CHECK(bench.Take(Workload()).size() == 2);
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

TEST_CASE("RoomChecks: of two Workloads of one owner the last one speaks, and the other one then") {
  Bench bench;
  bench.owner = Job();
  bench.Take(Ours());
  bench.TakeOne(Workload(CheckState::kReady));
  WorkloadFacts more = Workload(CheckState::kReady);
  more.name = "w2";
  more.uid = "u-w2";
  bench.TakeOne(more);
  // The old one is seen once more before it is finished.
  bench.TakeOne(Workload(CheckState::kReady));
  const JobFacts left = bench.TakeOne(WorkloadGone{"team/w"});
  CHECK(left.check->workload == "w2");
  CHECK(left.check->state == CheckIs::kReady);
  CHECK(bench.TakeOne(WorkloadGone{"team/w2"}).check->state == CheckIs::kNone);
}

TEST_CASE("RoomChecks: what an elastic Job gets beside what runs is planned with its pods") {
  Bench bench;
  bench.owner = Job();
  bench.Take(Ours());
  bench.TakeOne(Workload(CheckState::kReady));
  bench.owner->suspended = false;
  WorkloadFacts more = Workload();
  more.name = "w2";
  more.uid = "u-w2";
  more.pod_sets[0].count = 6;
  const JobFacts slice = bench.TakeOne(more);
  CHECK(slice.owner.ref.kind == "Workload");
  CHECK(slice.owner.ref.uid == "u-w2");
  CHECK(slice.pods.empty());
  CHECK(slice.check->state == CheckIs::kWaits);
  CHECK(slice.check->unplanned ==
        "Job train runs already, and what it gets beside that is planned when it is there");
  // When it is Ready it speaks for the Job.
  more.checks[0].state = CheckState::kReady;
  const std::vector<JobFacts> ready = bench.Take(more);
  REQUIRE(ready.size() == 2);
  CHECK(ready[0].owner.ref.uid == "u-w2");
  CHECK(ready[0].check->state == CheckIs::kNone);
  CHECK(ready[1].owner.ref.uid == "u-train");
  CHECK(ready[1].check->workload == "w2");
  CHECK(bench.Take(WorkloadGone{"team/w"}).empty());
}

// Its queue has got another check since: nothing of it waits.
TEST_CASE("RoomChecks: what was admitted runs already, whatever check comes to it") {
  Bench bench;
  bench.owner = Job();
  bench.Take(Ours());
  AdmissionCheckFacts more = Ours();
  more.name = "room-b";
  bench.Take(more);
  bench.TakeOne(Workload(CheckState::kReady));
  WorkloadFacts again = Workload(CheckState::kReady);
  again.admitted = true;
  again.checks.push_back({"room-b", CheckState::kPending, "to come"});
  const std::vector<JobFacts> told = bench.Take(again);
  REQUIRE(told.size() == 2);
  CHECK(told[0].owner.ref.uid == "u-train");
  CHECK(told[0].check->state == CheckIs::kNone);
  const RoomCheck& check = *told[1].check;
  CHECK(check.state == CheckIs::kWaits);
  CHECK(check.unplanned ==
        "Job train runs already, and what it gets beside that is planned when it is there");
  CHECK(check.names == std::vector<std::string>{"room-b"});
  CHECK(check.message == "to come");
  CHECK(check.standing == std::vector<WorkloadFacts::Check>{again.checks[0]});
}

TEST_CASE("RoomChecks: a JobSet that runs is read at each news, since it may have begun anew") {
  Bench bench;
  bench.owner = Job();
  bench.owner->owner.ref = {"jobset.x-k8s.io/v1alpha2", "JobSet", "train", "u-train"};
  bench.Take(Ours());
  WorkloadFacts workload = Workload(CheckState::kReady);
  workload.owner = bench.owner->owner.ref;
  bench.Take(workload);
  bench.Take(workload);
  CHECK(bench.reads == 1);
  workload.admitted = true;
  bench.owner->begun = true;
  const JobFacts begun = *bench.owner;
  CHECK(bench.TakeOne(workload).begun);
  CHECK(bench.reads == 2);
  // What was read stands until it can be read.
  bench.owner = absl::UnavailableError("503");
  const JobFacts stands = bench.TakeOne(workload);
  CHECK(stands.owner.ref.uid == "u-train");
  CHECK(stands.begun);
  bench.owner = begun;
  CHECK(Bench::JobsOf(bench.checks.ReadAgain()).size() == 1);
  CHECK(bench.checks.ReadAgain().empty());
  bench.owner = absl::NotFoundError("gone");
  CHECK(bench.TakeOne(workload).check->state == CheckIs::kNone);
}

TEST_CASE("RoomChecks: an owner that cannot be read is told with the reason, and read again") {
  Bench bench;
  bench.owner = absl::PermissionDeniedError("reading a Job: 403");
  bench.Take(Ours());
  const JobFacts job = bench.TakeOne(Workload());
  CHECK(job.owner.ref.uid == "u-w");  // whose UID it names is not known to be true
  REQUIRE(job.pods.size() == 1);
  CHECK(job.pods[0].fault == "Job train could not be read: reading a Job: 403");
  CHECK(Bench::JobsOf(bench.checks.ReadAgain()).size() == 1);
  bench.owner = Job();
  CHECK_FALSE(bench.TakeOne(Workload()).pods[0].fault.empty());
  CHECK(bench.reads == 2);
  const std::vector<JobFacts> read = Bench::JobsOf(bench.checks.ReadAgain());
  REQUIRE(read.size() == 2);
  CHECK(read[0].owner.ref.uid == "u-w");
  CHECK(read[0].check->state == CheckIs::kNone);
  CHECK(read[1].owner.ref.uid == "u-train");
  CHECK(read[1].pods[0].fault.empty());
  CHECK(bench.checks.ReadAgain().empty());
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
  CHECK(job.owner.left == 4);
  bench.owner->owner.pod_sets = {{"leader", 1, 1, {}, {}, 0, {}}};
  workload.quota_since = 200;
  CHECK(bench.TakeOne(workload).pods[0].fault ==
        "its pod sets are not those that Workload w has quota for");
  bench.owner->begun = true;  // what has ended of it has none
  workload.quota_since = 300;
  CHECK(bench.TakeOne(workload).pods[0].fault.empty());
}

TEST_CASE("RoomChecks: an owner of another kind is not read, and its Workload told in its place") {
  Bench bench;
  bench.Take(Ours());
  WorkloadFacts workload = Workload();
  std::string kind = "RayJob (ray.io/v1)";
  SECTION("another kind") { workload.owner = {"ray.io/v1", "RayJob", "train", "u-train"}; }
  SECTION("one of that name in another group") {
    workload.owner->api_version = "batch.volcano.sh/v1alpha1";
    kind = "Job (batch.volcano.sh/v1alpha1)";
  }
  const JobFacts job = bench.TakeOne(workload);
  CHECK(job.pods.empty());
  CHECK(job.owner.ref == OwnerRef{"kueue.x-k8s.io/v1beta2", "Workload", "w", "u-w"});
  CHECK(job.check->unplanned ==
        fmt::format("of a {} nothing is planned before its pods are there", kind));
  CHECK(bench.reads == 0);
}

TEST_CASE("RoomChecks: nobody speaks for an owner in another namespace by naming its UID") {
  Bench bench;
  bench.owner = Job();
  bench.Take(Ours());
  bench.TakeOne(Workload());
  WorkloadFacts forged = Workload();
  forged.ns = "thieves";
  SECTION("as a kind that is not read") { forged.owner->kind = "Loot"; }
  SECTION("as one that cannot be read") { bench.owner = absl::UnavailableError("503"); }
  CHECK(bench.TakeOne(forged).owner.ref.uid == "u-w");
  for (const JobFacts& job : bench.Take(WorkloadGone{"thieves/w"}))
    CHECK(job.owner.ref.uid == "u-w");
}

TEST_CASE("RoomChecks: a Workload that has no owner yet is told so") {
  Bench bench;
  bench.Take(Ours());
  WorkloadFacts workload = Workload();
  workload.owner.reset();
  const JobFacts alone = bench.TakeOne(workload);
  CHECK(alone.owner.ref.kind == "Workload");
  REQUIRE(alone.pods.size() == 1);
  CHECK(alone.pods[0].fault == "it has no owner yet, whose pods it is about");
  bench.owner = Job();
  const std::vector<JobFacts> owned = bench.Take(Workload());
  REQUIRE(owned.size() == 2);
  CHECK(owned[1].owner.ref.uid == "u-train");
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
}  // namespace gangplan::room_checks_test
