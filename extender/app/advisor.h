// Works out what would start a gang that waits, for whoever asks for its explanation: on a copy of
// the cluster, outside of the planner's lock, by the thread that asks. However many ask, that takes
// a part of one core (limits.h): one question at a time, with a rest after it. Who cannot be served
// in time is told to ask again. The same question about the same state is not solved twice.
//
// Thread rule: any thread, not within a turn of the planner.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "extender/app/limits.h"
#include "extender/app/locked_planner.h"
#include "extender/planner/advice.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

// And whom an Event about it is about; nothing: nobody could read it.
struct Advised {
  Advice advice;
  std::string ns;
  std::optional<OwnerRef> regarding;
};

class Advisor {
 public:
  // Both outlive it. `patience`: so long a turn is waited for.
  Advisor(LockedPlanner& planner, const Clock& clock, absl::Duration patience = kAdvicePatience)
      : planner_(planner), clock_(clock), patience_(patience) {}

  // Of the group "namespace/name"; nothing: it does not wait for room.
  std::optional<Advice> Of(std::string_view name);
  std::optional<Advised> Ask(std::string_view name);
  // Questions that were put to an engine, since the start.
  int64_t solved();

 private:
  struct Kept {
    uint64_t fingerprint = 0;
    absl::Time at;
    Advice advice;
  };
  bool TakeTurn();
  std::optional<Advised> Answer(std::string_view name);
  std::optional<Advice> Known(std::string_view name, uint64_t fingerprint);
  void Keep(std::string_view name, Kept kept);
  void EndTurn(absl::Duration took);

  LockedPlanner& planner_;
  const Clock& clock_;
  const absl::Duration patience_;
  Mutex mutex_;  // never held over a turn of the planner
  std::condition_variable_any free_;
  bool busy_ ABSL_GUARDED_BY(mutex_) = false;
  int32_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time rests_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  int64_t solved_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Kept, std::less<>> kept_ ABSL_GUARDED_BY(mutex_);  // by name
};

}  // namespace gangplan
