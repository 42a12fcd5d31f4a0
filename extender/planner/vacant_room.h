// Room that is held for members that do not exist yet, per namespace: a claim is not a right, so
// one namespace may hold a share of the cluster in this way and no more. What its pods cost is not
// counted: those are there.
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "extender/planner/group.h"

namespace gangplan {

class VacantRoom {
 public:
  // `most`: in percent of the cluster; 100: no limit.
  explicit VacantRoom(int32_t most) : most_(most) {}

  // Another share from now on; whoever was refused may ask once more.
  void SetMost(int32_t most) {
    most_ = most;
    for (const auto& [ns, held] : held_) freed_.insert(ns);
    for (const auto& [ns, barren] : barren_) freed_.insert(ns);
  }
  // Held slots without a member changed. O(pod sets).
  void Count(const Group& group, const Ledger& ledger);
  void Forget(const Group& group);
  // Why room for all missing members of the group is too much; empty: it is not. What gangs keep
  // beside their slots, for as long as they run, is no reason against the first one that waits
  // suspended, unless its namespace has started some of which no pod came.
  std::string Refusal(const Group& group, const Ledger& ledger) const;
  // Likewise of room that a gang keeps beside its slots, in an account of its own: so much of the
  // cluster, in millionths; 0: no more. False: that is too much, and nothing is counted; never of
  // less than before.
  bool CountKept(const std::string& ns, GroupId account, int64_t share);
  // What was held for a gang that was to be started is given up: its time is over, its owner is
  // gone, was suspended by somebody else or asks for less. Where not all of it had come by then,
  // and it was beyond the share of its namespace: for a while from the next tick on, twice as long
  // each time, none is started there beyond that. True: so it is.
  bool NoteBarren(const Group& group, const Ledger& ledger);
  void Tick(absl::Time now);
  // Namespaces that hold less than before, since they were taken last.
  bool any_freed() const { return !freed_.empty(); }
  std::set<std::string> TakeFreed() { return std::exchange(freed_, {}); }

 private:
  void ForgetAccount(const std::string& ns, GroupId account);
  static int64_t ShareOf(const Group& group, int32_t vacant, const Ledger& ledger);

  struct Barren {
    int32_t times = 0;
    absl::Time until = absl::InfiniteFuture();  // until the next tick sets it
    bool over = false;
  };

  int32_t most_;
  std::map<std::string, Barren> barren_;  // by namespace
  std::set<std::string> freed_;
  std::map<std::string, std::map<GroupId, int64_t>> held_;  // by namespace; millionths
};

}  // namespace gangplan
