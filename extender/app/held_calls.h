// Bind calls of the scheduler that wait for their answer, each on the server's thread that brought
// it and on a connection of its own.
//
// Thread rule: any thread.
#pragma once

#include <future>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "extender/planner/effects.h"
#include "topology/base/mutex.h"

namespace gangplan {

class HeldCalls {
 public:
  // The call's answer, once there is one. Ids are unique.
  std::future<std::string> Open(CallId call);
  // Nobody waits for this call.
  void Forget(CallId call);
  // A call that is not open any more is left alone.
  void Answer(CallId call, std::string error);
  void AnswerAll(std::string_view error);

 private:
  Mutex mutex_;
  absl::flat_hash_map<CallId, std::promise<std::string>> calls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
