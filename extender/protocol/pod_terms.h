// A pod's required affinity and anti-affinity towards other pods, out of its draft. Internal to
// this room. Pure; any thread.
#pragma once

#include <string_view>

#include "extender/protocol/object_draft.h"
#include "topology/pod_affinity.h"

namespace gangplan {

// What can not be modelled is left out: of the affinity all of it, since its terms count together,
// of the anti-affinity the term. Such are: a namespaceSelector that is not {} (namespaces are not
// watched), no labelSelector, words beyond kMaxPodTermBytes, and a list in which something is wrong
// or that is beyond a limit; and of a template a matchLabelKey or mismatchLabelKey whose label its
// pods get with values of their own. What such keys mean stands in the selector, as the API server
// writes it there of a pod; a key that is none of the `labels` means nothing.
PodAffinity TakePodAffinity(ObjectDraft& draft, std::string_view ns, const LabelSet& labels);

}  // namespace gangplan
