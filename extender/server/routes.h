// Which path is which question: the scheduler's four verbs, and the probe listener's pages. Bytes
// are decoded and encoded here, so handlers see values only.
#pragma once

#include "extender/observe/metrics.h"
#include "extender/server/http_call.h"
#include "extender/server/verb_handler.h"

namespace gangplan {

// POST /v1/extender/{filter,prioritize,bind,preempt}. A request that cannot be decoded is a 400
// with the decoder's words, which are logged, too; all else is a 200. Handler and metrics outlive
// the routes.
Routes VerbRoutes(VerbHandler& handler, Metrics& metrics);

// GET /healthz, /livez and /readyz: 200, or 503 and why. GET /metrics and /v1/...: the handler's;
// these may take long.
Routes ProbeRoutes(InfoHandler& handler);

}  // namespace gangplan
