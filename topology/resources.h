// Amounts of named resources as they stand in objects: sorted by name, names unique.
// Units: `cpu` in milli-cpu, every other resource in whole units (bytes, devices, pods).
// The model interns names; outside of it resources keep their names.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gangplan {

struct ResourceAmount {
  std::string name;
  int64_t amount = 0;
  friend bool operator==(const ResourceAmount&, const ResourceAmount&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ResourceAmount& r) {
    return H::combine(std::move(h), r.name, r.amount);
  }
};
using ResourceList = std::vector<ResourceAmount>;

}  // namespace gangplan
