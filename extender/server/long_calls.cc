#include "extender/server/long_calls.h"

#include <algorithm>

#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr int kSavedSeconds = 4;

}  // namespace

LongCalls::LongCalls(int most, absl::Duration share)
    : most_(most), share_(share), left_(kSavedSeconds * share) {}

std::string LongCalls::Begin(absl::Time now) {
  MutexLock lock(mutex_);
  if (under_way_ >= most_) {
    return fmt::format("{} such calls are under way, as many as may be at once; try again", most_);
  }
  Fill(now);
  if (left_ <= absl::ZeroDuration()) {
    return fmt::format("such calls have had {} of each second, as much as they may; try again",
                       absl::FormatDuration(share_));
  }
  ++under_way_;
  return {};
}

void LongCalls::End() {
  MutexLock lock(mutex_);
  --under_way_;
}

void LongCalls::NoteSpent(absl::Duration time) {
  MutexLock lock(mutex_);
  left_ -= time;
}

void LongCalls::Fill(absl::Time now) {
  if (share_ == absl::InfiniteDuration()) return;
  now = std::max(now, filled_);
  const absl::Duration since = now - filled_;
  left_ = std::min(left_ + absl::ToDoubleSeconds(since) * share_, kSavedSeconds * share_);
  filled_ = now;
}

}  // namespace gangplan
