#include "topology/resources.h"

#include <limits>

#include "tests/support/catch.h"

namespace gangplan::resources_test {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

ResourceList Sum(ResourceList sum, const ResourceList& more, int64_t times = 1) {
  AddResources(sum, more, times);
  return sum;
}

TEST_CASE("Amounts are found by name") {
  const ResourceList amounts = {{"cpu", 5}, {"memory", 7}};
  CHECK(AmountOf(amounts, "cpu") == 5);
  CHECK(AmountOf(amounts, "memory") == 7);
  CHECK(AmountOf(amounts, "d") == 0);
  CHECK(AmountOf({}, "cpu") == 0);
}

TEST_CASE("A sum of resources has the names of both, in order") {
  CHECK(Sum({}, {}) == ResourceList{});
  CHECK(Sum({{"b", 2}, {"d", 4}}, {{"a", 1}, {"b", 3}, {"c", 5}, {"e", 6}}) ==
        ResourceList{{"a", 1}, {"b", 5}, {"c", 5}, {"d", 4}, {"e", 6}});
  CHECK(Sum({{"a", 1}}, {{"a", 2}, {"b", 3}}, 4) == ResourceList{{"a", 9}, {"b", 12}});
  CHECK(Sum({{"a", 2}}, {{"a", 2}, {"b", 3}}, -1) == ResourceList{{"a", 0}, {"b", -3}});
}

TEST_CASE("A sum of resources stops at the ends of its numbers") {
  CHECK(Sum({{"a", kMost - 1}}, {{"a", 1}}) == ResourceList{{"a", kMost}});
  CHECK(Sum({{"a", kMost - 1}}, {{"a", 2}}) == ResourceList{{"a", kMost}});
  CHECK(Sum({{"a", kLeast + 1}}, {{"a", 1}}, -1) == ResourceList{{"a", kLeast}});
  CHECK(Sum({{"a", kLeast + 1}}, {{"a", 2}}, -1) == ResourceList{{"a", kLeast}});
  CHECK(Sum({}, {{"a", kMost}}, 2) == ResourceList{{"a", kMost}});
  CHECK(Sum({}, {{"a", kMost}}, -2) == ResourceList{{"a", kLeast}});
  CHECK(Sum({}, {{"a", kLeast}}, -1) == ResourceList{{"a", kMost}});
  CHECK(Sum({{"a", kLeast}}, {{"a", kMost}}, 2) == ResourceList{{"a", kMost - 1}});
  CHECK(Sum({{"a", -1}}, {{"a", kMost}}) == ResourceList{{"a", kMost - 1}});
}

}  // namespace
}  // namespace gangplan::resources_test
