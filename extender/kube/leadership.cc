#include "extender/kube/leadership.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr absl::Duration kLook = absl::Milliseconds(100);  // at the clock, while one waits
constexpr int64_t kNever = std::numeric_limits<int64_t>::min();
constexpr int64_t kAlways = std::numeric_limits<int64_t>::max();

}  // namespace

Leadership::Leadership(std::string lease, std::string host, absl::Duration write_time,
                       const Clock& clock)
    : lease_(std::move(lease)),
      host_(std::move(host)),
      write_time_(write_time),
      clock_(clock),
      until_ns_(lease_.empty() ? kAlways : kNever) {}

// client-go's holder is HOST_UUID; a host's name has no underscore.
bool Leadership::IsOurs(std::string_view holder) const {
  return !host_.empty() && holder.substr(0, holder.rfind('_')) == host_;
}

// A time of renewal that lies ahead of our clock counts as now.
void Leadership::Saw(const LeaseFacts& lease) {
  {
    MutexLock lock(mutex_);
    known_ = true;
    last_ = lease;
    const bool ours = IsOurs(lease.holder);
    if (acted_ && !ours && !lease.holder.empty()) lost_ = true;
    const absl::Time renewed = std::min(lease.renewed, clock_.Now());
    until_ns_ = ours ? absl::ToUnixNanos(renewed + lease.lasts - write_time_) : kNever;
    acted_ = acted_ || MayWrite();
  }
  seen_.notify_all();
}

void Leadership::NoteRead() {
  MutexLock lock(mutex_);
  known_ = true;
}

bool Leadership::MayWrite() const { return absl::ToUnixNanos(clock_.Now()) < until_ns_; }

bool Leadership::LapsesForNow() const {
  MutexLock lock(mutex_);
  return acted_ && IsOurs(last_.holder) && !MayWrite();
}

std::string Leadership::WhyNot(absl::Duration patience) const {
  if (MayWrite()) return {};
  const absl::Time end = clock_.Now() + patience;
  MutexLock lock(mutex_);
  while (!MayWrite()) {
    const absl::Duration left = end - clock_.Now();
    if (left <= absl::ZeroDuration()) return Told();
    seen_.wait_for(mutex_, absl::ToChronoMilliseconds(std::min(left, kLook)));
  }
  return {};
}

std::string Leadership::Told() const {
  if (!known_) return fmt::format("the Lease {} has not been read yet", lease_);
  if (last_.holder.empty())
    return fmt::format("no scheduler holds the Lease {}; this host is {}", lease_, host_);
  if (!IsOurs(last_.holder))
    return fmt::format("the Lease {} is held by {}; this host is {}", lease_, Shown(last_.holder),
                       host_);
  if (last_.lasts <= write_time_)
    return fmt::format("the Lease {} lasts for {}, and a write may take {}", lease_,
                       absl::FormatDuration(last_.lasts), absl::FormatDuration(write_time_));
  const std::string since = absl::FormatTime(absl::RFC3339_sec, last_.renewed, absl::UTCTimeZone());
  return fmt::format("the scheduler of this host ({}) has not renewed the Lease {} since {}", host_,
                     lease_, since);
}

}  // namespace gangplan
