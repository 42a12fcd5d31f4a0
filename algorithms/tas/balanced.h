// Kueue's balanced placement: below one parent, as few domains of the preferred level as possible,
// each with at least T slices, for the largest T that any parent allows.
//
// In: the state of the request. Out: domains and their pods at one level, and the state that they
// were found in, from which the way down goes on. Entropy is the one place where floating point
// decides, as it does in Kueue.
// Cost: two passes over the domains of the preferred level and the level below it; with a leader or
// inner layers a pass over all levels below each parent.
// Thread rule: one call at a time per scratch.
#pragma once

#include <optional>

#include "algorithms/tas/choose.h"

namespace gangplan::tas {

// Fills buffers.taken with domains of the level that is returned; `pruned` is then the state to
// read. Nothing when no balanced placement exists.
std::optional<int> ChooseBalanced(State& state, const Goal& goal, int level,
                                  TasScratch::Buffers& buffers, std::optional<State>& pruned);

}  // namespace gangplan::tas
