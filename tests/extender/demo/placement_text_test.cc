#include "extender/demo/placement_text.h"

#include "tests/support/catch.h"

namespace gangplan::placement_text_test {
namespace {

PodFacts Pod(const std::string& job, const std::string& rank, const std::string& path) {
  PodFacts pod;
  pod.controller = OwnerRef{"batch/v1", "Job", job, "u"};
  pod.annotations = {{"gangplan.io/assigned-domain", path}, {"gangplan.io/assigned-rank", rank}};
  return pod;
}

TEST_CASE("A placement is read by rank from the annotations of one job") {
  PodFacts bare = Pod("a", "0", "");
  bare.annotations.clear();
  const std::vector<PlacedRank> placement =
      ReadPlacement({Pod("a", "10", "b/r/n2"), Pod("b", "0", "b/r/n1"), Pod("a", "2", "b/r/n1"),
                     bare, PodFacts()},
                    "a");
  REQUIRE(placement.size() == 3);
  CHECK(placement[0].rank == -1);
  CHECK(placement[1].rank == 2);
  CHECK(placement[1].path == "b/r/n1");
  CHECK(placement[2].rank == 10);
}

TEST_CASE("A prefix of a path is a domain above") {
  CHECK(Prefix("block-1/rack-2/n-3", 1) == "block-1");
  CHECK(Prefix("block-1/rack-2/n-3", 2) == "block-1/rack-2");
  CHECK(Prefix("block-1/rack-2/n-3", 3) == "block-1/rack-2/n-3");
  CHECK(Prefix("block-1", 2) == "block-1");
}

TEST_CASE("A gang stands in one domain when all ranks are there in the order of the tree") {
  CHECK(StandsInOne({{0, "b1/r1/n1"}, {1, "b1/r1/n1"}, {2, "b1/r1/n2"}}, 2));
  CHECK(StandsInOne({{0, "b1/r1/n1"}, {1, "b1/r2/n1"}}, 1));
  CHECK_FALSE(StandsInOne({{0, "b1/r1/n1"}, {1, "b1/r2/n1"}}, 2));
  CHECK_FALSE(StandsInOne({{0, "b1/r1/n2"}, {1, "b1/r1/n1"}}, 2));
  CHECK_FALSE(StandsInOne({{0, "b1/r1/n1"}, {2, "b1/r1/n1"}}, 2));
  CHECK_FALSE(StandsInOne({{0, "b1/r1/n1"}, {0, "b1/r1/n1"}}, 2));
  CHECK_FALSE(StandsInOne({{0, ""}}, 2));
  CHECK_FALSE(StandsInOne({}, 2));
}

TEST_CASE("Ranks are told by domain") {
  const std::vector<PlacedRank> placement = {
      {0, "b1/r1/n1"}, {1, "b1/r1/n1"}, {2, "b1/r1/n2"}, {3, "b1/r4/n1"}};
  CHECK(RanksByDomain(placement, 2) == "r1 0-2, r4 3");
  CHECK(RanksByDomain(placement, 3) == "n1 0-1, n2 2, n1 3");
  CHECK(RanksByDomain({}, 2).empty());
}

TEST_CASE("Long text is broken at commas and semicolons") {
  CHECK(Wrap("aa, bb, cc", 2, 80) == "  aa, bb, cc\n");
  CHECK(Wrap("aa, bb, cc", 2, 12) == "  aa, bb, cc\n");
  CHECK(Wrap("aa, bb; cc", 2, 11) == "  aa, bb;\n    cc\n");
  CHECK(Wrap("aa, bb, cc", 2, 8) == "  aa,\n    bb,\n    cc\n");
  CHECK(Wrap("  aa, b, c", 2, 9) == "    aa,\n      b,\n      c\n");
  CHECK(Wrap("aaaaaaaa", 2, 6) == "  aaaaaaaa\n");
  CHECK(Wrap("", 2, 6) == "  \n");
}

}  // namespace
}  // namespace gangplan::placement_text_test
