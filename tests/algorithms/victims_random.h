// Random clusters for tests of victims, and the cheapest victims by looking at every subset.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "tests/algorithms/victims_world.h"
#include "tests/support/catch.h"

namespace gangplan {

// Sets of lower groups that make room: the cheapest cost, by looking at every subset.
using Key = std::vector<int64_t>;

inline Key KeyOf(const VictimsWorld& world, const std::vector<int32_t>& gone) {
  std::map<int64_t, int64_t, std::greater<>> victims;
  for (const GroupSpec& group : world.groups) victims[group.priority] = 0;
  int64_t pods = 0;
  for (const int32_t i : gone) {
    ++victims[world.groups[static_cast<size_t>(i)].priority];
    pods += world.Running()[static_cast<size_t>(i)].pods;
  }
  Key key;
  for (const auto& [priority, count] : victims) key.push_back(count);
  key.push_back(pods);
  return key;
}

inline bool Fits(const VictimsWorld& world, const std::vector<int32_t>& gone) {
  return world.PlaceWithout(gone).outcome == Outcome::kPlaced;
}

inline std::optional<Key> CheapestOfAll(const VictimsWorld& world) {
  std::optional<Key> best;
  for (uint32_t set = 0; set < 1U << world.groups.size(); ++set) {
    std::vector<int32_t> gone;
    bool lower = true;
    for (uint32_t i = 0; i < world.groups.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      gone.push_back(static_cast<int32_t>(i));
      lower = lower && world.priority > 0 && world.groups[i].priority < world.priority;
    }
    if (!lower || !Fits(world, gone)) continue;
    const Key key = KeyOf(world, gone);
    if (!best || key < *best) best = key;
  }
  return best;
}

// Groups stand within the capacity; priorities are few, so that sets tie.
inline VictimsWorld RandomWorld(std::mt19937& random, size_t most_groups, size_t racks,
                                size_t nodes) {
  std::vector<std::vector<int32_t>> capacities(1 + random() % racks);
  for (auto& rack : capacities) {
    rack.resize(1 + random() % nodes);
    for (int32_t& node : rack) node = static_cast<int32_t>(2 + random() % 7);
  }
  VictimsWorld world = VictimsWorld::Racks(capacities);
  PerLeaf free = world.capacity;
  for (size_t i = 0, count = 1 + random() % most_groups; i < count; ++i) {
    GroupSpec group = {fmt::format("g{:02}", i),
                       static_cast<int64_t>(random() % 4),
                       static_cast<int32_t>(1 + random() % 3),
                       {}};
    for (size_t tries = 1 + random() % 3; tries > 0; --tries) {
      const auto leaf = static_cast<int32_t>(random() % free.size());
      const int32_t room = free[leaf] / group.demand;
      if (room == 0) continue;
      const auto pods = static_cast<int32_t>(1 + random() % static_cast<uint32_t>(room));
      group.pods.emplace_back(leaf, pods);
      free[leaf] -= pods * group.demand;
    }
    if (!group.pods.empty()) world.groups.push_back(group);
  }
  world.demand = static_cast<int32_t>(1 + random() % 3);
  world.pods = static_cast<int32_t>(1 + random() % 8);
  world.priority = static_cast<int64_t>(random() % 5);
  world.hard_level = static_cast<int>(random() % 4) - 1;
  return world;
}

inline void CheckNobodyCouldStay(const VictimsWorld& world, const std::vector<int32_t>& victims) {
  CHECK(Fits(world, victims));
  for (size_t i = 0; i < victims.size(); ++i) {
    std::vector<int32_t> fewer = victims;
    fewer.erase(fewer.begin() + static_cast<int64_t>(i));
    CHECK(!Fits(world, fewer));
  }
}

}  // namespace gangplan
