#include "extender/app/gangplan.h"

#include "extender/app/call_limits.h"
#include "extender/observe/log.h"
#include "extender/server/listen_address.h"
#include "extender/server/page_routes.h"
#include "extender/server/process_limits.h"
#include "extender/server/routes.h"
#include "topology/base/status_macros.h"

namespace gangplan {
namespace {

// Of these so many may read metrics, so many each what takes longer, and some follow the page; the
// others are left for the probes, whatever these calls wait for.
constexpr int kProbeConnections = 96;
constexpr int kMostLongReads = 8;
constexpr absl::Duration kLongReadsShare = absl::Milliseconds(500);

ServerSettings WithinLimits(const ServerSettings& wanted) {
  const ProcessLimits limits = RaiseProcessLimits();
  const ServerSettings fitted = Fitted(wanted, limits);
  if (fitted.max_connections < wanted.max_connections) {
    Log(LogLevel::kWarn,
        "the process may have too few open files or threads: fewer connections are taken, and "
        "only smaller gangs can start",
        {{"files", limits.descriptors},
         {"threads", limits.threads},
         {"maxConnections", fitted.max_connections},
         {"wantedConnections", wanted.max_connections},
         {"maxHeldCalls", fitted.max_held_calls},
         {"wantedHeldCalls", wanted.max_held_calls}});
  }
  return fitted;
}

}  // namespace

HttpServerOptions ProbeServerOptions(const ServerSettings& settings) {
  HttpServerOptions options;
  options.address = settings.probe_address;
  options.port = settings.probe_port;
  // On the loopback no page of others that a browser was led to by another name may read.
  options.loopback_only = CheckLoopback(settings.probe_address).ok();
  options.max_connections = kProbeConnections;
  options.max_long_calls = kMostLongReads;
  options.long_share = kLongReadsShare;
  return options;
}

Gangplan::Gangplan(const Settings& settings, Cluster& cluster, const Clock& clock)
    : cluster_(cluster),
      clock_(clock),
      service_(std::make_unique<Service>(settings, cluster, metrics_, clock, [this] {
        return verbs_ ? verbs_->ClosedCalls() : std::vector<int64_t>();
      })) {}

Gangplan::~Gangplan() { Stop(absl::ZeroDuration()); }

absl::StatusOr<std::unique_ptr<Gangplan>> Gangplan::Start(const Settings& settings,
                                                          Cluster& cluster, const Clock& clock) {
  Settings fitted = settings;
  fitted.server = WithinLimits(settings.server);
  std::unique_ptr<Gangplan> whole(new Gangplan(fitted, cluster, clock));
  GANGPLAN_RETURN_IF_ERROR(whole->Listen(fitted));
  GANGPLAN_RETURN_IF_ERROR(whole->service_->Start());
  return whole;
}

absl::Status Gangplan::Listen(const Settings& settings) {
  HttpServerOptions verbs;
  verbs.address = settings.server.address;
  verbs.port = settings.server.port;
  verbs.max_connections = settings.server.max_connections;
  const TlsSettings& tls = settings.server.tls;
  if (tls.on()) {
    verbs.loopback_only = false;
    verbs.tls = {tls.certificate_file, tls.key_file, tls.client_ca_file, tls.allowed_names};
    verbs.tls->http2 = true;
    verbs.tls->listener = "verbs";
  }
  if (settings.server.verbs) {
    GANGPLAN_ASSIGN_OR_RETURN(
        verbs_, HttpServer::Start(verbs, VerbRoutes(service_->verbs(), metrics_), &metrics_));
  }
  const HttpServerOptions probes = ProbeServerOptions(settings.server);
  Routes reads = ProbeRoutes(service_->views());
  for (Route& route : PageRoutes(service_->page())) reads.push_back(std::move(route));
  GANGPLAN_ASSIGN_OR_RETURN(probes_, HttpServer::Start(probes, std::move(reads), &metrics_));
  Log(LogLevel::kInfo, "listening",
      {{"address", verbs.address},
       {"port", verbs_ ? verbs_->port() : 0},
       {"probeAddress", probes.address},
       {"probePort", probes_->port()}});
  return ListenForApi(settings);
}

absl::Status Gangplan::ListenForApi(const Settings& settings) {
  const ApiSettings& api = settings.server.api;
  if (!api.on()) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(
      api_, AggregatedApi::Start(settings, service_->views(), service_->page(), metrics_, clock_));
  Log(LogLevel::kInfo, "the aggregated API listens",
      {{"address", api.address}, {"port", api_->port()}});
  return absl::OkStatus();
}

void Gangplan::Apply(const Settings& settings) {
  ProcessLogger().set_level(static_cast<LogLevel>(settings.log_level));
  service_->Apply(settings);
  if (verbs_) verbs_->AllowNames(settings.server.tls.allowed_names);
}

void Gangplan::Stop(absl::Duration patience) {
  service_->Drain();
  if (verbs_ && !verbs_->Drain(patience))
    Log(LogLevel::kWarn, "calls are still under way while stopping", {{"calls", verbs_->calls()}});
  service_->Stop();
  if (verbs_) verbs_->Stop();
  if (probes_) probes_->Stop();
  if (api_) api_->Stop();
  // A verb that was served since the cluster stopped may have asked it for something: the refusal
  // goes to the service, which must be there still.
  cluster_.Stop();
}

}  // namespace gangplan
