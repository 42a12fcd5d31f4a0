// Every bound of the planner on what comes from outside.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace gangplan {

inline constexpr size_t kMaxGroups = 10'000;      // groups known at once
inline constexpr size_t kMaxAvoidedNodes = 64;    // nodes that one group plans around
inline constexpr size_t kMaxTombstones = 65'536;  // deleted pods remembered, by UID
inline constexpr int kMaxNominations = 3;         // renewals of one nomination
inline constexpr int kMaxSolvesPerTick = 32;      // blocked groups tried again in one tick

// What one solve may search under the planner's lock, then the best placement found so far is
// taken: some ten milliseconds at 5,120 nodes, half a second at 51,200, where two pods of other
// shapes on a half used cluster need it (`./dev bench exact`).
inline constexpr int64_t kSolveSteps = 2'000'000;

inline constexpr absl::Duration kAvoidFor = absl::Minutes(5);
// A pod that only the scheduler has shown is dropped when the watch does not confirm it by then.
inline constexpr absl::Duration kUnconfirmedFor = absl::Minutes(1);
inline constexpr absl::Duration kOwnerRetry = absl::Seconds(2);
inline constexpr absl::Duration kNominationBackoff = absl::Seconds(1);  // doubles each time
// Results of a group are written this long after it has changed; doubled each time that they have
// to be written once more.
inline constexpr absl::Duration kResultsAfter = absl::Seconds(1);
inline constexpr absl::Duration kMaxResultsAfter = absl::Minutes(1);
inline constexpr absl::Duration kProveAgainAfter = absl::Seconds(2);

}  // namespace gangplan
