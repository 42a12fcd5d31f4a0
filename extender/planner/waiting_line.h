// Owners that wait for a group: those whose turn comes, in one order, whenever the watch has told
// of them, and those for which the groups' book has no place, by namespace.
//
// Invariant: an owner stands in one of the two at most.
// Thread rule: the planner's.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace gangplan {

class WaitingLine {
 public:
  struct Place {
    int64_t priority = 0;  // negative: the greatest first
    int64_t created = 0;   // Unix seconds
    std::string name;      // namespace/name
    std::string uid;
    friend auto operator<=>(const Place&, const Place&) = default;

    std::string_view ns() const { return std::string_view(name).substr(0, name.find('/')); }
  };

  // Its turn comes.
  void Add(const Place& place) { line_.insert(place); }
  // There is no place for it until Unpark.
  void Park(const Place& place) { parked_[std::string(place.ns())].insert(place); }
  void Drop(const Place& place);
  // The UID of the next one, which is not in the line any more; nothing: there is none.
  std::optional<std::string> Take();
  // The turn comes of so many at most, the first of them all, and of each namespace no more than
  // room(namespace). O(so many, and the namespaces).
  template <typename Room>
  void Unpark(size_t most, Room room);
  // Nobody's turn comes.
  bool empty() const { return line_.empty(); }
  bool AnyParked() const { return !parked_.empty(); }

 private:
  void MoveToLine(const std::set<Place>& places);

  std::set<Place> line_;
  std::map<std::string, std::set<Place>, std::less<>> parked_;
};

template <typename Room>
void WaitingLine::Unpark(size_t most, Room room) {
  std::set<Place> next;
  for (const auto& [ns, places] : parked_) {
    size_t left = room(ns);
    for (auto it = places.begin(); left > 0 && it != places.end(); ++it, --left) {
      const bool late = next.size() == most && (most == 0 || *next.rbegin() < *it);
      if (late) break;
      next.insert(*it);
      if (next.size() > most) next.erase(std::prev(next.end()));
    }
  }
  MoveToLine(next);
}

}  // namespace gangplan
