// Resources that are excluded by the beginnings of their names: nobody has them and nobody asks for
// them, whatever nodes, pods, shapes and holds say.
#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "topology/implied_resource.h"
#include "topology/model.h"
#include "topology/placement_snapshot.h"

namespace gangplan::model_excluded_test {
namespace {

const ResourceList kBoth = {{"cpu", 1000}, {"example.com/memory", 8}};

Model WithNode(std::vector<std::string> excluded) {
  Model model(std::vector<ScopedTopology>{{BlockRackNode()}}, std::move(excluded));
  NodeFacts node = MakeNode("n0", {{"b", "b0"}, {"r", "r0"}},
                            {{"cpu", 4000}, {"example.com/memory", 3}, {"pods", 8}});
  REQUIRE(model.UpsertNode(node).ok());
  return model;
}

}  // namespace

TEST_CASE("What is excluded limits no shape, and takes nothing of a node") {
  Model model = WithNode({"example.org/", "example.com/mem"});
  const NodeIndex node = model.FindNode("n0");
  const ShapeId shape = model.AcquireShape(0, kBoth, {});
  CHECK(model.Counts(shape).levels.back() == std::vector<int32_t>{4});
  CHECK(model.EmptyCounts(shape).levels.back() == std::vector<int32_t>{4});
  model.AddHold(node, shape);
  model.PutPod("p", "n0", kBoth);
  CHECK(model.Counts(shape).levels.back() == std::vector<int32_t>{2});
  CHECK_FALSE(model.Overcommitted(node));
  CHECK(model.Use(node, "example.com/memory") == ResourceUse{});
  CHECK(model.HasRoom(node, kBoth));
  CHECK(model.Lacking(std::vector<NodeIndex>{node}, kBoth, [](auto, auto&) {}).empty());
  CHECK(model.demand(shape) == kBoth);  // as it was asked
  CHECK(model.Counted(kBoth) == ResourceList{{"cpu", 1000}});
  PlacementSnapshot snapshot;
  snapshot.Take(model, std::vector<ShapeId>{shape, shape}, true);
  CHECK(snapshot.AmountsOf(kBoth) == std::vector<int64_t>{1000});
  // What is left of it is what was there.
  model.RemoveHold(node, shape);
  model.ErasePod("p");
  model.ReleaseShape(shape);
  model.RemoveNode("n0");
  CHECK(model.Fingerprint() ==
        [] {
          Model other = WithNode({});
          other.RemoveNode("n0");
          return other.Fingerprint();
        }());
}

TEST_CASE("What is not excluded is counted, and so is what no object can say") {
  Model model = WithNode({"example.org/", "host", "ample.com"});
  const NodeIndex node = model.FindNode("n0");
  CHECK_FALSE(model.HasRoom(node, kBoth));
  CHECK(model.Counts(model.AcquireShape(0, kBoth, {})).levels.back() == std::vector<int32_t>{0});
  const ResourceList port = {{HostPort(80, "TCP"), kWholeNode}};
  model.PutPod("p", "n0", port);
  CHECK_FALSE(model.HasRoom(node, port));
  CHECK_FALSE(model.Excludes(port.front().name));
}

}  // namespace gangplan::model_excluded_test
