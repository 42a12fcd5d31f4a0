#include "extender/app/room_gauges.h"

#include "extender/app/limits.h"
#include "fmt/format.h"
#include "kube_fakes.h"
#include "metric_value.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/check.h"
#include "topology/model.h"

namespace gangplan::room_gauges_test {
namespace {

struct World {
  explicit World(PlannerOptions with = PlannerWorld::Options()) : options(std::move(with)) {}

  PlannerOptions options;
  Metrics metrics;
  FakeClock clock;
  LockedPlanner planner{std::move(options), metrics, [](Effects) {}, [] {}};
  RoomGauges room{planner, metrics, clock};

  void Put(const std::vector<NodeFacts>& nodes) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      for (const NodeFacts& node : nodes)
        GANGPLAN_CHECK(inner.OnNode(absl::UnixEpoch(), node).ok());
    });
  }
  // -1: it is not told.
  int Largest(std::string_view level, std::string_view shape) {
    const std::string name =
        fmt::format("gangplan_largest_gang{{level=\"{}\",shape=\"{}\"}}", level, shape);
    return metrics.Text().find(name) == std::string::npos ? -1 : MetricValue(metrics, name);
  }
  bool Says(const std::string& line) {
    return metrics.Text().find(line + "\n") != std::string::npos;
  }
};

TEST_CASE("Room gauges: the largest gang of each level, of one device and of whole nodes") {
  World world;
  std::vector<NodeFacts> nodes = MakeNodes(2, 2, 2);
  nodes[0].unschedulable = true;
  world.Put(nodes);
  world.room.Refresh();
  CHECK(world.Largest("cluster", "example.com/gpu=8") == 7);
  CHECK(world.Largest("block", "example.com/gpu=8") == 4);
  CHECK(world.Largest("rack", "example.com/gpu=8") == 2);
  CHECK(world.Largest("node", "example.com/gpu=8") == 1);
  CHECK(world.Largest("cluster", "example.com/gpu=1") == 56);
  CHECK(world.Largest("rack", "example.com/gpu=1") == 16);
}

TEST_CASE("Room gauges: what is lost is told against the largest domain, used up by pods or not") {
  World world;
  world.Put(MakeNodes(2, 2, 2));
  world.planner.Take(TurnFor::kEvents, [](Planner& planner) {
    for (const char* node : {"b0-r0-n0", "b0-r1-n0", "b1-r0-n0", "b1-r1-n0"}) {
      PodFacts pod = ForeignPod(node, 8);
      pod.node_name = node;
      planner.OnPod(absl::UnixEpoch(), pod);
    }
  });
  world.room.Refresh();
  // Four whole nodes are free, a rack of two could have two of them, and none has more than one.
  CHECK(world.Says(R"(gangplan_fragmentation_ratio{level="rack",shape="example.com/gpu=8"} 0.5)"));
  CHECK(world.Says(R"(gangplan_fragmentation_ratio{level="block",shape="example.com/gpu=8"} 0.5)"));
  CHECK(world.Says(R"(gangplan_fragmentation_ratio{level="cluster",shape="example.com/gpu=8"} 0)"));
  CHECK(world.Says(R"(gangplan_fragmentation_ratio{level="node",shape="example.com/gpu=8"} 0)"));
}

TEST_CASE("Room gauges: of nodes without devices a cpu is asked for, and no whole node") {
  World world;
  NodeFacts bare = MakeNode(0, 0, 0);
  bare.allocatable = {{"cpu", 63'500}};
  world.Put({bare});
  world.room.Refresh();
  CHECK(world.Largest("node", "cpu=1") == 63);
  CHECK(world.metrics.Text().find("shape=\"cpu=63\"") == std::string::npos);
}

TEST_CASE("Room gauges: they are worked out once in a while, and a shape that has gone goes") {
  World world;
  world.Put(MakeNodes(1, 1, 1, 8));
  world.room.Refresh();
  world.Put(MakeNodes(1, 1, 1, 4));
  world.clock.Advance(kRoomGaugesEvery - absl::Nanoseconds(1));
  world.room.Refresh();
  CHECK(world.Largest("node", "example.com/gpu=8") == 1);
  world.clock.Advance(absl::Nanoseconds(1));
  world.room.Refresh();
  CHECK(world.Largest("node", "example.com/gpu=8") == -1);
  CHECK(world.Largest("node", "example.com/gpu=4") == 1);
}

TEST_CASE("Room gauges: nodes that Kubernetes keeps pods off have room for nobody") {
  World world;
  std::vector<NodeFacts> nodes = MakeNodes(1, 1, 4);
  nodes[0].taints = {{"node-role.kubernetes.io/control-plane", "", TaintEffect::kNoSchedule}};
  nodes[1].taints = {{"node.kubernetes.io/disk-pressure", "", TaintEffect::kNoSchedule}};
  nodes[2].taints = {{"nvidia.com/gpu", "present", TaintEffect::kNoSchedule}};
  world.Put(nodes);
  world.room.Refresh();
  CHECK(world.Largest("rack", "example.com/gpu=8") == 2);
}

TEST_CASE("Room gauges: of several topologies each is told by the device of its own nodes") {
  PlannerOptions options = PlannerWorld::Options();
  Topology racks = ThreeLevels();
  racks.name = "racks";
  const Topology rings = *CompleteTopology({"rings", {{"ring", "example.com/ring"}}});
  options.topologies = {{{racks, {}}},
                        {{rings, {{{"example.com/ring", SelectorOperator::kExists, {}}}}}}};
  World world(std::move(options));
  std::vector<NodeFacts> nodes = MakeNodes(1, 1, 2);
  for (NodeFacts node : MakeNodes(9, 1, 1)) {
    if (node.name < "b6") continue;
    node.allocatable = {{"cpu", 64'000}, {"other.com/npu", 4}, {"pods", 64}};
    node.labels = {{"example.com/ring", "x"}, {"kubernetes.io/hostname", node.name}};
    nodes.push_back(node);
  }
  world.Put(nodes);
  world.room.Refresh();
  CHECK(world.Largest("racks/rack", "example.com/gpu=8") == 2);
  CHECK(world.Largest("rings/ring", "other.com/npu=4") == 3);
  CHECK(world.Largest("rings/ring", "example.com/gpu=1") == -1);
}

TEST_CASE("Room gauges: a level that is called as the whole is told once, for itself") {
  Topology topology;
  topology.levels = {{"cluster", "example.com/block"}, {"rack", "example.com/rack"}};
  Model model(*CompleteTopology(topology));
  for (const NodeFacts& node : MakeNodes(2, 1, 2)) REQUIRE(model.UpsertNode(node).ok());
  const std::vector<LeafAmount> leaves(4, {8, 8});
  const std::vector<RoomGauge> gauges = RoomGaugesOf(model.tree(0), leaves, 8, "gpu=8");
  REQUIRE(gauges.size() == 3);
  CHECK(gauges[0].level == "cluster");
  CHECK(gauges[0].largest == 2);
}

TEST_CASE("Room gauges: without nodes there is room for nobody") {
  World world;
  world.room.Refresh();
  CHECK(world.Largest("rack", "cpu=1") == 0);
  CHECK(world.Says(R"(gangplan_fragmentation_ratio{level="rack",shape="cpu=1"} 0)"));
}

}  // namespace
}  // namespace gangplan::room_gauges_test
