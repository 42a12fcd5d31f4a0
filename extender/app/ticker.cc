#include "extender/app/ticker.h"

#include <utility>

namespace gangplan {
namespace {

// Between two ticks: while there is work left, and at most.
constexpr absl::Duration kBusyTick = absl::Milliseconds(1);
constexpr absl::Duration kTick = absl::Milliseconds(50);

}  // namespace

Ticker::Ticker(LockedPlanner& planner, std::function<void()> each_second,
               std::function<Signs()> signs, const Clock& clock)
    : planner_(planner),
      each_second_(std::move(each_second)),
      signs_(std::move(signs)),
      clock_(clock),
      last_tick_ns_(absl::ToUnixNanos(clock.Now())) {}

void Ticker::Start() {
  thread_ = std::thread([this] { Loop(); });
}

void Ticker::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  stop_wake_.notify_all();
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Ticker::Wake() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(work_left_, true)) return;
  }
  wake_.notify_all();
}

absl::Duration Ticker::Silence() const { return clock_.Now() - absl::FromUnixNanos(last_tick_ns_); }

// Until the next tick, which is not due before kBusyTick and not long after kTick, also when there
// is no work. False: the ticking ends.
bool Ticker::WaitForTick(bool busy) {
  MutexLock lock(mutex_);
  if (!stopping_) stop_wake_.wait_for(mutex_, absl::ToChronoMilliseconds(kBusyTick));
  if (!busy && !work_left_ && !stopping_)
    wake_.wait_for(mutex_, absl::ToChronoMilliseconds(kTick - kBusyTick));
  work_left_ = false;
  return !stopping_;
}

void Ticker::Loop() {
  absl::Time next_second = clock_.Now();
  bool busy = false;
  while (WaitForTick(busy)) {
    if (clock_.Now() >= next_second) {
      next_second = clock_.Now() + absl::Seconds(1);
      each_second_();
    }
    const Signs signs = signs_();
    busy = planner_.Take(TurnFor::kTick, [&](Planner& planner) {
      if (signs.acts && planner.synced()) planner.SetActive(clock_.Now(), true);
      planner.Tick(clock_.Now(), signs.sees);
      return planner.busy();
    });
    last_tick_ns_ = absl::ToUnixNanos(clock_.Now());
  }
}

}  // namespace gangplan
