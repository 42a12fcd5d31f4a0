// Room that reservations by name keep (gangplan.io/reservation on a ConfigMap): on which nodes, how
// much of it is held, and who may have it. From its start until its end the gangs that ask for a
// reservation by its name and may use it go to its nodes, and nobody else gets its room; before, so
// long as room is kept for it, gangs that have ended by then may pass.
//
// What it takes of a node is held as far as that is free, less what its users have there already;
// so what anybody leaves there is its own at once. Of two that want the same room the one that
// begins first has it. Which nodes these are is found by others (named_reservations.h).
//
// Invariant: once nothing is to be fitted, no reservation lacks room that is free on its nodes, and
// what it counts as missing is so.
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/frontends/gangplan/reservation.h"
#include "extender/planner/group.h"
#include "extender/planner/group_book.h"
#include "extender/planner/ledger.h"

namespace gangplan {

class NamedRoom {
 public:
  struct Reservation {
    GroupId account = 0;
    std::string name;
    ReservationWords words;
    std::unique_ptr<Group> group;  // its pods as those of a gang, for questions
    bool started = false;
    bool movable = false;                    // it may be asked to go elsewhere
    std::vector<NodeIndex> wish = {};        // off these, for somebody who fits nowhere else
    bool over = false;                       // it gives back what it holds, and is gone then
    std::map<NodeIndex, int32_t> pods = {};  // how many it has room for there; where it goes
    std::map<NodeIndex, ResourceList> held = {};
    std::map<NodeIndex, int32_t> there = {};  // of its pods, by its room and its users' there
    int32_t missing = 0;                      // pods for which there is no room yet
  };
  using Reservations = std::map<GroupId, Reservation>;

  NamedRoom(Ledger& ledger, const GroupBook& groups) : ledger_(ledger), groups_(groups) {}

  bool any() const { return !all_.empty(); }
  const Reservations& all() const { return all_; }
  const Reservation* Find(GroupId account) const;
  const Reservation* Named(std::string_view name) const;  // null: there is none

  // --- Its life. What it holds follows with Fit.
  // New, or with other words; its pods come with SetGroup. O(groups).
  void Put(GroupId account, std::string name, ReservationWords words);
  void SetGroup(GroupId account, std::unique_ptr<Group> group) {
    all_.at(account).group = std::move(group);
  }
  void Place(GroupId account, std::map<NodeIndex, int32_t> pods);
  void SetStarted(GroupId account, bool started);
  // Somebody fits nowhere else: of several the first is heard.
  void Wish(GroupId account, const std::vector<NodeIndex>& nodes);
  std::vector<NodeIndex> TakeWish(GroupId account) {
    return std::exchange(all_.at(account).wish, {});
  }
  void SetMovable(GroupId account, bool movable) { all_.at(account).movable = movable; }
  void End(GroupId account);  // it gives back all that it holds

  // --- Its users.
  // The group may have a word of it, or another one.
  void NoteUser(const Group& group);
  void ForgetUser(GroupId group) { users_.erase(group); }
  // Of this one, that asks for it and may use it, in order of arrival. O(users of all).
  std::vector<const Group*> UsersOf(const Reservation& reservation) const;
  // The one whose room it may use, and to whose nodes it goes; null: none, or not now.
  const Reservation* RoomOf(const Group& group) const;
  // Why a group that asks for one may not be planned yet, or any more; empty: it may.
  std::string WhyNot(const Group& group) const;
  // The accounts in which the group's room is kept, or that it may pass since it is gone before
  // they begin; `end`: Unix seconds, 0: nobody knows.
  std::vector<GroupId> OpenTo(const Group& group, int64_t end) const;
  // Those that may be moved for it.
  std::vector<GroupId> MovableFor(const Group& group) const;
  // Where something is still to come free for others than the group, or at the time of a
  // reservation that is one's own.
  std::vector<NodeIndex> LackingBeside(const Group& group) const;
  // The other begins first, and has ended when this one begins.
  static bool IsBefore(const Reservation& one, const Reservation& other) {
    return one.words.until <= other.words.from;
  }

  // --- Room.
  // The group has room on these nodes now.
  void NoteTaken(const Group& group, const std::vector<NodeIndex>& nodes);
  // Something was left, or is to be given back: nobody is to be planned before.
  bool AnyToFit() const { return !to_fit_.empty() || ledger_.AnyLeft(); }
  // Of so many nodes. Returns how many it has looked at.
  int64_t Fit();
  // What they hold there is out for a moment, until FitAt.
  void LiftAt(const std::vector<GroupId>& accounts, const std::vector<NodeIndex>& nodes);
  void FitAt(const std::vector<NodeIndex>& nodes);
  // Users for whom there is more room than before. O(users of all).
  std::set<GroupId> TakeGainers();

  // --- While they are found again after a restart.
  void SetSeeks(bool seeks) { seeks_ = seeks; }
  bool seeks() const { return seeks_; }
  // One is to be asked about on a copy: it comes next.
  void SetWantsCopy(bool wants) { wants_copy_ = wants; }
  bool wants_copy() const { return wants_copy_; }

  std::string BrokenInvariant() const;

 private:
  using Used = std::map<std::pair<GroupId, NodeIndex>, ResourceList>;  // by their users

  Used UsedOn(const std::set<NodeIndex>& nodes) const;
  ResourceList WantedOf(const Reservation& reservation, NodeIndex node, const Used& used) const;
  ResourceList FreeOf(NodeIndex node, const ResourceList& wanted, const ResourceList& back,
                      const ResourceList& taken) const;
  void FitOne(NodeIndex node, const Used& used, const std::vector<Reservation*>& order);
  static int32_t ThereOf(const Reservation& reservation, NodeIndex node, const Used& used);
  void Count(Reservation& reservation, NodeIndex node, const Used& used);
  void LetGo(Reservation& reservation, NodeIndex node, bool gain);
  void Hold(Reservation& reservation, NodeIndex node, const ResourceList& room);
  std::vector<Reservation*> InOrder();

  Ledger& ledger_;
  const GroupBook& groups_;
  Reservations all_;
  std::map<GroupId, std::string> users_;  // groups with the word, by the name in it
  std::set<NodeIndex> to_fit_;
  std::set<GroupId> gained_;  // reservations that have got more room for their users
  bool seeks_ = false;
  bool wants_copy_ = false;
};

}  // namespace gangplan
