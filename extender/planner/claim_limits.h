// How much a namespace may claim. Plain data.
#pragma once

#include <cstdint>

namespace gangplan {

// What one namespace may claim, by pods and once more by owners that wait without pods.
struct ClaimLimits {
  int32_t groups = 2'000;
  int64_t members = 200'000;  // of all its groups, said to come
};

}  // namespace gangplan
