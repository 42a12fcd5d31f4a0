#include "extender/app/gang_log.h"

#include <algorithm>
#include <string>
#include <utility>

namespace gangplan {

int64_t GangLog::Admit() {
  const absl::Duration each = absl::Seconds(1) / kGangLinesPerSecond;
  const absl::Time now = clock_.Now();
  MutexLock lock(mutex_);
  const absl::Time next = std::max(full_, now) + each;
  if (next > now + each * kGangLines) {
    ++left_out_;
    return -1;
  }
  full_ = next;
  return std::exchange(left_out_, 0);
}

void GangLog::Tell(const GangChange& change) {
  if (!logger_.Wants(LogLevel::kInfo)) return;
  const int64_t left_out = Admit();
  if (left_out < 0) return;
  const std::string why = change.event ? change.event->note : change.why;
  logger_.Log(LogLevel::kInfo, "gang",
              {{"gang", change.gang},
               {"from", Name(change.before)},
               {"to", change.gone ? "gone" : Name(change.after)},
               {"bound", change.bound},
               {"size", change.size},
               {"why", why},
               {"leftOut", left_out}});
}

}  // namespace gangplan
