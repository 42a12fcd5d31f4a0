// The scheduler's bind calls that are held, and the Bindings that are on their way: one attempt a
// pod, by UID. What is to be written for a call is made when the call comes, so that a gang whose
// calls are all there starts at little cost.
//
// An attempt is a value with a generation, a deadline and an outcome: what comes back for another
// generation changes nothing. Its life is a table:
//
//   posting   -> proved (it is bound), over (it is not), in doubt (nobody could tell)
//   in doubt  -> reading, after a while; posting again, when the scheduler asks for it again
//   reading   -> as posting; asked again after a pause that grows
//   proved    -> over, when the watch shows it
//
// An attempt that was written over one in doubt is not over when it was refused: the first one may
// still land, so it is read until that is known.
//
// Invariants: a call has one pod and a pod one call; each call is answered exactly once.
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/time/time.h"
#include "extender/cluster/requests.h"
#include "extender/planner/outbox.h"
#include "extender/planner/timers.h"
#include "topology/base/steady_map.h"

namespace gangplan {

struct HeldCall {
  CallId id = 0;
  absl::Time call_off;  // answered with an error at this moment, unless a Binding is open
};

enum class AttemptState : uint8_t { kPosting, kInDoubt, kReading, kProved };

struct BindingAttempt {
  int64_t generation = 0;
  PodRef pod;
  std::string node;
  AttemptState state = AttemptState::kPosting;
  bool over_doubt = false;                  // an earlier one, to the same node, was in doubt
  int reads = 0;                            // in a row that could not tell
  std::unique_ptr<BindingWrite> next = {};  // for the call that is held

  bool written() const { return generation > 0; }
  bool open() const { return state != AttemptState::kProved; }
  bool doubtful() const {
    return state == AttemptState::kInDoubt || state == AttemptState::kReading;
  }
};

// What became of an attempt for good.
struct Settlement {
  PodRef pod;
  std::string node;
  BindOutcome outcome = BindOutcome::kNotWritten;  // never kUnknown
  std::string message;
};

class BindDesk {
 public:
  // `bind_timeout`: the scheduler's, for the bind verb.
  BindDesk(absl::Duration bind_timeout, Outbox& outbox)
      : bind_timeout_(bind_timeout), outbox_(outbox) {}

  // --- Calls.
  // No Binding is written for a call that was received then after this moment.
  absl::Time NotAfter(absl::Time received) const;
  // The moment when a call of a group of so many members is of no more use.
  absl::Time CallOff(absl::Time received, int32_t members) const;
  const HeldCall* CallOf(std::string_view uid) const;
  size_t held_calls() const { return calls_.size(); }
  std::vector<CallId> HeldCalls() const;
  // `write` is for Write, when it is time. REQUIRES: no call of this pod is held.
  void Hold(const HeldCall& call, BindingWrite write);
  // Answers the pod's call, if one is held; empty: it is bound. True: there was one.
  bool Answer(std::string_view uid, std::string_view error);
  // The pods of these calls, by UID.
  std::vector<std::string> PodsOf(const std::vector<CallId>& calls) const;
  // Pods whose call is too old to wait on; each is told once.
  std::vector<std::string> TakeLate(absl::Time now) { return late_.TakeDue(now); }
  // When the next one of them will be.
  absl::Time NextLate() const { return late_.Next(); }

  // --- Attempts.
  const BindingAttempt* AttemptOf(std::string_view uid) const;  // null: nothing was written
  // Where an attempt is open or proved: the pod's room there is its own. Empty: there is none.
  std::string_view NodeOf(std::string_view uid) const;
  // A call is held whose Binding is not written yet.
  bool Awaits(std::string_view uid) const;
  // Writes the Bindings of these pods' held calls, each once; over an attempt in doubt only to its
  // node.
  void Write(const std::vector<std::string_view>& uids);
  // What came back; nothing when that was of another generation, or settles nothing yet.
  std::optional<Settlement> OnResult(absl::Time now, std::string_view uid, int64_t generation,
                                     const BindResult& result);
  // The watch shows the pod bound, or that it is gone.
  void Forget(std::string_view uid);
  // Attempts in doubt whose time has come are read.
  void ReadDoubtful(absl::Time now);

  std::string BrokenInvariant() const;

 private:
  absl::Duration PostTimeout() const;
  std::unique_ptr<BindingWrite> Begin(std::string_view uid);
  void Doubt(absl::Time now, BindingAttempt& attempt);

  const absl::Duration bind_timeout_;
  Outbox& outbox_;
  SteadyMap<HeldCall> calls_;  // by the pod's UID
  absl::btree_map<CallId, std::string> pod_of_;
  Timers<std::string> late_;
  SteadyMap<BindingAttempt> attempts_;  // by the pod's UID
  Timers<std::string> read_;
  int64_t generation_ = 0;
};

}  // namespace gangplan
