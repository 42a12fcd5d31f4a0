// The line for room: whole gangs that wait because there is none, in the order of the queue. Who
// stands in it may keep those behind from passing, by the mode that the operator chose.
//
// Gangs of which members are missing do not stand in it, nor those that could not stand in the
// empty cluster, nor those of which it is not decided: none of these keeps anybody off.
//
// Thread rule: the planner's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "extender/planner/solve_queue.h"
#include "topology/model_ids.h"

namespace gangplan {

class RoomLine {
 public:
  using Place = SolveQueue::Place;

  // It stands there from now on, and nowhere else.
  void Stand(const Place& place);
  void Leave(GroupId group);
  void LeaveAll();
  bool Stands(GroupId group) const { return places_.contains(group); }
  std::optional<GroupId> head() const {
    return order_.empty() ? std::nullopt : std::optional(order_.begin()->group);
  }
  // Somebody else stands before this place.
  bool AnyBefore(const Place& place) const {
    return !order_.empty() && *order_.begin() < place && order_.begin()->group != place.group;
  }
  // 1: the first; 0: it does not stand there. O(its place).
  int64_t PositionOf(GroupId group) const;
  int64_t size() const { return static_cast<int64_t>(order_.size()); }
  // What is kept for the first one, if anything: others may pass now. Until another one is the
  // first, or Unreserve. Where shares count who has room kept stays the first of its rank from then
  // on, while it stands here, so that what it was promised holds, also when a greater one comes.
  struct Reservation {
    GroupId group = 0;
    int64_t by = 0;     // Unix seconds: it has its room then at the latest; 0: nobody knows
    std::string text;   // for people
    bool keeps = true;  // else it is told that nothing is
  };
  void Reserve(Reservation reservation);
  void Unreserve();
  const Reservation* reserved() const {
    return reserved_ && head() == reserved_->group ? &*reserved_ : nullptr;
  }
  // It is to be asked on the next copy where room is kept for the first one.
  void SetAsksNext(bool asks) { asks_next_ = asks; }
  bool asks_next() const { return asks_next_; }
  // Grows when another one is the first, or others may pass it.
  uint64_t version() const { return version_; }

 private:
  std::set<Place> order_;
  std::map<GroupId, Place> places_;
  std::optional<Reservation> reserved_;
  std::set<GroupId> promised_;  // for whom room was kept, while they stand here by that rank
  bool asks_next_ = false;
  uint64_t version_ = 0;
};

// A line for each topology, by its index: who waits for room in one keeps nobody off another.
class RoomLines {
 public:
  explicit RoomLines(size_t topologies) : lines_(topologies) {}

  RoomLine& of(TopologyIndex topology) { return lines_[static_cast<size_t>(topology)]; }
  // It stands there from now on, and in no other one.
  void Stand(const RoomLine::Place& place, TopologyIndex topology);
  void Leave(GroupId group) {
    for (RoomLine& line : lines_) line.Leave(group);
  }
  void LeaveAll() {
    for (RoomLine& line : lines_) line.LeaveAll();
  }
  bool Stands(GroupId group) const {
    return std::any_of(lines_.begin(), lines_.end(),
                       [&](const RoomLine& line) { return line.Stands(group); });
  }
  bool AnyAsksNext() const {
    return std::any_of(lines_.begin(), lines_.end(),
                       [](const RoomLine& line) { return line.asks_next(); });
  }
  uint64_t version() const;  // grows with that of each

 private:
  std::vector<RoomLine> lines_;
};

}  // namespace gangplan
