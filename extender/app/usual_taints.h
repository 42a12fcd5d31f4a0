// Taints of a node's state, or of its role, which Kubernetes and the clouds set: nobody's own, and
// nothing that a gang tolerates. Those of devices and of teams are tolerated by theirs. Any thread.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "topology/node_facts.h"

namespace gangplan {

inline bool IsUsual(const Taint& taint) {
  constexpr std::string_view kUsual[] = {"node.kubernetes.io/", "node-role.kubernetes.io/",
                                         "node.cloudprovider.kubernetes.io/"};
  return std::any_of(std::begin(kUsual), std::end(kUsual),
                     [&](std::string_view beginning) { return taint.key.starts_with(beginning); });
}

}  // namespace gangplan
