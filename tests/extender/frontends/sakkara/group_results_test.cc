// What is to be written to a group's ConfigMap.
#include "extender/frontends/sakkara/group_results.h"

#include "extender/frontends/fitting_data.h"
#include "tests/support/catch.h"

namespace gangplan::group_results_test {
namespace {

SakkaraGroupResults BoundPod(std::string_view pod) {
  SakkaraGroupResults results;
  results.status = SakkaraStatus::kBound;
  results.by_rank = {{pod, {"r0", "n0"}}};
  return results;
}

size_t BytesOf(const LabelSet& data) {
  size_t bytes = 0;
  for (const auto& [key, value] : data) bytes += key.size() + value.size();
  return bytes;
}

TEST_CASE("Results: only what the object has otherwise is written") {
  ConfigMapFacts object;
  object.data = {{"preemptor", "x"}, {"size", "1"}, {"status", "Bound"}};
  const ResultsToWrite write = FindResultsToWrite(object, BoundPod("a"));
  CHECK(write.data == LabelPatch{{"placement", R"({"root":{"r0":{"n0":{"a":{}}}}})"},
                                 {"preemptor", std::nullopt},
                                 {"rank", "[(a,0)]"}});
  CHECK(write.too_big.empty());
  PatchLabels(object.data, write.data);
  CHECK(FindResultsToWrite(object, BoundPod("a")).data.empty());
}

TEST_CASE("Results: what a ConfigMap does not hold is left out, the placement first") {
  ConfigMapFacts object;
  const LabelPatch whole = FindResultsToWrite(object, BoundPod("a")).data;
  PatchLabels(object.data, whole);
  const size_t bytes = BytesOf(object.data);
  const size_t placement = FindLabel(object.data, "placement")->size() + 9;
  object.data = {{"tree", std::string(kMaxDataBytes - bytes - 4, 'x')}};
  CHECK(FindResultsToWrite(object, BoundPod("a")).too_big.empty());
  object.data[0].second += 'x';
  ResultsToWrite write = FindResultsToWrite(object, BoundPod("a"));
  CHECK(write.too_big == std::vector<std::string>{"placement"});
  CHECK(write.data == LabelPatch{{"rank", "[(a,0)]"}, {"status", "Bound"}});
  object.data[0].second.append(placement - 1, 'x');
  CHECK(FindResultsToWrite(object, BoundPod("a")).too_big.size() == 1);
  object.data[0].second += 'x';
  write = FindResultsToWrite(object, BoundPod("a"));
  CHECK(write.too_big == std::vector<std::string>{"placement", "rank"});
  CHECK(write.data == LabelPatch{{"status", "Bound"}});
}

}  // namespace
}  // namespace gangplan::group_results_test
