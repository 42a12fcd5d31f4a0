// How much text a pod's facts have, which whoever wrote the pod has written: for limits on what is
// kept of pods that only a caller tells of. Pure; any thread.
#pragma once

#include <cstddef>

#include "topology/pod_facts.h"

namespace gangplan {

// Bytes of labels, annotations, and of the words by which its nodes are chosen. O(their number).
size_t TextBytes(const PodFacts& pod);

}  // namespace gangplan
