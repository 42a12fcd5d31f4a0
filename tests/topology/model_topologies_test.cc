// A model of several topologies: each node is in one of them, and each is as a model that knows its
// own nodes alone.
#include <algorithm>
#include <map>
#include <random>

#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "tests/support/rounds.h"
#include "topology/base/text.h"
#include "topology/model.h"
#include "topology/placement_snapshot.h"

namespace gangplan::model_topologies_test {
namespace {

constexpr TopologyIndex kRacks = 0;
constexpr TopologyIndex kRings = 1;
const ResourceList kOneGpu = {{"gpu", 1}};

NodeScope Pool(std::string_view pool) {
  return {{{"pool", SelectorOperator::kIn, {std::string(pool)}}}};
}

std::vector<ScopedTopology> RacksAndRings() {
  ScopedTopology racks{*CompleteTopology({"racks", {{"block", "b"}, {"rack", "r"}}})};
  racks.nodes = Pool("racks");
  ScopedTopology rings{*CompleteTopology({"rings", {{"ring", "o"}}})};
  rings.nodes = Pool("rings");
  return {racks, rings};
}

NodeFacts RackNode(const std::string& name, const std::string& rack, int64_t gpus = 8) {
  return MakeNode(name, {{"b", "b1"}, {"pool", "racks"}, {"r", rack}}, {{"gpu", gpus}});
}

NodeFacts RingNode(const std::string& name, const std::string& ring, int64_t gpus = 8) {
  return MakeNode(name, {{"o", ring}, {"pool", "rings"}}, {{"gpu", gpus}});
}

Model FourNodes() {
  Model model(RacksAndRings());
  for (const NodeFacts& node :
       {RackNode("a1", "r1"), RackNode("a2", "r2"), RingNode("o1", "x"), RingNode("o2", "x")})
    REQUIRE(model.UpsertNode(node).ok());
  return model;
}

using Counts = std::vector<std::vector<int32_t>>;

}  // namespace

TEST_CASE("A node is of the first topology whose selector picks it, else of the one without") {
  std::vector<ScopedTopology> all = RacksAndRings();
  CHECK(HomeOf(all, {{"pool", "racks"}}) == NodeHome{kRacks, false});
  CHECK(HomeOf(all, {{"pool", "rings"}}) == NodeHome{kRings, false});
  CHECK(HomeOf(all, {{"pool", "x"}}) == NodeHome{kNoTopology, false});
  all.push_back({*CompleteTopology({"gpus", {{"zone", "z"}}})});
  all.back().nodes = {{{"gpu", SelectorOperator::kExists, {}}}};
  CHECK(HomeOf(all, {{"gpu", ""}, {"pool", "rings"}}) == NodeHome{kRings, true});
  all[0].nodes = {};
  CHECK(HomeOf(all, {{"pool", "x"}}) == NodeHome{kRacks, false});
  CHECK(HomeOf(all, {{"gpu", ""}}) == NodeHome{2, false});
}

TEST_CASE("Each topology has its own tree, and a shape is counted in that of its own") {
  const Model model = [] {
    Model made = FourNodes();
    made.PutPod("p", "o1", {{"gpu", 3}});
    return made;
  }();
  Model asked = model;
  const ShapeId in_racks = asked.AcquireShape(kRacks, kOneGpu, {});
  const ShapeId in_rings = asked.AcquireShape(kRings, kOneGpu, {});
  CHECK(in_racks != in_rings);
  CHECK(asked.Counts(in_racks).levels == Counts{{16}, {8, 8}, {8, 8}});
  CHECK(asked.Counts(in_rings).levels == Counts{{13}, {5, 8}});
  CHECK(asked.EmptyCounts(in_rings).levels == Counts{{16}, {8, 8}});
  CHECK(asked.tree(kRacks).Path(1, 1) == "b1/r2");
  CHECK(asked.tree(kRings).Path(0, 0) == "x");
  const NodeIndex ring_node = asked.FindNode("o2");
  CHECK(asked.LeafOfNode(kRings, ring_node) == 1);
  CHECK(asked.LeafOfNode(kRacks, ring_node) == -1);
  CHECK(asked.NodeOfLeaf(kRings, 1) == ring_node);
  CHECK(asked.MayUse(ring_node, in_rings));
  CHECK_FALSE(asked.MayUse(ring_node, in_racks));
}

TEST_CASE("A node that changes its topology leaves one tree for the other") {
  Model model = FourNodes();
  const ShapeId in_racks = model.AcquireShape(kRacks, kOneGpu, {});
  const ShapeId in_rings = model.AcquireShape(kRings, kOneGpu, {});
  model.Counts(in_racks);
  model.Counts(in_rings);
  const uint64_t racks = model.Gain({{in_racks}}), rings = model.Gain({{in_rings}});
  REQUIRE(model.UpsertNode(RingNode("a2", "y")).ok());
  CHECK(model.Counts(in_racks).levels == Counts{{8}, {8}, {8}});
  CHECK(model.Counts(in_rings).levels == Counts{{16, 8}, {8, 8, 8}});
  CHECK(model.Gain({{in_racks}}) == racks);
  CHECK(model.Gain({{in_rings}}) > rings);
  CHECK(model.GainedLeaves({{in_rings}}, rings) == std::vector<int32_t>{2});

  REQUIRE(model.UpsertNode(MakeNode("a2", {{"pool", "none"}}, {{"gpu", 8}})).ok());
  CHECK(model.Counts(in_rings).levels == Counts{{16}, {8, 8}});
  CHECK(model.node_count() == 4);
  CHECK(model.HomeOf(model.FindNode("a2")).topology == kNoTopology);
  model.RemoveNode("a1");
  CHECK(model.Counts(in_racks).levels == Counts{{}, {}, {}});
}

TEST_CASE("What comes free in one topology is no gain in another") {
  Model model = FourNodes();
  model.PutPod("p", "a1", {{"gpu", 8}});
  const ShapeId in_racks = model.AcquireShape(kRacks, kOneGpu, {});
  const ShapeId in_rings = model.AcquireShape(kRings, kOneGpu, {});
  model.Counts(in_racks);
  model.Counts(in_rings);
  const uint64_t racks = model.Gain({{in_racks}}), rings = model.Gain({{in_rings}});
  model.ErasePod("p");
  CHECK(model.Gain({{in_rings}}) == rings);
  CHECK(model.Gain({{in_racks}}) > racks);
}

TEST_CASE("The levels of one topology change, those of the others stay") {
  Model model = FourNodes();
  const ShapeId in_racks = model.AcquireShape(kRacks, kOneGpu, {});
  const ShapeId in_rings = model.AcquireShape(kRings, kOneGpu, {});
  const std::shared_ptr<const Tree> rings = model.SharedTree(kRings);
  model.SetTopology(kRacks, *CompleteTopology({"racks", {{"rack", "r"}}}));
  CHECK(model.Counts(in_racks).levels == Counts{{8, 8}, {8, 8}});
  CHECK(model.SharedTree(kRings) == rings);
  CHECK(model.Counts(in_rings).levels == Counts{{16}, {8, 8}});
  CHECK(model.topologies()[kRacks].nodes == Pool("racks"));
}

TEST_CASE("Nodes in no topology, and in several, are counted, with the first of them by name") {
  std::vector<ScopedTopology> all = RacksAndRings();
  all[1].nodes.labels.front().values.emplace_back("racks");
  Model model(all);
  CHECK(model.FindStrays().in_none == 0);
  for (const char* name : {"n3", "n1", "n2"})
    REQUIRE(model.UpsertNode(MakeNode(name, {}, {{"gpu", 1}})).ok());
  REQUIRE(model.UpsertNode(RackNode("a2", "r1")).ok());
  REQUIRE(model.UpsertNode(RackNode("a1", "r1")).ok());
  Model::Strays strays = model.FindStrays();
  CHECK(strays.in_none == 3);
  CHECK(strays.none_for_one == "n1");
  CHECK(strays.in_several == 2);
  CHECK(strays.several_for_one == "a1");
  REQUIRE(model.PutForeign("n1", {}).ok());
  model.RemoveNode("a1");
  strays = model.FindStrays();
  CHECK(strays.in_none == 2);
  CHECK(strays.none_for_one == "n2");
  CHECK(strays.in_several == 1);
}

TEST_CASE("Nodes in no topology are named, so many nodes at a time") {
  Model model(RacksAndRings());
  for (const char* name : {"n3", "n1", "n2"})
    REQUIRE(model.UpsertNode(MakeNode(name, {}, {{"gpu", 1}})).ok());
  REQUIRE(model.UpsertNode(RackNode("a1", "r1")).ok());
  REQUIRE(model.UpsertNode(MakeNode("n4", {}, {{"gpu", 1}})).ok());
  model.RemoveNode("n1");
  NodeIndex next = 0;
  CHECK(model.InNone(next, 4) == std::vector<std::string>{"n3", "n2"});
  CHECK(next == 4);
  CHECK(model.InNone(next, 4) == std::vector<std::string>{"n4"});
  CHECK(next == kNoNode);
  ScopedTopology racks = RacksAndRings()[0];
  racks.nodes = {};
  Model all(std::vector{racks});
  REQUIRE(all.UpsertNode(MakeNode("n1", {}, {{"gpu", 1}})).ok());
  next = 0;
  CHECK(all.InNone(next, 4).empty());
  CHECK(next == kNoNode);
}

TEST_CASE("A snapshot is of the topology of its shapes") {
  Model model = FourNodes();
  const ShapeId shape = model.AcquireShape(kRings, kOneGpu, {});
  model.AddHold(model.FindNode("o1"), shape);
  model.AddHold(model.FindNode("a1"), shape);
  PlacementSnapshot snapshot;
  snapshot.Take(model, {{shape}}, true);
  CHECK(&snapshot.tree() == &model.tree(kRings));
  CHECK(snapshot.Counts(0, CountKind::kNow).levels == Counts{{15}, {7, 8}});
  for (const char* name : {"o1", "a1"}) {
    const int32_t leaf = model.LeafOfNode(kRings, model.FindNode(name));
    if (leaf >= 0) snapshot.Freed(leaf, snapshot.AmountsOf(kOneGpu), 1);
  }
  CHECK(snapshot.Counts(0, CountKind::kNow).levels == Counts{{16}, {8, 8}});
}

namespace {

// The same random facts told to one model of all topologies, and of each topology to one that is
// told of its nodes alone.
class Worlds {
 public:
  explicit Worlds(uint32_t seed) : random_(seed) {
    for (const ScopedTopology& topology : RacksAndRings())
      alone_.emplace_back(static_cast<const Topology&>(topology));
    NodeFilter racks;
    racks.required_terms = {{{{"r", SelectorOperator::kNotIn, {"r1"}}}, {}}};
    for (const NodeFilter& filter : {NodeFilter{}, racks}) {
      for (int64_t gpus : {1, 3}) {
        for (TopologyIndex t : {kRacks, kRings}) {
          const ResourceList demand = {{"gpu", gpus}};
          shapes_.push_back({t, both_.AcquireShape(t, demand, filter),
                             alone_[static_cast<size_t>(t)].AcquireShape(0, demand, filter)});
        }
      }
    }
  }

  void Step() {
    const std::string name = fmt::format("n{}", Pick(16));
    switch (Pick(6)) {
      case 0:
      case 1:
        return Put(name);
      case 2:
        both_.RemoveNode(name);
        nodes_.erase(name);
        for (Model& one : alone_) one.RemoveNode(name);
        return;
      case 3:
        return PutPod(fmt::format("p{}", Pick(20)), name);
      default: {
        const std::string uid = fmt::format("p{}", Pick(20));
        both_.ErasePod(uid);
        pods_.erase(uid);
        for (Model& one : alone_) one.ErasePod(uid);
      }
    }
  }

  void Check() const {
    for (const Shape& shape : shapes_) {
      const Model& alone = alone_[static_cast<size_t>(shape.topology)];
      for (CountKind kind : {CountKind::kNow, CountKind::kEmpty})
        REQUIRE(both_.Counts(shape.both, kind).levels == alone.Counts(shape.alone, kind).levels);
    }
  }

  // Told in another order.
  std::string Retold() {
    Model fresh(RacksAndRings());
    std::vector<const NodeFacts*> order;
    for (const auto& [name, node] : nodes_) order.push_back(&node);
    std::shuffle(order.begin(), order.end(), random_);
    for (const NodeFacts* node : order) REQUIRE(fresh.UpsertNode(*node).ok());
    for (const auto& [uid, pod] : pods_) fresh.PutPod(uid, pod.first, {{"gpu", pod.second}});
    for (const Shape& shape : shapes_)
      fresh.AcquireShape(shape.topology, both_.demand(shape.both), filters_of(shape));
    return fresh.Fingerprint();
  }
  std::string Fingerprint() const { return both_.Fingerprint(); }

 private:
  struct Shape {
    TopologyIndex topology = 0;
    ShapeId both = -1;
    ShapeId alone = -1;
  };

  NodeFilter filters_of(const Shape& shape) const {
    NodeFilter racks;
    racks.required_terms = {{{{"r", SelectorOperator::kNotIn, {"r1"}}}, {}}};
    return &shape - shapes_.data() < 4 ? NodeFilter{} : racks;
  }
  uint32_t Pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  void Put(const std::string& name) {
    const std::string unit = fmt::format("r{}", Pick(3));
    NodeFacts node = RackNode(name, unit, 1 + Pick(8));
    const uint32_t kind = Pick(3);
    if (kind == 1) node = RingNode(name, unit, 1 + Pick(8));
    if (kind == 2) node.labels = {{"b", "b1"}, {"o", unit}};
    if (Pick(6) == 0) std::erase_if(node.labels, [](auto& one) { return one.first == "r"; });
    node.ready = Pick(5) > 0;
    REQUIRE(both_.UpsertNode(node).ok());
    nodes_[name] = node;
    for (size_t t = 0; t < alone_.size(); ++t) {
      if (t == kind) {
        REQUIRE(alone_[t].UpsertNode(node).ok());
      } else {
        alone_[t].RemoveNode(name);
      }
    }
  }

  void PutPod(const std::string& uid, const std::string& node) {
    const int64_t gpus = 1 + Pick(3);
    both_.PutPod(uid, node, {{"gpu", gpus}});
    pods_[uid] = {node, gpus};
    for (Model& one : alone_) one.PutPod(uid, node, {{"gpu", gpus}});
  }

  std::mt19937 random_;
  Model both_{RacksAndRings()};
  std::vector<Model> alone_;
  std::vector<Shape> shapes_;
  std::map<std::string, NodeFacts> nodes_;
  std::map<std::string, std::pair<std::string, int64_t>> pods_;
};

}  // namespace

TEST_CASE("Several topologies in one model count as a model of each would, whatever the order") {
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(Rounds(30)); ++seed) {
    Worlds worlds(seed);
    for (int step = 0; step < 300; ++step) {
      worlds.Step();
      if (step % 3 == 0) worlds.Check();
    }
    REQUIRE(worlds.Fingerprint() == worlds.Retold());
  }
}

}  // namespace gangplan::model_topologies_test
