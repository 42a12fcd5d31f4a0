// Nodes that have not been ready for a while, where that is acted on (repair.after): the pods of
// gangs there are evicted, which marks them as disrupted, so that their controllers make them anew
// and the gangs are repaired around those that live; what a budget refuses is deleted. Else that is
// left to Kubernetes, which evicts them after five minutes.
//
// A node that is deleted with pods on it counts as one that is not ready, until they have gone. One
// that becomes ready in between costs nothing. Where most nodes are not ready the network,
// or the control plane, has failed and not the nodes: nothing is deleted, as Kubernetes has it.
// Pods that nobody makes anew are left. What is sent is sent again until the watch shows it, since
// doing it again is the same: an instance that has just begun only counts the time anew.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "extender/planner/books.h"
#include "extender/planner/timers.h"
#include "topology/node_facts.h"

namespace gangplan {

class FailedNodes {
 public:
  // `after`: since it was seen not to be ready; zero: nothing is done.
  FailedNodes(absl::Duration after, const Books& books) : after_(after), books_(books) {}

  // Nodes that are not ready now have this time from now on, also those that had failed.
  void SetAfter(absl::Time now, absl::Duration after);
  void OnNode(absl::Time now, const NodeFacts& node);
  // After it was taken out of the ledger: its pods run no more, whoever notices that.
  void OnNodeDeleted(absl::Time now, std::string_view name);
  void OnNodeLeft(std::string_view name) { Recovered(std::string(name)); }  // it is not ours now
  // Of each PodDelete whose number is kAttempt.
  void OnDeleted(std::string_view uid, const absl::Status& status);
  void Tick(absl::Time now);
  // All have their time from now on.
  void CountAnew(absl::Time now);
  // What is seen of nodes and pods is so, for all that is known.
  bool MayAct() const { return books_.sight.sees() && !IsOutage(); }

  static constexpr int64_t kAttempt = 0;

 private:
  void Fails(absl::Time now, const std::string& name);
  void ForgetEmpty();
  void Recovered(const std::string& name);
  // Nodes that are there and not ready: who deletes some means that.
  int64_t Lost() const { return std::ssize(not_ready_) - std::ssize(deleted_); }
  // So many nodes are not ready that it is the network, or the control plane, that has failed.
  bool IsOutage() const;
  void TellOutage();
  using Place = std::pair<GroupId, int32_t>;  // a slot
  static constexpr Place kEnd = {std::numeric_limits<GroupId>::max(), 0};
  // The slots between these that are bound to failed nodes. False: that was enough for once.
  bool ClearBetween(const Place& from, const Place& until, const std::set<NodeIndex>& failed);
  bool Clear(const Group& group, const Place& from, const Place& until,
             const std::set<NodeIndex>& failed);
  void Send(const PodRef& pod);
  void Tell(const Group& group, NodeIndex node);

  absl::Duration after_;
  const Books books_;
  std::set<std::string> not_ready_;
  std::set<std::string> deleted_;  // ... of which these are gone, with pods that are not
  Timers<std::string> due_;        // nodes that will have failed
  std::set<std::string> failed_;   // ... and those that have
  absl::Time look_ = absl::InfinitePast();
  int32_t sent_ = 0;  // since the last look
  Place reached_;     // where the next look begins
  bool outage_told_ = false;
  std::set<std::pair<std::string, GroupId>> told_;  // node, group
  std::set<std::string, std::less<>> refused_;      // pods that a budget is against
};

}  // namespace gangplan
