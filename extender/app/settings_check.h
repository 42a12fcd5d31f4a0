// Times of a configuration that contradict each other, or those of Kubernetes. Pure; any thread.
#pragma once

#include "config/settings.h"
#include "extender/app/finding.h"

namespace gangplan {

// One finding at least.
void CheckSettings(const Settings& settings, Findings& findings);

}  // namespace gangplan
