// gangplan.io/pod-set-place: what one pod set asks for by itself.
#include <string>

#include "tests/extender/frontends/found_group.h"
#include "tests/support/catch.h"
#include "tests/support/level_rule.h"

namespace gangplan::own_place_test {
namespace {

using Kind = LevelRule::Kind;

// A pod of workers beside a driver, with these rules of the gang and its own.
GroupSpec FindWorker(std::string_view own, std::string_view place = "", LabelSet more = {}) {
  JobSpec job{.size = 5,
              .words = {{"gangplan.io/group", "ring"},
                        {"gangplan.io/pod-sets", "driver=1,workers=4"},
                        {"gangplan.io/pod-set", "workers"},
                        {"gangplan.io/pod-set-place", std::string(own)}}};
  if (!place.empty()) SetWord(job.words, "gangplan.io/place", place);
  for (const auto& [key, value] : more) SetWord(job.words, key, value);
  const OwnerFacts owner = JobOwner(job);
  return Find(JobPod(job, 1), &owner);
}

// The same of a gang of one pod set.
GroupSpec FindAlone(std::string_view own, std::string_view place) {
  JobSpec job{.size = 4, .words = {{"gangplan.io/pod-set-place", std::string(own)}}};
  if (!place.empty()) SetWord(job.words, "gangplan.io/place", place);
  const OwnerFacts owner = JobOwner(job);
  return Find(JobPod(job, 1), &owner);
}

}  // namespace

TEST_CASE("Own place: a pod set has rules of its own beside those of the gang") {
  const GroupSpec spec = FindWorker("rack=pack!; node=spread max=2", "block=pack!");
  REQUIRE(spec.kind == GroupSpec::Kind::kMember);
  CHECK(spec.place == "block=pack!");
  CHECK(spec.rules == LevelRules{Rule(Kind::kPack, true), std::nullopt, std::nullopt});
  CHECK(spec.own_place == "rack=pack!; node=spread max=2");
  CHECK(spec.own_rules ==
        LevelRules{std::nullopt, Rule(Kind::kPack, true), Rule(Kind::kSpread, false, 0, 0, 2)});
  CHECK(spec.Own().own_rules == spec.own_rules);
}

TEST_CASE("Own place: where the gang has one pod set its rules are those of the gang") {
  const GroupSpec spec = FindAlone("rack=pack!", "block=pack!");
  REQUIRE(spec.kind == GroupSpec::Kind::kMember);
  CHECK(spec.rules == LevelRules{Rule(Kind::kPack, true), Rule(Kind::kPack, true), std::nullopt});
  CHECK(spec.place == "block=pack!; rack=pack!");
  CHECK(spec.own_rules.empty());
  CHECK(FindAlone("rack=pack!", "").place == "rack=pack!");
  CHECK(FindAlone("rack=pack!", "rack=pack!").kind == GroupSpec::Kind::kMember);
  const GroupSpec ladder = FindAlone("node=spread", "rack=pack! | after 10m: any");
  REQUIRE(ladder.ladder.size() == 2);
  CHECK(ladder.ladder[1].rules == LevelRules{std::nullopt, std::nullopt, Rule(Kind::kSpread)});
}

TEST_CASE("Own place: what contradicts is told") {
  CHECK(FindAlone("rack=spread", "rack=pack!").problem ==
        "gangplan.io/pod-set-place: says \"rack=spread\" where gangplan.io/place says "
        "\"rack=pack!\", and the gang has one pod set; expected one of them");
  CHECK(FindWorker("rack=pack! | after 1h: any").problem ==
        "gangplan.io/pod-set-place: has rungs; expected one list of rules, and rungs in "
        "gangplan.io/place");
  CHECK(FindWorker("row=pack").problem ==
        "gangplan.io/pod-set-place: \"row=pack\": topology default has no level \"row\", its "
        "levels are block, rack, node");
  CHECK(FindWorker("rack=near").problem ==
        "gangplan.io/pod-set-place: \"rack=near\": expected pack, pack!, spread or spread! after "
        "\"=\"");
  CHECK(FindWorker("rack=pack!", "",
                   {{"kueue.x-k8s.io/podset-required-topology", "example.com/rack"}})
            .problem ==
        "gangplan.io/pod-set-place: stands beside a topology word of Kueue; expected one or the "
        "other");
}

TEST_CASE("Own place: one template of a JobSet says nothing for the others") {
  JobSpec job{.size = 5, .place = "block=pack!", .leader_gpus = 1, .in_set = true};
  OwnerFacts owner = JobOwner(job);
  SetWord(owner.pod_sets[1].annotations, "gangplan.io/pod-set-place", "rack=pack!");
  CHECK(Find(JobPod(job, 0), &owner).own_rules.empty());
  CHECK(Find(JobPod(job, 1), &owner).own_place == "rack=pack!");
  SetWord(owner.annotations, "gangplan.io/pod-set-place", "node=spread");
  CHECK(Find(JobPod(job, 0), &owner).own_place == "node=spread");
  CHECK(Find(JobPod(job, 1), &owner).own_place == "rack=pack!");
}

TEST_CASE("Own place: pods of one pod set ask for the same") {
  const GroupSpec told = FindWorker("rack=pack!");
  const GroupSpec other = FindWorker("rack=spread");
  CHECK(OwnDifference(told.Own(), told).empty());
  CHECK(OwnDifference(told.Own(), other) ==
        "gangplan.io/pod-set-place: \"rack=spread\" where its pod set has \"rack=pack!\"");
}

}  // namespace gangplan::own_place_test
