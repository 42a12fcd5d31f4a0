// A snapshot against the model that it was taken of, on random clusters, and beside its changes.
#include "topology/placement_snapshot.h"

#include <algorithm>
#include <random>

#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "tests/support/rounds.h"
#include "topology/base/text.h"

namespace gangplan::placement_snapshot_test {
namespace {

constexpr CountKind kKinds[] = {CountKind::kNow, CountKind::kEmpty};

// All answers about some shapes; `fit` gives them.
template <typename Counts, typename Fit>
std::string Answers(const Tree& tree, size_t shapes, Counts counts, Fit fit) {
  std::string text;
  for (CountKind kind : kKinds) {
    for (size_t shape = 0; shape < shapes; ++shape) {
      for (const std::vector<int32_t>& level : counts(shape, kind).levels)
        text += fmt::format("[{}] ", fmt::join(level, ","));
      for (int32_t leaf = 0; shapes > 1 && leaf < tree.leaf_count(); ++leaf) {
        for (int32_t taken = 0; taken < 3; ++taken) {
          std::vector<int32_t> all(shapes, 0);
          all[(shape + static_cast<size_t>(leaf)) % shapes] = taken;
          all.back() += leaf % 2;
          text += fmt::format("{} ", fit(leaf, kind, shape, all));
        }
      }
    }
  }
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) text += tree.Path(2, leaf) + " ";
  return text;
}

std::string Answers(const Model& model, const std::vector<ShapeId>& shapes) {
  return Answers(
      model.tree(0), shapes.size(),
      [&](size_t i, CountKind kind) -> const FitCounts& {
        return kind == CountKind::kNow ? model.Counts(shapes[i]) : model.EmptyCounts(shapes[i]);
      },
      [&](int32_t leaf, CountKind kind, size_t i, const std::vector<int32_t>& taken) {
        return model.FitBeside(leaf, kind, shapes[i], shapes, taken);
      });
}

std::string Answers(const PlacementSnapshot& snapshot, size_t shapes) {
  return Answers(
      snapshot.tree(), shapes,
      [&](size_t i, CountKind kind) -> const FitCounts& { return snapshot.Counts(i, kind); },
      [&](int32_t leaf, CountKind kind, size_t i, const std::vector<int32_t>& taken) {
        return snapshot.FitBeside(leaf, kind, i, taken);
      });
}

struct HeldRoom {
  NodeIndex node = kNoNode;
  ShapeId shape = -1;
};

// A cluster of random nodes, half used, and shapes of common and rare resources.
class RandomCluster {
 public:
  explicit RandomCluster(uint32_t seed) : random_(seed) {
    const uint32_t nodes = 1 + Pick(60);
    for (uint32_t i = 0; i < nodes; ++i) PutNode(i);
    for (int i = 0; i < 80; ++i) Change();
    for (uint32_t i = 1 + Pick(4); i > 0; --i) shapes.push_back(Shape());
  }

  void Change() {
    const std::string uid = fmt::format("p{}", Pick(60));
    const uint32_t node = Pick(60);
    switch (Pick(6)) {
      case 0:
        return model.ErasePod(uid);
      case 1:
        return PutNode(node);
      case 2:
        return model.RemoveNode(fmt::format("n{}", Pick(400)));
      default:
        return model.PutPod(uid, fmt::format("n{}", node), Demand());
    }
  }

  // On a node that is there or of which something is known, also where there is no room.
  void Hold() {
    const NodeIndex node = model.FindNode(fmt::format("n{}", Pick(60)));
    if (node == kNoNode) return;
    holds.push_back({node, shapes[Pick(static_cast<uint32_t>(shapes.size()))]});
    model.AddHold(node, holds.back().shape);
  }

  Model model{BlockRackNode()};
  std::vector<ShapeId> shapes;
  std::vector<HeldRoom> holds;

 private:
  uint32_t Pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  ResourceList Demand() {
    ResourceList demand = {{"cpu", 1 + Pick(4)}};
    if (Pick(2) == 0) demand.push_back({"gpu", 1 + Pick(3)});
    if (Pick(3) == 0) demand.push_back({"nic", 1});
    return demand;
  }

  ShapeId Shape() {
    NodeFilter filter;
    if (Pick(3) == 0) filter.node_selector = {{"r", "r1"}};
    return model.AcquireShape(0, Demand(), filter);
  }

  void PutNode(uint32_t i) {
    NodeFacts node = MakeNode(fmt::format("n{}", i), {{"b", "b"}, {"r", fmt::format("r{}", i % 3)}},
                              {{"cpu", 4 + Pick(12)}, {"gpu", Pick(9)}});
    if (i % 20 == 0) node.allocatable.push_back({"nic", 2 + Pick(4)});
    node.ready = Pick(8) > 0;
    REQUIRE(model.UpsertNode(node).ok());
  }

  std::mt19937 random_;
};

TEST_CASE("a snapshot answers as the model does, and does not follow it") {
  PlacementSnapshot snapshot;
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(Rounds(300)); ++seed) {
    INFO("seed " << seed);
    RandomCluster cluster(seed);
    const std::string before = Answers(cluster.model, cluster.shapes);
    snapshot.Take(cluster.model, cluster.shapes);
    REQUIRE(Answers(snapshot, cluster.shapes.size()) == before);
    for (int i = 0; i < 30; ++i) cluster.Change();
    cluster.model.tree(0);
    REQUIRE(Answers(snapshot, cluster.shapes.size()) == before);
    snapshot.Take(cluster.model, cluster.shapes);
    REQUIRE(Answers(snapshot, cluster.shapes.size()) == Answers(cluster.model, cluster.shapes));
  }
}

// Host ports are such resources: 300 of a pod, and sixteen kinds of pods.
TEST_CASE(
    "what shapes ask for by themselves alone costs nothing where they are beside each other") {
  constexpr int kShapes = 16;
  Model model(BlockRackNode());
  REQUIRE(model.UpsertNode(MakeNode("n", {{"b", "b"}, {"r", "r"}}, {{"cpu", 8}})).ok());
  const auto shapes_with = [&](bool shared) {
    std::vector<ShapeId> shapes;
    for (int i = 0; i < kShapes; ++i) {
      ResourceList demand = {{"cpu", 1}};
      for (int port = 0; port < 300; ++port)
        demand.push_back({fmt::format("port-{}-{}", shared ? 0 : i, port), 1});
      std::sort(demand.begin(), demand.end(),
                [](const auto& a, const auto& b) { return a.name < b.name; });
      shapes.push_back(model.AcquireShape(0, demand, {}));
    }
    return shapes;
  };
  PlacementSnapshot snapshot;
  snapshot.Take(model, shapes_with(false));
  CHECK(snapshot.FitWork() == 1);
  snapshot.Take(model, shapes_with(true));
  CHECK(snapshot.FitWork() > 301 * kShapes / 100);
}

TEST_CASE("a snapshot to which holds give their room back is that of a model without them") {
  PlacementSnapshot snapshot;
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(Rounds(300)); ++seed) {
    INFO("seed " << seed);
    RandomCluster cluster(seed);
    for (int i = 0; i < 40; ++i) cluster.Hold();
    std::vector<HeldRoom> behind;
    for (size_t i = 0; i < cluster.holds.size(); i += 1 + i % 3) behind.push_back(cluster.holds[i]);
    snapshot.Take(cluster.model, cluster.shapes, true);
    for (const HeldRoom& hold : behind) {
      const int32_t leaf = cluster.model.LeafOfNode(0, hold.node);
      const std::vector<int64_t> amounts = snapshot.AmountsOf(cluster.model.demand(hold.shape));
      if (leaf >= 0) snapshot.Freed(leaf, amounts, 1);
    }
    for (const HeldRoom& hold : behind) cluster.model.RemoveHold(hold.node, hold.shape);
    REQUIRE(Answers(snapshot, cluster.shapes.size()) == Answers(cluster.model, cluster.shapes));
  }
}

TEST_CASE("what comes free on a node that is over-committed is room beyond what is too much") {
  for (const int carriers : {1, 40}) {  // a resource that few nodes name, or all
    INFO(carriers << " of 40 nodes have it");
    Model model(BlockRackNode());
    for (int i = 0; i < 40; ++i) {
      NodeFacts node =
          MakeNode(fmt::format("n{:02}", i), {{"b", "b"}, {"r", "r"}}, {{"cpu", 8}, {"gpu", 4}});
      if (i >= carriers) node.allocatable.pop_back();
      REQUIRE(model.UpsertNode(node).ok());
    }
    model.PutPod("a", "n00", {{"gpu", 4}});
    model.PutPod("b", "n00", {{"gpu", 4}});
    const std::vector<ShapeId> shapes = {model.AcquireShape(0, {{"gpu", 4}}, {})};
    PlacementSnapshot snapshot;
    snapshot.Take(model, shapes, true);
    const std::vector<int64_t> amounts = snapshot.AmountsOf({{"gpu", 4}});
    const auto count = [&] { return snapshot.Counts(0, CountKind::kNow).levels.back()[0]; };
    CHECK(count() == 0);
    snapshot.Freed(0, amounts, 1);
    CHECK(count() == 0);
    snapshot.Freed(0, amounts, 1);
    CHECK(count() == 1);
    snapshot.Freed(0, amounts, -2);
    CHECK(count() == 0);
  }
}

TEST_CASE("room that comes free of what no node names is known there") {
  Model model(BlockRackNode());
  for (const char* name : {"n0", "n1"})
    REQUIRE(model.UpsertNode(MakeNode(name, {{"b", "b"}, {"r", "r"}}, {{"cpu", 8}})).ok());
  const std::vector<ShapeId> shapes = {model.AcquireShape(0, {{"cpu", 1}, {"gone", 2}}, {})};
  PlacementSnapshot snapshot;
  snapshot.Take(model, shapes, true);
  snapshot.Freed(1, snapshot.AmountsOf({{"gone", 4}}), 1);
  CHECK(snapshot.Counts(0, CountKind::kNow).levels.back() == std::vector<int32_t>{0, 2});
}

TEST_CASE("a snapshot outlives its model") {
  PlacementSnapshot snapshot;
  {
    Model model(BlockRackNode());
    REQUIRE(model.UpsertNode(MakeNode("n", {{"b", "b"}, {"r", "r"}}, {{"gpu", 8}})).ok());
    const ShapeId two = model.AcquireShape(0, {{"gpu", 2}}, {});
    snapshot.Take(model, {{two, model.AcquireShape(0, {{"gpu", 3}}, {})}});
  }
  CHECK(snapshot.tree().Path(2, 0) == "b/r/n");
  CHECK(snapshot.Counts(1, CountKind::kNow).at(0)[0] == 2);
  CHECK(snapshot.FitBeside(0, CountKind::kNow, 0, {{0, 1}}) == 2);
  CHECK(snapshot.FitBeside(0, CountKind::kEmpty, 1, {{3, 0}}) == 0);
}

}  // namespace
}  // namespace gangplan::placement_snapshot_test
