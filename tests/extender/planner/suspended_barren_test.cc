// Jobs that wait suspended and take room of which they make no use: how often a namespace may.
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::suspended_barren_test {
namespace {

PlannerOptions Quarter() {
  PlannerOptions options = PlannerWorld::Options();
  options.vacant_share = 25;
  return options;
}

// A rack of two is half of the cluster.
struct BarrenWorld : SuspendedWorld {
  BarrenWorld() : SuspendedWorld(Quarter()) {}

  // The next one may have as much of the cluster when the pause is over, and not before.
  void CheckPauses() {
    CHECK(HoldCount() < 2);
    ForgetEffects();
    See(Pair("next"));
    Pass(kBarrenPause - absl::Seconds(1));
    CHECK(Take<JobWrite>().empty());
    CHECK(Report("team/next").reason.find("vacantShare") != std::string::npos);
    Pass(absl::Seconds(2));
    CHECK(Written().job.uid == Pair("next").Uid());
  }
};

}  // namespace

// Its quota is against them, say: the Job controller makes no pod, and nobody is told.
TEST_CASE("Suspended: after a start without a pod its namespace starts less for a while") {
  SuspendedWorld world(Quarter());
  const JobSpec job = Pair("barren");
  world.Start(job);
  world.answer_owners = false;
  const absl::Time started = world.now();
  while (world.HoldCount() > 0 && world.now() < started + absl::Minutes(9)) {
    world.Pass(absl::Seconds(1));
    for (const OwnerRead& read : world.Take<OwnerRead>())
      world.planner().OnOwner(world.now(), OwnerKey(read.ns, read.owner.uid), JobOwner(job));
  }
  CHECK(world.now() - started == PlannerWorld::Options().gather_timeout);
  const JobWrite ends = world.Written();
  CHECK(ends.suspend);
  world.Leave(job);
  world.See(Pair("next"));
  world.Pass(kBarrenPause - absl::Seconds(1));
  CHECK(world.Take<JobWrite>().empty());
  CHECK(world.Report("team/next").reason.find("vacantShare") != std::string::npos);
  world.Pass(absl::Seconds(2));
  CHECK(world.Written().job.uid == Pair("next").Uid());
}

TEST_CASE("Suspended: nor does it help to make one pod, or to take back what was started") {
  BarrenWorld world;
  const JobSpec job = Pair("barren");
  const JobWrite start = world.Start(job);
  const absl::Duration meanwhile = world.Options().gather_timeout - absl::Seconds(10);
  SECTION("one pod of two comes") {
    world.Show(SuspendedWorld::Born(job, 0, start));
    world.Pass(world.Options().gather_timeout);
    CHECK(world.Written().suspend);
    world.Leave(job);
  }
  SECTION("it is deleted") {
    world.answer_owners = false;
    world.Pass(meanwhile);
    CHECK(world.HoldCount() == 2);
    world.Pass(absl::Milliseconds(50));
    CHECK(world.AnswerGone() == 1);
  }
  SECTION("one pod comes, and it is deleted") {
    world.Show(SuspendedWorld::Born(job, 0, start));
    world.Pass(meanwhile);
    world.answer_owners = false;
    world.Delete(JobPod(job, 0));
    world.Pass(kOwnerReadAfter);
    CHECK(world.AnswerGone() == 1);
  }
  SECTION("it is suspended by hand") {
    world.Pass(meanwhile);
    world.See(job);
    CHECK(world.Report("team/barren").reason.find("vacantShare") != std::string::npos);
    world.Leave(job);
  }
  SECTION("it asks for one pod, and runs") {
    world.Pass(meanwhile / 2);
    JobSpec less = job;
    less.size = 1;
    world.Reregister(less);
    world.Pass(kOwnerRecheck);
    REQUIRE(world.HoldCount() == 1);
    world.Show(SuspendedWorld::Born(less, 0, start));
    world.RunBorn(less, start);
  }
  world.CheckPauses();
}

TEST_CASE("Suspended: a Job of which all pods have come may be deleted before they run") {
  BarrenWorld world;
  const JobSpec job = Pair("first");
  world.ShowBorn(job, world.Start(job));
  world.answer_owners = false;
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), absl::NotFoundError("gone"));
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(job, i));
  world.See(Pair("next"));
  CHECK(world.Written().job.uid == Pair("next").Uid());
}

TEST_CASE(
    "Suspended: a Job that cannot be started holds room beyond the share no longer than one") {
  BarrenWorld world;
  const JobSpec job = Pair("barren");
  JobFacts facts = world.Facts(job);
  facts.stopped = false;
  world.See(facts);
  world.Pass(world.Options().gather_timeout - absl::Seconds(1));
  CHECK(world.HoldCount() == 2);
  SECTION("its time is over") { world.Pass(absl::Seconds(1)); }
  SECTION("it is deleted") {}
  world.Leave(job);
  world.CheckPauses();
}

TEST_CASE("Suspended: one that is started by another instance was not barren") {
  BarrenWorld world;
  world.planner().SetActive(world.now(), false);
  JobFacts facts = world.Facts(Pair("first"));
  facts.stopped = false;
  world.See(facts);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.HoldCount() == 2);
  world.Leave(Pair("first"));
  world.planner().SetActive(world.now(), true);
  world.See(Pair("next"));
  CHECK(world.Written().job.uid == Pair("next").Uid());
}

// It is another group each time.
TEST_CASE(
    "Suspended: nobody else goes for one for which others have gone, and that may not start") {
  SuspendedWorld world(Suspending());
  const auto run = [&](std::string_view name, int rack, int node, int32_t priority) {
    PodFacts pod = ForeignPod(fmt::format("{}-{}", name, node), 8, priority);
    pod.node_name = NodeNameAt(0, rack, node);
    world.ShowBound(pod, pod.node_name);
    return pod;
  };
  for (int node = 0; node < 2; ++node) run("stays", 1, node, 1'000);
  const PodFacts lower[] = {run("lower", 0, 0, 0), run("lower", 0, 1, 0)};
  JobSpec high = Pair("high");
  high.priority = 100;
  world.Register(high);
  world.See(high);
  size_t evicted = 0;
  for (int i = 0; i < 10; ++i) {
    for (const PodDelete& one : world.Take<PodDelete>()) {
      evicted += static_cast<size_t>(one.how == PodDelete::How::kEvict);
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
    }
    world.Pass(absl::Milliseconds(50));
  }
  REQUIRE(evicted == 2);
  for (const PodFacts& pod : lower) world.ShowTerminating(pod);
  for (const PodFacts& pod : lower) world.Delete(pod);
  world.Pass(absl::Milliseconds(50));
  const JobWrite start = world.Written();
  REQUIRE_FALSE(start.suspend);
  world.Tell(start, absl::PermissionDeniedError("jobs is forbidden"));
  for (int node = 0; node < 2; ++node) run("next", 0, node, 0);
  size_t asked = 0;
  for (int i = 0; i < 28; ++i) {
    world.Pass(absl::Seconds(10));
    asked += world.Take<PodDelete>().size();
  }
  CHECK(asked == 0);
  for (int i = 0; i < 6; ++i) world.Pass(absl::Seconds(10));
  CHECK_FALSE(world.Take<PodDelete>().empty());
}

}  // namespace gangplan::suspended_barren_test
