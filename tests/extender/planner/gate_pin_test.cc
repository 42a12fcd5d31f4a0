#include "extender/planner/gate_pin.h"

#include <algorithm>
#include <string>
#include <vector>

#include "extender/cluster/annotations.h"
#include "extender/planner/limits.h"
#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/model.h"

namespace gangplan::gate_pin_test {
namespace {

using Terms = std::vector<NodeSelectorTerm>;

const SelectorRequirement kZone{"zone", SelectorOperator::kIn, {"even"}};

struct Cluster {
  Cluster(int racks, int nodes) : model(ThreeLevels()) {
    for (NodeFacts& node : MakeNodes(1, racks, nodes)) {
      SetLabel(node.labels, "zone", node.name.back() % 2 == 0 ? "even" : "odd");
      REQUIRE(model.UpsertNode(node).ok());
    }
  }
  std::vector<NodeIndex> First(int nodes) const {
    std::vector<NodeIndex> indices;
    for (int i = 0; i < nodes; ++i) indices.push_back(model.FindNode(NodeNameAt(0, 0, 2 * i)));
    std::sort(indices.begin(), indices.end());
    return indices;
  }
  // A pod of `own` that was released with this pin.
  static PodFacts Released(const NodeFilter& own, const Pin& pin) {
    PodFacts pod;
    pod.filter = own;
    if (pin.terms.empty()) return pod;
    pod.filter.required_terms = pin.terms;
    SetWord(pod.annotations, kPinnedAnnotation, pin.words);
    return pod;
  }
  Model model;
};

Pin Gated(const Cluster& cluster, const NodeFilter& own, const std::vector<NodeIndex>& planned) {
  return PinGated(cluster.model, {own, {}, planned, 2, true});
}

NodeFilter With(Terms terms) {
  NodeFilter own;
  own.required_terms = std::move(terms);
  return own;
}

TEST_CASE("Gate pin: without terms of its own a pod gets one for each node") {
  const Cluster cluster(2, 4);
  NodeFilter own;
  own.node_selector = {{"zone", "even"}};
  const Pin pin = Gated(cluster, own, cluster.First(2));
  REQUIRE(pin.terms.size() == 2);
  CHECK(pin.terms[1].fields[0].values == std::vector<std::string>{"b0-r0-n2"});
  CHECK(pin.words == "nodes");
  const PodFacts pod = Cluster::Released(own, pin);
  CHECK(WasReleased(pod));
  CHECK(OwnFilterOf(pod) == own);
}

TEST_CASE("Gate pin: each of its own terms grows at its end, and none comes or goes") {
  const Cluster cluster(2, 4);
  const NodeSelectorTerm named{{}, {{"metadata.name", SelectorOperator::kNotIn, {"b0-r0-n0"}}}};
  const NodeSelectorTerm nothing;
  const NodeFilter own = With({{{kZone}, {}}, named, nothing});
  const Pin pin = Gated(cluster, own, cluster.First(2));
  CHECK(pin.words == "hosts");
  REQUIRE(pin.terms.size() == 3);
  REQUIRE(pin.terms[0].labels.size() == 2);
  CHECK(pin.terms[0].labels[0] == kZone);
  CHECK(pin.terms[0].labels[1].key == kHostnameLabel);
  // The own terms allow all but one of the odd ones, too.
  CHECK(pin.terms[0].labels[1].values.size() == 4);
  CHECK(pin.terms[1].fields == named.fields);
  CHECK(pin.terms[1].labels.size() == 1);
  CHECK(pin.terms[2] == nothing);
  CHECK(OwnFilterOf(Cluster::Released(own, pin)) == own);
}

TEST_CASE("Gate pin: many nodes are told by the labels of their domain") {
  const auto most = static_cast<int>(kMaxPinnedNodes);
  const Cluster cluster(2, 2 * most + 2);
  const std::vector<NodeIndex> planned = cluster.First(most + 1);
  for (const NodeFilter& own : {NodeFilter(), With({{{kZone}, {}}}), With({{{kZone}, {}}, {}})}) {
    const Pin pin = Gated(cluster, own, planned);
    CHECK(pin.words == "labels=2");
    CHECK(pin.terms[0].labels.back().values == std::vector<std::string>{"r0"});
    CHECK(OwnFilterOf(Cluster::Released(own, pin)) == own);
  }
}

TEST_CASE("Gate pin: nodes without a host name are not told by it") {
  Cluster cluster(1, 3);
  NodeFacts node = MakeNode(0, 0, 0);
  std::erase_if(node.labels, [](const auto& label) { return label.first == kHostnameLabel; });
  SetLabel(node.labels, "zone", "even");
  REQUIRE(cluster.model.UpsertNode(node).ok());
  const std::vector<NodeIndex> planned = {cluster.model.FindNode("b0-r0-n2")};
  CHECK(Gated(cluster, With({{{kZone}, {}}}), planned).terms.empty());
  CHECK_FALSE(Gated(cluster, {}, planned).terms.empty());
}

TEST_CASE("Gate pin: as many labels as a pod may say, and no more") {
  const Cluster cluster(1, 4);
  NodeFilter own = With(Terms(kMaxNodeLabels / 2, NodeSelectorTerm{{kZone}, {}}));
  CHECK_FALSE(Gated(cluster, own, cluster.First(1)).terms.empty());
  own.node_selector = {{"zone", "even"}};
  CHECK(Gated(cluster, own, cluster.First(1)).terms.empty());
}

TEST_CASE("Gate pin: words that do not fit its terms say nothing") {
  PodFacts pod;
  pod.filter = With({{{kZone}, {}}});
  CHECK(OwnFilterOf(pod) == pod.filter);
  CHECK_FALSE(WasReleased(pod));
  for (std::string_view words : {"labels=2", "labels=x", "nodes", ""}) {
    SetWord(pod.annotations, kPinnedAnnotation, words);
    CHECK(OwnFilterOf(pod) == pod.filter);
  }
}

}  // namespace
}  // namespace gangplan::gate_pin_test
