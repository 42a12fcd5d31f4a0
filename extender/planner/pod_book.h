// What is known of each pod: by the watch, or by a call of the scheduler that came before it; and
// which pods were deleted, so that what arrives late from another stream changes nothing.
// Thread rule: the planner's. A reference dies with the next Note or Erase.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/pod_ref.h"
#include "extender/planner/ledger.h"
#include "extender/planner/timers.h"
#include "topology/base/steady_map.h"
#include "topology/base/text.h"
#include "topology/pod_facts.h"

namespace gangplan {

// How a pod stands to groups while it is a member of none.
enum class Kin : uint8_t {
  kForeign,
  kWaitsForOwner,
  kClaimRefused,  // its group would be beyond what its namespace may claim
};

struct KnownPod {
  PodRef ref;
  ResourceList requests;
  ProfileRef profile;
  int32_t priority = 0;
  std::string node;      // bound there, as the watch knows
  bool leaving = false;  // terminating or finished: never placed again
  bool faulty = false;   // something in it cannot be read: it counts on its node alone
  std::string owner_uid;  // of the controller whose user it is in the owners' book; empty: none
  GroupId group = 0;  // 0: of none
  int64_t arrival = 0;  // its place among those who wait while the cluster is read at first
  // The node that it was released to alone, or may have been: nobody asks us before it goes there,
  // so its room is its own until it is bound or gone. Empty: none.
  std::string pledge;
  bool going = false;  // a release from its gate may land
  Kin kin = Kin::kForeign;
  std::string why;         // kClaimRefused: for people
  bool confirmed = false;  // the watch has shown it
  // As last seen, where its words may be read again: of a member that waits, or of any when levels
  // or objects may change.
  std::unique_ptr<PodFacts> facts;
};

class PodBook {
 public:
  KnownPod* Find(std::string_view uid) { return pods_.Find(uid); }
  const KnownPod* Find(std::string_view uid) const { return pods_.Find(uid); }
  KnownPod& At(std::string_view uid) { return *Find(uid); }
  const KnownPod& At(std::string_view uid) const { return *Find(uid); }
  // The pod's record, made when there is none, with the facts that may change.
  KnownPod& Note(const PodFacts& pod);
  // One that only the scheduler has shown is due after a while.
  void AwaitConfirmation(std::string_view uid, absl::Time until);
  void Confirm(std::string_view uid);
  std::vector<std::string> TakeUnconfirmed(absl::Time now) { return unconfirmed_.TakeDue(now); }
  void Erase(std::string_view uid);

  int64_t faulty() const { return faulty_; }

  // The last ones that were deleted, so many.
  void Bury(std::string_view uid);
  bool Buried(std::string_view uid) const { return tombstones_.contains(uid); }

 private:
  ProfileRef ProfileOf(const PodFacts& pod, const ProfileRef& before);

  SteadyMap<KnownPod> pods_;
  int64_t faulty_ = 0;
  ProfileRef last_profile_;  // pods of one template often come one after another
  Timers<std::string> unconfirmed_;
  SteadyMap<std::monostate> tombstones_;
  std::deque<std::string> buried_;
};

}  // namespace gangplan
