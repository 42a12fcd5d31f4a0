// What an API server tells about itself and about rights there: its version, what Gangplan may do,
// and whether several schedulers of one name place pods. Asks alone, writes nothing. Blocks; any
// thread, one transport each.
#pragma once

#include "config/settings.h"
#include "extender/app/finding.h"
#include "extender/kube/access.h"
#include "extender/kube/patience.h"

namespace gangplan {

// The oldest version that the chart takes, and the latest that Gangplan is tried with.
inline constexpr int kFirstMinor = 30;
inline constexpr int kLastMinorTried = 36;

// `account`: whose rights count; empty: those of who asks. A server that does not answer is a
// finding, and the last one.
void CheckServer(Transport& transport, const Settings& settings, const Account& account,
                 const CallTools& tools, Findings& findings);

// Events of the schedulers, which Gangplan itself has no right to read: then they are unseen.
void CheckSchedulers(Transport& transport, const Settings& settings, const CallTools& tools,
                     Findings& findings);

}  // namespace gangplan
