#include "extender/planner/room_ask.h"
#include "extender/planner/owner_key.h"

#include <utility>

#include "extender/cluster/provisioning_words.h"
#include "extender/protocol/kueue_words.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::room_ask_test {
namespace {

using Stand = RoomAsk::Stand;

// Two nodes of eight devices.
PlannerWorld TwoNodes(PlannerOptions options = PlannerWorld::Options()) {
  PlannerWorld world(std::move(options));
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  return world;
}

Stand StandOf(PlannerWorld& world, std::string_view name) {
  const auto ask = world.planner().AskRoom(name);
  REQUIRE(ask != nullptr);
  return ask->stand;
}

const JobSpec kThree{.name = "three", .size = 3, .gpus = 8, .place = "block=pack!"};

TEST_CASE("Room ask: what each pod set lacks, by the templates") {
  PlannerWorld world = TwoNodes();
  const JobSpec job{.name = "set", .size = 4, .gpus = 8, .place = "block=pack!", .leader_gpus = 2};
  world.ShowJob(job, 0, 4);
  world.Pass(absl::Seconds(1));
  const auto ask = world.planner().AskRoom("team/set");
  REQUIRE(ask != nullptr);
  CHECK(ask->stand == Stand::kLacks);
  CHECK(ask->ns == "team");
  CHECK(ask->maker->name == "set");
  CHECK(ask->maker_uid == job.Uid());
  CHECK(ask->regarding->name == "set");
  CHECK_FALSE(ask->reason.empty());
  REQUIRE(ask->pod_sets.size() == 2);
  CHECK(ask->pod_sets[0].name == "leader");
  CHECK(ask->pod_sets[0].count == 1);
  CHECK(AmountOf(ask->pod_sets[0].requests, "example.com/gpu") == 2);
  CHECK(ask->pod_sets[1].count == 3);
  CHECK(AmountOf(ask->pod_sets[1].requests, "example.com/gpu") == 8);
  CHECK(world.planner().AskRoom("team/nobody") == nullptr);
}

TEST_CASE("Room ask: pods of which the scheduler alone has told lack no nodes") {
  PlannerWorld world = TwoNodes();
  world.Register(kThree);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 3; ++i) world.Filter(JobPod(kThree, i));
    world.Pass(absl::Seconds(1));
  }
  CHECK(StandOf(world, "team/three") == Stand::kOpen);
  world.ShowJob(kThree, 0, 3);
  world.Pass(absl::Seconds(1));
  CHECK(StandOf(world, "team/three") == Stand::kLacks);
}

TEST_CASE("Room ask: nodes that come are asked at once, and who has room lacks none") {
  PlannerWorld world = TwoNodes();
  world.ShowJob(kThree, 0, 3);
  world.Pass(absl::Seconds(1));
  CHECK(StandOf(world, "team/three") == Stand::kLacks);
  world.AddNodes({MakeNode(0, 0, 2)});
  world.Pass(absl::Seconds(1));
  CHECK(StandOf(world, "team/three") == Stand::kHasRoom);
  CHECK(world.planner().AskRoom("team/three")->pod_sets.empty());
}

TEST_CASE("Room ask: whom no node that comes would help, or others help, asks for none") {
  PlannerWorld world = TwoNodes();
  JobSpec job = kThree;
  SECTION("it is held") { SetWord(job.words, "gangplan.io/hold", "budget"); }
  SECTION("its pods name a request") { SetWord(job.words, kConsumeAnnotation, "theirs"); }
  SECTION("Kueue queues it") { SetWord(job.labels, kKueueQueueLabel, "queue"); }
  world.ShowJob(job, 0, 3);
  world.Pass(absl::Seconds(1));
  CHECK(StandOf(world, "team/three") == Stand::kNothing);
}

TEST_CASE("Room ask: pods that may only go to nodes that they name ask for none") {
  PlannerWorld world = TwoNodes();
  world.Register(kThree);
  for (int i = 0; i < 3; ++i) {
    PodFacts pod = JobPod(kThree, i);
    pod.filter.required_terms = {
        {{}, {{std::string(kNodeNameField), SelectorOperator::kIn, {NodeNameAt(0, 0, 0)}}}}};
    world.Show(pod);
  }
  world.Pass(absl::Seconds(1));
  CHECK(StandOf(world, "team/three") == Stand::kNothing);
}

TEST_CASE("Room ask: who waits for its turn asks for none") {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kStrict;
  PlannerWorld world = TwoNodes(options);
  world.AddNodes({MakeNode(0, 0, 2)});
  world.ShowBound(ForeignPod("other", 8), NodeNameAt(0, 0, 2));
  world.ShowJob(kThree, 0, 3);
  world.Pass(absl::Seconds(1));
  const JobSpec second{.name = "second", .size = 2, .gpus = 8, .place = "block=pack!"};
  world.ShowJob(second, 0, 2);
  world.Pass(absl::Seconds(1));
  CHECK(StandOf(world, "team/three") == Stand::kLacks);
  CHECK(StandOf(world, "team/second") == Stand::kOpen);
}

TEST_CASE("Room ask: what was booked goes to the members with their Bindings") {
  PlannerWorld world = TwoNodes();
  const JobSpec job{.name = "pair", .size = 2, .gpus = 8, .place = "block=pack!"};
  world.ShowJob(job, 0, 2);
  world.planner().OnBooking("team/pair", {{std::string(kConsumeAnnotation), "request"}});
  world.planner().OnBooking("team/nobody", {{std::string(kConsumeAnnotation), "request"}});
  bool booked = true;
  SECTION("as it is") {}
  SECTION("and is taken back before") {
    world.planner().OnBooking("team/pair", {});
    booked = false;
  }
  world.FilterAndBind(JobPod(job, 0));
  world.FilterAndBind(JobPod(job, 1));
  const std::vector<BindingWrite> writes = world.Take<BindingWrite>();
  REQUIRE(writes.size() == 2);
  for (const BindingWrite& write : writes) {
    CHECK(FindLabel(write.annotations, "gangplan.io/plan") != nullptr);
    CHECK((FindLabel(write.annotations, kConsumeAnnotation) != nullptr) == booked);
  }
}

// Two Jobs whose pods are one gang by a name of its own.
struct TwoMakers {
  static PodFacts Pod(const JobSpec& job, int index) {
    PodFacts pod = JobPod(job, index);
    SetWord(pod.annotations, "gangplan.io/group", "train");
    SetWord(pod.annotations, "gangplan.io/size", "4");
    return pod;
  }
  RoomAsk Ask(PlannerWorld& world) const {
    world.Pass(absl::Seconds(1));
    const auto ask = world.planner().AskRoom("team/train");
    REQUIRE(ask != nullptr);
    CHECK(ask->stand == Stand::kLacks);
    return *ask;
  }

  JobSpec servers{.name = "ps", .size = 2, .gpus = 8, .place = "block=pack!", .indexed = false};
  JobSpec workers{
      .name = "workers", .size = 2, .gpus = 8, .place = "block=pack!", .indexed = false};
};

TEST_CASE("Room ask: a gang of several makers is none of theirs") {
  PlannerWorld world = TwoNodes();
  TwoMakers jobs;
  world.Register(jobs.servers);
  world.Register(jobs.workers);
  JobSpec first = jobs.servers, second = jobs.workers;
  SECTION("whichever of them comes first") { std::swap(first, second); }
  for (const JobSpec& job : {first, second}) {
    for (int i = 0; i < 2; ++i) world.Show(TwoMakers::Pod(job, i));
  }
  CHECK(jobs.Ask(world).maker_uid.empty());
  CHECK_FALSE(jobs.Ask(world).maker);
  // The first one is replaced: its group is the same, and it owns nothing.
  for (int i = 0; i < 2; ++i) world.Delete(TwoMakers::Pod(first, i));
  JobSpec again = first;
  again.uid = "again";
  world.Register(again);
  for (int i = 0; i < 2; ++i) world.Show(TwoMakers::Pod(again, i));
  CHECK(jobs.Ask(world).maker_uid.empty());
}

TEST_CASE("Room ask: a maker that is gone owns nothing, and its pods ask for the same") {
  PlannerWorld world = TwoNodes();
  TwoMakers jobs;
  jobs.servers.size = 4;
  bool there = false;
  SECTION("it is there") {
    world.Register(jobs.servers);
    there = true;
  }
  SECTION("nobody has it") {}
  for (int i = 0; i < 4; ++i) world.Show(TwoMakers::Pod(jobs.servers, i));
  if (!there) {
    const std::string uid = jobs.servers.Uid();
    world.planner().OnOwner(world.now(), OwnerKey("team", uid), absl::NotFoundError("no such Job"));
  }
  const RoomAsk ask = jobs.Ask(world);
  CHECK(ask.maker_uid == jobs.servers.Uid());
  CHECK(ask.maker.has_value() == there);
}

TEST_CASE("Room ask: a PodGroup, whose UID nobody knows, owns nothing") {
  PlannerWorld world = TwoNodes();
  for (int i = 0; i < 3; ++i) {
    PodFacts pod = ForeignPod(fmt::format("ring-{}", i), 8);
    SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "ring");
    SetWord(pod.annotations, "gangplan.io/place", "block=pack!");
    world.Show(pod);
  }
  OwnerFacts group;
  group.ref = {"scheduling.x-k8s.io/v1alpha1", "PodGroup", "ring", "PodGroup team/ring"};
  group.ns = "team";
  group.size = 3;
  group.at_least = true;
  world.planner().OnOwner(world.now(), OwnerKey(group.ns, group.ref.uid), group);
  world.Pass(absl::Seconds(1));
  const auto ask = world.planner().AskRoom("team/ring");
  REQUIRE(ask != nullptr);
  CHECK(ask->stand == Stand::kLacks);
  CHECK(ask->maker_uid.empty());
  CHECK_FALSE(ask->maker);
}

}  // namespace
}  // namespace gangplan::room_ask_test
