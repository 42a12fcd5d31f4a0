#include "extender/planner/pin.h"

#include <algorithm>
#include <string>
#include <vector>

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {
namespace {

constexpr std::string_view kZone = "zone";

struct Cluster {
  Cluster(int blocks, int racks, int nodes) : model(ThreeLevels()) {
    for (NodeFacts& node : MakeNodes(blocks, racks, nodes)) {
      SetLabel(node.labels, kZone, node.name.back() % 2 == 0 ? "even" : "odd");
      REQUIRE(model.UpsertNode(node).ok());
    }
  }
  std::vector<NodeIndex> Named(const std::vector<std::string>& names) const {
    std::vector<NodeIndex> nodes;
    for (const std::string& name : names) nodes.push_back(model.FindNode(name));
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }
  // The nodes that the terms let in, in the order of the tree.
  std::vector<std::string> LetIn(const std::vector<NodeSelectorTerm>& terms) const {
    NodeFilter filter;
    filter.required_terms = terms;
    std::vector<std::string> names;
    for (int32_t leaf = 0; leaf < model.tree().leaf_count(); ++leaf) {
      const NodeFacts& node = *model.Facts(model.NodeOfLeaf(leaf));
      if (MatchesSelector(filter, node)) names.push_back(node.name);
    }
    return names;
  }
  Model model;
};

NodeFilter In(std::initializer_list<std::string> zones) {
  NodeFilter filter;
  filter.required_terms.emplace();
  for (const std::string& zone : zones) {
    filter.required_terms->push_back({{{std::string(kZone), SelectorOperator::kIn, {zone}}}, {}});
  }
  return filter;
}

LevelRules HardPack(int level) {
  LevelRules rules(3);
  rules[static_cast<size_t>(level)].emplace().hard = true;
  return rules;
}

NodeFilter Pinned(NodeFilter own, const Pin& pin) {
  own.required_terms = pin.terms;
  return own;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("Pin: to the nodes of the rack of the plan, one term a node") {
  const Cluster cluster(2, 2, 3);
  const Pin pin = PinTo(cluster.model, {}, {}, cluster.Named({"b1-r0-n0", "b1-r0-n1"}));
  CHECK(cluster.LetIn(pin.terms) == Names{"b1-r0-n0", "b1-r0-n1", "b1-r0-n2"});
  CHECK(pin.terms.size() == 3);
  CHECK(pin.told == "3 nodes of b1/r0");
  CHECK(WithoutPin(Pinned({}, pin), &pin.words) == NodeFilter());
}

TEST_CASE(
    "Pin: a plan in two racks is pinned to their block, and one that must share a block too") {
  const Cluster cluster(2, 2, 2);
  const Names block = {"b0-r0-n0", "b0-r0-n1", "b0-r1-n0", "b0-r1-n1"};
  const Pin two = PinTo(cluster.model, {}, {}, cluster.Named({"b0-r0-n0", "b0-r1-n0"}));
  CHECK(cluster.LetIn(two.terms) == block);
  const Pin hard = PinTo(cluster.model, {}, HardPack(0), cluster.Named({"b0-r0-n0", "b0-r0-n1"}));
  CHECK(cluster.LetIn(hard.terms) == block);
}

TEST_CASE("Pin: what the user asks for stays, and is found again") {
  const Cluster cluster(1, 1, 4);
  const NodeFilter own = In({"even", "none of these"});
  const Pin pin = PinTo(cluster.model, own, {}, cluster.Named({"b0-r0-n0"}));
  CHECK(cluster.LetIn(pin.terms) == Names{"b0-r0-n0", "b0-r0-n2"});
  CHECK(WithoutPin(Pinned(own, pin), &pin.words) == own);
}

TEST_CASE("Pin: so many nodes by name, and beyond by the labels of their domain") {
  const auto most = static_cast<int>(kMaxPinnedNodes);
  const auto plan = [](int nodes) {
    Names names;
    for (int i = 0; i < nodes; ++i) names.push_back(NodeNameAt(0, 0, i));
    return names;
  };
  const Cluster cluster(2, 2, most + 1);
  const Pin at = PinTo(cluster.model, {}, {}, cluster.Named(plan(most)));
  CHECK(at.terms.size() == kMaxPinnedNodes);
  CHECK(at.words == "nodes");
  const Pin beyond = PinTo(cluster.model, {}, {}, cluster.Named(plan(most + 1)));
  CHECK(beyond.words == "labels=2");
  CHECK(beyond.terms.size() == 1);
  CHECK(cluster.LetIn(beyond.terms).size() == kMaxPinnedNodes + 1);
  const NodeFilter own = In({"even", "odd"});
  const Pin both = PinTo(cluster.model, own, {}, cluster.Named(plan(most + 1)));
  CHECK(WithoutPin(Pinned(own, both), &both.words) == own);
}

TEST_CASE("Pin: nothing shared and too many nodes, or too many words: no pin") {
  const auto most = static_cast<int>(kMaxPinnedNodes);
  const Cluster cluster(2, 1, most);
  Names names;
  for (int i = 0; i < most; ++i) names.push_back(NodeNameAt(0, 0, i));
  names.push_back("b1-r0-n0");
  CHECK(PinTo(cluster.model, {}, {}, cluster.Named(names)).terms.empty());

  NodeFilter long_winded;
  NodeSelectorTerm term;
  for (size_t i = 0; i < kMaxPinLabels; ++i)
    term.labels.push_back({fmt::format("absent-{}", i), SelectorOperator::kDoesNotExist, {}});
  long_winded.required_terms = {{term}};
  CHECK(PinTo(cluster.model, long_winded, {}, cluster.Named({"b0-r0-n0"})).terms.empty());
}

TEST_CASE("Pin: terms that are not those of a pin are the user's own") {
  const NodeFilter own = In({"even"});
  const std::string by_name = "nodes";
  const std::string by_labels = "labels=9";
  const std::string unknown = "something";
  CHECK(WithoutPin(own, nullptr) == own);
  CHECK(WithoutPin(own, &by_name) == own);
  CHECK(WithoutPin(own, &by_labels) == own);
  CHECK(WithoutPin(own, &unknown) == own);
  CHECK(WithoutPin({}, &by_name) == NodeFilter());
}

}  // namespace gangplan
