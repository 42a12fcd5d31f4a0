// Sending a request that may be sent twice: it is repeated, with growing waits, when there is no
// connection, when the server is busy (429, Retry-After) and when it fails (5xx).
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "extender/kube/backoff.h"
#include "extender/kube/pause.h"
#include "extender/kube/transport.h"
#include "topology/base/clock.h"

namespace gangplan {

// What a call needs beside its connection. Shared by all callers; any thread.
struct CallTools {
  const Clock* clock = nullptr;
  Pause* pause = nullptr;
  Jitter* jitter = nullptr;
  absl::Duration read_timeout = absl::Seconds(10);
};

inline constexpr int kPatientTries = 4;
inline constexpr absl::Duration kFirstWait = absl::Milliseconds(100);
inline constexpr absl::Duration kLongestWait = absl::Seconds(5);

// REQUIRES: `request` is idempotent. The last answer or error of at most kPatientTries. A
// Retry-After of more than kLongestWait is not waited for: the answer comes back at once.
// `may_pass`: other answers after which to try again. `earlier`, if not null: what came of the
// tries before the last one.
absl::StatusOr<HttpResponse> SendPatiently(
    Transport& transport, const HttpRequest& request, const CallTools& tools,
    bool (*may_pass)(const HttpResponse&) = nullptr,
    std::vector<absl::StatusOr<HttpResponse>>* earlier = nullptr);

}  // namespace gangplan
