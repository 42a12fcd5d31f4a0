// Takes away the requests for nodes that were made under an earlier configuration, where none are
// to be made any more. Stateless; one thread for each desk.
#pragma once

#include <string>
#include <vector>

#include "extender/app/provisioning_desk.h"
#include "extender/observe/log.h"

namespace gangplan {

// Those of these schedulers; waits for the answers. True: there is none, nobody serves them, or
// Gangplan has no right to them: there is nothing more to do.
bool SweepProvisioning(ProvisioningDesk& desk, const std::vector<std::string>& schedulers,
                       RepeatedLog& log);

}  // namespace gangplan
