// Bindings whose outcome is unknown, and since when: a write that got no answer may land for as
// long as an API server works on one request, and never after. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "extender/kube/limits.h"
#include "topology/base/mutex.h"
#include "topology/base/text_map.h"

namespace gangplan {

// An API server gives a request up after 60 seconds (its default); the rest is for its clock and
// ours.
inline constexpr absl::Duration kPostLifetime = absl::Seconds(90);

// At most kMaxDoubtfulPosts: where there is no room for one more, those that can land no more are
// dropped, and count anew when they are asked for. Then a call is O(kMaxDoubtfulPosts).
class DoubtfulPosts {
 public:
  // A Binding of this pod was sent at `now` or before, and got no clear answer.
  void Remember(std::string_view uid, absl::Time now) {
    MutexLock lock(mutex_);
    Put(uid, now);
  }
  // Whether it may still land. A pod that is not remembered counts from this call on; for one that
  // there is no room for the answer is yes.
  bool MayLand(std::string_view uid, absl::Time now) {
    MutexLock lock(mutex_);
    auto it = since_.find(uid);
    if (it != since_.end()) return now - it->second < kPostLifetime;
    Put(uid, now);
    return true;
  }
  // What became of the pod is known.
  void Forget(std::string_view uid) {
    MutexLock lock(mutex_);
    auto it = since_.find(uid);
    if (it != since_.end()) since_.erase(it);
  }

 private:
  void Put(std::string_view uid, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (since_.size() >= kMaxDoubtfulPosts && !since_.contains(uid)) {
      absl::erase_if(since_, [now](const auto& one) { return now - one.second >= kPostLifetime; });
      if (since_.size() >= kMaxDoubtfulPosts) return;
    }
    since_.insert_or_assign(std::string(uid), now);
  }

  Mutex mutex_;
  TextMap<absl::Time> since_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
