// How many pods and slices every domain holds: the filter and the room of the leaves, rolled up.
#pragma once

#include <map>
#include <vector>

#include "tests/conformance/placement_answer.h"
#include "tests/support/tas_reference/ask.h"
#include "tests/support/tas_reference/tree.h"
#include "topology/tree.h"

namespace gangplan::tas_reference {

// Of one domain; "beside" counts what fits beside a leader placed inside. While pods are being
// dealt out, `pods` and `leaders` of a domain become what it gets.
struct Counts {
  int64_t pods = 0;
  int64_t slices = 0;
  int64_t pods_beside = 0;
  int64_t slices_beside = 0;
  int64_t leaders = 0;
  int64_t affinity = 0;
};
using State = std::vector<Counts>;  // by index of the domain

struct World {
  const PlacementCase* placement_case = nullptr;
  Tree tree;
  std::map<int, Amounts> used;     // by leaf: what placed groups hold
  std::map<int, Amounts> assumed;  // by leaf: what this call placed before
};

World MakeWorld(const PlacementCase& placement_case);

struct Filled {
  State state;
  conformance::ExclusionStats stats;
};
Filled FillCounts(const World& world, const Ask& ask);

// The counts of an inner domain from its children's; `with_layers`: rounded to inner slices.
void RollUp(const Tree& tree, const Ask& ask, bool with_layers, int domain, State& state);

}  // namespace gangplan::tas_reference
