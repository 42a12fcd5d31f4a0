// What tests of room that Kueue itself has given share: one rack of nodes with 8 GPUs each.
// Single-threaded.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/extender/planner/single_victims_world.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/model.h"

namespace gangplan {

inline constexpr char kThirdNode[] = "b0-r0-n2";

using KueueDomains = std::vector<WorkloadFacts::Domain>;

// With so many GPUs for each pod, on these nodes.
inline WorkloadFacts Placed(std::string_view name, KueueDomains domains, int64_t gpus = 8) {
  WorkloadFacts workload;
  workload.ns = "team";
  workload.name = std::string(name);
  workload.uid = "wl-" + workload.name;
  workload.owner = OwnerRef{"batch/v1", "Job", workload.name, "job-" + workload.name};
  workload.quota = workload.admitted = true;
  WorkloadFacts::PodSet set;
  set.name = "main";
  for (const WorkloadFacts::Domain& one : domains) set.count += one.count;
  set.placement = WorkloadFacts::Placement{{"kubernetes.io/hostname"}, std::move(domains)};
  set.each = {{"cpu", 100}, {"example.com/gpu", gpus}, {"pods", 1}, {"unlisted.io/thing", 7}};
  set.pod.scheduler_name = "default-scheduler";
  workload.pod_sets = {std::move(set)};
  return workload;
}

// On racks, which are called as by NodeNameAt.
inline WorkloadFacts InRacks(std::string_view name, const std::vector<std::pair<int, int>>& racks,
                             int64_t gpus = 8) {
  WorkloadFacts workload = Placed(name, {}, gpus);
  auto& placement = *workload.pod_sets[0].placement;
  placement.levels = {ThreeLevels().levels[1].label};
  for (const auto& [rack, pods] : racks) {
    const NodeFacts node = MakeNode(0, rack, 0);
    placement.domains.push_back({{*FindLabel(node.labels, placement.levels[0])}, pods});
    workload.pod_sets[0].count += pods;
  }
  return workload;
}

inline PodFacts PodOf(std::string_view workload, std::string_view name, int64_t gpus = 8) {
  PodFacts pod = ForeignPod(name, gpus);
  SetWord(pod.annotations, "kueue.x-k8s.io/workload", workload);
  SetWord(pod.labels, "kueue.x-k8s.io/podset", "main");
  return pod;
}

struct KueueWorld : OneRack {
  explicit KueueWorld(int nodes = 2) : OneRack(nodes) {}
  void Tell(const WorkloadFacts& workload, bool stands = true) {
    world.planner().OnWorkload(world.now(), workload, stands);
    REQUIRE(world.planner().BrokenInvariant() == "");
  }
  void Gone(std::string_view name) { Tell(Placed(name, {}), false); }
  int64_t UsedOn(std::string_view node) {
    const Model& model = world.planner().model();
    return model.Use(model.FindNode(node), "example.com/gpu").used;
  }
  JobSpec Wait(int32_t size = 1, int64_t gpus = 8) {
    JobSpec job{.name = "train", .size = size, .gpus = gpus, .place = "rack=pack!"};
    world.ShowJob(job, 0, size);
    return job;
  }
};

}  // namespace gangplan
