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
#include "extender/planner/pin.h"
#include "extender/planner/plans.h"
#include "extender/planner/roster.h"
#include "topology/job_facts.h"

namespace gangplan {

struct SuspendedOptions {
  bool levels_on_nodes = true;  // each level of the topology is a label that nodes really have
};

class SuspendedOwners {
 public:
  SuspendedOwners(const SuspendedOptions& options, const Books& books, Plans& plans, Roster& roster)
      : options_(options), books_(books), plans_(plans), roster_(roster) {}

  void OnJob(absl::Time now, const JobFacts& job);
  // It has our mark no more, or is gone.
  void OnJobLeft(std::string_view uid);
  // What admission follows is another now: those that wait are planned as their pods would be.
  void OnAdmissionRule(const AdmissionRule& rule, bool stands);
  // Of each JobWrite, with its number.
  void OnWritten(absl::Time now, std::string_view uid, int64_t attempt, const absl::Status& status);
  // What has become of their groups: starts those that have room.
  void Follow(absl::Time now);
  // What is due; gives so many of those that have none their group.
  void Tick(absl::Time now);
  // Some wait for a group, or to be looked at again, and nothing is in their way.
  bool busy() const { return plans_.planning() && (!pending_.empty() || renewed_); }

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
    State state = State::kWaits;
    GroupId group = 0;           // 0: it has none
    std::vector<Foretold> told;  // to it, of each pod set, without a pin
    int64_t arrival = 0;
    int64_t attempt = 0;     // of the last write
    std::string version;     // that it was for
    JobWrite write;          // the last one
    bool in_doubt = false;   // it may have been done
    bool withdrawn = false;  // it is to be suspended again when it has been started
    absl::Time start_from = absl::InfiniteFuture();  // by an instance that nobody asks
    int64_t suspending = 0;  // the attempt that is on its way to suspend it; 0: none
    // What it lacks can never go where it may, since it was whole so many times.
    std::optional<int32_t> lost_since;
    int32_t fruitless = 0;
    absl::Time not_before = absl::InfinitePast();
    std::string problem;  // that people were told
  };
  using Entries = std::map<std::string, Entry, std::less<>>;  // by UID

  // What an owner's templates say.
  struct Templates {
    std::vector<Foretold> members;  // of its gang
    std::string problem;            // not empty: they make none
    bool one_gang = false;          // all of it, and nobody else's pods are of it

    bool gated() const;
  };
  Templates Read(const JobFacts& job) const;
  void RenewSome(absl::Time now);
  static std::string NameOf(const Entry& entry);
  void Pend(const std::string& uid, Entry& entry);
  void GiveGroups(absl::Time now, size_t most);
  void Look(absl::Time now, const std::string& uid);
  void Renew(absl::Time now, const std::string& uid, Entry& entry);
  void MakeGroup(absl::Time now, const std::string& uid, Entry& entry);
  bool IsFull(absl::Time now, const std::string& uid, Entry& entry);
  void LeaveGroup(Entry& entry);
  bool IsPlaced(const Entry& entry) const;
  // suspended_writes.cc
  void Start(absl::Time now, const std::string& uid, Entry& entry);
  void StartUnplanned(absl::Time now, const std::string& uid, Entry& entry,
                      const Templates& read);
  static bool MayBePinned(const Entry& entry);
  void Suspend(Entry& entry);
  void Withdraw(absl::Time now, GroupId group);
  void Blocked(absl::Time now, GroupId group);
  bool StaysLost(const Group& group) const;
  void Erased(GroupId group);
  Entry* EntryOf(GroupId group);
  void Write(Entry& entry, JobWrite write, State state);
  void Started(absl::Time now, const std::string& uid, Entry& entry, const absl::Status& status);
  void NotStarted(absl::Time now, const std::string& uid, Entry& entry, std::string_view why);
  void Suspended(absl::Time now, const std::string& uid, Entry& entry, const absl::Status& status);
  void BeginToWrite(absl::Time now);
  void Tell(Entry& entry, std::string reason, std::string problem);
  void Drop(std::string_view uid);
  Pin PinOf(const Foretold& told, const Group& group) const;
  Pin PinAll(const Entry& entry, Group& group, JobWrite& write) const;

  const SuspendedOptions options_;
  const Books books_;
  Plans& plans_;
  Roster& roster_;
  Admission admission_;
  Entries entries_;
  std::optional<std::string> renewed_;  // up to this one, by UID, while there are more
  std::map<GroupId, std::string> by_group_;
  std::map<int64_t, std::string> pending_;  // by arrival
  Timers<std::string> due_;
  // Namespaces that may have no more groups: until when that counts, and what they are told.
  std::map<std::string, std::pair<absl::Time, std::string>> full_;
  int64_t arrivals_ = 0;
  int64_t attempts_ = 0;
  std::set<GroupId> not_withdrawn_;  // by an instance that nobody asks
  bool was_active_ = false;
};

}  // namespace gangplan
