// Jobs and JobSets that wait suspended until they are started: the first waiting room. They have no
// pods, so they cost the scheduler nothing; each is planned from its templates, its room is held,
// and one write starts it, with an affinity for the nodes of its plan (pin.h), one for each pod
// set. Its pods join the group that holds their room. A gang whose room came to nothing is
// suspended again. What differs between the kinds is told by topology/owner_kinds.h.
//
// Only an owner with our mark is started, and the start takes the mark away: one that is suspended
// without it is somebody else's. Each write is made for one version of it, so that two of us never
// start it twice.
//
// Or somebody else starts them, and asks us before: Kueue, by admission checks of ours (RoomCheck).
// Such an owner is planned and held likewise, and in place of a start its checks are said to be
// Ready, in place of a suspension to be Retry; each write is for one version of its Workload.
//
// Whoever waits without a group is told why, and is found by the reports here; who has one is told
// of by that. They get their groups in the order of priority and creation (waiting_line.h).
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "extender/planner/admission.h"
#include "extender/planner/group_report.h"
#include "extender/planner/pin.h"
#include "extender/planner/plans.h"
#include "extender/planner/roster.h"
#include "extender/planner/start_pauses.h"
#include "extender/planner/waiting_line.h"
#include "topology/job_facts.h"

namespace gangplan {

struct SuspendedOptions {
  std::vector<PinBy> pins = {PinBy()};  // by topology
  // An owner whose quota is kept for it gives that back when it has had no room for so long.
  absl::Duration check_patience = absl::Minutes(5);
  absl::Duration check_reject_after = absl::Minutes(10);
};

class SuspendedOwners {
 public:
  SuspendedOwners(const SuspendedOptions& options, const Books& books, Plans& plans, Roster& roster)
      : options_(options), books_(books), plans_(plans), roster_(roster) {}

  void OnJob(absl::Time now, const JobFacts& job);
  // It has our mark no more, or is gone.
  void OnJobLeft(absl::Time now, std::string_view uid);
  // What admission follows is another now: those that wait are planned as their pods would be.
  void OnAdmissionRule(const AdmissionRule& rule, bool stands);
  // The levels are others now.
  void OnTopology() { to_renew_ = entries_.size(); }
  // An object of this namespace that may describe gangs came, changed or went: whose words could
  // not be followed is looked at again. O(those of the namespace).
  void OnObject(std::string_view ns);
  // It was read, and there is none of this UID any more.
  void OnOwnerGone(std::string_view owner_key);
  // Of each JobWrite, with its number.
  void OnWritten(absl::Time now, std::string_view uid, int64_t attempt, const absl::Status& status);
  // What has become of their groups: starts those that have room.
  void Follow(absl::Time now);
  // What is due; gives so many of those that have none their group.
  void Tick(absl::Time now);
  // After a restart: all that wait get their groups, so many at a time, before anybody is planned,
  // so that age decides, and not who is read first. True: those were all.
  bool JoinWaiting(absl::Time now);
  // Some wait for a group, or to be looked at again, and nothing is in their way.
  bool busy() const { return plans_.planning() && (!line_.empty() || to_renew_ > 0); }

  // --- Those that wait without a group, for people; by UID those after `after`, so many looks at
  // most: `after` is the last one that was looked at, empty when those were all.
  std::vector<GroupReport> List(std::string& after, size_t most) const;
  // One of them, by "namespace/name"; nothing: there is none.
  std::optional<GroupReport> Report(std::string_view name) const;
  // Why an owner is not started that this group holds room for; empty: it is on its way, or nobody
  // waits.
  std::string WhyHeld(GroupId group) const;
  int64_t refused_suspensions() const { return refused_suspensions_; }  // since start
  int64_t templates_read() const { return templates_read_; }            // likewise

 private:
  enum class State {
    kWaits,
    kStarting,    // its start is on its way
    kStarted,     // its pods are to come, or are there
    kSuspending,  // likewise
  };
  struct Entry {
    JobFacts job;        // as it was seen last
    bool marked = true;  // as the watch shows it
    bool spoke = false;  // words of ours were about its pods, sound or not
    State state = State::kWaits;
    GroupId group = 0;           // 0: it has none
    std::vector<Foretold> told;  // to it, of each pod set, without a pin
    WaitingLine::Place place;    // where it stands, or stood
    int64_t attempt = 0;         // of the last write
    std::string version;         // that it was for
    JobWrite write;              // the last one
    bool in_doubt = false;       // it may have been done
    bool withdrawn = false;      // it is to be suspended again when it has been started
    int64_t suspending = 0;      // the attempt that is on its way to suspend it; 0: none
    // What it lacks can never go where it may, since it was whole so many times.
    std::optional<int32_t> lost_since;
    int32_t fruitless = 0;
    bool was_unready = false;  // the last time it could not be started, whatever room it had
    absl::Time not_before = absl::InfinitePast();
    int32_t refused = 0;                             // suspensions in a row
    absl::Time suspend_from = absl::InfinitePast();  // not tried again before
    absl::Duration read_after;                       // while its pods do not come
    int32_t doubts = 0;                              // writes in a row with no known outcome
    std::string why;                                 // it is suspended again
    std::string problem;                             // that people were told
    bool invalid = false;                            // its user is to mend that
    // Of one that waits for a check: since when, since when it can never go, when something may be
    // said again, and the attempt that says it; 0: none. From when on its quota may be given back,
    // and how many writes in a row have failed.
    absl::Time waits_from = absl::InfiniteFuture();
    absl::Time never_since = absl::InfiniteFuture();
    absl::Time say_from = absl::InfinitePast();
    int64_t saying = 0;
    absl::Time back_from = absl::InfinitePast();
    int32_t unsaid = 0;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;  // by UID

  // What an owner's templates say.
  struct Templates {
    std::vector<Foretold> members;  // of its gang
    std::vector<Foretold> others;   // of nobody's
    std::string problem;            // not empty: they make none
    bool speaks = false;            // some word of ours is about its pods, sound or not
    bool one_gang = false;          // all of it, and nobody else's pods are of it
    bool foreign = false;           // none of its pods is of any gang of ours

    bool gated() const;
  };
  std::string NoGang(const JobFacts& job) const;
  Templates Read(const JobFacts& job);
  void RenewSome(absl::Time now);
  bool RankSome();
  static std::string NameOf(const Entry& entry);
  void Rank(const std::string& uid, Entry& entry);
  void Pend(const std::string& uid, Entry& entry);
  void Unpark();
  void GiveGroups(absl::Time now, size_t most);
  void Renew(absl::Time now, const std::string& uid, Entry& entry, std::optional<Templates> read);
  bool Pauses(absl::Time now, const std::string& uid, Entry& entry);
  void ForgetPause(absl::Time now, Entry& entry);
  static bool MayBePlanned(const Entry& entry, const Templates& read);
  void MakeGroup(absl::Time now, const std::string& uid, Entry& entry, Templates read);
  static void NoteWaits(absl::Time now, const Entry& entry, Group& group);
  void NoPlace(absl::Time now, const std::string& uid, Entry& entry, const absl::Status& why);
  void LeaveGroup(Entry& entry);
  bool IsPlaced(const Entry& entry) const;
  const PinBy& PinsOf(const Group& group) const {
    return options_.pins[static_cast<size_t>(group.topology())];
  }
  void StartedElsewhere(absl::Time now, const std::string& uid);
  void Drop(std::string_view uid);
  // suspended_ends.cc
  bool NoteBarren(const Entry& entry);
  bool NoteLeft(const Entry& entry);
  void Withdraw(absl::Time now, GroupId group);
  void Blocked(absl::Time now, GroupId group);
  static bool CameToNothing(const Group& group);
  bool StaysLost(const Group& group) const;
  void BlockedBefore(absl::Time now, GroupId group);
  void Erased(absl::Time now, GroupId group, GroupStart start);
  Entry* EntryOf(GroupId group);
  void Look(absl::Time now, const std::string& uid);
  void LookAtStarted(absl::Time now, const std::string& uid, Entry& entry);
  void BeginToWrite(absl::Time now);
  // suspended_writes.cc
  Pin PinOf(const Foretold& told, const Group& group) const;
  Pin PinAll(const Entry& entry, Group& group, JobWrite& write) const;
  void Start(absl::Time now, Entry& entry);
  void StartUnplanned(absl::Time now, const std::string& uid, Entry& entry, const Templates& read);
  bool RunsStill(const Entry& entry) const;
  bool LeaveRunBefore(const Group& group);
  static bool MayBePinned(const Entry& entry);
  void Suspend(Entry& entry);
  void Write(Entry& entry, JobWrite write, State state);
  void Started(absl::Time now, const std::string& uid, Entry& entry, const absl::Status& status);
  void Doubt(absl::Time now, const std::string& uid, Entry& entry);
  void NotStarted(absl::Time now, const std::string& uid, Entry& entry, std::string_view why);
  void Suspended(absl::Time now, const std::string& uid, Entry& entry, const absl::Status& status);
  void NotSuspended(absl::Time now, const std::string& uid, Entry& entry, std::string_view why);
  void SuspendLater(absl::Time now, const std::string& uid, Entry& entry);
  // suspended_checks.cc
  static bool IsReady(const Entry& entry);
  bool OnChecked(absl::Time now, const JobFacts& job);
  bool OnlyToldAnew(absl::Time now, Entry& entry, const JobFacts& job);
  static bool WaitsAnew(const Entry& entry, const JobFacts& job);
  static std::string WhatLacksQuota(const JobFacts& job, const GroupSpec& spec);
  void LetGo(std::string_view uid);
  void TakeOver(absl::Time now, const std::string& uid, Entry& entry);
  void TakeReady(absl::Time now, const std::string& uid, Entry& entry, Templates read,
                 Group& group);
  std::string PinCheck(const Entry& entry, Group& group, CheckWrite& write) const;
  static JobWrite WriteOf(const Entry& entry, CheckState state, std::string message);
  void LookAtCheck(absl::Time now, const std::string& uid);
  void Say(absl::Time now, Entry& entry, std::string message);
  void Said(absl::Time now, const std::string& uid, Entry& entry, const absl::Status& status);
  absl::Duration AfterFailure(Entry& entry, const absl::Status& status);
  void GiveQuotaBack(Entry& entry, CheckState state, std::string why);
  void WaitAgain(const std::string& uid, Entry& entry);
  void GaveBack(absl::Time now, const std::string& uid, Entry& entry, const absl::Status& status);
  // suspended_reports.cc
  void Tell(Entry& entry, std::string reason, std::string problem);
  void TellSuspended(Entry& entry, std::string_view why);
  void TellPause(Entry& entry, int32_t starts);
  static std::string TimeText(absl::Time time);
  static std::string WhatIsUnplanned(const Entry& entry);
  static std::string WhyUnplanned(const Entry& entry, const Templates& read);
  static bool StandsAlone(const Entry& entry);
  static std::string WhyItWaits(const Entry& entry);
  static GroupReport Describe(const Entry& entry);

  const SuspendedOptions options_;
  const Books books_;
  Plans& plans_;
  Roster& roster_;
  Admission admission_;
  Entries entries_;
  size_t to_renew_ = 0;                     // of entries_, behind the one that was renewed last
  std::string renewed_;                     // its UID
  std::optional<std::string> ranked_ = "";  // up to this one, until JoinWaiting has been through
  std::map<GroupId, std::string> by_group_;
  std::map<std::string, std::set<std::string>, std::less<>> by_name_;  // namespace/name: UIDs
  WaitingLine line_;
  uint64_t room_version_ = 0;  // of the book's room for them, when it was looked at last
  bool unused_room_ = false;   // somebody was taken from the line to it who did not need it
  StartPauses starts_{kMaxRememberedStarts};
  Timers<std::string> due_;
  Timers<std::string> check_due_;  // when what is said in checks is looked at
  int64_t attempts_ = 0;
  int64_t refused_suspensions_ = 0;
  int64_t templates_read_ = 0;
  std::set<GroupId> not_withdrawn_;  // by an instance that does not act
  std::set<GroupId> left_;  // of owners that were dropped: one may have come to nothing before
  bool was_active_ = false;
};

}  // namespace gangplan
