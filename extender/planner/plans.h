// Carries the life table's actions out: asks for plans in the order of the queue, takes room for
// them, gives it back, and keeps slots, holds and held calls in step. Between the classes that own
// these and never know each other.
// Invariants, by BrokenInvariant: a slot that is held or posting has exactly one hold, on its node,
// pinned when it is posting; a member in bind has a held call; a posting slot has an open attempt.
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "extender/planner/books.h"
#include "extender/planner/copy_line.h"
#include "extender/planner/end_search.h"
#include "extender/planner/gains.h"
#include "extender/planner/limits.h"
#include "extender/planner/pin.h"
#include "extender/planner/plan_news.h"
#include "extender/planner/plan_options.h"
#include "extender/planner/round.h"
#include "extender/planner/victim_search.h"

namespace gangplan {

class Plans : public LifeActions {
 public:
  Plans(const PlanOptions& options, const Books& books)
      : options_(options),
        books_(books),
        round_(books.ledger.model(), options.round_work),
        lesser_(books.ledger, books.groups),
        victims_search_(options.preempts, options.preempts_pods, books),
        ends_search_(books, victims_search_),
        gains_(books, round_, lesser_, victims_search_) {}

  // --- The loop.
  // Events and solves, until there are none or the round's work is done.
  void Settle(absl::Time now);
  // What of them may change while it works: times, shares, the queue's mode, preemption. Whoever
  // waits is asked once more.
  void SetOptions(const PlanOptions& options);
  Round& round() { return round_; }
  // Sends the next copy, where it is time; looks at one group at least, and at more while the round
  // has work left.
  void SolveNextOutside();
  // There is work that the last round has left.
  bool busy() const {
    const bool sends = outside_.group == 0 && !line_.empty();
    return (planning_ && (!books_.queue.empty() || sends || gains_.busy())) ||
           books_.nominations.busy();
  }
  // False: events only, while groups are found again; what had started is planned first then.
  void SetPlanning(bool planning) { planning_ = planning; }
  bool planning() const { return planning_; }
  // Asks once more who may gain by what came free. False: it is not over yet.
  bool LookForGains() {
    return gains_.Look([this](const Group& group) { return MustWait(group); });
  }
  bool MayGain(Group& group) { return gains_.MayGain(group); }
  // Something else than room keeps the group off no more: it is asked once more, also when a copy
  // of it is being solved.
  void AskAnew(GroupId group) {
    outside_.anew |= outside_.group == group;
    books_.lifecycle.Fire(group, GroupEvent::kCapacityGained);
  }
  // A node is gone or stands elsewhere: who waits may wait for what can never be.
  void NoteShrunk() { gains_.AskAll(); }
  void Carry(absl::Time now, Group& group, GroupAction action) override;
  // A copy has come back, solved.
  void OnSolved(absl::Time now, const SolveTask& task);
  // A copy of it is solved, or is to be when those before it have been.
  bool IsSolvedOutside(GroupId group) const {
    return outside_.group == group || line_.Waits(group);
  }

  // --- Room.
  // Gives up what the node can no longer keep; `moved`: all that is held on it or for gangs of
  // which members run there. O(slots) then.
  void CheckNode(NodeIndex node, bool moved = false);
  // Whatever is held and not on its way, and the calls that wait on it.
  void Release(Group& group, std::string_view why);
  // The member's node is of no use to it: its slot goes elsewhere.
  void MoveSlot(Group& group, std::string_view uid);

  // --- Calls and Bindings.
  // True: there was a held call, it is answered.
  bool DropCall(Group& group, std::string_view uid, std::string_view error);
  // What is to be written for a member with a node.
  BindingWrite BindingOf(const Group& group, const Member& member, absl::Time not_after) const;
  // The node of a held or posting slot can keep it. REQUIRES: it has one.
  bool Stands(const Group& group, int32_t slot) const;
  // Writes the Binding of a member in bind. REQUIRES: its room is held, or its Binding in doubt.
  void Post(Group& group, std::string_view uid);
  // Every member is in bind: writes all Bindings, or mends what is wrong first.
  void Commit(absl::Time now, Group& group);
  void OnSettlement(absl::Time now, Group& group, const Settlement& settlement);

  // --- Members. A group may be gone after Leave.
  // The pod's nomination is due again: it is sent, or it was too often and the slot goes elsewhere.
  void RenewNomination(absl::Time now, const std::string& uid);
  // The watch shows it bound, or a restart finds it so.
  void Bound(Group& group, const PodFacts& pod);
  void SeatByRank(Group& group);                     // when all of them were. O(members)
  void Finished(Group& group, const PodFacts& pod);  // it has succeeded. REQUIRES: it has a slot
  // Members get the slots that are vacant: who runs already has its node at once, and those who
  // wait are returned.
  std::vector<std::string> SeatMembers(Group& group);
  // It is no member any more: its call is answered, its slot is vacant.
  void Leave(absl::Time now, GroupId group, const std::string& uid, std::string_view why);
  // Where nothing stands beside those that have succeeded, the rest starts anew, as a whole.
  void PassOver(Group& group);
  // What its record has of its group goes: it is of none. REQUIRES: the pod is known.
  void ForgetMember(std::string_view uid);
  // The pod may count nowhere any more: where it is made anew by now, its room is held for that.
  // Before anybody is solved.
  void OnPodGone(absl::Time now, std::string_view uid);
  // Nobody makes them anew: what is held for that ends.
  void OnOwnerGone(std::string_view owner_key);
  // It gives way as a whole: what it holds is given back, and what its pods that stop leave is not
  // its own.
  void GiveUpRoom(GroupId group);
  // Put off while Bindings behind it, where slots get other numbers, are open.
  void Resize(Group& group, int32_t set, int32_t count);
  // Those of which less is open by now, and those of which some have been passed over.
  std::vector<GroupId> TakePutOff();
  void Retold(Group& group, int32_t pod_set);  // a member has told the set's template
  LabelSet Annotations(const Group& group, int32_t slot) const;  // what its Binding tells of it
  void Retire(GroupId group);  // nothing is left of it but its members, which go over to others
  void Erase(GroupId group);
  // Groups of which a template was forgotten, or nobody waits who agrees with it, or the size is
  // another one now: who did not agree may do so, or tell the next template.
  std::set<GroupId> TakeUntold() { return std::exchange(untold_, {}); }
  void KeepUntold(GroupId group) { untold_.insert(group); }  // not all of them were asked

  // --- For who starts the owners that wait suspended.
  StartNews TakeStartNews() { return std::exchange(start_news_, {}); }
  // Its pods will be others than those that it was planned for, or it has a template for the first
  // time: whatever it holds is given back. REQUIRES: it has no member.
  void Foretell(Group& group, std::span<const Foretold> told);
  // Its pods are made now: they have the time to gather from here on.
  void AwaitPods(absl::Time now, const Group& group) {
    books_.ledger.SetEnd(group.id(), HoldReason::kGathering,
                         now + group.sizing().Patience(options_.gather_timeout));
  }
  // Those of a pod set will have this filter, which the nodes that it holds pass.
  void SetFilter(Group& group, int32_t pod_set, const NodeFilter& filter);

  // --- For who makes lesser groups give way (plans_victims.cc).
  // It would fit were these gone, and all that stops already.
  struct Victims {
    Plan plan;
    std::vector<Victim> victims;
    absl::Duration stop;  // so long they may take to, by their own words
  };
  std::map<GroupId, Victims> TakeVictims() { return std::exchange(victims_, {}); }
  bool MayPreempt(const Group& group) const { return victims_search_.MayPreempt(group); }
  // Nobody gives way to one that waits suspended and could not be started, until it can be.
  void SetMayStart(GroupId group, bool may) {
    if (victims_search_.SetMayStart(group, may) && may) AskAnew(group);
  }
  // Others have gone for it, and it has no room: it does not ask for more soon.
  void NoteInVain(absl::Time now, GroupId id);
  // Others have gone for it: likewise where it loses its room before it has started.
  void NoteWent(GroupId group) { victims_search_.NoteWent(group); }
  std::string WhyKeptBack(const Group& group) const;
  // The last of its members has come: it may ask for what it could not before.
  void NoteWhole(const Group& group);
  // It has this plan, where all of it still fits; else its turn comes.
  void TakePlan(absl::Time now, GroupId id, const Plan& plan);
  // Groups that may ask once more.
  void TickVictims(absl::Time now);
  void FollowShares(absl::Time now);  // who waits stands by the shares as they are now

  // --- For who keeps room for the first in line (plans_line.cc).
  // Its slot, where it has one, knows what is known of its end.
  void NoteEnd(const KnownPod& record, std::string_view uid);
  // Where it will go, and when.
  struct Foreseen {
    Plan plan;                     // not placed: nobody can tell
    std::optional<int64_t> by;     // Unix seconds, as EndsQuestion has it
    std::vector<GroupId> awaited;  // gangs of unknown end that have to be gone, too
  };
  std::map<GroupId, Foreseen> TakeForeseen(TopologyIndex topology);  // of this one
  // Asks for it; off the nodes that maintenance keeps from it where it begins then. False: not now;
  // where another copy is solved it comes next. REQUIRES: it stands in line.
  bool AskWhen(absl::Time now, GroupId group, std::optional<absl::Time> begins);

  // --- For reservations by name, of which each is asked about as a gang (named_reservations.h).
  // Where it goes, off these nodes, and those that maintenance keeps from it where it begins then.
  // False: not now. REQUIRES: it is one of NamedRoom.
  bool AskWhere(absl::Time now, GroupId, absl::Time begins, const std::vector<NodeIndex>& avoid);
  void SetNamed(GroupId account, std::unique_ptr<Group> group);  // its pods; null: it is over
  // By account; undecided: it is to be asked once more.
  std::map<GroupId, Foreseen> TakeNamedFound() { return std::exchange(named_found_, {}); }

  // --- For who climbs ladders.
  // Groups that have told one.
  std::set<GroupId> TakeLaddersTold() { return std::exchange(ladders_told_, {}); }
  // Groups that are gone; those with one that have lost a member, true, or found no room.
  std::map<GroupId, bool> TakeLadderNews() { return std::exchange(ladder_news_, {}); }

  // --- For who takes the gates of pods away.
  GateNews TakeGateNews() { return std::exchange(gate_news_, {}); }
  // Its pod set goes to these nodes alone, where what it holds is, or to any again, which helps it.
  void SetPin(Group& group, int32_t set, const Pin& pin);
  void Unpin(Group& group);
  // A member has shown nodes of which nobody knew: what is held may be elsewhere.
  void Repinned(Group& group);
  // The pod may go to this node and no other without asking us, or, empty, does so no more.
  void SetPledge(const std::string& uid, KnownPod& record, std::string node);
  // Its room there counts: as the hold of its slot, else by itself where there is some; while
  // groups are found again anyway.
  void KeepPledge(const std::string& uid, const KnownPod& record);
  // There was some.
  bool HasPledge(const std::string& uid, const KnownPod& record) const;
  // The watch shows what the scheduler says of a member that waits.
  void NoteWords(const KnownPod& record, const PodFacts& pod);
  // Its end has come, and all that it holds is that of pods that may be bound at any moment: it is
  // held on. REQUIRES: it has not started.
  bool Prolong(absl::Time now, Group& group);
  // Something of the group has changed: whoever looks after gates is told, where it has any.
  void NoteGates(const Group& group);
  // Fewer of its pods were released, or may be by now, than before: where there are none its room
  // may give way again.
  void NoteFreeToGo(const Group& group);
  std::string BrokenInvariant() const;

 private:
  bool IsPledged(const Group& group, int32_t slot) const;
  void KeepPledgeOf(const Member& member);
  void HoldPledged(absl::Time now, Group& group);
  void LeaveToHold(const std::string& uid, const KnownPod& record, const PodSet& set,
                   NodeIndex node);
  bool LeaveToPod(Group& group, int32_t slot);
  std::vector<int32_t> LeaveToPods(Group& group);
  void HoldPledge(absl::Time now, Group& group, const std::string& uid, const KnownPod& record);
  bool IsInPin(const Group& group, int32_t slot) const;
  void Mark(const Group& group);
  void Arm(absl::Time now, Group& group, HoldReason reason);
  void GiveBackOwn(Group& group, absl::FunctionRef<void()> give);
  void SolveNext(absl::Time now);
  void Solve(absl::Time now, Group& group);
  bool IsReady(Group& group, bool though_asked = false);
  std::string ShortInAll(const Group& group);
  bool ComesFree(Group& group);
  std::string WhyNotYet(const Group& group) const;
  void Conclude(absl::Time now, Group& group, Plan plan, const std::vector<int32_t>& wanted);
  bool AskFewer(Group& group, size_t asked);
  bool LosesRest(Group& group);
  void TellEarly(Group& group, std::string reason, bool fits);
  void EnsureShapes(Group& group);
  void FreeSpares(const Group& group);
  Plan Ask(Group& group, const std::vector<int32_t>& wanted);
  void Found(absl::Time now, Group& group, const Plan& plan);
  void Fail(Group& group, Verdict verdict);
  void NoteLadder(const Group& group, bool lost);
  void NoteLadderTold(const Group& group);
  void Take(absl::Time now, Group& group, const Plan& plan);
  using NodeAndSet = std::pair<NodeIndex, int32_t>;
  bool Fits(const Group& group, const Plan& plan) const;
  bool FitOn(const Group& group, std::span<const NodeAndSet> places) const;
  // plans_copies.cc
  struct Outside {
    GroupId group = 0;               // of which a copy is solved; 0: of none
    std::optional<Verdict> without;  // it looks behind lesser groups; what was found without that
    bool anew = false;               // it is to be asked once more since then
    uint64_t asked_all = 0;          // as Gains counted then
  };
  void Line(const Group& group);
  void Send(const Group& group, std::shared_ptr<SolveTask> task, std::optional<Verdict> without);
  void SolveOutside(Group& group, const std::vector<int32_t>& wanted);
  void TakeSolved(absl::Time now, const SolveTask& task, const Outside& asked);
  void Undecided(absl::Time now, Group& group, const Outside& asked, const Plan& plan);
  bool FitNamed();  // plans_named.cc
  void WishForRoom(const Group& group);
  std::vector<NodeIndex> LiftNamed(std::vector<GroupId>& accounts, const Plan& plan);
  static int64_t WorkOf(const SolveTask& task);
  bool AskForLesser(absl::Time now, Group& group, const Verdict& without,
                    const std::vector<int32_t>& wanted);
  void TakeBehind(absl::Time now, Group& group, const Plan& plan, const Verdict& without);
  std::vector<GroupId> GiveWayTo(absl::Time now, const Group& group);
  std::vector<GroupId> InTheWay(absl::Time now, const Group& group, const Plan& plan);
  bool TakeFromLesser(absl::Time now, Group& group, const Plan& plan);
  // plans_line.cc
  SolveRank RankOf(const Group& group) const;
  SolveQueue::Place PlaceOf(const Group& group) const;
  bool MustWait(const Group& group) const;
  void TellBehind(Group& group);
  static bool IsWhole(const Group& group);
  static bool MayStand(const Group& group) { return IsWhole(group) && group.holds() == 0; }
  void StandInLine(const Group& group);
  void StandAsTold(const Group& group);
  void TakeForeseen(Group& group, const SolveTask& task, Plan plan);
  void TakeNamed(const SolveTask& task);
  std::optional<GroupId> Passable(absl::Time now, const Group& group) const;
  // plans_victims.cc
  bool AskForVictims(absl::Time now, Group& group, const Verdict& without,
                     const std::vector<int32_t>& wanted);
  void TakeAnswer(absl::Time now, Group& group, const SolveTask& task, Plan plan,
                  const Verdict& without);
  void TellAgainst(const Group& group, Verdict& verdict) const;
  bool StopsTooLate(absl::Time now, Group& group, const Plan& plan,
                    const std::vector<Victim>& victims);
  void GiveWay(Group& lesser, const std::vector<Ledger::Lifted>& holds, const Group& group);
  void GiveBack(absl::Time now, Group& group);
  static Verdict GivenUp(const Group& group, int32_t members);
  void GiveUp(absl::Time now, Group& group);
  void GiveUpSlot(absl::Time now, Group& group, int32_t slot, const std::string& why);
  bool IsFreeing() const {
    return books_.ledger.AnySpent() || books_.nominations.AnyLost() || books_.named.AnyToFit();
  }
  void SeatAndSend(Group& group);
  void BeginAnew(Group& group);
  bool MayPassOver(const Group& group) const;
  void ShrinkSpare();
  void ReleaseBeside(NodeIndex node);
  bool LetsIn(const PodSet& set, NodeIndex node) const;
  void NoteRun(Group& group, int32_t pod_set);
  void MarkUntold(Group& group);
  void DropShapes(Group& group);
  void ForgetTemplates(Group& group);
  void ReleaseSlot(Group& group, int32_t slot, std::string_view why);
  void ForgetNodes(Group& group, std::span<const int32_t> slots);
  bool CommitProblems(absl::Time now, Group& group);
  bool DoubtfulWait(Group& group);
  bool DropIfLost(Group& group, int32_t slot);
  void NotWritten(absl::Time now, Group& group, const Settlement& settlement);
  bool Mended(Group& group);
  void TellRefused(absl::Time now, Group& group, std::string_view uid, std::string_view message);
  void PostAwaited(Group& group);
  void TakeClaimedSize(Group& group);
  int32_t RanksOf(const Group& group, int32_t set) const;
  void AdoptBound(Group& group, const PodFacts& pod, NodeIndex node);
  void AdoptAt(Group& group, const std::string& uid, std::optional<int32_t> rank, NodeIndex node);
  void LeaveWhilePosting(Group& group, int32_t slot, const std::string& uid);
  // plans_returns.cc
  using Place = std::pair<int32_t, int32_t>;  // pod set, rank in it: slots get other numbers
  struct Return {
    Place place;
    std::string node;  // by name: another one may have its index when the pod is gone
  };
  std::optional<Return> ReturnOf(const Group& group, const Member& member) const;
  void AwaitReturn(const Group& group, const std::string& uid, Return&& back);
  static bool EndsRun(const Group& group, const std::string& uid);
  static bool LacksLeader(const Group& group);
  static int32_t VacantAt(const Group& group, const Place& place);
  bool MayGetAnew(const Group& group) const;
  static bool IsFor(const Group& group, const Place& place, int64_t kept);
  bool MayComeTo(const Group& group, const Place& place) const;
  bool StandsBeside(const Group& group, const Return& back) const;
  bool MayReturn(const Group& group, const Return& back) const;
  bool HoldReturn(absl::Time now, Group& group, const Return& back);
  bool HoldAnew(Group& group, int32_t slot);
  std::vector<Place> KeptPlaces(const Group& group, int32_t set = -1) const;
  void ForgetFilled(const Group& group);
  void EndVainReturns(const Group& group);
  void ForgetReturns(GroupId id);
  void EndKept(Group& group, std::string_view why);
  void EndReturns(Group& group, std::string_view why);
  void EndReturnsBeyond(Group& group, int32_t set, int32_t count, std::string_view why);

  PlanOptions options_;
  Books books_;
  bool planning_ = true;
  std::set<GroupId> first_;  // of the queue: what had started, while groups are found again
  std::set<GroupId> untold_;
  StartNews start_news_;
  GateNews gate_news_;
  std::set<GroupId> ladders_told_;
  std::map<GroupId, bool> ladder_news_;
  std::map<GroupId, int32_t> put_off_;  // sizes that wait for Bindings; so many were open then
  std::set<GroupId> to_shrink_;         // something of them may go by now
  Outside outside_;
  GroupId answered_ = 0;  // whose copy has just come back: it is still its turn
  CopyLine line_;         // for a copy; nobody of these is solved meanwhile
  Round round_;
  LesserRoom lesser_;
  VictimSearch victims_search_;
  EndSearch ends_search_;
  Gains gains_;
  std::map<GroupId, Victims> victims_;
  std::map<GroupId, Foreseen> foreseen_;
  std::map<GroupId, Foreseen> named_found_;
  // Pods of gangs that run, which are promised to these (Yielding) until they are gone; and where
  // room was held then, of which some may be filled or given back by now.
  std::map<std::pair<GroupId, std::string>, Return> returns_;  // by UID
  std::map<GroupId, std::set<Place>> kept_places_;
  std::vector<GroupId> moved_;  // whose share is another one than that by which they stand
};

}  // namespace gangplan
