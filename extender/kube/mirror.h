// What the sink has been told of one kind of object, so that a list can be turned into the events
// that lead there: a pod that vanished between two lists is deleted, one that was re-created under
// its name is deleted and added, and another object that did not change is not mentioned.
//
// Invariant: after EndList the sink knows exactly the objects of the list, but for what was left
// out. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "extender/cluster/events.h"
#include "extender/kube/limits.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/owner_kinds.h"

namespace gangplan {

class Mirror {
 public:
  virtual ~Mirror() = default;
  virtual std::string_view kind() const = 0;    // "Node", as the decoder wants it
  virtual std::string_view plural() const = 0;  // for messages
  virtual std::string_view path() const = 0;    // of the list
  // KEY or KEY=VALUE: the list has only objects that carry it.
  virtual std::string_view label() const { return {}; }
  // The list has the object of this name only.
  virtual std::string_view name() const { return {}; }
  virtual int page_items() const { return kListPageItems; }
  // What whoever may not list must be allowed: for messages. Empty: not told.
  virtual std::string_view rights() const { return {}; }
  // Where the server has no such path, or does not let us list it, there are none of these: nobody
  // has to wait for them. It is looked for now and then.
  virtual bool may_be_missing() const { return false; }
  // Where the list fails for another reason, somebody waits until it does no more; else a while.
  virtual bool is_awaited() const { return true; }
  // The server has no such path. OK: path() is another one now, to be tried at once. Else what to
  // tell; what is tried next begins anew.
  virtual absl::Status NotServed(absl::Status why) { return why; }

  // A list comes in pages between BeginList and EndList; a list that broke off is simply begun
  // again.
  virtual void BeginList() = 0;
  // ResourceExhausted when there would be more objects than allowed, but for ConfigMaps, Jobs,
  // Workloads and what admission follows: of these the ones that are known stay, and one more is
  // left out.
  virtual absl::Status AddPage(ObjectList page, std::vector<ClusterEvent>* out) = 0;
  // Deletes, in the order of their names, what no page had.
  virtual void EndList(std::vector<ClusterEvent>* out) = 0;

  // An ADDED, MODIFIED or DELETED line. ResourceExhausted as above.
  virtual absl::Status Apply(WatchEvent event, std::vector<ClusterEvent>* out) = 0;

  // What to tell of objects that were left out: once, until a list has left out none.
  virtual std::vector<std::string> TakeWarnings() { return {}; }
  // Some were left out, and there is room by now: only a list brings them.
  virtual bool WantsList() const { return false; }
};

// How much of one kind is known: of all, and of each namespace. Bytes: about what they take in
// memory, where that is bounded.
struct MirrorLimits {
  size_t all = 0;
  size_t in_namespace = SIZE_MAX;
  size_t bytes = SIZE_MAX;
  size_t bytes_in_namespace = SIZE_MAX;
};

std::unique_ptr<Mirror> MakeNodeMirror(size_t max_objects = kMaxMirroredNodes);
std::unique_ptr<Mirror> MakePodMirror(size_t max_objects = kMaxMirroredPods);
// Kueue's Topology objects: v1beta2, or v1beta1 where the server has no other.
std::unique_ptr<Mirror> MakeTopologyMirror(size_t max_objects = kMaxMirroredTopologies);
// ConfigMaps with the label of this use, by namespace and name, in one namespace or, when `ns` is
// empty, in all. A new version alone is no change. One that grows beyond what there is room for is
// told as gone; of all together only a new one is left out.
std::unique_ptr<Mirror> MakeConfigMapMirror(ConfigMapUse use, std::string_view ns,
                                            const MirrorLimits& most);
// The Lease of this name; one that is gone is told without a holder.
std::unique_ptr<Mirror> MakeLeaseMirror(std::string_view ns, std::string_view name);
// LimitRanges of all namespaces, RuntimeClasses, PriorityClasses or Kueue's ResourceFlavors.
std::unique_ptr<Mirror> MakeAdmissionMirror(AdmissionRule::Kind kind,
                                            size_t max_objects = kMaxMirroredAdmissionRules);
// Owners of this kind with kSuspendedLabel and kSuspendedValue, in all namespaces. A new version
// alone is a change: whoever writes one must know it; so one that cannot be read any more has left.
inline constexpr MirrorLimits kSuspendedLimits = {kMaxMirroredSuspendedJobs,
                                                  kMaxSuspendedJobsInNamespace};
std::unique_ptr<Mirror> MakeSuspendedMirror(const OwnerKind& kind,
                                            const MirrorLimits& most = kSuspendedLimits);

// Kueue's AdmissionChecks, whoever runs them.
std::unique_ptr<Mirror> MakeAdmissionCheckMirror();
// Kueue's Workloads that have quota, and a check or a place that Kueue has given them, in all
// namespaces: one without is as good as gone. A place beyond what there is room for (`places`) is
// left out, and the check stays. A new version alone is a change, as above.
inline constexpr MirrorLimits kWorkloadLimits = {kMaxMirroredWorkloads, kMaxWorkloadsInNamespace};
inline constexpr MirrorLimits kWorkloadPlaces = {kMaxMirroredWorkloads, kMaxWorkloadsInNamespace,
                                                 kMaxWorkloadBytes, kMaxWorkloadBytesInNamespace};
// kPlaces: checks do not matter, and nobody waits for them.
enum class WorkloadUse : uint8_t { kPlaces, kChecksAndPlaces };
std::unique_ptr<Mirror> MakeWorkloadMirror(WorkloadUse use = WorkloadUse::kChecksAndPlaces,
                                           const MirrorLimits& most = kWorkloadLimits,
                                           const MirrorLimits& places = kWorkloadPlaces);

}  // namespace gangplan
