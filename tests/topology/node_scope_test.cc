#include "topology/node_scope.h"

#include "tests/support/catch.h"

namespace gangplan::node_scope_test {
namespace {

constexpr auto kIn = SelectorOperator::kIn;
constexpr auto kNotIn = SelectorOperator::kNotIn;
constexpr auto kExists = SelectorOperator::kExists;
constexpr auto kDoesNotExist = SelectorOperator::kDoesNotExist;

TEST_CASE("Node scope: without requirements every node is within") {
  CHECK(NodeScope{}.all());
  CHECK(IsWithin({}, {}));
  CHECK(ScopeText({}).empty());
}

TEST_CASE("Node scope: every requirement must hold") {
  const NodeScope scope{{{"pool", kIn, {"a"}}, {"tier", kNotIn, {"x", "y"}}}};
  CHECK_FALSE(scope.all());
  CHECK(IsWithin(scope, {{"pool", "a"}}));
  CHECK(IsWithin(scope, {{"pool", "a"}, {"tier", "z"}}));
  CHECK_FALSE(IsWithin(scope, {{"pool", "a"}, {"tier", "y"}}));
  CHECK_FALSE(IsWithin(scope, {{"pool", "b"}}));
  CHECK_FALSE(IsWithin(scope, {}));
  CHECK(IsWithin({{{"gpu", kExists, {}}}}, {{"gpu", ""}}));
  CHECK_FALSE(IsWithin({{{"gpu", kDoesNotExist, {}}}}, {{"gpu", ""}}));
}

TEST_CASE("Node scope: its text is a selector of kubectl") {
  CHECK(ScopeText({{{"pool", kIn, {"a"}},
                    {"tier", kIn, {"x", "y"}},
                    {"zone", kNotIn, {"z"}},
                    {"rack", kNotIn, {"1", "2"}},
                    {"gpu", kExists, {}},
                    {"spare", kDoesNotExist, {}}}}) ==
        "pool=a,tier in (x,y),zone!=z,rack notin (1,2),gpu,!spare");
}

TEST_CASE("Node scope: who is outside is told by the first requirement that fails") {
  const NodeScope scope{{{"pool", kIn, {"a"}}, {"spare", kDoesNotExist, {}}}};
  CHECK(WhyOutside(scope, {{"pool", "b"}, {"spare", ""}}) == "pool=b, expected pool=a");
  CHECK(WhyOutside(scope, {}) == "without pool, expected pool=a");
  CHECK(WhyOutside(scope, {{"pool", "a"}, {"spare", "1"}}) == "spare=1, expected !spare");
  CHECK(WhyOutside(scope, {{"pool", "a"}}).empty());
}

}  // namespace
}  // namespace gangplan::node_scope_test
