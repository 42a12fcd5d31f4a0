// Groups, plans and holds: decides every call of the scheduler from the model and the groups'
// lives.
//
// A deterministic state machine. Facts, calls, outcomes and time go in; replies and effects come
// out. It does no I/O, reads no clock and starts no thread; the same inputs give the same outputs.
//
// Invariants, after every call:
// - a slot that is held or posting has exactly one hold in the model; no other hold exists;
// - no hold or pod that the planner puts on a node takes more than is free there;
// - before the first Binding of a group all its members are in bind (start when all-members);
// - every hold ends: by binding, by a deadline, or with its group.
//
// Thread rule: one call at a time (the service's mutex), which guards the model inside as well.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "algorithms/engine.h"
#include "extender/planner/effects.h"
#include "extender/planner/group.h"
#include "extender/planner/group_report.h"
#include "extender/planner/membership.h"
#include "extender/protocol/sakkara_results.h"
#include "extender/sakkara/group_objects.h"
#include "topology/base/text.h"
#include "topology/model.h"
#include "topology/pod_facts.h"

namespace gangplan {

// The engine behind every solve, see Place; and how long it took, by a clock that is not ours.
struct Solved {
  PlacementResult result;
  absl::Duration took;
};
using Engine =
    std::function<Solved(const PlacementView& now, const std::function<PlacementView()>& empty,
                         const PlacementRequest& request, const Budget& budget)>;

struct PlannerOptions {
  Topology topology;  // from CompleteTopology
  // Not empty: the levels come by OnTopology, under the name of `topology`, from what this calls
  // for people; nothing is planned before.
  std::string live_topology;
  bool sakkara_groups = false;  // OnGroupObject tells of groups in Sakkara's words
  std::vector<std::string> scheduler_names = {"gangplan"};
  bool all_jobs = false;
  bool start_at_first_member = false;
  absl::Duration gather_timeout = absl::Minutes(5);
  absl::Duration bind_timeout = absl::Minutes(10);  // the scheduler's, for the bind verb
  int32_t reject_max = 100;                // waiting pods answered by rejection; beyond: by Error
  int32_t nominate_from = 100;             // nodes from which on the scheduler offers only a sample
  std::optional<Strategy> engine_for_all;  // engines.strategy; nothing: the words choose
  TasOptions tas;                          // of groups that `tas` places
  bool preferred_affinity = false;         // of such groups, counts
  Engine engine = [](const auto&... asked) { return Solved{Place(asked...), {}}; };
};

// The nodes that the scheduler offers: views, valid during the call only.
using Offer = std::vector<std::string_view>;

// One of: pass `passed`; or reject every node for one reason; or an error.
struct FilterDecision {
  std::vector<int32_t> passed;    // indices into the offer, ascending
  std::vector<int32_t> rejected;  // likewise; all unresolvable
  std::string text;               // of the rejected ones
  std::string error;              // not empty: nothing else counts
};

struct BindDecision {
  bool held = false;  // the answer comes as AnswerCall
  std::string error;  // when not held
};

struct PreemptCandidate {
  std::string_view node;
  std::vector<std::string_view> victims;
};

struct PlannerStats {
  int64_t groups[kGroupStates] = {};
  int64_t held_slots = 0;
  int64_t held_calls = 0;
  int64_t rejected_pods = 0;
  int64_t solves[4] = {};  // by Outcome, since start
  int64_t unexpected = 0;  // "should not happen but we can go on", since start
};

class Planner {
 public:
  explicit Planner(PlannerOptions options);
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  // --- Facts, from the watches. The error names the object; the rest goes on.
  absl::Status OnNode(absl::Time now, const NodeFacts& node);
  void OnNodeDeleted(absl::Time now, std::string_view name);
  void OnPod(absl::Time now, const PodFacts& pod);
  void OnPodDeleted(absl::Time now, std::string_view uid);
  // A live topology has these levels from now on, or has them for the first time, and `nodes`,
  // which are known, have other labels. What is bound or on its way stays; with other levels every
  // other plan is made anew from the pods' own words, else those on nodes that have moved. Returns
  // whether they are news. REQUIRES: from CompleteTopology.
  bool OnTopology(absl::Time now, const Topology& topology,
                  const std::vector<NodeFacts>& nodes = {});
  // Why the levels are not what somebody asked for; empty: they are. Waiting members are told.
  void OnTopologyFault(std::string fault) { topology_fault_ = std::move(fault); }
  // A ConfigMap that describes a group in Sakkara's words, or that it is gone: its members are read
  // anew where its words have changed.
  void OnGroupObject(absl::Time now, ConfigMapFacts object);
  void OnGroupObjectGone(absl::Time now, std::string_view ns, std::string_view name);
  // The first lists are complete. Half-bound groups get their room first.
  void OnSynced(absl::Time now);
  // `owner` NotFound or PermissionDenied: there is nothing to read. Other errors: asked again.
  void OnOwner(absl::Time now, std::string_view owner_uid, const absl::StatusOr<OwnerFacts>& owner);

  // --- The verbs.
  FilterDecision Filter(absl::Time now, const PodFacts& pod, const Offer& offer);
  // `received`: when the call was accepted; its deadline counts from there.
  BindDecision Bind(absl::Time now, CallId call, const PodRef& pod, std::string_view node,
                    absl::Time received);
  std::vector<int32_t> Preempt(absl::Time now, const PodFacts& pod,
                               const std::vector<PreemptCandidate>& candidates);

  // --- Outcomes.
  // After CommitReady: `closed` are calls whose peer is gone.
  void Commit(absl::Time now, int64_t group, const std::vector<CallId>& closed);
  void OnCallsClosed(const std::vector<CallId>& closed);
  // The service stops: every held call is answered.
  void AnswerHeldCalls(std::string_view why);
  // Of each BindingWrite and BindingRead, with its attempt.
  void OnBindResult(absl::Time now, const PodRef& pod, std::string_view node, int64_t attempt,
                    const BindResult& result);
  // Of each WriteResults and WriteMemberLabels. `again`: it has not gone through, but may do so.
  void OnResultsWritten(absl::Time now, int64_t group, bool again);

  // --- Time: deadlines, blocked groups, renewals. Cheap; call it often.
  void Tick(absl::Time now);

  // What is to be done outside since the last call.
  Effects TakeEffects();

  // --- Reads.
  bool synced() const { return synced_; }
  bool listed() const { return listed_; }  // synced but for the levels of a live topology
  bool levels_known() const { return levels_known_; }
  bool recovering() const { return recovering_; }
  std::vector<CallId> HeldCalls() const;
  PlannerStats Stats() const;
  std::vector<GroupReport> Reports();
  // By "namespace/name"; several incarnations may share it: the newest.
  std::optional<GroupReport> Report(std::string_view name);
  Model& model() { return model_; }

  // For tests: empty when every invariant holds, else what is broken.
  std::string BrokenInvariant();

 private:
  enum class Kin : uint8_t { kForeign, kWaitsForOwner, kTooMany };
  struct PodRecord {
    PodRef name;
    ResourceList requests;
    int32_t priority = 0;
    std::string node;      // bound there, as the watch knows
    std::string posting;   // a Binding to there is open or was just proved
    CallId call = 0;       // the open bind call of a foreign pod
    bool leaving = false;  // terminating or finished: never placed again
    std::string owner_uid;
    Group* group = nullptr;
    Kin kin = Kin::kForeign;  // while group is null
    bool confirmed = false;   // the watch has shown it
    // Of a member, as last seen, where its words may be read again.
    std::unique_ptr<PodFacts> facts;
  };
  struct OwnerRecord {
    std::optional<OwnerFacts> facts;
    bool known = false;
    int32_t users = 0;
    std::string ns;
    OwnerRef ref;
    absl::Time read_again = absl::InfiniteFuture();
    std::map<std::string, PodFacts> waiting;  // pods whose membership hangs on it, by UID
  };
  using HoldRef = std::pair<Group*, int32_t>;

  // planner_pods.cc: from pods to members.
  PodRecord& RecordOf(const PodFacts& pod);
  void RecordUsage(absl::Time now, const PodFacts& pod, PodRecord& record);
  void FindGroup(absl::Time now, const PodFacts& pod);
  void Join(absl::Time now, const PodFacts& pod, const Membership& membership);
  Group* GroupFor(const PodFacts& pod, const Membership& membership);
  bool ForgetDoneGroup();
  bool HasMoved(NodeIndex index, const NodeFacts& node) const;
  void Adopt(Group& group, Member& member, const PodFacts& pod);
  void UpdateMember(absl::Time now, Group& group, Member& member, const PodFacts& pod);
  void RenewNomination(absl::Time now, Group& group, Member& member);
  void MemberBound(absl::Time now, Group& group, Member& member, const PodFacts& pod);
  void MemberFinished(absl::Time now, Group& group, Member& member, const PodFacts& pod);
  void LeaveGroup(absl::Time now, Group& group, const std::string& uid, std::string_view why);
  void LeaveWhilePosting(Group& group, int32_t index, const std::string& uid);
  void ForgetPod(absl::Time now, const std::string& uid);
  void EraseGroup(Group& group);

  // planner_templates.cc: the pod sets of a group.
  static std::string Difference(const Group& group, const PodFacts& pod,
                                const Membership& membership);
  bool TakeTemplate(Group& group, const PodFacts& pod, const Membership& membership);
  void KnowAll(Group& group);
  void LeavePodSet(Group& group, GroupPodSet& set);

  // planner_sakkara.cc: groups that ConfigMaps describe, and what these are told.
  std::optional<OwnerRef> ToldFor(const Group& group) const;
  Group* SakkaraGroupOf(std::string_view ns, std::string_view name);
  void RereadGroup(absl::Time now, std::string_view ns, std::string_view name);
  std::vector<int32_t> LeavesInOrder(const Group& group, const PlacementResult& result);
  void TickResults(absl::Time now);
  std::vector<SakkaraPlacedPod> PlacedPods(const Group& group);
  void WriteGroupResults(Group& group, const GroupObject& object);
  void WriteAllLabels(Group& group);
  std::vector<std::string_view> UnitsOf(NodeIndex node);
  static LabelPatch MemberResults(const Group& group, int32_t slot);
  static LabelSet MemberLabels(const Group& group, int32_t slot);
  static absl::Duration ResultsDelay(int tries);

  // planner_topology.cc: other levels or words while groups stand.
  struct Returner;
  struct Dissolved;
  std::string NotReady() const;
  void KeepFacts(PodRecord& record, const PodFacts& pod) const;
  std::set<int64_t> GroupsOnMoved(const std::vector<NodeFacts>& nodes) const;
  void MakeStale(Group& group, std::string_view why);
  void ReleaseHeld(Group& group, std::string_view why);
  void RereadStale(absl::Time now);
  void Dissolve(Group& group, Dissolved& dissolved);
  void Return(absl::Time now, const Returner& returner);

  // planner_owners.cc
  const OwnerRecord* OwnerOf(const PodFacts& pod);
  void AskOwner(OwnerRecord& owner);
  void DropOwner(const std::string& owner_uid, std::string_view pod_uid);
  void TickOwners(absl::Time now);

  // planner_plan.cc: solves.
  void Fire(absl::Time now, Group& group, GroupEvent event);
  bool Holds(const Group& group, GroupGuard guard) const;
  void Act(absl::Time now, Group& group, GroupAction action);
  void Solve(absl::Time now, Group& group);
  void Refill(absl::Time now, Group& group);
  bool PlaceWanted(absl::Time now, Group& group, const std::vector<int32_t>& wanted);
  std::vector<int32_t> WantedSlots(const Group& group) const;
  struct Ask {
    PlacementRequest request;
    std::vector<ShapeId> shapes;  // one a pod set of the request, and so are the scores
    std::vector<std::vector<int64_t>> scores;  // by leaf; empty: none counts
  };
  std::string FaultOf(const Group& group) const;
  bool CanBePlaced(Group& group);
  Ask AskFor(const Group& group, const std::vector<int32_t>& wanted);
  void RefreshShape(absl::Time now, GroupPodSet& set);
  void GiveBack(Group& group);
  bool HasVacantHold(const Group& group) const;
  void SetReason(Group& group, Outcome outcome, std::string reason);

  // planner_slots.cc: who has which slot, and what is held for it.
  void AssignSlot(Group& group, Member& member);
  void AssignSlots(Group& group);
  static void SetSlotless(Group& group, Member& member, bool slotless);
  static int32_t OwnSlot(const Group& group, const Member& member);
  static int32_t FreeSlotFor(const Group& group, const Member& member);
  Member* VacateFor(Group& group, const Member& member);
  void NominateAll(Group& group);
  void Nominate(Group& group, Member& member);
  // Filter would let it through to its node: its room is held and no Binding of it is surely open.
  static bool MayGo(const Group& group, const Member& member);
  void MarkRejected(Member& member, bool rejected);
  void Hold(Group& group, int32_t index, NodeIndex node);
  void Unhold(Group& group, int32_t index, SlotState next);
  void Release(Group& group, std::string_view why);
  void ReleaseVacant(Group& group);
  void LoseHolds(absl::Time now, NodeIndex node,
                 const std::function<bool(const Group&, int32_t)>& stands);
  void CheckNode(absl::Time now, NodeIndex node);
  bool SlotStands(const Group& group, int32_t index) const;
  Member* MemberAt(Group& group, int32_t index);

  // planner_preference.cc: preferred node affinity.
  std::vector<int64_t> PreferenceOf(const GroupPodSet& set);
  static PlacementView Liked(PlacementView view, const Ask& ask);

  // planner_verbs.cc
  FilterDecision FilterForeign(const PodFacts& pod, const Offer& offer);
  FilterDecision FilterMember(absl::Time now, Group& group, Member& member, const PodFacts& pod,
                              const Offer& offer);
  FilterDecision FilterSlot(absl::Time now, Group& group, Member& member, const PodFacts& pod,
                            const Offer& offer);
  PodRecord& Asked(absl::Time now, const PodFacts& pod);
  bool SwapSlot(Group& group, Member& member, const Offer& offer);
  void Avoid(absl::Time now, Group& group, Member& member);
  FilterDecision Wait(Group& group, Member& member, const Offer& offer);
  bool KeptByHolds(NodeIndex node, const ResourceList& requests, int32_t priority) const;
  ResourceList Yielding(NodeIndex node, int32_t priority) const;

  // planner_bind.cc
  BindDecision BindForeign(absl::Time now, CallId call, PodRecord& record, std::string_view node,
                           absl::Time received);
  absl::Time NotAfter(absl::Time received) const;
  BindDecision BindMember(absl::Time now, CallId call, Group& group, Member& member,
                          std::string_view node, absl::Time received);
  bool CommitProblems(absl::Time now, Group& group);
  void Post(Group& group, Member& member);
  void DropCall(Group& group, Member& member, std::string_view error);
  // Its call is held and no Binding of it is open.
  static bool WaitsInBind(const Group& group, const Member& member);
  LabelSet Annotations(const Group& group, int32_t slot);
  void SettleMember(absl::Time now, Group& group, Member& member, std::string_view node,
                    const BindResult& result);
  void SettleForeign(PodRecord& record, std::string_view node, const BindResult& result);

  // planner_time.cc
  void TickGroup(absl::Time now, Group& group);
  void TickMembers(absl::Time now, Group& group);
  void TryBlocked(absl::Time now);
  void StartRecovery(absl::Time now);
  void FinishRecovery(absl::Time now);
  void TellOwners();

  GroupReport Describe(Group& group);

  const PlannerOptions options_;
  MembershipOptions membership_options_;
  Model model_;
  bool listed_ = false;
  bool levels_known_ = false;
  std::string topology_fault_;
  GroupObjects objects_;
  bool synced_ = false;  // both
  bool recovering_ = false;
  absl::Time recover_by_ = absl::InfiniteFuture();
  int64_t next_group_id_ = 1;
  std::map<int64_t, std::unique_ptr<Group>> groups_;
  std::map<GroupKey, Group*> groups_by_key_;
  TextMap<PodRecord> pods_;
  TextMap<OwnerRecord> owners_;
  absl::flat_hash_map<NodeIndex, std::vector<HoldRef>> holds_;
  TextSet tombstones_;
  std::deque<std::string> tombstone_order_;
  std::vector<std::pair<absl::Time, BindingRead>> prove_later_;
  Effects effects_;
  int32_t rejected_pods_ = 0;
  PlannerStats totals_;
};

}  // namespace gangplan
