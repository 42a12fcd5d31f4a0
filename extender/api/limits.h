// Every limit on what comes from who asks the aggregated API, and on how long it is believed. Each
// is tested at its value and one beyond. Constants only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace gangplan {

// What the head of a request may take is the server's limit (kMaxHeadBytes).
inline constexpr size_t kMaxApiNameBytes = 1024;      // a part of a path, decoded
inline constexpr size_t kMaxSelectorBytes = 4096;     // fieldSelector
inline constexpr int64_t kMaxPageItems = 10'000'000;  // limit
inline constexpr size_t kMaxContinueBytes = 4096;

// A review is believed for so long, as by the API server's own delegation.
inline constexpr absl::Duration kReviewLasts = absl::Seconds(10);
inline constexpr size_t kMaxReviews = 4096;
// Of the question: longer ones are asked each time.
inline constexpr size_t kMaxKeptQuestionBytes = size_t{4} << 10;
// Reviews under way at once, how long one more waits for its turn, and how long an answer may take.
inline constexpr size_t kReviewConnections = 8;
inline constexpr absl::Duration kReviewTurn = absl::Seconds(2);
inline constexpr absl::Duration kReviewTimeout = absl::Seconds(3);

// Of each second, one processor's time that one reader may have, and all of them together; four
// seconds' worth of it may be saved up. So many calls of one reader at once.
inline constexpr absl::Duration kReaderShare = absl::Milliseconds(250);
inline constexpr absl::Duration kReadersShare = absl::Milliseconds(500);
inline constexpr int kReaderCalls = 8;
inline constexpr size_t kMaxReaders = 4096;     // that are told apart at once
inline constexpr size_t kMaxReaderBytes = 256;  // of a name: longer ones with this head are one

// All gangs, and one of them whole, are looked at so often at the most, whoever asks.
inline constexpr absl::Duration kSnapshotLasts = absl::Milliseconds(500);
inline constexpr size_t kMaxWholeGangs = 64;
// Lines of an object that tell why it waits; the others are in its explanation.
inline constexpr size_t kMaxToldLines = 40;

// Who the front proxy is may change: it is read again after so long, after a failure sooner.
inline constexpr absl::Duration kFrontProxyEvery = absl::Seconds(10);
inline constexpr absl::Duration kFrontProxyRetry = absl::Seconds(1);
inline constexpr size_t kMaxFrontProxyBytes = size_t{1} << 20;
inline constexpr size_t kMaxFrontProxyNames = 64;  // of each list

}  // namespace gangplan
