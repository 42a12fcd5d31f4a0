// When the status of a PodGroup is due, and what it counts.
#include "extender/planner/pod_group_pods.h"

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/several_world.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::pod_group_pods_test {
namespace {

struct Bench {
  void Show(std::string_view name, PodPhase phase = PodPhase::kPending, bool ours = true,
            std::string_view group = "ring", std::string_view maker = "") {
    PodFacts pod = ForeignPod(name, 1);
    SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", group);
    pod.phase = phase;
    pod.scheduler_name = ours ? "gangplan" : "other";
    if (!maker.empty())
      pod.controller = OwnerRef{"batch/v1", "Job", std::string(maker), std::string(maker)};
    groups.OnPod(now, pod);
  }
  // After so long; nothing: none is due.
  std::vector<PodGroupWrite> Due(absl::Duration after = kResultsAfter) {
    now += after;
    return groups.TakeDue(now);
  }
  void Delete(std::string_view name) { groups.OnPodDeleted(now, ForeignPod(name, 1).uid); }
  void Written(const absl::Status& status) { groups.OnWritten(now, "team", "ring", status); }

  absl::Time now = absl::FromUnixSeconds(1'000'000);
  PodGroupPods groups{{"second", "gangplan"}};
};

}  // namespace

TEST_CASE("PodGroup status: its pods are counted by phase, and told a while later and once") {
  Bench bench;
  bench.Show("a", PodPhase::kRunning);
  bench.Show("b", PodPhase::kSucceeded);
  bench.Show("c", PodPhase::kFailed);
  bench.Show("other", PodPhase::kRunning, false);
  CHECK(bench.Due(kResultsAfter - absl::Nanoseconds(1)).empty());
  const auto due = bench.Due(absl::Nanoseconds(1));
  REQUIRE(due.size() == 1);
  CHECK(due[0].ns == "team");
  CHECK(due[0].name == "ring");
  CHECK(due[0].counts == PodGroupCounts{4, 2, 1, 1, ""});
  bench.Written(absl::OkStatus());
  CHECK(bench.Due(absl::Hours(1)).empty());
  bench.Show("a", PodPhase::kRunning);
  CHECK(bench.Due(absl::Hours(1)).empty());
  bench.Show("a", PodPhase::kSucceeded);
  CHECK(bench.Due().at(0).counts == PodGroupCounts{4, 1, 2, 1, ""});
}

TEST_CASE("PodGroup status: none of whose pods names us is nobody's business") {
  Bench bench;
  bench.Show("a", PodPhase::kRunning, false);
  CHECK(bench.Due().empty());
  bench.Show("b", PodPhase::kPending, true);
  CHECK(bench.Due().at(0).counts.pods == 2);
}

TEST_CASE("PodGroup status: one write at a time, with what has changed meanwhile after it") {
  Bench bench;
  bench.Show("a");
  REQUIRE(bench.Due().size() == 1);
  bench.Show("b");
  CHECK(bench.Due(absl::Hours(1)).empty());
  bench.Written(absl::OkStatus());
  CHECK(bench.Due().at(0).counts.pods == 2);
}

TEST_CASE("PodGroup status: pauses grow while it cannot be written, and end with a success") {
  Bench bench;
  bench.Show("a");
  REQUIRE(bench.Due().size() == 1);
  bench.Written(absl::UnavailableError("no"));
  CHECK(bench.Due(kResultsAfter).empty());
  REQUIRE(bench.Due(kResultsAfter).size() == 1);
  bench.Written(absl::UnavailableError("no"));
  CHECK(bench.Due(3 * kResultsAfter).empty());
  REQUIRE(bench.Due(kResultsAfter).size() == 1);
  bench.Written(absl::OkStatus());
  bench.Show("b");
  CHECK(bench.Due().size() == 1);
  for (int i = 0; i < 40; ++i) {
    bench.Written(absl::UnavailableError("no"));
    CHECK(bench.Due(kMaxResultsAfter).size() == 1);
  }
}

TEST_CASE("PodGroup status: what somebody else writes, or is not there, is looked at with news") {
  for (const absl::Status& status : {absl::AbortedError("his"), absl::NotFoundError("gone")}) {
    Bench bench;
    bench.Show("a");
    REQUIRE(bench.Due().size() == 1);
    bench.Written(status);
    CHECK(bench.Due(absl::Hours(1)).empty());
    bench.Show("b");
    CHECK(bench.Due(kResultsAfter).empty());
    CHECK(bench.Due(kResultsAfter).size() == 1);
  }
}

TEST_CASE("PodGroup status: the last pod that goes is told, and a pod may change its group") {
  Bench bench;
  bench.Show("a");
  bench.Show("b");
  REQUIRE(bench.Due().size() == 1);
  bench.Written(absl::OkStatus());
  bench.Show("b", PodPhase::kPending, true, "other");
  const auto moved = bench.Due();
  REQUIRE(moved.size() == 2);
  CHECK(moved[0].counts.pods == 1);
  CHECK(moved[1].counts.pods == 1);
  bench.Written(absl::OkStatus());
  bench.Delete("a");
  bench.Delete("a");
  bench.Delete("stranger");
  CHECK(bench.Due().at(0).counts.pods == 0);
  for (int tries = 1; tries < kLastStatusTries; ++tries) {
    bench.Written(absl::UnavailableError("no"));
    CHECK(bench.Due(kMaxResultsAfter).size() == 1);
  }
  bench.Written(absl::UnavailableError("no"));
  CHECK(bench.Due(absl::Hours(1)).empty());
}

TEST_CASE("PodGroup status: one that comes after its pods, or comes again, is told of them") {
  Bench bench;
  bench.Show("a", PodPhase::kRunning);
  REQUIRE(bench.Due().size() == 1);
  bench.Written(absl::NotFoundError("not yet"));
  CHECK(bench.Due(absl::Hours(1)).empty());
  OwnerFacts object;
  object.size = 1;
  bench.groups.OnObject(bench.now, "PodGroup team/other", object);
  bench.groups.OnObject(bench.now, "PodGroupteam/ring", object);
  CHECK(bench.Due(absl::Hours(1)).empty());
  bench.groups.OnObject(bench.now, "PodGroup team/ring", object);
  CHECK(bench.Due().size() == 1);
  bench.Written(absl::OkStatus());
  bench.groups.OnObject(bench.now, "PodGroup team/ring", object);
  CHECK(bench.Due(absl::Hours(1)).empty());
  object.size = 2;
  bench.groups.OnObject(bench.now, "PodGroup team/ring", object);
  CHECK(bench.Due().size() == 1);
}

TEST_CASE("PodGroup status: so many at once") {
  Bench bench;
  for (size_t i = 0; i <= kStatusesAtOnce; ++i) {
    const std::string name = fmt::format("p{}", i);
    bench.Show(name, PodPhase::kPending, true, name);
  }
  CHECK(bench.Due().size() == kStatusesAtOnce);
  CHECK(bench.Due(absl::ZeroDuration()).size() == 1);
}

TEST_CASE("PodGroup status: it is occupied by whoever makes its pods") {
  Bench bench;
  PodFacts pod = ForeignPod("a", 1);
  SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "ring");
  pod.controller = OwnerRef{"apps/v1", "StatefulSet", "web", "uid-of-web"};
  bench.groups.OnPod(bench.now, pod);
  CHECK(bench.Due().at(0).counts.occupied_by == "team/web");
}

TEST_CASE("PodGroup status: the last count is told though the server was away for a moment") {
  Bench bench;
  bench.Show("a", PodPhase::kRunning);
  REQUIRE(bench.Due().size() == 1);
  bench.Written(absl::OkStatus());
  bench.Delete("a");
  REQUIRE(bench.Due().at(0).counts.pods == 0);
  bench.Written(absl::UnavailableError("restarting"));
  const auto again = bench.Due(kMaxResultsAfter);
  REQUIRE(again.size() == 1);
  CHECK(again[0].counts.pods == 0);
}

TEST_CASE("PodGroup status: who may not write tries again with the next change") {
  Bench bench;
  bench.Show("a", PodPhase::kRunning);
  REQUIRE(bench.Due().size() == 1);
  bench.Written(absl::PermissionDeniedError("no"));
  CHECK(bench.Due(absl::Hours(1)).empty());
}

TEST_CASE("PodGroup status: who cannot write at all is not asked again and again") {
  Bench bench;
  bench.Show("a", PodPhase::kRunning);
  REQUIRE(bench.Due().size() == 1);
  bench.Written(absl::UnimplementedError("no PodGroup of a saved cluster has its status written"));
  CHECK(bench.Due(absl::Hours(1)).empty());
}

TEST_CASE("PodGroup status: the next Job of the name occupies it") {
  Bench bench;
  bench.Show("a", PodPhase::kRunning, true, "ring", "first");
  REQUIRE(bench.Due().at(0).counts.occupied_by == "team/first");
  bench.Written(absl::OkStatus());
  bench.Show("b", PodPhase::kRunning, true, "ring", "second");
  bench.Delete("a");
  CHECK(bench.Due().at(0).counts.occupied_by == "team/second");
}

TEST_CASE("PodGroup status: minMember is lowered while its pods run") {
  RacksWorld world(4);
  world.Register(AtLeast(2));
  world.Run(Ring(0, 2));
  world.Pass(absl::Seconds(2));
  world.Take<PodGroupWrite>();
  world.planner().OnPodGroupWritten(world.now(), "team", "ring", absl::OkStatus());
  world.Say(AtLeast(1));
  world.Pass(absl::Minutes(10));
  CHECK(world.Take<PodGroupWrite>().size() == 1);  // its phase hangs on that
}

}  // namespace gangplan::pod_group_pods_test
