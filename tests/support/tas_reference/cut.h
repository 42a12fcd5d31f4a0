// The orders in which domains are looked at, the best-fit pick, and the cut: dealing pods out over
// an ordered list of domains.
#pragma once

#include <vector>

#include "tests/support/tas_reference/ask.h"
#include "tests/support/tas_reference/counts.h"

namespace gangplan::tas_reference {

using Domains = std::vector<int>;

// Whether the fullest or the emptiest fitting domain is looked at first.
enum class Slices { kMostFirst, kFewestFirst };
Slices SlicesFirst(const Ask& ask);

void SortPlain(const Ask& ask, const State& state, Slices first, Domains& list);
void SortForLeader(const Ask& ask, const State& state, Slices first, Domains& list);

// What a list is counted in.
enum class Unit { kPods, kSlices };
int64_t PlainCount(const State& state, Unit unit, int domain);
int64_t CountBeside(const State& state, Unit unit, int domain);

// The first of the smallest domains that hold `units` (beside `leaders`, which it can host); the
// list's first where none does. With preferred affinity only the leading run of one score is
// eligible.
int BestFit(const Ask& ask, const State& state, const Domains& list, int64_t units, int64_t leaders,
            Unit unit);

// Moves to the front the first domain that can host the leader and leaves room for `units`.
void PutLeaderFirst(const State& state, int64_t units, int64_t leaders, Unit unit, Domains& list);

// Deals `pods` and `leaders` out in units of `unit_size` pods. The domains that got a share, their
// counts being that share; none when the list is too short.
Domains Cut(const Ask& ask, Domains list, int64_t pods, int64_t leaders, int64_t unit_size,
            State& state);

}  // namespace gangplan::tas_reference
