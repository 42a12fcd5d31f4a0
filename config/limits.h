// What the configuration file may cost at most; beyond it the file is refused. Each limit is tested
// at its value and one above.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace gangplan {

inline constexpr size_t kMaxConfigBytes = size_t{64} * 1024;
inline constexpr size_t kMaxConfigDepth = 8;     // maps and lists inside one another
inline constexpr size_t kMaxConfigNodes = 4096;  // keys, values, maps and lists together
inline constexpr size_t kMaxConfigErrors = 20;   // reported at once
inline constexpr size_t kMaxSchedulerNames = 16;
inline constexpr size_t kMaxRankListNamespaces = 16;
inline constexpr size_t kMaxExcludedPrefixes = 32;
inline constexpr size_t kMaxExcludedPrefixBytes = 253;
inline constexpr size_t kMaxProvisioningParameters = 100;
inline constexpr size_t kMaxProvisioningParameterBytes = 255;
inline constexpr size_t kMaxLabelValueBytes = 63;
inline constexpr int kMaxProvisioningRetries = 100;
inline constexpr size_t kMaxScopeRequirements = 16;  // of nodes
inline constexpr size_t kMaxScopeValues = 64;        // of one of them
inline constexpr size_t kMaxTopologies = 16;
// Of a file that holds a topology.
inline constexpr size_t kMaxTopologyBytes = size_t{8} * 1024 * 1024;
inline constexpr size_t kMaxTopologyLine = size_t{1024} * 1024;  // with those joined to it
inline constexpr size_t kMaxTopologyUnits = 20'000;              // switches, blocks, racks
inline constexpr size_t kMaxTopologyNodes = 500'000;             // of YAML, as kMaxConfigNodes
inline constexpr size_t kMaxUnitName = 253;
// The names of the units of all nodes: each node has those of its own.
inline constexpr size_t kMaxUnitBytes = size_t{64} * 1024 * 1024;
inline constexpr size_t kMaxTlsNames = 16;
inline constexpr int kMaxPort = 65535;
inline constexpr int kMaxConnectionsLimit = 65536;
inline constexpr int kMaxRepairRetries = 100;
inline constexpr int kMaxRejectMax = 100000;
inline constexpr int kMaxNamespaceGroups = 10'000;
inline constexpr int kMaxClaimedMembers = 100'000'000;
inline const absl::Duration kMinBindTimeout = absl::Seconds(10);
inline const absl::Duration kMaxConfigDuration = absl::Hours(24);

}  // namespace gangplan
