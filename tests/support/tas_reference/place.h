// One placement from counts to pods per leaf: which domains, then down the levels.
#pragma once

#include <map>
#include <optional>
#include <variant>

#include "tests/support/tas_reference/cut.h"

namespace gangplan::tas_reference {

// Pods by leaf.
struct Placed {
  std::map<int, int64_t> workers;
  std::map<int, int64_t> leaders;
};

std::variant<Placed, Failure> Place(const World& world, const Ask& ask);

// Chosen domains of one level, with the counts they were chosen by.
struct Chosen {
  int level = 0;
  Domains domains;
  State state;
};

// Deals the pods out from the chosen domains to the leaves. `balanced`: the shares of the chosen
// domains are final, what is under each is dealt out under it.
Placed Descend(const World& world, const Ask& ask, Chosen chosen, bool balanced);

}  // namespace gangplan::tas_reference
