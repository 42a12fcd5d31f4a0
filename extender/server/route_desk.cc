#include "extender/server/route_desk.h"

#include <cstddef>
#include <utility>

#include "extender/observe/log.h"
#include "topology/base/clock.h"

namespace gangplan {

RouteDesk::RouteDesk(const DeskOptions& options, Routes routes, Metrics& metrics)
    : options_(options), routes_(std::move(routes)), metrics_(metrics) {
  for (const Route& route : routes_) {
    const bool events = route.has_events;
    long_calls_.emplace_back(events ? options_.max_event_streams : options_.max_long_calls,
                             events ? absl::InfiniteDuration() : options_.long_share);
  }
}

AdmittedRequest RouteDesk::Look(const RequestHead& head) const {
  return Admit(head, routes_, options_.rules);
}

HttpReply RouteDesk::Ask(const Route& route, HttpCall& call, const std::string& peer,
                         LongCalls*& counted) {
  if (!route.is_long && !route.has_events) return route.handler(call);
  LongCalls& calls = long_calls_[static_cast<size_t>(&route - routes_.data())];
  const std::string refusal = calls.Begin(SystemClock().Now(), peer);
  if (!refusal.empty()) return Say({503, refusal});
  counted = &calls;
  const LongCalls::Spending spending(calls);
  return route.handler(call);
}

HttpReply RouteDesk::Thrown(const std::exception_ptr& exception) const {
  std::string what = "unknown";
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& caught) {
    what = caught.what();
  } catch (...) {  // not a std::exception: nothing more to tell
  }
  metrics_.CountUnexpected("exception");
  Log(LogLevel::kError, "a call ended with an exception", {{"what", what}});
  return Say({500, "internal error"});
}

}  // namespace gangplan
