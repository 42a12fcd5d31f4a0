#include "extender/app/clock_watch.h"

#include <utility>

#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr absl::Duration kDriftLasts = absl::Minutes(1);
constexpr absl::Duration kDriftToldEach = absl::Hours(1);

}  // namespace

ClockWatch::ClockWatch(const Clock& clock, const Clock& host,
                       std::function<void(std::string_view)> warn)
    : clock_(clock), host_(host), warn_(std::move(warn)) {}

void ClockWatch::Look() {
  const absl::Time now = clock_.Now();
  const absl::Duration behind = host_.Now() - now;
  if (absl::AbsDuration(behind) <= kClockDrift) {
    since_ = absl::InfiniteFuture();
    return;
  }
  if (since_ == absl::InfiniteFuture()) since_ = now;
  if (now - since_ < kDriftLasts || now - told_ < kDriftToldEach) return;
  told_ = now;
  warn_(fmt::format(
      "this process's clock is {} {} the host's, which was set or stood still: reservations, "
      "maintenance and known ends go by it until Gangplan is restarted",
      absl::FormatDuration(absl::Trunc(absl::AbsDuration(behind), absl::Seconds(1))),
      behind > absl::ZeroDuration() ? "behind" : "before"));
}

}  // namespace gangplan
