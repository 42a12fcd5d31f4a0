// Which tree is in force, and what it makes of a node.
#include "extender/frontends/sakkara/tree_objects.h"

#include "extender/protocol/sakkara_words.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::tree_objects_test {
namespace {

constexpr std::string_view kTwoRacks = R"({"r0":{"n0":{},"n1":{}},"r1":{"n2":{}}})";

ConfigMapFacts Object(std::string_view name, std::string_view tree,
                      std::string_view levels = R"(["rack","node"])") {
  ConfigMapFacts facts;
  facts.ns = "default";
  facts.name = name;
  facts.data = {{"level-names", std::string(levels)}, {"tree", std::string(tree)}};
  return facts;
}

NodeFacts Node(std::string_view name, LabelSet labels = {}) {
  NodeFacts node;
  node.name = name;
  node.labels = std::move(labels);
  return node;
}

// "rack=r0" or "block=b rack=r": the labels that are ours.
std::string UnitsOf(const TreeObjects& trees, const NodeFacts& node) {
  std::string text;
  for (const auto& [key, value] : trees.Placed(node).labels) {
    if (!key.starts_with(kSakkaraUnitLabel)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key.substr(kSakkaraUnitLabel.size()),
                        value);
  }
  return text;
}

std::string LevelNames(const TreeObjects& trees) {
  std::string text;
  if (!trees.levels()) return "none";
  for (const Level& level : trees.levels()->levels)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", level.name, level.label);
  return text;
}

TEST_CASE("Trees: the units of a node are labels of it") {
  TreeObjects trees("default");
  REQUIRE(trees.Put(Object("tree", kTwoRacks)).ok());
  CHECK(trees.Choose({}));
  CHECK(LevelNames(trees) == "rack:sakkara.topology/rack node:kubernetes.io/hostname");
  CHECK(UnitsOf(trees, Node("n1")) == "rack=r0");
  CHECK(UnitsOf(trees, Node("n2")) == "rack=r1");
  CHECK(UnitsOf(trees, Node("n9")).empty());
  CHECK(trees.Placed(Node("n1", {{"a", "b"}})).labels ==
        LabelSet{{"a", "b"}, {"sakkara.topology/rack", "r0"}});
}

TEST_CASE("Trees: labels of an earlier tree or of somebody else give way") {
  TreeObjects trees("default");
  (void)trees.Put(Object("tree", kTwoRacks));
  trees.Choose({});
  const NodeFacts before = trees.Placed(Node("n1"));
  (void)trees.Put(Object("tree", R"({"r0":{"n0":{}},"r1":{"n1":{}}})"));
  CHECK(trees.Choose({}));
  CHECK(UnitsOf(trees, before) == "rack=r1");
  CHECK(UnitsOf(trees, Node("n2", {{"sakkara.topology/rack", "r0"}})).empty());
  CHECK_FALSE(trees.Choose({}));
}

TEST_CASE("Trees: a tree of nodes alone leaves out the nodes that it does not name") {
  TreeObjects trees("default");
  (void)trees.Put(Object("tree", R"({"n0":{},"n1":{}})", R"(["node"])"));
  trees.Choose({});
  CHECK(LevelNames(trees) == "tree:sakkara.topology/tree node:kubernetes.io/hostname");
  CHECK(UnitsOf(trees, Node("n0")) == "tree=default-tree");
  CHECK(UnitsOf(trees, Node("n9")).empty());
}

TEST_CASE("Trees: a spoiled object keeps its last good tree and tells the key") {
  TreeObjects trees("default");
  CHECK(trees.fault().empty());
  (void)trees.Put(Object("tree", kTwoRacks));
  trees.Choose({});
  const absl::Status status = trees.Put(Object("tree", R"({"r0":[]})"));
  CHECK(Message(status).starts_with("tree.r0: expected an object"));
  CHECK_FALSE(trees.Choose({}));
  CHECK(UnitsOf(trees, Node("n1")) == "rack=r0");
  CHECK(trees.fault().starts_with("topology ConfigMap tree: tree.r0: expected an object"));
  CHECK(Message(trees.Put(Object("tree", kTwoRacks, R"(["r a c k","node"])")))
            .starts_with("level-names: topology default: level name \"r a c k\""));
}

TEST_CASE("Trees: the first by name that could be read is in force") {
  TreeObjects trees("default");
  (void)trees.Put(Object("b", R"({"r5":{"n0":{}}})"));
  trees.Choose({});
  CHECK(UnitsOf(trees, Node("n0")) == "rack=r5");
  (void)trees.Put(Object("a", "no JSON"));
  CHECK_FALSE(trees.Choose({}));
  (void)trees.Put(Object("a", kTwoRacks));
  CHECK(trees.Choose({}));
  CHECK(UnitsOf(trees, Node("n0")) == "rack=r0");
  trees.Erase("a");
  CHECK(trees.Choose({}));
  CHECK(UnitsOf(trees, Node("n0")) == "rack=r5");
}

TEST_CASE("Trees: the tree of the last object stays when it goes") {
  TreeObjects trees("default");
  (void)trees.Put(Object("tree", kTwoRacks));
  trees.Choose({});
  trees.Erase("tree");
  CHECK_FALSE(trees.Choose({}));
  CHECK(UnitsOf(trees, Node("n2")) == "rack=r1");
  CHECK(trees.fault().empty());
}

TEST_CASE("Trees: without an object the rack label counts when every node has it") {
  const NodeFacts a = Node("a", {{std::string(kSakkaraRackLabel), "r0"}});
  const NodeFacts b = Node("b", {{std::string(kSakkaraRackLabel), "r1"}});
  const NodeFacts c = Node("c");
  TreeObjects racks("default");
  CHECK(racks.Choose(std::vector<const NodeFacts*>{&a, &b}));
  CHECK(LevelNames(racks) == "rack:sakkara.topology.rack node:kubernetes.io/hostname");
  CHECK(racks.Placed(a) == a);
  TreeObjects flat("default");
  CHECK(flat.Choose(std::vector<const NodeFacts*>{&a, &b, &c}));
  CHECK(LevelNames(flat) == "node:kubernetes.io/hostname");
  (void)flat.Put(Object("tree", kTwoRacks));
  CHECK(flat.Choose({}));
  CHECK(LevelNames(flat) == "rack:sakkara.topology/rack node:kubernetes.io/hostname");
}

TEST_CASE("Trees: nothing is in force while there are only spoiled objects") {
  TreeObjects trees("default");
  (void)trees.Put(Object("tree", "{"));
  CHECK_FALSE(trees.Choose({}));
  CHECK(LevelNames(trees) == "none");
}

TEST_CASE("Trees: what is left out is told") {
  TreeObjects trees("default");
  (void)trees.Put(Object("tree", R"({"r0":{"n0":{}},"n1":{}})"));
  CHECK(trees.Told("tree").starts_with("n1: "));
  CHECK(trees.Told("tree").find('\n') == std::string::npos);
  CHECK(trees.Told("other").empty());
  (void)trees.Put(Object("tree", R"({"r0":[]})"));
  CHECK(trees.Told("tree").starts_with("the topology is refused: tree.r0: expected an object"));
  (void)trees.Put(Object("tree", kTwoRacks));
  CHECK(trees.Told("tree").empty());
}

}  // namespace
}  // namespace gangplan::tree_objects_test
