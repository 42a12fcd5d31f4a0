// An object that makes pods while it is read: of any kind its metadata, of a Job and a JobSet also
// how many pods it has; and of one that waits its templates, as the pods that it would make.
// Internal to this room. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/protocol/object_draft.h"
#include "topology/job_facts.h"
#include "topology/owner_kinds.h"

namespace gangplan {

// On another replicated Job, before which this one is not made.
struct DependencyDraft {
  std::string_view name;
  std::string_view status;
};

struct ReplicatedJobDraft {
  std::string name;
  int64_t replicas = 1;
  std::vector<DependencyDraft> depends_on;
  MetadataDraft metadata;  // of its Jobs
  std::optional<int64_t> parallelism;
  std::optional<int64_t> completions;
  int64_t deadline = 0;            // 0: none
  std::optional<ObjectDraft> pod;  // as OwnerObjectDraft::pod
};

// Of a RayCluster.
struct WorkerGroupDraft {
  std::string name;
  std::optional<int64_t> replicas;
  int64_t least = 0;
  std::optional<int64_t> most;
  int64_t hosts = 1;  // pods of one replica
  bool suspended = false;
  ObjectDraft pod;  // its template's metadata and scheduling group
};

struct ReplicatedJobStatusDraft {
  std::string_view name;
  int64_t suspended = 0;
  int64_t active = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
};

struct OwnerObjectDraft {
  std::string_view api_version;
  std::string_view kind;
  MetadataDraft metadata;
  std::optional<int64_t> parallelism;
  std::optional<int64_t> completions;
  int64_t deadline = 0;  // 0: none
  std::optional<int64_t> succeeded;
  std::string_view failed_indexes;  // for good: "1,3-5"
  int64_t first_ordinal = 0;        // of a StatefulSet
  std::optional<int64_t> replicas;
  std::string_view pod_management;  // of a StatefulSet
  int64_t active = 0;               // of its pods, or of a JobSet's Jobs by replicated_job_statuses
  std::string_view start_time;
  // What is wrong in the spec or the status of an owner, which may be of a kind that we do not
  // read, and elsewhere in it. A Job or a JobSet that is read as such is refused by the walk.
  absl::Status spec_fault;
  absl::Status fault;
  bool suspended = false;
  std::vector<ConditionDraft> conditions;
  std::optional<ObjectDraft> pod;  // the template; its fault is what is wrong in it
  // Kubeflow's jobs, by the type of the replicas.
  std::vector<ReplicatedJobDraft> replica_specs;
  std::string_view launcher_policy;
  // RayCluster
  ObjectDraft head;  // its template's metadata and scheduling group
  std::vector<WorkerGroupDraft> worker_groups;
  // PodGroup
  std::optional<int64_t> min_member;
  absl::Status min_fault;            // of its minResources
  std::optional<int64_t> min_count;  // of kube-scheduler's own
  AmountDraft min_resources;
  std::optional<int64_t> patience;
  std::string_view own_rules;  // the field that says where its pods go, in its kind's own words
  std::vector<int64_t> task_minima;  // of Volcano's, how many of each task start at least
  // JobSet
  std::vector<ReplicatedJobDraft> replicated_jobs;
  std::vector<ReplicatedJobStatusDraft> replicated_job_statuses;
  std::string_view startup_order;
  int64_t restarts = 0;
  // Status, the object of a watch's error.
  std::string_view message;
  int32_t code = 0;
};

// Owners of this kind say how many pods they have, in a form that is read.
bool TellsSize(const OwnerRef& owner);
// Likewise, or at least how many start.
bool TellsSizeOrLeast(const OwnerRef& owner);
std::vector<std::string_view> KindsThatTellSizeOrLeast();
// Whatever is wrong in it, where it says which object it is: see OwnerFacts::fault.
absl::StatusOr<OwnerFacts> TakeOwner(OwnerObjectDraft& draft);
// Of one of this kind that may lack apiVersion and kind, as in a list. An error, which leaves the
// draft as it is, when it does not tell which object it is.
absl::StatusOr<JobFacts> TakeWaiting(OwnerObjectDraft& draft, const OwnerKind& kind);

}  // namespace gangplan
