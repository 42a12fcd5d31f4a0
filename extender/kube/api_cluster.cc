#include "extender/kube/api_cluster.h"

#include <algorithm>
#include <cstdlib>

#include "extender/kube/answers.h"
#include "extender/kube/binder.h"
#include "extender/kube/bodies.h"
#include "extender/kube/https_transport.h"
#include "extender/kube/job_writes.h"
#include "extender/kube/kubeconfig.h"
#include "extender/kube/merge_patch.h"
#include "extender/kube/owner_reader.h"
#include "extender/kube/pod_group_status.h"
#include "extender/kube/resource_path.h"
#include "topology/base/check.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

constexpr size_t kMaxObjectNameBytes = 253;
constexpr size_t kNodesAndPods = 2;  // reflectors

// Unlike the names of earlier Events of the object: the object's name, the time and a counter.
std::string EventName(const EventNote& note, absl::Time now, uint64_t count) {
  const std::string tail = fmt::format(".{:x}{:04x}", absl::ToUnixMicros(now), count & 0xFFFF);
  return CutUtf8(note.regarding.name, kMaxObjectNameBytes - tail.size()) + tail;
}

}  // namespace

ApiCluster::ApiCluster(std::unique_ptr<TransportFactory> transports, ApiClusterOptions options)
    : options_(std::move(options)),
      leadership_(options_.lease, options_.instance, options_.call_timeout, *options_.host_clock),
      transports_(std::move(transports), [this] { return leadership_.MayWrite(); }),
      jitter_(options_.seed),
      tools_{options_.clock, &pause_, &jitter_, options_.call_timeout},
      pool_(transports_, options_.callers) {
  reflectors_.push_back(MakeReflector(MakeNodeMirror()));
  reflectors_.push_back(MakeReflector(MakePodMirror()));
  if (options_.topologies) reflectors_.push_back(MakeReflector(MakeTopologyMirror()));
  WatchConfigMaps();
  if (options_.suspended_jobs || options_.room_checks) {
    for (AdmissionRule::Kind kind :
         {AdmissionRule::Kind::kLimitRange, AdmissionRule::Kind::kRuntimeClass,
          AdmissionRule::Kind::kPriorityClass})
      reflectors_.push_back(MakeReflector(MakeAdmissionMirror(kind)));
  }
  if (options_.suspended_jobs) {
    for (const OwnerKind& kind : kOwnerKinds)
      reflectors_.push_back(MakeReflector(MakeSuspendedMirror(kind)));
  }
  WatchWorkloads();
  unlisted_ = static_cast<int>(reflectors_.size());
  if (!options_.lease.empty()) reflectors_.push_back(MakeLeaseReflector());
}

void ApiCluster::WatchConfigMaps() {
  const auto watch = [this](ConfigMapUse use, std::string_view ns, const MirrorLimits& most) {
    reflectors_.push_back(MakeReflector(MakeConfigMapMirror(use, ns, most)));
  };
  if (options_.sakkara_groups) {
    watch(ConfigMapUse::kSakkaraGroup, "",
          {kMaxMirroredSakkaraGroups, kMaxSakkaraGroupsInNamespace, kMaxSakkaraGroupBytes,
           kMaxSakkaraGroupBytesInNamespace});
  }
  if (!options_.sakkara_topologies.empty()) {
    watch(ConfigMapUse::kSakkaraTopology, options_.sakkara_topologies,
          {.all = kMaxMirroredSakkaraTopologies, .bytes = kMaxSakkaraTopologyBytes});
  }
  if (!options_.reservations.empty()) {
    watch(ConfigMapUse::kReservation, options_.reservations,
          {.all = kMaxMirroredReservations, .bytes = kMaxReservationBytes});
  }
  for (const std::string& ns : options_.rank_lists) {
    watch(ConfigMapUse::kRankList, ns,
          ns.empty() ? MirrorLimits{kMaxRankListsOfAll, kMaxRankListsInNamespaceOfAll}
                     : MirrorLimits{kMaxMirroredRankLists});
  }
}

ApiCluster::~ApiCluster() { ApiCluster::Stop(); }

ReflectorOptions ApiCluster::WatchOptions() {
  ReflectorOptions options;
  options.clock = options_.clock;
  options.pause = &pause_;
  options.jitter = &jitter_;
  options.list_read_timeout = options_.list_timeout;
  options.watch_read_timeout = options_.watch_timeout;
  options.warn = options_.warn;
  return options;
}

std::unique_ptr<Reflector> ApiCluster::MakeReflector(std::unique_ptr<Mirror> mirror) {
  ReflectorOptions options = WatchOptions();
  options.deliver = [this](std::vector<ClusterEvent> events) {
    sink_->OnEvents(std::move(events));
  };
  options.listed = [this] { Listed(); };
  return std::make_unique<Reflector>(std::move(mirror), transports_.Make(), std::move(options));
}

// Nobody waits for its list: until it is read another one acts.
std::unique_ptr<Reflector> ApiCluster::MakeLeaseReflector() {
  ReflectorOptions options = WatchOptions();
  options.watch_read_timeout = kLeaseSilence;
  options.deliver = [this](const std::vector<ClusterEvent>& events) {
    for (const ClusterEvent& event : events) SeeLease(std::get<LeaseFacts>(event));
  };
  options.listed = [this] { leadership_.NoteRead(); };
  const size_t slash = options_.lease.find('/');
  return std::make_unique<Reflector>(
      MakeLeaseMirror(std::string_view(options_.lease).substr(0, slash),
                      std::string_view(options_.lease).substr(slash + 1)),
      transports_.Make(), std::move(options));
}

void ApiCluster::SeeLease(const LeaseFacts& lease) {
  const bool lost = leadership_.lost();
  leadership_.Saw(lease);
  const bool led = std::exchange(leads_, leadership_.MayWrite());
  if (leads_ && !led) SayAgain();
  if (leads_) {
    for (EventNote& note : late_events_.Take(options_.clock->Now())) Emit(std::move(note));
  }
  if (!lost && leadership_.lost()) options_.lost(leadership_.WhyNot(absl::ZeroDuration()));
}

std::string ApiCluster::WhyNotActing(absl::Duration patience) const {
  return leadership_.WhyNot(patience);
}

void ApiCluster::Listed() {
  if (--unlisted_ == 0) sink_->OnSynced();
}

absl::Status ApiCluster::Start(ClusterSink* sink) {
  GANGPLAN_CHECK(sink_ == nullptr && sink != nullptr);
  sink_ = sink;
  // The version is known before the first nomination needs it; a failure is met again there.
  pool_.Add(
      CallClass::kBinding, [this](Transport& transport) { (void)version_.Get(transport, tools_); },
      [](const absl::Status&) {});
  MutexLock lock(mutex_);
  running_ = static_cast<int>(reflectors_.size());
  for (const auto& reflector : reflectors_) {
    threads_.emplace_back([this, worker = reflector.get()] { RunReflector(*worker); });
  }
  return absl::OkStatus();
}

void ApiCluster::RunReflector(Reflector& reflector) {
  reflector.Run();
  MutexLock lock(mutex_);
  --running_;
  reflector_ended_.notify_all();
}

void ApiCluster::Stop() {
  pause_.Stop();
  StopReflectors();
  pool_.Stop(options_.stop_grace);
}

void ApiCluster::StopReflectors() {
  {
    MutexLock lock(mutex_);
    while (running_ > 0) {
      for (const auto& reflector : reflectors_) reflector->Interrupt();
      if (owners_ != nullptr) owners_->Interrupt();
      reflector_ended_.wait_for(mutex_, kInterruptEvery);
    }
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ApiCluster::Bind(BindingWrite write, std::function<void(BindResult)> done) {
  pool_.Add(
      CallClass::kBinding,
      [this, write = std::move(write), done](Transport& transport) {
        done(BindNow(transport, write));
      },
      [done](const absl::Status& why) {
        done({BindOutcome::kNotWritten, Message(why)});
      });
}

BindResult ApiCluster::BindNow(Transport& transport, const BindingWrite& write) {
  BindResult result = WriteBinding(transport, write, tools_);
  switch (result.outcome) {
    case BindOutcome::kUnknown:
      doubtful_.Remember(write.pod.uid, options_.clock->Now());
      break;
    case BindOutcome::kBound:
    case BindOutcome::kElsewhere:
    case BindOutcome::kGone:
      doubtful_.Forget(write.pod.uid);
      break;
    case BindOutcome::kRefused:
    case BindOutcome::kNotWritten:  // an earlier write may still land
      break;
  }
  return result;
}

void ApiCluster::Prove(BindingRead read, std::function<void(BindResult)> done) {
  pool_.Add(
      CallClass::kBinding,
      [this, read = std::move(read), done](Transport& transport) {
        done(ProveNow(transport, read));
      },
      [done](const absl::Status& why) {
        done({BindOutcome::kUnknown, Message(why)});
      });
}

BindResult ApiCluster::ProveNow(Transport& transport, const BindingRead& read) {
  // Asked before the read: what cannot land any more cannot land after it.
  const bool may_land = doubtful_.MayLand(read.pod.uid, options_.clock->Now());
  BindResult result = ReadBinding(transport, read, tools_);
  if (result.outcome == BindOutcome::kUnknown) return result;
  if (result.outcome == BindOutcome::kRefused && may_land) {
    return {BindOutcome::kUnknown, result.message};
  }
  doubtful_.Forget(read.pod.uid);
  return result;
}

void ApiCluster::Nominate(Nomination nomination, std::function<void(absl::Status)> done) {
  pool_.Add(
      CallClass::kNomination,
      [this, nomination = std::move(nomination), done](Transport& transport) {
        done(PatchNomination(transport, nomination, version_, tools_));
      },
      done);
}

void ApiCluster::Wake(PodRef pod, std::function<void(absl::Status)> done) {
  pool_.Add(
      CallClass::kNomination,
      [this, pod = std::move(pod), done](Transport& transport) {
        done(WakePod(transport, pod, tools_));
      },
      done);
}

void ApiCluster::WriteData(DataWrite write, std::function<void(absl::Status)> done) {
  AddPatch(CallClass::kResult, ConfigMapPath(write.object.ns, write.object.name),
           DataBody(write.object.uid, write.data), "writing the data of a ConfigMap",
           std::move(done));
}

void ApiCluster::WriteLabels(LabelsWrite write, std::function<void(absl::Status)> done) {
  AddPatch(CallClass::kResult, PodPath(write.pod.ns, write.pod.name),
           LabelsBody(write.pod.uid, write.labels), "writing the labels of a pod", std::move(done));
}

void ApiCluster::WritePodGroup(PodGroupWrite write, std::function<void(absl::Status)> done) {
  pool_.Add(
      CallClass::kResult,
      [this, write = std::move(write), done](Transport& transport) {
        done(WritePodGroupStatus(transport, write, tools_));
      },
      done);
}

// Before what only people wait for, like a nomination: the room is held meanwhile.
void ApiCluster::WriteJob(JobWrite write, std::function<void(absl::Status)> done) {
  pool_.Add(
      CallClass::kNomination,
      [this, write = std::move(write), done](Transport& transport) {
        done(SendJobWrite(transport, write, tools_));
      },
      done);
}

// Likewise.
void ApiCluster::ReleasePod(PodRelease release, std::function<void(absl::Status)> done) {
  pool_.Add(
      CallClass::kNomination,
      [this, release = std::move(release), done](Transport& transport) {
        done(PatchRelease(transport, release, tools_));
      },
      done);
}

void ApiCluster::DeletePod(PodDelete pod, std::function<void(absl::Status)> done) {
  pool_.Add(
      CallClass::kNomination,
      [this, pod = std::move(pod), done](Transport& transport) {
        const bool asks = !pod.together.empty();
        if (asks && asks_budgets_.exchange(true))
          return done(absl::UnavailableError("disruption budgets are read for another gang"));
        const absl::Status status = EndPod(transport, pod, tools_);
        if (asks) asks_budgets_ = false;
        done(status);
      },
      done);
}

// Whoever acts next does what a mark says, so it is taken back as soon as it is set.
void ApiCluster::MarkPod(PodMark mark, std::function<void(absl::Status)> done) {
  AddPatch(CallClass::kNomination, PodPath(mark.pod.ns, mark.pod.name),
           AnnotationsBody(mark.pod.uid, mark.annotations), "annotating a pod", std::move(done));
}

void ApiCluster::AddPatch(CallClass call_class, std::string path, std::string body,
                          std::string_view what, std::function<void(absl::Status)> done) {
  pool_.Add(
      call_class,
      [this, path = std::move(path), body = std::move(body), what, done](Transport& transport) {
        done(SendMergePatch(transport, path, body, what, tools_));
      },
      done);
}

void ApiCluster::ReadOwner(OwnerRead read, std::function<void(absl::StatusOr<OwnerFacts>)> done) {
  pool_.Add(
      CallClass::kOther,
      [this, read = std::move(read), done](Transport& transport) {
        done(ReadOwnerFacts(transport, read, tools_));
      },
      [done](absl::Status why) { done(std::move(why)); });
}

// Who acts tells the same; where nobody does yet, or not for a moment, it is told after that.
void ApiCluster::Emit(EventNote note) {
  if (!leadership_.MayWrite()) {
    const bool all = late_events_.Keep(std::move(note), options_.clock->Now());
    if (!all && leadership_.LapsesForNow()) events_.CountDropped();
    return;
  }
  if (note.regarding.name.empty() && options_.self) {
    note.ns = options_.self->ns;
    note.regarding = AsObject(*options_.self);
  }
  const bool admitted = events_.Admit(note, options_.clock->Now());
  TellDropped();
  if (!admitted) return;
  if (note.regarding.name.empty()) return options_.warn(note.note);
  pool_.Add(
      CallClass::kOther,
      [this, note = std::move(note)](Transport& transport) { WriteEvent(transport, note); },
      [this](const absl::Status&) { events_.CountDropped(); });
}

void ApiCluster::TellDropped() {
  const int64_t dropped = events_.TakeDropped(options_.clock->Now());
  if (dropped == 0) return;
  options_.warn(fmt::format(
      "{} Events were not written: more come than {} a second of all, or {} of one namespace, or "
      "than the API server takes",
      dropped, kEventsPerSecond, kEventsPerSecondOfNamespace));
}

// Tried once: an Event is worth no patience.
void ApiCluster::WriteEvent(Transport& transport, const EventNote& note) {
  const absl::Time now = options_.clock->Now();
  const auto answer = transport.Send(
      {.method = "POST",
       .target = fmt::format("/apis/events.k8s.io/v1/namespaces/{}/events", PercentEncode(note.ns)),
       .content_type = "application/json",
       .body = EventBody(note, EventName(note, now, ++event_count_), options_.instance, now),
       .read_timeout = options_.call_timeout});
  const absl::Status status =
      answer.ok() ? AnswerStatus(*answer, "writing an Event") : answer.status();
  if (!status.ok()) options_.warn(Message(status));
}

WatchSign ApiCluster::OldestWatch(Watched which) const {
  WatchSign oldest;
  const size_t count = which == Watched::kAll ? reflectors_.size() : kNodesAndPods;
  for (size_t i = 0; i < count; ++i) {
    const absl::Duration age = options_.clock->Now() - reflectors_[i]->LastSign();
    if (oldest.of.empty() || age > oldest.age) oldest = {reflectors_[i]->plural(), age};
  }
  return oldest;
}

absl::StatusOr<Credentials> CredentialsOf(const std::string& kubeconfig) {
  const auto environment = [](const char* name) -> const char* { return std::getenv(name); };
  return kubeconfig.empty() ? InClusterCredentials(environment) : ReadKubeconfig(kubeconfig);
}

absl::StatusOr<std::unique_ptr<Cluster>> ConnectApiCluster(const std::string& kubeconfig,
                                                           ApiClusterOptions options) {
  GANGPLAN_ASSIGN_OR_RETURN(Credentials credentials, CredentialsOf(kubeconfig));
  auto transports = std::make_unique<HttpsTransportFactory>(std::move(credentials), HttpsOptions{},
                                                            *options.clock);
  return std::make_unique<ApiCluster>(std::move(transports), std::move(options));
}

}  // namespace gangplan
