// The kinds whose objects tell how many of their pods start together: one index of what is read of
// each, by what right, and how its pods tell of which part of it they are. A new kind in a form
// that is known is a row here. Constant data; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "extender/protocol/jobset_words.h"
#include "extender/protocol/mpi_words.h"
#include "extender/protocol/pod_group_words.h"

namespace gangplan {

enum class Counted : uint8_t {
  kPods,            // those of a Job that run at once
  kReplicatedJobs,  // Jobs of several kinds, each a pod set
  kReplicas,        // one number, spec.replicas
  kReplicaSpecs,    // the numbers of its types of replicas, each a pod set
  kWorkerGroups,    // those of its groups of workers, beside one head
  kMinMember,       // the least number that starts
  kGangPolicy,      // likewise, where its policy is that of a gang
};

struct CountedKind {
  std::string_view group;  // with its '/', of any version; or the whole version alone
  std::string_view kind;
  Counted by = Counted::kReplicas;
  std::string_view fields;           // that say how many, for people
  std::string_view part;             // of our rights, by which it is read
  std::string_view part_label = {};  // by which a pod tells of which pod set it is
};

inline constexpr std::string_view kReplicaType = "training.kubeflow.org/replica-type";
// By which a pod of a RayCluster tells of its group of workers, or that it is the head.
inline constexpr std::string_view kRayGroup = "ray.io/group";
inline constexpr std::string_view kRayHead = "headgroup";
inline constexpr CountedKind kCountedKinds[] = {
    {"batch/", "Job", Counted::kPods, "spec.parallelism and completions", "owners"},
    {"jobset.x-k8s.io/", "JobSet", Counted::kReplicatedJobs, "spec.replicatedJobs", "jobsets",
     kReplicatedJob},
    {"apps/", "StatefulSet", Counted::kReplicas, "spec.replicas", "owners"},
    {"apps/", "ReplicaSet", Counted::kReplicas, "spec.replicas", "owners"},
    {kMpiJobGroup, "PyTorchJob", Counted::kReplicaSpecs, "spec.pytorchReplicaSpecs", "kubeflow",
     kReplicaType},
    {kMpiJobGroup, "TFJob", Counted::kReplicaSpecs, "spec.tfReplicaSpecs", "kubeflow",
     kReplicaType},
    {kMpiJobGroup, "XGBoostJob", Counted::kReplicaSpecs, "spec.xgbReplicaSpecs", "kubeflow",
     kReplicaType},
    {kMpiJobGroup, "PaddleJob", Counted::kReplicaSpecs, "spec.paddleReplicaSpecs", "kubeflow",
     kReplicaType},
    {kMpiJobGroup, "JAXJob", Counted::kReplicaSpecs, "spec.jaxReplicaSpecs", "kubeflow",
     kReplicaType},
    // The training operator's; all later versions are the MPI operator's.
    {kTrainingMpiJob, kMpiJobKind, Counted::kReplicaSpecs, "spec.mpiReplicaSpecs", "kubeflow",
     kReplicaType},
    {kMpiJobGroup, kMpiJobKind, Counted::kReplicaSpecs, "spec.mpiReplicaSpecs", "kubeflow",
     kMpiJobRole},
    {"ray.io/", "RayCluster", Counted::kWorkerGroups, "spec.workerGroupSpecs", "ray", kRayGroup},
    {"scheduling.x-k8s.io/", kPodGroupKind, Counted::kMinMember, "spec.minMember", "pod-groups"},
    {"scheduling.sigs.k8s.io/", kPodGroupKind, Counted::kMinMember, "spec.minMember", "pod-groups"},
    {"scheduling.volcano.sh/", kPodGroupKind, Counted::kMinMember, "spec.minMember", "pod-groups"},
    {"scheduling.k8s.io/", kPodGroupKind, Counted::kGangPolicy,
     "spec.schedulingPolicy.gang.minCount", "pod-groups"},
};

// The first row that it is of; null: of no such kind.
inline const CountedKind* FindCountedKind(std::string_view api_version, std::string_view kind) {
  const auto* found =
      std::find_if(std::begin(kCountedKinds), std::end(kCountedKinds), [&](const CountedKind& one) {
        return kind == one.kind && (one.group.ends_with('/') ? api_version.starts_with(one.group)
                                                             : api_version == one.group);
      });
  return found == std::end(kCountedKinds) ? nullptr : found;
}

// Pods name it, beside whoever makes them: it counts those that start at least.
inline bool IsNamed(const CountedKind& kind) {
  return kind.by == Counted::kMinMember || kind.by == Counted::kGangPolicy;
}

}  // namespace gangplan
