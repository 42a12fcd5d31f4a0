#include "extender/frontends/kueue/draft_words.h"

#include "extender/frontends/kueue/rules.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"

namespace gangplan::draft_words_test {
namespace {

LabelSet Say(const LabelSet& annotations) {
  const absl::StatusOr<LabelSet> said = SayDraftWords(annotations, ThreeLevels());
  REQUIRE(said.ok());
  return *said;
}

std::string Problem(const LabelSet& annotations) {
  return Message(SayDraftWords(annotations, ThreeLevels()).status());
}

TEST_CASE("words of the drafts are those of today") {
  CHECK(Say({{"kueue.x-k8s.io/require-topology", "topology/rack"}}) ==
        LabelSet{{"kueue.x-k8s.io/podset-required-topology", "topology/rack"}});
  CHECK(Say({{"kueue.x-k8s.io/prefer-topology", "topology/block"}}) ==
        LabelSet{{"kueue.x-k8s.io/podset-preferred-topology", "topology/block"}});
  CHECK(Say({{"kueue.x-k8s.io/podset-slice-size", "2"},
             {"kueue.x-k8s.io/prefer-topology", "auto"}}) ==
        LabelSet{{"kueue.x-k8s.io/podset-preferred-topology", ThreeLevels().levels.back().label},
                 {"kueue.x-k8s.io/podset-slice-size", "2"}});
  const LabelSet today = {{"kueue.x-k8s.io/podset-preferred-topology", "auto"}};
  CHECK(Say(today) == today);
  CHECK_FALSE(HasDraftWords(today));
  CHECK(HasKueueTopology({{"kueue.x-k8s.io/prefer-topology", "auto"}}));
}

TEST_CASE("only what is preferred may be automatic") {
  CHECK(Problem({{"kueue.x-k8s.io/require-topology", "auto"}}) ==
        "kueue.x-k8s.io/require-topology: \"auto\" is the lowest level where it is preferred "
        "(kueue.x-k8s.io/prefer-topology); expected the label of a level");
}

TEST_CASE("one wish is said once") {
  CHECK(Problem({{"kueue.x-k8s.io/prefer-topology", "auto"},
                 {"kueue.x-k8s.io/require-topology", "topology/rack"}}) ==
        "kueue.x-k8s.io/prefer-topology: stands beside kueue.x-k8s.io/require-topology; expected "
        "one of them");
  for (const char* other :
       {"kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology",
        "kueue.x-k8s.io/podset-unconstrained-topology"}) {
    CHECK(
        Problem({{other, "topology/rack"}, {"kueue.x-k8s.io/require-topology", "topology/rack"}}) ==
        fmt::format("kueue.x-k8s.io/require-topology: stands beside {}; expected one of them",
                    other));
  }
}

}  // namespace
}  // namespace gangplan::draft_words_test
