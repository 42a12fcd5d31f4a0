// From evidence to words, for the person who reads `kubectl describe pod` at night: what was asked,
// what came nearest, what is missing. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/engine.h"

namespace gangplan {

// One short sentence that stays the same for as long as the verdict does: the rule and the size,
// and numbers of the empty cluster only. `what` begins it ("gang default/trainer"). Empty when
// placed.
std::string ShortReason(const Tree& tree, const PlacementRequest& request,
                        const PlacementResult& result, std::string_view what);

// For each pod set what was asked, then one line a level: how many fit in its best domain now, how
// many are missing, how many fit when it is empty. Each line begins with two blanks; no newline at
// the end.
std::string EvidenceText(const Tree& tree, const PlacementRequest& request,
                         const std::vector<LevelEvidence>& evidence);

// The same; by solving again where the engine is `exact` and the rules are more than packs into
// one domain: which rule fails first, what comes
// nearest, and what would be enough. On demand only: it takes up to some dozen solves within
// `budget` each.
std::string EvidenceText(const PlacementView& now, const PlacementView& empty,
                         const PlacementRequest& request, const Budget& budget);

}  // namespace gangplan
