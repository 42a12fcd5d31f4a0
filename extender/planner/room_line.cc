#include "extender/planner/room_line.h"

#include <iterator>
#include <utility>

namespace gangplan {

void RoomLine::Stand(const Place& at) {
  const std::optional<GroupId> first = head();
  Place place = at;
  const auto [known, added] = places_.try_emplace(place.group, place);
  if (known->second.rank != place.rank) promised_.erase(place.group);
  if (promised_.contains(place.group)) place.share = 0;
  if (!added && known->second == place) return;
  if (!added) order_.erase(known->second);
  known->second = place;
  order_.insert(place);
  version_ += static_cast<uint64_t>(head() != first);
}

void RoomLine::Leave(GroupId group) {
  const auto known = places_.find(group);
  if (known == places_.end()) return;
  const std::optional<GroupId> first = head();
  order_.erase(known->second);
  places_.erase(known);
  promised_.erase(group);
  version_ += static_cast<uint64_t>(head() != first);
}

void RoomLine::LeaveAll() {
  order_.clear();
  places_.clear();
  reserved_.reset();
  promised_.clear();
  ++version_;
}

void RoomLine::Reserve(Reservation reservation) {
  reserved_ = std::move(reservation);
  ++version_;
  const auto known = places_.find(reserved_->group);
  if (!reserved_->keeps || known == places_.end()) return;
  promised_.insert(reserved_->group);
  Stand(Place(known->second));
}

void RoomLine::Unreserve() { reserved_.reset(); }

void RoomLines::Stand(const RoomLine::Place& place, TopologyIndex topology) {
  for (RoomLine& line : lines_) {
    if (&line != &of(topology)) line.Leave(place.group);
  }
  of(topology).Stand(place);
}

uint64_t RoomLines::version() const {
  uint64_t sum = 0;
  for (const RoomLine& line : lines_) sum += line.version();
  return sum;
}

int64_t RoomLine::PositionOf(GroupId group) const {
  const auto known = places_.find(group);
  if (known == places_.end()) return 0;
  return std::distance(order_.begin(), order_.find(known->second)) + 1;
}

}  // namespace gangplan
