// The few facts that placement needs of a Node object. Pure data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/labels.h"
#include "topology/resources.h"

namespace gangplan {

inline constexpr char kMaintenanceWord[] = "gangplan.io/maintenance";

enum class TaintEffect { kNoSchedule, kPreferNoSchedule, kNoExecute };

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::kNoSchedule;
  friend bool operator==(const Taint&, const Taint&) = default;
};

// NodeFacts::maintenance where somebody has told what is no time: it has begun, so that no gang is
// lost by a slip of the pen.
inline constexpr int64_t kMaintenanceUnread = 1;

struct NodeFacts {
  std::string name;
  LabelSet labels;
  ResourceList allocatable;
  std::vector<Taint> taints;
  bool ready = false;          // condition Ready is True
  bool unschedulable = false;  // cordoned
  // When the node is to be empty (kMaintenanceWord), in Unix seconds; 0: nobody has told.
  int64_t maintenance = 0;
  friend bool operator==(const NodeFacts&, const NodeFacts&) = default;
};

}  // namespace gangplan
