// From pods to members: judges by its words, and its owner's, which group a pod belongs to, lets it
// join and leave, and follows what the watch shows of it.
//
// A pod's requests count as soon as it is seen on a node, whatever its words say. Words are read
// again when they change on a pod that waits, when its owner changes, and when levels or objects
// do.
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
#include "extender/frontends/find_group.h"
#include "extender/planner/plans.h"
#include "topology/pod_gates.h"

namespace gangplan {

struct RosterOptions {
  bool keep_facts = false;          // levels or objects may change, so what runs may be read anew
  bool starts_jobs = true;          // owners that were started by us may be suspended again
  GateUse gates = GateUse::kNone;   // pods that wait behind these are members
  bool pledges = false;             // nobody asks us before a pod goes where it was released to
  bool paired = false;              // other schedulers have a Gangplan, too
  size_t at_once = kMembersAtOnce;  // members that are read anew in one turn
};

class Roster {
 public:
  Roster(FindGroupOptions options, const RosterOptions& more, const Books& books, Plans& plans)
      : options_(std::move(options)), settings_(more), books_(books), plans_(plans) {}

  // --- Facts.
  void OnPod(absl::Time now, const PodFacts& pod);
  void OnPodDeleted(absl::Time now, std::string_view uid);
  void OnOwner(absl::Time now, std::string_view owner_key, const absl::StatusOr<OwnerFacts>& owner);
  // Pods whose owner was read are judged, so many a turn.
  void JudgeRead(absl::Time now);
  // The group may have started no more. The next size is that of its owner.
  void FollowOwner(absl::Time now, GroupId group);
  // Once a turn: sizes that hang on how many there are, or on Bindings that were open.
  void FollowSizes(absl::Time now);
  // A call of the scheduler may show a pod before the watch does, or that its gate is gone. Null:
  // as many as may wait for the watch to show them (PodBook::KeepText). Of one that the watch has
  // shown otherwise the caller's words count for nothing.
  const KnownPod* Asked(absl::Time now, const PodFacts& pod);
  // Pods that no watch confirms are dropped; groups that wait have their owners read again.
  void Tick(absl::Time now);
  // After a restart those who wait join their groups when all that ran or run have joined theirs:
  // which run of a name they belong to is known then. So many at a time; true: those were all.
  bool JoinWaiting(absl::Time now);
  // Nominates those that have joined since the last call, as far as they have a place now.
  void NominateJoined();

  // What such a pod of an owner that waits would say.
  GroupSpec SpecOf(const PodFacts& pod, const OwnerFacts& owner) const;
  GroupSpec ReadSpec(const PodFacts& pod, const KnownPod& record, bool failing);

  // "names the scheduler ..., while Gangplan plans for ..."; empty: it names one of ours.
  std::string OtherScheduler(const PodFacts& pod) const;
  // Of a pod set that Kueue has placed. One that names us is our plan's where its template may make
  // it a gang, cannot be read, or waits for checks, which may be ours.
  KueueRoom::Whose WhosePods(const WorkloadFacts& workload, const WorkloadFacts::PodSet& set) const;
  // It names another one, which may have a Gangplan of its own: what it waits for is that one's.
  bool IsOfOtherPair(const PodFacts& pod) const {
    return settings_.paired && !NamesUs(pod, options_);
  }

  // How many an owner has use for. 0: it says no one size.
  struct Slots {
    int64_t size = 0;
    bool told = false;  // as it says, whoever has succeeded
  };

  // --- Reading anew.
  // Its nodes stay what they are.
  void SetTopology(TopologyIndex index, const Topology& topology) {
    options_.topologies[static_cast<size_t>(index)].levels = topology.levels;
  }
  // The group's words are read anew from its pods, once no Binding of it is open: what is bound
  // keeps its place, all else is let go.
  void MakeStale(Group& group, std::string_view why);
  // Who runs was read by words that can be read no more: these stay in force for it. O(members).
  bool IsSpoiled(const Group& group) const;
  bool AnyStale() const { return !stale_.empty() || AnyReread(); }
  // Some of which a part has been read: it goes on with each turn.
  bool AnyReread() const { return !rereads_.empty(); }
  // Reads those for which that is possible, so many members in a turn.
  void ReadStale();

 private:
  struct Returner;
  // A group whose members go over to the one that they make now.
  struct Reread {
    GroupKey key;
    std::string why;
    GroupPast past;
    std::vector<std::string> left;  // UIDs, the next one last
    GroupId into = 0;               // the one that they have made so far
  };

  void TakeController(KnownPod& record, const PodFacts& pod);
  void Judge(absl::Time now, const PodFacts& pod);
  bool IsPlain(const PodFacts& pod) const;
  void NoteEnd(absl::Time now, const PodFacts& pod);
  void FollowLeft(Group& group);
  void RecheckOwners(absl::Time now);
  void RetryGrowth(absl::Time now);
  void LearnRuntime(Group& group);
  void Join(absl::Time now, const PodFacts& pod, const GroupSpec& spec);
  void TakeOwner(Group& group, const PodFacts& pod, const GroupSpec& spec) const;
  bool AwaitsNextRun(absl::Time now, const PodFacts& pod, const GroupSpec& spec);
  void Take(absl::Time now, const PodFacts& pod);
  static void NoteShown(KnownPod& record, const PodFacts& pod);
  bool NoteAsked(absl::Time now, const PodFacts& pod);
  bool MayHaveReleased(std::string_view uid) const;
  static PodFacts NotReleased(PodFacts pod);
  bool IsOfRunBefore(const PodFacts& pod, const GroupSpec& spec);
  absl::StatusOr<Group*> PlaceFor(const PodFacts& pod, const GroupSpec& spec);
  Group* GroupFor(absl::Time now, const PodFacts& pod, const GroupSpec& spec);
  // roster_gated.cc: pods behind gates that are no members.
  void LeaveToOthers(absl::Time now, const PodFacts& pod);
  void LeaveForeign(absl::Time now, const PodFacts& pod);
  void NotePair(const PodFacts& pod);
  void LeaveUnread(absl::Time now, const PodFacts& pod);
  void LeaveRefused(absl::Time now, const PodFacts& pod, const GroupSpec& spec,
                    const absl::Status& why);
  void LeaveUnsound(absl::Time now, const PodFacts& pod, const Group& group);
  void JudgeLeft(absl::Time now);
  void TellLeft(absl::Time now);
  void ForgetEnded(GroupId id);
  NodeIndex NodeOf(std::string_view uid, const KnownPod& record) const;
  std::string RecordUsage(const PodFacts& pod, KnownPod& record);
  void UpdateMember(absl::Time now, KnownPod& record, const PodFacts& pod);
  static void KeepFacts(KnownPod& record, const PodFacts& pod);
  void UpdateWaiting(absl::Time now, KnownPod& record, const PodFacts& pod);
  bool UpdateGate(absl::Time now, KnownPod& record, const PodFacts& pod);
  bool SaysTheSame(const PodFacts& before, const PodFacts& pod) const;
  GroupSpec SpecOf(const PodFacts& pod) const;
  void Rejoin(absl::Time now, const PodFacts& pod);
  void RejoinChanged(absl::Time now);
  void RejudgeUntold(absl::Time now);
  bool CollectUntold(const Group& group, size_t most, std::vector<Returner>& pods) const;
  void Finished(absl::Time now, Group& group, const PodFacts& pod);
  void LeaveGroup(absl::Time now, GroupId group, const std::string& uid, std::string_view why);
  void ForgetPod(absl::Time now, const std::string& uid);
  void OwnerChanged(absl::Time now, std::string_view owner_key, const OwnerBook::Read& read);
  const OwnerFacts* SizedBy(const Group& group) const;
  void TakeSizes(Group& group, const OwnerFacts& owner, Slots slots);
  void TakeSize(Group& group, int32_t set, int64_t size);
  void FollowGone(Group& group);
  void TakeToldSize(Group& group, int32_t index, int64_t told);
  void DropSpareSlots();
  std::vector<GroupId> ReadyToRead();
  bool IsBeingMade(GroupId id) const;
  void TakeHold(Group& group, bool was_held);
  size_t BeginReread(GroupId id);
  size_t ReadSome(GroupId id, Reread& reread, size_t most);
  void EndReread(GroupId id, const Reread& reread);
  std::optional<Returner> TakeOut(Group& group, const std::string& uid);
  void Return(const Returner& returner);

  FindGroupOptions options_;
  const RosterOptions settings_;
  Books books_;
  Plans& plans_;
  std::vector<std::string> joined_;  // UIDs
  std::set<std::string> changed_;    // UIDs; their words wait for the end of a Binding
  // Members by now whose Binding was written before anybody knew; by UID.
  std::map<std::string, PodFacts> unbound_;
  std::set<GroupId> stale_;
  std::set<GroupId> to_follow_;  // groups of at least so many of which some have come or gone
  std::map<std::pair<bool, GroupId>, Reread> rereads_;  // what has not started comes last
  // Until JoinWaiting: who waits, in the order in which they were made, whatever the list's.
  bool loading_ = true;
  std::set<std::string> pairs_;  // other schedulers that have a Gangplan, which has placed a pod
  std::map<std::pair<int64_t, std::string>, PodFacts> to_join_;  // by creation, UID
  Timers<GroupId> recheck_;  // the owners of groups that wait for members
  absl::Time next_growth_ = absl::InfinitePast();
  GroupId last_grown_ = 0;
};

}  // namespace gangplan
