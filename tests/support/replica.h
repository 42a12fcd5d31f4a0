// The StatefulSet that makes the workers of a LeaderWorkerSet's replica, which its leader owns. For
// tests.
#pragma once

#include <string>
#include <string_view>

#include "topology/pod_facts.h"

namespace gangplan {

// REQUIRES: the worker has a controller.
inline OwnerFacts WorkersOf(std::string_view leader_uid, const PodFacts& worker) {
  OwnerFacts set;
  set.ref = *worker.controller;
  set.ns = worker.ns;
  set.leader = std::string(leader_uid);
  return set;
}

}  // namespace gangplan
