// What the tests of gangs whose owners count their pods anew have in common: RayClusters, MPIJobs
// and PodGroups of coscheduling, each asked into one rack. Single-threaded.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/planner/owner_key.h"
#include "extender/protocol/mpi_words.h"
#include "fmt/format.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan {

inline const LabelSet kInOneRack = {{"gangplan.io/place", "rack=pack!"}};

// A pod of an owner that is its gang: of this pod set, and so many GPUs.
struct Part {
  std::string_view api_version;
  std::string_view kind;
  std::string_view label;  // by which its pods tell their pod set
};
inline constexpr Part kRay = {"ray.io/v1", "RayCluster", "ray.io/group"};
inline constexpr Part kMpi = {"kubeflow.org/v2beta1", "MPIJob", kMpiJobRole};

inline OwnerFacts Owner(const Part& part, std::vector<OwnerPodSet> sets) {
  OwnerFacts owner;
  owner.ref = {std::string(part.api_version), std::string(part.kind), "train", "uid-of-train"};
  owner.ns = "team";
  owner.annotations = kInOneRack;
  owner.pod_sets = std::move(sets);
  return owner;
}

inline PodFacts Pod(const Part& part, std::string_view set, int index, int64_t gpus = 8) {
  PodFacts pod = ForeignPod(fmt::format("train-{}-{}", set, index), gpus);
  pod.controller =
      OwnerRef{std::string(part.api_version), std::string(part.kind), "train", "uid-of-train"};
  SetWord(pod.labels, part.label, set);
  return pod;
}

// Two racks of so many nodes with eight GPUs each.
struct RacksWorld : PlannerWorld {
  explicit RacksWorld(int nodes) {
    AddNodes(MakeNodes(1, 2, nodes));
    Sync();
  }
  void Say(const OwnerFacts& owner) {
    Register(owner);
    planner().OnOwner(now(), OwnerKey(owner.ns, owner.ref.uid), owner);
    REQUIRE(planner().BrokenInvariant() == "");
  }
  void Run(const std::vector<PodFacts>& pods) {
    for (const PodFacts& pod : pods) Show(pod);
    for (const PodFacts& pod : pods) REQUIRE(Try(*this, pod));
    REQUIRE(BindAll() == static_cast<int>(pods.size()));
    REQUIRE(planner().BrokenInvariant() == "");
  }
};

inline std::vector<PodFacts> Workers(std::string_view set, int first, int last) {
  std::vector<PodFacts> pods;
  for (int i = first; i < last; ++i) pods.push_back(Pod(kRay, set, i));
  return pods;
}

inline OwnerFacts Cluster(int64_t small, int64_t big) {
  return Owner(kRay,
               {{"headgroup", 1, 1, {}, {}}, {"small", 1, small, {}, {}}, {"big", 1, big, {}, {}}});
}

// Head, two small workers and one big.
inline void StartCluster(RacksWorld& world) {
  world.Register(Cluster(2, 1));
  std::vector<PodFacts> pods = Workers("small", 0, 2);
  pods.push_back(Pod(kRay, "headgroup", 0));
  pods.push_back(Pod(kRay, "big", 0));
  world.Run(pods);
  REQUIRE(world.StateOf("team/train") == "Running");
}

inline std::string RackOf(const std::string& node) { return node.substr(0, node.rfind('-')); }

// A launcher of two GPUs, and two workers.
inline OwnerFacts LauncherLast() {
  OwnerFacts owner = Owner(kMpi, {{"launcher", 1, 1, {}, {}}, {"worker", 1, 2, {}, {}}});
  owner.pod_sets[0].last = Pod(kMpi, "launcher", 0, 2);
  owner.pod_sets[0].last->uid.clear();
  return owner;
}

inline std::vector<PodFacts> MpiWorkers() {
  return {Pod(kMpi, "worker", 0), Pod(kMpi, "worker", 1)};
}

inline OwnerFacts AtLeast(int64_t least) {
  OwnerFacts owner;
  owner.ref = {"scheduling.x-k8s.io/v1alpha1", "PodGroup", "ring", "PodGroup team/ring"};
  owner.ns = "team";
  owner.annotations = kInOneRack;
  owner.size = least;
  owner.at_least = true;
  return owner;
}

inline std::vector<PodFacts> Ring(int first, int last) {
  std::vector<PodFacts> pods;
  for (int i = first; i < last; ++i) {
    PodFacts pod = ForeignPod(fmt::format("ring-{}", i), 8);
    SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "ring");
    pods.push_back(std::move(pod));
  }
  return pods;
}

}  // namespace gangplan
