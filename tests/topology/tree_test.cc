#include "topology/tree.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::tree_test {
namespace {

Topology Complete(std::vector<Level> levels) {
  return CompleteTopology({"default", std::move(levels)}).value();
}

Topology ThreeLevels() {
  return Complete({{"block", "b"}, {"rack", "r"}, {"node", "kubernetes.io/hostname"}});
}

NodeFacts Node(std::string name, LabelSet labels) {
  NodeFacts node;
  node.name = std::move(name);
  node.labels = std::move(labels);
  std::sort(node.labels.begin(), node.labels.end());
  return node;
}

Tree Grow(const Topology& topology, const std::vector<NodeFacts>& nodes) {
  std::vector<const NodeFacts*> pointers;
  for (const NodeFacts& node : nodes) pointers.push_back(&node);
  return Tree(topology, pointers);
}

std::vector<std::string> Paths(const Tree& tree, int level) {
  std::vector<std::string> paths;
  for (int32_t i = 0; i < tree.size(level); ++i) paths.push_back(tree.Path(level, i));
  return paths;
}

using Strings = std::vector<std::string>;

TEST_CASE("equal values under two parents are two domains") {
  Tree tree = Grow(ThreeLevels(),
                   {Node("n1", {{"b", "b1"}, {"r", "r1"}}), Node("n2", {{"b", "b2"}, {"r", "r1"}}),
                    Node("n3", {{"b", "b1"}, {"r", "r1"}})});
  CHECK(Paths(tree, 0) == Strings{"b1", "b2"});
  CHECK(Paths(tree, 1) == Strings{"b1/r1", "b2/r1"});
  CHECK(Paths(tree, 2) == Strings{"b1/r1/n1", "b1/r1/n3", "b2/r1/n2"});
  CHECK(std::vector<int32_t>(tree.leaf_source().begin(), tree.leaf_source().end()) ==
        std::vector<int32_t>{0, 2, 1});
}

// All that a tree says.
std::string Text(const Tree& tree) {
  std::string text;
  for (int level = 0; level < tree.level_count(); ++level) {
    for (int32_t i = 0; i < tree.size(level); ++i) {
      text += fmt::format("{} {} {}-{} {}-{}\n", tree.Path(level, i), tree.parent(level, i),
                          tree.children(level, i).begin, tree.children(level, i).end,
                          tree.leaves(level, i).begin, tree.leaves(level, i).end);
    }
  }
  for (const UnplacedNode& node : tree.unplaced())
    text += fmt::format("{} lacks {}\n", node.name, node.missing_label);
  return text;
}

TEST_CASE("a tree made from the last one is that of all nodes") {
  std::mt19937 random(3);
  const auto pick = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  std::map<std::string, NodeFacts> nodes;
  const auto put = [&](uint32_t i) {
    LabelSet labels = {{"b", fmt::format("b{}", pick(3))}};
    if (pick(6) > 0) labels.emplace_back("r", fmt::format("r{}", pick(4)));
    const std::string name = fmt::format("n{}", i);
    nodes[name] = Node(name, labels);
  };
  const auto all = [&] {
    std::vector<NodeFacts> list;
    for (const auto& [name, node] : nodes) list.push_back(node);
    return list;
  };
  for (uint32_t i = 0; i < 20; ++i) put(i);
  std::vector<NodeFacts> list = all();
  Tree tree = Grow(ThreeLevels(), list);
  for (int round = 0; round < 500; ++round) {
    std::set<std::string> touched;
    for (uint32_t i = pick(4); i <= 3; ++i) {
      const uint32_t node = pick(25);
      touched.insert(fmt::format("n{}", node));
      if (pick(3) == 0) {
        nodes.erase(fmt::format("n{}", node));
      } else {
        put(node);
      }
    }
    Tree::Moves moves;
    moves.names.assign(touched.begin(), touched.end());
    for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
      if (touched.contains(tree.name(2, leaf))) moves.gone.push_back(leaf);
    }
    for (const std::string& name : touched) {
      if (nodes.contains(name)) moves.coming.push_back(&nodes.at(name));
    }
    const Tree next(tree, moves);
    for (int32_t leaf = 0; leaf < next.leaf_count(); ++leaf) {
      const int32_t source = next.leaf_source()[leaf];
      CHECK(next.name(2, leaf) == (source < tree.leaf_count()
                                       ? tree.name(2, source)
                                       : moves.coming[source - tree.leaf_count()]->name));
    }
    list = all();
    REQUIRE(Text(next) == Text(Grow(ThreeLevels(), list)));
    tree = next;
  }
}

TEST_CASE("children, leaves, parents and ancestors agree") {
  Tree tree =
      Grow(ThreeLevels(),
           {Node("n1", {{"b", "b1"}, {"r", "r1"}}), Node("n2", {{"b", "b1"}, {"r", "r2"}}),
            Node("n3", {{"b", "b1"}, {"r", "r2"}}), Node("n4", {{"b", "b2"}, {"r", "r3"}})});
  CHECK(tree.children(0, 0).begin == 0);
  CHECK(tree.children(0, 0).end == 2);
  CHECK(tree.children(0, 1).begin == 2);
  CHECK(tree.children(0, 1).end == 3);
  CHECK(tree.children(1, 1).begin == 1);
  CHECK(tree.children(1, 1).end == 3);
  CHECK(tree.leaves(0, 0).end == 3);
  CHECK(tree.leaves(2, 2).begin == 2);
  CHECK(tree.leaves(2, 2).end == 3);
  CHECK(tree.parent(1, 2) == 1);
  CHECK(tree.parent(0, 1) == -1);
  CHECK(tree.Ancestor(2, 1) == 1);
  CHECK(tree.Ancestor(3, 0) == 1);
  CHECK(tree.Ancestor(3, 2) == 3);
}

TEST_CASE("order is by bytes and does not depend on the order of the nodes") {
  std::vector<NodeFacts> nodes;
  for (const char* rack : {"r10", "r2", "R1"}) {
    for (const char* name : {"n10", "n9", "n1"})
      nodes.push_back(Node(std::string(rack) + name, {{"r", rack}}));
  }
  Topology topology = Complete({{"rack", "r"}});
  const Strings expected = {"R1/R1n1",   "R1/R1n10", "R1/R1n9",  "r10/r10n1", "r10/r10n10",
                            "r10/r10n9", "r2/r2n1",  "r2/r2n10", "r2/r2n9"};
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(nodes.begin(), nodes.end(), random);
    CHECK(Paths(Grow(topology, nodes), 1) == expected);
  }
}

TEST_CASE("a node that lacks a level is reported with the first label that it lacks") {
  Tree tree = Grow(ThreeLevels(),
                   {Node("z", {{"r", "r1"}}), Node("a", {{"b", "b1"}}), Node("c", {}),
                    Node("e", {{"b", "b1"}, {"r", ""}}), Node("n", {{"b", "b1"}, {"r", "r1"}})});
  CHECK(Paths(tree, 2) == Strings{"b1/r1/n"});
  REQUIRE(tree.unplaced().size() == 4);
  CHECK(tree.unplaced()[0].name == "a");
  CHECK(tree.unplaced()[0].missing_label == "r");
  CHECK(tree.unplaced()[1].name == "c");
  CHECK(tree.unplaced()[1].missing_label == "b");
  CHECK(tree.unplaced()[2].name == "e");
  CHECK(tree.unplaced()[2].missing_label == "r");
  CHECK(tree.unplaced()[3].name == "z");
  CHECK(tree.unplaced()[3].missing_label == "b");
}

TEST_CASE("a node is its own leaf by name, whatever its hostname label says") {
  Tree tree =
      Grow(ThreeLevels(), {Node("n1", {{"b", "b"}, {"kubernetes.io/hostname", "same"}, {"r", "r"}}),
                           Node("n2", {{"b", "b"}, {"kubernetes.io/hostname", "same"}, {"r", "r"}}),
                           Node("n3", {{"b", "b"}, {"r", "r"}})});
  CHECK(Paths(tree, 2) == Strings{"b/r/n1", "b/r/n2", "b/r/n3"});
  CHECK(tree.unplaced().empty());
}

TEST_CASE("a topology that ends above the node gets the node below it") {
  Topology topology = Complete({{"rack", "r"}});
  REQUIRE(topology.levels.size() == 2);
  CHECK(topology.levels[1].name == "node");
  CHECK(topology.levels[1].label == "kubernetes.io/hostname");
  CHECK(Complete({{"node", "x"}}).levels[1].name == "kubernetes.io/hostname");
  CHECK(Complete({{"n", "kubernetes.io/hostname"}}).levels.size() == 1);
}

TEST_CASE("one level and sixteen are possible") {
  Tree flat = Grow(Complete({{"node", "kubernetes.io/hostname"}}), {Node("b", {}), Node("a", {})});
  CHECK(flat.level_count() == 1);
  CHECK(Paths(flat, 0) == Strings{"a", "b"});
  std::vector<Level> levels;
  LabelSet labels;
  std::string path;
  for (int i = 0; i < kMaxLevels; ++i) {
    levels.push_back({fmt::format("l{}", i), fmt::format("label-{}", i)});
    labels.emplace_back(levels.back().label, fmt::format("v{}", i));
    path += fmt::format("v{}/", i);
  }
  Tree deep = Grow(Complete(levels), {Node("n", labels)});
  CHECK(deep.level_count() == 17);
  CHECK(deep.Path(16, 0) == path + "n");
  CHECK(deep.FindLevel("l15") == 15);
  CHECK(deep.FindLevel("label-3") == 3);
  CHECK(deep.FindLevel("l16") == -1);
  levels.push_back({"l16", "label-16"});
  CHECK(Message(CompleteTopology({"t", levels}).status()) ==
        "topology t: 17 levels, at most 16 are possible");
}

TEST_CASE("an empty cluster has an empty tree") {
  Tree tree = Grow(ThreeLevels(), {});
  CHECK(tree.level_count() == 3);
  CHECK(tree.leaf_count() == 0);
  CHECK(tree.size(0) == 0);
  CHECK(Tree().leaf_count() == 0);
}

TEST_CASE("a wrong topology is refused with the reason") {
  auto problem = [](std::vector<Level> levels) {
    return Message(CompleteTopology({"t", std::move(levels)}).status());
  };
  CHECK(problem({}) == "topology t: no levels");
  CHECK(problem({{"", "x"}}) == "topology t: level 1 has no name");
  CHECK(problem({{"rack", ""}}) == "topology t: level rack has no label");
  CHECK(problem({{"a b", "x"}}) ==
        "topology t: level name \"a b\": only letters, digits, '-', '_', '.' and '/'");
  CHECK(problem({{"a", "x"}, {"a", "y"}}) == "topology t: two levels are named a");
  CHECK(problem({{"a", "x"}, {"b", "x"}}) == "topology t: levels a and b have the same label x");
  CHECK(problem({{"a", "x"}, {"x", "y"}}) ==
        "topology t: the name of one of the levels a and x is the label of the other");
  CHECK(problem({{"node", "kubernetes.io/hostname"}, {"rack", "r"}}) ==
        "topology t: level node: kubernetes.io/hostname can only be the last level");
}

}  // namespace
}  // namespace gangplan::tree_test
