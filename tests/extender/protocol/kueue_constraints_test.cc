#include "extender/protocol/kueue_constraints.h"

#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::kueue_constraints_test {
namespace {

using Layers = std::vector<SliceConstraint>;

Layers Read(std::string_view text) {
  const auto layers = DecodeSliceConstraints(text);
  INFO(text);
  REQUIRE(ErrorOf(layers) == "");
  return *layers;
}

TEST_CASE("Slice layers come in the order of the text") {
  CHECK(Read(R"([{"topology":"cloud.com/block","size":16}, {"size":8,"topology":"rack"}])") ==
        Layers{{"cloud.com/block", 16}, {"rack", 8}});
  CHECK(Read("[]").empty());
  CHECK(Read("null").empty());
}

TEST_CASE("Slice layers: what is not there is empty, unknown keys are skipped, any case is right") {
  CHECK(Read(R"([{}, null, {"Topology":"a"}, {"SIZE":-3,"more":[1]}])") ==
        Layers{{"", 0}, {"", 0}, {"a", 0}, {"", -3}});
}

TEST_CASE("Slice layers: an annotation that is too long is refused") {
  CHECK(ErrorOf(DecodeSliceConstraints("[" + std::string(4'094, ' ') + "]")) == "");
  CHECK(ErrorOf(DecodeSliceConstraints("[" + std::string(4'095, ' ') + "]")) ==
        "the text is longer than 4096 bytes: 4097");
}

}  // namespace
}  // namespace gangplan::kueue_constraints_test
