// What tests of pods of no gang that give way share: one rack of nodes with 8 GPUs each, and a hand
// that evicts. Single-threaded.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/extender/planner/preemption_world.h"
#include "tests/support/catch.h"

namespace gangplan {

inline constexpr char kFirstNode[] = "b0-r0-n0";
inline constexpr char kSecondNode[] = "b0-r0-n1";

// One rack of so many nodes.
struct OneRack : Evicting {
  explicit OneRack(int nodes = 2, PlannerOptions options = Preempting())
      : Evicting(std::move(options)) {
    world.AddNodes(MakeNodes(1, 1, nodes));
    world.Sync();
  }
  PodFacts Single(std::string_view name, int64_t gpus, std::string_view node,
                  int32_t priority = 0) {
    PodFacts pod = ForeignPod(name, gpus, priority);
    world.ShowBound(pod, node);
    pod.node_name = std::string(node);
    return pod;
  }
  JobSpec Ask(int64_t gpus, int32_t size = 1, int32_t priority = 100) {
    JobSpec high = Gang("high", priority, size);
    high.gpus = gpus;
    world.ShowJob(high, 0, size);
    return high;
  }
  // All that are asked about, whoever tells of budgets first, and then those that are evicted.
  std::vector<std::string> TryAll() {
    std::vector<std::string> all;
    for (std::vector<std::string> some = Try(); !some.empty(); some = TrySome())
      all.insert(all.end(), some.begin(), some.end());
    std::sort(all.begin(), all.end());
    return all;
  }
  // The dry runs of the effects, answered; evictions stay.
  std::vector<std::string> TrySome() {
    std::vector<std::string> asked;
    for (const PodDelete& one : world.Take<PodDelete>()) {
      if (one.how == PodDelete::How::kTry) {
        asked.push_back(one.pod.name);
        Tell(one);
      } else {
        evictions.push_back(one);
      }
    }
    return asked;
  }
  // Evicts whoever is to be, and returns their names.
  std::vector<std::string> EvictAll() {
    std::vector<std::string> gone;
    for (int round = 0; round < 20; ++round) {
      for (const PodDelete& one : world.Take<PodDelete>()) evictions.push_back(one);
      for (const PodDelete& one : std::exchange(evictions, {})) {
        CHECK(one.how == PodDelete::How::kEvict);
        gone.push_back(one.pod.name);
        Tell(one);
      }
    }
    std::sort(gone.begin(), gone.end());
    return gone;
  }
  void Stop(const PodFacts& pod) {
    world.ShowTerminating(pod);
    world.Delete(pod);
  }
  std::vector<PodDelete> evictions;
};

}  // namespace gangplan
