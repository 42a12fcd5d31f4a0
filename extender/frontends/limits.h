// Every bound of what people's words may ask for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace gangplan {

inline constexpr int32_t kMaxGroupSize = 50'000;  // members of one group
inline constexpr size_t kMaxPodSets = 16;         // of one group
inline constexpr size_t kMaxPodSetNameBytes = 63;
inline constexpr size_t kMaxGroupNameBytes = 253;
inline constexpr size_t kMaxWordBytes = 4'096;                   // one gangplan.io/* value
inline constexpr int32_t kMaxSpares = 64;                        // nodes of one gang
inline constexpr size_t kMaxRungs = 8;                           // of one ladder
inline constexpr absl::Duration kMaxPatience = absl::Hours(24);  // of room for who is missing
inline constexpr absl::Duration kMaxRungAfter = absl::Hours(24 * 366);

inline constexpr int32_t kMaxReservedPods = 8'192;  // of one reservation
inline constexpr size_t kMaxReservedResources = 16;
inline constexpr size_t kMaxReservationNames = 64;  // namespaces, labels or tolerations of one
inline constexpr size_t kMaxReservationTextBytes = 4'096;  // one value of its data
inline constexpr absl::Duration kMaxReservedFor = absl::Hours(24 * 31);
inline constexpr absl::Duration kMaxReservationLead = absl::Hours(24 * 366);

}  // namespace gangplan
