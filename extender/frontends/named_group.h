// Groups that pods name in the words of other systems: Kueue's pod groups, which also tell their
// size, those of coscheduling, whose object tells it, and those of other schedulers of gangs, whose
// sizes stand elsewhere. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "topology/pod_facts.h"

namespace gangplan {

// By what a pod names a group of others.
struct NamedGroup {
  std::string_view key;        // a label or an annotation
  std::string_view name;       // of the group, in the pod's namespace
  std::string_view kind;       // of the group's key
  std::string_view object;     // the apiVersion of the object that tells its size; or empty
  std::string_view count_key;  // the annotation that tells how many start together; or empty
  const std::string* count = nullptr;  // what it tells

  explicit operator bool() const { return !key.empty(); }
};

// The first in a fixed order of systems; none: the pod names no such group. What it points to is
// the pod's. Pods of one that serve (a StatefulSet that Kueue queues) come and go one by one, and
// are none.
NamedGroup NamedGroupOf(const PodFacts& pod);
// The object that tells the size, where neither the pod does nor its controller's kind: without a
// UID of its own, it has PodGroupUid.
std::optional<OwnerRef> PodGroupOf(const PodFacts& pod);

}  // namespace gangplan
