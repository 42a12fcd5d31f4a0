#include "extender/frontends/gangplan/known_keys.h"

#include "tests/support/catch.h"

namespace gangplan {
namespace {

TEST_CASE("what is written on Jobs that wait is known, as a label and as an annotation") {
  const LabelSet keys = {{"gangplan.io/pinned", "1"}, {"gangplan.io/suspended", ""}};
  CHECK(UnknownKey(keys, {}).empty());
  CHECK(UnknownKey({}, keys).empty());
  CHECK(UnknownKey(keys, keys).empty());
}

TEST_CASE("a key that is almost one of ours is not") {
  CHECK(UnknownKey({}, {{"gangplan.io/suspend", ""}})
            .starts_with("gangplan.io/suspend: unknown; expected one of gangplan.io/group, "));
  CHECK_FALSE(UnknownKey({{"gangplan.io/pin", ""}}, {}).empty());
}

}  // namespace
}  // namespace gangplan
