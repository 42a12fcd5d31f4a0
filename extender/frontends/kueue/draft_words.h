// The words of the first drafts of Kueue's proposal (KEP 2724), said in those of today:
//   kueue.x-k8s.io/require-topology: LEVEL  is  podset-required-topology: LEVEL
//   kueue.x-k8s.io/prefer-topology: LEVEL   is  podset-preferred-topology: LEVEL
// where `auto` as the preferred level is the lowest one. The drafts have them on the workload, so
// they are read on the pod's owner, too. Pure; any thread.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "topology/labels.h"
#include "topology/tree.h"

namespace gangplan {

inline constexpr std::string_view kKueueDraftRequire = "kueue.x-k8s.io/require-topology";
inline constexpr std::string_view kKueueDraftPrefer = "kueue.x-k8s.io/prefer-topology";

bool HasDraftWords(const LabelSet& annotations);

// The annotations with every such word said anew; a level is still to be looked up. InvalidArgument
// where one stands beside the other, or beside a word that says the same today.
absl::StatusOr<LabelSet> SayDraftWords(const LabelSet& annotations, const Topology& topology);

}  // namespace gangplan
