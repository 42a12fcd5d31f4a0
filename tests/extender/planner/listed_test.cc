// Lists of nodes that are no samples: what is not in them is refused.
#include "extender/planner/limits.h"
#include "extender/planner/refusals.h"
#include "tests/support/catch.h"
#include "tests/support/sentences.h"

namespace gangplan::listed_test {
namespace {

constexpr absl::Time kStart = absl::FromUnixSeconds(100);
const absl::Time kUntil = kStart + absl::Minutes(5);
using Nodes = std::vector<NodeIndex>;

}  // namespace

TEST_CASE("Listed: what two lists lack may be refused, if nothing has left it") {
  Refusals refusals;
  CHECK_FALSE(refusals.List(kStart, 1, 0, {1, 3}));
  CHECK_FALSE(refusals.List(kStart + kDoubtAtLeast - absl::Milliseconds(1), 1, 0, {2}));
  CHECK_FALSE(refusals.List(kStart + kDoubtAtLeast, 1, 1, {2}));
  refusals.Disturb(4);
  const auto others = refusals.List(kStart + kDoubtAtLeast, 1, 0, {3});
  REQUIRE(others);
  for (NodeIndex node : {1, 3, 4}) CHECK_FALSE(others->Has(node));
  for (NodeIndex node : {0, 2, 5}) CHECK(others->Has(node));
  const absl::Time late = kStart + kDoubtAtLeast + kDoubtAtMost + absl::Milliseconds(1);
  CHECK_FALSE(refusals.List(late, 1, 0, {3}));
  CHECK(refusals.List(late + kDoubtAtLeast, 1, 0, {3}));
  refusals.ForgetGroup(1);
  CHECK_FALSE(refusals.List(late + 2 * kDoubtAtLeast, 1, 0, {3}));
}

// Another extender comes before us, and the scheduler looks at a sample.
TEST_CASE("Listed: lists that are cut otherwise each time tell nothing of what they lack") {
  Refusals refusals;
  absl::Time now = kStart;
  CHECK_FALSE(refusals.List(now, 1, 0, {1, 2, 3}));
  CHECK_FALSE(refusals.List(now += kDoubtAtLeast, 1, 0, {7, 8, 9}));
  CHECK_FALSE(refusals.List(now += kDoubtAtLeast, 1, 0, {7, 8, 10}));
  refusals.Disturb(9);
  const auto others = refusals.List(now += kDoubtAtLeast, 1, 0, {7, 9});  // something has left 9
  REQUIRE(others);
  CHECK(others->Has(1));
  for (NodeIndex node : {7, 8, 9, 10}) CHECK_FALSE(others->Has(node));
}

TEST_CASE("Listed: who is not in the list is refused beside those that were refused alone") {
  Refusals refusals;
  refusals.Learn(1, 0, 2, kUntil + absl::Seconds(1), "");
  refusals.Learn(1, 0, 7, kUntil, "");
  refusals.LearnOthers(1, 0, {false, true, true, false, true}, kUntil, "because");
  CHECK(refusals.Of(1, 0) == Nodes{1, 2, 4, 7});
  CHECK(refusals.Has(1, 0, 4));
  CHECK_FALSE(refusals.Has(1, 0, 3));
  CHECK(refusals.TextOf(1, 0) ==
        Sentence("refused by the scheduler, in its words", "4 nodes", "because"));
  refusals.ForgetNode(4);
  CHECK(refusals.Of(1, 0) == Nodes{1, 2, 7});
  CHECK(refusals.Expire(kUntil - absl::Seconds(1)).empty());
  CHECK(refusals.Expire(kUntil) == std::vector<GroupId>{1});
  CHECK(refusals.Of(1, 0) == Nodes{2});
  refusals.LearnOthers(2, 0, {}, kUntil, "");
  refusals.LearnOthers(3, 0, {false, true}, kUntil, "");
  refusals.ForgetNode(1);
  CHECK(refusals.TextOf(3, 0).empty());
  CHECK(refusals.TextOf(2, 0).empty());
}

}  // namespace gangplan::listed_test
