// Who of the members is told of its node, and when: so many in a turn, the others in the turns
// after it; and who is told that it has none any more. What a pod was told last is the Waker's,
// whose node is whose the Group's.
//
// Invariant: whoever may go to a node and was told to wait is pointed to it, or stands in line to
// be. Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "extender/planner/bind_desk.h"
#include "extender/planner/group_book.h"
#include "extender/planner/ledger.h"
#include "extender/planner/pod_book.h"
#include "extender/planner/refusals.h"
#include "extender/planner/waker.h"

namespace gangplan {

class Nominations {
 public:
  // `sampled_from`: nodes from which on the scheduler offers only a sample of them. `at_once`:
  // members that are told in one turn that they have no node any more.
  Nominations(int32_t sampled_from, size_t at_once, const Ledger& ledger, GroupBook& groups,
              const PodBook& pods, const BindDesk& desk, Refusals& refusals, Waker& waker)
      : sampled_from_(sampled_from),
        at_once_(at_once),
        ledger_(ledger),
        groups_(groups),
        pods_(pods),
        desk_(desk),
        refusals_(refusals),
        waker_(waker) {}

  // Filter would let it through to its node: its room is held and no Binding of it is surely open.
  bool MayGo(const Group& group, const Member& member) const;
  // Points the scheduler to the member's node, where it may go there.
  void Send(const Group& group, std::string_view uid);
  // To those of all members, so many that the turn does not take long; the others with SendRest.
  void SendAll(const Group& group);
  // The pod's nomination is due again. False: it was sent too often, and its slot is to go
  // elsewhere than to this node, which is refused for it.
  bool Renew(absl::Time now, const std::string& uid);
  // Members that stand nominated to the node and are not planned there keep nobody from it.
  void WithdrawFrom(NodeIndex node);

  // These slots have lost their nodes. True: they are many, and their members are told so in the
  // turns that follow; false: the caller tells them.
  bool NoteLost(GroupId group, size_t slots);
  // Some are still to be told that: until then they stand for room that is not theirs.
  bool AnyLost() const { return !lost_.empty(); }
  void Forget(GroupId group) { lost_.erase(group); }

  // Once a turn.
  void SendRest();
  bool busy() const { return !unsent_.empty() || !lost_.empty(); }

 private:
  int64_t SendSome(const Group& group, int64_t most, std::string& last);
  void TellLost();

  const int32_t sampled_from_;
  const size_t at_once_;
  const Ledger& ledger_;
  GroupBook& groups_;
  const PodBook& pods_;
  const BindDesk& desk_;
  Refusals& refusals_;
  Waker& waker_;
  // Members up to this UID were told, while there are more.
  std::map<GroupId, std::string> unsent_, lost_;
};

}  // namespace gangplan
