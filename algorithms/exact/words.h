// What the `exact` engine found, for people. Of the example of why.h:
//
//     asked: 13 members by node=pack min=3
//     the first rule that fails: node=pack min=3
//     nearest: 11 of 13 fit by these rules: 4 on a/r1/n1, 4 on a/r1/n2, 3 on a/r2/n3
//     would be placed with node=pack min=2
//     would be placed with 2 members fewer
//     the empty cluster has a placement
//
// Pure functions.
#pragma once

#include <string>

#include "algorithms/engine.h"
#include "algorithms/exact/why.h"

namespace gangplan::exact {

// "64 members by rack=spread partitions=4; node=pack factor=2"
std::string AskedText(const Tree& tree, const PlacementRequest& request);

// Of a kWait or kImpossible: one sentence without live counts.
std::string VerdictText(const Tree& tree, const PlacementRequest& request,
                        const PlacementResult& result);

// Why there is no placement now, a line a fact, each indented by two blanks, and whether there is
// one on the empty cluster. REQUIRES: ExactProblem is empty.
std::string WhyText(const PlacementView& now, const PlacementView& empty,
                    const PlacementRequest& request, const Budget& budget);

}  // namespace gangplan::exact
