// What makes a waiting pod move: which pods were told to wait by a rejection (they wake by events
// only), and the nominations that point the scheduler to a pod's planned node and wake it.
//
// A nomination that an attempt in flight has cleared is sent again: the first time at once, since
// that attempt had begun before the scheduler knew of it; then with a pause that doubles, so many
// times; then the node is of no use to the pod.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/time/time.h"
#include "extender/cluster/pod_ref.h"
#include "extender/planner/outbox.h"
#include "extender/planner/timers.h"
#include "topology/base/steady_map.h"

namespace gangplan {

class Waker {
 public:
  explicit Waker(Outbox& outbox) : outbox_(outbox) {}

  // --- Rejections.
  int32_t rejected() const { return rejected_; }
  bool Rejected(std::string_view uid) const;
  void MarkRejected(std::string_view uid, bool rejected);

  // --- Nominations, of one planned node at a time.
  // The watch has shown this in the pod's status.
  void Saw(std::string_view uid, std::string_view nominated);
  // The pod has another planned node now, or none.
  void Reset(std::string_view uid);
  // Points the scheduler to `node`, at most once for one planned node: when the pod was told to
  // wait, or where the scheduler offers only a sample of the nodes and does not know it yet.
  void Nominate(const PodRef& pod, std::string_view node, bool sampled);
  // The node was not offered though the pod may go there: it is pointed to it, at once or again
  // after a pause.
  void NominateAgain(absl::Time now, const PodRef& pod, std::string_view node);
  // After Saw, of a pod that may go to `node`: whether the nomination stands. One that was cleared
  // is due again after a pause; true: the first one, which is to be renewed at once.
  bool Watch(absl::Time now, std::string_view uid, std::string_view node);
  // Pods whose nomination is due again.
  std::vector<std::string> TakeDue(absl::Time now);
  // Of a pod that is due and may go to `node`. False: it was sent too often.
  bool Renew(const PodRef& pod, std::string_view node);
  void StopRenewing(std::string_view uid);
  // It did not get there: it is due again after a pause, which doubles.
  void NotSent(absl::Time now, std::string_view uid);
  // The pods that the watch shows nominated to this node, but for those that are pointed to one
  // now, by UID, so many at the most.
  std::vector<std::string> NominatedTo(std::string_view node, size_t most) const;
  // The pod's nomination leads nowhere: nobody is kept from the node by it any more.
  void Withdraw(const PodRef& pod) { outbox_.Push(Nomination{pod, ""}); }

  // The scheduler was given this node for the pod, and asks to bind it there next, if at all.
  void Passed(std::string_view uid, bool passed) { pods_.Make(uid).first->passed = passed; }
  // The scheduler may count the pod on its planned node already.
  bool MayStand(std::string_view uid, std::string_view node) const;

  // The scheduler asks first for the nominated node alone, and for all that it has in the same
  // attempt: true for the first of two such calls.
  bool IsQuestion(std::string_view uid, bool lone_nominated);

  void Forget(std::string_view uid);

 private:
  struct Waiting {
    bool rejected = false;
    bool question = false;  // the call before was for the nominated node alone
    bool stood = false;     // the watch has shown the nomination
    bool passed = false;    // the node planned now was given to the scheduler
    bool due = false;       // its nomination is so at some time
    int sent = 0;           // for the node planned now
    int unsent = 0;         // ... that did not get there, in a row
    std::string nominated;  // as the watch has shown it last
  };

  void Send(const PodRef& pod, std::string_view node);
  void Again(absl::Time now, std::string_view uid, Waiting& waiting, int doublings);
  void Stop(std::string_view uid, Waiting& waiting);

  Outbox& outbox_;
  SteadyMap<Waiting> pods_;
  absl::btree_set<std::pair<std::string, std::string>> nominated_;  // node, UID
  Timers<std::string> again_;
  int32_t rejected_ = 0;
};

}  // namespace gangplan
