// `gangplan capacity`: what it counts, against the planner that places such gangs.
#include "extender/cli/capacity.h"

#include <random>

#include "extender/app/dry_run.h"
#include "extender/cli/commands.h"
#include "extender/observe/log.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"
#include "topology/model.h"

namespace gangplan::capacity_test {
namespace {

constexpr int kCases = 200;

std::string ErrorOf(std::string_view shape) { return Message(ParseShape(shape).status()); }

TEST_CASE("capacity: shapes are read, and wrong ones told") {
  CHECK(ParseShape("nvidia.com/gpu=8,cpu=1500m,memory=1Gi")->request ==
        ResourceList{{"cpu", 1500}, {"memory", 1 << 30}, {"nvidia.com/gpu", 8}, {"pods", 1}});
  CHECK(*ParseShape("8gpu") == *ParseShape("nvidia.com/gpu=8"));
  CHECK(*ParseShape("8gpu,16cpu") == *ParseShape("gpu=8,cpu=16"));
  CHECK(ParseShape("2amd.com/gpu")->request == ResourceList{{"amd.com/gpu", 2}, {"pods", 1}});
  CHECK(ShapeText(ParseShape("8gpu,cpu=1500m,memory=1Ki")->request) ==
        "cpu=1500m,memory=1024,nvidia.com/gpu=8");
  const std::string expected = "; expected COUNT and a resource, as 8gpu, or nvidia.com/gpu=8";
  CHECK(ErrorOf("") == "it is empty" + expected);
  CHECK(ErrorOf("8") == "\"8\"" + expected);
  CHECK(ErrorOf("gpu") == "\"gpu\"" + expected);
  CHECK(ErrorOf("=8") == "\"=8\"" + expected);
  CHECK(ErrorOf("8gpu,") == "");
  CHECK(ErrorOf("8gpu,,1cpu") == "\"\"" + expected);
  CHECK(ErrorOf("8gpu,gpu=8") == "nvidia.com/gpu: stands twice, or by itself");
  CHECK(ErrorOf("0gpu") == "nvidia.com/gpu: 0; expected more than 0");
  CHECK(ErrorOf("cpu=0") == "cpu: 0; expected more than 0");
  CHECK(ErrorOf("cpu=-1") == "cpu: -1000; expected more than 0");
  CHECK(ErrorOf("cpu=many").starts_with("cpu: "));
  CHECK(ErrorOf("cpu=1,cpu=2") == "cpu: stands twice, or by itself");
  CHECK(ErrorOf("pods=1") == "pods: stands twice, or by itself");
}

TEST_CASE("capacity: taints, missing labels and nodes that are away are told apart") {
  Model model(ThreeLevels());
  NodeFacts tainted = MakeNode(0, 0, 0), device = MakeNode(0, 0, 1), cordoned = MakeNode(0, 1, 0);
  tainted.taints = {{"team", "a", TaintEffect::kNoSchedule}};
  device.taints = {{"example.com/gpu", "", TaintEffect::kNoSchedule}};
  cordoned.unschedulable = true;
  NodeFacts lost = MakeNode(0, 2, 0);
  lost.labels = {};
  for (const NodeFacts& node : {tainted, device, cordoned, lost})
    REQUIRE(model.UpsertNode(node).ok());
  CHECK(UsualShape(model) == "example.com/gpu=1");
  CHECK(UsualShape(Model(ThreeLevels())) == "cpu=1");
  const Capacity capacity = CapacityOf(model, *ParseShape("example.com/gpu=2"), 3);
  CHECK(capacity.tainted == 1);
  CHECK(capacity.unplaced == 1);
  REQUIRE(capacity.levels.size() == 4);
  CHECK(capacity.levels[0].level == "cluster");
  CHECK(capacity.levels[0].now.largest == 4);
  CHECK(capacity.levels[0].empty.largest == 8);
  CHECK(capacity.levels[0].empty.gangs == 2);
  CHECK(capacity.levels[2].level == "rack");
  CHECK(capacity.levels[2].now.domain == "b0/r0");
  CHECK(capacity.levels[2].now.gangs == 1);
  CHECK(capacity.levels[2].empty.gangs == 2);
}

TEST_CASE("capacity: what is lost is told against what could be, were all that is free together") {
  Model model(ThreeLevels());
  for (int node = 0; node < 4; ++node) {
    const NodeFacts facts = MakeNode(0, node / 2, node, 8);
    REQUIRE(model.UpsertNode(facts).ok());
    model.PutPod("half-of-" + facts.name, facts.name, {{"example.com/gpu", 4}});
  }
  const auto lost = [&](std::string_view shape) {
    std::vector<int64_t> levels;
    for (const LevelCapacity& level : CapacityOf(model, *ParseShape(shape), 1).levels)
      levels.push_back(level.lost);
    return levels;
  };
  CHECK(CapacityOf(model, *ParseShape("example.com/gpu=8"), 1).free == 2);
  CHECK(lost("example.com/gpu=8") == std::vector<int64_t>{100, 100, 100, 100});
  CHECK(CapacityOf(model, *ParseShape("example.com/gpu=3"), 1).free == 5);
  CHECK(lost("example.com/gpu=3") == std::vector<int64_t>{20, 20, 50, 50});
  CHECK(lost("example.com/gpu=1") == std::vector<int64_t>{0, 0, 50, 50});
  CHECK(UnknownResources(model, ParseShape("8gpu,1cpu,memroy=1Gi")->request) ==
        std::vector<std::string>{"memroy", "nvidia.com/gpu"});
}

TEST_CASE("capacity: what is excluded is missed by nobody") {
  Model model(std::vector<ScopedTopology>{{ThreeLevels()}}, {"nvidia.com/gpum"});
  REQUIRE(model.UpsertNode(MakeNode(0, 0, 0, 8)).ok());
  const AskedPod pod = *ParseShape("example.com/gpu=2,nvidia.com/gpumem=3000");
  CHECK(UnknownResources(model, pod.request).empty());
  CHECK(CapacityOf(model, pod, 1).free == 4);
  CHECK(CapacityOf(model, pod, 1).levels.front().now.largest == 4);
}

struct Case {
  ObjectList objects;
  std::string level;
  int index = 0;  // of the level in what is told
  int64_t gpus = 1;
};

Case MakeCase(uint32_t seed) {
  std::mt19937 random(seed);
  const auto upto = [&random](int most) { return static_cast<int>(random() % (most + 1)); };
  Case one;
  const int blocks = 1 + upto(2), racks = 1 + upto(2);
  for (int block = 0; block < blocks; ++block) {
    for (int rack = 0; rack < racks; ++rack) {
      for (int node = upto(3); node >= 0; --node)
        one.objects.nodes.push_back(MakeNode(block, rack, node, upto(8)));
    }
  }
  for (const NodeFacts& node : one.objects.nodes) {
    if (upto(2) > 0) continue;
    PodFacts pod = ForeignPod("other-" + node.name, 1 + upto(5));
    pod.node_name = node.name;
    pod.phase = PodPhase::kRunning;
    one.objects.pods.push_back(std::move(pod));
  }
  constexpr const char* kLevels[] = {"block", "rack", "node"};
  one.index = 1 + upto(2);
  one.level = kLevels[one.index - 1];
  one.gpus = 1 + upto(3);
  return one;
}

// What becomes of a gang of so many that must share one domain of the level.
Outcome OutcomeOf(DryRun& run, const Case& one, int64_t size, const std::string& name = "train") {
  const JobSpec job{.name = name,
                    .size = static_cast<int32_t>(size),
                    .gpus = one.gpus,
                    .place = one.level + "=pack!"};
  std::vector<PodFacts> pods;
  for (int i = 0; i < job.size; ++i) pods.push_back(JobPod(job, i));
  run.Arrive({JobOwner(job)}, std::move(pods));
  const std::optional<GroupReport> report = run.ReportOf(fmt::format("team/{}-0-0", name));
  REQUIRE(report.has_value());
  return report->outcome;
}

TEST_CASE("capacity: the planner places the largest gang, and no larger one") {
  ProcessLogger().set_level(LogLevel::kError);
  const auto shape = [](const Case& one) {
    return *ParseShape(fmt::format("example.com/gpu={},cpu=100m", one.gpus));
  };
  const auto outcome = [](const Case& one, int64_t size) {
    DryRun run(Settings(), one.objects);
    return OutcomeOf(run, one, size);
  };
  int waits = 0, gangs = 0;
  for (uint32_t seed = 1; seed <= kCases; ++seed) {
    INFO("seed " << seed);
    const Case one = MakeCase(seed);
    const int64_t size = 1 + seed % 4;
    DryRun run(Settings(), one.objects);
    const Capacity capacity = run.Ask(
        [&](const Planner& planner) { return CapacityOf(planner.model(), shape(one), size); });
    const LevelCapacity& level = capacity.levels[static_cast<size_t>(one.index)];
    REQUIRE(level.level == one.level);
    if (level.now.largest > 0) REQUIRE(outcome(one, level.now.largest) == Outcome::kPlaced);
    if (level.empty.largest > level.now.largest) {
      ++waits;
      REQUIRE(outcome(one, level.now.largest + 1) == Outcome::kWait);
      REQUIRE(outcome(one, level.empty.largest) == Outcome::kWait);
    }
    REQUIRE(outcome(one, level.empty.largest + 1) == Outcome::kImpossible);
    int64_t placed = 0;
    while (OutcomeOf(run, one, size, fmt::format("gang{}", placed)) == Outcome::kPlaced) ++placed;
    REQUIRE(placed == level.now.gangs);
    gangs += static_cast<int>(placed);
  }
  CHECK(waits > kCases / 4);
  CHECK(gangs > kCases);
}

TEST_CASE("capacity: programs are told each level, and wrong words with what was expected") {
  constexpr const char* kCluster = GANGPLAN_SOURCE_DIR "/examples/cluster.json";
  const auto run = [](std::vector<std::string_view> words) {
    words.insert(words.begin(), "capacity");
    return RunOf(AllCommands(), words);
  };
  const Told told = run({"--snapshot", kCluster, "--size", "9", "-o", "json"});
  CHECK(told.code == kExitDone);
  CHECK(told.out.starts_with(R"({"shape":"nvidia.com/gpu=1","size":9,"free":)"));
  CHECK(told.out.find(R"("levels":[{"level":"cluster","domains":1,"now":{"largest":)") !=
        std::string::npos);
  CHECK(run({"--snapshot", kCluster, "--shape", "8amd.com/gpu"})
            .out.ends_with("\nno node has amd.com/gpu\n"));
  CHECK(run({"--snapshot", kCluster, "--shape", "8"}).err.find("--shape: \"8\"; expected ") !=
        std::string::npos);
  CHECK(run({"--snapshot", kCluster, "--size", "0"}).code == kExitWrongWords);
  CHECK(run({"--snapshot", kCluster, "--shape", "8gpu", "-f", "job.yaml"})
            .err.find("capacity: --shape and -f: expected one of them\n") != std::string::npos);
  const ScratchFile none("kind: Service\n");
  const Told empty = run({"--snapshot", none.path()});
  CHECK(empty.code == kExitWrongWords);
  CHECK(empty.err.find("no nodes and no pods") != std::string::npos);
}

TEST_CASE("capacity: the pods of a manifest are counted, where they are alike") {
  constexpr const char* kCluster = GANGPLAN_SOURCE_DIR "/examples/cluster.json";
  constexpr const char* kJob = GANGPLAN_SOURCE_DIR "/examples/job-rack.yaml";
  const auto run = [](std::string_view file) {
    return RunOf(AllCommands(), {"capacity", "--snapshot", kCluster, "-f", file});
  };
  const Told told = run(kJob);
  CHECK(told.code == kExitDone);
  CHECK(
      told.out.starts_with("Pods of Job default/trainer of cpu=1,memory=268435456; gangs of 8; "));
  const auto part = [](std::string_view name, int gpus, std::string_view more) {
    return fmt::format(
        "  - name: {}\n    template:\n      spec:\n        template:\n          spec:\n{}"
        "            containers:\n"
        "            - {{name: c, resources: {{limits: {{nvidia.com/gpu: {}}}}}}}\n",
        name, more, gpus);
  };
  const std::string head =
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: set}\nspec:\n"
      "  replicatedJobs:\n";
  const ScratchFile unlike(head + part("a", 1, "") + part("b", 2, ""));
  CHECK(run(unlike.path())
            .err.find(": set-a-0-0 asks for nvidia.com/gpu=1, set-b-0-0 for "
                      "nvidia.com/gpu=2; expected pods that are alike, or --shape") !=
        std::string::npos);
  const ScratchFile apart(head + part("a", 1, "") +
                          part("b", 1, "            nodeSelector: {zone: a}\n"));
  CHECK(run(apart.path()).err.find("set-a-0-0 and set-b-0-0 ask for different nodes") !=
        std::string::npos);
}

}  // namespace
}  // namespace gangplan::capacity_test
