// A cluster with groups running on it, and a newcomer that wants room: for tests of victims, with
// the pack engine as the judge of what fits. One thread.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/engine.h"
#include "algorithms/victims.h"
#include "tests/algorithms/pack_world.h"
#include "tests/support/cluster_facts.h"

namespace gangplan {

struct GroupSpec {
  std::string name;
  int64_t priority = 0;
  int32_t demand = 1;                             // of one pod
  std::vector<std::pair<int32_t, int32_t>> pods;  // leaf, how many
};

struct VictimsWorld {
  Tree tree;
  PerLeaf capacity;  // of each leaf, in the unit of the demands
  std::vector<GroupSpec> groups;
  int32_t pods = 1;  // of the newcomer
  int32_t demand = 1;
  int64_t priority = 10;
  int hard_level = -1;

  // One rack a list, one node a number: its capacity. One block.
  static VictimsWorld Racks(const std::vector<std::vector<int32_t>>& racks) {
    VictimsWorld world;
    std::vector<NodeFacts> nodes;
    for (size_t rack = 0; rack < racks.size(); ++rack) {
      for (const int32_t capacity : racks[rack]) {
        nodes.push_back(MakeNode(fmt::format("n{:03}", nodes.size()),
                                 {{"b", "b0"}, {"r", fmt::format("r{:03}", rack)}}));
        world.capacity.push_back(capacity);
      }
    }
    std::vector<const NodeFacts*> pointers;
    for (const NodeFacts& node : nodes) pointers.push_back(&node);
    world.tree = Tree(BlockRackNode(), pointers);
    return world;
  }

  PerLeaf FreeWithout(std::span<const int32_t> gone) const {
    PerLeaf free = capacity;
    for (size_t i = 0; i < groups.size(); ++i) {
      if (std::find(gone.begin(), gone.end(), static_cast<int32_t>(i)) != gone.end()) continue;
      for (const auto& [leaf, count] : groups[i].pods) free[leaf] -= count * groups[i].demand;
    }
    return free;
  }

  PlacementRequest Request() const {
    PlacementRequest request;
    request.pod_sets = {{"", pods}};
    request.rules.resize(static_cast<size_t>(tree.level_count()));
    if (hard_level >= 0) request.rules[static_cast<size_t>(hard_level)] = HardPack();
    return request;
  }

  PlacementResult PlaceWithout(std::span<const int32_t> gone) const {
    PerLeaf fit = FreeWithout(gone);
    for (int32_t& leaf : fit) leaf = std::max(leaf, 0) / demand;
    const FitCounts counts = RollUpCounts(tree, fit);
    const PlacementView view{&tree, {&counts}};
    return Place(
        view, [&] { return view; }, Request(), Budget{});
  }

  std::vector<RunningGroup> Running() const {
    std::vector<RunningGroup> running;
    for (const GroupSpec& group : groups) {
      running.push_back({group.name, group.priority, 0, {}});
      for (const auto& [leaf, count] : group.pods) {
        running.back().leaves.push_back(leaf);
        running.back().pods += count;
      }
    }
    return running;
  }

  VictimsResult Find(bool with_hosts = true, VictimBudget budget = {}) const {
    return FindBy([&](std::span<const int32_t> gone) { return PlaceWithout(gone); }, with_hosts,
                  budget);
  }

  VictimsResult FindBy(const gangplan::PlaceWithout& place, bool with_hosts = true,
                       VictimBudget budget = {}) const {
    const std::vector<RunningGroup> running = Running();
    VictimsRequest request{running, priority, {}, budget};
    if (with_hosts) request.hosts = HostsOf(tree, Request());
    return FindVictims(request, place);
  }

  // "a b": names of the victims; else why there are none.
  std::string Text(const VictimsResult& result) const {
    if (result.outcome == VictimsResult::Outcome::kNotNeeded) return "not needed";
    if (result.outcome == VictimsResult::Outcome::kNotPossible) return "not possible";
    if (result.outcome == VictimsResult::Outcome::kNotDecided) return "not decided";
    std::string text;
    for (const int32_t victim : result.victims)
      text += (text.empty() ? "" : " ") + groups[static_cast<size_t>(victim)].name;
    return text;
  }
  std::string Victims() const { return Text(Find()); }
};

}  // namespace gangplan
