// What `gangplan plan` says of a Job, against what becomes of it when its pods come: 1,000 small
// clusters and Jobs by chance. The one side reads the manifest and makes the pods itself, the other
// has the pods of the planner's own tests and plays the scheduler.
#include <algorithm>
#include <map>
#include <random>

#include "extender/app/dry_run.h"
#include "extender/app/planner_options.h"
#include "extender/cli/manifest.h"
#include "extender/observe/log.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"

namespace gangplan::plan_property_test {
namespace {

constexpr int kCases = 1000;

class Chance {
 public:
  explicit Chance(uint32_t seed) : engine_(seed) {}
  int Of(int least, int most) { return least + static_cast<int>(engine_() % (most - least + 1)); }
  bool OneIn(int n) { return Of(1, n) == 1; }

 private:
  std::mt19937 engine_;
};

struct Case {
  Settings settings;
  std::vector<NodeFacts> nodes;
  std::vector<std::pair<PodFacts, std::string>> bound;
  std::optional<JobSpec> early;  // waits already when the other one comes
  JobSpec job;
};

JobSpec RandomJob(const std::string& name, Chance& chance) {
  constexpr const char* kPlaces[] = {"rack=pack!",
                                     "block=pack!",
                                     "rack=pack",
                                     "rack=spread",
                                     "rack=spread partitions=2",
                                     "block=pack!; rack=pack factor=2",
                                     "node=spread! max=1",
                                     "rack=pack! min=2; node=pack"};
  JobSpec job;
  job.name = name;
  job.size = chance.Of(1, 24);
  job.gpus = chance.Of(1, 4);
  job.place = kPlaces[chance.Of(0, 7)];
  job.priority = chance.Of(-1, 1);
  job.in_set = job.size > 2 && chance.OneIn(3);
  job.leader_gpus = job.in_set ? chance.Of(1, 4) : 0;
  job.indexed = !chance.OneIn(4);
  return job;
}

Settings SettingsOf(uint32_t seed) {
  Settings settings;
  switch (seed % 8) {
    case 1:
      settings.queue_mode = QueueOrder::kStrict;
      break;
    case 2:
      settings.queue_mode = QueueOrder::kBackfill;
      break;
    case 3:
      settings.preemption = Preemption::kGangs;
      break;
    case 4:
      settings.gang.hold_from_percent = 100;
      break;
    case 5:
      settings.gang.start_when = StartWhen::kFirstMember;
      break;
    default:
      break;
  }
  return settings;
}

Case MakeCase(uint32_t seed) {
  Chance chance(seed);
  Case one;
  one.settings = SettingsOf(seed);
  const int blocks = chance.Of(1, 3), racks = chance.Of(1, 3);
  for (int block = 0; block < blocks; ++block) {
    for (int rack = 0; rack < racks; ++rack) {
      for (int node = chance.Of(0, 3); node >= 0; --node)
        one.nodes.push_back(MakeNode(block, rack, node, chance.Of(0, 8)));
    }
  }
  for (const NodeFacts& node : one.nodes) {
    if (!chance.OneIn(3)) continue;
    PodFacts pod = ForeignPod("other-" + node.name, chance.Of(1, 8));
    pod.phase = PodPhase::kRunning;
    one.bound.emplace_back(pod, node.name);
  }
  if (chance.OneIn(3)) one.early = RandomJob("early", chance);
  one.job = RandomJob("train", chance);
  return one;
}

std::string Template(const JobSpec& job, int64_t gpus) {
  return fmt::format(
      R"({{"metadata": {{"annotations": {{"gangplan.io/place": "{}"}}}}, "spec": )"
      R"({{"schedulerName": gangplan, "priority": {}, "containers": [{{"name": c, "resources": )"
      R"({{"requests": {{"cpu": 100m, "example.com/gpu": {}}}}}}}]}}}})",
      job.place, job.priority, gpus);
}

std::string ManifestOf(const JobSpec& job) {
  const std::string mode = job.indexed ? "Indexed" : "NonIndexed";
  if (!job.in_set) {
    return fmt::format(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {}, namespace: team}}\n"
        "spec:\n  parallelism: {}\n  completionMode: {}\n  template: {}\n",
        job.name, job.size, mode, Template(job, job.gpus));
  }
  const auto part = [&](std::string_view name, int jobs, int each, int64_t gpus) {
    return fmt::format(
        "  - name: {}\n    replicas: {}\n    template:\n      spec:\n        parallelism: {}\n"
        "        completions: {}\n        completionMode: {}\n        template: {}\n",
        name, jobs, each, each, mode, Template(job, gpus));
  };
  return fmt::format(
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n"
      "metadata: {{name: {}, namespace: team}}\nspec:\n  replicatedJobs:\n{}{}",
      job.name, part("leader", 1, 1, job.leader_gpus),
      part("workers", job.WorkerJobs(), (job.size - 1) / job.WorkerJobs(), job.gpus));
}

GroupReport PlanOf(const Case& one) {
  ObjectList objects;
  objects.nodes = one.nodes;
  for (auto [pod, node] : one.bound) {
    pod.node_name = node;
    objects.pods.push_back(std::move(pod));
  }
  if (one.early) {
    objects.owners.push_back(JobOwner(*one.early));
    for (int i = 0; i < one.early->size; ++i) objects.pods.push_back(JobPod(*one.early, i));
  }
  DryRun run(one.settings, std::move(objects));
  absl::StatusOr<Manifest> manifest = ReadManifest(ManifestOf(one.job), "job.yaml", "default", {});
  INFO(Message(manifest.status()));
  REQUIRE(manifest.ok());
  REQUIRE(manifest->pods.size() == static_cast<size_t>(one.job.size));
  const std::string pod = "team/" + manifest->pods.front().name;
  run.Arrive(std::move(manifest->owners), std::move(manifest->pods));
  std::optional<GroupReport> report = run.ReportOf(pod);
  REQUIRE(report.has_value());
  return *report;
}

// The nodes of each pod set, by rank; of pods without an index, which take any rank, sorted.
using Places = std::map<std::string, std::vector<std::string>>;

Places PlannedPlaces(const JobSpec& job, const GroupReport& report) {
  Places places;
  for (const auto& slot : report.slots) places[job.in_set ? slot.pod_set : ""].push_back(slot.node);
  return places;
}

// By the scheduler's calls; `refusal`: what the first pod is told, empty when all were bound.
Places RealPlaces(const Case& one, std::string& refusal) {
  Metrics metrics;
  PlannerWorld world(PlannerOptionsFrom(one.settings, metrics, SystemClock()));
  world.AddNodes(one.nodes);
  for (const auto& [pod, node] : one.bound) world.ShowBound(pod, node);
  if (one.early) world.ShowJob(*one.early, 0, one.early->size);
  world.Sync();
  world.ShowJob(one.job, 0, one.job.size);
  world.Pass(absl::ZeroDuration());
  Places places;
  for (int i = 0; i < one.job.size; ++i) {
    const PodFacts pod = JobPod(one.job, i);
    const std::string node = world.Passed(pod);
    if (node.empty()) {
      refusal = world.Refusal(pod);
      return {};
    }
    CHECK(world.Bind(pod, node).decision.error.empty());
    const bool leads = one.job.in_set && i == 0;
    places[!one.job.in_set ? "" : leads ? "leader" : "workers"].push_back(node);
  }
  CHECK(world.BindAll() == one.job.size);
  return places;
}

void Sort(Places& places) {
  for (auto& [name, nodes] : places) std::sort(nodes.begin(), nodes.end());
}

TEST_CASE("plan: a Job goes where it was said, or waits for what was said") {
  ProcessLogger().set_level(LogLevel::kError);
  int fit = 0, wait = 0, never = 0;
  for (uint32_t seed = 1; seed <= kCases; ++seed) {
    const Case one = MakeCase(seed);
    INFO("seed " << seed << "\n" << ManifestOf(one.job));
    const GroupReport report = PlanOf(one);
    std::string refusal;
    Places real = RealPlaces(one, refusal);
    if (!refusal.empty()) {
      REQUIRE(refusal == report.reason);
      const bool impossible = report.outcome == Outcome::kImpossible;
      ++(impossible || report.outcome == Outcome::kInvalid ? never : wait);
      REQUIRE(report.outcome != Outcome::kPlaced);
      continue;
    }
    Places planned = PlannedPlaces(one.job, report);
    if (!one.job.indexed) {
      Sort(planned);
      Sort(real);
    }
    REQUIRE(planned == real);
    ++fit;
  }
  CHECK(fit > kCases / 5);
  CHECK(wait > kCases / 20);
  CHECK(never > kCases / 20);
}

}  // namespace
}  // namespace gangplan::plan_property_test
