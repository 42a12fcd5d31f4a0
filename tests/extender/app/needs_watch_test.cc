#include "extender/app/needs_watch.h"

#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "told_cluster.h"
#include "topology/base/check.h"

namespace gangplan::needs_watch_test {
namespace {

// One node of eight devices, on which gangs of whole nodes wait.
struct World {
  World() {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      GANGPLAN_CHECK(inner.OnNode(clock.Now(), MakeNode(0, 0, 0)).ok());
      inner.SetActive(clock.Now(), true);
      inner.OnSynced(clock.Now());
    });
  }
  void Come(const JobSpec& job) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      for (int i = 0; i < job.size; ++i) {
        PodFacts pod = JobPod(job, i);
        pod.created = absl::ToUnixSeconds(clock.Now());
        inner.OnPod(clock.Now(), pod);
      }
      inner.OnOwner(clock.Now(), OwnerKey("team", job.Uid()), JobOwner(job));
      inner.Tick(clock.Now());
    });
  }
  void Go(const JobSpec& job) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      for (int i = 0; i < job.size; ++i) inner.OnPodDeleted(clock.Now(), JobPod(job, i).uid);
    });
  }
  // Of what the next look tells that tells something, or finds nobody to ask about.
  std::string Told() {
    cluster.told.clear();
    for (int i = 0; i < 1'000 && cluster.told.empty(); ++i) watch.Look();
    if (cluster.told.empty()) return "";
    const EventNote& told = cluster.told.front();
    return fmt::format("{} {} {}: {}", told.reason, told.ns, told.regarding.name, told.note);
  }

  Metrics metrics;
  FakeClock clock;
  ToldCluster cluster;
  LockedPlanner planner{PlannerWorld::Options(), metrics, [](Effects) {}, [] {}};
  Advisor advisor{planner, clock};
  NeedsWatch watch{planner, advisor, cluster, clock};
};

const JobSpec kThree{.name = "three", .size = 3, .gpus = 8, .place = "block=pack!"};
const JobSpec kTwo{.name = "two", .size = 2, .gpus = 8, .place = "block=pack!", .priority = 9};

TEST_CASE("Needs watch: who has waited for a while is told which nodes would start it") {
  World world;
  world.Come(kThree);
  CHECK(world.Told().empty());
  world.clock.Advance(NeedsWatch::kWaitsFrom - absl::Seconds(1));
  CHECK(world.Told().empty());
  world.clock.Advance(absl::Seconds(1));
  CHECK(world.Told() ==
        "GangNeedsNodes team three: 2 more nodes like b0-r0-n0 in b0 would start it now");
}

TEST_CASE("Needs watch: the greatest priority is told first and each gang once an hour") {
  World world;
  world.Come(kThree);
  world.Come(kTwo);
  world.clock.Advance(NeedsWatch::kWaitsFrom);
  CHECK(world.Told().find(" two: 1 more node like") != std::string::npos);
  CHECK(world.Told().find(" three: 2 more nodes like") != std::string::npos);
  world.clock.Advance(NeedsWatch::kTellEach - absl::Seconds(1));
  CHECK(world.Told().empty());
  world.clock.Advance(absl::Seconds(1));
  CHECK(world.Told().find(" two: ") != std::string::npos);
}

TEST_CASE("Needs watch: who has gone is forgotten and who comes under its name is told anew") {
  World world;
  world.Come(kTwo);
  world.clock.Advance(NeedsWatch::kWaitsFrom);
  CHECK_FALSE(world.Told().empty());
  world.Go(kTwo);
  CHECK(world.Told().empty());
  JobSpec again = kTwo;
  again.uid = "another";
  world.Come(again);
  world.clock.Advance(NeedsWatch::kWaitsFrom);
  CHECK_FALSE(world.Told().empty());
}

TEST_CASE("Needs watch: who could not be asked about is looked at again soon, behind all others") {
  World world;
  JobSpec held = kTwo;
  SetWord(held.words, "gangplan.io/hold", "later");
  world.Come(held);
  world.Come(kThree);
  world.clock.Advance(NeedsWatch::kWaitsFrom);
  CHECK(world.Told().find(" three: ") != std::string::npos);
  CHECK(world.Told().empty());
  world.Come(kTwo);  // it is let go
  JobSpec lesser = kTwo;
  lesser.name = "lesser";
  lesser.priority = -1;
  world.Come(lesser);
  world.clock.Advance(NeedsWatch::kWaitsFrom - absl::Seconds(1));
  CHECK(world.Told().empty());
  world.clock.Advance(absl::Seconds(1));
  CHECK(world.Told().find(" lesser: ") != std::string::npos);
  CHECK(world.Told().find(" two: ") != std::string::npos);
  CHECK(world.Told().empty());
}

TEST_CASE("Needs watch: of two instances the one that acts tells it") {
  World world;
  world.Come(kTwo);
  world.clock.Advance(NeedsWatch::kWaitsFrom);
  world.cluster.acts = false;
  CHECK(world.Told().empty());
  world.cluster.acts = true;
  CHECK_FALSE(world.Told().empty());
}

}  // namespace
}  // namespace gangplan::needs_watch_test
