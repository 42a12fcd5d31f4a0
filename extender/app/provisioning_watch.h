// Asks for nodes: gangs that lack room, and nothing else, get a request for nodes each
// (provisioning_step.h), which goes when they have room, are gone, or ask for something else. What
// becomes of one is told in Events on the gang's owner. All that is known of requests is read from
// the cluster in each look, by the label that says whose they are: a Gangplan that starts anew
// makes none twice, and takes away what nobody needs any more.
//
// Of gangs that wait the greatest priority goes first, then the oldest; a namespace has so many
// open requests at most, and so have all of them together, however many gangs wait. Where more wait
// than one look asks, the next one goes on behind them, so that nobody is shut out by others that
// can never ask. A look costs the reports of all groups, a list of the requests, and O(slots and
// members) for each gang that has one or may get one; nothing is listed while nobody lacks room and
// none was there.
//
// Thread rule: Start once, then Stop; Look by one thread, not within a turn of the planner.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "config/settings.h"
#include "extender/app/locked_planner.h"
#include "extender/app/looking_thread.h"
#include "extender/app/provisioning_desk.h"
#include "extender/app/provisioning_step.h"
#include "extender/cluster/cluster.h"
#include "extender/observe/log.h"
#include "extender/planner/room_ask.h"
#include "topology/base/clock.h"

namespace gangplan {

class ProvisioningWatch {
 public:
  static constexpr absl::Duration kLookEach = absl::Seconds(5);
  // After what was refused, and after what may pass in a moment.
  static constexpr absl::Duration kPause = absl::Minutes(1);
  static constexpr absl::Duration kShortPause = absl::Seconds(10);
  static constexpr size_t kMostOpen = 128;
  static constexpr size_t kMostOpenInNamespace = 16;
  static constexpr size_t kMostInNamespace = 128;  // with those that are given up
  static constexpr size_t kMostAsks = 1'000;       // gangs without one, of which one look asks

  // All outlive it. `schedulers`: as the configuration names them, one at least; the requests of
  // another Gangplan's schedulers are never touched.
  ProvisioningWatch(ProvisioningSettings settings, std::vector<std::string> schedulers,
                    LockedPlanner& planner, Cluster& cluster, const Clock& clock);
  ~ProvisioningWatch() { Stop(); }

  // Looks in a thread of its own from here on. Where no requests are to be made it clears.
  void Start();
  void Stop();  // Safe to call again. What is on its way is not waited for.
  // Once.
  void Look();
  // What an earlier configuration has left is deleted, until nothing is left.
  void Clear();

 private:
  using Request = ProvisioningFacts;
  using Requests = std::vector<const Request*>;
  struct Gang {
    GroupState state = GroupState::kNew;
    bool alone = false;    // its owner waits, and it has no group yet
    bool invalid = false;  // as it is it will never be planned
    bool lacks = false;    // by its report
    int32_t priority = 0;
    int64_t created = 0;
  };
  // What this process has done about a request.
  struct Seen {
    bool whole = false;  // its templates were written
    std::set<std::string> told;
  };
  struct Load {
    size_t open = 0;
    size_t all = 0;
  };
  struct Given {
    std::string name;  // of the request
    absl::Time at;
  };
  using Turn = std::tuple<int64_t, int64_t, std::string>;  // of a gang that waits: the least first

  bool MayAct() const;
  bool ReadGangs(absl::Time now);
  std::optional<std::vector<Request>> List(absl::Time now);
  void TellUnavailable(absl::Time now, std::string why);
  std::map<std::string, Requests> Sort(const std::vector<Request>& listed);
  std::shared_ptr<const RoomAsk> Ask(const std::string& gang);
  void Follow(absl::Time now, const std::string& gang, const Requests& known);
  bool MayComeBack(absl::Time now, const std::string& gang);
  void FollowPlaced(const std::string& gang, const Requests& known);
  void Pursue(absl::Time now, const std::string& gang, const RoomAsk& ask, const Requests& known);
  bool MayMake(absl::Time now, const std::string& gang, const Gang& state) const;
  bool Pauses(absl::Time now, const std::string& gang) const;
  std::vector<Turn> Waiting(absl::Time now) const;
  void MakeNew(absl::Time now);
  void AskNew(absl::Time now, const std::string& gang, Load& load);
  void Make(ProvisioningWrite write, int attempt);
  void Remove(const Requests& requests);
  void CountOpen(absl::Time now, const Request& request);
  void Book(const std::string& gang, const Request* request);
  void UnbookOthers();
  void Tell(absl::Time now, const RoomAsk& ask, const ProvisioningStep& step);
  void TakeAnswers(absl::Time now);
  void TellRefused(absl::Time now, const std::string& gang, const absl::Status& why);

  const ProvisioningSettings settings_;
  const std::vector<std::string> schedulers_;
  LockedPlanner& planner_;
  Cluster& cluster_;
  const Clock& clock_;
  ProvisioningDesk desk_;
  RepeatedLog log_{absl::Minutes(1)};

  // --- Of the thread that looks.
  absl::Time list_from_ = absl::InfinitePast();
  std::string unavailable_;  // as it was told
  absl::Time unavailable_told_ = absl::InfinitePast();
  absl::Time refusal_told_ = absl::InfinitePast();  // on Gangplan's pod, of whichever gang
  bool any_known_ = true;                           // some request was there, or may have been
  std::map<std::string, absl::Time> lacks_since_;
  std::map<std::string, absl::Time> not_before_;  // of gangs whose request could not be written
  std::map<std::string, std::string> refused_;    // likewise: why, as their owners were told
  std::map<std::string, Given> given_;            // by gang that lacks room: what was made last
  std::map<std::string, absl::Time> nobodys_;     // by gang that has requests, and is unknown since
  std::set<std::string> booked_;                  // gangs whose members are told of a request
  std::map<std::string, Seen> seen_;              // by UID
  std::set<std::string> made_;                    // since the last list: namespace/name
  bool cleared_ = false;
  std::optional<Turn> asked_to_;  // behind it the next look asks on
  // Of this look: gangs by name, load by namespace and in all, and who has requests.
  std::map<std::string, Gang> gangs_;
  std::map<std::string, Load> load_;
  size_t open_ = 0;
  std::set<std::string> followed_;

  LookingThread thread_;
};

}  // namespace gangplan
