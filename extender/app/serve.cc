#include "extender/app/serve.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "extender/app/end_watch.h"
#include "extender/app/gangplan.h"
#include "extender/app/reload.h"
#include "extender/app/start_check.h"
#include "extender/kube/api_cluster.h"
#include "extender/kube/file_cluster.h"
#include "extender/kube/https_transport.h"
#include "extender/observe/log.h"
#include "topology/base/status_macros.h"
#include "topology/base/version.h"

namespace gangplan {
namespace {

// Kubernetes kills a pod 30 seconds after it has told it to end, so that what is stuck by then can
// be told before: the end, and a second for the log.
constexpr absl::Duration kDrainFor = absl::Seconds(20);
constexpr absl::Duration kEndWithin = absl::Seconds(26);

[[noreturn]] void EndAsItIs(std::string_view why) {
  Log(LogLevel::kError, "the process ends although not all of it has ended", {{"why", why}});
  FlushLog(absl::Seconds(1));
  _exit(EXIT_FAILURE);
}

// As a manifest names it to its container: examples/deployment.yaml.
std::optional<PodRef> OwnPod() {
  PodRef pod;
  for (const auto& [name, part] :
       {std::pair("POD_NAMESPACE", &pod.ns), std::pair("POD_NAME", &pod.name),
        std::pair("POD_UID", &pod.uid)}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    *part = value;
  }
  return pod;
}

// Another Gangplan acts, where this one did: the process ends, to begin anew as one that does not.
class Loss {
 public:
  // Any thread.
  void End(std::string_view why) {
    if (ending_) return;  // as it was asked to
    Log(LogLevel::kError, "another one acts now, and this one starts anew", {{"why", why}});
    lost_ = true;
    kill(getpid(), SIGTERM);
  }
  bool lost() const { return lost_; }
  void NoteEnding() { ending_ = true; }

 private:
  std::atomic<bool> ending_ = false;
  std::atomic<bool> lost_ = false;
};

absl::StatusOr<std::unique_ptr<Cluster>> MakeCluster(const Settings& settings, Loss& loss) {
  if (settings.cluster.source == ClusterSource::kFile) {
    GANGPLAN_ASSIGN_OR_RETURN(std::unique_ptr<Cluster> cluster,
                              FileCluster::Load(settings.cluster.file));
    return cluster;
  }
  ApiClusterOptions options;
  options.seed = static_cast<uint64_t>(absl::ToUnixNanos(SystemClock().Now()));
  char host[256] = "gangplan";
  if (gethostname(host, sizeof host - 1) == 0) options.instance = host;
  options.self = OwnPod();
  options.lease = settings.lease;
  options.lost = [&loss](std::string_view why) { loss.End(why); };
  options.topologies = settings.HasTopologyFrom(TopologySource::kKueue);
  options.sakkara_groups = settings.sakkara_groups;
  options.suspended_jobs = settings.suspended_jobs;
  options.room_checks = settings.admission_checks;
  options.kueue_places = settings.HasTopologyFrom(TopologySource::kKueue);
  for (const TopologySettings& topology : settings.topologies) {
    if (topology.source == TopologySource::kSakkara) options.sakkara_topologies = topology.ns;
  }
  options.reservations = settings.reservations;
  options.rank_lists = settings.rank_lists;
  options.warn = [](std::string_view text) { Log(LogLevel::kWarn, text); };
  return ConnectApiCluster(settings.cluster.kubeconfig, std::move(options));
}

// Null: there is no API server to ask.
std::unique_ptr<StartCheck> CheckStart(const Settings& settings, std::string_view told) {
  if (settings.cluster.source != ClusterSource::kApi) return nullptr;
  absl::StatusOr<Credentials> credentials = CredentialsOf(settings.cluster.kubeconfig);
  if (!credentials.ok()) return nullptr;  // told where the cluster was made
  HttpsTransportFactory transports(*std::move(credentials), HttpsOptions{}, SystemClock());
  try {
    return std::make_unique<StartCheck>(settings, transports, told);
  } catch (const std::system_error& no_thread) {
    Log(LogLevel::kWarn, "the configuration is not looked over", {{"why", no_thread.what()}});
    return nullptr;
  }
}

// Blocks the signals that end us, and the one that has the configuration read again; every thread
// made later inherits that, so that one place hears them. Returns those that end us.
sigset_t BlockSignals() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigset_t all = ends;
  sigaddset(&all, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  return ends;
}

// Returns the one of `ends` that has come; until then the file is looked at.
int WaitForEnd(const sigset_t& ends, Reload& reload) {
  sigset_t awaited = ends;
  sigaddset(&awaited, SIGHUP);
  const timespec look = absl::ToTimespec(kReloadLook);
  for (;;) {
    const int signal = sigtimedwait(&awaited, nullptr, &look);
    if (signal == SIGHUP) {
      reload.Read();
    } else if (signal > 0) {
      return signal;
    } else if (errno == EAGAIN) {
      reload.Look();
    }
  }
}

// Small pieces of memory are joined again when they are freed. Else glibc joins all of them at once
// in some later allocation: after the lists of a large cluster that took 45 ms, under the lock.
void JoinFreedMemoryAtOnce() { mallopt(M_MXFAST, 0); }

}  // namespace

absl::Status Serve(const Settings& settings, const std::string& file) {
  JoinFreedMemoryAtOnce();
  const sigset_t ends = BlockSignals();
  Loss loss;
  GANGPLAN_ASSIGN_OR_RETURN(std::unique_ptr<Cluster> cluster, MakeCluster(settings, loss));
  Log(LogLevel::kInfo, "starting", {{"version", kVersion}});
  GANGPLAN_ASSIGN_OR_RETURN(std::unique_ptr<Gangplan> whole, Gangplan::Start(settings, *cluster));
  std::unique_ptr<StartCheck> check = CheckStart(settings, kFoundAtStart);
  Reload reload(file, settings, [&whole, &check](const Settings& changed) {
    whole->Apply(changed);
    check.reset();  // of what was in force until now
    check = CheckStart(changed, kFoundAnew);
  });
  EndWatch end_watch(ends, kEndWithin, EndAsItIs);
  const int signal = WaitForEnd(ends, reload);
  loss.NoteEnding();
  Log(LogLevel::kInfo, "stopping", {{"signal", signal}});
  end_watch.Begin();
  check.reset();
  whole->Stop(kDrainFor);
  whole.reset();
  cluster.reset();
  Log(LogLevel::kInfo, "stopped");
  if (loss.lost()) return absl::AbortedError("the Lease is held by another host");
  return absl::OkStatus();
}

}  // namespace gangplan
