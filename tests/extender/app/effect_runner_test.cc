#include "extender/app/effect_runner.h"

#include "config/settings.h"
#include "extender/app/limits.h"
#include "extender/app/planner_options.h"
#include "metric_value.h"
#include "standard_error.h"
#include "stub_cluster.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/support/catch.h"

namespace gangplan::effect_runner_test {
namespace {

// Counts what wakes pods; nominations are answered when the test says so.
class WakingCluster : public StubCluster {
 public:
  void Nominate(Nomination, std::function<void(absl::Status)> done) override {
    ++nominations;
    open_.push_back(std::move(done));
  }
  void Wake(PodRef, std::function<void(absl::Status)> done) override {
    ++wakes;
    done(absl::OkStatus());
  }
  void AnswerAll(const absl::Status& status) {
    for (const auto& done : std::exchange(open_, {})) done(status);
  }
  int nominations = 0;
  int wakes = 0;

 private:
  std::vector<std::function<void(absl::Status)>> open_;
};

template <typename Kind>
struct WorldOf {
  Metrics metrics;
  FakeClock clock;
  Kind cluster;
  HeldCalls calls{8};
  LockedPlanner planner{PlannerOptionsFrom(Settings(), metrics, clock), metrics, [](Effects) {},
                        [] {}};
  OwnerReads owner_reads;
  EffectRunner runner{cluster,
                      planner,
                      calls,
                      owner_reads,
                      metrics,
                      clock,
                      [] { return std::vector<CallId>(); },
                      WakeBy::kNominate};

  static Effects OneNomination(const std::string& ns = "ns") {
    Effects effects;
    effects.emplace_back(Nomination{{ns, "p", "u"}, "n"});
    return effects;
  }
  void Nominate(const absl::Status& answer = absl::OkStatus(), const std::string& ns = "ns") {
    runner.Run(OneNomination(ns));
    cluster.AnswerAll(answer);
  }
  std::pair<int, int> Counts() const { return {cluster.nominations, cluster.wakes}; }
};

using World = WorldOf<WakingCluster>;
using Counts = std::pair<int, int>;

TEST_CASE("Effects: where nominations do not work they pause, and are tried again") {
  for (const absl::Status& never :
       {absl::PermissionDeniedError("403 no"), absl::UnimplementedError("too old")}) {
    World world;
    world.Nominate();
    CHECK(world.Counts() == Counts(1, 0));
    world.Nominate(never);
    CHECK(world.Counts() == Counts(2, 1));
    world.clock.Advance(kNominationPause - absl::Nanoseconds(1));
    world.Nominate();
    CHECK(world.Counts() == Counts(2, 2));
    world.clock.Advance(absl::Nanoseconds(1));
    world.Nominate();
    CHECK(world.Counts() == Counts(3, 2));
    world.Nominate();
    CHECK(world.Counts() == Counts(4, 2));
  }
}

TEST_CASE("Effects: nominations that one namespace denies pause there alone, old ones everywhere") {
  const bool denied = GENERATE(true, false);
  World world;
  world.Nominate(denied ? absl::PermissionDeniedError("403 no") : absl::UnimplementedError("old"),
                 "a");
  CHECK(world.Counts() == Counts(1, 1));
  world.Nominate(absl::OkStatus(), "b");
  CHECK(world.Counts() == (denied ? Counts(2, 1) : Counts(1, 2)));
  world.Nominate(absl::OkStatus(), "a");
  CHECK(world.Counts() == (denied ? Counts(2, 2) : Counts(1, 3)));
  world.clock.Advance(kNominationPause);
  world.Nominate(absl::PermissionDeniedError("403 no"), "b");
  world.Nominate(absl::OkStatus(), "a");
  CHECK(world.Counts() == (denied ? Counts(4, 3) : Counts(3, 4)));
}

TEST_CASE("Effects: a nomination that fails otherwise wakes its pod, and the next is tried") {
  World world;
  world.Nominate(absl::UnavailableError("503"));
  CHECK(world.Counts() == Counts(1, 1));
  world.Nominate(absl::NotFoundError("gone"));
  CHECK(world.Counts() == Counts(2, 1));
}

// Keeps what is to be written of Jobs; the writes are answered when the test says so.
class JobCluster : public WakingCluster {
 public:
  void WriteJob(JobWrite write, std::function<void(absl::Status)> done) override {
    writes.push_back(std::move(write));
    answers.push_back(std::move(done));
  }
  std::vector<JobWrite> writes;
  std::vector<std::function<void(absl::Status)>> answers;
};

Effects OneStart() {
  JobWrite write;
  write.ns = "ns";
  write.job = {"batch/v1", "Job", "j", "u1"};
  write.resource_version = "v7";
  Effects effects;
  effects.emplace_back(std::move(write));
  return effects;
}

TEST_CASE("Effects: a Job is written as the planner says, and it hears what became of it") {
  constexpr std::string_view kTurns = "gangplan_lock_seconds_count{call=\"settle\"}";
  WorldOf<JobCluster> world;
  StandardError log;
  world.runner.Run(OneStart());
  REQUIRE(world.cluster.writes.size() == 1);
  CHECK(world.cluster.writes[0].ns == "ns");
  CHECK(world.cluster.writes[0].job.uid == "u1");
  CHECK(world.cluster.writes[0].resource_version == "v7");
  CHECK(MetricValue(world.metrics, kTurns) == 0);
  world.cluster.answers[0](absl::OkStatus());
  CHECK(MetricValue(world.metrics, kTurns) == 1);
  world.cluster.answers[0](absl::AbortedError("of another version"));
  world.cluster.answers[0](absl::NotFoundError("gone"));
  CHECK(MetricValue(world.metrics, kTurns) == 3);
  CHECK(CountIn(log.Take(), "a Job not written") == 0);
}

TEST_CASE("Effects: a Job that may not be written is logged, once a minute") {
  WorldOf<JobCluster> world;
  StandardError log;
  for (int i = 0; i < 2; ++i) world.runner.Run(OneStart());
  for (const auto& answer : world.cluster.answers) answer(absl::PermissionDeniedError("403 no"));
  const std::string said = log.Take();
  CHECK(CountIn(said, "a Job not written") == 1);
  CHECK(CountIn(said, "ns/j") == 1);
  CHECK(CountIn(said, "403 no") == 1);
}

TEST_CASE("Effects: that nominations pause is logged once a pause, however many fail") {
  World world;
  const absl::Status never = absl::PermissionDeniedError("403 no");
  StandardError log;
  for (int pause = 1; pause <= 2; ++pause) {
    for (int i = 0; i < 3; ++i) world.runner.Run(world.OneNomination());
    world.cluster.AnswerAll(never);
    CHECK(CountIn(log.Take(), "nominations do not work here") == 1);
    CHECK(world.Counts() == Counts(3 * pause, 3 * pause));
    world.clock.Advance(kNominationPause);
  }
}

// What is written of pods that wait is answered when the test says so.
class GatesCluster : public StubCluster {
 public:
  void ReleasePod(PodRelease release, std::function<void(absl::Status)> done) override {
    releases.push_back(std::move(release));
    answers.push_back(std::move(done));
  }
  void DeletePod(PodDelete pod, std::function<void(absl::Status)> done) override {
    deletes.push_back(std::move(pod));
    answers.push_back(std::move(done));
  }
  std::vector<PodRelease> releases;
  std::vector<PodDelete> deletes;
  std::vector<std::function<void(absl::Status)>> answers;
};

TEST_CASE("Effects: a pod is released and deleted as the planner says, and a refusal is logged") {
  WorldOf<GatesCluster> world;
  Effects effects;
  effects.emplace_back(PodRelease{.pod = {"ns", "p", "u1"}, .kueue = true, .attempt = 7});
  effects.emplace_back(PodDelete{.pod = {"ns", "q", "u2"}, .attempt = 8});
  world.runner.Run(std::move(effects));
  REQUIRE(world.cluster.releases.size() == 1);
  CHECK(world.cluster.releases[0].pod.uid == "u1");
  CHECK(world.cluster.releases[0].kueue);
  REQUIRE(world.cluster.deletes.size() == 1);
  CHECK(world.cluster.deletes[0].pod.uid == "u2");
  StandardError log;
  world.cluster.answers[0](absl::NotFoundError("gone"));
  CHECK(CountIn(log.Take(), "ns/p") == 0);
  world.cluster.answers[1](absl::PermissionDeniedError("403 no"));
  const std::string said = log.Take();
  CHECK(CountIn(said, "a pod not deleted") == 1);
  CHECK(CountIn(said, "ns/q") == 1);
}

}  // namespace
}  // namespace gangplan::effect_runner_test
