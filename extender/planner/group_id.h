// What a group is known by inside the planner, and the accounts of room that hang on it.
// Values; any thread.
#pragma once

#include <cstdint>
#include <limits>

namespace gangplan {

// In order of arrival, from 1 on, and never used again.
using GroupId = int64_t;

// Accounts of what is kept for a group while others give way to it (preemptions.h), or end
// (reservations.h), or while it runs (spares.h), and of what reservations by name keep
// (named_room.h), which have numbers of their own: nothing of it is a slot's.
constexpr GroupId KeptFor(GroupId group) { return -group; }
constexpr GroupId ReservedFor(GroupId group) { return -group - (GroupId{1} << 62); }
constexpr GroupId SparesFor(GroupId group) { return -group - (GroupId{1} << 61); }
constexpr GroupId NamedFor(int64_t reservation) { return -reservation - (GroupId{1} << 60); }
constexpr bool IsNamed(GroupId account) {
  return account < -(GroupId{1} << 60) && account > -(GroupId{1} << 61);
}
constexpr bool IsSparing(GroupId account) {
  return account < -(GroupId{1} << 61) && account > -(GroupId{1} << 62);
}
constexpr bool IsReserved(GroupId account) { return account < -(GroupId{1} << 62); }
// What is no group: pods of no gang, of one namespace, that give way to the same group together.
constexpr GroupId SinglesFor(int64_t number) { return -number - (GroupId{1} << 59); }
constexpr bool IsSingles(GroupId victim) {
  return victim < -(GroupId{1} << 59) && victim >= -(GroupId{1} << 60);
}
constexpr bool IsKept(GroupId account) { return account < 0; }
// That of holds that were given up, and whose room is not free yet.
inline constexpr GroupId kSpent = std::numeric_limits<GroupId>::min() + 1;

}  // namespace gangplan
