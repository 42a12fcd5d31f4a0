#include "tests/simulation/harm.h"

namespace gangplan::simulation {

void Harm::Until(absl::Time end) {
  ends_ = end;
  Again();
  world_.Until(ends_ + absl::Seconds(31));
}

void Harm::Again() {
  world_.time.After(world_.random.Millis(200, 4'000), [this] {
    if (world_.time.now() >= ends_) return;
    Once();
    Again();
  });
}

void Harm::Once() {
  const Profile& profile = world_.profile;
  Random& random = world_.random;
  switch (random.Between(0, 8)) {
    case 0:
    case 1:
      if (profile.harm) world_.jobs.Harm();
      break;
    case 2:
      if (profile.node_faults) Node();
      break;
    case 3:
      if (profile.foreign) {
        int32_t priority = profile.preemption && random.OneIn(3) ? 100 : 0;
        world_.foreign.Add(random.Between(1, world_.size.gpus), priority);
      }
      break;
    case 4:
      if (profile.second_scheduler) world_.foreign.AddBound(random.Between(1, 2));
      break;
    case 5:
      if (profile.restarts && random.OneIn(3)) RestartService();
      break;
    case 6:
      if (profile.restarts && random.OneIn(3)) RestartScheduler();
      break;
    case 7:
      if (!profile.faults) break;
      world_.service.BreakStream(static_cast<Kind>(random.Between(0, 2)));
      world_.scheduler.BreakStream(static_cast<Kind>(random.Between(0, 1)));
      break;
    case 8:
      if (profile.harm) world_.objects.Harm(world_.jobs.all());
      break;
  }
}

// Deleted with its pods, or cordoned, or not ready; back after a while.
void Harm::Node() {
  Random& random = world_.random;
  const NodeFacts node = random.OneOf(world_.nodes);
  for (auto& [name, job] : world_.jobs.all()) job.disturbed = true;
  if (!world_.api.nodes().contains(node.name)) return;
  if (random.OneIn(3)) {
    LoseNode(node);
    return;
  }
  NodeFacts bad = node;
  (random.OneIn(2) ? bad.unschedulable : bad.ready) ^= true;
  world_.Say("node " + node.name + " is cordoned or not ready");
  world_.api.PutNode(bad);
  world_.time.After(random.Millis(100, 20'000), [this, node] {
    if (world_.api.nodes().contains(node.name)) world_.api.PutNode(node);
  });
}

// What is bound there is deleted some time later.
void Harm::LoseNode(const NodeFacts& node) {
  world_.Say("node " + node.name + " goes");
  world_.api.DeleteNode(node.name);
  for (int64_t seconds = 2; seconds <= 10; seconds += 4) {
    world_.time.After(absl::Seconds(seconds), [this, name = node.name] {
      std::vector<std::string> lost;
      for (const auto& [uid, pod] : world_.api.pods()) {
        // A Job's pods that have succeeded are left: with them goes the only sign, for a planner
        // that starts anew, that the gang has run.
        if (pod.node_name == name && !pod.finished()) lost.push_back(uid);
      }
      for (const std::string& uid : lost) world_.api.DeletePod(uid, absl::ZeroDuration());
    });
  }
  world_.time.After(world_.random.Millis(12'000, 30'000),
                    [this, node] { world_.api.PutNode(node); });
}

void Harm::RestartService() {
  if (!world_.service.alive()) return;
  world_.Say("gangplan dies");
  world_.service.Kill();
  world_.time.After(world_.random.Millis(1'500, 6'000), [this] {
    world_.Say("gangplan starts");
    world_.service.Start();
  });
}

void Harm::RestartScheduler() {
  if (!world_.scheduler.alive()) return;
  world_.Say("the scheduler dies");
  world_.scheduler.Kill();
  const int64_t longest = world_.random.OneIn(5) ? 60'000 : 4'000;
  world_.time.After(world_.random.Millis(200, longest), [this] {
    world_.Say("the scheduler starts");
    world_.scheduler.Start();
  });
}

}  // namespace gangplan::simulation
