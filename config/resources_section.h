// Which resources are not counted, by a configuration file. Stateless; any thread.
#pragma once

#include <string>
#include <vector>

#include "config/section.h"

namespace gangplan {

// Reads the key `resources`.
void ReadResources(Section section, std::vector<std::string>& excluded);

}  // namespace gangplan
