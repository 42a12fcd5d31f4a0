// What a ConfigMap says that reserves room: so many pods of a shape, where, from when until when,
// and whose gangs may use it. Values, read from its data alone. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "algorithms/request.h"
#include "topology/config_map_facts.h"
#include "topology/labels.h"
#include "topology/node_filter.h"
#include "topology/node_home.h"
#include "topology/pod_affinity.h"
#include "topology/resources.h"

namespace gangplan {

// Room is kept from so long before its start on, where nobody says otherwise.
inline constexpr absl::Duration kReservationLead = absl::Hours(24);

struct ReservationWords {
  absl::Time from;
  absl::Time until;
  absl::Duration lead = kReservationLead;  // room is kept from so long before its start on
  int32_t count = 0;                       // pods
  ResourceList requests;                   // of each, with one of `pods`
  NodeFilter filter;
  TopologyIndex topology = 0;  // to whose nodes it goes
  std::string topology_name;   // where there are several
  std::string place;           // for people
  LevelRules rules;
  // Whose gangs may use it: of any of these namespaces, with all of these labels on their pods. One
  // of them says something.
  std::vector<std::string> namespaces;  // ascending; empty: of all
  LabelSet labels;
  friend bool operator==(const ReservationWords&, const ReservationWords&) = default;

  // Why a gang of this namespace, with these labels on its pods, may not use it; empty: it may.
  std::string WhyNot(std::string_view ns, const PackedLabels& pod_labels) const;
};

// `usual`: the topology of those that name none. InvalidArgument: `key: "value": ...`, what was
// expected.
absl::StatusOr<ReservationWords> ReadReservation(const ConfigMapFacts& object,
                                                 std::span<const ScopedTopology> topologies,
                                                 TopologyIndex usual);

}  // namespace gangplan
