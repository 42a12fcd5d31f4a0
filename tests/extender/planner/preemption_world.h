// What tests of preemption share: gangs that each fill a rack, and a hand that answers the writes
// of their evictions. Single-threaded.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {

inline PlannerOptions Preempting() {
  PlannerOptions options = PlannerWorld::Options();
  options.preempts = options.preempts_pods = true;
  options.suspended_jobs = false;
  return options;
}

inline PlannerOptions Suspending() {
  PlannerOptions options = Preempting();
  options.suspended_jobs = true;
  return options;
}

// Their pods may take so long to stop, as JobPod makes them.
inline const absl::Duration kGrace = absl::Seconds(PodFacts().run.grace);

inline JobSpec Gang(std::string_view name, int32_t priority, int32_t size = 2) {
  return {.name = std::string(name),
          .size = size,
          .gpus = 8,
          .place = "rack=pack!",
          .priority = priority};
}

// A world, and the hand that answers its evictions.
struct Evicting {
  PlannerWorld world;

  explicit Evicting(PlannerOptions options) : world(std::move(options)) {}
  // Of a PodDelete or a PodMark.
  template <typename Write>
  void Tell(const Write& one, const absl::Status& status = absl::OkStatus()) {
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, status);
    REQUIRE(world.planner().BrokenInvariant() == "");
  }
  // The questions whether these pods may be evicted, answered.
  std::vector<std::string> Try(const absl::Status& status = absl::OkStatus()) {
    std::vector<std::string> asked;
    for (const PodDelete& one : world.Take<PodDelete>()) {
      CHECK(one.how == PodDelete::How::kTry);
      asked.push_back(one.pod.name);
      Tell(one, status);
    }
    std::sort(asked.begin(), asked.end());
    return asked;
  }
  PodDelete Evict() {
    const auto ends = world.Take<PodDelete>();
    REQUIRE(ends.size() == 1);
    return ends.front();
  }
};

// Two racks of two nodes. "a" and "b", of priority 1 and 5, fill one each.
struct TwoRacks : Evicting {
  JobSpec a = Gang("a", 1);
  JobSpec b = Gang("b", 5);
  JobSpec high = Gang("high", 100);
  std::vector<std::string> nodes_of_a;

  explicit TwoRacks(PlannerOptions options = Preempting()) : Evicting(std::move(options)) {
    world.AddNodes(MakeNodes(1, 2, 2));
    if (!world.planner().levels_known()) world.planner().OnTopology(world.now(), ThreeLevels());
    world.Sync();
    Run(a);
    Run(b);
    nodes_of_a = world.Nodes("team/a");
    world.ForgetEffects();
  }

  void Run(const JobSpec& job) {
    world.ShowJob(job, 0, job.size);
    for (int i = 0; i < job.size; ++i) world.FilterAndBind(JobPod(job, i));
    REQUIRE(world.BindAll() == job.size);
    REQUIRE(world.StateOf("team/" + job.name) == "Running");
  }
  PodFacts BoundPod(const JobSpec& job, int index) {
    PodFacts pod = JobPod(job, index);
    pod.node_name = world.Nodes("team/" + job.name)[static_cast<size_t>(index)];
    return pod;
  }
  PodMark Mark() {
    const auto marks = world.Take<PodMark>();
    REQUIRE(marks.size() == 1);
    return marks.front();
  }
  // "a" may go, and is marked. Returns the mark.
  PodMark TryAndMark() {
    Try();
    const PodMark mark = Mark();
    Tell(mark);
    return mark;
  }
  // The pods of "a", which the watch shows terminating.
  std::vector<PodFacts> StopA() {
    const std::vector<PodFacts> pods = {BoundPod(a, 0), BoundPod(a, 1)};
    for (const PodFacts& pod : pods) world.ShowTerminating(pod);
    return pods;
  }
  // All of "a" is told to end, as far as the API server is asked.
  void EvictAll() {
    REQUIRE(Try() == std::vector<std::string>{"a-0-0", "a-1-0"});
    Tell(Mark());
    Tell(Evict());
    Tell(Evict());
  }
};

}  // namespace gangplan
