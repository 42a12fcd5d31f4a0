// Which changes can help a waiting group, and which cannot.
#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "topology/model.h"

namespace gangplan::model_gain_test {
namespace {

NodeFacts Node(std::string name = "n1") {
  return MakeNode(std::move(name), {{"b", "b"}, {"r", "r"}}, {{"cpu", 1000}, {"gpu", 8}});
}

// What `change` did to gain_version, after a first node and what `prepare` did.
template <typename Prepare, typename Change>
bool Gains(Prepare prepare, Change change) {
  Model model(BlockRackNode());
  REQUIRE(model.UpsertNode(Node()).ok());
  ShapeId shape = model.AcquireShape(0, {{"gpu", 1}}, {});
  prepare(model, shape);
  uint64_t before = model.gain_version();
  change(model, shape);
  REQUIRE(model.gain_version() >= before);
  return model.gain_version() > before;
}

// A change of the node's facts from `before` to `after`.
bool GainsFacts(const NodeFacts& before, const NodeFacts& after) {
  return Gains([&](Model& model, ShapeId) { REQUIRE(model.UpsertNode(before).ok()); },
               [&](Model& model, ShapeId) { REQUIRE(model.UpsertNode(after).ok()); });
}

template <typename Edit>
NodeFacts With(Edit edit) {
  NodeFacts node = Node();
  edit(node);
  return node;
}

TEST_CASE("nodes that come help, nodes that go do not") {
  auto nothing = [](Model&, ShapeId) {};
  CHECK(Gains(nothing, [](Model& m, ShapeId) { REQUIRE(m.UpsertNode(Node("n2")).ok()); }));
  CHECK_FALSE(Gains(nothing, [](Model& m, ShapeId) { m.RemoveNode("n1"); }));
  CHECK_FALSE(Gains(nothing, [](Model& m, ShapeId) { m.RemoveNode("unknown"); }));
}

TEST_CASE("a node's heartbeat changes nothing") { CHECK_FALSE(GainsFacts(Node(), Node())); }

TEST_CASE("a node that opens up helps, one that closes does not") {
  NodeFacts cordoned = With([](NodeFacts& n) { n.unschedulable = true; });
  NodeFacts unready = With([](NodeFacts& n) { n.ready = false; });
  NodeFacts tainted = With([](NodeFacts& n) { n.taints = {{"t", "", TaintEffect::kNoSchedule}}; });
  NodeFacts mild = With([](NodeFacts& n) {
    n.taints = {{"t", "", TaintEffect::kPreferNoSchedule}};
  });
  for (const NodeFacts& closed : {cordoned, unready, tainted}) {
    CHECK(GainsFacts(closed, Node()));
    CHECK_FALSE(GainsFacts(Node(), closed));
  }
  CHECK(GainsFacts(tainted, mild));
  CHECK_FALSE(GainsFacts(mild, Node()));
  CHECK_FALSE(GainsFacts(mild, tainted));
}

TEST_CASE("allocatable that grows helps, a new label may") {
  NodeFacts more = With([](NodeFacts& n) { n.allocatable = {{"cpu", 500}, {"gpu", 9}}; });
  NodeFacts less = With([](NodeFacts& n) { n.allocatable = {{"cpu", 1000}}; });
  CHECK(GainsFacts(Node(), more));
  CHECK(GainsFacts(less, Node()));
  CHECK_FALSE(GainsFacts(Node(), less));
  NodeFacts labelled = With([](NodeFacts& n) { n.labels.emplace_back("z", ""); });
  CHECK(GainsFacts(Node(), labelled));
  CHECK(GainsFacts(labelled, Node()));
}

TEST_CASE("pods that go, move or shrink help, pods that come or grow do not") {
  auto put = [](Model& m, ShapeId) { m.PutPod("p", "n1", {{"cpu", 5}, {"gpu", 2}}); };
  auto nothing = [](Model&, ShapeId) {};
  CHECK_FALSE(Gains(nothing, put));
  CHECK_FALSE(Gains(put, put));
  CHECK(Gains(put, [](Model& m, ShapeId) { m.ErasePod("p"); }));
  CHECK_FALSE(Gains(nothing, [](Model& m, ShapeId) { m.ErasePod("p"); }));
  CHECK(Gains(put, [](Model& m, ShapeId) { m.PutPod("p", "n2", {{"cpu", 5}, {"gpu", 2}}); }));
  CHECK(Gains(put, [](Model& m, ShapeId) { m.PutPod("p", "n1", {{"cpu", 4}, {"gpu", 3}}); }));
  CHECK(Gains(put, [](Model& m, ShapeId) { m.PutPod("p", "n1", {{"gpu", 2}}); }));
  CHECK_FALSE(Gains(put, [](Model& m, ShapeId) { m.PutPod("p", "n1", {{"cpu", 5}, {"gpu", 3}}); }));
}

TEST_CASE("a pod that leaves a node that is gone frees nothing") {
  auto orphan = [](Model& m, ShapeId) { m.PutPod("p", "gone", {{"gpu", 2}}); };
  CHECK_FALSE(Gains(orphan, [](Model& m, ShapeId) { m.ErasePod("p"); }));
  CHECK_FALSE(Gains(orphan, [](Model& m, ShapeId) { m.PutPod("p", "n1", {{"gpu", 2}}); }));
}

TEST_CASE("holds that end help, holds that begin do not") {
  auto hold = [](Model& m, ShapeId shape) { m.AddHold(m.FindNode("n1"), shape); };
  CHECK_FALSE(Gains([](Model&, ShapeId) {}, hold));
  CHECK(Gains(hold, [](Model& m, ShapeId shape) { m.RemoveHold(m.FindNode("n1"), shape); }));
}

}  // namespace
}  // namespace gangplan::model_gain_test
