#include "extender/planner/vacant_room.h"

#include "tests/extender/planner/one_group.h"
#include "tests/support/catch.h"

namespace gangplan::vacant_room_test {
namespace {

// A cluster of 8 GPUs: each member of a Job takes a quarter of it.
struct Cluster {
  Cluster() { REQUIRE(ledger.PutNode(MakeNode(0, 0, 0, 8)).ok()); }
  Ledger ledger{std::vector<ScopedTopology>{{ThreeLevels()}}};
};

JobSpec Job(std::string name) {
  JobSpec job;
  job.name = std::move(name);
  job.size = 3;
  job.gpus = 2;
  return job;
}

void HoldAll(Group& group) {
  group.MakeSlots();
  for (int32_t slot = 0; slot < group.size(); ++slot) group.SetHeld(slot, 0);
}

}  // namespace

TEST_CASE("VacantRoom: missing members may take so much of the cluster") {
  const Cluster cluster;
  const auto group = MakeGroup(Job("a"), 1);
  CHECK(VacantRoom(50).Refusal(*group, cluster.ledger).empty());
  CHECK_THAT(VacantRoom(49).Refusal(*group, cluster.ledger),
             ContainsText("limits.namespace.vacantShare"));
}

TEST_CASE("VacantRoom: members that are there are not counted") {
  const Cluster cluster;
  CHECK(VacantRoom(1).Refusal(*MakeGroup(Job("a"), 3), cluster.ledger).empty());
}

TEST_CASE("VacantRoom: what the namespace holds for others counts, its own is not counted twice") {
  const Cluster cluster;
  VacantRoom vacant(50);
  const auto first = MakeGroup(Job("a"), 2, 1);
  HoldAll(*first);
  vacant.Count(*first, cluster.ledger);
  CHECK(vacant.Refusal(*first, cluster.ledger).empty());
  CHECK(vacant.Refusal(*MakeGroup(Job("b"), 2, 2), cluster.ledger).empty());
  CHECK_FALSE(vacant.Refusal(*MakeGroup(Job("b"), 1, 2), cluster.ledger).empty());
}

TEST_CASE("VacantRoom: another namespace has a share of its own") {
  const Cluster cluster;
  VacantRoom vacant(50);
  const auto first = MakeGroup(Job("a"), 1, 1);
  HoldAll(*first);
  vacant.Count(*first, cluster.ledger);
  PodFacts pod = JobPod(Job("b"), 0);
  pod.ns = "other";
  Group other(2, SpecOf(Job("b"), pod).key, pod.controller);
  other.Add(pod, SpecOf(Job("b"), pod), absl::UnixEpoch());
  CHECK(vacant.Refusal(other, cluster.ledger).empty());
}

TEST_CASE("VacantRoom: room that is filled or given back is free for others") {
  const Cluster cluster;
  VacantRoom vacant(50);
  const auto first = MakeGroup(Job("a"), 1, 1);
  const auto second = MakeGroup(Job("b"), 1, 2);
  HoldAll(*first);
  vacant.Count(*first, cluster.ledger);
  REQUIRE_FALSE(vacant.Refusal(*second, cluster.ledger).empty());
  SECTION("filled") {
    for (int i : {1, 2}) AddMember(*first, Job("a"), i);
    vacant.Count(*first, cluster.ledger);
  }
  SECTION("given back") { vacant.Forget(*first); }
  CHECK(vacant.Refusal(*second, cluster.ledger).empty());
}

TEST_CASE("VacantRoom: what running gangs keep is no reason against a Job that waits suspended") {
  const Cluster cluster;
  VacantRoom vacant(25);
  const int64_t quarter = 250'000;  // millionths
  REQUIRE(vacant.CountKept("team", SparesFor(7), quarter / 2));
  const auto waits = MakeGroup(Job("a"), 1, 2);
  waits->SetStart(GroupStart::kSuspended);
  CHECK(vacant.Refusal(*waits, cluster.ledger).empty());
  CHECK_FALSE(vacant.Refusal(*MakeGroup(Job("b"), 1, 3), cluster.ledger).empty());
  // One at a time.
  const auto first = MakeGroup(Job("c"), 1, 4);
  HoldAll(*first);
  vacant.Count(*first, cluster.ledger);
  CHECK_FALSE(vacant.Refusal(*waits, cluster.ledger).empty());
}

TEST_CASE("VacantRoom: less than before is counted in any case, and is others' then") {
  const Cluster cluster;
  VacantRoom vacant(25);
  REQUIRE(vacant.CountKept("team", SparesFor(7), 200'000));
  const auto first = MakeGroup(Job("a"), 2, 1);
  HoldAll(*first);
  vacant.Count(*first, cluster.ledger);
  vacant.TakeFreed();
  CHECK_FALSE(vacant.CountKept("team", SparesFor(7), 300'000));
  CHECK(vacant.CountKept("team", SparesFor(7), 100'000));
  CHECK(vacant.TakeFreed().contains("team"));
}

TEST_CASE("VacantRoom: starts without a pod are paused for longer each time, up to an hour") {
  const Cluster cluster;
  VacantRoom vacant(1);
  const auto group = MakeGroup(Job("a"), 1);
  group->SetStart(GroupStart::kSuspended);
  absl::Time now = absl::FromUnixSeconds(1'000);
  const auto refused = [&] { return !vacant.Refusal(*group, cluster.ledger).empty(); };
  CHECK_FALSE(refused());
  VacantRoom enough(75);  // a gang within its share has taken no more than that
  enough.NoteBarren(*group, cluster.ledger);
  enough.Tick(now);
  JobSpec large = Job("large");
  large.size = 4;
  const auto beyond = MakeGroup(large, 1, 2);
  beyond->SetStart(GroupStart::kSuspended);
  CHECK(enough.Refusal(*beyond, cluster.ledger).empty());
  absl::Duration pause = kBarrenPause;
  for (int i = 0; i < 6; ++i) {
    vacant.NoteBarren(*group, cluster.ledger);
    CHECK(refused());
    vacant.Tick(now);
    vacant.TakeFreed();
    now += std::min(pause, kMaxBarrenPause) - absl::Seconds(1);
    vacant.Tick(now);
    CHECK(refused());
    CHECK_FALSE(vacant.any_freed());
    now += absl::Seconds(1);
    vacant.Tick(now);
    CHECK_FALSE(refused());
    CHECK(vacant.TakeFreed() == std::set<std::string>{"team"});
    vacant.Tick(now);
    CHECK_FALSE(vacant.any_freed());
    pause *= 2;
  }
  vacant.Tick(now += kMaxBarrenPause);  // it is forgotten
  vacant.NoteBarren(*group, cluster.ledger);
  vacant.Tick(now);
  vacant.Tick(now += kBarrenPause);
  CHECK_FALSE(refused());
}

TEST_CASE(
    "VacantRoom: a gang that came whole was no reason to hold less room, whatever came then") {
  const Cluster cluster;
  const int there = GENERATE(2, 3);
  const auto group = MakeGroup(Job("a"), there);
  VacantRoom vacant(1);
  vacant.NoteBarren(*group, cluster.ledger);
  const auto next = MakeGroup(Job("b"), 1, 2);
  next->SetStart(GroupStart::kSuspended);
  CHECK(vacant.Refusal(*next, cluster.ledger).empty() == (there == 3));
}

}  // namespace gangplan::vacant_room_test
