// Whether the process's clock tells the host's time. It counts from the start of the process what a
// steady clock counts, so that it never goes back; so what the host was told later, or slept, it
// does not know. Reservations, maintenance and ends that are told as times go by it.
//
// Thread rule: one thread.
#pragma once

#include <functional>
#include <string_view>

#include "absl/time/time.h"
#include "topology/base/clock.h"

namespace gangplan {

// Less is how clocks are kept.
inline constexpr absl::Duration kClockDrift = absl::Seconds(30);

class ClockWatch {
 public:
  // Both outlive this.
  ClockWatch(const Clock& clock, const Clock& host, std::function<void(std::string_view)> warn);

  // To be called each second or so. Warns of what has lasted for a minute, once an hour.
  void Look();

 private:
  const Clock& clock_;
  const Clock& host_;
  const std::function<void(std::string_view)> warn_;
  absl::Time since_ = absl::InfiniteFuture();  // that it has lasted
  absl::Time told_ = absl::InfinitePast();
};

}  // namespace gangplan
