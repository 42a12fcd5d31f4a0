// The planner's options from the settings of an operator. Pure but for the engine, which counts and
// times its solves: the planner itself has no clock.
#pragma once

#include "config/settings.h"
#include "extender/observe/metrics.h"
#include "extender/planner/planner.h"
#include "topology/base/clock.h"

namespace gangplan {

// Metrics and clock outlive the result.
PlannerOptions PlannerOptionsFrom(const Settings& settings, Metrics& metrics, const Clock& clock);

}  // namespace gangplan
