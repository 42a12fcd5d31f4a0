// The cluster behind an API server: reflectors tell of nodes, pods and, if asked for, Kueue's
// Topologies, Sakkara's ConfigMaps and the owners that wait for us or for Kueue's admission checks
// of ours, a pool of callers writes and
// reads. See extender/cluster/cluster.h for the contract.
//
// The process must ignore SIGPIPE.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "extender/cluster/cluster.h"
#include "extender/kube/call_pool.h"
#include "extender/kube/credentials.h"
#include "extender/kube/doubtful_posts.h"
#include "extender/kube/event_gate.h"
#include "extender/kube/guarded_transport.h"
#include "extender/kube/late_events.h"
#include "extender/kube/leadership.h"
#include "extender/kube/pod_writes.h"
#include "extender/kube/reflector.h"
#include "extender/kube/room_checks.h"

namespace gangplan {

struct ApiClusterOptions {
  int callers = 32;  // connections for writes and single reads: a gang is bound in parallel
  absl::Duration call_timeout = absl::Seconds(10);
  absl::Duration list_timeout = absl::Seconds(30);
  absl::Duration watch_timeout = absl::Seconds(90);
  absl::Duration stop_grace = absl::Seconds(3);  // for calls under way when stopping
  uint64_t seed = 0;                             // of every jitter
  std::string instance;                          // the host's name; who reports Events
  std::string lease;                             // of the schedulers, NAMESPACE/NAME; empty: there
                                                 // is one Gangplan
  std::optional<PodRef> self;                    // the pod that we run in, where that is known
  bool topologies = false;                       // Kueue's Topology objects are watched, too
  bool sakkara_groups = false;                   // Sakkara's groups, in all namespaces
  std::string sakkara_topologies;                // the namespace of Sakkara's; empty: not watched
  std::string reservations;                      // the namespace of those; empty: not watched
  std::vector<std::string> rank_lists;           // the namespaces of those; "": all
  bool suspended_jobs = false;                   // owners that wait for us, in all namespaces, and
                                                 // what admission follows for their pods
  bool room_checks = false;                      // Kueue's admission checks that are ours, likewise
  bool kueue_places = false;                     // where Kueue itself has placed pods
  const Clock* clock = &SystemClock();
  const Clock* host_clock = &HostClock();
  std::function<void(std::string_view)> warn = [](std::string_view) {};  // any thread
  // It acted, and another one does now: once. Any thread.
  std::function<void(std::string_view why)> lost = [](std::string_view) {};
};

class ApiCluster : public Cluster {
 public:
  ApiCluster(std::unique_ptr<TransportFactory> transports, ApiClusterOptions options);
  ~ApiCluster() override;

  // REQUIRES: called once.
  absl::Status Start(ClusterSink* sink) override;
  void Stop() override;

  void Bind(BindingWrite write, std::function<void(BindResult)> done) override;
  void Prove(BindingRead read, std::function<void(BindResult)> done) override;
  void Nominate(Nomination nomination, std::function<void(absl::Status)> done) override;
  void Wake(PodRef pod, std::function<void(absl::Status)> done) override;
  void WriteData(DataWrite write, std::function<void(absl::Status)> done) override;
  void WriteLabels(LabelsWrite write, std::function<void(absl::Status)> done) override;
  void WritePodGroup(PodGroupWrite write, std::function<void(absl::Status)> done) override;
  void WriteJob(JobWrite write, std::function<void(absl::Status)> done) override;
  void ReleasePod(PodRelease release, std::function<void(absl::Status)> done) override;
  void DeletePod(PodDelete pod, std::function<void(absl::Status)> done) override;
  void MarkPod(PodMark mark, std::function<void(absl::Status)> done) override;
  void ReadOwner(OwnerRead read, std::function<void(absl::StatusOr<OwnerFacts>)> done) override;
  void ListProvisioning(
      std::vector<std::string> by,
      std::function<void(absl::StatusOr<std::vector<ProvisioningFacts>>)> done) override;
  void WriteProvisioning(ProvisioningWrite write, std::function<void(absl::Status)> done) override;
  void DeleteProvisioning(ProvisioningDelete request,
                          std::function<void(absl::Status)> done) override;
  void Emit(EventNote note) override;
  std::string WhyNotActing(absl::Duration patience) const override;
  WatchSign OldestWatch(Watched which) const override;
  int64_t DroppedEvents() const override { return events_.dropped(); }

 private:
  void WatchConfigMaps();
  void WatchWorkloads();
  void WatchRoomChecks();
  void SayActive(const AdmissionCheckFacts& check);
  void SayAgain();
  std::unique_ptr<Reflector> MakeLeaseReflector();
  void SeeLease(const LeaseFacts& lease);
  ReflectorOptions WatchOptions();
  std::unique_ptr<Reflector> MakeReflector(std::unique_ptr<Mirror> mirror);
  void RunReflector(Reflector& reflector);
  void Listed();
  void StopReflectors();
  void AddPatch(CallClass call_class, std::string path, std::string body, std::string_view what,
                std::function<void(absl::Status)> done);
  BindResult BindNow(Transport& transport, const BindingWrite& write);
  BindResult ProveNow(Transport& transport, const BindingRead& read);
  void WriteEvent(Transport& transport, const EventNote& note);
  void TellDropped();

  const ApiClusterOptions options_;
  Leadership leadership_;
  GuardedTransports transports_;
  StoppablePause pause_;
  Jitter jitter_;
  CallTools tools_;
  VersionMemory version_;
  DoubtfulPosts doubtful_;
  EventGate events_;
  LateEvents late_events_;
  std::atomic<uint64_t> event_count_ = 0;
  std::atomic<int> unlisted_ = 0;  // reflectors whose first list is not delivered yet
  ClusterSink* sink_ = nullptr;
  std::unique_ptr<Transport> owners_;  // for room_checks_ to read by; null: there are none
  std::unique_ptr<RoomChecks> room_checks_;
  bool leads_ = false;  // by the Lease as it was seen last, by whose watch

  std::vector<std::unique_ptr<Reflector>> reflectors_;  // first of nodes and of pods
  std::vector<std::thread> threads_;
  Mutex mutex_;
  std::condition_variable_any reflector_ended_;
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> asks_budgets_ = false;  // one at a time: that lists all pods of a namespace
  CallPool pool_;
};

// Of a kubeconfig file, or of the pod that we run in when `kubeconfig` is empty.
absl::StatusOr<Credentials> CredentialsOf(const std::string& kubeconfig);

absl::StatusOr<std::unique_ptr<Cluster>> ConnectApiCluster(const std::string& kubeconfig,
                                                           ApiClusterOptions options);

}  // namespace gangplan
