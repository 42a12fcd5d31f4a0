// How many sockets this process may have. Process-wide; call while starting.
#pragma once

namespace gangplan {

// Raises the soft limit on open descriptors to the hard one and returns what holds now.
int RaiseDescriptorLimit();

}  // namespace gangplan
