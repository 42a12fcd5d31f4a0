// Gangs of which a number start together, and others join. One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extender/planner/owner_key.h"
#include "tests/extender/planner/lives_world.h"
#include "tests/extender/planner/several_world.h"

namespace gangplan {

inline JobSpec ElasticJob(std::string_view start, int32_t size = 4,
                          std::string_view name = "train") {
  return {.name = std::string(name),
          .size = size,
          .gpus = 8,
          .place = "rack=pack!",
          .words = {{"gangplan.io/start", std::string(start)}}};
}

inline void Say(PlannerWorld& world, const JobSpec& job) {
  world.Reregister(job);
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), JobOwner(job));
  REQUIRE(world.planner().BrokenInvariant() == "");
}

// Filter and bind those that may; how many were bound.
inline int TryAll(PlannerWorld& world, const JobSpec& job, std::vector<int> indices, int life = 0) {
  for (int i : indices) Try(world, JobPod(job, i, life));
  return world.BindAll();
}

}  // namespace gangplan
