// What of the processors' time readers of the aggregated API may have: each a share, and all
// together one, beside which there is some for who asks seldom. Who is beyond it is told to wait,
// as kubectl does by itself, before a right is asked for or the planner. A service account reads
// for its namespace, where whoever makes one may make more.
//
// Thread rule: any thread. Nothing is locked while a reader is served.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "extender/kube/access.h"
#include "extender/server/http_call.h"
#include "extender/server/long_calls.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

class ReaderShares {
 public:
  // `clock` outlives it.
  explicit ReaderShares(const Clock& clock);

  // The time that `serve` takes of this thread is the user's. 429: it, or all, have had theirs.
  HttpReply Serve(const User& user, const std::function<HttpReply()>& serve);
  size_t size() const;

 private:
  struct Share {
    std::shared_ptr<LongCalls> calls;
    absl::Time asked;
  };
  std::shared_ptr<LongCalls> Of(const std::string& reader, absl::Time now);

  const Clock& clock_;
  LongCalls all_;
  mutable Mutex mutex_;
  std::map<std::string, Share> shares_ ABSL_GUARDED_BY(mutex_);  // by who reads
};

}  // namespace gangplan
