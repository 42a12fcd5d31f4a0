// Gangs of which so many start at least, and which more may join then: how many that is now, and
// who of those that wait goes together. Pure; thread rule: the planner's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "extender/planner/group.h"
#include "extender/planner/owner_book.h"

namespace gangplan {

// Of no more than its owner has use for, where the number was told of its pods. 0: none may join.
int32_t LeastOf(const Group& group, const OwnerBook& owners);

// So many there are to be, as its owner tells, and those that have succeeded. Nothing: it does not.
std::optional<int32_t> MostOf(const Group& group, const OwnerBook& owners);

// So many of those that it waits for are of its least number, and have room together or not at all.
int32_t MissingOfLeast(const Group& group, const OwnerBook& owners);

// It has started with all of its least number: whoever waits now joins it.
bool IsJoined(const Group& group, const OwnerBook& owners);

// Those who wait join it, and replace nobody: it has lost none of those that there are to be, or
// nobody tells how many that are.
bool OnlyJoins(const Group& group, const OwnerBook& owners);

// Slots of members that it can do without, ascending: those at its end, as far as it has them
// beyond its least number. None where its rules count members, so that fewer of them might break
// one.
std::vector<int32_t> SurplusOf(const Group& group, const OwnerBook& owners);

// How many are asked for where `asked`, all that it wants, had no room: half of them, in whole
// slices, and with all that are missing; of units of ranks as many as leave none in part. 0: fewer
// are of no use.
int32_t FewerThan(const Group& group, const OwnerBook& owners, int32_t asked);

}  // namespace gangplan
