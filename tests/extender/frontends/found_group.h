// A pod, and which group the front ends find for it: what the tests of FindGroup share. Pure.
#pragma once

#include <utility>

#include "extender/frontends/find_group.h"
#include "tests/support/planner_world.h"

namespace gangplan {

inline FindGroupOptions TwoSchedulers() {
  FindGroupOptions options;
  options.scheduler_names = {"gangplan", "second"};
  options.topologies = {{ThreeLevels()}};
  return options;
}

// `owner`: as it was read; null: there is none.
inline GroupSpec Find(const PodFacts& pod, const OwnerFacts* owner,
                      const FindGroupOptions& options = TwoSchedulers()) {
  return FindGroup(pod, owner, true, options);
}

inline PodFacts Bare(LabelSet annotations) {
  PodFacts pod = ForeignPod("p", 1);
  pod.annotations = std::move(annotations);
  return pod;
}

}  // namespace gangplan
