// What is left of amounts of resources. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "topology/resources.h"

namespace gangplan {

// What of `need` is left without `given`; nothing below 0.
inline ResourceList Without(const ResourceList& need, const ResourceList& given) {
  ResourceList rest;
  for (const auto& [name, amount] : need) {
    const int64_t left = amount - std::min(amount, AmountOf(given, name));
    if (left > 0) rest.push_back({name, left});
  }
  return rest;
}

}  // namespace gangplan
