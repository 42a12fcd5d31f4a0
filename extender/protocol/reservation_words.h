// The key by which reservations of room are known. Constant data; any thread.
#pragma once

#include <string_view>

namespace gangplan {

// A label of ConfigMaps that reserve room: the key counts, whatever its value is. On pods and their
// owners an annotation: the name of the reservation that their gang asks for.
inline constexpr std::string_view kReservationWord = "gangplan.io/reservation";

}  // namespace gangplan
