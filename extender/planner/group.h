// A group as the planner keeps it: its pod sets, its members, and, while it has a plan, the slots
// of that plan. All data is private and changes by the functions here only, which keep the counts
// that answer the life table's guards in O(1). Slots come into being with a plan (or with the first
// member that is found bound) and go with it, so that a group costs what its pods cost.
// A group knows neither the model nor the calls: holds are the ledger's, calls the bind desk's.
// Invariants, by BrokenInvariant: a member's slot names it, and it is one of its own pod set; the
// counts are those of the members and slots.
// Callers name members by their UID over calls: a reference dies with the next change.
// Thread rule: the planner's.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/pod_ref.h"
#include "extender/frontends/limits.h"
#include "extender/planner/group_past.h"
#include "extender/planner/ledger.h"
#include "extender/planner/life.h"
#include "extender/planner/member.h"
#include "extender/planner/plan_shape.h"
#include "extender/planner/pod_sets.h"
#include "extender/planner/waiting.h"

namespace gangplan {

class Group {
 public:
  using Members = std::map<std::string, Member, std::less<>>;  // by UID, so that order never varies

  Group(GroupId id, GroupKey key, std::optional<OwnerRef> owner);

  GroupId id() const { return id_; }  // in order of arrival
  const GroupKey& key() const { return key_; }
  const std::string& name() const { return name_; }  // namespace/name
  const std::optional<OwnerRef>& owner() const { return owner_; }
  // UIDs of whoever has made its pods (MakerUidOf), the first kMaxMakers.
  const std::set<std::string, std::less<>>& makers() const { return makers_; }
  bool HadPodsOf(std::string_view maker_uid) const { return makers_.contains(maker_uid); }
  GroupState state() const { return state_; }
  const PodSets& pod_sets() const { return pod_sets_; }
  TopologyIndex topology() const { return pod_sets_.topology(); }  // to whose nodes it goes
  int32_t size() const { return pod_sets_.size(); }
  // What it says that it has: less than its size while slots that are to go are taken.
  int32_t claimed() const { return pod_sets_.claimed(); }
  int32_t priority() const { return priority_; }  // the greatest of the templates seen
  // Among those of one priority: less by what its members, or its owner, say (gangplan.io/nice).
  int32_t object_priority() const { return object_priority_ - nice(); }
  int32_t nice() const { return nices_.empty() ? nice_by_owner_ : nices_.rbegin()->first; }
  bool TakeNiceTold() { return std::exchange(told_nice_, nice()) != nice(); }  // it is another one
  // The oldest of its pods, or its owner where that is its own. Unix seconds; 0: nobody has told.
  int64_t created() const { return created_; }
  void NoteCreated(int64_t created) {
    if (created > 0 && (created_ == 0 || created < created_)) created_ = created;
  }
  const Members& members() const { return members_; }
  const Member* Find(std::string_view uid) const;
  const Member* At(int32_t slot) const { return this->slot(slot).member(); }  // null: vacant
  bool planned() const { return !slots_.empty(); }
  const std::vector<Slot>& slots() const { return slots_; }
  const Slot& slot(int32_t index) const { return slots_[static_cast<size_t>(index)]; }

  // --- Members.
  // Judges the pod and takes it in; the first one of its set tells its template. True: it did.
  bool Add(const PodFacts& pod, const GroupSpec& spec, absl::Time now);
  void Remove(std::string_view uid);  // its slot is vacant; a bound one is empty. REQUIRES: there
  // Members that wait for a slot get those that are vacant: of their own rank, else in the order of
  // their coming. Returns who got one; nobody without a plan.
  std::vector<std::string> AssignSlots();
  int64_t seat_looks() const { return seat_looks_; }  // members that were looked at for that
  // Where a member goes that was found bound: its slot, else the one of its recorded rank, unless a
  // member has a node there, else any. Makes the slots. -1: every slot is taken.
  int32_t SlotToAdopt(std::string_view uid, std::optional<int32_t> rank);
  void Unseat(std::string_view uid);  // where it was bound is empty. REQUIRES: it has a slot
  // It is bound to `node`; another member without a node makes way. REQUIRES: no hold is there.
  void Adopt(std::string_view uid, int32_t slot, NodeIndex node);
  void Finish(std::string_view uid);  // has succeeded. REQUIRES: nothing is held for it
  // Some of it was lost, and nothing stands but those that have succeeded, while others wait.
  bool OnlySucceeded() const;
  void PassOver();  // these show no more that it runs while others are there, and have no slots
  // Its gates are gone. `released`: it may go to the nodes of its pod set's pin alone, or to its
  // own one where that is not empty.
  void SetUngated(std::string_view uid, bool released, std::string own_node);
  void SetGoing(std::string_view uid, bool going);  // REQUIRES: it is gated, or is not going
  void SetDeleted(std::string_view uid, bool gone) { members_.find(uid)->second.deleted = gone; }
  // It has this slot from now on; who had it waits for another one. REQUIRES: both are empty.
  void SeatAt(std::string_view uid, int32_t slot);
  bool SetAsked(std::string_view uid, absl::Time now);  // true: that is news
  void SetInBind(std::string_view uid, bool in_bind);
  void CountRefusal(absl::Time now, std::string_view uid, std::string_view message);  // of Bindings
  absl::Duration RefusedFor(std::string_view uid, absl::Time now) const;  // since it got room anew
  void ForgetRefusals(std::string_view uid);               // it is bound: nothing was fruitless
  const std::string& refusal() const { return refusal_; }  // of the last Binding; empty: none
  void Swap(int32_t a, int32_t b);  // of one pod set, their members. REQUIRES: neither is in bind

  // --- Of an owner that waits suspended, or was started.
  GroupStart start() const { return start_; }
  bool suspended() const { return start_ == GroupStart::kSuspended; }
  // It is a group also without members.
  bool StaysEmpty() const {
    return suspended() || start_ == GroupStart::kComing || start_ == GroupStart::kEnding;
  }
  // Its pods will be like these, one of each pod set. What was foretold is forgotten, and how it
  // ran. REQUIRES: it has no member, and nothing is held.
  void Foretell(std::span<const Foretold> told);
  void SetStart(GroupStart start) { start_ = start; }
  // Its pods of this set come when all others are ready, and will be like this one. Of use while
  // nobody has told that, and there is no plan.
  bool AwaitsLast(std::string_view name) const;
  void ForetellLast(const Foretold& told);
  // It was whole and has not grown since: something of it is to be replaced.
  bool HasLost() const { return whole_size_ > 0 && whole_size_ >= claimed(); }
  // Of one of at least so many: what it had beyond this number nobody replaces.
  void LimitWhole(int32_t most);
  void GiveUp(std::string_view uid);  // likewise, what it loses with this member. REQUIRES: there
  // Its owner was started with so many, as a restart finds it.
  void NoteStartedWith(int32_t members);
  // What was foretold of a pod set has this filter now; what is held stays.
  void SetFilter(int32_t set, const NodeFilter& filter) { pod_sets_.SetFilter(set, filter); }

  // --- Its ladder, where its words have one.
  const std::vector<Rung>& ladder() const { return pod_sets_.ladder(); }
  size_t rung() const { return pod_sets_.rung(); }  // in force
  void SetRung(size_t rung);
  bool relaxed() const { return pod_sets_.relaxed(); }
  void SetRelaxed(bool relaxed) { pod_sets_.SetRelaxed(relaxed), NoteTried(0, 0); }
  // Some of it is bound by this rung, or its owner is started by it: it goes below no more.
  void NoteBoundBy(size_t rung);
  size_t bound_by() const { return bound_by_; }
  void ForgetBoundBy() { bound_by_ = 0; }  // nothing of it is
  // All of it has room, and nothing runs: what it was planned by is what it has.
  bool IsWholePlan() const { return holds() > 0 && holds() == size() && !Started(); }
  // "; after 10m of waiting \"block=pack!\" will do"; empty: it comes to no other rung.
  std::string NextRungText() const;
  // Since when its owner waits, where there are no pods yet that tell it.
  std::optional<absl::Time> waits_since() const { return waits_since_; }
  void NoteWaits(absl::Time since) { waits_since_ = since; }

  // --- Of pods that wait behind gates of ours.
  int32_t gated() const { return gated_; }        // live members that do
  int32_t released() const { return released_; }  // ... that did, and do not run yet
  int32_t going() const { return going_; }        // ... that do, and may be released by now
  bool IsFixed() const { return released_ + going_ > 0; }  // what it holds stays where it is
  bool AnyPin() const;                                     // some pod set of it is pinned
  void SetPin(int32_t set, std::vector<NodeSelectorTerm> terms, std::string words);
  // A member was released to nodes of which the group did not know. Asked once.
  bool TakeRepinned() { return std::exchange(repinned_, false); }
  // Its members get these with their Bindings: what was booked for it, by others.
  const LabelSet& booked() const { return booked_; }
  void SetBooked(LabelSet booked) { booked_ = std::move(booked); }

  // --- Slots. The ledger is told by the caller.
  void MakeSlots();
  // REQUIRES: every slot is empty. Nothing when a member has run: its slots tell so.
  void DropSlots();
  // Slots are made where there are none, and members seated when all of these are held.
  void SetHeld(std::span<const std::pair<int32_t, NodeIndex>> places);
  void SetHeld(int32_t slot, NodeIndex node);
  void SetPosting(int32_t slot);
  void SetBound(int32_t slot, NodeIndex node);
  // Its pod, which is bound, is gone by then, as Slot has it.
  void SetEnds(int32_t slot, uint32_t ends) { slots_[static_cast<size_t>(slot)].ends = ends; }
  void SetHeldAgain(int32_t slot);  // its Binding was not written
  void SetEmpty(int32_t slot);
  void SetLost(int32_t slot) { slots_[static_cast<size_t>(slot)].lost = true; }
  // The room of this slot was of no use: it is not wanted before its member is asked for, and not
  // before that time.
  void MarkGivenBack(int32_t slot, absl::Time not_before);
  void MarkAllGivenBack();  // likewise, of every member
  // Empty slots that a plan is asked for: all of a group that has not started; later only those
  // with a member, and with one of them the others of a pod set in slices: a slice that was lost as
  // a whole is placed as a whole, before its first new pod settles where the rest cannot follow.
  std::vector<int32_t> WantedSlots() const;
  // Of this pod set's slots that are held: each once, ascending.
  std::vector<NodeIndex> HeldNodes(int32_t set) const;
  bool WantsSlots() const;  // there are some; O(1)
  int32_t In(SlotState state) const { return slots_in_[static_cast<size_t>(state)]; }

  // --- Pod sets.
  // The template of a set of which no member is left, and of which nothing is held or has begun, is
  // told anew by its next member: one that was wrong can be mended. Without any template the list
  // of pod sets is told anew, too. True: there was one.
  bool ForgetTemplates();
  // Members with a problem, in the order in which they are judged anew.
  const std::set<UnsoundMember>& unsound() const { return unsound_; }
  // A template, or the size, may be another one: members with a problem may have none by now.
  void MarkUntold() { ++templates_; }
  bool IsUntold(const Member& member) const {
    return !member.sound() && member.judged != templates_;
  }
  std::vector<ShapeId> TakeDroppedShapes() { return pod_sets_.TakeDropped(); }
  void SetShape(int32_t set, ShapeId shape) { pod_sets_.SetShape(set, shape); }
  void SetGone(int32_t set, int32_t gone) { pod_sets_.SetGone(set, gone); }
  const Sizing& sizing() const { return sizing_; }  // as its first sound member had it, and so are
  const Origins& origins() const { return origins_; }
  // How long those run that wait. True: it is news, and it was not tried by that.
  bool LearnRuntime(int32_t set, int64_t room_taken);
  // One more pod set, behind the others and without slots. False: it has as many as it may have.
  bool AppendSet(std::string_view name);
  // Another count of this pod set. Slots that are not empty stay until they are. REQUIRES: nothing
  // is held behind it, where slots get other numbers.
  void Resize(int32_t set, int32_t count);
  // Takes away what is spare and empty by now. Slots behind it get other numbers.
  void ShrinkSpare();

  // --- What the guards ask.
  // Something of it is bound, may become so, or has run.
  bool Started() const;
  bool AnyRuns() const;  // ... and not only may: something is known to be bound, or to have run
  bool AnyFinished() const { return finished() + In(SlotState::kFinished) > 0; }  // there or gone
  bool Complete() const;  // every open slot has a member; without a plan: enough members are there
  bool AllBound() const;  // every slot that is to stay is bound or finished, and nobody waits
  // Likewise, but for pods that are made last and are not there: room may be held for them.
  bool AllThereRun() const;
  bool AllCalled() const;
  bool AllAsked() const;
  bool AllFinished() const;
  // A plan can be asked for: one that has started may lack pod sets of which nothing is left.
  bool Placeable() const { return size() > 0 && (pod_sets_.unseen() == 0 || Started()); }
  // It has no plan for want of room, or lacks the room of a member.
  bool WaitsForRoom() const;
  bool StandsOn(NodeIndex node) const;  // a member that runs, or may run by now; O(slots)
  std::string UnseenText() const;       // which pod sets no pod was seen of, for people
  bool AnyLive() const { return live_ > 0; }
  bool AnyUnsound() const { return !unsound_.empty(); }
  int32_t misfits(Misfit kind) const { return misfits_[static_cast<size_t>(kind)]; }
  bool AnyAstray() const { return astray_ > 0; }  // released elsewhere than the group
  bool AnyApart() const { return apart_ > 0; }    // released to its own node, and runs not yet
  int32_t live() const { return live_; }
  int32_t finished() const { return finished_ - (live_ > 0 ? over_ : 0); }  // PassOver
  bool AnyOver() const { return over_ > 0; }
  int32_t in_bind() const { return in_bind_; }
  int32_t bound() const { return In(SlotState::kBound); }
  // Members without a node whose room was given back: nobody has asked for them since.
  int32_t unasked() const { return unasked_; }
  int32_t holds() const { return In(SlotState::kHeld) + In(SlotState::kPosting); }
  // How many there will be before it starts: without those that are made last and have not come.
  int32_t Expected() const;
  int32_t slotless() const { return static_cast<int32_t>(slotless_.size()); }
  // More members are there, or bound, than ever when that was noted last.
  bool Progressed() const;
  void NoteProgress();

  // --- Why it waits, and how it went.
  // What is said of why it is not to be planned; null: nobody says so.
  const std::string* hold() const { return held_ > 0 || held_by_owner_ ? &hold_ : nullptr; }
  const Verdict& verdict() const { return verdict_; }
  void SetVerdict(Verdict verdict);
  // The last time that one of it was told to wait.
  WaitAnswer answered() const { return answered_; }
  void SetAnswered(WaitAnswer answer) { answered_ = answer; }
  bool TakeTold();  // an Event with the whole evidence is due; asked once
  void Tell() { tell_ = true; }
  void CountPlan() { ++plans_; }
  int32_t plans() const { return plans_; }
  void AddSolverTime(absl::Duration took) { solver_time_ += took; }
  absl::Duration solver_time() const { return solver_time_; }
  std::optional<absl::Time> begun() const { return begun_; }  // the first pod of it was seen
  std::optional<absl::Time> whole() const { return whole_; }  // the last one was bound
  int32_t times_whole() const { return times_whole_; }
  void MarkBegun();
  GroupPast past() const;
  const GroupWait& wait() const { return wait_; }
  const std::optional<PlanQuality>& quality() const { return quality_; }
  void SetQuality(std::optional<PlanQuality> quality) { quality_ = quality; }
  void SetPast(const GroupPast& past);
  // Rooms that came to nothing in a row.
  int32_t fruitless() const { return fruitless_; }
  void CountFruitless() { ++fruitless_; }
  // Questions in a row that even a copy with all steps could not decide.
  int32_t undecided() const { return undecided_; }
  void CountUndecided() { ++undecided_; }
  void ForgetUndecided() { undecided_ = 0; }
  // The model's Gain of its shapes, and that of its neighbours, when it was tried last.
  uint64_t tried() const { return tried_; }
  uint64_t tried_neighbours() const { return tried_neighbours_; }
  void NoteTried(uint64_t gain, uint64_t neighbours);
  // Of those who join it no more are wanted at once, until there is room that was not tried.
  void LimitJoins(int32_t most) { verdict_.most_joins = most; }
  void MarkBehind() { verdict_.behind = true; }  // it is asked anew when its turn comes
  // What it holds was planned while its members ran where its rules do not let them: it is of no
  // use once some of them are gone.
  bool torn() const { return torn_; }
  void SetTorn(bool torn) { torn_ = torn; }
  const std::string& stale() const { return stale_; }  // why its words are read anew; empty: no
  void MakeStale(std::string_view why) { stale_ = why; }
  void EndStale() { stale_.clear(); }

  // Of a group that is of no more use: gives back the memory of so many members and slots, which
  // takes long at once. How many more it could have freed; 0: some may be left.
  int64_t FreeSome(int64_t most);

  std::string BrokenInvariant() const;

 private:
  friend class Lifecycle;  // sets the state
  friend class GroupBook;  // sets the owner
  void SetState(GroupState state, absl::Time now);

  bool BeginSlots();
  void SeatAll();
  void ClearSlots();
  int32_t VacantLast(bool held = false) const;
  bool IsSizedLike(const PodFacts& pod, const GroupSpec& spec) const;
  void TakeSizing(const GroupSpec& spec) { sizing_ = spec.sizing, origins_ = spec.origins; }
  bool InSlices(const PodSet& set) const;
  int32_t BoundAtOnce() const;
  void MarkRuns(Member& member);
  int32_t OwnSlot(const Member& member) const;
  int32_t FreeOwnSlot(const Member& member) const;
  int32_t FreeSlotFor(const Member& member) const;
  int Worth(int32_t index) const;
  bool IsAstray(const PodFacts& pod, const GroupSpec& spec) const;
  void TakePin(const PodFacts& pod, const GroupSpec& spec);
  int32_t SlotInTurn(const PodSet& set, int32_t rank) const;
  std::vector<int32_t> FreeSlotsOf(const PodSet& set, size_t wanted) const;
  int32_t BestSlotOf(const PodSet& set) const;
  std::vector<Member*> Seatable();
  std::vector<Member*> SeatInTurn(std::vector<Member*> waiting);
  void AssignSlot(Member& member, int32_t index);
  Member* MutableAt(int32_t slot) { return slots_[static_cast<size_t>(slot)].member_; }
  // All changes of members and slots go through these two, which keep the counts.
  template <typename Change>
  void Edit(Member& member, Change change);
  template <typename Change>
  void Edit(int32_t slot, Change change);
  void Put(int32_t index, SlotState state, NodeIndex node);
  void Seat(Member& member, int32_t slot);  // -1: none
  void Count(const Member& member, int32_t sign);
  static bool IsApart(const Member& member);
  void Count(const Slot& slot, int32_t sign);
  void AddSlots(int32_t at, int32_t more);
  void TakeSlots(int32_t first, int32_t end);
  void Renumber(int32_t from, int32_t by);
  void Shrink(int32_t set);
  void ShrinkLast() { Shrink(static_cast<int32_t>(pod_sets_.sets().size()) - 1); }

  const GroupId id_;
  const GroupKey key_;
  const std::string name_;
  std::optional<OwnerRef> owner_;              // of the first pod
  std::set<std::string, std::less<>> makers_;  // UIDs, of the pods that it had, so many at most
  GroupState state_ = GroupState::kNew;
  GroupStart start_ = GroupStart::kByItself;
  PodSets pod_sets_;
  int32_t priority_ = 0, object_priority_ = 0;
  std::map<int32_t, int32_t> nices_;  // live members by what they say, where that is not 0
  int32_t nice_by_owner_ = 0, told_nice_ = 0, astray_ = 0, apart_ = 0;
  int64_t created_ = 0;
  size_t bound_by_ = 0;
  Members members_;
  std::vector<Slot> slots_;  // pod set by pod set; empty: no plan
  std::array<int32_t, kSlotStates> slots_in_ = {};
  int32_t vacant_ = 0;   // open slots without a member
  int32_t wanting_ = 0;  // empty slots with a member whose room was not given back
  int32_t unasked_ = 0;  // ... whose room was
  int32_t in_bind_ = 0, finished_ = 0, over_ = 0, live_ = 0, given_up_ = 0;
  int64_t asking_ = 1, seat_looks_ = 0;  // times that its room was given back, and 1
  int32_t asked_ = 0;                    // live members that were asked for since
  int32_t gated_ = 0, released_ = 0, going_ = 0;
  int32_t held_ = 0;            // live members that say that it is not to be planned
  bool held_by_owner_ = false;  // where there are none yet
  std::string hold_;
  std::array<int32_t, kMisfits> misfits_ = {};  // members by the kind of their problem
  // Live members without a slot while there is a plan, in the order in which they get one.
  std::set<SeatTurn> slotless_;
  std::set<UnsoundMember> unsound_;
  // Pod sets of which some slot may be free; of the others none is, by bits.
  static_assert(kMaxPodSets <= 32);
  uint32_t may_be_free_ = 0;
  int32_t most_live_ = 0, most_bound_ = 0;
  Verdict verdict_;
  WaitAnswer answered_ = WaitAnswer::kNone;
  bool tell_ = false, torn_ = false, repinned_ = false, lost_ = true;  // until it is whole
  int32_t plans_ = 0, fruitless_ = 0, undecided_ = 0;
  absl::Duration solver_time_;
  std::optional<absl::Time> waits_since_, begun_, whole_;
  std::optional<absl::Time> first_seen_;  // of the members; nothing: not known
  GroupWait wait_;
  std::optional<PlanQuality> quality_;
  int32_t whole_size_ = 0, times_whole_ = 0;  // when it was whole last; 0: not known
  uint64_t tried_ = 0, tried_neighbours_ = 0;
  LabelSet booked_;
  Sizing sizing_;
  Origins origins_;
  int64_t templates_ = 1;  // how often they may have been told anew
  std::string refusal_, stale_;
};

}  // namespace gangplan
