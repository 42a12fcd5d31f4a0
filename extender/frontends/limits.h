// Every bound of what people's words may ask for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gangplan {

inline constexpr int32_t kMaxGroupSize = 50'000;  // members of one group
inline constexpr size_t kMaxPodSets = 16;         // of one group
inline constexpr size_t kMaxPodSetNameBytes = 63;
inline constexpr size_t kMaxWordBytes = 4'096;  // one gangplan.io/* value

}  // namespace gangplan
