// Where a listener may listen, and whose a connection is. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace gangplan {

// Ok for 127.0.0.0/8, ::1 and localhost; the verbs have no other protection than that only this
// machine reaches them.
absl::Status CheckLoopback(const std::string& address);
// A Host header's value, with a port or without, is one of these.
bool NamesLoopback(std::string_view host);

// Whose end of a connected socket of the internet that is: the bytes of its address, without the
// port. Empty: it has gone.
std::string PeerAddress(int socket);
// The same with the port, for people: 10.0.0.7:41234, [fd00::7]:41234.
std::string PeerName(int socket);

}  // namespace gangplan
