// Balanced placement: the domains that can share the slices most evenly.
#pragma once

#include <optional>

#include "tests/support/tas_reference/place.h"

namespace gangplan::tas_reference {

// The domains with their shares as counts; nothing where no balance is possible.
std::optional<Chosen> ChooseBalanced(const World& world, const Ask& ask, const State& state);

}  // namespace gangplan::tas_reference
