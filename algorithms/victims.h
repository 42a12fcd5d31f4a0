// Which running groups make room for a newcomer: the cheapest set of whole groups of lower priority
// with which gone it fits.
//
// Cheapest: fewest victims of the highest priority, then of the next lower, and so on, then fewest
// pods. No victim could stay. A newcomer of priority 0 or less evicts nobody.
//
// Whether the newcomer fits is asked through a function, so any engine can answer that never misses
// a placement. Contract: more room never hurts, that is, what fits with some groups gone fits with
// more of them gone. That holds for every rule that we have: pack, spread, range, partitions and
// factor speak of the newcomer's own counts, and room only bounds counts from above, so a placement
// that keeps the rules keeps them in a larger room.
//
// The search: first all lower groups are gone; then, in order of priority from the highest, as many
// as can are put back (reprieve), which gives a set that is good and from which nobody can stay.
// Then branch and bound, host by host, over which group is the first that cannot stay. It is exact
// within VictimBudget: with the default always for 11 groups of lower priority, mostly for many
// more. Beyond, the best set so far is the answer, and the result says that it may not be the
// cheapest.
//
// An answer that is not proven (the engine's own budget ended) says neither yes nor no. What it was
// asked for is not tried further, and the result does not claim to be the cheapest. Nobody goes
// unless it is decided that the newcomer does not fit as it is, and of each victim that it does not
// fit with that one back.
//
// Deterministic: neither the order of the groups nor that of the hosts matters, names decide ties.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/request.h"
#include "algorithms/result.h"
#include "topology/tree.h"

namespace gangplan {

struct RunningGroup {
  std::string name;  // unique
  int64_t priority = 0;
  int32_t pods = 0;
  std::vector<int32_t> leaves;  // where its pods stand
};

struct VictimBudget {
  int64_t checks = 20'000;  // questions whether the newcomer fits, beyond those of the first set
};

struct VictimsRequest {
  std::span<const RunningGroup> running;
  int64_t priority = 0;  // the newcomer's
  // Ranges of leaves, apart, of which one holds all of the newcomer wherever it is placed: HostsOf.
  // Groups that stand in none of them stay. Empty: all leaves are one host.
  std::vector<Tree::Range> hosts;
  VictimBudget budget;
};

// The answer with these groups gone: places in `running`, in no order that means anything.
// Outcome::kPlaced: it fits.
using PlaceWithout = std::function<PlacementResult(std::span<const int32_t> gone)>;

struct VictimsResult {
  enum class Outcome {
    kNotNeeded,    // it fits as it is
    kFound,        // with the victims gone it fits
    kNotPossible,  // not even with every lower group gone; or it may not evict
    kNotDecided,   // whether somebody has to go, or who, was not decided: nobody goes
  };
  Outcome outcome = Outcome::kNotPossible;
  std::vector<int32_t> victims;  // places in `running`, by name
  PlacementResult placement;     // of the newcomer; of kNotPossible, kNotDecided: why not
  bool cheapest =
      true;            // false: a budget ended, this one's or an engine's: a cheaper set may exist
  int64_t checks = 0;  // questions that were asked
};

VictimsResult FindVictims(const VictimsRequest& request, const PlaceWithout& place);

// The domains of which the hard packs of `request` leave one to all of its members: of the deepest
// level that is hard with every level above it (for the pack engine the deepest hard one, which
// binds above too). Empty: they may be anywhere.
std::vector<Tree::Range> HostsOf(const Tree& tree, const PlacementRequest& request);

}  // namespace gangplan
