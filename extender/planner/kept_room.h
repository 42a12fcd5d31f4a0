// Room that is kept for groups that wait, by a plan that others stand in the way of: what is free
// of it from the beginning, what each pod in the way leaves as it goes, so that nobody else gets
// it. Who goes, and when it is over, others say (preemptions.h, reservations.h).
//
// What is kept stands in accounts of the ledger of its own, and yields to pods of greater priority
// as holds do. A pod leaves its room to one account at the most: its room is promised.
//
// Thread rule: the planner's.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/books.h"

namespace gangplan {

class KeptRoom {
 public:
  explicit KeptRoom(const Books& books) : books_(books) {}

  // A plan whose room is to be kept, before anything is: who leaves what of it is told by Await and
  // Give, in any order, as long as something is lacking.
  class Draft {
   public:
    Draft(const Books& books, const Group& group, Plan plan);
    // The pod goes. Nothing where its room is not needed, or is promised to others. What the group
    // awaits as the first in line is taken over when the draft is kept.
    void Await(std::string_view uid);
    // So much of the node will be free, without a pod that tells so. False: it is not needed.
    bool Give(NodeIndex node, const ResourceList& room);
    // What the group holds for whoever comes to it anew: on these nodes it is needed. O(slots).
    std::vector<NodeIndex> GiveVacant(const Group& group);
    // Likewise what a pod leaves to its gang as it goes.
    void GiveReturn(std::string_view uid);
    // What a pod leaves to the group, which may give way, and what that holds for whoever comes to
    // it anew: nothing of it is promised before it is collected.
    void OweReturn(GroupId from, std::string_view uid);
    void OweVacant(const Group& from);
    const Plan& plan() const { return plan_; }

   private:
    friend class KeptRoom;
    // A pod on its nodes that is to go, and what it leaves.
    struct Awaited {
      NodeIndex node = kNoNode;
      RequestsRef requests;
    };
    // What the plan takes of a node, the first pod set that goes there, where it stands, and what
    // of it others leave.
    struct Site {
      int32_t pod_set = 0;
      ResourceList need;
      std::vector<std::string> units;
      ResourceList given;
    };
    struct Owed {
      GroupId from = 0;
      std::string uid;  // of who leaves it; empty: nobody does
      NodeIndex node = kNoNode;
      ResourceList room;
    };
    bool Lacks(NodeIndex node, const Site& site) const;

    const Books& books_;
    GroupId group_ = 0;
    std::vector<int32_t> counts_;  // its members, by pod set
    Plan plan_;
    std::map<NodeIndex, Site> sites_;
    std::map<std::string, Awaited, std::less<>> awaited_;  // by UID
    std::vector<Owed> owed_;
    int32_t kept_ = 0;  // holds that were made
    HoldReason reason_ = HoldReason::kPreempting;
    absl::Time end_;
  };

  // Keeps what the plan takes beyond what others leave; what these leave is promised. False:
  // nothing is kept, since that is not free any more. REQUIRES: the account keeps nothing.
  bool Keep(GroupId account, Draft draft, HoldReason reason, absl::Time end);
  // Both of what that group owes, and REQUIRE: the account keeps something. O(what is owed x the
  // group's members).
  // It has it still, or it is free by now.
  bool MayCollect(GroupId account, GroupId from) const;
  // The group has let go of it: it is kept. False: some is another's by now, and is lost.
  bool Collect(GroupId account, GroupId from);
  // The group still waits for that plan: its size is the plan's, and it has no other room.
  static bool IsWanted(const Group* group, const Plan& plan);
  // All of these REQUIRE: the account keeps something, or waits for it.
  bool Knows(GroupId account) const { return kept_.contains(account); }
  bool IsWantedBy(const Group* group, GroupId account) const;
  // Likewise, and the plan is of the templates as they are, its nodes stand where they did, and may
  // be used. O(places x levels).
  bool Stands(const Group& group, GroupId account) const;
  bool AllGone(GroupId account) const { return At(account).awaited_.empty(); }
  const Plan& PlanOf(GroupId account) const { return At(account).plan_; }
  // Some of it went to others.
  bool HasLost(GroupId account) const {
    return books_.ledger.HoldCount(account) != static_cast<size_t>(At(account).kept_);
  }
  void End(GroupId account);  // gives all of it back

  // The pod may count nowhere any more: its room is kept where it is promised. Before anybody is
  // solved.
  void OnPodGone(std::string_view uid);

 private:
  const Draft& At(GroupId account) const { return kept_.find(account)->second; }
  // IsWanted, and its pod sets are those of the plan.
  static bool IsWantedAs(const Group* group, const Draft& draft);
  bool Hold(GroupId account, Draft& draft, NodeIndex node, const ResourceList& room);
  const std::string* NewcomerOf(const Draft& draft, const Draft::Owed& owed) const;
  bool CollectOne(GroupId account, Draft& draft, const Draft::Owed& owed);
  void AwaitLate(GroupId account, Draft& draft, const std::string& uid);

  const Books books_;
  std::map<GroupId, Draft> kept_;
};

}  // namespace gangplan
