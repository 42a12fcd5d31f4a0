// Groups made of the pods of a Job as the front ends read them, without a planner around.
#pragma once

#include <memory>

#include "extender/frontends/find_group.h"
#include "extender/planner/group.h"
#include "tests/support/planner_world.h"

namespace gangplan {

inline GroupSpec SpecOf(const JobSpec& job, const PodFacts& pod) {
  const OwnerFacts owner = JobOwner(job);
  FindGroupOptions options;
  options.scheduler_names = {"gangplan"};
  options.all_jobs = true;
  options.topologies = {{ThreeLevels()}};
  return FindGroup(pod, &owner, true, options);
}

inline void AddMember(Group& group, const JobSpec& job, int index) {
  const PodFacts pod = JobPod(job, index);
  group.Add(pod, SpecOf(job, pod), absl::UnixEpoch());
}

// With its first `members` pods.
inline std::unique_ptr<Group> MakeGroup(const JobSpec& job, int members, GroupId id = 1) {
  const PodFacts pod = JobPod(job, 0);
  auto group = std::make_unique<Group>(id, SpecOf(job, pod).key, pod.controller);
  for (int i = 0; i < members; ++i) AddMember(*group, job, i);
  return group;
}

}  // namespace gangplan
