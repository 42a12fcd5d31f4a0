#include "extender/app/provisioning_watch.h"

#include "extender/cluster/provisioning_words.h"
#include "extender/planner/owner_key.h"
#include "extender/protocol/kueue_words.h"
#include "fmt/format.h"
#include "provisioning_world.h"
#include "tests/extender/planner/suspended_world.h"
#include "tests/support/catch.h"

namespace gangplan::provisioning_watch_test {
namespace {

using World = ProvisioningWorld;

TEST_CASE("Provisioning watch: who lacks room for a while asks once for all its pods") {
  World world;
  world.Come(kThree);
  world.Look();
  world.Look(kAfter - absl::Seconds(1));
  CHECK(world.cluster.there.empty());
  world.Look(absl::Seconds(1));
  REQUIRE(world.cluster.written.size() == 1);
  const ProvisioningWrite& write = world.cluster.written[0];
  CHECK(write.gang == "team/three");
  CHECK(write.uid.empty());
  CHECK(write.owner->name == "three");
  REQUIRE(write.pod_sets.size() == 1);
  CHECK(write.pod_sets[0].count == 3);
  CHECK(AmountOf(write.pod_sets[0].requests, "example.com/gpu") == 8);
  for (int i = 0; i < 3; ++i) world.Look(kAfter);
  CHECK(world.cluster.written.size() == 1);
}

TEST_CASE("Provisioning watch: with room the request goes, and stays while it is booked") {
  World world;
  ProvisioningFacts& one = world.ComeAndAsk(kThree);
  SECTION("never provisioned") {
    world.Grow(1);
    world.Grow(2);
    world.Look();
    CHECK(world.cluster.there.empty());
  }
  SECTION("provisioned") {
    one.provisioned = {true, world.clock.Now(), ""};
    world.Look();
    CHECK(world.Told() == "GangNodesProvisioned three; ");
    world.Grow(1);
    world.Grow(2);
    world.Look();
    CHECK(world.cluster.there.size() == 1);
  }
  SECTION("the gang is gone") {}
  world.Go(kThree);
  world.Look();
  world.Look(ProvisioningWatch::kPause);
  CHECK(world.cluster.there.empty());
  world.Look();
  const int lists = world.cluster.lists;
  world.Look();
  CHECK(world.cluster.lists == lists);  // nobody lacks room, and nothing is there
}

TEST_CASE("Provisioning watch: a failure is told and made anew, and given up in the end") {
  World world;
  ProvisioningFacts& first = world.ComeAndAsk(kThree);
  first.failed = {true, world.clock.Now(), "no GPUs"};
  world.Look();
  world.Look();
  CHECK(world.Told() == "GangNodesFailed three; ");
  CHECK(world.cluster.written.size() == 1);
  world.Look(absl::Minutes(1));
  CHECK(world.cluster.there.size() == 2);
  world.Look();
  ProvisioningFacts& second = world.Only();
  CHECK(second.name.ends_with("-2"));
  second.expired = {true, world.clock.Now(), ""};
  for (int i = 0; i < 3; ++i) world.Look(absl::Hours(1));
  CHECK(world.Told() == "GangNodesGivenUp three; ");
  CHECK(world.cluster.written.size() == 2);
  world.Go(kThree);
  world.Look();
  world.Look(ProvisioningWatch::kPause);
  CHECK(world.cluster.there.empty());
}

TEST_CASE("Provisioning watch: nodes that are of no use are told after five minutes") {
  World world;
  ProvisioningFacts& one = world.ComeAndAsk(kThree);
  one.provisioned = {true, world.clock.Now(), ""};
  world.Look();
  CHECK(world.Told() == "GangNodesProvisioned three; ");
  world.Look(absl::Minutes(5) - absl::Seconds(1));
  CHECK(world.Told().empty());
  world.Look(absl::Seconds(1));
  world.Look();
  CHECK(world.Told() == "GangNodesUnfit three; ");
}

TEST_CASE("Provisioning watch: who asks for something else gets another request, after the first") {
  World world;
  const std::string first = world.ComeAndAsk(kThree).name;
  world.Go(kThree);
  JobSpec again = kThree;
  again.size = 2;
  again.uid = "again";
  world.Come(again);
  world.Look();
  CHECK(world.cluster.there.empty());
  world.Look(kAfter);
  CHECK(world.Only().name != first);
  CHECK(world.cluster.written.back().pod_sets[0].count == 2);
}

TEST_CASE("Provisioning watch: an answer that is lost makes nothing twice") {
  World world;
  world.cluster.write_error = absl::UnavailableError("lost");
  world.cluster.lands = true;
  world.ComeAndAsk(kThree);
  const std::string uid = world.Only().uid;
  world.cluster.write_error = absl::OkStatus();
  world.Look();  // it rests
  CHECK(world.cluster.written.size() == 1);
  world.Look(absl::Seconds(10));
  REQUIRE(world.cluster.written.size() == 2);
  CHECK(world.cluster.written[1].uid == uid);  // its templates
  world.Look();
  CHECK(world.cluster.written.size() == 2);
  CHECK(world.Only().uid == uid);
}

TEST_CASE(
    "Provisioning watch: one that starts anew takes over what it finds, and clears the rest") {
  World world;
  const std::string uid = world.ComeAndAsk(kThree).uid;
  ProvisioningFacts orphan = world.Only();
  orphan.name = "orphan";
  orphan.gang = "team/gone";
  world.cluster.there["orphan"] = orphan;
  world.cluster.makers["orphan"] = "second";
  ProvisioningWatch again(kProvisioningSettings, {"gangplan", "second"}, world.planner,
                          world.cluster, world.clock);
  again.Look();
  CHECK(world.cluster.there.size() == 2);  // its gang may not have been found yet
  world.clock.Advance(ProvisioningWatch::kPause);
  again.Look();
  CHECK(world.Only().uid == uid);
  REQUIRE(world.cluster.written.size() == 2);
  CHECK(world.cluster.written[1].uid == uid);
}

TEST_CASE("Provisioning watch: before the groups are known nothing is taken away") {
  World world;
  world.ComeAndAsk(kThree);
  LockedPlanner fresh(
      PlannerWorld::Options(), world.metrics, [](Effects) {}, [] {});
  ProvisioningWatch again(kProvisioningSettings, {"gangplan"}, fresh, world.cluster, world.clock);
  again.Look();
  CHECK(world.cluster.there.size() == 1);
}

TEST_CASE("Provisioning watch: requests of another Gangplan are left alone") {
  World world;
  ProvisioningFacts other;
  other.ns = "team";
  other.name = "other";
  other.uid = "u";
  other.gang = "team/gone";
  world.cluster.there["other"] = other;
  world.cluster.makers["other"] = "others";
  world.Look();
  CHECK(world.cluster.there.size() == 1);
}

TEST_CASE("Provisioning watch: a request that speaks for a gang of another namespace is none") {
  World world;
  ProvisioningFacts& own = world.ComeAndAsk(kThree);
  ProvisioningFacts forged = own;
  forged.ns = "evil";
  forged.uid = "u-evil";
  forged.name += "9";
  forged.failed = {true, world.clock.Now(), ""};
  world.cluster.there[forged.name] = forged;
  world.cluster.makers[forged.name] = "gangplan";
  world.Look();
  CHECK(world.Only().uid == own.uid);
  CHECK(world.Told().empty());
}

TEST_CASE("Provisioning watch: who does not act writes nothing") {
  World world;
  world.cluster.acts = false;
  world.Come(kThree);
  world.Look();
  world.Look(kAfter);
  CHECK(world.cluster.lists == 0);
  CHECK(world.cluster.written.empty());
}

TEST_CASE("Provisioning watch: nobody asks twice for nodes that others ask for") {
  World world;
  JobSpec job = kThree;
  SECTION("by a request that the pods name") { SetWord(job.words, kConsumeAnnotation, "theirs"); }
  SECTION("in its older form") { SetWord(job.words, kOldConsumeAnnotation, "theirs"); }
  SECTION("by Kueue") { SetWord(job.labels, kKueueQueueLabel, "queue"); }
  SECTION("by Kueue, which has started it") { SetWord(job.labels, kKueuePodSetLabel, "main"); }
  SECTION("it is held") { SetWord(job.words, "gangplan.io/hold", "budget"); }
  world.Come(job);
  world.Look();
  world.Look(kAfter);
  CHECK(world.cluster.written.empty());
}

TEST_CASE("Provisioning watch: what a gang has stays while its owner is not read yet") {
  World world;
  ProvisioningFacts& one = world.ComeAndAsk(kThree);
  one.provisioned = {true, world.clock.Now(), ""};
  World fresh;
  fresh.clock.Advance(world.clock.Now() - fresh.clock.Now());
  ProvisioningWatch again(kProvisioningSettings, {"gangplan"}, fresh.planner, world.cluster,
                          fresh.clock);
  fresh.planner.Take(TurnFor::kEvents, [&](Planner& inner) {
    for (int i = 0; i < kThree.size; ++i) inner.OnPod(fresh.clock.Now(), JobPod(kThree, i));
  });
  again.Look();
  CHECK(world.Only().uid == one.uid);
  fresh.clock.Advance(ProvisioningWatch::kPause - absl::Seconds(1));
  again.Look();
  CHECK(world.cluster.there.size() == 1);
  fresh.planner.Take(TurnFor::kEvents, [&](Planner& inner) {
    inner.OnOwner(fresh.clock.Now(), OwnerKey("team", kThree.Uid()), JobOwner(kThree));
    inner.Tick(fresh.clock.Now());
  });
  fresh.clock.Advance(absl::Seconds(1));
  again.Look();
  again.Look();
  CHECK(world.cluster.there.size() == 1);
  CHECK(world.cluster.written.back().uid == one.uid);  // its templates
}

TEST_CASE("Provisioning watch: a gang that is away for a moment, again and again, keeps its own") {
  World world;
  const std::string uid = world.ComeAndAsk(kThree).uid;
  for (int life = 0; life < 4; ++life) {
    world.Go(kThree, life);
    world.Look();
    world.Look(ProvisioningWatch::kPause - absl::Seconds(1));
    CHECK(world.cluster.there.size() == 1);
    world.Come(kThree, "team", life + 1);
    world.Look();
    CHECK(world.Only().uid == uid);
  }
}

TEST_CASE("Provisioning watch: a gang that is made anew under its name is told what is booked") {
  World world;
  world.ComeAndAsk(kThree).provisioned = {true, world.clock.Now(), ""};
  world.Look();
  world.Go(kThree);
  world.Come(kThree, "team", 1);
  world.Look();
  world.Grow(1);
  world.Grow(2);
  const std::vector<BindingWrite> writes =
      world.BindAll(kThree, 1, {NodeNameAt(0, 0, 0), NodeNameAt(0, 0, 1), NodeNameAt(0, 0, 2)});
  REQUIRE(writes.size() == 3);
  for (const BindingWrite& write : writes)
    CHECK(*FindLabel(write.annotations, kConsumeAnnotation) == world.Only().name);
}

TEST_CASE("Provisioning watch: a suspended Job that is no gang any more gives its request back") {
  World world;
  JobSpec job = kThree;
  const auto show = [&](int version) {
    world.planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      inner.OnJob(world.clock.Now(), SuspendedFactsOf(job, version));
      inner.Tick(world.clock.Now());
    });
  };
  show(1);
  world.Look();
  world.Look(kAfter);
  REQUIRE(world.cluster.there.size() == 1);
  job.place = "nonsense";
  show(2);
  world.Look();
  CHECK(world.cluster.there.empty());
  job.place = kThree.place;
  show(3);
  world.Look();
  world.Look(kAfter);
  CHECK(world.cluster.there.size() == 1);
}

TEST_CASE("Provisioning watch: where none are made any more those that were left go") {
  World world;
  world.ComeAndAsk(kThree);
  ProvisioningFacts other = world.Only();
  other.name = "other";
  world.cluster.there["other"] = other;
  world.cluster.makers["other"] = "others";
  ProvisioningWatch off({}, {"gangplan"}, world.planner, world.cluster, world.clock);
  world.cluster.acts = false;
  off.Clear();
  CHECK(world.cluster.there.size() == 2);
  world.cluster.acts = true;
  size_t left = 1;
  const int lists = world.cluster.lists;
  int wanted = 2;  // until the list is empty
  SECTION("it may") {}
  SECTION("after an error that passes") {
    world.cluster.list_error = absl::UnavailableError("busy");
    off.Clear();
    world.cluster.list_error = absl::OkStatus();
    wanted = 3;
  }
  SECTION("it may not") {
    world.cluster.list_error = absl::PermissionDeniedError("no right");
    off.Clear();
    world.cluster.list_error = absl::OkStatus();
    left = 2;
    wanted = 1;
  }
  for (int i = 0; i < 4; ++i) off.Clear();
  CHECK(world.cluster.there.size() == left);
  CHECK(world.cluster.lists == lists + wanted);
  CHECK(world.Told().empty());
}

}  // namespace
}  // namespace gangplan::provisioning_watch_test
