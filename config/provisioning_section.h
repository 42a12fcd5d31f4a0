// Which requests for nodes are made, by a configuration file. Stateless; any thread.
#pragma once

#include "config/section.h"
#include "config/settings.h"

namespace gangplan {

// Reads the key `provisioning`.
void ReadProvisioning(Section section, Problems& problems, ProvisioningSettings& provisioning);

}  // namespace gangplan
