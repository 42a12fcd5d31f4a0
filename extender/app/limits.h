// Every limit on what the service does in one turn of the planner, and on how long it holds
// something against the cluster. Constants only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace gangplan {

inline constexpr size_t kClosedAtOnce = 500;  // calls that are dropped in one turn

// What a view reads in one turn.
inline constexpr size_t kGroupsPerTurn = 500;
inline constexpr int32_t kLeavesPerTurn = 500;
inline constexpr int64_t kMembersPerTurn = 10'000;  // of which one is looked for

// Where a gang of more members stands is looked at so often at the most, whoever asks for lists.
inline constexpr int32_t kLargeGang = 1'000;
inline constexpr absl::Duration kWhereLasts = absl::Seconds(10);

// What would start a gang is worked out for one reader at a time. After it nothing is for so many
// times as long, whoever asks: that is a quarter of one core. So many readers wait so long for
// their turn; the others are told to ask again. An answer is given again while the cluster stands
// as it did, so long at most.
inline constexpr int kAdviceRest = 3;
inline constexpr int32_t kMaxAdviceWaiters = 4;
inline constexpr absl::Duration kAdvicePatience = absl::Seconds(2);
inline constexpr absl::Duration kAdviceLasts = absl::Minutes(1);
inline constexpr size_t kMaxAdviceKept = 64;

// What the page is told: gangs in all, so many members in one reading whose nodes are looked at
// anew, and a state at most so often, or as often as takes this part of the planner's time.
inline constexpr size_t kMostShownGangs = 5'000;
inline constexpr int64_t kMembersLookedAt = 20'000;
inline constexpr absl::Duration kPageEvery = absl::Milliseconds(500);
inline constexpr int kPagePart = 25;  // one in so many

// The largest gangs are worked out anew so often at the most, whoever scrapes.
inline constexpr absl::Duration kRoomGaugesEvery = absl::Seconds(15);
// The metrics' text: who scrapes sooner is told the same.
inline constexpr absl::Duration kMetricsLast = absl::Seconds(1);
// Reports of many gangs, or of all nodes, likewise; so many of them, by what was asked for.
inline constexpr absl::Duration kReportsLast = absl::Milliseconds(500);
inline constexpr size_t kMaxReportsKept = 8;

// A filter call waits so long for the read of its pod's owner, and all of them together so long in
// a second.
inline constexpr absl::Duration kOwnerPatience = absl::Milliseconds(50);
inline constexpr absl::Duration kOwnerWaitsASecond = absl::Milliseconds(200);

// A call waits so long for us to act: its scheduler may lead before the Lease is shown to us. The
// scheduler gives up after 2 s.
inline constexpr absl::Duration kActsWithin = absl::Seconds(1);

// The planner is stuck, and the process had better start anew: no tick has ended for so long.
inline constexpr absl::Duration kStuck = absl::Seconds(30);
// Likewise: one question on a copy is not answered. The longest take some ten seconds of one core,
// of which there may be a small part.
inline constexpr absl::Duration kQuestionStuck = absl::Minutes(10);
// A watch is stale: the API server sends a sign each minute, and a connection without one for 90 s
// is made anew.
inline constexpr absl::Duration kStaleWatch = absl::Minutes(3);
// After that nobody is evicted for what was seen last: a watch that stands has a bookmark each
// minute.
inline constexpr absl::Duration kBlindAfter = absl::Seconds(90);

// Pods are woken by annotation for this long when nominations do not work: until somebody has
// given the right, or has brought a newer server.
inline constexpr absl::Duration kNominationPause = absl::Minutes(5);

}  // namespace gangplan
