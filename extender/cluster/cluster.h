// The cluster beside us: what it tells (ClusterSink) and what we ask of it (Cluster). Two
// implementations: the API server, and a file with bindings in memory. The state of record lives
// there; nothing is kept here.
//
// Thread rule: Cluster's calls may come from any thread and never block on the network: work is
// queued, and `done` runs later on a thread of the cluster's own, exactly once, also on Stop.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "extender/cluster/events.h"
#include "extender/cluster/provisioning.h"
#include "extender/cluster/requests.h"

namespace gangplan {

// Without nodes and pods nothing can be planned; without the rest, by what was seen last.
enum class Watched { kAll, kNodesAndPods };

struct WatchSign {
  std::string_view of;                        // what is watched, for people
  absl::Duration age = absl::ZeroDuration();  // of the last sign of life
};

class ClusterSink {
 public:
  virtual ~ClusterSink() = default;
  // Events of one kind (nodes, pods, topologies, ConfigMaps of one use) in their order; batches
  // keep lock traffic low.
  virtual void OnEvents(std::vector<ClusterEvent> events) = 0;
  // The first full lists of nodes and pods have been delivered, and of topologies and ConfigMaps
  // where they are watched. Once.
  virtual void OnSynced() = 0;
};

class Cluster {
 public:
  virtual ~Cluster() = default;
  // Starts to list and watch; `sink` outlives this object's threads.
  virtual absl::Status Start(ClusterSink* sink) = 0;
  // Ends every thread but the one of late refusals; queued work is answered as not written /
  // Cancelled. Returns when all that was asked for before has been answered. Safe to call again.
  virtual void Stop() = 0;

  virtual void Bind(BindingWrite write, std::function<void(BindResult)> done) = 0;
  // kRefused: not bound, and the write is too old to land any more; kUnknown again: ask later.
  virtual void Prove(BindingRead read, std::function<void(BindResult)> done) = 0;
  // PermissionDenied and Unimplemented tell the caller to fall back on Wake.
  virtual void Nominate(Nomination nomination, std::function<void(absl::Status)> done) = 0;
  // One annotation patch whose only purpose is the update event that it causes.
  virtual void Wake(PodRef pod, std::function<void(absl::Status)> done) = 0;
  // The UID is a precondition. NotFound: the object is gone. Aborted: another one has its name now.
  // PermissionDenied; FailedPrecondition: the server refuses the values. Unavailable,
  // ResourceExhausted (also: too many writes wait): a later write may go through. Two writes of one
  // object that are under way together land in either order.
  virtual void WriteData(DataWrite write, std::function<void(absl::Status)> done) = 0;
  virtual void WriteLabels(LabelsWrite write, std::function<void(absl::Status)> done) = 0;
  // OK: it says so. NotFound: there is none. Aborted: somebody else writes it. PermissionDenied;
  // FailedPrecondition: the server refuses the values. After any other error it may be tried again.
  virtual void WritePodGroup(PodGroupWrite write, std::function<void(absl::Status)> done) = 0;
  virtual void ReadOwner(OwnerRead read, std::function<void(absl::StatusOr<OwnerFacts>)> done) = 0;
  // NotFound: it is gone. Aborted: it is of another version by now, be it because its start time
  // had to be taken away before another template; another one has its name; or, where it was to be
  // suspended whatever its version is, it is finished, or suspended by somebody else.
  // FailedPrecondition: the server refuses the values. PermissionDenied. Unimplemented: nobody here
  // runs Jobs. After any other error it may have been written; also where the Jobs of a JobSet are
  // not all there yet, or not suspended yet.
  virtual void WriteJob(JobWrite write, std::function<void(absl::Status)> done) = 0;
  // The UID is a precondition of all three. NotFound: it is gone. Aborted: another one has its
  // name. PermissionDenied. FailedPrecondition: the server refuses the values; of a release: its
  // gates are gone already, and it has other nodes; of an end: a disruption budget is against it.
  // After any other error it may have been done; doing it again is the same.
  virtual void ReleasePod(PodRelease release, std::function<void(absl::Status)> done) = 0;
  virtual void DeletePod(PodDelete pod, std::function<void(absl::Status)> done) = 0;
  virtual void MarkPod(PodMark mark, std::function<void(absl::Status)> done) = 0;
  // Requests for nodes that are made for one of these schedulers, so many at most. NotFound: nobody
  // here serves them. PermissionDenied. Unimplemented: nobody here adds nodes. After any other
  // error nothing is known.
  virtual void ListProvisioning(
      std::vector<std::string> by,
      std::function<void(absl::StatusOr<std::vector<ProvisioningFacts>>)> done) = 0;
  // OK: it is there, with its templates. Aborted: another object has the name of one of them.
  // NotFound, PermissionDenied, Unimplemented as above, or its namespace is gone.
  // FailedPrecondition: the server refuses the values. After any other error it may have been
  // written; doing it again is the same.
  virtual void WriteProvisioning(ProvisioningWrite write,
                                 std::function<void(absl::Status)> done) = 0;
  // OK: it is gone, or goes. Otherwise likewise.
  virtual void DeleteProvisioning(ProvisioningDelete request,
                                  std::function<void(absl::Status)> done) = 0;
  virtual void Emit(EventNote note) = 0;

  // Of several Gangplans one acts, the others write nothing: why it is not this one, for people;
  // empty: it is. Waits so long for that to come to pass.
  virtual std::string WhyNotActing(absl::Duration patience) const = 0;

  // The watch that has heard nothing for the longest time.
  virtual WatchSign OldestWatch(Watched which) const = 0;
  // Events of Emit that were not written, since the start.
  virtual int64_t DroppedEvents() const { return 0; }
};

}  // namespace gangplan
