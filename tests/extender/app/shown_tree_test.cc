#include "extender/app/shown_tree.h"

#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"

namespace gangplan::shown_tree_test {
namespace {

std::shared_ptr<const Tree> TreeOf(const Topology& levels, const std::vector<NodeFacts>& nodes) {
  std::vector<const NodeFacts*> facts;
  for (const NodeFacts& node : nodes) facts.push_back(&node);
  return std::make_shared<const Tree>(*CompleteTopology(levels), facts);
}

std::vector<std::string> PathsOf(const Tree& tree) {
  std::vector<std::string> paths;
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
    paths.push_back(tree.Path(tree.leaf_level(), leaf));
  return paths;
}

TEST_CASE("The shown tree of one topology is its own, of several each below its name") {
  const auto racks = TreeOf({"racks", {{"block", "b"}, {"rack", "r"}}},
                            {MakeNode("n1", {{"b", "b1"}, {"r", "r1"}}, {}),
                             MakeNode("n2", {{"b", "b1"}, {"r", "r2"}}, {})});
  const auto rings = TreeOf({"rings", {{"ring", "o"}}}, {MakeNode("m1", {{"o", "x"}}, {})});
  CHECK(ShownTree({racks}) == racks);
  const auto both = ShownTree({racks, rings});
  REQUIRE(both->level_count() == 4);
  CHECK(both->level(0).name == "topology");
  CHECK(both->level(1).name == "block");
  CHECK(both->level(2).name == "rack/ring");
  CHECK(PathsOf(*both) ==
        std::vector<std::string>{"racks/b1/r1/n1", "racks/b1/r2/n2", "rings/x/x/m1"});
  CHECK(ShownTree({TreeOf({"a", {{"rack", "r"}}}, {}), rings})->leaf_count() == 1);
}

}  // namespace
}  // namespace gangplan::shown_tree_test
