// Bind calls of the scheduler that wait for their answer, each on the server's thread that brought
// it and on a connection of its own. They have a limit, so that however many members wait in bind
// there are connections left for the other calls.
//
// Thread rule: any thread.
#pragma once

#include <future>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "extender/planner/effects.h"
#include "topology/base/mutex.h"

namespace gangplan {

class HeldCalls {
 public:
  explicit HeldCalls(int limit) : limit_(limit) {}

  // The call's answer, once there is one. Ids are unique. ResourceExhausted beyond the limit, with
  // a text for the scheduler.
  absl::StatusOr<std::future<std::string>> Open(CallId call);
  // Nobody waits for this call.
  void Forget(CallId call);
  // A call that is not open any more is left alone.
  void Answer(CallId call, std::string error);
  void AnswerAll(std::string_view error);

 private:
  const int limit_;
  Mutex mutex_;
  absl::flat_hash_map<CallId, std::promise<std::string>> calls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
