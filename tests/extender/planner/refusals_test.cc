#include "extender/planner/refusals.h"

#include "extender/planner/limits.h"
#include "tests/support/catch.h"
#include "tests/support/sentences.h"

namespace gangplan::refusals_test {
namespace {

constexpr absl::Time kUntil = absl::FromUnixSeconds(100);
using Nodes = std::vector<NodeIndex>;
using Groups = std::vector<GroupId>;

}  // namespace

TEST_CASE("Refusals: a node is refused for one pod set of one group") {
  Refusals refusals;
  refusals.Learn(1, 0, 7, kUntil, "");
  refusals.Learn(1, 0, 3, kUntil, "");
  CHECK(refusals.Of(1, 0) == Nodes{3, 7});
  CHECK(refusals.Has(1, 0, 3));
  CHECK_FALSE(refusals.Has(1, 1, 3));
  CHECK_FALSE(refusals.Has(2, 0, 3));
}

TEST_CASE("Refusals: a node is believed to be of no use when it is refused again a while later") {
  Refusals refusals;
  const absl::Time start = kUntil;
  const auto doubt = [&](absl::Duration at) { return refusals.Doubt(start + at, 1, 0, 7); };
  CHECK_FALSE(doubt(absl::ZeroDuration()));
  CHECK_FALSE(doubt(kDoubtAtLeast - absl::Milliseconds(1)));
  SECTION("from then on") { CHECK(doubt(kDoubtAtLeast)); }
  SECTION("until the first one is too old") { CHECK(doubt(kDoubtAtMost)); }
  SECTION("not when it is too old: that is a first one") {
    CHECK_FALSE(doubt(kDoubtAtMost + absl::Milliseconds(1)));
    CHECK(doubt(kDoubtAtMost + kDoubtAtLeast + absl::Milliseconds(1)));
  }
  SECTION("once: then it begins anew") {
    CHECK(doubt(absl::Seconds(1)));
    CHECK_FALSE(doubt(absl::Seconds(2)));
  }
  SECTION("not when something has left it in between") {
    refusals.Disturb(7);
    CHECK_FALSE(doubt(absl::Seconds(1)));
    CHECK(doubt(absl::Seconds(2)));
  }
  SECTION("the third time in any case") {
    refusals.Disturb(7);
    CHECK_FALSE(doubt(absl::Seconds(1)));
    refusals.Disturb(7);
    CHECK(doubt(absl::Seconds(2)));
  }
  SECTION("not when it was forgotten for its age") {
    refusals.Expire(start + kDoubtAtMost + absl::Milliseconds(1));
    CHECK_FALSE(doubt(absl::Seconds(1)));
  }
  SECTION("what leaves another node is nothing to it") {
    refusals.Disturb(8);
    refusals.Disturb(kNoNode);
    CHECK(doubt(absl::Seconds(1)));
  }
  SECTION("a doubt goes with its group or its node") {
    refusals.ForgetGroup(2);
    refusals.ForgetNode(8);
    SECTION("the group") { refusals.ForgetGroup(1); }
    SECTION("the node") { refusals.ForgetNode(7); }
    SECTION("none") { CHECK(doubt(absl::Seconds(1))); }
    CHECK_FALSE(doubt(absl::Seconds(1)));
  }
}

TEST_CASE("Refusals: the text counts the nodes and keeps the scheduler's last words") {
  Refusals refusals;
  CHECK(refusals.TextOf(1, 0).empty());
  refusals.Learn(1, 0, 3, kUntil, "");
  CHECK(refusals.TextOf(1, 0) == Sentence("refused by the scheduler", "1 node"));
  refusals.Learn(1, 0, 4, kUntil, "no volume");
  refusals.Learn(1, 0, 5, kUntil, "");
  CHECK(refusals.TextOf(1, 0) ==
        Sentence("refused by the scheduler, in its words", "3 nodes", "no volume"));
}

TEST_CASE("Refusals: each node is forgotten at its own time, and its group told once") {
  Refusals refusals;
  refusals.Learn(2, 0, 3, kUntil, "");
  refusals.Learn(1, 0, 3, kUntil, "");
  refusals.Learn(1, 1, 3, kUntil, "");
  refusals.Learn(1, 0, 4, kUntil + absl::Seconds(1), "");
  CHECK(refusals.Expire(kUntil - absl::Seconds(1)).empty());
  CHECK(refusals.Expire(kUntil) == Groups{1, 2});
  CHECK(refusals.Of(1, 0) == Nodes{4});
  CHECK(refusals.Expire(kUntil + absl::Seconds(1)) == Groups{1});
  CHECK(refusals.Of(1, 0).empty());
}

TEST_CASE("Refusals: one that is learnt again is believed for longer") {
  Refusals refusals;
  refusals.Learn(1, 0, 3, kUntil, "");
  refusals.Learn(1, 0, 3, kUntil + absl::Seconds(9), "");
  refusals.Expire(kUntil);
  CHECK(refusals.Has(1, 0, 3));
}

TEST_CASE("Refusals: nodes and groups that are gone are forgotten") {
  Refusals refusals;
  for (GroupId group : {1, 2}) {
    refusals.Learn(group, 0, 3, kUntil, "");
    refusals.Learn(group, 1, 4, kUntil, "");
  }
  refusals.ForgetNode(3);
  CHECK(refusals.Of(1, 0).empty());
  refusals.ForgetGroup(1);
  CHECK(refusals.Of(1, 1).empty());
  CHECK(refusals.Of(2, 1) == Nodes{4});
  CHECK(refusals.Expire(kUntil) == Groups{2});
}

TEST_CASE("Refusals: old doubts go, so many a call") {
  Refusals refusals;
  const auto most = static_cast<NodeIndex>(kSweptDoubts);
  for (NodeIndex node = 0; node <= most; ++node) refusals.Doubt(kUntil, 1, 0, node);
  CHECK(refusals.doubts() == kSweptDoubts + 1);
  refusals.Expire(kUntil + kDoubtAtMost);
  CHECK(refusals.doubts() == kSweptDoubts + 1);
  for (const size_t left : {kSweptDoubts, size_t{0}}) {
    refusals.Expire(kUntil + kDoubtAtMost + absl::Seconds(1));
    CHECK(refusals.doubts() == left);  // the rest of the round, then another one
  }
}

}  // namespace gangplan::refusals_test
