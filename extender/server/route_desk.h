// Whom a request of a listener goes to: what is refused by its head, the route, the share of those
// that may take long, and what is said where one throws. Knows no bytes and no connections.
//
// Thread rule: any thread.
#pragma once

#include <deque>
#include <exception>
#include <string>

#include "absl/time/time.h"
#include "extender/observe/metrics.h"
#include "extender/server/http_call.h"
#include "extender/server/long_calls.h"
#include "extender/server/request_rules.h"

namespace gangplan {

struct DeskOptions {
  RequestRules rules;
  int max_long_calls = 0;     // of each route that `is_long`, at once
  absl::Duration long_share;  // of a second of a processor, likewise
  int max_event_streams = 0;  // of each route that `has_events`, at once
  RefusalReply refusal = ErrorReply;
};

class RouteDesk {
 public:
  // `metrics` outlives the desk.
  RouteDesk(const DeskOptions& options, Routes routes, Metrics& metrics);
  RouteDesk(const RouteDesk&) = delete;
  RouteDesk& operator=(const RouteDesk&) = delete;

  const Routes& routes() const { return routes_; }
  AdmittedRequest Look(const RequestHead& head) const;
  HttpReply Say(const Refused& refused) const {
    return options_.refusal(refused.status, refused.text);
  }
  // Asks a route of ours. `counted` is set where the call counts among those that may take long:
  // whoever asked ends it there when the reply is out. Throws what the route throws.
  HttpReply Ask(const Route& route, HttpCall& call, const std::string& peer, LongCalls*& counted);
  // The reply where something was thrown; counted and logged.
  HttpReply Thrown(const std::exception_ptr& exception) const;

 private:
  const DeskOptions options_;
  const Routes routes_;
  std::deque<LongCalls> long_calls_;  // of each route
  Metrics& metrics_;
};

}  // namespace gangplan
