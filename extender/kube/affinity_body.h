// Where pods may go, as parts of JSON bodies that others make: terms of node affinity, and of
// affinity towards other pods. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "topology/base/json_text.h"
#include "topology/node_filter.h"
#include "topology/pod_affinity.h"

namespace gangplan {

// A list under `key`; nothing where there is none.
void WriteRequirements(JsonText& json, std::string_view key,
                       const std::vector<SelectorRequirement>& requirements);

// A nodeSelectorTerms list, as the value of a NodeSelector.
void WriteNodeTerms(JsonText& json, const std::vector<NodeSelectorTerm>& terms);

// `affinity` of a pod of namespace `ns`: nodes, and other pods; nothing where it has none.
void WritePodPlaces(JsonText& json, const NodeFilter& filter, const PodAffinity& affinity,
                    std::string_view ns);

}  // namespace gangplan
