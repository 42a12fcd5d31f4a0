// What depends on whose words they are, asked of each front end.
#include "extender/frontends/front_end.h"

#include "extender/frontends/gangplan/front_end.h"
#include "extender/frontends/kueue/front_end.h"
#include "extender/frontends/sakkara/front_end.h"
#include "tests/support/catch.h"
#include "tests/support/level_rule.h"
#include "tests/support/planner_world.h"

namespace gangplan::front_end_test {
namespace {

using Kind = LevelRule::Kind;

const LabelSet kWords = {{"kueue.x-k8s.io/podset-required-topology", "example.com/rack"}};

// A pod set by a hard pack at the rack.
PodSetSpec PackedSet(const FrontEnd& front_end, std::string_view name = "", int32_t count = 4) {
  PodSetSpec set;
  set.name = name;
  set.count = count;
  set.place = "rack=pack!";
  set.rules = {{}, Rule(Kind::kPack, true), {}};
  set.front_end = &front_end;
  if (&front_end == &KueueFrontEnd()) set.words = kWords;
  return set;
}

GroupSpec SpecOf(const PodSetSpec& set) {
  GroupSpec spec;
  spec.kind = GroupSpec::Kind::kMember;
  spec.pod_sets = {{set.name, set.count}};
  spec.place = set.place;
  spec.rules = set.rules;
  spec.words = set.words;
  spec.front_end = set.front_end;
  return spec;
}

std::string Fault(const PodSetSpec& set, Strategy engine) {
  return set.front_end->EngineFault({&set, 1}, engine, ThreeLevels());
}

}  // namespace

TEST_CASE("Front ends: Kueue's words go to tas and all others to exact") {
  CHECK(KueueFrontEnd().engine().strategy == Strategy::kTas);
  CHECK(GangplanFrontEnd().engine().strategy == Strategy::kExact);
  CHECK(SakkaraFrontEnd().engine().strategy == Strategy::kExact);
}

TEST_CASE("Front ends: each names what the other engine cannot say") {
  for (const FrontEnd* front_end : {&GangplanFrontEnd(), &SakkaraFrontEnd()}) {
    PodSetSpec set = PackedSet(*front_end);
    CHECK(Fault(set, Strategy::kTas) == "");
    set.rules[1]->partitions = 2;
    CHECK(Fault(set, Strategy::kExact) == "");
    CHECK_THAT(Fault(set, Strategy::kTas), ContainsText("knows no partitions"));
  }
  PodSetSpec slices = PackedSet(KueueFrontEnd());
  slices.rules[2] = Rule(Kind::kAny, false);
  slices.rules[2]->factor = 3;
  CHECK(Fault(slices, Strategy::kTas) == "");
  CHECK_THAT(Fault(slices, Strategy::kExact), ContainsText("expected a multiple of 3 members"));
  slices.count = 6;
  CHECK(Fault(slices, Strategy::kExact) == "");
}

TEST_CASE("Front ends: rules are said in the words of the engine that answers") {
  const auto translated = [](const FrontEnd& front_end, Strategy strategy, bool hard) {
    PlacementRequest request;
    request.strategy = strategy;
    request.rules = {{}, Rule(Kind::kPack, hard), {}};
    front_end.Translate(request);
    return request.rules;
  };
  // A hard pack of ours binds the levels above; Sakkara's is about its level alone.
  CHECK(translated(GangplanFrontEnd(), Strategy::kExact, true)[0]);
  CHECK(translated(KueueFrontEnd(), Strategy::kExact, true)[0]);
  CHECK_FALSE(translated(SakkaraFrontEnd(), Strategy::kExact, true)[0]);
  // No rule is a soft pack, which tas has to be told where nothing is hard.
  CHECK(translated(GangplanFrontEnd(), Strategy::kTas, false)[2] == LevelRule{});
  CHECK(translated(SakkaraFrontEnd(), Strategy::kTas, false)[2] == LevelRule{});
  CHECK_FALSE(translated(GangplanFrontEnd(), Strategy::kTas, true)[2]);
  CHECK_FALSE(translated(KueueFrontEnd(), Strategy::kTas, false)[2]);
}

TEST_CASE("Front ends: pod sets go alone where the words have no way to tie them") {
  const std::vector<PodSetSpec> sets = {PackedSet(GangplanFrontEnd(), "a"),
                                        PackedSet(GangplanFrontEnd(), "b")};
  const PodSetTies ties = GangplanFrontEnd().Tie(sets);
  CHECK(ties.group == std::vector<int32_t>{-1, -1});
  CHECK(ties.offset == std::vector<int32_t>{0, 0});
  CHECK(ties.fault == "");
}

TEST_CASE("Front ends: a group goes by the pod set that brings words of its own") {
  std::vector<PodSetSpec> sets(2);
  CHECK(FrontEndOf(sets) == nullptr);
  sets[1] = PackedSet(GangplanFrontEnd());
  CHECK(FrontEndOf(sets) == &GangplanFrontEnd());
  sets[0] = PackedSet(KueueFrontEnd());
  CHECK(FrontEndOf(sets) == &KueueFrontEnd());
  std::swap(sets[0], sets[1]);
  CHECK(FrontEndOf(sets) == &KueueFrontEnd());
}

TEST_CASE("Front ends: what a pod says otherwise than its group is told") {
  const PodSetSpec ours = PackedSet(GangplanFrontEnd());
  PodSetSpec loose = ours;
  loose.rules[1]->hard = false;
  loose.place = "rack=pack";
  CHECK(OwnDifference(ours, SpecOf(ours)) == "");
  CHECK(OwnDifference(ours, SpecOf(loose)) ==
        "asks for \"rack=pack\" where the group has \"rack=pack!\"");
  CHECK(OtherDifference(ours, SpecOf(loose)) == OwnDifference(ours, SpecOf(loose)));
  PodSetSpec kueue = PackedSet(KueueFrontEnd());
  CHECK(OtherDifference(kueue, SpecOf(kueue)) == "");
  PodSetSpec elsewhere = kueue;
  elsewhere.words[0].second = "example.com/block";
  CHECK(OtherDifference(kueue, SpecOf(elsewhere)) == "");  // about a pod set of its own
  CHECK(OwnDifference(kueue, SpecOf(elsewhere)) ==
        "has other words of Kueue than the rest of its pod set");
  kueue.name = "leader";
  CHECK(OtherDifference(kueue, SpecOf(ours)) ==
        "asks for \"rack=pack!\" where pod set leader has \"rack=pack!\"; expected "
        "gangplan.io/place on both, or Kueue's topology words");
}

TEST_CASE("Front ends: the lists of pod sets of one group are the same") {
  GroupSpec spec;
  spec.pod_sets = {{"", 4}};
  CHECK(ListDifference({{"", 4}}, spec) == "");
  CHECK(ListDifference({{"", 8}}, spec) == "asks for 4 members where the group has 8");
  CHECK(ListDifference({{"a", 1}, {"b", 3}}, spec) ==
        "gangplan.io/pod-sets: \"4 members\" where the group has \"a=1,b=3\"");
}

TEST_CASE("Front ends: a Binding brings labels where the words have some") {
  CHECK(GangplanFrontEnd().MemberLabels(3, 1).empty());
  CHECK(SakkaraFrontEnd().MemberLabels(3, 2) == LabelPatch{{"sakkara.member.rank", "3"},
                                                           {"sakkara.member.retries", "1"},
                                                           {"sakkara.member.status", "Bound"}});
}

}  // namespace gangplan::front_end_test
