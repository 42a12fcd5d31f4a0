#include "extender/app/topology_gaps.h"

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "told_cluster.h"
#include "topology/base/check.h"

namespace gangplan::topology_gaps_test {
namespace {

NodeFacts WithoutRack() {
  NodeFacts node = MakeNode(0, 0, 1);
  std::erase_if(node.labels, [](const auto& one) { return one.first == "example.com/rack"; });
  return node;
}

struct World {
  explicit World(PlannerOptions options = PlannerWorld::Options())
      : planner(
            std::move(options), metrics, [](Effects) {}, [] {}) {}
  Metrics metrics;
  ToldCluster cluster;
  LockedPlanner planner;
  GapsWatch watch{planner, cluster};
  absl::Time now = absl::UnixEpoch();

  void Put(const NodeFacts& node) {
    planner.Take(TurnFor::kEvents,
                 [&](Planner& inner) { GANGPLAN_CHECK(inner.OnNode(now, node).ok()); });
  }
  void Sync() {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) { inner.OnSynced(now); });
  }
  // How many were told by a look so much later.
  size_t LookAfter(absl::Duration later) {
    now += later;
    const size_t before = cluster.told.size();
    watch.Look(now);
    return cluster.told.size() - before;
  }
};

TEST_CASE("Gaps watch: that no node is ours is told on our pod") {
  PlannerOptions options = PlannerWorld::Options();
  options.nodes.labels = {{"pool", SelectorOperator::kIn, {"a"}}};
  World world(std::move(options));
  world.Put(MakeNode(0, 0, 0));
  world.Sync();
  REQUIRE(world.LookAfter(absl::Seconds(1)) == 1);
  CHECK(world.cluster.told.front().note ==
        "none of 1 nodes has the labels of this scheduler's (nodes); expected these labels on the "
        "nodes, or a configuration by labels that they have");
  NodeFacts ours = MakeNode(0, 0, 1);
  SetLabel(ours.labels, "pool", "a");
  world.Put(ours);
  CHECK(world.LookAfter(GapsWatch::kTellEach) == 0);
}

TEST_CASE("Topology gaps: nodes of no topology and of several are named, and gaps by topology") {
  PlannerOptions options = PlannerWorld::Options();
  const auto pool = [](std::vector<std::string> names) {
    return NodeScope{{{"pool", SelectorOperator::kIn, std::move(names)}}};
  };
  Topology rings = *CompleteTopology({"rings", {{"ring", "example.com/ring"}}});
  options.topologies[0].topology.name = "racks";
  options.topologies[0].topology.nodes = pool({"racks", "both"});
  options.topologies.push_back({{rings, pool({"rings", "both"})}});
  World world(std::move(options));
  const auto put = [&](int number, std::string_view of) {
    NodeFacts node = MakeNode(0, 0, number);
    if (!of.empty()) SetLabel(node.labels, "pool", std::string(of));
    world.Put(node);
  };
  put(0, "racks");
  put(1, "rings");
  put(2, "both");
  put(3, "");
  world.Sync();
  CHECK(TopologyGaps(world.planner) ==
        "topology rings: 1 of 1 nodes lack the label example.com/ring (level ring) and take no "
        "members: b0-r0-n1 for one; 1 of 4 nodes are in no topology and take no members: b0-r0-n3 "
        "for one; 1 of 4 nodes are in several topologies and count for the first: b0-r0-n2 for "
        "one");
}

TEST_CASE(
    "Gaps watch: what the topology leaves out at the start is told on our pod, once an hour") {
  World world;
  world.Put(MakeNode(0, 0, 0));
  world.Put(WithoutRack());
  CHECK(world.LookAfter(absl::Seconds(1)) == 0);  // not all nodes are known yet
  world.Sync();
  world.cluster.acts = false;
  CHECK(world.LookAfter(absl::Seconds(1)) == 0);  // who acts tells it
  world.cluster.acts = true;
  REQUIRE(world.LookAfter(absl::Seconds(1)) == 1);
  const EventNote& told = world.cluster.told.front();
  CHECK(told.regarding.name.empty());
  CHECK(told.warning);
  CHECK(told.reason == "TopologyGaps");
  CHECK(told.note ==
        "1 of 2 nodes lack the label example.com/rack (level rack) and take no members: b0-r0-n1 "
        "for one; expected these labels on the nodes, or a configuration by labels that they "
        "have");
  CHECK(world.LookAfter(GapsWatch::kLookEach) == 0);
  CHECK(world.LookAfter(GapsWatch::kTellEach - GapsWatch::kLookEach) == 1);
}

TEST_CASE("Gaps watch: a node that comes without its labels is told when it stays so") {
  World world;
  world.Put(MakeNode(0, 0, 0));
  world.Sync();
  CHECK(world.LookAfter(absl::Seconds(1)) == 0);
  world.Put(WithoutRack());
  CHECK(world.LookAfter(GapsWatch::kLookEach) == 0);
  world.Put(MakeNode(0, 0, 1));  // labelled by now
  CHECK(world.LookAfter(GapsWatch::kLookEach) == 0);
  world.Put(WithoutRack());
  CHECK(world.LookAfter(GapsWatch::kLookEach) == 0);
  CHECK(world.LookAfter(GapsWatch::kLookEach - absl::Seconds(1)) == 0);  // none is due
  CHECK(world.LookAfter(absl::Seconds(1)) == 1);
}

}  // namespace
}  // namespace gangplan::topology_gaps_test
