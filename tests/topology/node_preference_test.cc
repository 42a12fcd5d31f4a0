#include "topology/node_preference.h"

#include "tests/support/catch.h"

namespace gangplan::node_preference_test {
namespace {

TEST_CASE("preferred terms that match add their weights up") {
  NodeFacts node;
  node.name = "n";
  node.labels = {{"rack", "r1"}};
  const SelectorRequirement in_rack{"rack", SelectorOperator::kIn, {"r1"}};
  const SelectorRequirement elsewhere{"rack", SelectorOperator::kIn, {"r2"}};
  const SelectorRequirement by_name{"metadata.name", SelectorOperator::kIn, {"n"}};
  const std::vector<PreferredTerm> terms = {
      {{{in_rack}, {}}, 10}, {{{elsewhere}, {}}, 20}, {{{in_rack}, {by_name}}, 40}, {{}, 80}};
  CHECK(PreferenceScore(terms, node) == 50);
  CHECK(PreferenceScore({}, node) == 0);
}

}  // namespace
}  // namespace gangplan::node_preference_test
