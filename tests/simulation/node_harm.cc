#include "tests/simulation/node_harm.h"

#include "fmt/format.h"

namespace gangplan::simulation {

const NodeFacts* NodeHarm::Choose() {
  const NodeFacts& node = world_.random.OneOf(world_.nodes);
  for (auto& [uid, job] : world_.jobs.all()) job.disturbed = true;
  return world_.api.nodes().contains(node.name) ? &node : nullptr;
}

void NodeHarm::LoseOrCordon() {
  const NodeFacts* node = Choose();
  if (node == nullptr) return;
  if (world_.random.OneIn(3))
    Lose(*node);
  else
    Cordon(*node);
}

void NodeHarm::Change() {
  const NodeFacts* node = Choose();
  if (node == nullptr) return;
  if (world_.random.OneIn(3))
    Announce(*node);
  else if (world_.random.OneIn(2))
    Shrink(*node);
  else
    Taint(*node);
}

// What is bound there is deleted some time later.
void NodeHarm::Lose(const NodeFacts& node) {
  world_.Say("node " + node.name + " goes");
  world_.api.DeleteNode(node.name);
  for (int64_t seconds = 2; seconds <= 10; seconds += 4) {
    world_.time.After(absl::Seconds(seconds), [this, name = node.name] {
      std::vector<std::string> lost;
      for (const auto& [uid, pod] : world_.api.pods()) {
        // A Job's pods that have succeeded are left: with them goes the only sign, for a planner
        // that starts anew, that the gang has run.
        const bool stays = pod.finished() && !world_.profile.succeeded_go;
        if (pod.node_name == name && !stays) lost.push_back(uid);
      }
      for (const std::string& uid : lost) world_.api.DeletePod(uid, absl::ZeroDuration());
    });
  }
  world_.time.After(world_.random.Millis(12'000, 30'000),
                    [this, node] { world_.api.PutNode(node); });
}

void NodeHarm::Cordon(NodeFacts node) {
  (world_.random.OneIn(2) ? node.unschedulable : node.ready) ^= true;
  world_.Say("node " + node.name + " is cordoned or not ready");
  Put(node, absl::Seconds(20));
}

// Its pods stay, though they may take more than it has.
void NodeHarm::Shrink(NodeFacts node) {
  const int64_t left = world_.random.Between(0, world_.size.gpus - 1);
  for (ResourceAmount& entry : node.allocatable) {
    if (entry.name == "example.com/gpu") entry.amount = left;
  }
  world_.Say(fmt::format("node {} shrinks to {} gpus", node.name, left));
  Put(node, absl::Seconds(30));
}

void NodeHarm::Taint(NodeFacts node) {
  node.taints.push_back({"example.com/broken", "yes", TaintEffect::kNoSchedule});
  world_.Say("node " + node.name + " is tainted");
  Put(node, absl::Seconds(30));
}

// It is to be empty in a while, from now on, or at some time that nobody can read.
void NodeHarm::Announce(NodeFacts node) {
  const absl::Time begins = world_.time.now() + world_.random.Millis(0, 900'000);
  node.maintenance = world_.random.OneIn(5) ? kMaintenanceUnread : absl::ToUnixSeconds(begins);
  world_.Say("node " + node.name + " is to be empty");
  Put(node, absl::Seconds(60));
}

void NodeHarm::Move() {
  const NodeFacts* chosen = Choose();
  if (chosen == nullptr) return;
  NodeFacts node = *chosen;
  if (world_.profile.topologies && world_.random.OneIn(2)) return MoveHome(node);
  const std::string rack = fmt::format("r{}", world_.random.Between(0, world_.size.racks));
  for (auto& [key, value] : node.labels) {
    if (key == "example.com/rack") value = rack;
  }
  world_.Say(fmt::format("node {} moves to rack {}", node.name, rack));
  Put(node, absl::Seconds(30));
}

// To the other topology.
void NodeHarm::MoveHome(NodeFacts node) {
  if (std::erase_if(node.labels, [](const auto& one) { return one.first == kNetLabel; }) == 0)
    SetWord(node.labels, kNetLabel, kRings);
  world_.Say("node " + node.name + " comes to another topology");
  Put(node, absl::Seconds(30));
}

void NodeHarm::Put(const NodeFacts& changed, absl::Duration longest) {
  world_.api.PutNode(changed);
  const int64_t most = absl::ToInt64Milliseconds(longest);
  world_.time.After(world_.random.Millis(100, most), [this, name = changed.name] {
    if (!world_.api.nodes().contains(name)) return;
    for (const NodeFacts& node : world_.nodes) {
      if (node.name != name) continue;
      world_.Say("node " + name + " is as it was");
      world_.api.PutNode(node);
    }
  });
}

}  // namespace gangplan::simulation
