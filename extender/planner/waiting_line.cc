#include "extender/planner/waiting_line.h"

namespace gangplan {

void WaitingLine::Drop(const Place& place) {
  line_.erase(place);
  const auto parked = parked_.find(place.ns());
  if (parked == parked_.end()) return;
  parked->second.erase(place);
  if (parked->second.empty()) parked_.erase(parked);
}

std::optional<std::string> WaitingLine::Take() {
  if (line_.empty()) return std::nullopt;
  return std::move(line_.extract(line_.begin()).value().uid);
}

void WaitingLine::MoveToLine(const std::set<Place>& places) {
  for (const Place& place : places) {
    Drop(place);
    Add(place);
  }
}

}  // namespace gangplan
