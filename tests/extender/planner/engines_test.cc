// Which engine answers which words, by themselves and where an operator has set one for all.
#include "extender/frontends/kueue/words.h"
#include "extender/frontends/sakkara/groups.h"
#include "extender/protocol/sakkara_words.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/sentences.h"

namespace gangplan::engines_test {
namespace {

using Names = std::vector<std::string>;

// Of 8 pods with a GPU each `exact` takes two nodes of the roomy rack, `tas` the tight rack.
const Names kOfExact = {"b0-r0-n0", "b0-r0-n0", "b0-r0-n0", "b0-r0-n0",
                        "b0-r0-n1", "b0-r0-n1", "b0-r0-n1", "b0-r0-n1"};
const Names kOfTas = {"b0-r1-n0", "b0-r1-n0", "b0-r1-n0", "b0-r1-n0",
                      "b0-r1-n0", "b0-r1-n0", "b0-r1-n1", "b0-r1-n2"};

struct EngineWorld : PlannerWorld {
  explicit EngineWorld(std::optional<Strategy> for_all = std::nullopt)
      : PlannerWorld(With(for_all)) {
    AddNodes({MakeNode(0, 0, 0, 4), MakeNode(0, 0, 1, 4), MakeNode(0, 0, 2, 4),
              MakeNode(0, 1, 0, 6), MakeNode(0, 1, 1, 1), MakeNode(0, 1, 2, 1)});
    Sync();
  }
  static PlannerOptions With(std::optional<Strategy> for_all) {
    PlannerOptions options = Options();
    options.engine_for_all = for_all;
    options.group_objects = MakeSakkaraGroups;
    return options;
  }
  GroupReport Ask(const JobSpec& job) {
    ShowJob(job, 0, job.size);
    return Report("team/" + job.name);
  }
  // "exact: Kueue's words"
  std::string EngineOf(const JobSpec& job) {
    const GroupReport report = Ask(job);
    return report.engine + ": " + report.engine_why;
  }
};

JobSpec Own(std::string_view place) { return {.size = 8, .place = std::string(place)}; }

JobSpec Kueue(std::string_view key, std::string_view level) {
  return {.size = 8, .words = {{std::string(key), std::string(level)}}};
}

JobSpec Slices(int32_t members, std::string_view size) {
  JobSpec job = Kueue(kKueueSliceLevel, "kubernetes.io/hostname");
  job.size = members;
  SetWord(job.words, kKueueSliceSize, size);
  return job;
}

TEST_CASE("Engines: by themselves the words choose") {
  EngineWorld world;
  CHECK(world.EngineOf(Kueue(kKueueRequired, "example.com/rack")) == "tas: Kueue's words");
  CHECK(world.Nodes("team/train") == kOfTas);
  EngineWorld other;
  CHECK(other.EngineOf(Own("rack=pack!")) == "exact: everything but Kueue's words");
  CHECK(other.Nodes("team/train") == kOfExact);
}

TEST_CASE("Engines: tas for all places packs in our own words") {
  for (const char* place : {"rack=pack!", "block=pack!; rack=pack!"}) {
    EngineWorld world(Strategy::kTas);
    CHECK(world.EngineOf(Own(place)) == "tas: engines.strategy");
    CHECK(world.Nodes("team/train") == kOfTas);
  }
  // Without a hard level as close as there is room: 6 on one node, not only in one rack.
  EngineWorld world(Strategy::kTas);
  JobSpec six = Own("rack=pack");
  six.size = 6;
  CHECK(world.EngineOf(six) == "tas: engines.strategy");
  CHECK(world.Nodes("team/train") == Names(6, "b0-r1-n0"));
}

TEST_CASE("Engines: tas for all leaves what it has no word for invalid, with the way out") {
  const auto reason = [](const JobSpec& job) {
    const GroupReport report = EngineWorld(Strategy::kTas).Ask(job);
    CHECK(report.outcome == Outcome::kInvalid);
    CHECK(report.evidence.empty());
    return report.reason;
  };
  CHECK(reason(Own("rack=spread")) == Sentence("tas engine, spread", "train"));
  for (const char* word : {"partitions", "min", "max", "factor"}) {
    CHECK_THAT(reason(Own(fmt::format("node=pack {}=2", word))),
               ContainsText(fmt::format("knows no {}; expected pack", word)));
  }
  JobSpec two = Own("rack=pack");
  two.leader_gpus = 2;
  CHECK(reason(two) == Sentence("tas engine, rules of several pod sets", "train", 2));
}

TEST_CASE("Engines: tas for all takes Sakkara's groups as our own words, auto leaves them exact") {
  PodFacts pod = ForeignPod("a", 1);
  SetWord(pod.labels, kSakkaraPodGroup, "ring");
  ConfigMapFacts object;
  object.ns = "team";
  object.name = object.uid = "ring-object";
  object.labels = {{std::string(kSakkaraGroupLabel), ""}};
  object.data = {{"constraints", R"({"node":{"partitions":2}})"}, {"name", "ring"}, {"size", "2"}};
  EngineWorld automatic;
  automatic.planner().OnGroupObject(automatic.now(), object);
  automatic.Show(pod);
  CHECK(automatic.Report("team/ring").engine == "exact");
  CHECK(automatic.Report("team/ring").outcome == Outcome::kPlaced);
  EngineWorld tas(Strategy::kTas);
  tas.planner().OnGroupObject(tas.now(), object);
  tas.Show(pod);
  CHECK(tas.Report("team/ring").engine == "tas");
  CHECK_THAT(tas.Report("team/ring").reason, ContainsText("knows no partitions; expected pack"));
}

TEST_CASE("Engines: exact for all places Kueue's words of one pod set") {
  EngineWorld required(Strategy::kExact);
  CHECK(required.EngineOf(Kueue(kKueueRequired, "example.com/rack")) == "exact: engines.strategy");
  CHECK(required.Nodes("team/train") == kOfExact);
  EngineWorld never(Strategy::kExact);
  JobSpec large = Kueue(kKueueRequired, "example.com/rack");
  large.size = 13;
  CHECK(never.Ask(large).outcome == Outcome::kImpossible);
  EngineWorld preferred(Strategy::kExact);
  large.words = {{std::string(kKueuePreferred), "example.com/rack"}};
  CHECK(preferred.Ask(large).outcome == Outcome::kPlaced);
  EngineWorld nothing(Strategy::kExact);
  CHECK(nothing.EngineOf(Kueue(kKueueUnconstrained, "true")) == "exact: engines.strategy");
  CHECK(nothing.Nodes("team/train") == kOfExact);
}

TEST_CASE("Engines: exact for all places whole slices, and says so of others") {
  EngineWorld world(Strategy::kExact);
  CHECK(world.Ask(Slices(6, "3")).outcome == Outcome::kPlaced);
  CHECK(world.Nodes("team/train") == Names(6, "b0-r1-n0"));
  EngineWorld other(Strategy::kExact);
  CHECK(other.Ask(Slices(8, "3")).reason ==
        Sentence("exact engine, broken slices", "train", 3, 3, 8));
}

TEST_CASE("Engines: exact for all knows no rules of one pod set among several") {
  JobSpec job = Kueue(kKueueRequired, "example.com/rack");
  job.leader_gpus = 2;
  const Sentence invalid("exact engine, rules of one pod set", "train", "leader", "required rack",
                         2);
  CHECK(EngineWorld(Strategy::kExact).Ask(job).reason == invalid);
  SetWord(job.words, kKueueGroupName, "lw");
  job.together = true;
  CHECK(EngineWorld(Strategy::kExact).Ask(job).reason == invalid);
  CHECK(EngineWorld().Ask(job).outcome == Outcome::kPlaced);
  job.together = false;
  job.words = {{std::string(kKueueUnconstrained), "true"}};
  CHECK(EngineWorld(Strategy::kExact).Ask(job).outcome == Outcome::kPlaced);
}

}  // namespace
}  // namespace gangplan::engines_test
