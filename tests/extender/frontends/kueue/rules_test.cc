#include "extender/frontends/kueue/rules.h"

#include "extender/frontends/find_group.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/kueue/words.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"

namespace gangplan::rules_test {
namespace {

LabelSet Words(std::initializer_list<std::pair<std::string_view, std::string_view>> words) {
  LabelSet set;
  for (const auto& [key, value] : words) SetWord(set, key, value);
  return set;
}

KueueRules Read(const LabelSet& annotations, int32_t size = 8) {
  absl::StatusOr<KueueRules> rules = ReadKueueRules(annotations, size, ThreeLevels());
  INFO(Message(rules.status()));
  REQUIRE(rules.ok());
  return *std::move(rules);
}

std::string Refusal(const LabelSet& annotations, int32_t size = 8) {
  return Message(ReadKueueRules(annotations, size, ThreeLevels()).status());
}

TEST_CASE("Kueue's required level is a hard pack") {
  const KueueRules rules = Read(Words({{kKueueRequired, "example.com/rack"}}));
  CHECK_FALSE(rules.rules[0]);
  REQUIRE(rules.rules[1]);
  CHECK(rules.rules[1]->hard);
  CHECK(rules.text == "required rack");
}

TEST_CASE("Kueue's preferred level and slices on one level stay apart") {
  const KueueRules rules = Read(Words({{kKueuePreferred, "example.com/rack"},
                                       {kKueueSliceLevel, "example.com/rack"},
                                       {kKueueSliceSize, "4"}}));
  REQUIRE(rules.rules[1]);
  CHECK(rules.rules[1]->kind == LevelRule::Kind::kPack);
  CHECK_FALSE(rules.rules[1]->hard);
  CHECK(rules.rules[1]->factor == 4);
  CHECK(rules.text == "preferred rack, slices of 4 in one rack");
}

TEST_CASE("Kueue's slices alone choose no domain") {
  const KueueRules rules =
      Read(Words({{kKueueSliceLevel, "kubernetes.io/hostname"}, {kKueueSliceSize, "2"}}));
  REQUIRE(rules.rules[2]);
  CHECK(rules.rules[2]->kind == LevelRule::Kind::kAny);
  CHECK(Read(Words({{kKueueUnconstrained, "true"}})).text == "unconstrained");
}

TEST_CASE("Words of Kueue that cannot be followed say which and why") {
  CHECK(Refusal(Words({{kKueueRequired, "example.com/row"}})) ==
        "kueue.x-k8s.io/podset-required-topology: topology \"default\" has no level "
        "\"example.com/row\"");
  CHECK(Refusal(Words({{kKueueRequired, "example.com/rack"}, {kKueueGroupName, "7"}})) ==
        "kueue.x-k8s.io/podset-group-name: expected a name, found the number 7");
  CHECK(Refusal(Words(
            {{kKueueRequired, "example.com/rack"}, {kKueuePreferred, "example.com/block"}})) ==
        "annotations: expected one of kueue.x-k8s.io/podset-required-topology, "
        "kueue.x-k8s.io/podset-preferred-topology and "
        "kueue.x-k8s.io/podset-unconstrained-topology, found 2");
  CHECK_THAT(Refusal(Words({{kKueueSliceLevel, "example.com/rack"}, {kKueueSliceSize, "9"}})),
             StartsWith("kueue.x-k8s.io/podset-slice-size"));
}

TEST_CASE("Kueue's pod sets of one group name go together") {
  const LabelSet group = Words({{kKueueRequired, "example.com/rack"}, {kKueueGroupName, "lw"}});
  const LabelSet alone = Words({{kKueuePreferred, "example.com/rack"}, {kKueueIndexOffset, "2"}});
  const std::vector<PodSetSpec> sets = {{"leader", 1, 0, "", "", {}, group, nullptr, {}},
                                        {"driver", 3, 0, "", "", {}, alone, nullptr, {}},
                                        {"workers", 8, 0, "", "", {}, group, nullptr, {}}};
  const PodSetTies found = TieKueuePodSets(sets);
  CHECK(found.fault == "");
  CHECK(found.group == std::vector<int32_t>{0, -1, 0});
  CHECK(found.offset == std::vector<int32_t>{0, 2, 1});
  CHECK(TieKueuePodSets({sets.data(), 1}).fault ==
        "pod set leader: kueue.x-k8s.io/podset-group-name: expected two pod sets in group \"lw\", "
        "found 1");
}

TEST_CASE("Kueue's words make a Job a group, and never beside our own") {
  JobSpec job{.name = "train", .size = 8};
  const OwnerFacts owner = JobOwner(job);
  PodFacts pod = JobPod(job, 3);
  SetWord(pod.annotations, kKueueRequired, "example.com/rack");
  FindGroupOptions options;
  options.scheduler_names = {"gangplan"};
  options.topologies = {{ThreeLevels()}};
  GroupSpec found = FindGroup(pod, &owner, true, options);
  CHECK(found.kind == GroupSpec::Kind::kMember);
  CHECK(found.words == Words({{kKueueRequired, "example.com/rack"}}));
  CHECK(found.size() == 8);
  CHECK(found.rank == 3);
  SetWord(pod.annotations, kPlaceWord, "rack=pack!");
  found = FindGroup(pod, &owner, true, options);
  CHECK(found.kind == GroupSpec::Kind::kInvalid);
  CHECK(found.problem ==
        "gangplan.io/place: stands beside a topology word of Kueue; expected one or the other");
}

}  // namespace
}  // namespace gangplan::rules_test
