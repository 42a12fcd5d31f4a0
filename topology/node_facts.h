// The few facts that placement needs of a Node object. Pure data.
#pragma once

#include <string>
#include <vector>

#include "topology/labels.h"
#include "topology/resources.h"

namespace gangplan {

enum class TaintEffect { kNoSchedule, kPreferNoSchedule, kNoExecute };

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::kNoSchedule;
  friend bool operator==(const Taint&, const Taint&) = default;
};

struct NodeFacts {
  std::string name;
  LabelSet labels;
  ResourceList allocatable;
  std::vector<Taint> taints;
  bool ready = false;          // condition Ready is True
  bool unschedulable = false;  // cordoned
  friend bool operator==(const NodeFacts&, const NodeFacts&) = default;
};

}  // namespace gangplan
