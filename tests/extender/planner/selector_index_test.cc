#include "extender/planner/selector_index.h"

#include "tests/support/catch.h"

namespace gangplan::selector_index_test {
namespace {

PodProfile Pod(std::string_view ns, LabelSet labels) {
  return {std::string(ns), PackedLabels(labels), {}};
}

PodSelector Selector(std::vector<std::string> namespaces, std::vector<SelectorRequirement> labels) {
  PodSelector selector;
  selector.all_namespaces = namespaces.empty();
  selector.namespaces = std::move(namespaces);
  selector.labels = std::move(labels);
  return selector;
}

std::vector<int32_t> Visited(const SelectorIndex& index, const PodProfile& pod) {
  std::vector<int32_t> ids;
  index.Visit(pod, [&](int32_t id) { ids.push_back(id); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

TEST_CASE("Selector index: a pod meets each selector that may select it once, and few others") {
  SelectorIndex index;
  const PodSelector app = Selector({"a", "b"}, {{"app", SelectorOperator::kIn, {"x"}}});
  const PodSelector loose = Selector({"a"}, {{"app", SelectorOperator::kIn, {"x", "y"}}});
  const PodSelector all = Selector({}, {});
  index.Add(app, 1);
  index.Add(loose, 2);
  index.Add(all, 3);
  CHECK(Visited(index, Pod("a", {{"app", "x"}})) == std::vector<int32_t>{1, 2, 3});
  CHECK(Visited(index, Pod("b", {{"app", "x"}, {"tier", "t"}})) == std::vector<int32_t>{1, 3});
  CHECK(Visited(index, Pod("b", {{"app", "y"}})) == std::vector<int32_t>{3});
  CHECK(Visited(index, Pod("c", {})) == std::vector<int32_t>{3});
  index.Remove(app, 1);
  index.Remove(all, 3);
  CHECK(Visited(index, Pod("a", {{"app", "x"}})) == std::vector<int32_t>{2});
  CHECK(Visited(index, Pod("b", {{"app", "x"}})).empty());
}

}  // namespace gangplan::selector_index_test
