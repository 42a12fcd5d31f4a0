// What tests of the line for room share: gangs that each need one rack, of which some tell how long
// they run, and a world in which they come, start and end. Single-threaded.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/frontends/gangplan/runtime.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {

inline JobSpec RackGang(std::string_view name, int32_t size, std::string_view runtime = "",
                        int32_t priority = 0, int64_t gpus = 8) {
  JobSpec job{.name = std::string(name),
              .size = size,
              .gpus = gpus,
              .place = "rack=pack!",
              .priority = priority};
  if (!runtime.empty()) SetWord(job.words, kRuntimeWord, runtime);
  return job;
}

inline PlannerOptions With(QueueMode mode) {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = mode;
  return options;
}

struct LineWorld : PlannerWorld {
  explicit LineWorld(const std::vector<NodeFacts>& nodes,
                     PlannerOptions options = With(QueueMode::kBackfill))
      : PlannerWorld(std::move(options)) {
    AddNodes(nodes);
    Sync();
  }
  // Some ticks.
  void Some() {
    for (int i = 0; i < 3; ++i) Pass(absl::Milliseconds(50));
  }
  void Come(const JobSpec& job) {
    ShowJob(job, 0, job.size);
    Some();
  }
  void Start(const JobSpec& job) {
    Come(job);
    for (int i = 0; i < job.size; ++i) FilterAndBind(JobPod(job, i));
    REQUIRE(BindAll() == job.size);
    Some();
  }
  PodFacts BoundPod(const JobSpec& job, int index) {
    PodFacts pod = JobPod(job, index);
    pod.node_name = At(job)[static_cast<size_t>(index)];
    return pod;
  }
  void End(const JobSpec& job) {
    std::vector<PodFacts> pods;
    for (int i = 0; i < job.size; ++i) pods.push_back(BoundPod(job, i));
    for (const PodFacts& pod : pods) Delete(pod);
    Some();
  }
  std::vector<std::string> At(const JobSpec& job) { return Nodes("team/" + job.name); }
  bool HasRoom(const JobSpec& job) { return !At(job).empty(); }
  std::string RackOf(const JobSpec& job) { return HasRoom(job) ? DomainOf(At(job)[0], 1) : ""; }
  GroupReport Of(const JobSpec& job) { return Report("team/" + job.name); }
  // A pod of another scheduler that runs there, since so long; `seconds`: its limit, 0: none.
  PodFacts Foreign(std::string_view name, int64_t gpus, std::string_view node, int64_t since = 0,
                   int64_t seconds = 0) {
    PodFacts pod = ForeignPod(name, gpus);
    pod.scheduler_name = "default-scheduler";
    if (seconds > 0) pod.run = {absl::ToUnixSeconds(now()) - since, seconds, 5};
    ShowBound(pod, node);
    pod.node_name = std::string(node);
    return pod;
  }
};

// Two racks of two nodes. In each one node is taken, by "hour" and "day", which run so long; for
// "waits", which needs a whole rack, that of "hour" is free first.
struct Halves : LineWorld {
  JobSpec hour = RackGang("hour", 1, "1h");
  JobSpec day = RackGang("day", 1, "24h");
  JobSpec waits = RackGang("waits", 2);
  JobSpec full = RackGang("full", 1);

  explicit Halves(PlannerOptions options = With(QueueMode::kBackfill))
      : LineWorld(MakeNodes(1, 2, 2), std::move(options)) {
    Start(hour);
    const JobSpec filler = RackGang("filler", 1);
    Start(filler);  // beside it, as long as "day" looks for a node
    Start(day);
    End(filler);
    REQUIRE(RackOf(hour) != RackOf(day));
    Come(waits);
    REQUIRE_FALSE(HasRoom(waits));
  }
  // All is taken but what is kept.
  void Fill() {
    Start(full);
    REQUIRE(RackOf(full) == "b0-r1");
  }
};

}  // namespace gangplan
