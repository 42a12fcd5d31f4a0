// Which nodes a filter lets in, for all nodes at once: the filter is held against each kind of
// barrier and each distinct value of a label, then the nodes are gone through in flat arrays. The
// same answer as MayUseNow and MayUseAtBest of each node. Internal to the model. Thread rule: that
// of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/node_filter.h"
#include "topology/node_table.h"

namespace gangplan {

inline constexpr uint8_t kUsableNow = 1;
inline constexpr uint8_t kUsableAtBest = 2;

// One bit set by node index. REQUIRES: the nodes keep the labels that the filter asks for.
std::vector<uint8_t> UsableNodes(const NodeTable& nodes, const NodeFilter& filter);

bool MayUseNow(const NodeRecord& record, const NodeFilter& filter);
// The node is there, and may be used when it is ready, open and without passing taints.
bool MayUseAtBest(const NodeRecord& record, const NodeFilter& filter);
uint8_t UsableBits(const NodeRecord& record, const NodeFilter& filter);

}  // namespace gangplan
