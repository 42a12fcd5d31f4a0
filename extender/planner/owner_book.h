// What is known of the pods' controllers. Each is read when a pod's membership hangs on it, again
// when that failed, with a pause that grows, and again when it may tell another size; the pods wait
// for it here.
//
// A pod that says nothing of a group passes after one failed read: a controller that cannot be read
// must not keep plain pods. It is judged again when the read succeeds and it still waits.
//
// Owners go by their keys (owner_key.h).
//
// Thread rule: the planner's.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "extender/planner/ledger.h"
#include "extender/planner/outbox.h"
#include "extender/planner/timers.h"
#include "topology/base/steady_map.h"
#include "topology/base/text_map.h"
#include "topology/pod_facts.h"

namespace gangplan {

class OwnerBook {
 public:
  explicit OwnerBook(Outbox& outbox) : outbox_(outbox) {}

  // A pod of it is known; returns the owner's key, which stays until its last user is dropped.
  // Empty: the pod has no owner, or writes its UID to another one than its other users in its
  // namespace do.
  std::string_view AddUser(const PodFacts& pod);
  // It is not any more.
  void DropUser(std::string_view owner_key, std::string_view pod_uid);

  // How many are known of it.
  int32_t Users(std::string_view owner_key) const;

  // What an owner says whose pods are still to come: nobody has to read it. Until ForgetForetold.
  void Foretell(const OwnerFacts& owner);
  void ForgetForetold(std::string_view owner_key);

  // It was read, or there is none to read; then what it said, null when there is none. An owner of
  // which nobody is a user is known by its parts.
  bool Known(std::string_view owner_key) const;
  const OwnerFacts* Facts(std::string_view owner_key) const;
  // Likewise; of one that nobody could read, why (OwnerFacts::unread) and nothing else.
  const OwnerFacts* FactsOrWhy(std::string_view owner_key) const;
  // For the run of its pods that follows this one it is to be read again. False: it was.
  bool ReadForRunAfter(std::string_view owner_key, GroupId run);
  // Nobody goes by what it has said any more: it is read again when a pod waits for it.
  void Expire(std::string_view owner_key);
  // It was read, or written to, and is there no more.
  bool IsGone(std::string_view owner_key) const;
  void NoteGone(std::string_view owner_key);
  // The last read failed, or was not allowed: what it says may be known later.
  bool Failing(std::string_view owner_key) const;
  // It was not allowed.
  bool Denied(std::string_view owner_key) const;

  // Some pod is judged by what it says; of others it tells a size and an end alone.
  void Need(std::string_view owner_key);
  // The pod waits for its owner, which is asked for when it was not.
  void Wait(const PodFacts& pod);
  void StopWaiting(std::string_view owner_key, std::string_view pod_uid);
  // The pod as it was when it began to wait; null when it does not.
  const PodFacts* Waiting(std::string_view owner_key, std::string_view pod_uid) const;
  // Some pod waits for an owner that may tell, or has told nobody yet.
  bool AnyAwaited() const;
  // A pod waits for its owner and was bound by a plan of this name, after its namespace and '/':
  // its group is not known to be whole.
  bool AwaitsPlan(std::string_view plan) const;
  // Names of plans, after their namespace and '/', that no pod waits with any more; each once.
  std::set<std::string> TakeEndedPlans() { return std::exchange(ended_plans_, {}); }

  // What a read has brought; `owner` NotFound, PermissionDenied or Unimplemented: there is nothing
  // to read. Asked again after other errors, and after PermissionDenied while a pod waits that the
  // owner's words might make a member: rights come and go.
  struct Read {
    bool changed = false;      // it was known before, and says something else now
    bool other_words = false;  // than another size alone, of which some pod had need
    bool tells_more = false;   // the same, also of pods that tell all else by themselves
    bool resized = false;
  };
  Read OnRead(absl::Time now, std::string_view owner_key, const absl::StatusOr<OwnerFacts>& owner);
  // Pods to be judged since their owner was read, so many at most; they wait no more. Of one owner
  // after the other, those that are bound first, then by UID; who waits again is not among them.
  std::vector<PodFacts> TakeRead(size_t most);
  bool AnyRead() const { return !to_judge_.empty(); }
  // It may say something else, or was never asked: read at that time, or earlier.
  void ReadAgain(std::string_view owner_key, absl::Time at);
  // Asks for what is due.
  void Tick(absl::Time now);

 private:
  using PodKey = std::pair<bool, std::string>;  // it is not bound, UID
  struct Owner {
    std::optional<OwnerFacts> facts;
    std::optional<OwnerFacts> missing;  // without facts: FactsOrWhy
    bool known = false;
    bool asked = false;   // a read is on its way
    bool denied = false;  // by the last read, and nobody has wished for another one since
    int failures = 0;     // reads in a row
    int32_t users = 0;
    bool foretold = false;
    bool resized = false;  // by what was foretold: the next read tells of it
    bool gone = false;
    GroupId after = 0;  // it was read, or is, for the run after this one
    std::string ns;
    OwnerRef ref;
    bool needed = false;  // some pod is judged by what it says
    std::map<PodKey, PodFacts> waiting;
  };

  void DropUnused(std::string_view owner_key, const Owner& owner);
  static void NoteMissing(Owner& owner, const absl::Status& why);
  void Ask(Owner& owner);
  void NoteFacts(std::string_view owner_key, Owner& owner, std::optional<OwnerFacts> facts);
  void ReadPartsAgain(absl::Time now, std::string_view owner_key);
  PodFacts Take(Owner& owner, std::map<PodKey, PodFacts>::iterator pod);
  void CountAwaited(const PodFacts& pod, int32_t sign);

  Outbox& outbox_;
  SteadyMap<Owner> owners_;
  Timers<std::string> read_;
  std::set<std::string> waited_for_;  // owners with waiting pods
  // Owners that were read, with the last of their pods that was judged since.
  std::map<std::string, PodKey> to_judge_;
  TextMap<int32_t> awaited_plans_;
  std::set<std::string> ended_plans_;
  // Owners whose facts are those of another one, which they are a part of; by the UID of that.
  TextMap<std::set<std::string>> parts_;
};

}  // namespace gangplan
