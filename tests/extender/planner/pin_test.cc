#include "extender/planner/pin.h"

#include <algorithm>
#include <string>
#include <vector>

#include "extender/planner/limits.h"
#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/model.h"

namespace gangplan::pin_test {
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
    for (int32_t leaf = 0; leaf < model.tree(0).leaf_count(); ++leaf) {
      const NodeFacts& node = *model.Facts(model.NodeOfLeaf(0, leaf));
      if (MatchesSelector(filter, node)) names.push_back(node.name);
    }
    return names;
  }
  Pin PinTo(const NodeFilter& own, const LevelRules& rules, const std::vector<std::string>& planned,
            bool levels_on_nodes = true) const {
    const std::vector<NodeIndex> nodes = Named(planned);
    return gangplan::PinTo(model, {own, rules, nodes, 7, levels_on_nodes});
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

Names FirstNodes(int nodes) {
  Names names;
  for (int i = 0; i < nodes; ++i) names.push_back(NodeNameAt(0, 0, i));
  return names;
}

}  // namespace

TEST_CASE("Pin: to the nodes of the rack of the plan, one term a node") {
  const Cluster cluster(2, 2, 3);
  const Pin pin = cluster.PinTo({}, {}, {"b1-r0-n0", "b1-r0-n1"});
  CHECK(cluster.LetIn(pin.terms) == Names{"b1-r0-n0", "b1-r0-n1", "b1-r0-n2"});
  CHECK(pin.terms.size() == 3);
  CHECK(pin.told == "3 nodes of b1/r0");
  CHECK(WithoutPin(Pinned({}, pin), &pin.words) == NodeFilter());
}

TEST_CASE(
    "Pin: a plan in two racks is pinned to their block, and one that must share a block too") {
  const Cluster cluster(2, 2, 2);
  const Names block = {"b0-r0-n0", "b0-r0-n1", "b0-r1-n0", "b0-r1-n1"};
  const Pin two = cluster.PinTo({}, {}, {"b0-r0-n0", "b0-r1-n0"});
  CHECK(cluster.LetIn(two.terms) == block);
  const Pin hard = cluster.PinTo({}, HardPack(0), {"b0-r0-n0", "b0-r0-n1"});
  CHECK(cluster.LetIn(hard.terms) == block);
}

TEST_CASE("Pin: what the user asks for stays, and is found again") {
  const Cluster cluster(1, 1, 4);
  const NodeFilter own = In({"even", "none of these"});
  const Pin pin = cluster.PinTo(own, {}, {"b0-r0-n0"});
  CHECK(cluster.LetIn(pin.terms) == Names{"b0-r0-n0", "b0-r0-n2"});
  CHECK(WithoutPin(Pinned(own, pin), &pin.words) == own);
}

TEST_CASE("Pin: all nodes of a small domain, of a larger one those of the plan and some spare") {
  const auto whole = static_cast<int>(kPinnedWhole);
  const Cluster small(1, 2, whole);
  CHECK(small.PinTo({}, {}, FirstNodes(1)).terms.size() == kPinnedWhole);
  const Cluster large(1, 2, whole + 1);
  const Pin one = large.PinTo({}, {}, FirstNodes(1));
  CHECK(one.terms.size() == 1 + kLeastSpareNodes);
  const auto most = static_cast<int>(kMaxPinnedNodes);
  const Cluster larger(1, 2, most);
  CHECK(larger.PinTo({}, {}, FirstNodes(40)).terms.size() == 50);
  CHECK(larger.PinTo({}, {}, FirstNodes(60)).terms.size() == kMaxPinnedNodes);
}

TEST_CASE("Pin: so many nodes by name, and beyond by the labels of their domain") {
  const auto most = static_cast<int>(kMaxPinnedNodes);
  const Cluster cluster(2, 2, most + 1);
  const Pin at = cluster.PinTo({}, {}, FirstNodes(most));
  CHECK(at.terms.size() == kMaxPinnedNodes);
  CHECK(at.words.starts_with("nodes "));
  const Pin beyond = cluster.PinTo({}, {}, FirstNodes(most + 1));
  CHECK(beyond.words.starts_with("labels=2 "));
  CHECK(beyond.terms.size() == 1);
  CHECK(cluster.LetIn(beyond.terms).size() == kMaxPinnedNodes + 1);
  const NodeFilter own = In({"even", "odd"});
  const Pin both = cluster.PinTo(own, {}, FirstNodes(most + 1));
  CHECK(WithoutPin(Pinned(own, both), &both.words) == own);
}

TEST_CASE("Pin: by labels it keeps off the nodes of others in the domain") {
  const auto most = static_cast<int>(kMaxPinnedNodes);
  Cluster cluster(1, 1, 2 * most);
  const auto parted = [&](int node) {
    NodeFacts facts = *cluster.model.Facts(cluster.model.FindNode(NodeNameAt(0, 0, node)));
    SetLabel(facts.labels, "pair", node <= most ? "a" : "b");
    REQUIRE(cluster.model.UpsertNode(facts).ok());
  };
  for (int node = 0; node < 2 * most; ++node) parted(node);
  const std::vector<NodeIndex> nodes = cluster.Named(FirstNodes(most + 1));
  const NodeFilter own = In({"even", "odd"});
  PinRequest request{own, {}, nodes, 7};
  request.ours.labels = {{"pair", SelectorOperator::kIn, {"a"}}};
  const Pin pin = gangplan::PinTo(cluster.model, request);
  CHECK(pin.words.starts_with("labels=3 "));
  CHECK(cluster.LetIn(pin.terms).size() == kMaxPinnedNodes + 1);
  CHECK(WithoutPin(Pinned(own, pin), &pin.words) == own);
}

TEST_CASE("Pin: nothing shared and too many nodes, or too many words: no pin") {
  const auto most = static_cast<int>(kMaxPinnedNodes);
  const Cluster cluster(2, 1, most);
  Names names;
  for (int i = 0; i < most; ++i) names.push_back(NodeNameAt(0, 0, i));
  names.push_back("b1-r0-n0");
  CHECK(cluster.PinTo({}, {}, names).terms.empty());

  NodeFilter long_winded;
  NodeSelectorTerm term;
  for (size_t i = 0; i < kMaxNodeLabels; ++i)
    term.labels.push_back({fmt::format("absent-{}", i), SelectorOperator::kDoesNotExist, {}});
  long_winded.required_terms = {{term}};
  CHECK(cluster.PinTo(long_winded, {}, {"b0-r0-n0"}).terms.empty());
}

TEST_CASE("Pin: what is read of a pod counts, its node selector and its values too") {
  const auto nodes = static_cast<int>(kMaxPinnedNodes);
  const Cluster cluster(1, 1, nodes);
  NodeFilter own = In({"even"});
  std::vector<std::string>& values = own.required_terms->front().labels.front().values;
  values.emplace_back("odd");
  CHECK(cluster.PinTo(own, {}, FirstNodes(nodes)).words.starts_with("nodes "));
  own.node_selector = {{"pool", "a"}};
  CHECK(cluster.PinTo(own, {}, FirstNodes(nodes)).words.starts_with("labels=2 "));
  own.node_selector.clear();
  values.resize(kMaxNodeValues / kMaxPinnedNodes, "v");
  CHECK(cluster.PinTo(own, {}, FirstNodes(nodes)).words.starts_with("nodes "));
  values.emplace_back("v");
  CHECK(cluster.PinTo(own, {}, FirstNodes(nodes)).words.starts_with("labels=2 "));
}

TEST_CASE("Pin: levels that are no labels of nodes are not asked for") {
  const Cluster cluster(2, 1, static_cast<int>(kMaxPinnedNodes) + 1);
  const Names names = FirstNodes(static_cast<int>(kMaxPinnedNodes) + 1);
  CHECK(cluster.PinTo({}, {}, names).terms.size() == 1);
  CHECK(cluster.PinTo({}, {}, names, false).terms.empty());
}

TEST_CASE("Pin: its words tell how many were started, and are about these terms alone") {
  const Cluster cluster(1, 1, 4);
  const Pin pin = cluster.PinTo({}, {}, {"b0-r0-n0"});
  CHECK(MembersOfPin(pin.words) == 7);
  CHECK(MembersOfPin("nodes") == 0);
  CHECK(MembersOfPin("nodes members=-3") == 0);
  NodeFilter changed = Pinned({}, pin);
  changed.required_terms
      ->pop_back();  // somebody has written other terms, the words are still there
  CHECK(WithoutPin(changed, &pin.words) == changed);
  NodeFilter theirs;
  theirs.required_terms = {{{}, {{"metadata.name", SelectorOperator::kIn, {"b0-r0-n0"}}}}};
  CHECK(WithoutPin(theirs, &pin.words) == theirs);
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

}  // namespace gangplan::pin_test
