// Seeds of the simulation, by profile. GANGPLAN_SIM_SEEDS: how many of each; GANGPLAN_SIM_FROM: the
// first one; GANGPLAN_SIM_SEED: this one alone; GANGPLAN_SIM_WITH: flags that every profile has
// too, with commas between them; GANGPLAN_SIM_FAILURES: end after so many, default 1. A failure
// prints its seed; the end of the first one's trace follows.
#pragma once

#include <cstdint>

#include "tests/simulation/profile.h"

namespace gangplan::simulation {

inline constexpr int kQuickSeeds = 1000;

// In a test: that none of them breaks a rule.
void RunSeeds(uint64_t salt, const Profile& wanted, int quick_seeds = kQuickSeeds);

Profile Everything();
// What people do with their Jobs, and how these live, in most profiles.
Profile WithLives(Profile profile);
// Everything, and what moves under those who wait.
Profile EverythingMoves();

}  // namespace gangplan::simulation
