// The shapes of owners, as far as facts need them: of any kind, and of a Job and a JobSet with
// their templates. Constant data. Internal to this room.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/protocol/json_shape.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_shapes.h"
#include "extender/protocol/owner_object.h"
#include "topology/base/decimal.h"
#include "topology/base/text.h"

namespace gangplan::owner_shapes {

using namespace gangplan::json;  // NOLINT: the makers are the language of this file

inline void NoteSpecFault(OwnerObjectDraft& draft, absl::Status status) {
  draft.spec_fault = std::move(status);
}
inline ObjectDraft& TemplateOf(OwnerObjectDraft& draft) { return draft.pod.emplace(); }
inline void NoteTemplateFault(OwnerObjectDraft& draft, absl::Status status) {
  draft.pod->fault = std::move(status);
}

inline ObjectDraft& ReplicatedTemplateOf(ReplicatedJobDraft& draft) { return draft.pod.emplace(); }
inline void NoteReplicatedFault(ReplicatedJobDraft& draft, absl::Status status) {
  draft.pod->fault = std::move(status);
}

inline constexpr JsonShape kParallelism =
    Integer<&OwnerObjectDraft::parallelism, 0, object_shapes::kInt32Most>();
inline constexpr JsonShape kCompletions =
    Integer<&OwnerObjectDraft::completions, 0, object_shapes::kInt32Most>();
inline constexpr JsonShape kDeadline =
    Integer<&OwnerObjectDraft::deadline, object_shapes::kInt64Least, object_shapes::kInt64Most>();
inline constexpr JsonShape kSucceeded =
    Integer<&OwnerObjectDraft::succeeded, 0, object_shapes::kInt32Most>();
inline constexpr JsonShape kFailedIndexes =
    Text<&OwnerObjectDraft::failed_indexes>(kMaxObjectBytes);
inline constexpr JsonShape kApiVersion = Text<&OwnerObjectDraft::api_version>(kMaxNameBytes);
inline constexpr JsonShape kKind = Text<&OwnerObjectDraft::kind>(kMaxNameBytes);
inline constexpr JsonShape kMetadata =
    In<&OwnerObjectDraft::metadata>(Object(object_shapes::kMetadataFields));

// --- of a template whose pods are counted: its names, and the group that it names. What is wrong
// in its spec the pods that are made of it tell.
inline void PassOverFault(ObjectDraft&, const absl::Status&) {}
inline constexpr JsonField kGroupFields[] = {
    {"schedulingGroup", Object(object_shapes::kSchedulingGroupFields)},
};
inline constexpr JsonField kNamesFields[] = {
    {"metadata", In<&ObjectDraft::metadata>(Object(object_shapes::kMetadataFields))},
    {"spec", Forgiving<&PassOverFault>(Object(kGroupFields))},
};

// --- what a JobSet has of Jobs, with the templates as a whole: one may come last
inline constexpr JsonField kTemplateFields[] = {
    {"metadata", In<&ObjectDraft::metadata>(Object(object_shapes::kMetadataFields))},
    {"spec", Object(object_shapes::kSpecFields)},
};
inline constexpr JsonField kDependencyFields[] = {
    {"name", Text<&DependencyDraft::name>(kMaxNameBytes)},
    {"status", Text<&DependencyDraft::status>(kMaxTokenBytes)},
};
inline constexpr JsonShape kDependency =
    Appended<std::vector<DependencyDraft>>(Object(kDependencyFields));
struct Replicated {
  static constexpr JsonField kSpecFields[] = {
      {"parallelism", Integer<&ReplicatedJobDraft::parallelism, 0, object_shapes::kInt32Most>()},
      {"completions", Integer<&ReplicatedJobDraft::completions, 0, object_shapes::kInt32Most>()},
      {"activeDeadlineSeconds", Integer<&ReplicatedJobDraft::deadline, object_shapes::kInt64Least,
                                        object_shapes::kInt64Most>()},
      {"template",
       Forgiving<&NoteReplicatedFault>(At<&ReplicatedTemplateOf>(Object(kTemplateFields)))},
  };
  static constexpr JsonField kJobFields[] = {
      {"metadata", In<&ReplicatedJobDraft::metadata>(Object(object_shapes::kMetadataFields))},
      {"spec", Object(kSpecFields)},
  };
  static constexpr JsonField kFields[] = {
      {"name", Text<&ReplicatedJobDraft::name>(kMaxNameBytes)},
      {"replicas", Integer<&ReplicatedJobDraft::replicas, 0, object_shapes::kInt32Most>()},
      {"dependsOn", Anew<&ReplicatedJobDraft::depends_on>(Array(kDependency, kMaxReplicatedJobs))},
      {"template", Object(kJobFields)},
  };
  static constexpr JsonShape kOne = Appended<std::vector<ReplicatedJobDraft>>(Object(kFields));
  static constexpr JsonShape kAll =
      Anew<&OwnerObjectDraft::replicated_jobs>(Array(kOne, kMaxReplicatedJobs));
};
// --- what a job of Kubeflow's has of its pods: a map by the type of the replicas
inline constexpr JsonField kReplicaSpecFields[] = {
    {"replicas", Integer<&ReplicatedJobDraft::replicas, 0, object_shapes::kInt32Most>()},
    {"template", At<&ReplicatedTemplateOf>(Object(kNamesFields))},
};
inline ReplicatedJobDraft& AddNamed(void* target, const JsonPlace& place) {
  auto& one = static_cast<std::vector<ReplicatedJobDraft>*>(target)->emplace_back();
  one.name = place.key;
  return one;
}
constexpr JsonShape NamedByKey(JsonShape shape) {
  shape.enter = [](void* target, const JsonPlace& place) -> void* {
    return &AddNamed(target, place);
  };
  return shape;
}
inline constexpr JsonShape kReplicaSpec = NamedByKey(Object(kReplicaSpecFields));
inline constexpr JsonShape kReplicaSpecs =
    Anew<&OwnerObjectDraft::replica_specs>(Map(kReplicaSpec, kMaxReplicatedJobs));

// --- an MPIJob's, with the templates as a whole: its launcher may come last
inline constexpr JsonField kMpiReplicaSpecFields[] = {
    {"replicas", Integer<&ReplicatedJobDraft::replicas, 0, object_shapes::kInt32Most>()},
    {"template",
     Forgiving<&NoteReplicatedFault>(At<&ReplicatedTemplateOf>(Object(kTemplateFields)))},
};
// Its operators make no worker where nobody says how many.
constexpr JsonShape MpiNamedByKey(JsonShape shape) {
  shape.enter = [](void* target, const JsonPlace& place) -> void* {
    ReplicatedJobDraft& one = AddNamed(target, place);
    if (one.name == "Worker") one.replicas = 0;
    return &one;
  };
  return shape;
}
inline constexpr JsonShape kMpiReplicaSpec = MpiNamedByKey(Object(kMpiReplicaSpecFields));
inline constexpr JsonShape kMpiReplicaSpecs =
    Anew<&OwnerObjectDraft::replica_specs>(Map(kMpiReplicaSpec, kMaxReplicatedJobs));

// --- what a RayCluster has of its pods
inline constexpr JsonField kHeadFields[] = {
    {"template", In<&OwnerObjectDraft::head>(Object(kNamesFields))},
};
inline constexpr JsonField kWorkerGroupFields[] = {
    {"groupName", Text<&WorkerGroupDraft::name>(kMaxNameBytes)},
    {"replicas", Integer<&WorkerGroupDraft::replicas, 0, object_shapes::kInt32Most>()},
    {"minReplicas", Integer<&WorkerGroupDraft::least, 0, object_shapes::kInt32Most>()},
    {"maxReplicas", Integer<&WorkerGroupDraft::most, 0, object_shapes::kInt32Most>()},
    {"numOfHosts", Integer<&WorkerGroupDraft::hosts, 0, object_shapes::kInt32Most>()},
    {"suspend", Boolean<&WorkerGroupDraft::suspended>()},
    {"template", In<&WorkerGroupDraft::pod>(Object(kNamesFields))},
};
inline constexpr JsonShape kWorkerGroup =
    Appended<std::vector<WorkerGroupDraft>>(Object(kWorkerGroupFields));
inline constexpr JsonShape kWorkerGroups =
    Anew<&OwnerObjectDraft::worker_groups>(Array(kWorkerGroup, kMaxReplicatedJobs));

// --- of a PodGroup: that it says where its pods go
inline OwnerObjectDraft& NoteNetworkTopology(OwnerObjectDraft& draft) {
  draft.own_rules = "spec.networkTopology";
  return draft;
}
inline OwnerObjectDraft& NoteSubGroups(OwnerObjectDraft& draft) {
  draft.own_rules = "spec.subGroupPolicy";
  return draft;
}
inline OwnerObjectDraft& NoteConstraints(OwnerObjectDraft& draft) {
  draft.own_rules = "spec.schedulingConstraints";
  return draft;
}
inline void NoteMinFault(OwnerObjectDraft& draft, absl::Status status) {
  draft.min_fault = std::move(status);
}
inline absl::Status NoteTaskMinimum(std::vector<int64_t>& minima, std::string_view,
                                    std::string_view number) {
  const std::optional<int32_t> least = ReadDecimal<int32_t>(number);
  if (!least || *least < 0) return Invalid("expected a whole number from 0 on");
  minima.push_back(*least);
  return absl::OkStatus();
}
inline constexpr JsonShape kTaskMinimum = MapQuantityFor<&NoteTaskMinimum>(kMaxTokenBytes);
inline constexpr JsonField kAnyFields[] = {{"", JsonShape()}};
inline constexpr JsonShape kConstraint = At<&NoteConstraints>(Object(kAnyFields));
inline constexpr JsonShape kSubGroup = At<&NoteSubGroups>(Object(kAnyFields));
inline constexpr JsonField kConstraintFields[] = {{"topology", Array(kConstraint, kMaxListItems)}};

// --- of one of kube-scheduler's own
inline constexpr JsonField kGangFields[] = {
    {"minCount", Integer<&OwnerObjectDraft::min_count, 0, object_shapes::kInt32Most>()},
};
inline constexpr JsonField kPolicyFields[] = {{"gang", Object(kGangFields)}};

// --- of a StatefulSet
inline constexpr JsonField kOrdinalsFields[] = {
    {"start", Integer<&OwnerObjectDraft::first_ordinal, 0, object_shapes::kInt32Most>()},
};

inline constexpr JsonField kStartupFields[] = {
    {"startupPolicyOrder", Text<&OwnerObjectDraft::startup_order>(kMaxTokenBytes)},
};
inline constexpr JsonShape kStartup = Object(kStartupFields);

// --- any owner: its spec is another for each kind, so what is wrong in it only matters when the
// kind is one that we read
inline constexpr JsonField kSizeFields[] = {
    {"parallelism", kParallelism},
    {"completions", kCompletions},
    {"activeDeadlineSeconds", kDeadline},
    {"replicas", Integer<&OwnerObjectDraft::replicas, 0, object_shapes::kInt32Most>()},
    {"podManagementPolicy", Text<&OwnerObjectDraft::pod_management>(kMaxTokenBytes)},
    {"ordinals", Object(kOrdinalsFields)},
    {"replicatedJobs", Replicated::kAll},
    {"startupPolicy", kStartup},
    {"pytorchReplicaSpecs", kReplicaSpecs},
    {"tfReplicaSpecs", kReplicaSpecs},
    {"xgbReplicaSpecs", kReplicaSpecs},
    {"paddleReplicaSpecs", kReplicaSpecs},
    {"jaxReplicaSpecs", kReplicaSpecs},
    {"mpiReplicaSpecs", kMpiReplicaSpecs},
    {"launcherCreationPolicy", Text<&OwnerObjectDraft::launcher_policy>(kMaxTokenBytes)},
    {"headGroupSpec", Object(kHeadFields)},
    {"workerGroupSpecs", kWorkerGroups},
    {"minMember", Integer<&OwnerObjectDraft::min_member, 0, object_shapes::kInt32Most>()},
    {"schedulingPolicy", Object(kPolicyFields)},
    {"minTaskMember", Forgiving<&NoteMinFault>(Anew<&OwnerObjectDraft::task_minima>(
                          Map(kTaskMinimum, kMaxReplicatedJobs)))},
    {"networkTopology", At<&NoteNetworkTopology>(Object(kAnyFields))},
    {"subGroupPolicy", Array(kSubGroup, kMaxListItems)},
    {"schedulingConstraints", Object(kConstraintFields)},
    {"minResources",
     Forgiving<&NoteMinFault>(In<&OwnerObjectDraft::min_resources>(object_shapes::kRequestedMap))},
    {"scheduleTimeoutSeconds",
     Integer<&OwnerObjectDraft::patience, object_shapes::kInt32Least, object_shapes::kInt32Most>()},
};
inline constexpr JsonField kDoneFields[] = {
    {"succeeded", kSucceeded},
    {"failedIndexes", kFailedIndexes},
};
inline constexpr JsonField kOwnerFields[] = {
    {"apiVersion", kApiVersion},
    {"kind", kKind},
    {"metadata", kMetadata},
    {"spec", Forgiving<&NoteSpecFault>(Object(kSizeFields))},
    {"status", Forgiving<&NoteSpecFault>(Object(kDoneFields))},
};
// Target: an OwnerObjectDraft.
inline constexpr JsonShape kOwner = Object(kOwnerFields);

// --- a Job or a JobSet, or the Status of a watch
inline constexpr JsonField kJobSpecFields[] = {
    {"parallelism", kParallelism},
    {"completions", kCompletions},
    {"activeDeadlineSeconds", kDeadline},
    {"suspend", Boolean<&OwnerObjectDraft::suspended>()},
    {"replicatedJobs", Replicated::kAll},
    {"startupPolicy", kStartup},
    {"template", Forgiving<&NoteTemplateFault>(At<&TemplateOf>(Object(kTemplateFields)))},
};
inline constexpr JsonField kReplicatedStatusFields[] = {
    {"name", Text<&ReplicatedJobStatusDraft::name>(kMaxNameBytes)},
    {"suspended", Integer<&ReplicatedJobStatusDraft::suspended, 0, object_shapes::kInt32Most>()},
    {"active", Integer<&ReplicatedJobStatusDraft::active, 0, object_shapes::kInt32Most>()},
    {"succeeded", Integer<&ReplicatedJobStatusDraft::succeeded, 0, object_shapes::kInt32Most>()},
    {"failed", Integer<&ReplicatedJobStatusDraft::failed, 0, object_shapes::kInt32Most>()},
};
inline constexpr JsonShape kReplicatedStatus =
    Appended<std::vector<ReplicatedJobStatusDraft>>(Object(kReplicatedStatusFields));
inline constexpr JsonField kJobStatusFields[] = {
    {"succeeded", kSucceeded},
    {"failedIndexes", kFailedIndexes},
    {"active", Integer<&OwnerObjectDraft::active, 0, object_shapes::kInt32Most>()},
    {"startTime", Text<&OwnerObjectDraft::start_time>(kMaxTokenBytes)},
    {"restarts", Integer<&OwnerObjectDraft::restarts, 0, object_shapes::kInt32Most>()},
    {"replicatedJobsStatus", Anew<&OwnerObjectDraft::replicated_job_statuses>(
                                 Array(kReplicatedStatus, kMaxReplicatedJobs))},
    {"conditions",
     Anew<&OwnerObjectDraft::conditions>(Array(object_shapes::kCondition, kMaxConditions))},
};
inline constexpr JsonField kJobFields[] = {
    {"apiVersion", kApiVersion},
    {"kind", kKind},
    {"metadata", kMetadata},
    {"spec", Object(kJobSpecFields)},
    {"status", Object(kJobStatusFields)},
    {"message", Text<&OwnerObjectDraft::message>(kMaxMessageBytes)},
    {"code",
     Integer<&OwnerObjectDraft::code, object_shapes::kInt32Least, object_shapes::kInt32Most>()},
};
// Target: an OwnerObjectDraft.
inline constexpr JsonShape kWaiting = Object(kJobFields);

}  // namespace gangplan::owner_shapes
