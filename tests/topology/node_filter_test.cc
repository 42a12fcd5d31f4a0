#include "topology/node_filter.h"

#include "tests/support/catch.h"

namespace gangplan::node_filter_test {
namespace {

constexpr auto kNoSchedule = TaintEffect::kNoSchedule;
constexpr auto kNoExecute = TaintEffect::kNoExecute;

NodeFacts Node() {
  NodeFacts node;
  node.name = "n1";
  node.labels = {{"cores", "64"}, {"gpu", "h100"}, {"zone", "a"}};
  node.ready = true;
  return node;
}

bool Tolerates(Toleration toleration, Taint taint) {
  NodeFacts node = Node();
  node.taints = {std::move(taint)};
  NodeFilter filter;
  filter.tolerations = {std::move(toleration)};
  return ToleratesTaints(filter, node);
}

bool Matches(std::vector<NodeSelectorTerm> terms) {
  NodeFilter filter;
  filter.required_terms = std::move(terms);
  return MatchesSelector(filter, Node());
}

bool Label(std::string key, SelectorOperator op, std::vector<std::string> values) {
  return Matches({{{{std::move(key), op, std::move(values)}}, {}}});
}

bool Field(std::string key, SelectorOperator op, std::vector<std::string> values) {
  return Matches({{{}, {{std::move(key), op, std::move(values)}}}});
}

TEST_CASE("a node selector wants every label equal") {
  NodeFilter filter;
  CHECK(MatchesSelector(filter, Node()));
  filter.node_selector = {{"gpu", "h100"}, {"zone", "a"}};
  CHECK(MatchesSelector(filter, Node()));
  filter.node_selector = {{"gpu", "h100"}, {"zone", "b"}};
  CHECK_FALSE(MatchesSelector(filter, Node()));
  filter.node_selector = {{"absent", ""}};
  CHECK_FALSE(MatchesSelector(filter, Node()));
}

TEST_CASE("tolerations that compare numbers") {
  const auto tolerates = [](TaintComparison comparison, std::string bound, std::string value) {
    return Tolerates({"age", false, std::move(bound), std::nullopt, comparison},
                     {"age", std::move(value), TaintEffect::kNoSchedule});
  };
  CHECK(tolerates(TaintComparison::kLess, "10", "9"));
  CHECK_FALSE(tolerates(TaintComparison::kLess, "10", "10"));
  CHECK(tolerates(TaintComparison::kGreater, "10", "11"));
  CHECK(tolerates(TaintComparison::kGreater, "-2", "-1"));
  CHECK_FALSE(tolerates(TaintComparison::kGreater, "10", "10"));
  CHECK_FALSE(tolerates(TaintComparison::kGreater, "10", "eleven"));
  CHECK_FALSE(tolerates(TaintComparison::kLess, "", "9"));
}

TEST_CASE("operators on labels") {
  using enum SelectorOperator;
  CHECK(Label("zone", kIn, {"b", "a"}));
  CHECK_FALSE(Label("zone", kIn, {"b"}));
  CHECK_FALSE(Label("absent", kIn, {"b"}));
  CHECK(Label("zone", kNotIn, {"b"}));
  CHECK_FALSE(Label("zone", kNotIn, {"b", "a"}));
  CHECK(Label("absent", kNotIn, {"b"}));
  CHECK(Label("zone", kExists, {}));
  CHECK_FALSE(Label("absent", kExists, {}));
  CHECK(Label("absent", kDoesNotExist, {}));
  CHECK_FALSE(Label("zone", kDoesNotExist, {}));
}

TEST_CASE("greater and less compare whole numbers") {
  using enum SelectorOperator;
  CHECK(Label("cores", kGt, {"63"}));
  CHECK(Label("cores", kGt, {"+63"}));
  CHECK(Label("cores", kGt, {"-1"}));
  CHECK_FALSE(Label("cores", kGt, {"64"}));
  CHECK(Label("cores", kLt, {"65"}));
  CHECK_FALSE(Label("cores", kLt, {"64"}));
  CHECK_FALSE(Label("zone", kGt, {"1"}));
  CHECK_FALSE(Label("absent", kLt, {"1"}));
  CHECK_FALSE(Label("cores", kGt, {"1.5"}));
  CHECK_FALSE(Label("cores", kGt, {"+-1"}));
  CHECK_FALSE(Label("cores", kGt, {"1", "2"}));
}

TEST_CASE("a requirement with a wrong number of values spoils its term only") {
  using enum SelectorOperator;
  CHECK_FALSE(Label("zone", kIn, {}));
  CHECK_FALSE(Label("absent", kNotIn, {}));
  CHECK_FALSE(Label("zone", kExists, {"a"}));
  CHECK_FALSE(Label("absent", kDoesNotExist, {"a"}));
  CHECK(Matches({{{{"zone", kIn, {}}}, {}}, {{{"zone", kExists, {}}}, {}}}));
}

TEST_CASE("terms are alternatives, requirements of a term are not") {
  using enum SelectorOperator;
  NodeSelectorTerm good{{{"zone", kIn, {"a"}}}, {}};
  NodeSelectorTerm bad{{{"zone", kIn, {"a"}}, {"gpu", kIn, {"a100"}}}, {}};
  CHECK(Matches({bad, good}));
  CHECK_FALSE(Matches({bad}));
  CHECK_FALSE(Matches({NodeSelectorTerm{}}));
  CHECK(Matches({NodeSelectorTerm{}, good}));
  CHECK_FALSE(Matches({}));
}

TEST_CASE("fields know the node's name only") {
  using enum SelectorOperator;
  CHECK(Field("metadata.name", kIn, {"n1"}));
  CHECK_FALSE(Field("metadata.name", kIn, {"n2"}));
  CHECK(Field("metadata.name", kNotIn, {"n2", "n3"}));
  CHECK_FALSE(Field("metadata.name", kNotIn, {"n2", "n1"}));
  CHECK_FALSE(Field("metadata.name", kExists, {}));
  CHECK_FALSE(Field("metadata.uid", kNotIn, {"x"}));
  CHECK_FALSE(Matches({{{{"zone", kIn, {"a"}}}, {{"metadata.name", kIn, {"n2"}}}}}));
}

TEST_CASE("the node selector and the terms must both hold") {
  NodeFilter filter;
  filter.node_selector = {{"zone", "b"}};
  filter.required_terms = {{{{"zone", SelectorOperator::kExists, {}}}, {}}};
  CHECK_FALSE(MatchesSelector(filter, Node()));
}

TEST_CASE("a toleration fits by key, operator, value and effect") {
  const Taint taint{"team", "red", kNoSchedule};
  CHECK(Tolerates({"team", false, "red", {}}, taint));
  CHECK(Tolerates({"team", false, "red", kNoSchedule}, taint));
  CHECK_FALSE(Tolerates({"team", false, "red", kNoExecute}, taint));
  CHECK_FALSE(Tolerates({"team", false, "blue", {}}, taint));
  CHECK_FALSE(Tolerates({"other", false, "red", {}}, taint));
  CHECK(Tolerates({"team", true, "", {}}, taint));
  CHECK_FALSE(Tolerates({"other", true, "", {}}, taint));
  CHECK(Tolerates({"", true, "", {}}, taint));
  CHECK(Tolerates({"", true, "", kNoSchedule}, taint));
  CHECK_FALSE(Tolerates({"", true, "", kNoExecute}, taint));
  CHECK(Tolerates({"team", false, "", {}}, {"team", "", kNoExecute}));
}

TEST_CASE("a preference is no obstacle, and each other taint must be tolerated") {
  NodeFacts node = Node();
  NodeFilter filter;
  node.taints = {{"a", "", TaintEffect::kPreferNoSchedule}};
  CHECK(ToleratesTaints(filter, node));
  node.taints.push_back({"b", "", kNoExecute});
  CHECK_FALSE(ToleratesTaints(filter, node));
  filter.tolerations = {{"b", true, "", {}}};
  CHECK(ToleratesTaints(filter, node));
  node.taints.push_back({"c", "", kNoSchedule});
  CHECK_FALSE(ToleratesTaints(filter, node));
}

TEST_CASE("a cordon is a taint that can be tolerated") {
  NodeFacts node = Node();
  node.unschedulable = true;
  NodeFilter filter;
  CHECK_FALSE(ToleratesTaints(filter, node));
  CHECK(ToleratesLastingTaints(filter, node));
  filter.tolerations = {{"node.kubernetes.io/unschedulable", true, "", kNoSchedule}};
  CHECK(ToleratesTaints(filter, node));
}

TEST_CASE("at its best a node has only its lasting taints") {
  NodeFacts node = Node();
  NodeFilter filter;
  node.taints = {{"node.kubernetes.io/not-ready", "", kNoExecute},
                 {"node.kubernetes.io/unreachable", "", kNoSchedule},
                 {"node.kubernetes.io/unschedulable", "", kNoSchedule},
                 {"node.kubernetes.io/disk-pressure", "", kNoSchedule},
                 {"node.cloudprovider.kubernetes.io/uninitialized", "true", kNoSchedule}};
  CHECK_FALSE(ToleratesTaints(filter, node));
  CHECK(ToleratesLastingTaints(filter, node));
  node.taints.push_back({"node.kubernetes.io/out-of-service", "", kNoExecute});
  CHECK_FALSE(ToleratesLastingTaints(filter, node));
}

}  // namespace
}  // namespace gangplan::node_filter_test
