#include "topology/model.h"
#include "topology/implied_resource.h"

#include <limits>

#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "topology/base/text.h"
#include "topology/implied_resource.h"
#include "topology/label_columns.h"

namespace gangplan::model_test {
namespace {

const ResourceList kOneGpu = {{"gpu", 1}};
const ResourceList kTwoCpuOneGpu = {{"cpu", 2000}, {"gpu", 1}};

NodeFacts GpuNode(const std::string& name, const std::string& block, const std::string& rack,
                  int64_t gpus) {
  return MakeNode(name, {{"b", block}, {"r", rack}}, {{"cpu", 10'000}, {"gpu", gpus}});
}

// Two racks of two nodes with 8 GPUs each, in one block.
Model FourNodes() {
  Model model(BlockRackNode());
  for (const char* name : {"n1", "n2"}) REQUIRE(model.UpsertNode(GpuNode(name, "b", "r1", 8)).ok());
  for (const char* name : {"n3", "n4"}) REQUIRE(model.UpsertNode(GpuNode(name, "b", "r2", 8)).ok());
  return model;
}

using Counts = std::vector<std::vector<int32_t>>;

TEST_CASE("counts are floors of free over demand, summed up the tree") {
  Model model = FourNodes();
  ShapeId gpu = model.AcquireShape(0, kOneGpu, {});
  ShapeId both = model.AcquireShape(0, kTwoCpuOneGpu, {});
  CHECK(model.Counts(gpu).levels == Counts{{32}, {16, 16}, {8, 8, 8, 8}});
  CHECK(model.Counts(both).levels == Counts{{20}, {10, 10}, {5, 5, 5, 5}});
  model.PutPod("p1", "n2", {{"cpu", 3000}, {"gpu", 6}});
  CHECK(model.Counts(gpu).levels == Counts{{26}, {10, 16}, {8, 2, 8, 8}});
  CHECK(model.Counts(both).levels == Counts{{17}, {7, 10}, {5, 2, 5, 5}});
  CHECK(model.EmptyCounts(both).levels == Counts{{20}, {10, 10}, {5, 5, 5, 5}});
}

TEST_CASE("a demand of nothing fits as often as the cap says, an unknown resource never") {
  Model model = FourNodes();
  CHECK(model.Counts(model.AcquireShape(0, {}, {})).at(2)[0] == kMaxLeafCount);
  CHECK(model.Counts(model.AcquireShape(0, {{"gpu", 0}}, {})).at(0)[0] == 4 * kMaxLeafCount);
  CHECK(model.Counts(model.AcquireShape(0, {{"fpga", 1}}, {})).at(0)[0] == 0);
}

TEST_CASE("a node of others adds to nothing and keeps its labels") {
  Model model = FourNodes();
  const ShapeId gpu = model.AcquireShape(0, kOneGpu, {});
  CHECK(model.Counts(gpu).at(0)[0] == 32);
  LabelColumn made;
  const NodeFacts node = GpuNode("n4", "b", "r2", 8);
  model.PutPod("p1", "n4", {{"gpu", 6}});
  const uint64_t before = model.gain_version();
  REQUIRE(model.PutForeign("n4", node.labels).ok());
  CHECK(model.gain_version() == before);
  const NodeIndex index = model.FindNode("n4");
  CHECK(model.node_count() == 3);
  CHECK(model.foreign_count() == 1);
  CHECK(model.Facts(index) == nullptr);
  REQUIRE(model.ForeignLabels(index) != nullptr);
  CHECK(*model.ForeignLabels(index) == node.labels);
  CHECK(model.LeafOfNode(0, index) == -1);
  CHECK(model.AllFacts().size() == 3);
  CHECK(model.tree(0).unplaced().empty());
  CHECK(model.Counts(gpu).levels == Counts{{24}, {16, 8}, {8, 8, 8}});
  CHECK(model.EmptyCounts(gpu).at(0)[0] == 24);
  CHECK(model.FreeInAll("gpu") == 24);
  CHECK_FALSE(model.MayUse(index, gpu));
  CHECK(model.Label("r", made).values()[static_cast<size_t>(index)] != 0);
  // It comes back, with what stands on it.
  REQUIRE(model.UpsertNode(node).ok());
  CHECK(model.foreign_count() == 0);
  CHECK(model.ForeignLabels(model.FindNode("n4")) == nullptr);
  CHECK(model.Counts(gpu).levels == Counts{{26}, {16, 10}, {8, 8, 8, 2}});
  // Gone as another one's it leaves nothing.
  Model without = FourNodes();
  without.RemoveNode("n4");
  Model with = FourNodes();
  REQUIRE(with.PutForeign("n4", node.labels).ok());
  CHECK(with.Fingerprint() != without.Fingerprint());
  with.RemoveNode("n4");
  CHECK(with.FindNode("n4") == kNoNode);
  CHECK(with.Fingerprint() == without.Fingerprint());
}

TEST_CASE("so many nodes of others are known and no more") {
  Model model(BlockRackNode());
  for (int32_t i = 0; i < kMaxNodes; ++i) REQUIRE(model.PutForeign(fmt::format("f{}", i), {}).ok());
  CHECK(absl::IsResourceExhausted(model.PutForeign("more", {})));
  CHECK(model.FindNode("more") == kNoNode);
  CHECK(model.PutForeign("f0", {{"b", "x"}}).ok());
  CHECK(model.UpsertNode(GpuNode("own", "b", "r", 1)).ok());
  // One that was ours is not kept either.
  CHECK(absl::IsResourceExhausted(model.PutForeign("own", {})));
  CHECK(model.node_count() == 0);
}

TEST_CASE("with other levels pods, holds and shapes stay and the counts follow") {
  Model model = FourNodes();
  const ShapeId gpu = model.AcquireShape(0, kOneGpu, {});
  model.PutPod("p1", "n2", {{"gpu", 6}});
  model.AddHold(model.FindNode("n3"), gpu);
  CHECK(model.Counts(gpu).levels == Counts{{25}, {10, 15}, {8, 2, 7, 8}});
  const uint64_t before = model.gain_version();
  Topology racks;
  racks.levels = {{"rack", "r"}};
  model.SetTopology(0, *CompleteTopology(racks));
  CHECK(model.gain_version() > before);
  CHECK(model.Counts(gpu).levels == Counts{{10, 15}, {8, 2, 7, 8}});
  CHECK(model.EmptyCounts(gpu).levels == Counts{{16, 16}, {8, 8, 8, 8}});
  model.RemoveHold(model.FindNode("n3"), gpu);
  model.SetTopology(0, BlockRackNode());
  CHECK(model.Counts(gpu).levels == Counts{{26}, {10, 16}, {8, 2, 8, 8}});
}

TEST_CASE("a shared tree is the model's own, and stays as it was when the model has another") {
  Model model = FourNodes();
  const std::shared_ptr<const Tree> before = model.SharedTree(0);
  CHECK(before.get() == &model.tree(0));
  model.PutPod("p1", "n1", {{"gpu", 6}});
  CHECK(model.SharedTree(0) == before);
  const Model copy = model;
  CHECK(copy.SharedTree(0) == before);
  model.RemoveNode("n1");
  CHECK(model.tree(0).leaf_count() == 3);
  CHECK(model.SharedTree(0).get() == &model.tree(0));
  CHECK(before->leaf_count() == 4);
  CHECK(before->name(2, 0) == "n1");
  CHECK(copy.SharedTree(0) == before);
}

TEST_CASE("equal shapes have one id and their demand back") {
  Model model = FourNodes();
  NodeFilter filter;
  filter.node_selector = {{"b", "b"}};
  ShapeId first = model.AcquireShape(0, kOneGpu, filter);
  CHECK(model.AcquireShape(0, kOneGpu, filter) == first);
  CHECK(model.AcquireShape(0, kOneGpu, {}) != first);
  CHECK(model.AcquireShape(0, kTwoCpuOneGpu, filter) != first);
  CHECK(model.demand(first) == kOneGpu);
  model.ReleaseShape(first);
  CHECK(model.AcquireShape(0, kOneGpu, filter) == first);
}

TEST_CASE("holds take room of every shape until they are removed") {
  Model model = FourNodes();
  ShapeId gpu = model.AcquireShape(0, kOneGpu, {});
  NodeIndex n1 = model.FindNode("n1");
  model.AddHold(n1, gpu);
  model.AddHold(n1, gpu);
  CHECK(model.HoldCount(n1) == 2);
  CHECK(model.Counts(gpu).at(2)[0] == 6);
  CHECK(model.Use(n1, "gpu") == ResourceUse{8, 0, 2});
  model.RemoveHold(n1, gpu);
  model.RemoveHold(n1, gpu);
  CHECK(model.HoldCount(n1) == 0);
  CHECK(model.Counts(gpu).at(2)[0] == 8);
}

TEST_CASE("a hold goes with any shape of its demand, also after the shape was released") {
  Model model = FourNodes();
  NodeFilter filter;
  filter.node_selector = {{"b", "b"}};
  ShapeId held = model.AcquireShape(0, kOneGpu, {});
  NodeIndex n1 = model.FindNode("n1");
  model.AddHold(n1, held);
  model.ReleaseShape(held);
  ShapeId other = model.AcquireShape(0, kOneGpu, filter);
  model.RemoveHold(n1, other);
  CHECK(model.Use(n1, "gpu") == ResourceUse{8, 0, 0});
}

TEST_CASE("a node counts as 0 while it may not be used, and in full at its best") {
  NodeFacts node = GpuNode("n1", "b", "r1", 8);
  Model model = FourNodes();
  ShapeId gpu = model.AcquireShape(0, kOneGpu, {});
  REQUIRE(model.Counts(gpu).at(2)[0] == 8);
  REQUIRE(model.EmptyCounts(gpu).at(2)[0] == 8);
  NodeIndex n1 = model.FindNode("n1");
  SECTION("cordoned") { node.unschedulable = true; }
  SECTION("not ready") { node.ready = false; }
  SECTION("tainted as unreachable") {
    node.taints = {{"node.kubernetes.io/unreachable", "", TaintEffect::kNoExecute}};
  }
  REQUIRE(model.UpsertNode(node).ok());
  CHECK_FALSE(model.MayUse(n1, gpu));
  CHECK(model.Counts(gpu).levels == Counts{{24}, {8, 16}, {0, 8, 8, 8}});
  CHECK(model.EmptyCounts(gpu).at(0)[0] == 32);
  REQUIRE(model.UpsertNode(GpuNode("n1", "b", "r1", 8)).ok());
  CHECK(model.MayUse(n1, gpu));
  CHECK(model.Counts(gpu).at(0)[0] == 32);
}

TEST_CASE("selectors and lasting taints hold on the empty cluster too") {
  Model model = FourNodes();
  NodeFilter filter;
  filter.node_selector = {{"r", "r1"}};
  ShapeId shape = model.AcquireShape(0, kOneGpu, filter);
  NodeFacts tainted = GpuNode("n1", "b", "r1", 8);
  tainted.taints = {{"team", "red", TaintEffect::kNoSchedule}};
  REQUIRE(model.UpsertNode(tainted).ok());
  CHECK(model.Counts(shape).levels == Counts{{8}, {8, 0}, {0, 8, 0, 0}});
  CHECK(model.EmptyCounts(shape).levels == Counts{{8}, {8, 0}, {0, 8, 0, 0}});
}

TEST_CASE("pods may come before their node and stay when it goes") {
  Model model(BlockRackNode());
  ShapeId gpu = model.AcquireShape(0, kOneGpu, {});
  model.PutPod("p", "n1", {{"gpu", 3}});
  CHECK(model.node_count() == 0);
  NodeIndex n1 = model.FindNode("n1");
  REQUIRE(n1 != kNoNode);
  CHECK(model.Facts(n1) == nullptr);
  CHECK(model.NodeName(n1) == "n1");
  CHECK(model.LeafOfNode(0, n1) == -1);
  CHECK_FALSE(model.MayUse(n1, gpu));
  REQUIRE(model.UpsertNode(GpuNode("n1", "b", "r", 8)).ok());
  CHECK(model.FindNode("n1") == n1);
  CHECK(model.NodeOfLeaf(0, 0) == n1);
  CHECK(model.Counts(gpu).at(0)[0] == 5);
  model.RemoveNode("n1");
  CHECK(model.FindNode("n1") == n1);
  CHECK(model.tree(0).leaf_count() == 0);
  CHECK(model.Overcommitted(n1));
  model.ErasePod("p");
  CHECK(model.FindNode("n1") == kNoNode);
}

TEST_CASE("a pod that is put again is resized or moved, never counted twice") {
  Model model = FourNodes();
  ShapeId gpu = model.AcquireShape(0, kOneGpu, {});
  model.PutPod("p", "n1", {{"gpu", 3}});
  model.PutPod("p", "n1", {{"gpu", 3}});
  CHECK(model.Counts(gpu).at(2)[0] == 5);
  model.PutPod("p", "n1", {{"gpu", 1}});
  CHECK(model.Counts(gpu).at(2)[0] == 7);
  model.PutPod("p", "n2", {{"gpu", 1}});
  CHECK(model.Counts(gpu).levels.back() == std::vector<int32_t>{8, 7, 8, 8});
  model.ErasePod("p");
  model.ErasePod("p");
  CHECK(model.Counts(gpu).at(0)[0] == 32);
}

TEST_CASE("an over-committed node has room for nothing that names the resource") {
  Model model = FourNodes();
  ShapeId gpu = model.AcquireShape(0, kOneGpu, {});
  NodeIndex n1 = model.FindNode("n1");
  model.PutPod("p", "n1", {{"gpu", 9}});
  CHECK(model.Overcommitted(n1));
  CHECK(model.Counts(gpu).at(2)[0] == 0);
  CHECK_FALSE(model.HasRoom(n1, kOneGpu));
  CHECK(model.HasRoom(n1, {{"cpu", 10'000}}));
  CHECK_FALSE(model.HasRoom(n1, {{"cpu", 10'001}}));
  CHECK_FALSE(model.HasRoom(n1, kOneGpu, {{"gpu", 1}}));
  CHECK(model.HasRoom(n1, kOneGpu, {{"gpu", 2}}));
  CHECK(model.HasRoom(n1, {}));
  CHECK_FALSE(model.HasRoom(n1, {{"fpga", 1}}));
  CHECK_FALSE(model.Overcommitted(model.FindNode("n2")));
}

TEST_CASE("sums beyond 64 bits stay exact") {
  const int64_t most = std::numeric_limits<int64_t>::max();
  Model model(BlockRackNode());
  REQUIRE(model.UpsertNode(MakeNode("n", {{"b", "b"}, {"r", "r"}}, {{"x", most}})).ok());
  ShapeId shape = model.AcquireShape(0, {{"x", most}}, {});
  for (const char* uid : {"p", "q", "r"}) model.PutPod(uid, "n", {{"x", most}});
  CHECK(model.Counts(shape).at(0)[0] == 0);
  CHECK(model.Use(model.FindNode("n"), "x") == ResourceUse{most, most, 0});
  for (const char* uid : {"p", "q", "r"}) model.ErasePod(uid);
  CHECK(model.Counts(shape).at(0)[0] == 1);
}

TEST_CASE("a relabelled node moves in the tree with what is on it") {
  Model model = FourNodes();
  ShapeId gpu = model.AcquireShape(0, kOneGpu, {});
  model.PutPod("p", "n1", {{"gpu", 3}});
  CHECK(model.Counts(gpu).at(1)[0] == 13);
  REQUIRE(model.UpsertNode(GpuNode("n1", "a", "r9", 8)).ok());
  CHECK(model.tree(0).Path(2, 0) == "a/r9/n1");
  CHECK(model.Counts(gpu).levels == Counts{{5, 24}, {5, 8, 16}, {5, 8, 8, 8}});
  CHECK(model.LeafOfNode(0, model.FindNode("n1")) == 0);
}

TEST_CASE("counts of more shapes than are kept are right all the same") {
  Model model = FourNodes();
  std::vector<ShapeId> shapes;
  const auto most = static_cast<int64_t>(kMaxCountedShapes);
  for (int64_t i = 1; i <= most + 100; ++i)
    shapes.push_back(model.AcquireShape(0, {{"gpu", 1}, {"label", 0}, {"n", -i}}, {}));
  const FitCounts& first = model.Counts(shapes[0]);
  for (int64_t i = 0; i < most; ++i) REQUIRE(model.Counts(shapes[i]).at(0)[0] == 32);
  CHECK(first.at(0)[0] == 32);  // what was read stays until the next change
  for (ShapeId shape : shapes) REQUIRE(model.Counts(shape).at(0)[0] == 32);
  model.PutPod("p", "n1", {{"gpu", 8}});
  for (ShapeId shape : shapes) REQUIRE(model.Counts(shape).at(0)[0] == 24);
  for (ShapeId shape : shapes) model.ReleaseShape(shape);
  model.ErasePod("p");
  CHECK(model.Counts(model.AcquireShape(0, kOneGpu, {})).at(0)[0] == 32);
}

TEST_CASE("counts of shapes are kept up to a number also while nothing changes") {
  Model model = FourNodes();
  std::vector<ShapeId> shapes;
  for (int64_t i = 1; i <= 3 * static_cast<int64_t>(kMaxCountedShapes); ++i)
    shapes.push_back(model.AcquireShape(0, {{"gpu", 1}, {"n", -i}}, {}));
  for (ShapeId shape : shapes) model.Counts(shape);
  const auto costs = [&](ShapeId shape) {
    const int64_t before = model.work();
    CHECK(model.Counts(shape).at(0)[0] == 32);
    return model.work() - before;
  };
  CHECK(costs(shapes.back()) == 0);
  CHECK(costs(shapes[shapes.size() - kMaxCountedShapes / 2]) == 0);
  CHECK(costs(shapes.front()) > 0);
  CHECK(costs(shapes[kMaxCountedShapes]) > 0);
}

TEST_CASE("what a count costs grows with what the shape asks for, as far as it is looked at") {
  Model model = FourNodes();
  const auto costs = [&](const ResourceList& demand) {
    const ShapeId shape = model.AcquireShape(0, demand, {});
    const int64_t before = model.work();
    model.Counts(shape);
    return model.work() - before;
  };
  ResourceList ports, missing;
  for (int i = 0; i < 200; ++i) {
    ports.push_back({HostPort(1000 + i, "TCP"), kWholeNode});
    missing.push_back({fmt::format("example.com/r{:03}", i), 1});
  }
  costs({});  // and the tree
  const int64_t one = costs({{"gpu", 1}});
  CHECK(costs(ports) >= 10 * one);
  CHECK(costs(missing) <= 4 * one);
}

TEST_CASE("a copy goes its own way") {
  Model model = FourNodes();
  ShapeId gpu = model.AcquireShape(0, kOneGpu, {});
  REQUIRE(model.Counts(gpu).at(0)[0] == 32);
  Model copy = model;
  copy.PutPod("p", "n1", {{"gpu", 8}});
  CHECK(copy.Counts(gpu).at(0)[0] == 24);
  CHECK(model.Counts(gpu).at(0)[0] == 32);
  model = copy;
  CHECK(model.Fingerprint() == copy.Fingerprint());
  CHECK(model.Counts(gpu).at(0)[0] == 24);
}

TEST_CASE("no more nodes than the limit are taken") {
  Model model(CompleteTopology({"flat", {{"node", std::string(kHostnameLabel)}}}).value());
  for (int32_t i = 0; i < kMaxNodes; ++i)
    REQUIRE(model.UpsertNode(MakeNode(fmt::format("n{}", i), {})).ok());
  CHECK(model.node_count() == kMaxNodes);
  absl::Status status = model.UpsertNode(MakeNode("one-more", {}));
  CHECK(status.code() == absl::StatusCode::kResourceExhausted);
  CHECK(Message(status) == "node one-more: there are 100000 nodes already, no more are taken");
  CHECK(model.UpsertNode(MakeNode("n7", {{"x", "y"}})).ok());
  model.RemoveNode("n0");
  CHECK(model.UpsertNode(MakeNode("one-more", {})).ok());
  CHECK(model.Counts(model.AcquireShape(0, {}, {})).at(0).size() == static_cast<size_t>(kMaxNodes));
}

}  // namespace
}  // namespace gangplan::model_test
