// The events of a reply, sent over its connection.
//
// Thread rule: one thread, that of the connection.
#pragma once

#include "absl/time/time.h"
#include "extender/server/event_stream.h"
#include "extender/server/wire.h"

namespace gangplan {

// Until the peer has gone or says more, which nobody would read, takes nothing for too long, or the
// socket is shut down. After `sign` without an event a comment is sent: who is between us and the
// peer sees that the connection is in use.
void SendEvents(Wire& wire, EventStream& events, absl::Duration sign);

}  // namespace gangplan
