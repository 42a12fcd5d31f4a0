// `gangplan replay`: gangs are placed anew from nothing, the same each time, and what differs is
// told.
#include "extender/cli/replay_command.h"

#include <algorithm>
#include <random>

#include "extender/app/dry_run.h"
#include "extender/cli/commands.h"
#include "extender/cli/replay.h"
#include "extender/observe/log.h"
#include "tests/config/config_text.h"
#include "tests/extender/cli/bare_gang.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/support/planner_world.h"
#include "tests/support/rounds.h"
#include "topology/owner_kinds.h"

namespace gangplan::replay_command_test {
namespace {

Told Run(const std::vector<std::string_view>& args) { return RunOf(AllCommands(), args); }

void Add(ObjectList& objects, const JobSpec& job, const std::vector<std::string>& nodes = {}) {
  objects.owners.push_back(JobOwner(job));
  for (int i = 0; i < job.size; ++i) {
    PodFacts pod = JobPod(job, i);
    if (!nodes.empty()) {
      pod.node_name = nodes[static_cast<size_t>(i) % nodes.size()];
      pod.phase = PodPhase::kRunning;
    }
    objects.pods.push_back(std::move(pod));
  }
}

std::vector<GroupReport> GangsOf(const ObjectList& objects, const Settings& settings = Levels()) {
  ProcessLogger().set_level(LogLevel::kError);
  return DryRun(settings, objects).Gangs();
}

std::vector<ReplayedGang> Replayed(const ObjectList& objects) {
  const std::vector<GroupReport> before = GangsOf(objects);
  return CompareGangs(before, GangsOf(Unplaced(objects, before)));
}

TEST_CASE("replay: a gang that runs in two racks is placed in one, and others' pods stay") {
  ObjectList objects;
  objects.nodes = MakeNodes(1, 3, 2);
  const JobSpec job{.name = "train", .size = 2, .gpus = 8, .place = "rack=pack"};
  Add(objects, job, {"b0-r0-n0", "b0-r1-n0"});
  PodFacts other = ForeignPod("other", 8);
  other.node_name = "b0-r0-n1";
  other.phase = PodPhase::kRunning;
  objects.pods.push_back(other);
  const std::vector<ReplayedGang> gangs = Replayed(objects);
  REQUIRE(gangs.size() == 1);
  CHECK(gangs[0].name == "team/train");
  CHECK(gangs[0].differs());
  CHECK(gangs[0].before.nodes == std::vector<std::string>{"b0-r0-n0", "b0-r1-n0"});
  CHECK(gangs[0].before.text == "b0 (2 nodes)");
  CHECK(gangs[0].after.nodes == std::vector<std::string>{"b0-r1-n0", "b0-r1-n1"});
  CHECK(gangs[0].after.text == "b0/r1 (2 nodes)");
}

TEST_CASE("replay: what a start has written on pods is taken back, what their user has is not") {
  ObjectList objects;
  objects.nodes = MakeNodes(1, 2, 2);
  const JobSpec job{.name = "train", .size = 2, .gpus = 4, .place = "node=pack"};
  Add(objects, job, {"b0-r1-n1"});
  for (PodFacts& pod : objects.pods) {
    SetWord(pod.annotations, "gangplan.io/assigned-rank", "0");
    SetWord(pod.annotations, "gangplan.io/plan", "team/train.1");
    SetWord(pod.annotations, "note", "mine");
    pod.filter.node_selector = {{"example.com/block", "b0"}};
  }
  PodFacts done = objects.pods[0];
  done.uid = "done", done.name = "done";
  done.phase = PodPhase::kSucceeded;
  objects.pods.push_back(done);
  const ObjectList taken = Unplaced(objects, GangsOf(objects));
  for (size_t i = 0; i < 2; ++i) {
    const PodFacts& pod = taken.pods[i];
    CHECK(pod.node_name == "");
    CHECK(pod.phase == PodPhase::kPending);
    CHECK(FindLabel(pod.annotations, "gangplan.io/plan") == nullptr);
    CHECK(FindLabel(pod.annotations, "gangplan.io/assigned-rank") == nullptr);
    CHECK(FindLabel(pod.annotations, "note") != nullptr);
    CHECK(FindLabel(pod.annotations, "gangplan.io/place") != nullptr);
    CHECK(pod.filter.node_selector.size() == 1);
  }
  CHECK(taken.pods[2] == objects.pods[2]);
}

TEST_CASE("replay: gangs of one side alone are told, and those that wait with why") {
  ObjectList objects;
  objects.nodes = MakeNodes(1, 1, 2);
  Add(objects, {.name = "a", .size = 2, .gpus = 8, .place = "rack=pack!"});
  Add(objects, {.name = "b", .size = 2, .gpus = 8, .place = "rack=pack!"});
  Settings others = Levels();
  others.scheduler_names = {"another"};
  const std::vector<ReplayedGang> gangs = CompareGangs(GangsOf(objects), GangsOf(objects, others));
  REQUIRE(gangs.size() == 2);
  CHECK(gangs[0].before.text == "b0/r0 (2 nodes)");
  CHECK(gangs[0].after.text == "no gang");
  CHECK(gangs[0].differs());
  CHECK(gangs[1].before.text.starts_with("waits: "));
}

TEST_CASE(
    "replay: the same cluster and configuration give the same places, whatever the order of "
    "the objects is") {
  std::mt19937 random(7);
  int moved = 0;
  for (int round = 0; round < Rounds(20); ++round) {
    ObjectList objects;
    objects.nodes = MakeNodes(2, 3, 4);
    std::vector<std::string> names;
    for (const NodeFacts& node : objects.nodes) names.push_back(node.name);
    std::shuffle(names.begin(), names.end(), random);
    for (int i = 0; i < 6; ++i) {
      const JobSpec job{.name = fmt::format("job-{}", i),
                        .size = 2,
                        .gpus = 8,
                        .place = i % 2 == 0 ? "rack=pack" : "block=pack!"};
      const auto at = static_cast<size_t>(2 * i);
      Add(objects, job,
          i == 5 ? std::vector<std::string>() : std::vector<std::string>{names[at], names[at + 1]});
    }
    const std::vector<ReplayedGang> once = Replayed(objects);
    std::shuffle(objects.pods.begin(), objects.pods.end(), random);
    std::shuffle(objects.nodes.begin(), objects.nodes.end(), random);
    const std::vector<ReplayedGang> again = Replayed(objects);
    REQUIRE(once.size() == 6);
    for (size_t i = 0; i < once.size(); ++i) {
      CHECK(once[i].after.nodes == again[i].after.nodes);
      CHECK(once[i].after.nodes.size() == 2);
      moved += once[i].differs();
    }
  }
  CHECK(moved > 0);
}

std::string Object(const char* kind, const std::string& metadata, const std::string& rest) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"{}","metadata":{{{}}},{}}})", kind, metadata,
                     rest);
}

// Two gangs on four nodes of two racks: `a` runs in both of them, `b` waits.
std::string Saved() {
  std::string items;
  for (int i = 0; i < 4; ++i) {
    items += Object("Node",
                    fmt::format(R"("name":"n{0}","labels":{{"example.com/block":"b",)"
                                R"("example.com/rack":"r{1}","zone":"z"}})",
                                i, i / 2),
                    R"("status":{"allocatable":{"cpu":"8","pods":"10"},"conditions":[{"type":)"
                    R"("Ready","status":"True"}]})") +
             ",";
  }
  const auto pod = [](std::string_view gang, int i, std::string_view node) {
    return Object("Pod",
                  fmt::format(R"("name":"{0}-{1}","namespace":"ml","uid":"{0}{1}","annotations":)"
                              R"({{"gangplan.io/group":"{0}","gangplan.io/size":"2",)"
                              R"("gangplan.io/place":"rack=pack"}})",
                              gang, i),
                  fmt::format(R"("spec":{{"schedulerName":"gangplan",{}"containers":[{{"name":"c",)"
                              R"("resources":{{"requests":{{"cpu":"8"}}}}}}]}},"status":)"
                              R"({{"phase":"{}"}})",
                              node.empty() ? "" : fmt::format(R"("nodeName":"{}",)", node),
                              node.empty() ? "Pending" : "Running"));
  };
  items +=
      pod("a", 0, "n0") + "," + pod("a", 1, "n2") + "," + pod("b", 0, "") + "," + pod("b", 1, "");
  return R"({"kind":"List","items":[)" + items + "]}";
}

TEST_CASE("replay: what is printed, and exit codes") {
  const ScratchFile saved(Saved());
  const Told text = Run({"replay", saved.path()});
  CHECK(text.code == kExitDiffers);
  CHECK(text.err == "");
  CHECK(text.out ==
        "2 of 2 gangs differ\n"
        "GANG  BEFORE       AFTER\n"
        "ml/a  b (2 nodes)  b/r0 (2 nodes)\n"
        "ml/b  b (2 nodes)  b/r1 (2 nodes)\n");
  const ScratchFile same(ConfigText("engines: {strategy: auto}\n"));
  const Told none = Run({"replay", saved.path(), "--from", same.path()});
  CHECK(none == Told{kExitDone, "0 of 2 gangs differ\n", ""});
  const Told wide = Run({"replay", saved.path(), "--from", same.path(), "-o", "wide"});
  CHECK(wide.out.find("ml/a  same  b/r0 (2 nodes)  b/r0 (2 nodes)") != std::string::npos);
  const Told json = Run({"replay", saved.path(), "-o", "json"});
  CHECK(json.code == kExitDiffers);
  CHECK(json.out.starts_with(
      R"j({"differ":2,"gangs":[{"name":"ml/a","kind":"group","differs":true,"before":)j"
      R"j({"text":"b (2 nodes)","nodes":["n0","n2"]},"after":)j"));
  const ScratchFile kueue(ConfigText("topologies: [{name: none, source: kueue}]\n"));
  const Told unready = Run({"replay", saved.path(), "--config", kueue.path()});
  CHECK(unready.code == kExitWrongWords);
  CHECK(unready.err.find(saved.path() + ": ") != std::string::npos);
  CHECK(Run({"replay"}).err.find("replay: SNAPSHOT is missing") != std::string::npos);
  CHECK(Run({"replay", "/no/such"}).code == kExitWrongWords);
  CHECK(Run({"replay", saved.path(), "--config", "/no/such"}).code == kExitWrongWords);
}

}  // namespace
}  // namespace gangplan::replay_command_test
