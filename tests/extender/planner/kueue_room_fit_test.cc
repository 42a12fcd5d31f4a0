// Room that Kueue has given: what stands where, and who may not bend it.
#include <limits>
#include <string>
#include <vector>

#include "extender/planner/kueue_room.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/kueue_world.h"
#include "tests/support/catch.h"

namespace gangplan::kueue_room_fit_test {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// ---- racks

TEST_CASE("KueueRoom: racks that were told before their nodes count before anything is planned") {
  Planner planner(PlannerWorld::Options());
  const absl::Time now = absl::UnixEpoch();
  for (int i = 0; i < 8; ++i)
    planner.OnWorkload(now, InRacks(fmt::format("w{}", i), {{i % 2, 1}}), true);
  for (const NodeFacts& node : MakeNodes(1, 2, 4)) REQUIRE(planner.OnNode(now, node).ok());
  planner.OnSynced(now);
  const Model& model = planner.model();
  for (int i = 0; i < 8; ++i) {
    const NodeIndex node = model.FindNode(NodeNameAt(0, i % 2, i / 2));
    CHECK(model.Use(node, "example.com/gpu").used == 8);
  }
  CHECK(planner.BrokenInvariant() == "");
}

TEST_CASE("KueueRoom: a rack that lacks room has it before others are looked at again") {
  KueueWorld racks(0);
  for (int i = 0; i < 5; ++i) racks.world.Put(MakeNode(0, i, 0));
  for (int i = 0; i < 5; ++i) racks.Tell(InRacks(fmt::format("w{}", i), {{i, 1}}));
  racks.Tell(InRacks("z", {{0, 1}}));
  racks.world.Put(MakeNode(0, 0, 1));
  CHECK(racks.UsedOn(NodeNameAt(0, 0, 1)) == 0);
  racks.world.Pass(kKueueTurn);
  CHECK(racks.UsedOn(NodeNameAt(0, 0, 1)) == 8);
}

TEST_CASE("KueueRoom: a node of a rack that has too little by now gives back at once") {
  KueueWorld kueue(2);
  kueue.Tell(InRacks("w", {{0, 1}}));
  CHECK(kueue.UsedOn(kFirstNode) == 8);
  NodeFacts node = MakeNode(0, 0, 0);
  for (ResourceAmount& one : node.allocatable)
    if (one.name == "example.com/gpu") one.amount = 4;
  kueue.world.Put(node);
  CHECK(kueue.UsedOn(kFirstNode) == 0);
  CHECK(kueue.UsedOn(kSecondNode) == 8);
}

TEST_CASE("KueueRoom: a node that comes to another rack of the same Workload is given once") {
  KueueWorld racks(0);
  racks.world.Put(MakeNode(0, 0, 0));
  racks.world.Put(MakeNode(0, 1, 0));
  racks.Single("full", 8, NodeNameAt(0, 1, 0));
  racks.Tell(InRacks("w", {{0, 1}, {1, 1}}));
  CHECK(racks.UsedOn(NodeNameAt(0, 0, 0)) == 8);
  NodeFacts moved = MakeNode(0, 1, 1);
  moved.name = NodeNameAt(0, 0, 0);
  racks.world.Put(moved);
  racks.world.Pass(kKueueTurn);
  CHECK(racks.UsedOn(moved.name) == 8);
  racks.world.Put(MakeNode(0, 0, 7));
  racks.world.Pass(kKueueTurn);
  CHECK(racks.UsedOn(NodeNameAt(0, 0, 7)) == 8);
  racks.Gone("w");
  CHECK(racks.UsedOn(moved.name) == 0);
}

TEST_CASE("KueueRoom: a node that comes to a rack counts with the pods that are there already") {
  KueueWorld racks(0);
  for (int rack = 0; rack < 2; ++rack) racks.world.Put(MakeNode(0, rack, 0));
  racks.world.ShowBound(PodOf("w", "w-0"), NodeNameAt(0, 0, 1));
  racks.Tell(InRacks("w", {{0, 1}, {1, 1}}));
  CHECK(racks.UsedOn(NodeNameAt(0, 0, 0)) == 8);
  racks.world.Put(MakeNode(0, 0, 1));
  CHECK(racks.UsedOn(NodeNameAt(0, 0, 0)) == 0);
  CHECK(racks.UsedOn(NodeNameAt(0, 1, 0)) == 8);
  racks.world.DeleteNode(NodeNameAt(0, 0, 1));
  CHECK(racks.UsedOn(NodeNameAt(0, 0, 0)) == 8);
}

// Of two nodes each: in two of them a Workload has a node, in the second one its second.
struct ThreeRacks : KueueWorld {
  ThreeRacks() : KueueWorld(0) {
    for (int rack = 0; rack < 3; ++rack)
      for (int node = 0; node < 2; ++node) world.Put(MakeNode(0, rack, node));
    const PodFacts full = Single("full", 8, NodeNameAt(0, 1, 0));
    Tell(InRacks("w", {{0, 1}, {1, 1}}));
    world.Delete(full);
  }
};

TEST_CASE("KueueRoom: another rack instead of one moves nothing in the others") {
  ThreeRacks racks;
  racks.Tell(InRacks("w", {{1, 1}, {2, 1}}));
  CHECK(racks.UsedOn(NodeNameAt(0, 0, 0)) == 0);
  CHECK(racks.UsedOn(NodeNameAt(0, 1, 0)) == 0);
  CHECK(racks.UsedOn(NodeNameAt(0, 1, 1)) == 8);
  CHECK(racks.UsedOn(NodeNameAt(0, 2, 0)) == 8);
}

TEST_CASE("KueueRoom: another rack instead of one leaves what stands in the others") {
  ThreeRacks racks;
  racks.world.ShowBound(PodOf("w", "w-2"), NodeNameAt(0, 2, 0));  // for which there is no rack
  CHECK(racks.UsedOn(NodeNameAt(0, 0, 0)) == 8);
  CHECK(racks.UsedOn(NodeNameAt(0, 1, 1)) == 0);
  racks.Tell(InRacks("w", {{1, 2}, {2, 1}}));
  CHECK(racks.UsedOn(NodeNameAt(0, 0, 0)) == 0);
  CHECK(racks.UsedOn(NodeNameAt(0, 1, 0)) == 8);
  CHECK(racks.UsedOn(NodeNameAt(0, 1, 1)) == 8);
  CHECK(racks.UsedOn(NodeNameAt(0, 2, 1)) == 0);
  racks.Tell(InRacks("w", {{1, 1}, {2, 1}}));
  racks.Tell(InRacks("w", {{0, 1}, {1, 1}, {2, 1}}));
  CHECK(racks.UsedOn(NodeNameAt(0, 0, 0)) == 8);
  CHECK(racks.UsedOn(NodeNameAt(0, 1, 0)) == 8);
  racks.Gone("w");
}

TEST_CASE("KueueRoom: nodes that a tree moves to another rack give back at once") {
  PlannerOptions options = PlannerWorld::Options();
  options.topologies[0].changes = true;
  Planner planner(std::move(options));
  const absl::Time now = absl::UnixEpoch();
  for (const NodeFacts& node : MakeNodes(1, 2, 1)) REQUIRE(planner.OnNode(now, node).ok());
  planner.OnSynced(now);
  planner.OnWorkload(now, InRacks("w", {{0, 1}}), true);
  const Model& model = planner.model();
  const auto used = [&] { return model.Use(model.FindNode(kFirstNode), "example.com/gpu").used; };
  CHECK(used() == 8);
  NodeFacts moved = MakeNode(0, 1, 1);
  moved.name = kFirstNode;
  CHECK(planner.OnTopology(now, model.topologies()[0], {moved}));
  CHECK(used() == 0);
  CHECK(planner.BrokenInvariant() == "");
}

TEST_CASE("KueueRoom: a pod that comes into a rack takes the room on its own node") {
  KueueWorld kueue(2);
  const PodFacts first = kueue.Single("first", 4, kFirstNode);
  kueue.Tell(InRacks("w", {{0, 2}}, 4));
  CHECK(kueue.UsedOn(kFirstNode) == 8);
  CHECK(kueue.UsedOn(kSecondNode) == 4);
  kueue.Single("second", 4, kSecondNode);
  kueue.world.Delete(first);
  const JobSpec job = kueue.Wait(1, 4);
  REQUIRE(kueue.world.Passed(JobPod(job, 0)) == kFirstNode);
  kueue.world.ShowBound(PodOf("w", "w-0", 4), kFirstNode);
  CHECK(kueue.world.HoldCount() == 1);
  CHECK(kueue.UsedOn(kFirstNode) == 4);
  CHECK(kueue.UsedOn(kSecondNode) == 8);
}

// ---- those who bend it

TEST_CASE("KueueRoom: no more pods are spared than Kueue has given room") {
  KueueWorld kueue(1);
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}}, 2));
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) {
    PodFacts pod = PodOf("w", fmt::format("w-{}", i), 2);
    kueue.world.ShowBound(pod, kFirstNode);
    names.push_back(pod.uid);
  }
  const std::vector<std::string_view> all(names.begin(), names.end());
  const auto preempts = [&](int64_t gpus, int victims) {
    const std::vector<PreemptCandidate> candidates = {
        {kFirstNode, {all.begin(), all.begin() + victims}}};
    return !kueue.world.planner()
                .Preempt(kueue.world.now(), ForeignPod("high", gpus, 100), candidates)
                .empty();
  };
  CHECK(preempts(6, 3));
  CHECK(preempts(6, 4));
  CHECK_FALSE(preempts(8, 4));  // one of them comes again
}

TEST_CASE("KueueRoom: of pods that stop, one leaves its room to Kueue, and the others to gangs") {
  KueueWorld kueue(1);
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}}, 2));
  kueue.Single("low", 2, kFirstNode);
  for (int i = 0; i < 3; ++i) {
    PodFacts pod = PodOf("w", fmt::format("w-{}", i), 2);
    kueue.world.ShowBound(pod, kFirstNode);
    pod.node_name = kFirstNode;
    kueue.world.ShowTerminating(pod);
  }
  SECTION("what they leave is enough beside another one") {
    kueue.Ask(6);
    CHECK(kueue.TryAll() == std::vector<std::string>{"low"});
  }
  SECTION("it is not") {
    kueue.Ask(8);
    CHECK(kueue.TryAll().empty());
  }
}

// More pods than there is place for: which of them the Workload waits for is known when all go.
TEST_CASE("KueueRoom: whose room is taken again is asked of all that go, in whatever order") {
  KueueWorld kueue(2);
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}, {{kSecondNode}, 1}}, 4));
  std::vector<PodFacts> pods;
  const auto bind = [&](const std::string& name, const char* node) {
    pods.push_back(PodOf("w", name, 4));
    kueue.world.ShowBound(pods.back(), node);
    pods.back().node_name = node;
  };
  const bool other_first = GENERATE(false, true);
  bind(other_first ? "b" : "a", kFirstNode);  // it has no other one there
  bind(other_first ? "a" : "b", kSecondNode);
  bind("c", kSecondNode);
  kueue.Single("low", 4, kFirstNode);
  for (int i = 0; i < 2; ++i) kueue.world.ShowTerminating(pods[i]);
  kueue.Ask(8);
  CHECK(kueue.TryAll().empty());  // w waits for one on the first node
}

TEST_CASE("KueueRoom: amounts at their end are taken back whole") {
  KueueWorld kueue(1);
  NodeFacts node = MakeNode(0, 0, 0);
  WorkloadFacts workload = Placed("w", {{{kFirstNode}, 2}});
  workload.pod_sets.push_back(workload.pod_sets[0]);
  workload.pod_sets[1].name = "more";
  const int64_t each = GENERATE(kMost, kMost / 2 + 1, 8);
  for (WorkloadFacts::PodSet& set : workload.pod_sets) set.each = {{"example.com/gpu", each}};
  kueue.Tell(workload);
  kueue.Tell(Placed("v", {{{kFirstNode}, 1}}, each));
  kueue.world.Put(node);
  kueue.Tell(InRacks("r", {{0, 2}}, each));
  kueue.Gone("w");
  CHECK(kueue.UsedOn(kFirstNode) == 8);
  kueue.Gone("v");
  kueue.world.Put(node);
  kueue.world.DeleteNode(kFirstNode);
  kueue.world.Put(node);
  kueue.Gone("r");
  CHECK(kueue.UsedOn(kFirstNode) == 0);
}

// ---- nodes

TEST_CASE("KueueRoom: a node that goes to another pair gives its room back at once") {
  PlannerOptions options = Preempting();
  options.nodes.labels = {{"pool", SelectorOperator::kIn, {"ours"}}};
  Evicting evicting(std::move(options));
  PlannerWorld& world = evicting.world;
  NodeFacts node = MakeNode(0, 0, 0);
  SetWord(node.labels, "pool", "ours");
  world.Put(node);
  world.Sync();
  world.planner().OnWorkload(world.now(), Placed("w", {{{kFirstNode}, 1}}), true);
  const Model& model = world.planner().model();
  const auto used = [&] { return model.Use(model.FindNode(kFirstNode), "example.com/gpu").used; };
  CHECK(used() == 8);
  world.Put(MakeNode(0, 0, 0));
  CHECK(used() == 0);
  world.Put(node);
  CHECK(used() == 8);
}

TEST_CASE("KueueRoom: a node that one pod set has no more is still that of another one") {
  KueueWorld kueue(2);
  WorkloadFacts workload = Placed("w", {{{kFirstNode}, 1}}, 2);
  workload.pod_sets.push_back(workload.pod_sets[0]);
  workload.pod_sets[1].name = "more";
  kueue.Tell(workload);
  CHECK(kueue.UsedOn(kFirstNode) == 4);
  workload.pod_sets[0].placement->domains = {{{kSecondNode}, 1}};
  kueue.Tell(workload);
  CHECK(kueue.UsedOn(kFirstNode) == 2);
  CHECK(kueue.UsedOn(kSecondNode) == 2);
  kueue.world.DeleteNode(kFirstNode);
  kueue.world.Put(MakeNode(0, 0, 0));
  CHECK(kueue.UsedOn(kFirstNode) == 2);
}

TEST_CASE("KueueRoom: a node of another hostname than before gives its room back at once") {
  KueueWorld kueue(2);
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}, {{"late"}, 1}}, 4));
  CHECK(kueue.UsedOn(kFirstNode) == 4);
  NodeFacts node = MakeNode(0, 0, 0);
  const auto call = [&](std::string_view host) {
    for (auto& [key, value] : node.labels)
      if (key == "kubernetes.io/hostname") value = std::string(host);
    kueue.world.Put(node);
  };
  if (FindLabel(node.labels, "kubernetes.io/hostname") == nullptr)
    SetWord(node.labels, "kubernetes.io/hostname", kFirstNode);
  call("other");
  CHECK(kueue.UsedOn(kFirstNode) == 0);
  call("late");
  CHECK(kueue.UsedOn(kFirstNode) == 4);
  // Another one of that host is the site when the first one goes.
  NodeFacts second = MakeNode(0, 0, 1);
  std::erase_if(second.labels,
                [](const auto& one) { return one.first == "kubernetes.io/hostname"; });
  SetWord(second.labels, "kubernetes.io/hostname", "late");
  kueue.world.Put(second);
  CHECK(kueue.UsedOn(kSecondNode) == 0);
  kueue.Tell(Placed("v", {{{"late"}, 1}, {{"nowhere"}, 1}}, 1));
  kueue.world.ShowBound(PodOf("v", "v-0", 1), kFirstNode);
  CHECK(kueue.UsedOn(kFirstNode) == 5);
  call(kFirstNode);
  CHECK(kueue.UsedOn(kFirstNode) == 5);
  CHECK(kueue.UsedOn(kSecondNode) == 5);
}

TEST_CASE("KueueRoom: two names are enough to tell of many, and none of another namespace") {
  Ledger ledger{{{ThreeLevels(), {}}}};
  KueueRoom room(ledger, true);
  const NodeFacts node = MakeNode(0, 0, 0);
  REQUIRE(ledger.PutNode(node).ok());
  const auto told = [&](const std::vector<std::string>& namespaces) {
    for (size_t i = 0; i < namespaces.size(); ++i) {
      WorkloadFacts workload = Placed(fmt::format("w{}", i), {{{node.name}, 1}}, 1);
      workload.ns = namespaces[i];
      room.Put(absl::UnixEpoch(), workload, {KueueRoom::Whose::kOthers});
    }
    room.Fit(true);
    CHECK(room.ToldTo("team") == room.ToldTo("team", {node.name}));
    return room.ToldTo("team");
  };
  CHECK(told({}).empty());
  CHECK(told({"team"}) == "Kueue's Workload team/w0");
  CHECK(told({"team", "team", "team"}) == "Kueue's Workload team/w0 and others");
  const std::string other = GENERATE("after", "zone");
  CHECK(told({"team", "team", "team", other}) ==
        "Kueue's Workload team/w0 and others and another namespace's Workload of Kueue's");
  for (const char* name : {"team/w0", "team/w1", "team/w2"}) room.Erase(name);
  CHECK(room.ToldTo("team") == "another namespace's Workload of Kueue's");
}

TEST_CASE("KueueRoom: where no Workloads are read nothing is known of their pods") {
  Ledger ledger{{{ThreeLevels(), {}}}};
  KueueRoom room(ledger, false);
  NodeFacts node = MakeNode(0, 0, 0);
  REQUIRE(ledger.PutNode(node).ok());
  PodFacts pod = PodOf("w", "w-0");
  pod.node_name = node.name;
  room.OnPod(pod);
  room.Put(absl::UnixEpoch(), Placed("w", {{{node.name}, 1}}), {KueueRoom::Whose::kOthers});
  room.Fit(true);
  CHECK(room.any());  // as if the pod had never been told
}

}  // namespace gangplan::kueue_room_fit_test
