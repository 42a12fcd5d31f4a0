// Which domains of which level the pods go to, and how they are split: the choice of 1 domain of
// the asked level or above it, the spread over several, and the way down to the lowest level.
// Thread rule: one call at a time per scratch.
#pragma once

#include "algorithms/tas/buffers.h"
#include "algorithms/tas/goal.h"

namespace gangplan::tas {

struct Choice {
  bool found = false;
  int level = 0;    // of the domains taken, or the last one searched
  int64_t fit = 0;  // not found: slices that the best domain holds, or that all hold together
};

// Fills buffers.taken with domains of the choice's level.
Choice Choose(State& state, const Goal& goal, int level, TasScratch::Buffers& buffers);

// Cuts pods over a pool of one level; appends to `taken`, ordered by index. False, and nothing
// taken, when it has too little room.
struct PoolCut {
  int level = 0;
  int32_t pods = 0;
  int32_t leaders = 0;
  int32_t unit = 1;
  PoolOrder order = PoolOrder::kSlices;
};
bool CutPool(State& state, const Goal& goal, Pool pool, const PoolCut& cut,
             TasScratch::Buffers& buffers, TakenList& taken);

}  // namespace gangplan::tas
