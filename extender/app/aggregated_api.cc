#include "extender/app/aggregated_api.h"

#include <string_view>
#include <utility>
#include <vector>

#include "extender/api/status_object.h"
#include "extender/kube/api_cluster.h"
#include "extender/kube/https_transport.h"
#include "extender/server/request_rules.h"
#include "topology/base/status_macros.h"

namespace gangplan {
namespace {

// Of these so many may ask for more than what there is to be asked.
constexpr int kConnections = 64;
constexpr int kMostReads = 32;

constexpr std::string_view kReports = "v1";

// The page as it stands on the port of the probes, but for its stream: the front proxy ends every
// reply after a minute, and would have each count among the reads; the page asks now and then in
// its place.
HttpReply PagePart(const Routes& routes, const std::string& path) {
  for (const Route& route : routes) {
    if (!Serves(route, path)) continue;
    if (route.has_events) return PlainStatus(503, "no stream is to be had here");
    HttpCall call{path, {}, {}};
    return route.handler(call);
  }
  return NoResourceReply();
}

std::vector<Mount> Mounts(PageHandler& page) {
  const auto serve = [routes = PageRoutes(page)](std::string_view path) {
    return PagePart(routes, "/" + std::string(path));
  };
  return {{"page", std::string(kReports), serve}};
}

HttpServerOptions ListenerOf(const ApiSettings& settings,
                             std::shared_ptr<const ClientTrustSource> believed) {
  HttpServerOptions options;
  options.address = settings.address;
  options.port = settings.port;
  options.loopback_only = false;
  options.tls = {settings.certificate_file, settings.key_file, {}, {}, std::move(believed)};
  options.tls->listener = "api";
  options.max_connections = kConnections;
  options.max_handshakes = kConnections;
  options.max_long_calls = kMostReads;
  options.keeps_heads = true;
  options.refusal = PlainStatus;
  return options;
}

}  // namespace

AggregatedApi::AggregatedApi(std::unique_ptr<TransportFactory> transports, GangSource& source,
                             PageHandler& page, Metrics& metrics, const Clock& clock)
    : transports_(std::move(transports)),
      reviewer_(*transports_),
      api_(source, reviewer_, *proxy_, metrics, clock, Mounts(page)),
      reader_(transports_->Make(), proxy_) {}

AggregatedApi::~AggregatedApi() {
  if (server_ != nullptr) Stop();
}

absl::StatusOr<std::unique_ptr<AggregatedApi>> AggregatedApi::Start(const Settings& settings,
                                                                    GangSource& source,
                                                                    PageHandler& page,
                                                                    Metrics& metrics,
                                                                    const Clock& clock) {
  GANGPLAN_ASSIGN_OR_RETURN(Credentials credentials, CredentialsOf(settings.cluster.kubeconfig));
  HttpsOptions options;
  options.connect_timeout = options.write_timeout = options.answer_timeout = kReviewTimeout;
  options.max_answer_bytes = kMaxFrontProxyBytes;
  auto transports =
      std::make_unique<HttpsTransportFactory>(std::move(credentials), options, SystemClock());
  return Start(settings.server.api, std::move(transports), source, page, metrics, clock);
}

absl::StatusOr<std::unique_ptr<AggregatedApi>> AggregatedApi::Start(
    const ApiSettings& settings, std::unique_ptr<TransportFactory> transports, GangSource& source,
    PageHandler& page, Metrics& metrics, const Clock& clock) {
  std::unique_ptr<AggregatedApi> api(
      new AggregatedApi(std::move(transports), source, page, metrics, clock));
  GANGPLAN_ASSIGN_OR_RETURN(api->server_, HttpServer::Start(ListenerOf(settings, api->proxy_),
                                                            ApiRoutes(api->api_), &metrics));
  return api;
}

}  // namespace gangplan
