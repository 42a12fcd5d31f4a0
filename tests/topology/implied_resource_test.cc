// What every node has without listing it: one pod a node by the sums of the model.
#include "topology/implied_resource.h"

#include <vector>

#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "topology/model.h"
#include "topology/placement_snapshot.h"

namespace gangplan::implied_resource_test {
namespace {

const ResourceList kPort = {{"cpu", 1}, {HostPort(8080, "TCP"), kWholeNode}};
const ResourceList kNoPort = {{"cpu", 1}};

std::string NodeName(int i) { return fmt::format("n{:02}", i); }

Model Nodes(int count) {
  Model model(BlockRackNode());
  for (int i = 0; i < count; ++i)
    REQUIRE(model.UpsertNode(MakeNode(NodeName(i), {{"b", "b"}, {"r", "r"}}, {{"cpu", 4}})).ok());
  return model;
}

TEST_CASE("names for people, which no resource of Kubernetes can have") {
  CHECK(HostPort(8080, "TCP") == "host port 8080/TCP");
  CHECK(HostPort(53, "UDP", "10.0.0.1") == "host port 53/UDP of 10.0.0.1");
  CHECK(ImpliedAmount("host port 8080/TCP") == kWholeNode);
  CHECK(ImpliedAmount("example.com/gpu") == 0);
}

TEST_CASE("a port fits once on every node, beside any number of others") {
  Model model = Nodes(3);
  const ShapeId port = model.AcquireShape(0, kPort, {});
  const ShapeId plain = model.AcquireShape(0, kNoPort, {});
  CHECK(model.Counts(port).at(2)[0] == 1);
  CHECK(model.Counts(port).at(0)[0] == 3);
  model.PutPod("p", NodeName(1), kPort);
  CHECK(model.Counts(port).levels.back() == std::vector<int32_t>{1, 0, 1});
  CHECK(model.EmptyCounts(port).levels.back() == std::vector<int32_t>{1, 1, 1});
  CHECK(model.Counts(plain).levels.back() == std::vector<int32_t>{4, 3, 4});
  model.AddHold(model.FindNode(NodeName(0)), port);
  CHECK(model.Counts(port).levels.back() == std::vector<int32_t>{0, 0, 1});
  model.RemoveHold(model.FindNode(NodeName(0)), port);
  model.ErasePod("p");
  CHECK(model.Counts(port).levels.back() == std::vector<int32_t>{1, 1, 1});
}

TEST_CASE("one node is asked for a port as for anything else") {
  Model model = Nodes(1);
  const NodeIndex node = model.FindNode(NodeName(0));
  CHECK(model.HasRoom(node, kPort));
  CHECK(model.Use(node, HostPort(8080, "TCP")) == ResourceUse{kWholeNode, 0, 0});
  model.PutPod("p", NodeName(0), kPort);
  CHECK_FALSE(model.HasRoom(node, kPort));
  CHECK(model.HasRoom(node, kNoPort));
  CHECK(model.HasRoom(node, {{HostPort(8080, "UDP"), kWholeNode}}));
  CHECK(model.HasRoom(node, kPort, kPort));
  CHECK_FALSE(model.Overcommitted(node));
  CHECK(model.Use(node, HostPort(8080, "TCP")) == ResourceUse{kWholeNode, kWholeNode, 0});
  model.PutPod("q", NodeName(0), kPort);
  CHECK(model.Overcommitted(node));
}

TEST_CASE("a port of one address conflicts with all addresses and with itself") {
  Model model = Nodes(1);
  auto at = [](std::string_view address) {
    return ResourceList{{HostPort(53, "UDP"), 1}, {HostPort(53, "UDP", address), kWholeNode}};
  };
  const NodeIndex node = model.FindNode(NodeName(0));
  model.PutPod("p", NodeName(0), at("10.0.0.1"));
  CHECK(model.HasRoom(node, at("10.0.0.2")));
  CHECK_FALSE(model.HasRoom(node, at("10.0.0.1")));
  CHECK_FALSE(model.HasRoom(node, {{HostPort(53, "UDP"), kWholeNode}}));
}

// The counts of a shape that is kept and of one that is counted anew, now and empty, and both in a
// snapshot: all the same, whether few nodes name the resource or most.
std::vector<int32_t> CountsAnew(Model& model, ShapeId kept, int turn) {
  NodeFilter filter;
  filter.tolerations = {{fmt::format("no-such-taint-{}", turn), true, "", {}}};
  const ShapeId fresh = model.AcquireShape(0, kPort, filter);
  REQUIRE(model.Counts(fresh).levels == model.Counts(kept).levels);
  REQUIRE(model.EmptyCounts(fresh).levels == model.EmptyCounts(kept).levels);
  PlacementSnapshot snapshot;
  snapshot.Take(model, {{kept, fresh}});
  for (int32_t leaf = 0; leaf < model.tree(0).leaf_count(); ++leaf) {
    for (CountKind kind : {CountKind::kNow, CountKind::kEmpty}) {
      REQUIRE(snapshot.FitBeside(leaf, kind, 0, {{0, 0}}) ==
              model.FitBeside(leaf, kind, kept, {}, {}));
      REQUIRE(snapshot.FitBeside(leaf, kind, 0, {{0, 1}}) == 0);
    }
  }
  model.ReleaseShape(fresh);
  return model.Counts(kept).levels.back();
}

TEST_CASE("a port of few nodes and of most is counted alike") {
  constexpr int kNodes = 40;
  Model model = Nodes(kNodes);
  const ShapeId kept = model.AcquireShape(0, kPort, {});
  std::vector<int32_t> expected(kNodes, 1);
  for (int i = 0; i < kNodes; ++i) {
    REQUIRE(CountsAnew(model, kept, i) == expected);
    model.PutPod(NodeName(i), NodeName(i), kPort);
    expected[static_cast<size_t>(i)] = 0;
  }
  for (int i = 0; i < 30; ++i)  // nodes come while most have the port in use
    REQUIRE(model.UpsertNode(MakeNode(NodeName(i + kNodes), {{"b", "b"}, {"r", "r"}}, {{"cpu", 4}}))
                .ok());
  expected.resize(kNodes + 30, 1);
  for (int i = 0; i < kNodes; ++i) {
    REQUIRE(CountsAnew(model, kept, i) == expected);
    model.ErasePod(NodeName(i));
    expected[static_cast<size_t>(i)] = 1;
  }
  REQUIRE(CountsAnew(model, kept, kNodes) == expected);
}

TEST_CASE("a node that goes and comes again has its pods' ports in use") {
  Model model = Nodes(1);
  const ShapeId port = model.AcquireShape(0, kPort, {});
  model.PutPod("p", NodeName(0), kPort);
  model.RemoveNode(NodeName(0));
  REQUIRE(model.UpsertNode(MakeNode(NodeName(0), {{"b", "b"}, {"r", "r"}}, {{"cpu", 4}})).ok());
  CHECK(model.Counts(port).at(0)[0] == 0);
  model.ErasePod("p");
  CHECK(model.Counts(port).at(0)[0] == 1);
}

}  // namespace
}  // namespace gangplan::implied_resource_test
