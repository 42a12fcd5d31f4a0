#include "extender/planner/plan_shape.h"
#include "fmt/format.h"

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/model.h"

namespace gangplan::plan_shape_test {
namespace {

struct Bench {
  Bench() : model(ThreeLevels()) {
    for (const NodeFacts& node : MakeNodes(2, 2, 2)) CHECK(model.UpsertNode(node).ok());
  }
  PlanShape Of(std::initializer_list<const char*> names) {
    std::vector<NodeIndex> nodes;
    for (const char* name : names) nodes.push_back(model.FindNode(name));
    return ShapeOf(nodes, model, 0);
  }
  Model model;
};

std::string Levels(const PlanShape& shape) {
  std::string text;
  for (const auto& level : shape.levels) text += fmt::format("{}:{} ", level.name, level.domains);
  return text;
}

TEST_CASE("Shapes: the lowest domain, how far apart, and how many domains of each level") {
  Bench bench;
  const PlanShape node = bench.Of({"b0-r0-n0", "b0-r0-n0"});
  CHECK(node.domain == "b0/r0/b0-r0-n0");
  CHECK(node.distance == 0);
  CHECK(Levels(node) == "block:1 rack:1 node:1 ");
  CHECK(ShapeText(node) == "2 pods in b0/r0/b0-r0-n0");
  const PlanShape rack = bench.Of({"b0-r0-n0", "b0-r0-n1", "b0-r0-n1"});
  CHECK(rack.domain == "b0/r0");
  CHECK(rack.distance == 2);
  CHECK(ShapeText(rack) == "3 pods in b0/r0 on 2 nodes");
  const PlanShape block = bench.Of({"b1-r1-n0", "b1-r0-n0"});
  CHECK(block.domain == "b1");
  CHECK(block.distance == 4);
  CHECK(Levels(block) == "block:1 rack:2 node:2 ");
  const PlanShape all = bench.Of({"b0-r1-n0", "b1-r0-n0", "b1-r1-n1"});
  CHECK(all.domain.empty());
  CHECK(all.distance == 6);
  CHECK(Levels(all) == "block:2 rack:3 node:3 ");
  CHECK(ShapeText(all) == "3 pods in 2 blocks on 3 nodes");
}

TEST_CASE("Shapes: how near a plan is to the best") {
  Bench bench;
  const PlanShape shape = bench.Of({"b0-r0-n0", "b0-r1-n0"});
  CHECK(QualityText({true, {}}, shape) == "no plan is better");
  CHECK(QualityText({false, {}}, shape) == "a better one may exist");
  CHECK(QualityText({false, PlacementGap{1, 2, 0, 1, 0}}, shape) ==
        "a better one may exist: by rack it uses 2 domains, and 1 at least are needed");
  CHECK(QualityText({false, PlacementGap{1, 2, 5, 2, 8}}, shape) ==
        "a better one may exist: by rack its members may lie more evenly, or closer");
}

}  // namespace
}  // namespace gangplan::plan_shape_test
