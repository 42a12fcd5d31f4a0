// What the tests of gangs' lives have in common: gangs that take whole nodes of one rack, and hands
// that start them. Single-threaded.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "extender/cluster/annotations.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {

inline PodFacts BoundByUs(const JobSpec& job, int index, std::string_view node, int rank) {
  PodFacts pod = JobPod(job, index);
  pod.node_name = std::string(node);
  SetWord(pod.annotations, kAssignedRankAnnotation, fmt::format("{}", rank));
  SetWord(pod.annotations, kPlanAnnotation, job.name + ".1");
  return pod;
}

inline PodFacts Ended(PodFacts pod, PodPhase phase) {
  pod.phase = phase;
  return pod;
}

// Filter, and bind where it says, if it says so.
inline bool Try(PlannerWorld& world, const PodFacts& pod) {
  const std::string node = world.Passed(pod);
  return !node.empty() && world.Bind(pod, node).decision.held;
}

inline void Start(PlannerWorld& world, const JobSpec& job, int first = 0) {
  for (int i = first; i < first + job.size; ++i) REQUIRE(Try(world, JobPod(job, i)));
  REQUIRE(world.BindAll() == job.size);
}

// All of it is made, and runs.
inline void Run(PlannerWorld& world, const JobSpec& job) {
  world.ShowJob(job, 0, job.size);
  Start(world, job);
}

// Until owners of which pods came or went have been read again.
inline void AwaitOwners(PlannerWorld& world) {
  world.Pass(kOwnerReadAfter);
  world.Pass(absl::Seconds(1));
}

// One GPU for each pod, all GPUs of a node for each gang of one.
struct LivesWorld : PlannerWorld {
  explicit LivesWorld(int nodes, PlannerOptions options = Options())
      : PlannerWorld(std::move(options)) {
    AddNodes(MakeNodes(1, 1, nodes));
    Sync();
  }
};

inline JobSpec Whole(std::string_view name, int32_t size, int32_t priority = 0) {
  return {.name = std::string(name),
          .size = size,
          .gpus = 8,
          .place = "rack=pack!",
          .priority = priority};
}

inline JobSpec Named(std::string_view name, std::string_view group, int32_t size) {
  JobSpec job = Whole(name, size);
  job.words = {{"gangplan.io/group", std::string(group)},
               {"gangplan.io/size", fmt::format("{}", size)}};
  return job;
}

}  // namespace gangplan
