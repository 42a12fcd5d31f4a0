// Reservations of room as JSON for programs and as text for people: what /v1/reservations shows.
// Pure functions of reports; any thread.
#pragma once

#include <string>
#include <vector>

#include "extender/planner/reservation_report.h"

namespace gangplan {

// {"reservations": [...]}, by name.
std::string ReservationsJson(const std::vector<ReservationReport>& reports);

// Some lines for each: how it stands, when it is, and whose it is.
std::string ReservationsText(const std::vector<ReservationReport>& reports);

}  // namespace gangplan
