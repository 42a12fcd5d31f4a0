// What the tests of pods that are made anew when they are gone have in common: a StatefulSet that
// runs as a gang of whole nodes of one rack. Single-threaded.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "extender/frontends/gangplan/words.h"
#include "extender/planner/owner_key.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan {

// A StatefulSet of so many pods.
inline JobSpec SetOf(int32_t size, int64_t gpus = 8) {
  JobSpec set = Whole("shard", size);
  set.gpus = gpus;
  return set;
}

struct SetWorld : LivesWorld {
  JobSpec set;
  OwnerFacts owner;

  explicit SetWorld(int nodes = 2, PlannerOptions options = Options(), JobSpec runs = SetOf(2))
      : LivesWorld(nodes, std::move(options)), set(std::move(runs)), owner(JobOwner(set)) {
    owner.ref = {"apps/v1", "StatefulSet", "shard", set.Uid()};
    Register(owner);
    for (int i = 0; i < set.size; ++i) Show(Pod(i));
    for (int i = 0; i < set.size; ++i) REQUIRE(Try(*this, Pod(i)));
    REQUIRE(BindAll() == set.size);
    REQUIRE(StateOf("team/shard") == "Running");
  }
  PodFacts Pod(int index, int life = 0) const {
    PodFacts pod = JobPod(set, index, life);
    pod.name = fmt::format("shard-{}", index);
    pod.controller = owner.ref;
    pod.annotations.clear();
    if (!set.place.empty()) SetWord(pod.annotations, kPlaceWord, set.place);
    for (const auto& [key, value] : set.words) SetWord(pod.annotations, key, value);
    SetWord(pod.labels, "apps.kubernetes.io/pod-index", fmt::format("{}", index));
    return pod;
  }
  PodFacts Bound(int index) {
    PodFacts pod = Pod(index);
    pod.node_name = NodeOf(index);
    return pod;
  }
  std::string NodeOf(int index) { return Nodes("team/shard")[static_cast<size_t>(index)]; }
  void Stop(int index) { ShowTerminating(Bound(index)); }
  void Lose(int index) {
    Stop(index);
    Pass(absl::Seconds(30));
    Delete(Pod(index));
  }
  // Its user says another number of replicas, and that is read.
  void Scale(int32_t size) {
    owner.size = size;
    Reregister(owner);
    planner().OnOwner(now(), OwnerKey(owner.ns, owner.ref.uid), owner);
    REQUIRE(planner().BrokenInvariant() == "");
  }
  // A gang of one whole node that waits.
  JobSpec Waiting(int32_t priority = 0) {
    const JobSpec late = Whole("late", 1, priority);
    ShowJob(late, 0, 1);
    CHECK(Passed(JobPod(late, 0)).empty());
    return late;
  }
};

}  // namespace gangplan
