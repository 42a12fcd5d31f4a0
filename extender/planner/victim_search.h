// Who may have to go for a group that waits: the groups of lesser rank that run, pods of no group
// of lesser priority, each by itself, and pods that stop already. Makes the question that is asked
// on a copy (victim_question.h), and tells how often one group may ask it.
//
// A rank is the greatest priority of a group's pods, then that of the object that describes it; of
// a pod of no group its priority. Groups in which a Binding is open are left alone, and so are
// those that are evicted already: what they leave counts as free, where it is not promised to
// somebody. With a gang goes what it holds or awaits for members that may come.
//
// Thread rule: the planner's.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/books.h"
#include "extender/planner/limits.h"
#include "extender/planner/timers.h"
#include "extender/planner/vain_pauses.h"

namespace gangplan {

class VictimSearch {
 public:
  // `pods`: also pods of no group.
  VictimSearch(bool preempts, bool pods, const Books& books)
      : preempts_(preempts), pods_(pods), books_(books) {}

  void SetPreempts(bool preempts, bool pods) {
    preempts_ = preempts;
    pods_ = pods;
    if (!preempts) least_.reset();
  }
  // Others may be evicted for it: all of it is there, or is started with its room, and may be, and
  // nothing of it runs.
  bool MayPreempt(const Group& group) const;
  // Its owner waits suspended: whether that may be started once it has room. True: it is news.
  bool SetMayStart(GroupId group, bool may) {
    return may ? unready_.erase(group) > 0 : unready_.insert(group).second;
  }
  // The one runs in the same topology, and is of lesser rank than the other. O(1).
  static bool WouldYield(const Group& group, const Group& to) {
    return Runs(group) && group.topology() == to.topology() && GivesWay(group, to);
  }
  // The pod of no group runs, may go by itself, and is of lesser priority. O(1).
  static bool WouldYield(const KnownPod& pod, const Group& to) {
    return IsSingle(pod) && pod.priority < StaysFrom(to);
  }
  // Groups may have started or ended. O(groups).
  void Renew();
  // Some group runs that would give way, as Renew has seen it, or some pod of none.
  bool AnyBelow(const Group& group) const;
  // It may ask now. False: it may later, which is due then.
  bool MayAsk(absl::Time now, const Group& group);
  // Something came free, or is another one: what others would leave may be enough now, and it may
  // ask, by the time of the last tick.
  bool MayGain(const Group& group) { return AnyBelow(group) && MayAsk(ticked_, group); }
  std::vector<GroupId> TakeDue(absl::Time now) {
    vain_.Tick(now);
    return due_.TakeDue(ticked_ = now);
  }
  // Null: nobody gives way, and nobody stops, but those who are promised to others: who waits for
  // that asks later. The next question has to wait for a while.
  std::shared_ptr<SolveTask> Ask(absl::Time now, const Group& group,
                                 const std::vector<int32_t>& wanted, int64_t& work);
  // How long these take to stop, by their pods' own words.
  absl::Duration StopTimeOf(const std::vector<Victim>& victims) const;
  // Those who were found would take so long that maintenance comes before the group's end: it asks
  // once more, at once, off the nodes that would be too early then.
  void NoteTooLate(GroupId group, absl::Duration stop);
  // Others have gone for it in vain: whoever makes pods of no group anew may be faster than it. It
  // asks again after a pause that doubles each time (vain_pauses.h).
  void NoteInVain(absl::Time now, const Group& group);
  // Others have gone for it: that was in vain where it loses all of its room before it has started,
  // by the time of the last tick.
  void NoteWent(GroupId group) { pauses_[group].others_went = true; }
  void NoteStarted(const Group& group);
  void NoteRoomLost(const Group& group);
  // For people, behind what else it waits for; empty: it does not pause for that.
  std::string WhyPauses(const Group& group) const;
  void Forget(GroupId group);

  // --- For questions of others.
  static bool Runs(const Group& group);  // as a whole, or but for what is being replaced
  // Pods of no group that run on leaves where the group may go.
  struct Single {
    int32_t leaf = 0;
    const SinglePods::Pod* pod = nullptr;
  };
  // Groups that run may go, of whatever rank, and pods of none of lesser priority: for a question
  // that is only told. Returns the least rank of those that do not give way to the group. REQUIRES:
  // the task asks who has to go. `singles`: those pods.
  int64_t AddAll(const Group& group, SolveTask& task, std::vector<Single>& singles,
                 int64_t& work) const;
  // The first of them: so many pods together at the most.
  static void KeepSome(std::vector<const Group*>& groups);
  // It runs, and leaves its room when its group is evicted, as far as anybody knows: it does not
  // hang, and something comes of that eviction where it has begun.
  static bool MayLeave(const Books& books, GroupId group, const Member& member) {
    if (!member.runs || member.finished || books.pods.Hangs(member.pod.uid)) return false;
    return !books.yielding.IsStuck(group) || books.pods.At(member.pod.uid).leaving;
  }
  // What stops, or is evicted, and is promised to nobody else, is free in the copy.
  void FreeGoing(SolveTask& task) const;
  // Pods that stop and leave their room to their own gang, which runs on: UIDs by gang. So many at
  // the most.
  using Returning = std::map<GroupId, std::vector<std::string_view>>;
  static Returning ReturningPods(const Books& books);
  // Slots of members whose room is promised to others than the group, as they go or end. O(such
  // promises).
  using Promised = std::map<GroupId, std::set<int32_t>>;
  Promised PromisedBeside(const Group& group) const;
  // Those that stop, and leave their room to nobody beside the group so far, by UID.
  static std::vector<std::string_view> StoppingPods(const Books& books, GroupId group);
  // These may go, all of one rank, with what pods that stop leave to them, and what they keep for
  // what they may lose. REQUIRES: the task asks who has to go.
  void AddAlike(const std::vector<const Group*>& groups, const Returning& returning,
                SolveTask& task, int64_t& work) const {
    AddGroups(groups, {}, returning, task, work);
  }

 private:
  struct Rank {
    int32_t priority = 0;
    int32_t object_priority = 0;
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  // All of some victims, ascending: a rank's number is its place. Empty: all are alike.
  using Ranks = std::vector<Rank>;
  static Rank RankOf(const Group& group);
  static Ranks RanksOf(const std::vector<const Group*>& groups, const std::vector<Single>& singles);
  static int64_t NumberOf(const Ranks& ranks, const Rank& rank);
  bool AnySingleBelow(const Group& group) const {
    return pods_ && books_.pods.singles().AnyBelow(StaysFrom(group));
  }
  // Slots that it can do without, and that are promised to nobody.
  std::vector<int32_t> SurplusBeside(const Group& group, const Promised& promised) const;
  bool DropPromised(const Promised& promised, std::vector<const Group*>& below,
                    int64_t& work) const;
  static int32_t StaysFrom(const Group& to);  // pods of no group of this priority, and above
  static bool IsSingle(const KnownPod& pod) {
    return pod.group == 0 && pod.foreign() && pod.bound && !pod.leaving;
  }
  static bool GivesWay(const Group& group, const Group& to);
  std::vector<const Group*> Below(const Group& group) const;
  // In the order of going: the least first, then the youngest; as far as that is looked at.
  static void KeepFirst(std::vector<const Group*>& groups);
  // From this leaf on, which goes behind those that were looked at where they are too many.
  // `promised` is set where there are more, who are promised to others.
  std::vector<Single> SinglesBelow(const Group& group, const SolveTask& task, int32_t& from,
                                   bool& promised, int64_t& work) const;
  static bool MayTake(const SolveTask& task, int32_t leaf);
  // Pods that stop, or are evicted, and leave their room to nobody beside the group so far, by UID.
  std::vector<std::string_view> GoingPods(GroupId group) const;
  // With the last of a gang goes what `returning` ones leave to it, and what it holds for nobody.
  // `promised`, where it is not null: what they can do without goes before any of them does, and
  // what is in there goes for nobody else, nor does its gang as a whole.
  void AddGroups(const std::vector<const Group*>& groups, const Ranks& ranks,
                 const Returning& returning, SolveTask& task, int64_t& work,
                 const Promised* promised = nullptr) const;
  void AddSlots(const Group& group, const std::vector<int32_t>& surplus, SolveTask& task) const;
  void AddSpares(const Group& group, SolveTask& task) const;
  int32_t LeafOf(const SolveTask& task, std::string_view uid) const;  // -1: it stands on none
  void AddSingles(const std::vector<Single>& singles, const Ranks& ranks, SolveTask& task,
                  bool shrinks = false) const;
  void AddSurplus(const Group& group, const std::vector<int32_t>& slots, SolveTask& task) const;
  void Free(SolveTask& task, std::string_view uid) const;

  struct Pause {
    absl::Time until;
    int32_t times = 0;
    bool others_went = false;  // for it, and it has neither started nor lost its room since
    absl::Duration stop;       // others are gone that much later, as NoteTooLate has it
    int32_t from = 0;          // the first leaf of the next question's pods of no group
  };
  Pause& BeginPause(absl::Time now, GroupId group);

  bool preempts_, pods_;
  const Books books_;
  std::optional<Rank> least_;  // of the groups that run
  std::map<GroupId, Pause> pauses_;
  VainPauses vain_{kMaxVainPauses};
  std::set<GroupId> unready_;  // may not be started yet
  Timers<GroupId> due_;
  absl::Time ticked_ = absl::InfinitePast();
};

}  // namespace gangplan
