// Writes one Binding and finds out what became of it. Only a 201, or a read that shows the pod on
// the node, is "bound"; an unclear answer (409, 5xx, a time-out, a broken connection) is settled by
// reading the pod. Nothing is ever sent after `not_after`.
#pragma once

#include "extender/cluster/requests.h"
#include "extender/kube/patience.h"

namespace gangplan {

inline constexpr int kBindingTries = 5;  // POSTs that reach nobody, or a server that is too busy
inline constexpr int kProofReads = 6;    // reads of the pod after an unclear answer

// Blocks for at most the tries and reads above with their waits. Any thread, one transport each.
BindResult WriteBinding(Transport& transport, const BindingWrite& write, const CallTools& tools);

// What a read of the pod tells of an earlier Binding: kBound, kElsewhere, kGone; kRefused when it
// is not bound; kUnknown when it could not be read.
BindResult ReadBinding(Transport& transport, const BindingRead& read, const CallTools& tools);

}  // namespace gangplan
