// Bind calls of the scheduler that wait for their answer, each on the server's thread that brought
// it and on a connection of its own. They have a limit, so that however many members wait in bind
// there are connections left for the other calls. One namespace may have all of them while nobody
// else asks; where there are none left, it gives way to those that have fewer.
//
// Invariant: a call that is open stands for its namespace, or gives way.
// Thread rule: any thread.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <optional>
#include <set>
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

  // The answer to the call of a pod of this namespace, once there is one. Ids are unique, and later
  // calls have greater ones. ResourceExhausted beyond the limit, with a text for the scheduler.
  absl::StatusOr<std::future<std::string>> Open(CallId call, std::string_view ns);
  // The last call of the namespace that has the most, to be closed for one of `ns`: an error that
  // it is answered with says so. Nothing: that would have fewer than `ns` then. Each call is told
  // once, until LetStay. O(namespaces).
  std::optional<CallId> GiveWayTo(std::string_view ns);
  // It could not be closed, if it is still open.
  void LetStay(CallId call);
  // Nobody waits for this call.
  void Forget(CallId call);
  // A call that is not open any more is left alone.
  void Answer(CallId call, std::string error);
  void AnswerAll(std::string_view error);

 private:
  struct Held {
    std::promise<std::string> answer;
    std::string ns;
    bool gives_way = false;
  };
  using Calls = absl::flat_hash_map<CallId, Held>;

  void Erase(Calls::iterator call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string TextOf(const Held& held) const;

  const int limit_;
  Mutex mutex_;
  Calls calls_ ABSL_GUARDED_BY(mutex_);
  // Those of each namespace that do not give way.
  std::map<std::string, std::set<CallId>, std::less<>> standing_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
