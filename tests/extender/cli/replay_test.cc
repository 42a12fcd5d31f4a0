// Which gangs are placed anew from nothing, and which stay where they are: those that run and are
// not just what a fresh one of them would be.
#include "extender/cli/replay.h"

#include <algorithm>

#include "extender/app/dry_run.h"
#include "extender/cli/commands.h"
#include "extender/observe/log.h"
#include "tests/extender/cli/bare_gang.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"

namespace gangplan::replay_test {
namespace {

// The first `size` nodes of the first rack have one member each; so many start at least.
void AddElastic(ObjectList& objects, int size, std::string_view least) {
  for (int i = 0; i < size; ++i) {
    objects.pods.push_back(Bare("el", i, size, NodeNameAt(0, 0, i)));
    SetWord(objects.pods.back().annotations, "gangplan.io/start", least);
  }
}

std::vector<GroupReport> GangsOf(const ObjectList& objects) {
  ProcessLogger().set_level(LogLevel::kError);
  return DryRun(Levels(), objects).Gangs();
}
std::vector<ReplayedGang> Replayed(const ObjectList& objects) {
  const std::vector<GroupReport> before = GangsOf(objects);
  return CompareGangs(before, GangsOf(Unplaced(objects, before)));
}
const ReplayedGang& Named(const std::vector<ReplayedGang>& gangs, std::string_view name) {
  const auto found = std::find_if(gangs.begin(), gangs.end(),
                                  [&](const auto& one) { return one.name.ends_with(name); });
  REQUIRE(found != gangs.end());
  return *found;
}

TEST_CASE("replay: all members of an elastic gang that run count, not only the least") {
  ObjectList objects;
  objects.nodes = MakeNodes(1, 1, 4);
  AddElastic(objects, 4, "2");
  const auto gangs = Replayed(objects);
  CHECK(Named(gangs, "/el").before.nodes.size() == 4);
  CHECK(Named(gangs, "/el").after.nodes.size() == 4);
  CHECK(Named(gangs, "/el").stays);
  CHECK_FALSE(Named(gangs, "/el").differs());
}

TEST_CASE("replay: an elastic gang of its least number is placed anew") {
  ObjectList objects;
  objects.nodes = MakeNodes(1, 2, 2);
  AddElastic(objects, 2, "2");
  objects.pods[1].node_name = NodeNameAt(0, 1, 1);
  const auto gangs = Replayed(objects);
  CHECK_FALSE(Named(gangs, "/el").stays);
  CHECK(Named(gangs, "/el").differs());
  CHECK(Named(gangs, "/el").after.nodes.size() == 2);
}

TEST_CASE("replay: no gang gets the room that another one's further members run in") {
  ObjectList objects;
  objects.nodes = MakeNodes(1, 1, 4);
  AddElastic(objects, 3, "2");
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = Bare("late", i, 2, "");
    pod.created = objects.pods[0].created + 60;
    objects.pods.push_back(pod);
  }
  const auto gangs = Replayed(objects);  // four nodes, five pods of a node each
  CHECK(Named(gangs, "/late").before.nodes.empty());
  CHECK(Named(gangs, "/el").after.nodes.size() == 3);
  CHECK(Named(gangs, "/late").after.nodes.empty());
}

TEST_CASE("replay: a PodGroup's gang that has grown beyond minMember stays") {
  const auto looks = [](int64_t least) {
    ObjectList objects;
    objects.nodes = MakeNodes(1, 1, 4);
    OwnerFacts group;
    group.ref = {"scheduling.x-k8s.io/v1alpha1", "PodGroup", "pg", "u-pg"};
    group.ns = "team";
    group.size = least;
    group.at_least = true;
    objects.owners.push_back(group);
    for (int i = 0; i < 3; ++i) {
      PodFacts pod = ForeignPod(fmt::format("pg-{}", i), 8);
      SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "pg");
      SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
      pod.node_name = NodeNameAt(0, 0, i);
      pod.phase = PodPhase::kRunning;
      objects.pods.push_back(pod);
    }
    const auto gangs = Replayed(objects);
    CHECK(Named(gangs, "/pg").after.nodes.size() == 3);
    return Named(gangs, "/pg").stays;
  };
  CHECK(looks(2));
  CHECK_FALSE(looks(3));
}

TEST_CASE("replay: a gang of which members have finished, failed, are going or missing stays") {
  enum class Fate { kSucceeded, kFailed, kGoing, kMissing };
  const auto fate = GENERATE(Fate::kSucceeded, Fate::kFailed, Fate::kGoing, Fate::kMissing);
  ObjectList objects;
  objects.nodes = MakeNodes(1, 2, 4);
  for (int i = 0; i < 4; ++i) objects.pods.push_back(Bare("fin", i, 4, NodeNameAt(0, 0, i)));
  for (size_t i = 2; i < 4; ++i) {
    PodFacts& pod = objects.pods[i];
    if (fate == Fate::kSucceeded) pod.phase = PodPhase::kSucceeded;
    if (fate == Fate::kFailed) pod.phase = PodPhase::kFailed;
    if (fate == Fate::kGoing) pod.terminating = true;
  }
  if (fate == Fate::kMissing) objects.pods.resize(2);
  const auto gangs = Replayed(objects);
  INFO(static_cast<int>(fate) << " " << Named(gangs, "/fin").after.text);
  CHECK(Named(gangs, "/fin").before.nodes.size() == 2);
  CHECK(Named(gangs, "/fin").after.nodes.size() == 2);
  CHECK(Named(gangs, "/fin").stays);
  CHECK_FALSE(Named(gangs, "/fin").differs());
}

TEST_CASE("replay: two gangs of one name are each told where they stand") {
  ObjectList objects;
  objects.nodes = MakeNodes(3, 1, 2);
  const JobSpec job{.name = "t", .size = 2, .gpus = 8, .place = "rack=pack!"};
  objects.owners.push_back(JobOwner(job));
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = JobPod(job, i);
    pod.node_name = NodeNameAt(0, 0, i);
    pod.phase = PodPhase::kRunning;
    objects.pods.push_back(pod);
    objects.pods.push_back(Bare("t", i, 2, NodeNameAt(1, 0, i)));
  }
  const auto gangs = Replayed(objects);
  CHECK(gangs.size() == 2);
  for (const ReplayedGang& gang : gangs) {
    INFO(gang.key.kind << ": " << gang.before.text);
    CHECK(gang.before.nodes.size() == 2);
  }
}

std::string PodText(int i, std::string_view phase) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"a-{0}","namespace":"ml","uid":)"
      R"("a{0}","annotations":{{"gangplan.io/group":"a","gangplan.io/size":"2",)"
      R"("gangplan.io/place":"node=spread"}}}},"spec":{{"schedulerName":"gangplan","nodeName":)"
      R"("n","containers":[]}},"status":{{"phase":"{1}"}}}})",
      i, phase);
}

TEST_CASE("replay: how many stay is said, in text and for programs") {
  const ScratchFile saved(
      R"({"kind":"List","items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"n",)"
      R"("labels":{"example.com/block":"b","example.com/rack":"r"}},"status":)"
      R"({"allocatable":{"cpu":"8","pods":"10"}}},)" +
      PodText(0, "Running") + "," + PodText(1, "Succeeded") + "]}");
  const auto run = [&](std::string_view form) {
    return RunOf(AllCommands(), {"replay", saved.path(), "-o", form});
  };
  CHECK(run("text") == Told{kExitDone, "0 of 1 gangs differ; 1 stays: not whole, or grown\n", ""});
  CHECK(run("wide").out.find("ml/a  stays ") != std::string::npos);
  CHECK(run("json").out.ends_with(",\"stays\":true}],\"stay\":1}\n"));
}

}  // namespace
}  // namespace gangplan::replay_test
