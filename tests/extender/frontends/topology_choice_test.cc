#include "extender/frontends/topology_choice.h"

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::topology_choice_test {
namespace {

constexpr TopologyIndex kRacks = 0, kRings = 1, kRest = 2;
using Op = SelectorOperator;

ScopedTopology Of(std::string name, NodeScope nodes) {
  return {*CompleteTopology({std::move(name), {{"rack", "r"}}}), std::move(nodes)};
}

// By their pools, and one of all other nodes.
std::vector<ScopedTopology> Three() {
  return {Of("racks", {{{"pool", Op::kIn, {"racks"}}}}),
          Of("rings", {{{"pool", Op::kIn, {"rings", "tori"}}}}), Of("rest", {})};
}

NodeFilter Selecting(LabelSet labels) {
  NodeFilter filter;
  filter.node_selector = std::move(labels);
  return filter;
}

NodeFilter Requiring(std::vector<SelectorRequirement> labels) {
  NodeFilter filter;
  filter.required_terms = {{std::move(labels), {}}};
  return filter;
}

TopologyIndex Chosen(const NodeFilter& filter, std::optional<std::string> word = {},
                     TopologyIndex usual = kRacks) {
  const absl::StatusOr<TopologyIndex> chosen = ChooseTopology(word, filter, Three(), usual);
  INFO(Message(chosen.status()));
  REQUIRE(chosen.ok());
  return *chosen;
}

std::string ErrorOf(const NodeFilter& filter, std::optional<std::string> word = {}) {
  return Message(ChooseTopology(word, filter, Three(), kRacks).status());
}

}  // namespace

TEST_CASE("A topology is chosen by word, else by where the node selector lets the pod go") {
  CHECK(Chosen({}, "rings") == kRings);
  CHECK(Chosen({}, "rest") == kRest);
  CHECK(Chosen({}) == kRacks);
  CHECK(Chosen({}, {}, kRest) == kRest);
  CHECK(Chosen(Selecting({{"pool", "racks"}}), {}, kRings) == kRacks);
  CHECK(Chosen(Selecting({{"pool", "tori"}})) == kRings);
  CHECK(Chosen(Selecting({{"pool", "other"}})) == kRest);
  CHECK(Chosen(Selecting({{"gpu", "h100"}}), {}, kRings) == kRings);  // of any of them
}

TEST_CASE("The default is chosen only where its nodes may be") {
  const NodeFilter both = Requiring({{"pool", Op::kIn, {"racks", "rings"}}});
  CHECK(Chosen(both) == kRacks);
  CHECK(Chosen(both, {}, kRings) == kRings);
  CHECK(Chosen(both, "rings") == kRings);
  // No node of the rest is in one of these pools, though neither scope has both.
  CHECK(
      Message(ChooseTopology({}, both, Three(), kRest).status()) ==
      "node selector and required affinity let it go to nodes of the topologies \"racks\" and "
      "\"rings\", and to none of \"rest\", the default; expected gangplan.io/topology to name one "
      "of them");
  CHECK(Chosen(Requiring({{"pool", Op::kIn, {"racks", "other"}}}), {}, kRest) == kRest);
}

TEST_CASE("Of long lists of values no more is taken apart than costs little") {
  std::vector<std::string> values;
  for (int i = 0; i < 4'096; ++i) values.push_back(fmt::format("pool-{}", i));
  CHECK(Chosen(Requiring({{"pool", Op::kIn, values}}), {}, kRest) == kRest);
  values.resize(31);
  values.push_back("racks");
  CHECK(Chosen(Requiring({{"pool", Op::kIn, values}}), {}, kRest) == kRest);
}

TEST_CASE("Required affinity chooses a topology as the node selector does") {
  CHECK(Chosen(Requiring({{"pool", Op::kIn, {"rings"}}})) == kRings);
  CHECK(Chosen(Requiring({{"pool", Op::kIn, {"racks", "rings"}}}), {}, kRings) == kRings);
  CHECK(Chosen(Requiring({{"pool", Op::kNotIn, {"racks", "rings", "tori"}}})) == kRest);
  CHECK(Chosen(Requiring({{"pool", Op::kDoesNotExist, {}}})) == kRest);
  CHECK(Chosen(Requiring({{"pool", Op::kExists, {}}}), {}, kRings) == kRings);
  NodeFilter either = Requiring({{"pool", Op::kIn, {"racks"}}});
  either.required_terms->push_back({{{"pool", Op::kIn, {"rings"}}}, {}});
  CHECK(Chosen(either, {}, kRings) == kRings);
  CHECK_FALSE(ChooseTopology({}, either, Three(), kRest).ok());
  NodeFilter both = Requiring({{"pool", Op::kIn, {"racks", "tori"}}});
  both.node_selector = {{"pool", "tori"}};
  CHECK(Chosen(both) == kRings);
}

TEST_CASE("A topology that there is not, or where the pod cannot go, is told with all of them") {
  CHECK(ErrorOf({}, "ring") ==
        "gangplan.io/topology: there is no topology \"ring\", only \"racks\", \"rings\" and "
        "\"rest\"");
  CHECK(ErrorOf(Selecting({{"pool", "racks"}}), "rings") ==
        "node selector and required affinity let it go to no node of topology rings (pool in "
        "(rings,tori))");
  CHECK(ErrorOf(Selecting({{"pool", "racks"}}), "rest") ==
        "node selector and required affinity let it go to no node of topology rest (all other "
        "nodes)");
  NodeFilter none = Requiring({{"pool", Op::kIn, {"racks"}}});
  none.node_selector = {{"pool", "rings"}};
  CHECK(ErrorOf(none) ==
        "node selector and required affinity let it go to no node of any topology: racks "
        "(pool=racks), rings (pool in (rings,tori)), rest (all other nodes)");
}

TEST_CASE("Of one topology nothing is asked but its name") {
  const std::vector<ScopedTopology> one = {Of("default", {{{"pool", Op::kIn, {"a"}}}})};
  CHECK(*ChooseTopology({}, Selecting({{"pool", "b"}}), one, 0) == 0);
  CHECK(Message(ChooseTopology("x", {}, one, 0).status()) ==
        "gangplan.io/topology: there is no topology \"x\", only \"default\"");
}

}  // namespace gangplan::topology_choice_test
