#include "extender/frontends/gangplan/ranks.h"

#include <string>

#include "extender/frontends/gangplan/ladder.h"
#include "extender/frontends/limits.h"
#include "fmt/format.h"
#include "tests/extender/frontends/found_group.h"
#include "tests/support/catch.h"
#include "tests/support/level_rule.h"
#include "topology/base/text.h"

namespace gangplan::ranks_test {
namespace {

using Kind = LevelRule::Kind;

std::string Error(std::string_view text) {
  const absl::StatusOr<std::vector<RankUnit>> units = ParseRanks(text, ThreeLevels());
  return units.ok() ? "" : Message(units.status());
}

// The rules of the first rung of a pod with both words; empty: its fault is told.
GroupSpec FindRanked(std::string_view ranks, std::string_view place = "", int32_t size = 64) {
  JobSpec job{.size = size, .words = {{"gangplan.io/ranks", std::string(ranks)}}};
  if (!place.empty()) SetWord(job.words, "gangplan.io/place", place);
  const OwnerFacts owner = JobOwner(job);
  return Find(JobPod(job, 3), &owner);
}

LevelRule Unit(int32_t ranks) {
  LevelRule rule = Rule(Kind::kPack, false, 0, 0, 0, ranks);
  rule.ranked = true;
  return rule;
}

}  // namespace

TEST_CASE("Ranks: nested factors are units of consecutive ranks at their levels") {
  const auto units = ParseRanks("tp=8 node; pp=4 rack; dp block", ThreeLevels());
  REQUIRE(units.ok());
  CHECK(*units == std::vector<RankUnit>{{"tp", 2, 8}, {"pp", 1, 32}, {"dp", 0, 0}});
  const auto one = ParseRanks(" tp=1\texample.com/rack ;", ThreeLevels());
  REQUIRE(one.ok());
  CHECK(*one == std::vector<RankUnit>{{"tp", 1, 1}});
}

TEST_CASE("Ranks: what is wrong is named with what was expected") {
  CHECK(Error("") ==
        "gangplan.io/ranks: is empty; expected \"NAME=NUMBER LEVEL\", such as "
        "tp=8 node");
  CHECK(Error("tp=8") ==
        "gangplan.io/ranks: \"tp=8\": expected \"NAME=NUMBER LEVEL\", such as "
        "tp=8 node");
  CHECK(Error("tp = 8 node") ==
        "gangplan.io/ranks: \"tp = 8 node\": expected "
        "\"NAME=NUMBER LEVEL\", such as tp=8 node");
  CHECK(Error("=8 node") ==
        "gangplan.io/ranks: \"\": expected a name of 1 to 63 letters, digits, "
        "'-', '_' or '.'");
  for (const char* number : {"0", "-1", "50001", "x", ""}) {
    CHECK(
        Error(fmt::format("tp={} node", number)) ==
        fmt::format("gangplan.io/ranks: \"tp={} node\": tp must be a whole number from 1 to 50000",
                    number));
  }
  CHECK(Error("tp=8 switch") ==
        "gangplan.io/ranks: \"tp=8 switch\": topology default has no level "
        "\"switch\", its levels are block, rack, node");
  CHECK(Error("pp=4 rack; tp=8 node") ==
        "gangplan.io/ranks: \"tp=8 node\": expected a level above rack, which holds pp");
  CHECK(Error("tp=8 node; pp=4 node") ==
        "gangplan.io/ranks: \"pp=4 node\": expected a level above node, which holds tp");
  CHECK(Error("tp=8 node; tp=4 rack") == "gangplan.io/ranks: \"tp=4 rack\": tp is given twice");
  CHECK(Error("dp rack; pp=4 block") ==
        "gangplan.io/ranks: \"pp=4 block\": stands behind dp, which holds all ranks; expected "
        "nothing there");
}

TEST_CASE("Ranks: limits at their ends and one beyond") {
  CHECK(Error("tp=50000 node").empty());
  CHECK(Error("tp=250 node; pp=200 rack").empty());
  CHECK(Error("tp=251 node; pp=200 rack") ==
        "gangplan.io/ranks: \"pp=200 rack\": 50200 ranks in one unit; expected 50000 at most");
  CHECK(Error(std::string(kMaxPodSetNameBytes, 'n') + "=2 node").empty());
  CHECK_FALSE(Error(std::string(kMaxPodSetNameBytes + 1, 'n') + "=2 node").empty());
  std::string text = "tp=2 node";
  text.resize(kMaxWordBytes, ' ');
  CHECK(Error(text).empty());
  CHECK(Error(text + ' ') == "gangplan.io/ranks: longer than 4096 bytes");
}

TEST_CASE("Ranks: beside place both are kept at every rung") {
  const GroupSpec alone = FindRanked("tp=8 node; pp=4 rack; dp block");
  REQUIRE(alone.kind == GroupSpec::Kind::kMember);
  CHECK(alone.rules == LevelRules{Rule(Kind::kPack, true), Unit(32), Unit(8)});
  CHECK(alone.place == "ranks tp=8 node; pp=4 rack; dp block");
  CHECK(alone.rank == 3);

  const GroupSpec both =
      FindRanked("tp=8 node; dp rack", "block=pack; node=pack max=16 | after 10m: any");
  REQUIRE(both.kind == GroupSpec::Kind::kMember);
  CHECK(both.place == "block=pack; node=pack max=16 | after 10m: any (ranks tp=8 node; dp rack)");
  REQUIRE(both.ladder.size() == 2);
  LevelRule node = Unit(8);
  CHECK(both.ladder[1].rules == LevelRules{std::nullopt, Rule(Kind::kPack, true), node});
  node.max = 16;
  CHECK(both.rules == LevelRules{Rule(Kind::kPack, false), Rule(Kind::kPack, true), node});
}

TEST_CASE("Ranks: below several domains of a level all ranks do not share one") {
  const auto told = [](std::string_view place) {
    const GroupSpec spec = FindRanked("tp=8 node; dp rack", place);
    CHECK(spec.kind == GroupSpec::Kind::kInvalid);
    return spec.problem;
  };
  CHECK(told("block=spread") ==
        "gangplan.io/ranks: dp at rack: gangplan.io/place says \"block=spread\" above it, which "
        "asks for several of them; expected a pack there, as all ranks share one rack, or a number "
        "of ranks");
  CHECK(told("block=pack partitions=2") ==
        "gangplan.io/ranks: dp at rack: gangplan.io/place says \"block=pack partitions=2\" above "
        "it, which asks for several of them; expected a pack there, as all ranks share one rack, "
        "or a number of ranks");
  // A later rung is told at once as well.
  CHECK(told("any | after 10m: block=spread").find("\"block=spread\" above it") !=
        std::string::npos);
  CHECK(FindRanked("tp=8 node; pp=4 rack", "block=spread").kind == GroupSpec::Kind::kMember);
  CHECK(FindRanked("tp=8 node; dp rack", "block=pack partitions=1").kind ==
        GroupSpec::Kind::kMember);
}

TEST_CASE("Ranks: what place says otherwise of the same level is told") {
  const auto told = [](std::string_view ranks, std::string_view place) {
    const GroupSpec spec = FindRanked(ranks, place);
    CHECK(spec.kind == GroupSpec::Kind::kInvalid);
    return spec.problem;
  };
  CHECK(told("tp=8 node", "node=pack factor=4") ==
        "gangplan.io/ranks: tp at node: gangplan.io/place says \"node=pack factor=4\" of it; "
        "expected no factor there");
  CHECK(told("tp=8 node", "node=pack max=7") ==
        "gangplan.io/ranks: tp at node: gangplan.io/place says \"node=pack max=7\" of it; expected "
        "room for 8 ranks in one");
  CHECK(told("tp=8 node", "node=spread!") ==
        "gangplan.io/ranks: tp at node: gangplan.io/place says \"node=spread!\" of it; expected no "
        "hard spread, as 8 ranks share one");
  CHECK(told("tp=8 node; dp block", "block=pack partitions=2") ==
        "gangplan.io/ranks: dp at block: gangplan.io/place says \"block=pack partitions=2\" of it; "
        "expected a pack, as all ranks share one, or a number of ranks");
  CHECK(told("tp=8 node; dp block", "any | after 10m: block=spread") ==
        "gangplan.io/ranks: dp at block: gangplan.io/place says \"block=spread\" of it; expected a "
        "pack, as all ranks share one, or a number of ranks");
}

TEST_CASE(
    "Ranks: a pod that tells its group, its size and a rank map needs no owner to tell more") {
  const JobSpec job{.size = 8,
                    .words = {{"gangplan.io/group", "ring"},
                              {"gangplan.io/size", "8"},
                              {"gangplan.io/ranks", "tp=4 node"}}};
  CHECK(FindGroup(JobPod(job, 1), nullptr, false, TwoSchedulers()).kind ==
        GroupSpec::Kind::kMember);
}

TEST_CASE("Ranks: of several pod sets there is no row of ranks") {
  JobSpec job{.size = 5,
              .words = {{"gangplan.io/ranks", "tp=2 node"},
                        {"gangplan.io/group", "ring"},
                        {"gangplan.io/pod-sets", "driver=1,workers=4"},
                        {"gangplan.io/pod-set", "workers"}}};
  const OwnerFacts owner = JobOwner(job);
  CHECK(Find(JobPod(job, 1), &owner).problem ==
        "gangplan.io/ranks: the gang has the pod sets driver, workers; expected one, whose ranks "
        "they are, or the leader and the workers of a LeaderWorkerSet; how many of one pod set go "
        "together, its pods say by gangplan.io/pod-set-place, such as \"rack=pack factor=8\"");
  JobSpec told = job;
  told.words[0] = {"gangplan.io/pod-set-place", "rack=pack factor=2"};
  const OwnerFacts owner_told = JobOwner(told);
  CHECK(Find(JobPod(told, 1), &owner_told).kind == GroupSpec::Kind::kMember);
  LabelSet kueue = {{"gangplan.io/ranks", "tp=2 node"},
                    {"kueue.x-k8s.io/podset-required-topology", "example.com/rack"}};
  const JobSpec mixed{.size = 4, .words = kueue};
  CHECK(Find(JobPod(mixed, 1), &owner).problem ==
        "gangplan.io/ranks: stands beside a topology word of Kueue; expected one or the other");
}

TEST_CASE("Ranks: the owner's word counts beside the place of its pods") {
  const JobSpec job{.size = 8, .place = "rack=pack!"};
  OwnerFacts owner = JobOwner(job);
  owner.annotations = {{"gangplan.io/ranks", "tp=4 node"}};
  const GroupSpec spec = Find(JobPod(job, 0), &owner);
  REQUIRE(spec.kind == GroupSpec::Kind::kMember);
  CHECK(spec.rules == LevelRules{std::nullopt, Rule(Kind::kPack, true), Unit(4)});
}

}  // namespace gangplan::ranks_test
