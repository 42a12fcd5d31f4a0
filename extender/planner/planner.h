// Groups, plans and holds: decides every call of the scheduler from the model and the groups'
// lives.
//
// A deterministic state machine. Facts, calls, outcomes and time go in; replies and effects come
// out. It does no I/O, reads no clock and starts no thread; the same inputs give the same outputs.
// This is the facade over the classes of the room (README.md), each of which owns what it changes.
// Invariants, after every call: those of the classes, see BrokenInvariant.
// Thread rule: one call at a time (the service's mutex), which guards the model inside as well.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "extender/planner/effects.h"
#include "extender/planner/group_report.h"
#include "extender/planner/history.h"
#include "extender/planner/planner_options.h"
#include "extender/planner/planner_stats.h"
#include "extender/planner/verb_answers.h"
#include "topology/admission_rule.h"
#include "topology/config_map_facts.h"
#include "topology/job_facts.h"

namespace gangplan {
class AdviceQuestion;
class Model;
struct RoomAsk;

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
  // A live topology has these levels from now on, and `nodes`, which are known, other labels. What
  // is bound or on its way stays; with other levels every other plan is made anew from the pods'
  // words, else those on nodes that moved. Whether they are news. REQUIRES: from CompleteTopology.
  bool OnTopology(absl::Time now, const Topology& topology,
                  const std::vector<NodeFacts>& nodes = {});
  // Why the levels are not what somebody asked for; empty: they are. Waiting members are told.
  void OnTopologyFault(std::string fault);
  // What an operator has changed, as far as that needs no restart (planner_reload.cc).
  void Reconfigure(absl::Time now, const PlannerOptions& options);
  // An object that describes a group, or its end: members are read anew where its words changed.
  void OnGroupObject(absl::Time now, ConfigMapFacts object);
  void OnGroupObjectGone(absl::Time now, std::string_view ns, std::string_view name);
  // One that reserves room (NamedReservations), or is told ranks (RankLists), stands, or is gone.
  void OnReservation(absl::Time now, const ConfigMapFacts& object, bool stands);
  void OnRankList(absl::Time now, const ConfigMapFacts& object, bool stands);
  // Of Kueue's that it has placed itself: see KueueRoom.
  void OnWorkload(absl::Time now, const WorkloadFacts& workload, bool stands);
  // Of owners that wait suspended, and what admission follows for their pods: see SuspendedOwners.
  void OnJob(absl::Time now, const JobFacts& job);
  void OnJobLeft(absl::Time now, std::string_view uid);
  void OnAdmissionRule(absl::Time now, const AdmissionRule& rule, bool stands);
  void OnSynced(absl::Time now);  // the first lists are complete; who had started gets room first
  void OnOwner(absl::Time now, std::string_view owner_key, const absl::StatusOr<OwnerFacts>& owner);
  // One that is not active writes nothing. Active from the first verb on.
  void SetActive(absl::Time now, bool active);

  // --- The verbs, see Verbs, and for Prioritize Steering::Score.
  FilterDecision Filter(absl::Time now, const PodFacts& pod, const Offer& offer);
  std::vector<int32_t> Prioritize(absl::Time now, const PodFacts& pod, const Offer& offer);
  BindDecision Bind(absl::Time now, CallId call, const PodRef& pod, std::string_view node,
                    absl::Time received);
  std::vector<int32_t> Preempt(absl::Time now, const PodFacts& pod,
                               const std::vector<PreemptCandidate>& candidates);

  // --- Outcomes. After CommitReady: `closed` are calls whose peer is gone.
  void Commit(absl::Time now, int64_t group, const std::vector<CallId>& closed);
  void OnCallsClosed(absl::Time now, const std::vector<CallId>& closed);
  // The service stops: every held call is answered.
  void AnswerHeldCalls(std::string_view why);
  // The pod was neither nominated nor woken, and is there.
  void OnNotWoken(absl::Time now, std::string_view uid);
  // Of each BindingWrite and BindingRead, with its number.
  void OnBindResult(absl::Time now, const PodRef& pod, std::string_view node, int64_t attempt,
                    const BindResult& result);
  // Of WriteResults, WriteMemberLabels, WriteRankList. `again`: not gone through, but it may.
  void OnResultsWritten(absl::Time now, int64_t group, bool again);
  void OnRankListWritten(absl::Time now, const ConfigMapRef& object, bool again);
  void OnJobWritten(absl::Time now, std::string_view uid, int64_t attempt,
                    const absl::Status& status);
  // Of each PodRelease, and of each PodDelete, with its number.
  void OnReleased(absl::Time now, std::string_view uid, int64_t attempt,
                  const absl::Status& status);
  void OnPodDelete(absl::Time now, std::string_view uid, int64_t attempt,
                   const absl::Status& status);
  void OnPodGroupWritten(absl::Time now, std::string_view ns, std::string_view name,
                         const absl::Status& status);           // of each PodGroupWrite
  void OnSolved(absl::Time now, const SolveTask& task);         // of each SolveOnCopy, after Run
  void OnBooking(std::string_view name, LabelSet annotations);  // see Group::SetBooked

  // --- Time: deadlines, groups that wait, renewals. Costs what is due; call it often.
  void Tick(absl::Time now, bool sees = true);  // the cluster is shown as it is
  // There is work that the last input has left: the next tick is due as soon as others had a turn.
  bool busy() const;

  // What is to be done outside since the last call.
  Effects TakeEffects();

  // --- Reads.
  bool synced() const;
  bool listed() const;  // synced but for the levels of a live topology
  bool levels_known() const;
  bool recovering() const;
  std::string WhyNotReady() const;  // empty: it answers
  const Model& model() const;
  std::vector<CallId> HeldCalls() const;
  PlannerStats Stats() const;
  std::vector<GroupReport> List(GroupId after, size_t most) const;  // see Reports
  // Of owners that wait suspended and have no group: see SuspendedOwners::List.
  std::vector<GroupReport> ListAlone(std::string& after, size_t most) const;
  // By "namespace/name", of incarnations the newest; else the owner that waits without a group.
  std::optional<GroupReport> Report(std::string_view name) const;
  std::optional<GroupReport> Report(GroupId id) const;  // told by List; nothing: it has left
  // See Reports::NameWith.
  std::string GroupWith(std::string_view asked, AskedBy by, GroupId& after, int64_t most) const;
  GroupHistory HistoryOf(std::string_view name) const;  // since the start; empty: nothing is known
  // Whose answer is the evidence of that group, to be asked outside of the lock; null: none.
  std::shared_ptr<SolveTask> Question(std::string_view name) const;
  // Likewise: what would start it, and who holds what it waits for. O(nodes + slots of all groups).
  std::shared_ptr<AdviceQuestion> AskAdvice(absl::Time now, std::string_view name) const;
  std::shared_ptr<const RoomAsk> AskRoom(std::string_view name) const;  // null: no such group
  // Why the pod "namespace/name" waits behind a gate and is no member; empty: it does not.
  std::string WhyLeft(std::string_view name) const;
  std::vector<ReservationReport> ListReservations() const;  // by name

  // For tests: empty when every invariant holds, else what is broken, and whose it is.
  std::string BrokenInvariant() const;

 private:
  struct Rooms;
  Rooms& Begin();  // of each input: its round of work begins

  std::unique_ptr<Rooms> rooms_;
};

}  // namespace gangplan
