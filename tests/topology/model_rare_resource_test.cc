// Resources that few nodes have, and resources that become common or rare while the model lives: a
// shape counted for the first time and one that is kept up to date must agree at every moment.
#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "topology/base/text.h"
#include "topology/model.h"

namespace gangplan::model_rare_resource_test {
namespace {

std::string NodeName(int i) { return fmt::format("n{:03}", i); }

class RareWorld {
 public:
  RareWorld() : model_(BlockRackNode()) { kept_ = model_.AcquireShape(0, {{"rare", 2}}, {}); }

  // Node `i` with this much of the resource; none is none.
  void PutNode(int i, int64_t amount) {
    NodeFacts node = MakeNode(NodeName(i), {{"b", "b0"}, {"r", fmt::format("r{}", i % 3)}},
                              {{"cpu", 4000}, {"rare", amount}});
    if (amount == 0) node.allocatable.pop_back();
    REQUIRE(model_.UpsertNode(node).ok());
  }

  void Load(int i, int64_t amount) {
    model_.PutPod(fmt::format("p{}", i), NodeName(i), {{"rare", amount}});
  }

  // The count of `node` by the shape that is kept, after it was seen that a new shape of other
  // form and equal meaning has the same counts everywhere.
  int32_t Count(int node) {
    NodeFilter filter;
    filter.tolerations = {{fmt::format("no-such-taint-{}", ++shapes_), true, "", {}}};
    const ShapeId fresh = model_.AcquireShape(0, {{"rare", 2}}, filter);
    REQUIRE(model_.Counts(fresh).levels == model_.Counts(kept_).levels);
    REQUIRE(model_.EmptyCounts(fresh).levels == model_.EmptyCounts(kept_).levels);
    model_.ReleaseShape(fresh);
    REQUIRE(model_.FreeInAll("rare") == FreeByNode());
    const int32_t leaf = model_.LeafOfNode(0, model_.FindNode(NodeName(node)));
    return model_.Counts(kept_).levels.back()[leaf];
  }

  Model& model() { return model_; }

 private:
  int64_t FreeByNode() const {
    int64_t free = 0;
    for (const NodeFacts* facts : model_.AllFacts()) {
      const ResourceUse use = model_.Use(model_.FindNode(facts->name), "rare");
      free += use.allocatable - use.used - use.held;
    }
    return free;
  }

  Model model_;
  ShapeId kept_ = -1;
  int shapes_ = 0;
};

TEST_CASE("a resource of few nodes is counted like any other") {
  RareWorld world;
  for (int i = 0; i < 100; ++i) world.PutNode(i, i < 2 ? 8 : 0);
  world.Load(1, 3);
  CHECK(world.Count(0) == 4);
  CHECK(world.Count(1) == 2);
  CHECK(world.Count(2) == 0);
}

TEST_CASE("What is free in all is of the nodes that exist, less what is too much on one") {
  RareWorld world;
  CHECK(world.model().FreeInAll("rare") == 0);
  for (int i = 0; i < 100; ++i) world.PutNode(i, i < 50 ? 8 : 0);
  world.Load(0, 10);
  world.Load(200, 10);  // of a node that nobody knows
  CHECK(world.model().FreeInAll("rare") == 49 * 8 - 2);
  CHECK(world.model().FreeInAll("nobody/has") == 0);
  CHECK(world.model().FreeInAll("cpu") == 100 * 4000);
  world.model().RemoveNode(NodeName(0));
  CHECK(world.model().FreeInAll("rare") == 49 * 8);
  for (int i = 2; i < 50; ++i) world.PutNode(i, 0);  // of few nodes now
  CHECK(world.model().FreeInAll("rare") == 8);
}

TEST_CASE("counts hold while a resource becomes common and rare again") {
  RareWorld world;
  for (int i = 0; i < 100; ++i) world.PutNode(i, i == 50 ? 8 : 0);
  for (int i = 0; i < 50; ++i) {
    world.PutNode(i, 6);
    REQUIRE(world.Count(i) == 3);
    REQUIRE(world.Count(50) == 4);
  }
  for (int i = 0; i < 50; ++i) {
    world.Load(i, 1);
    REQUIRE(world.Count(i) == 2);
    world.PutNode(i, 0);
    REQUIRE(world.Count(i) == 0);
    REQUIRE(world.Count(50) == 4);
  }
}

TEST_CASE("counts hold while nodes without the resource come") {
  RareWorld world;
  world.PutNode(0, 8);
  world.Load(0, 2);
  for (int i = 1; i < 200; ++i) {
    world.PutNode(i, 0);
    REQUIRE(world.Count(0) == 3);
    REQUIRE(world.Count(i) == 0);
  }
}

}  // namespace
}  // namespace gangplan::model_rare_resource_test
