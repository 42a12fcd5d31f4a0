// A group in Sakkara's words: the pod's label names it, and a ConfigMap describes it. Pure; any
// thread.
#pragma once

#include <string_view>

#include "extender/frontends/group_spec.h"
#include "extender/frontends/sakkara/objects.h"
#include "topology/pod_facts.h"
#include "topology/tree.h"

namespace gangplan {

// The kind of such a group in its key.
inline constexpr std::string_view kSakkaraKind = "sakkara";

GroupKey SakkaraKey(std::string_view ns, std::string_view name);

// REQUIRES: the pod has the label kSakkaraPodGroup. Never foreign, never waits for its owner. A
// group without an object is described by the pod's own labels, if they tell its size. Without
// `objects` such groups are not read, and the pod is told so.
GroupSpec FindSakkaraGroup(const PodFacts& pod, const SakkaraObjects* objects,
                           const Topology& topology);

}  // namespace gangplan
