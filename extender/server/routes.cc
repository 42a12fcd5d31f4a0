#include "extender/server/routes.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "extender/observe/log.h"
#include "extender/protocol/scheduler_reply.h"
#include "extender/protocol/scheduler_request.h"
#include "fmt/format.h"
#include "topology/base/clock.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// A verb's reply, and whether it carries an Error.
struct VerbReply {
  std::string body;
  bool error = false;
};

// The part that all verbs share: decode, answer, count. `answer` turns a Request into a VerbReply;
// the request's views stay valid until it returns.
template <typename Request, typename Answer>
Route VerbRoute(std::string verb, Metrics& metrics,
                absl::StatusOr<Request> (*decode)(std::string& body), Answer answer) {
  const auto malformed = std::make_shared<RepeatedLog>(absl::Minutes(1));
  const auto serve = [verb, &metrics, decode, answer, malformed](HttpCall& call) {
    const absl::Time start = SystemClock().Now();
    const auto count = [&](std::string_view result) {
      metrics.CountVerb(verb, result, SystemClock().Now() - start);
    };
    const absl::StatusOr<Request> request = decode(call.body);
    if (!request.ok()) {
      count("malformed");
      const std::string why = Message(request.status());
      malformed->Log(LogLevel::kWarn, "a call of the scheduler is malformed",
                     {{"verb", verb}, {"why", why}});
      return ErrorReply(400, why);
    }
    try {
      VerbReply reply = answer(*request, call.connection);
      count(reply.error ? "error" : "ok");
      return HttpReply{200, std::move(reply.body)};
    } catch (...) {  // told by the server
      count("failed");
      throw;
    }
  };
  return {"POST", "/v1/extender/" + verb, false, serve};
}

Route FilterRoute(VerbHandler& handler, Metrics& metrics) {
  return VerbRoute("filter", metrics, DecodeFilterRequest,
                   [&handler](const FilterRequest& request, const PeerConnection&) -> VerbReply {
                     const FilterReply reply = handler.Filter(request);
                     const OfferedNodes* offered = request.nodes ? &*request.nodes : nullptr;
                     return {EncodeFilterReply(reply, offered), !reply.error.empty()};
                   });
}

Route PrioritizeRoute(VerbHandler& handler, Metrics& metrics) {
  return VerbRoute("prioritize", metrics, DecodeFilterRequest,
                   [&handler](const FilterRequest& request, const PeerConnection&) -> VerbReply {
                     return {EncodePrioritizeReply(handler.Prioritize(request))};
                   });
}

Route BindRoute(VerbHandler& handler, Metrics& metrics) {
  return VerbRoute("bind", metrics, DecodeBindRequest,
                   [&handler](const BindRequest& request, const PeerConnection& call) -> VerbReply {
                     const std::string error = handler.Bind(request, call);
                     return {EncodeBindReply(error), !error.empty()};
                   });
}

Route PreemptRoute(VerbHandler& handler, Metrics& metrics) {
  return VerbRoute("preempt", metrics, DecodePreemptRequest,
                   [&handler](const PreemptRequest& request, const PeerConnection&) -> VerbReply {
                     return {EncodePreemptReply(handler.Preempt(request))};
                   });
}

HttpReply Probe(std::string_view otherwise, const std::string& why) {
  if (why.empty()) return {200, "ok\n", "text/plain"};
  return {503, fmt::format("{}: {}\n", otherwise, why), "text/plain"};
}

}  // namespace

Routes VerbRoutes(VerbHandler& handler, Metrics& metrics) {
  return {FilterRoute(handler, metrics), PrioritizeRoute(handler, metrics),
          BindRoute(handler, metrics), PreemptRoute(handler, metrics)};
}

Routes ProbeRoutes(InfoHandler& handler) {
  const auto alive = [&handler](HttpCall&) { return Probe("stuck", handler.WhyNotAlive()); };
  const auto ready = [&handler](HttpCall&) { return Probe("not ready", handler.WhyNotReady()); };
  const auto metrics = [&handler](HttpCall&) {
    return HttpReply{200, handler.Metrics(), "text/plain; version=0.0.4; charset=utf-8"};
  };
  const auto info = [&handler](HttpCall& call) {
    InfoHandler::Answer answer = handler.Info(call.path.substr(std::string_view("/v1/").size()));
    return HttpReply{answer.status, std::move(answer.body), std::move(answer.content_type)};
  };
  return {{"GET", "/healthz", false, alive},
          {"GET", "/livez", false, alive},
          {"GET", "/readyz", false, ready},
          {"GET", "/metrics", false, metrics, true},
          {"GET", "/v1/", true, info, true}};
}

}  // namespace gangplan
