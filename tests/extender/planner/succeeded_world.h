// What the tests of Jobs of which some pods have succeeded have in common. Single-threaded.
#pragma once

#include "tests/extender/planner/lives_world.h"

namespace gangplan {

// Three members ran on a node each, the first one has succeeded.
inline JobSpec FirstHasSucceeded(PlannerWorld& world) {
  JobSpec job = Whole("train", 3);
  job.left = 3;
  Run(world, job);
  PodFacts pod = JobPod(job, 0);
  pod.node_name = "b0-r0-n0";
  world.Show(Ended(pod, PodPhase::kSucceeded));
  job.left = 2;
  world.Reregister(job);
  return job;
}

// The same, told to a planner that has just begun.
inline JobSpec TwoAreLeft(PlannerWorld& world) {
  world.AddNodes(MakeNodes(1, 1, 3));
  JobSpec job = Whole("train", 3);
  job.left = 2;
  world.Register(job);
  return job;
}

// The last two are asked for once more, and run.
inline void StartRest(PlannerWorld& world, const JobSpec& job) {
  for (int i = 1; i < 3; ++i) CHECK(Try(world, JobPod(job, i, 1)));
  CHECK(world.BindAll() == 2);
}

// Pods of the Job stop running without having succeeded.
inline void Lose(PlannerWorld& world, const JobSpec& job, int from, int life = 0) {
  for (int i = from; i < job.size; ++i) world.Delete(JobPod(job, i, life));
}

// All but the first `from` come once more. None of them starts before the last one is there.
inline void ComeWhole(PlannerWorld& world, const JobSpec& job, int from, int life) {
  for (int i = from; i < job.size; ++i) {
    CHECK(world.BindAll() == 0);
    world.Show(JobPod(job, i, life));
    AwaitOwners(world);
    Try(world, JobPod(job, i, life));
  }
  for (int i = from; i < job.size; ++i) Try(world, JobPod(job, i, life));
  CHECK(world.BindAll() == job.size - from);
}

inline PodFacts Succeeded(PlannerWorld& world, const JobSpec& job, int index) {
  PodFacts pod = JobPod(job, index);
  pod.node_name = world.Nodes("team/" + job.name)[static_cast<size_t>(index)];
  return Ended(pod, PodPhase::kSucceeded);
}

// The first member succeeds, so many are left then, and the others are lost.
inline void LoseBesideSucceeded(PlannerWorld& world, JobSpec& job, int64_t left) {
  world.Show(Succeeded(world, job, 0));
  job.left = left;
  world.Reregister(job);
  Lose(world, job, 1);
}

}  // namespace gangplan
