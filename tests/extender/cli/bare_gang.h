// Pods of gangs that nobody owns, as a saved cluster has them, and the levels of its nodes. Pure.
#pragma once

#include <string_view>

#include "config/settings.h"
#include "fmt/format.h"
#include "tests/support/planner_world.h"

namespace gangplan {

inline Settings Levels() {
  Settings settings;
  settings.topologies = {{ThreeLevels()}};
  return settings;
}

// A bare pod of group `gang` of `size`, of a node each; node "" waits.
inline PodFacts Bare(std::string_view gang, int i, int size, std::string_view node) {
  PodFacts pod = ForeignPod(fmt::format("{}-{}", gang, i), 8);
  SetWord(pod.annotations, "gangplan.io/group", gang);
  SetWord(pod.annotations, "gangplan.io/size", fmt::format("{}", size));
  SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
  pod.node_name = node;
  if (!node.empty()) pod.phase = PodPhase::kRunning;
  return pod;
}

}  // namespace gangplan
