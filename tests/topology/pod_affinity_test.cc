#include "topology/pod_affinity.h"

#include "tests/support/catch.h"
#include "topology/implied_resource.h"
#include "topology/tree.h"

namespace gangplan::pod_affinity_test {
namespace {

PodProfile Pod(const LabelSet& labels) { return {"team", PackedLabels(labels), {}}; }

PodSelector Asks(std::vector<SelectorRequirement> labels) {
  PodSelector selector;
  selector.namespaces = {"other", "team"};
  selector.labels = std::move(labels);
  return selector;
}

}  // namespace

TEST_CASE("Packed labels keep every label, also empty values") {
  const PackedLabels labels({{"a", "1"}, {"b", ""}, {"c", "3"}});
  CHECK(labels.Find("a") == "1");
  CHECK(labels.Find("b") == "");
  CHECK(labels.Find("c") == "3");
  CHECK_FALSE(labels.Find("1").has_value());
  CHECK_FALSE(PackedLabels().Find("a").has_value());
  CHECK(labels == PackedLabels({{"a", "1"}, {"b", ""}, {"c", "3"}}));
}

TEST_CASE("Pods are selected by namespace and every requirement") {
  const PodProfile pod = Pod({{"app", "x"}, {"tier", "t"}});
  CHECK(Selects(Asks({}), pod));
  CHECK(Selects(Asks({{"app", SelectorOperator::kIn, {"w", "x"}}}), pod));
  CHECK_FALSE(Selects(Asks({{"app", SelectorOperator::kIn, {"w"}}}), pod));
  CHECK_FALSE(Selects(Asks({{"none", SelectorOperator::kIn, {""}}}), pod));
  CHECK(Selects(Asks({{"app", SelectorOperator::kNotIn, {"w"}}}), pod));
  CHECK_FALSE(Selects(Asks({{"app", SelectorOperator::kNotIn, {"w", "x"}}}), pod));
  CHECK(Selects(Asks({{"none", SelectorOperator::kNotIn, {"x"}}}), pod));
  CHECK(Selects(Asks({{"app", SelectorOperator::kExists, {}}}), pod));
  CHECK_FALSE(Selects(Asks({{"none", SelectorOperator::kExists, {}}}), pod));
  CHECK(Selects(Asks({{"none", SelectorOperator::kDoesNotExist, {}}}), pod));
  CHECK_FALSE(Selects(Asks({{"app", SelectorOperator::kDoesNotExist, {}}}), pod));
  CHECK_FALSE(Selects(
      Asks({{"app", SelectorOperator::kExists, {}}, {"none", SelectorOperator::kExists, {}}}),
      pod));
  PodSelector elsewhere = Asks({});
  elsewhere.namespaces = {"other"};
  CHECK_FALSE(Selects(elsewhere, pod));
  elsewhere.all_namespaces = true;
  CHECK(Selects(elsewhere, pod));
  CHECK_FALSE(SelectAll({Asks({}), Asks({{"none", SelectorOperator::kExists, {}}})}, pod));
  CHECK(SelectAll({Asks({}), Asks({{"app", SelectorOperator::kExists, {}}})}, pod));
}

TEST_CASE("Selectors as text") {
  CHECK(SelectorText(Asks({})) == "all pods of other,team");
  CHECK(SelectorText(Asks({{"a", SelectorOperator::kIn, {"1"}},
                           {"b", SelectorOperator::kIn, {"1", "2"}},
                           {"c", SelectorOperator::kNotIn, {"1"}},
                           {"d", SelectorOperator::kExists, {}},
                           {"e", SelectorOperator::kDoesNotExist, {}}})) ==
        "a=1,b in (1,2),c!=1,d,!e of other,team");
}

TEST_CASE("A pod that keeps apart from its like takes the node of such pods, once a term") {
  PodProfile pod = Pod({{"app", "x"}});
  const PodSelector like = Asks({{"app", SelectorOperator::kIn, {"x"}}});
  const PodSelector others = Asks({{"app", SelectorOperator::kIn, {"y"}}});
  const std::string node(kHostnameLabel);
  pod.affinity.apart = {{node, like}, {"rack", like}, {node, others}, {node, like}};
  CHECK(ApartOnNode(pod) == ResourceList{{"pod anti-affinity to app=x of other,team", kWholeNode}});
  CHECK(IsImplied(ApartOnNode(pod).front().name));
}

}  // namespace gangplan::pod_affinity_test
