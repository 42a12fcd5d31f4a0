#include "tests/simulation/foreign_pods.h"

#include <vector>

#include "fmt/format.h"
#include "tests/simulation/room.h"
#include "tests/support/planner_world.h"

namespace gangplan::simulation {

void ForeignPods::Add(int64_t gpus, int32_t priority, bool owned) {
  PodFacts pod = ForeignPod(fmt::format("foreign-{}", next_++), gpus, priority);
  if (owned) {
    OwnerFacts owner;
    owner.ref = {"example.com/v1", "Widget", "of-" + pod.name, "uid-of-" + pod.name};
    owner.ns = pod.ns;
    api_.PutOwner(owner);
    pod.controller = owner.ref;
    // Nobody may evict it, while gangs would.
    if (budgets && random_.OneIn(3)) api_.budgets[owner.ref.uid] = 1;
  }
  Put(pod);
}

void ForeignPods::AddBound(int64_t gpus) {
  PodFacts pod = ForeignPod(fmt::format("foreign-{}", next_++), gpus);
  pod.scheduler_name = "another";
  std::vector<std::string> nodes;
  for (const auto& [name, free] : FreeRoom(api_)) {
    if (AmountsOf(pod.requests).FitsIn(free)) nodes.push_back(name);
  }
  if (nodes.empty()) return;
  pod.node_name = random_.OneOf(nodes);
  second_.insert(pod.uid);
  Put(pod);
}

void ForeignPods::Put(const PodFacts& pod) {
  all_.insert(pod.uid);
  if (trace) {
    trace(fmt::format("create {} of {} gpus {}", pod.name, AmountsOf(pod.requests).gpus,
                      pod.node_name));
  }
  api_.PutPod(pod);
  if (random_.OneIn(3)) return;
  time_.After(random_.Millis(1'000, 40'000),
              [this, uid = pod.uid] { api_.DeletePod(uid, random_.Millis(0, 2000)); });
}

void ForeignPods::End() {
  for (const std::string& uid : all_) api_.DeletePod(uid, absl::Milliseconds(500));
}

}  // namespace gangplan::simulation
