// The whole of a running Gangplan, wired: service, verbs listener, probe listener and, where it is
// configured, the aggregated API's, around a cluster that the caller brings.
//
// Thread rule: Start and Stop from one thread.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "config/settings.h"
#include "extender/app/aggregated_api.h"
#include "extender/app/service.h"
#include "extender/cluster/cluster.h"
#include "extender/observe/metrics.h"
#include "extender/server/http_server.h"
#include "topology/base/clock.h"

namespace gangplan {

// Of the listener of probes, metrics and reports. Most of its connections are the probes'.
HttpServerOptions ProbeServerOptions(const ServerSettings& settings);

class Gangplan {
 public:
  // Listens, then starts to read the cluster; with fewer connections than `settings` wants where
  // the process may have no more. `cluster` and `clock` outlive the result.
  static absl::StatusOr<std::unique_ptr<Gangplan>> Start(const Settings& settings, Cluster& cluster,
                                                         const Clock& clock = SystemClock());
  ~Gangplan();  // Stops.

  // REQUIRES: server.verbs.
  int verbs_port() const { return verbs_->port(); }
  int probe_port() const { return probes_->port(); }
  // REQUIRES: server.api.
  int api_port() const { return api_->port(); }

  // What of the settings may change while they are in force (config/changes.h) is so from now on.
  void Apply(const Settings& settings);
  // Readiness fails, held calls are answered, what is under way is finished for at most `patience`;
  // then everything ends. Safe to call twice.
  void Stop(absl::Duration patience);

 private:
  Gangplan(const Settings& settings, Cluster& cluster, const Clock& clock);
  absl::Status Listen(const Settings& settings);
  absl::Status ListenForApi(const Settings& settings);

  Cluster& cluster_;
  const Clock& clock_;
  Metrics metrics_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<HttpServer> verbs_;
  std::unique_ptr<HttpServer> probes_;
  std::unique_ptr<AggregatedApi> api_;  // null: it is not configured
};

}  // namespace gangplan
