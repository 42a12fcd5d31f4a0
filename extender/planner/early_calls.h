// Bind calls of pods that only the scheduler has shown: they wait until the watch shows the pod,
// and are judged then, so that nothing is written for a pod of which its caller alone has told. The
// scheduler's watch is often ahead of ours by some milliseconds.
//
// Invariants: a pod has one such call at most; each is taken or answered exactly once.
// Thread rule: the planner's.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/pod_ref.h"
#include "extender/planner/effects.h"
#include "extender/planner/outbox.h"
#include "extender/planner/timers.h"

namespace gangplan {

struct EarlyCall {
  CallId id = 0;
  PodRef pod;
  std::string node;
  absl::Time received;
};

class EarlyCalls {
 public:
  explicit EarlyCalls(Outbox& outbox) : outbox_(outbox) {}

  // REQUIRES: none of this pod waits.
  void Hold(EarlyCall call, absl::Time until);
  bool Holds(std::string_view uid) const { return calls_.contains(uid); }
  std::optional<EarlyCall> Take(std::string_view uid);
  // Answers the pod's call, if one waits.
  void Answer(std::string_view uid, std::string_view error);
  // Those of these calls that wait here. O(calls that wait).
  void Close(const std::vector<CallId>& calls, std::string_view error);
  void AnswerAll(std::string_view error);
  // Those whose time is over.
  void Expire(absl::Time now);
  std::vector<CallId> Calls() const;

 private:
  Outbox& outbox_;
  std::map<std::string, EarlyCall, std::less<>> calls_;  // by the pod's UID
  Timers<std::string> until_;
};

}  // namespace gangplan
