// The keys by which Sakkara's users say what they want (KEP 4986), and which objects carry them.
// Pure; any thread.
#pragma once

#include <string_view>

#include "topology/config_map_facts.h"

namespace gangplan {

// Labels of ConfigMaps: the key counts, whatever its value is.
inline constexpr std::string_view kSakkaraTopologyLabel = "sakkara.topology";
inline constexpr std::string_view kSakkaraGroupLabel = "sakkara.group";
// A node's label: the topology of a cluster without a topology object, when every node has it.
inline constexpr std::string_view kSakkaraRackLabel = "sakkara.topology.rack";
// Labels of pods that their users set.
inline constexpr std::string_view kSakkaraPodGroup = "sakkara.group.name";
inline constexpr std::string_view kSakkaraPodSize = "sakkara.group.size";
inline constexpr std::string_view kSakkaraPodConstraint = "sakkara.group.constraint.";
// ... and that are written.
inline constexpr std::string_view kSakkaraMemberRank = "sakkara.member.rank";
inline constexpr std::string_view kSakkaraMemberRetries = "sakkara.member.retries";
inline constexpr std::string_view kSakkaraMemberStatus = "sakkara.member.status";

// Topologies count in one namespace only, which is for administrators.
inline bool IsSakkaraTopology(const ConfigMapFacts& object, std::string_view topology_namespace) {
  return object.ns == topology_namespace && FindLabel(object.labels, kSakkaraTopologyLabel);
}
// Groups live where their pods do.
inline bool IsSakkaraGroup(const ConfigMapFacts& object) {
  return FindLabel(object.labels, kSakkaraGroupLabel) != nullptr;
}

}  // namespace gangplan
