// Pods that wait behind a scheduling gate of ours: the second waiting room. They are members while
// they are gated, so their group is planned and its room is held; the scheduler does not try them.
// When the group is whole and has room for all, each is released in the order of the ranks by one
// write, which takes the gate away and gives the pod the nodes of its plan's domain (gate_pin.h).
//
// A gate never comes back, and nodes that were given cannot be taken: from the first release on the
// rest of the group is planned on the same nodes. Where these have no room for it any more, what
// was released and does not run is deleted, if a controller makes it anew, gated.
//
// Where nobody calls the verbs, each pod is released to its own node, and its room stays its own
// until the watch shows it bound, or gone (Plans::KeepPledge). Who is refused there by the
// scheduler for a while is planned elsewhere; where that, or others, leave no room for it, it is
// deleted likewise.
//
// A write is done once: what is on its way is not sent again, what is in doubt is. Each is of one
// version of the pod: it lands once at most, and not on a pod that has changed since its plan. One
// that lands after its group was planned anew is met as the watch would show it.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "extender/planner/plans.h"
#include "extender/planner/roster.h"
#include "topology/pod_gates.h"

namespace gangplan {

struct GateOptions {
  GateUse use = GateUse::kNone;
  bool start_at_first_member = false;
  bool verbs = true;                    // the scheduler asks us where pods may go
  std::vector<PinBy> pins = {PinBy()};  // by topology
};

class Gates {
 public:
  Gates(const GateOptions& options, const Books& books, Plans& plans, Roster& roster)
      : options_(options), books_(books), plans_(plans), roster_(roster) {}

  // What has become of groups with gated members: releases those that may go, so many at once.
  void Follow(absl::Time now);
  // Of each PodRelease and PodDelete, with its number.
  void OnReleased(absl::Time now, std::string_view uid, int64_t attempt,
                  const absl::Status& status);
  void OnDeleted(absl::Time now, std::string_view uid, int64_t attempt, const absl::Status& status);
  // What is due.
  void Tick(absl::Time now);
  // More may be written at once.
  bool busy() const { return !waiting_.empty() && MayWrite(); }

 private:
  // A write of a pod: on its way, in doubt, or refused and left alone for a while.
  struct Write {
    std::variant<PodRelease, PodDelete> what;
    int64_t attempt = 0;
    std::string node = {};  // that it releases to, alone; empty: to several, or it is no release
    bool sent = false;
    bool may_land = false;  // it is on its way, or was, and nobody knows what came of it
    // Until then, of one in doubt. An earlier try of it may have been done, too.
    absl::Time doubted_until = absl::InfinitePast();
  };
  // A pod, its group and itself as a member of that, as far as there is one.
  struct Known {
    KnownPod* record = nullptr;
    Group* group = nullptr;
    const Member* member = nullptr;
  };
  using Writes = std::map<std::string, Write, std::less<>>;  // by the pod's UID

  bool MayWrite() const { return sent_ <= kReleasesAtOnce / 2; }
  void Look(absl::Time now, GroupId id);
  bool MayRelease(const Group& group) const;
  bool LacksRoom(const Group& group, const Member& member) const;
  bool AnyElsewhere(const Group& group) const;
  bool IsStuck(const Group& group) const;
  bool IsLeft(const Group& group) const;
  void ReleaseSome(Group& group);
  void ChooseNodes(Group& group);
  void GivenBack(absl::Time now, GroupId id);
  void Release(const Group& group, int32_t slot);
  void Send(std::string_view uid, std::variant<PodRelease, PodDelete> what, std::string node = {});
  void Again(const std::string& uid, Write& write);
  void SetMayLand(const std::string& uid, Write& write, bool may_land);
  bool MayLandStill(absl::Time now, const std::string& uid, const Write& write) const;
  Write* Answered(std::string_view uid, int64_t attempt);
  Known Find(std::string_view uid) const;
  bool IsBound(const std::string& uid) const;
  void Refused(absl::Time now, const std::string& uid, std::string_view done, std::string_view why);
  void NotDone(absl::Time now, const std::string& uid, Write& write);
  void TakeGate(absl::Time now, const std::string& uid, const PodRelease& release);
  void Stuck(absl::Time now, GroupId id);
  bool AnyForeseen(const Group& group) const;
  void DeleteReleased(const Group& group);
  void DeleteAstray(const Group& group);
  void Delete(const Group& group, const Member& member);
  void LookAtWrite(absl::Time now, const std::string& uid);
  void LookAtRefused(absl::Time now, const std::string& uid);
  bool MayRepeat(const Write& write) const;
  void AskForGated(absl::Time now, GroupId id);
  void BeginToWrite();
  void Tell(const Group& group, const PodRef& pod, std::string text);

  const GateOptions options_;
  const Books books_;
  Plans& plans_;
  Roster& roster_;
  Writes writes_;
  size_t sent_ = 0;
  int64_t attempts_ = 0;
  Timers<std::string> due_;              // writes, by UID
  std::set<GroupId> waiting_;            // to be looked at
  std::set<std::string> overdue_;        // writes, likewise, by UID
  Timers<std::string> refused_;          // where they were released to, by the scheduler; UIDs
  Timers<GroupId> ask_;                  // groups whose room was given back
  std::map<GroupId, absl::Time> stuck_;  // and since when
  Timers<GroupId> look_;
  std::map<GroupId, std::string> told_;
  bool was_active_ = false;
};

}  // namespace gangplan
