// gangplan reservations: room that is reserved by name, how it stands, and whose it is.
//
// Thread rule: one thread.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

Command ReservationsCommand();

}  // namespace gangplan
