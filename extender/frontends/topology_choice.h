// Which topology a gang goes by, where there are several: the one that its word names, else the
// only one to whose nodes the pod's node selector and required affinity may let it go, else the
// default. That hangs on words and configuration alone, not on what nodes there are: a node that
// comes, or a restart, changes nothing about it. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "extender/frontends/gangplan/words.h"
#include "topology/node_filter.h"
#include "topology/node_home.h"

namespace gangplan {

// The error names the word, which stands under `key`, or says that the pod can go to no topology's
// nodes. O(requirements of the filter x those of all selectors).
absl::StatusOr<TopologyIndex> ChooseTopology(const std::optional<std::string>& word,
                                             const NodeFilter& filter,
                                             std::span<const ScopedTopology> topologies,
                                             TopologyIndex usual,
                                             std::string_view key = kTopologyWord);

}  // namespace gangplan
