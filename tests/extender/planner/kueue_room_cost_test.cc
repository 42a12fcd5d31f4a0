// What it costs to count room that Kueue has given, and that it hangs on no order of events.
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "extender/planner/kueue_room.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/kueue_world.h"
#include "tests/support/catch.h"

namespace gangplan::kueue_room_cost_test {

// A Workload with one pod on each of so many nodes, without a planner.
struct Wide {
  explicit Wide(KueueRoom::Whose whose, int extra = 0) {
    for (int i = 0; i < kNodes; ++i) {
      NodeFacts node = MakeNode(0, 0, i);
      REQUIRE(ledger.PutNode(node).ok());
      room.OnNode(node);
    }
    room.Put(absl::UnixEpoch(), Placed("w", Domains(), 1), {whose});
    for (int i = 0; i < extra; ++i) Bind(fmt::format("w-{}", i), 0);
    Fit();
  }
  // A pod on each node.
  static KueueDomains Domains() {
    KueueDomains domains;
    for (int i = 0; i < kNodes; ++i) domains.push_back({{NodeNameAt(0, 0, i)}, 1});
    std::sort(domains.begin(), domains.end(),
              [](const auto& a, const auto& b) { return a.values < b.values; });
    return domains;
  }
  PodFacts Bind(const std::string& name, int node) {
    PodFacts pod = PodOf("w", name, 1);
    pod.node_name = NodeNameAt(0, 0, node);
    room.OnPod(pod);
    return pod;
  }
  void Fit() {
    room.Fit(false);
    room.Fit(true);
    CHECK(room.BrokenInvariant() == "");
  }
  int64_t WorkOf(const auto& event) {
    const int64_t before = room.work();
    event();
    Fit();
    return room.work() - before;
  }
  static constexpr int kNodes = 2'000;
  Ledger ledger{{{ThreeLevels(), {}}}};
  KueueRoom room{ledger, true};
};

TEST_CASE("KueueRoom: a pod that comes or goes costs what changes, however many sites there are") {
  Wide wide(KueueRoom::Whose::kOthers);
  CHECK(wide.room.Nodes().size() == Wide::kNodes);
  CHECK(wide.WorkOf([&] { wide.Bind("w-1", 7); }) < 20);
  CHECK(wide.WorkOf([&] { wide.Bind("w-2", 7); }) < 20);  // the last site has less now
  CHECK(wide.room.Nodes().size() == Wide::kNodes - 2);
  CHECK(wide.WorkOf([&] { wide.room.OnNode(MakeNode(0, 0, 9)); }) < 20);
  CHECK(wide.WorkOf([&] { wide.room.OnPodDeleted("uid-w-2"); }) < 20);
}

TEST_CASE("KueueRoom: many pods beyond the sites cost no more") {
  Wide wide(KueueRoom::Whose::kOthers, 500);
  CHECK(wide.room.Nodes().size() == Wide::kNodes - 500);
  CHECK(wide.WorkOf([&] { wide.Bind("w-1000", 7); }) < 20);
}

TEST_CASE("KueueRoom: what is ours costs nothing but for the turn") {
  Wide wide(KueueRoom::Whose::kOthers);
  CHECK(wide.room.Nodes().size() == Wide::kNodes);
  const PodFacts member = wide.Bind("w-1", 7);
  CHECK(wide.WorkOf([&] { wide.room.NoteMember(member.uid, true); }) < 20);
  wide.room.Tick(absl::UnixEpoch());
  wide.Fit();
  CHECK(wide.room.Nodes().empty());
  CHECK(wide.WorkOf([&] { wide.Bind("w-2", 8); }) == 0);
  CHECK(wide.WorkOf([&] { wide.room.OnNode(MakeNode(0, 0, 9)); }) == 0);
  wide.room.NoteMember(member.uid, false);
  wide.room.Tick(absl::UnixEpoch() + kKueueTurn);
  wide.Fit();
  CHECK(wide.room.Nodes().size() == Wide::kNodes - 2);
}

TEST_CASE("KueueRoom: our own plans' Workloads are not kept") {
  Wide wide(KueueRoom::Whose::kOurs);
  CHECK(wide.WorkOf([&] { wide.Bind("w-2", 8); }) == 0);
  CHECK(wide.WorkOf([&] { wide.room.OnNode(MakeNode(0, 0, 9)); }) == 0);
}

TEST_CASE("KueueRoom: the same once more is looked at once, and counted nowhere") {
  Wide wide(KueueRoom::Whose::kOthers);
  CHECK(wide.WorkOf([&] { wide.room.OnNode(MakeNode(0, 0, 9)); }) < 20);
  WorkloadFacts workload = Placed("w", Wide::Domains(), 1);
  const auto put = [&] { wide.room.Put(absl::UnixEpoch(), workload, {KueueRoom::Whose::kOthers}); };
  CHECK(wide.WorkOf(put) == 0);
  workload.pod_sets[0].reclaimable = 3;
  CHECK(wide.WorkOf(put) < 20);
  CHECK(wide.room.Nodes().size() == Wide::kNodes - 3);
}

TEST_CASE("KueueRoom: one node instead of another costs what changes") {
  Wide wide(KueueRoom::Whose::kOthers);
  NodeFacts other = MakeNode(0, 1, 0);
  REQUIRE(wide.ledger.PutNode(other).ok());
  wide.room.OnNode(other);
  WorkloadFacts workload = Placed("w", {{{other.name}, 1}}, 1);
  auto& domains = workload.pod_sets[0].placement->domains;
  for (int i = 1; i < Wide::kNodes; ++i) domains.push_back({{NodeNameAt(0, 0, i)}, 1});
  std::sort(domains.begin(), domains.end(),
            [](const auto& a, const auto& b) { return a.values < b.values; });
  wide.Bind("w-1", 7);
  wide.Fit();
  wide.room.TakeTaken();
  const auto put = [&] { wide.room.Put(absl::UnixEpoch(), workload, {KueueRoom::Whose::kOthers}); };
  CHECK(wide.WorkOf(put) < 20);
  CHECK(wide.room.TakeTaken().size() == 1);
  CHECK(wide.room.IsOn(other.name));
  CHECK_FALSE(wide.room.IsOn(NodeNameAt(0, 0, 0)));
  CHECK(wide.room.Nodes().size() == Wide::kNodes - 1);
}

// Each with a pod of its own.
TEST_CASE("KueueRoom: of those whose pods have become ours each has its turn") {
  Wide wide(KueueRoom::Whose::kOthers);
  const WorkloadFacts second = Placed("z", Wide::Domains(), 1);
  wide.room.Put(absl::UnixEpoch(), second, {KueueRoom::Whose::kOthers});
  wide.Fit();
  PodFacts member = PodOf("z", "z-0", 1);
  wide.room.OnPod(member);
  wide.room.NoteMember(member.uid, true);
  const PodFacts restless = wide.Bind("w-0", 7);
  const auto turn = [&](int number) {
    wide.room.Tick(absl::UnixEpoch() + kKueueTurn * number);
    wide.Fit();
    return wide.room.ToldTo("team");
  };
  wide.room.NoteMember(restless.uid, true);
  CHECK(turn(0) == "Kueue's Workload team/z");
  wide.room.NoteMember(restless.uid, false);
  CHECK(turn(1).empty());
  CHECK(turn(2) == "Kueue's Workload team/w");
}

// One rack, of which so many nodes have no room.
struct Rack {
  explicit Rack(int nodes, int full) {
    for (int i = 0; i < nodes; ++i) {
      NodeFacts node = MakeNode(0, 0, i);
      node.name = NameOf(i);
      if (i < full) node.allocatable = {{"example.com/gpu", 1}, {"pods", 1}};
      REQUIRE(ledger.PutNode(node).ok());
      room.OnNode(node);
    }
  }
  static std::string NameOf(int node) { return fmt::format("n{:06}", node); }
  void Put(int pods, KueueRoom::Whose whose = KueueRoom::Whose::kOthers) {
    room.Put(absl::UnixEpoch(), InRacks("w", {{0, pods}}), {whose});
    room.Fit(true);
  }
  Ledger ledger{{{ThreeLevels(), {}}}};
  KueueRoom room{ledger, true};
};

TEST_CASE("KueueRoom: a rack of few sites and many nodes turns ours with its turn, too") {
  constexpr int kNodes = static_cast<int>(kKueueSitesAtOnce) + 1;
  Rack rack(kNodes, 0);
  rack.Put(kNodes, KueueRoom::Whose::kOthers);
  REQUIRE(rack.room.Nodes().size() == size_t{kNodes});
  PodFacts member = PodOf("w", "w-0");
  rack.room.OnPod(member);
  const int64_t before = rack.room.work();
  rack.room.NoteMember(member.uid, true);
  rack.room.Fit(true);
  CHECK(rack.room.work() - before < 20);
  rack.room.Tick(absl::UnixEpoch());
  rack.room.Fit(true);
  CHECK_FALSE(rack.room.any());
}

TEST_CASE("KueueRoom: a large rack is searched to its end, so much a tick") {
  constexpr int kNodes = static_cast<int>(kKueueLooksAtOnce) * 4;
  Rack rack(kNodes, kNodes - 1);
  rack.Put(1);
  absl::Time now = absl::UnixEpoch();
  for (int tick = 0; tick < 4; ++tick, now += kKueueTurn) {
    const int64_t before = rack.room.work();
    rack.room.Tick(now);
    rack.room.Fit(true);
    CHECK(rack.room.work() - before <= kKueueLooksAtOnce + 20);
  }
  CHECK(rack.room.IsOn(Rack::NameOf(kNodes - 1)));
}

TEST_CASE("KueueRoom: what the start may look at is not left for what comes later") {
  Rack rack(static_cast<int>(kKueueLooksAtOnce) + 100, static_cast<int>(kKueueLooksAtOnce) + 100);
  rack.room.OnNodesListed();
  rack.Put(1);
  CHECK(rack.room.work() <= kKueueLooksAtOnce + 20);
}

// What the room is in the end hangs on what there is, and not on the way to it.
struct Facts {
  std::map<std::string, NodeFacts> nodes;
  std::map<std::string, PodFacts> pods;
  std::map<std::string, WorkloadFacts> workloads;

  void Change(std::mt19937& random, Ledger& ledger, KueueRoom& room) {
    const auto some = [&](uint32_t most) { return static_cast<int>(random() % most); };
    NodeFacts node = MakeNode(0, 0, some(5));
    const std::string name = fmt::format("w{}", some(3));
    switch (some(6)) {
      case 0:
        nodes.erase(node.name);
        ledger.RemoveNode(node.name);
        return room.OnNodeGone(node.name);
      case 1:
        for (auto& [key, value] : node.labels)
          if (key == "kubernetes.io/hostname" && some(2) == 0) value = NodeNameAt(0, 0, some(5));
        nodes[node.name] = node;
        REQUIRE(ledger.PutNode(node).ok());
        return room.OnNode(node);
      case 2: {
        KueueDomains domains;
        for (int i = 0; i < 5; ++i)
          if (some(2) == 0) domains.push_back({{NodeNameAt(0, 0, i)}, 1 + some(3)});
        WorkloadFacts& workload = workloads[name] = Placed(name, domains, 1);
        workload.pod_sets[0].reclaimable = some(3);
        return room.Put(absl::UnixEpoch(), workload, {KueueRoom::Whose::kOthers});
      }
      default: {
        PodFacts pod = PodOf(name, fmt::format("p{}", some(8)), 1);
        if (some(3) == 0) {
          pods.erase(pod.uid);
          return room.OnPodDeleted(pod.uid);
        }
        pod.node_name = node.name;
        pod.phase = some(4) == 0 ? PodPhase::kSucceeded : PodPhase::kRunning;
        pods[pod.uid] = pod;
        return room.OnPod(pod);
      }
    }
  }
  void Tell(Ledger& ledger, KueueRoom& room) const {
    for (const auto& [uid, pod] : pods) room.OnPod(pod);
    for (const auto& [name, workload] : workloads)
      room.Put(absl::UnixEpoch(), workload, {KueueRoom::Whose::kOthers});
    for (const auto& [name, node] : nodes) {
      REQUIRE(ledger.PutNode(node).ok());
      room.OnNode(node);
    }
    room.Fit(true);
  }
};

TEST_CASE("KueueRoom: whatever has come before, it is what there is that counts") {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    Facts facts;
    Ledger ledger{{{ThreeLevels(), {}}}};
    KueueRoom room(ledger, true);
    for (int step = 0; step < 120; ++step) {
      facts.Change(random, ledger, room);
      room.Fit(false);
      room.Fit(true);
      REQUIRE(room.BrokenInvariant() == "");
      Ledger fresh{{{ThreeLevels(), {}}}};
      KueueRoom other(fresh, true);
      facts.Tell(fresh, other);
      REQUIRE(room.Nodes() == other.Nodes());
      for (const std::string& node : room.Nodes()) {
        const auto used = [&](const Ledger& of) {
          return of.model().Use(of.model().FindNode(node), "example.com/gpu").used;
        };
        REQUIRE(used(ledger) == used(fresh));
      }
    }
  }
}

TEST_CASE("KueueRoom: a search for room in a rack ends, and goes on where it was") {
  const int nodes = static_cast<int>(kKueueLooksAtOnce) + 100;
  Rack rack(nodes, nodes - 1);
  rack.Put(1);
  CHECK(rack.room.work() <= kKueueLooksAtOnce + 20);
  CHECK_FALSE(rack.room.any());
  rack.room.Tick(absl::UnixEpoch());
  rack.room.Fit(true);
  CHECK(rack.room.Nodes() == std::vector<std::string>{Rack::NameOf(nodes - 1)});
  CHECK(rack.room.BrokenInvariant() == "");
}

}  // namespace gangplan::kueue_room_cost_test
