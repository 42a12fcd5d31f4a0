// The aggregated API around a running service: its listener, who the API server's front proxy is,
// and the rights of who asks. Its connections are its own, so that neither the scheduler's calls
// nor the probes lose any to it.
//
// Thread rule: Start, Stop and destruction on one thread.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "config/settings.h"
#include "extender/api/gang_api.h"
#include "extender/kube/transport.h"
#include "extender/observe/metrics.h"
#include "extender/server/http_server.h"
#include "extender/server/page_routes.h"
#include "topology/base/clock.h"

namespace gangplan {

class AggregatedApi {
 public:
  // Listens. InvalidArgument: the certificate cannot be used, or nothing opens an API server;
  // Unavailable: the address cannot be had. The other arguments outlive it.
  static absl::StatusOr<std::unique_ptr<AggregatedApi>> Start(const Settings& settings,
                                                              GangSource& source, PageHandler& page,
                                                              Metrics& metrics, const Clock& clock);
  // Asks the API server through `transports`.
  static absl::StatusOr<std::unique_ptr<AggregatedApi>> Start(
      const ApiSettings& settings, std::unique_ptr<TransportFactory> transports, GangSource& source,
      PageHandler& page, Metrics& metrics, const Clock& clock);
  ~AggregatedApi();  // Stops.

  int port() const { return server_->port(); }
  void Stop() { server_->Stop(); }

 private:
  AggregatedApi(std::unique_ptr<TransportFactory> transports, GangSource& source, PageHandler& page,
                Metrics& metrics, const Clock& clock);

  const std::unique_ptr<TransportFactory> transports_;
  const std::shared_ptr<KnownFrontProxy> proxy_ = std::make_shared<KnownFrontProxy>();
  ServerReviewer reviewer_;
  GangApi api_;
  FrontProxyReader reader_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace gangplan
