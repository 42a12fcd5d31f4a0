// Amounts of named resources as they stand in objects: sorted by name, names unique.
// Units: `cpu` in milli-cpu, every other resource in whole units (bytes, devices, pods).
// The model interns names; outside of it resources keep their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

// 0 for a name that is not there. Cost O(log n).
int64_t AmountOf(const ResourceList& amounts, std::string_view name);

// `sum` plus `times` what stands in `more`; a name that `sum` lacks counts as 0, and one that comes
// to 0 stays. An amount that would leave int64 stops at its end.
void AddResources(ResourceList& sum, const ResourceList& more, int64_t times = 1);

}  // namespace gangplan
