#include "topology/labels.h"

#include "tests/support/catch.h"

namespace gangplan::labels_test {
namespace {

TEST_CASE("A patch sets and removes, leaves the rest, and says whether it changed anything") {
  LabelSet labels = {{"a", "1"}, {"b", "2"}, {"c", "3"}};
  CHECK(PatchLabels(labels, {{"a", std::nullopt}, {"b", "two"}, {"d", "4"}}));
  CHECK(labels == LabelSet{{"b", "two"}, {"c", "3"}, {"d", "4"}});
  CHECK_FALSE(PatchLabels(labels, {{"a", std::nullopt}, {"b", "two"}}));
  CHECK_FALSE(PatchLabels(labels, {}));
  CHECK(PatchLabels(labels, {{"b", ""}}));
  CHECK(labels == LabelSet{{"b", ""}, {"c", "3"}, {"d", "4"}});
}

}  // namespace
}  // namespace gangplan::labels_test
