// Reads a pod's owner once, and with a Job that is a part of another owner's that one, too. Any
// thread, one transport each.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "extender/cluster/requests.h"
#include "extender/kube/patience.h"
#include "topology/pod_facts.h"

namespace gangplan {

// A part of it: known by its own reference, with what the whole says.
OwnerFacts PartOf(const OwnerFacts& part, OwnerFacts whole);
// Likewise of a whole that is not there, or that nobody may read. REQUIRES: it is a part.
OwnerFacts UnreadPart(const OwnerFacts& part, Unread why);

// It is a PodGroup that pods of this namespace name, so that nobody knows its UID: whatever UID it
// has, it is that one. Of anything else the UID counts.
bool IsKnownByName(std::string_view ns, const OwnerRef& owner);

// NotFound when there is none, or when one of that name has another UID; Unimplemented when the
// server has no such kind; PermissionDenied;
// InvalidArgument for a reference that has no path. Where it is a part of another owner that cannot
// be read for one of these, it is what it is known by then (OwnerFacts::unread).
absl::StatusOr<OwnerFacts> ReadOwnerFacts(Transport& transport, const OwnerRead& read,
                                          const CallTools& tools);

}  // namespace gangplan
