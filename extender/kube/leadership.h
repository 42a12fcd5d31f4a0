// Which of several Gangplans acts: the one beside the scheduler that holds a Lease. The schedulers
// elect one of themselves by it, each under the name of its host, an underscore and something that
// is its own (client-go's leaderelection); a scheduler and its Gangplan share a pod, so the host's
// name. Without a Lease there is one Gangplan, and it acts.
//
// It acts while the Lease has the time left that a write may take, counted from the moment that the
// holder has written into it: both have one clock. So what it writes has landed before another may
// hold the Lease.
//
// Thread rule: any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "topology/base/host_clock.h"
#include "topology/base/mutex.h"
#include "topology/lease_facts.h"

namespace gangplan {

class Leadership {
 public:
  // `lease`: NAMESPACE/NAME, or empty. `host`: our own. `write_time`: what a write may take.
  // `clock`: HostClock, or a test's; it outlives this object.
  Leadership(std::string lease, std::string host, absl::Duration write_time, const Clock& clock);

  // As the Lease stands now; without a holder also where it is gone.
  void Saw(const LeaseFacts& lease);

  // All Leases of its name have been told: it may be that there is none.
  void NoteRead();

  // A write that begins now ends in time. Waits for nobody.
  bool MayWrite() const;
  // It has acted, and does not now, and nobody else does: its scheduler still holds the Lease, and
  // has only been slow to renew it.
  bool LapsesForNow() const;
  // Why it does not act, for people; empty: it does. Waits so long for that to come to pass: a
  // scheduler may begin before the Lease is shown to us.
  std::string WhyNot(absl::Duration patience) const;
  // It has acted, and now another host holds the Lease. What was planned meanwhile is of no use:
  // the process is to begin anew.
  bool lost() const { return lost_; }

 private:
  bool IsOurs(std::string_view holder) const;
  std::string Told() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string lease_;
  const std::string host_;
  const absl::Duration write_time_;
  const Clock& clock_;
  std::atomic<int64_t> until_ns_;  // it acts until then
  std::atomic<bool> lost_ = false;
  mutable Mutex mutex_;
  mutable std::condition_variable_any seen_;
  bool known_ ABSL_GUARDED_BY(mutex_) = false;
  bool acted_ ABSL_GUARDED_BY(mutex_) = false;
  LeaseFacts last_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
