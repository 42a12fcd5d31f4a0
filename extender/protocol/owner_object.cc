#include "extender/protocol/owner_object.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "extender/protocol/counted_kinds.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/kueue_words.h"
#include "extender/protocol/object_steps.h"
#include "extender/protocol/owner_template.h"
#include "extender/protocol/pod_group_counts.h"
#include "topology/base/decimal.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kTemplatePath = "spec.template";

// A StatefulSet that is not told otherwise makes its next pod when the one before is ready.
void TakeReplicas(const OwnerObjectDraft& draft, OwnerFacts& owner) {
  owner.size = draft.replicas.value_or(1);
  owner.in_order = draft.kind == "StatefulSet" && draft.pod_management != "Parallel";
  owner.first_index = draft.first_ordinal;
}

void TakeWords(const ObjectDraft& pod, OwnerPodSet& set) {
  LabelSet labels = pod.metadata.labels;
  LabelSet annotations = pod.metadata.annotations;
  set.labels = TakeLabels(labels);
  set.annotations = TakeLabels(annotations);
  set.in_scheduling_group = !pod.scheduling_group.empty();
}

// Their pods are labelled by the type in small letters. A type without any may have some later.
void TakeReplicaSpecs(const OwnerObjectDraft& draft, OwnerFacts& owner) {
  for (const ReplicatedJobDraft& one : draft.replica_specs) {
    OwnerPodSet& set = owner.pod_sets.emplace_back();
    for (char c : one.name) set.name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    set.each = one.replicas;
    if (one.pod) TakeWords(*one.pod, set);
  }
}

// As its operator counts them. A group without workers may have some later.
int64_t WorkersOf(const WorkerGroupDraft& group) {
  if (group.suspended) return 0;
  const int64_t wanted = std::max(group.replicas.value_or(0), group.least);
  return std::min(wanted, group.most.value_or(wanted)) * std::max<int64_t>(group.hosts, 1);
}

// Their pods are labelled by these names.
void TakeWorkerGroups(const OwnerObjectDraft& draft, OwnerFacts& owner) {
  OwnerPodSet& head = owner.pod_sets.emplace_back();
  head.name = kRayHead;
  TakeWords(draft.head, head);
  for (const WorkerGroupDraft& group : draft.worker_groups) {
    OwnerPodSet& set = owner.pod_sets.emplace_back();
    set.name = group.name;
    set.each = WorkersOf(group);
    TakeWords(group.pod, set);
  }
}

int64_t PodsAtOnce(const std::optional<int64_t>& parallelism,
                   const std::optional<int64_t>& completions) {
  const int64_t pods = parallelism.value_or(1);
  return std::min(pods, completions.value_or(pods));
}

// What is said twice counts as the pods say it.
LabelSet Over(LabelSet job, const LabelSet& pod) {
  job.insert(job.end(), pod.begin(), pod.end());
  return TakeLabels(job);
}

OwnerPodSet PodSetOf(const ReplicatedJobDraft& draft) {
  const MetadataDraft none;
  const MetadataDraft& pod = draft.pod ? draft.pod->metadata : none;
  OwnerPodSet set{draft.name,
                  draft.replicas,
                  PodsAtOnce(draft.parallelism, draft.completions),
                  Over(draft.metadata.labels, pod.labels),
                  Over(draft.metadata.annotations, pod.annotations),
                  InSeconds(draft.deadline)};
  set.in_scheduling_group = draft.pod && !draft.pod->scheduling_group.empty();
  return set;
}

// Its only pod is made when those of others are ready, who may start without it.
bool ComesLast(const ReplicatedJobDraft& one) {
  const auto& others = one.depends_on;
  return !others.empty() && PodSetOf(one).size() == 1 &&
         std::all_of(others.begin(), others.end(),
                     [](const DependencyDraft& other) { return other.status == "Ready"; });
}

void TakePodSets(OwnerObjectDraft& draft, OwnerFacts& owner) {
  owner.in_order = draft.startup_order == "InOrder";
  for (const ReplicatedJobDraft& one : draft.replicated_jobs) {
    owner.in_order = owner.in_order || !(one.depends_on.empty() || ComesLast(one));
    OwnerPodSet set = PodSetOf(one);
    if (set.size() > 0) owner.pod_sets.push_back(std::move(set));
  }
}

// How many "1,3-5" are, as the Job's controller writes them: rising. What is none counts for none.
int64_t CountIndexes(std::string_view text) {
  int64_t count = 0;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const size_t dash = one.find('-');
    const std::optional<int32_t> first = ReadDecimal<int32_t>(one.substr(0, dash));
    const std::optional<int32_t> last =
        dash == std::string_view::npos ? first : ReadDecimal<int32_t>(one.substr(dash + 1));
    if (first && last && *first >= 0 && *last >= *first) count += int64_t{*last} - *first + 1;
  }
  return count;
}

// An index that has failed for good has no pod any more, whatever `completions` says.
void TakeJob(const OwnerObjectDraft& draft, OwnerFacts& owner) {
  owner.size = PodsAtOnce(draft.parallelism, draft.completions);
  owner.deadline = InSeconds(draft.deadline);
  const int64_t done = draft.succeeded.value_or(0) + CountIndexes(draft.failed_indexes);
  if (draft.completions) owner.left = std::max<int64_t>(*draft.completions - done, 0);
}

void TakeCounts(Counted by, OwnerObjectDraft& draft, OwnerFacts& owner) {
  switch (by) {
    case Counted::kReplicas:
      return TakeReplicas(draft, owner);
    case Counted::kReplicaSpecs:
      return TakeReplicaSpecs(draft, owner);
    case Counted::kWorkerGroups:
      return TakeWorkerGroups(draft, owner);
    case Counted::kMinMember:
      return TakeMinMember(draft, owner);
    case Counted::kGangPolicy:
      return TakeGangPolicy(draft, owner);
    case Counted::kReplicatedJobs:
      return TakePodSets(draft, owner);
    case Counted::kPods:
      return TakeJob(draft, owner);
  }
}

absl::Status Check(const OwnerObjectDraft& draft, const OwnerKind& kind) {
  if (!draft.kind.empty() && draft.kind != kind.kind) {
    return Invalid("expected kind {}, found {}", kind.kind, Shown(draft.kind));
  }
  if (!draft.api_version.empty() && draft.api_version != kind.api_version) {
    return Invalid("expected apiVersion {}, found {}", kind.api_version, Shown(draft.api_version));
  }
  if (draft.metadata.name.empty()) return Invalid("metadata.name is missing");
  if (draft.metadata.uid.empty()) return Invalid("metadata.uid is missing");
  return absl::OkStatus();
}

// Also of one whose last pods are just ending.
bool IsFinished(const OwnerObjectDraft& draft) {
  constexpr std::string_view kEnds[] = {"Complete", "Completed", "Failed", "FailureTarget",
                                        "SuccessCriteriaMet"};
  return std::any_of(
      draft.conditions.begin(), draft.conditions.end(), [&](const ConditionDraft& one) {
        return one.status == "True" &&
               std::find(std::begin(kEnds), std::end(kEnds), one.type) != std::end(kEnds);
      });
}

// Null: it has none.
const ConditionDraft* SuspendedOf(const OwnerObjectDraft& draft) {
  const auto& all = draft.conditions;
  const auto found = std::find_if(
      all.begin(), all.end(), [](const ConditionDraft& one) { return one.type == "Suspended"; });
  return found == all.end() ? nullptr : &*found;
}

// As its controller tells: the condition says what it has seen last, and one that has none was
// never suspended while it ran.
bool IsStopped(const OwnerObjectDraft& draft) {
  const ConditionDraft* suspended = SuspendedOf(draft);
  const bool seen = suspended == nullptr ? draft.start_time.empty() : suspended->status == "True";
  const auto& sets = draft.replicated_job_statuses;
  return seen && draft.active == 0 &&
         std::all_of(sets.begin(), sets.end(), [](const auto& one) { return one.active == 0; });
}

int64_t SuspendedSince(const OwnerObjectDraft& draft) {
  const ConditionDraft* suspended = SuspendedOf(draft);
  if (suspended == nullptr || suspended->status != "True") return 0;
  return object_steps::ReadTimestamp(suspended->since);
}

// What the pods of a Job are labelled with, for a Job that the API server has not seen yet.
LabelSet LabelsForJob(const OwnerRef& job) {
  LabelSet labels;
  for (const std::string_view prefix : {"", "batch.kubernetes.io/"}) {
    labels.emplace_back(fmt::format("{}job-name", prefix), job.name);
    labels.emplace_back(fmt::format("{}controller-uid", prefix), job.uid);
  }
  return labels;
}

// Those that all Jobs of a replicated Job have alike, but for how often they were made anew.
LabelSet LabelsForJobSet(const OwnerRef& owner, const ReplicatedJobDraft& one) {
  return {{std::string(kJobSetName), owner.name},
          {std::string(kJobSetUid), owner.uid},
          {std::string(kReplicatedJob), one.name},
          {std::string(kReplicatedJobReplicas), fmt::format("{}", one.replicas)}};
}

// The template of a replicated Job, of which its labels, and its Job, are as the JobSet's
// controller would make them.
PodFacts TakeReplicated(const OwnerObjectDraft& draft, size_t index, const OwnerFacts& owner,
                        const LabelSet& labels, std::optional<ObjectDraft>& pod,
                        TemplateNeeds& needs) {
  const std::string path = fmt::format("spec.replicatedJobs[{}].template.{}", index, kTemplatePath);
  PodFacts facts = TakeTemplate(pod, owner, path, needs, labels);
  for (const auto& [key, value] : labels) SetLabel(facts.labels, key, value);
  facts.controller =
      OwnerRef{std::string(kJobKind.api_version), std::string(kJobKind.kind),
               fmt::format("{}-{}-0", owner.ref.name, draft.replicated_jobs[index].name), ""};
  return facts;
}

// An MPIJob makes its launcher by a Job of its own.
std::optional<OwnerRef> MpiJobOf(const MetadataDraft& metadata) {
  std::optional<OwnerRef> maker = Controller(metadata);
  const bool mpi = maker && maker->kind == kMpiJobKind &&
                   maker->api_version.substr(0, kMpiJobGroup.size()) == kMpiJobGroup;
  return mpi ? maker : std::nullopt;
}

// Who has made it is a pod: LeaderWorkerSets have their workers made so.
std::string LeaderOf(const MetadataDraft& metadata) {
  const std::optional<OwnerRef> maker = Controller(metadata);
  const bool pod = maker && maker->kind == "Pod" && maker->api_version == "v1";
  return pod ? maker->uid : std::string();
}

// The MPI operator's: its launcher comes when the workers are ready, who may not wait for it. What
// admission completes of its template is not known before.
void TakeLast(OwnerObjectDraft& draft, OwnerFacts& owner) {
  for (ReplicatedJobDraft& one : draft.replica_specs) {
    if (one.name != "Launcher") continue;
    for (OwnerPodSet& set : owner.pod_sets) {
      if (set.name != kMpiLauncher || set.each != 1) continue;
      TemplateNeeds needs;
      set.last = TakeTemplate(one.pod, owner, "spec.mpiReplicaSpecs[Launcher].template", needs, {});
      SetLabel(set.last->labels, kMpiJobRole, std::string(kMpiLauncher));
    }
  }
}

// A JobSet's. The template is kept: of one that waits it is read with the others.
void TakeLastJobs(const OwnerObjectDraft& draft, OwnerFacts& owner) {
  for (size_t i = 0; i < draft.replicated_jobs.size(); ++i) {
    const ReplicatedJobDraft& one = draft.replicated_jobs[i];
    if (!ComesLast(one)) continue;
    for (OwnerPodSet& set : owner.pod_sets) {
      if (set.name != one.name) continue;
      TemplateNeeds needs;
      std::optional<ObjectDraft> pod = one.pod;
      set.last = TakeReplicated(draft, i, owner, LabelsForJobSet(owner.ref, one), pod, needs);
    }
  }
}

OwnerFacts TakeFacts(OwnerObjectDraft& draft) {
  OwnerFacts owner;
  const CountedKind* kind = FindCountedKind(draft.api_version, draft.kind);
  if (kind != nullptr && draft.spec_fault.ok()) {
    TakeCounts(kind->by, draft, owner);
    if (IsNamed(*kind)) owner.unmet = UnmetRules(draft);
  } else if (kind != nullptr) {
    owner.fault = Message(draft.spec_fault);
  }
  if (!draft.fault.ok()) {
    owner.unread = Unread::kFaulty;
    owner.fault = Message(draft.fault);
  }
  if (IsOf(draft, kJobKind)) owner.part_of = MpiJobOf(draft.metadata);
  owner.leader = LeaderOf(draft.metadata);
  owner.ref = {std::string(draft.api_version), std::string(draft.kind),
               std::move(draft.metadata.name), std::move(draft.metadata.uid)};
  owner.ns = std::move(draft.metadata.ns);
  owner.created = draft.metadata.created;
  owner.labels = TakeLabels(draft.metadata.labels);
  owner.annotations = TakeLabels(draft.metadata.annotations);
  const bool by_role = kind != nullptr && kind->part_label == kMpiJobRole;
  if (by_role && draft.launcher_policy == kLauncherLast) TakeLast(draft, owner);
  if (!owner.in_order) TakeLastJobs(draft, owner);
  return owner;
}

void TakeReplicatedTemplates(OwnerObjectDraft& draft, JobFacts& job) {
  for (size_t i = 0; i < draft.replicated_jobs.size(); ++i) {
    ReplicatedJobDraft& one = draft.replicated_jobs[i];
    if (PodSetOf(one).size() == 0) continue;
    LabelSet labels = LabelsForJobSet(job.owner.ref, one);
    labels.emplace_back(kRestartAttempt, fmt::format("{}", draft.restarts));
    job.pods.push_back(
        TakeReplicated(draft, i, job.owner, labels, one.pod, job.needs.emplace_back()));
  }
}

// A CronJob makes Jobs and leaves them to themselves.
std::string ManagerOf(const MetadataDraft& metadata) {
  const std::optional<OwnerRef> controller = Controller(metadata);
  if (controller && controller->kind != "CronJob")
    return fmt::format("its controller, {} {}", controller->kind, controller->name);
  const auto& labels = metadata.labels;
  const bool queued = std::any_of(labels.begin(), labels.end(),
                                  [](const auto& one) { return one.first == kKueueQueueLabel; });
  return queued ? "Kueue" : "";
}

void TakeProgress(const OwnerObjectDraft& draft, JobFacts& job) {
  for (const ReplicatedJobDraft& one : draft.replicated_jobs) {
    const auto& statuses = draft.replicated_job_statuses;
    const auto status = std::find_if(statuses.begin(), statuses.end(),
                                     [&](const auto& told) { return told.name == one.name; });
    const bool told = status != statuses.end();
    job.ready = job.ready && (told ? status->suspended : 0) == one.replicas;
    job.begun = job.begun || (told && status->succeeded + status->failed > 0);
  }
}

}  // namespace

bool TellsSize(const OwnerRef& owner) {
  const CountedKind* kind = FindCountedKind(owner.api_version, owner.kind);
  return kind != nullptr && !IsNamed(*kind);
}

bool TellsSizeOrLeast(const OwnerRef& owner) {
  return FindCountedKind(owner.api_version, owner.kind) != nullptr;
}

std::vector<std::string_view> KindsThatTellSizeOrLeast() {
  std::vector<std::string_view> kinds;
  for (const CountedKind& one : kCountedKinds) {
    if (std::find(kinds.begin(), kinds.end(), one.kind) == kinds.end()) kinds.push_back(one.kind);
  }
  return kinds;
}

absl::StatusOr<OwnerFacts> TakeOwner(OwnerObjectDraft& draft) {
  const bool named = !draft.kind.empty() && !draft.metadata.name.empty();
  if (!named && !draft.fault.ok()) return draft.fault;
  if (draft.kind.empty()) return Invalid("kind is missing");
  if (draft.metadata.name.empty()) return Invalid("metadata.name is missing");
  return TakeFacts(draft);
}

absl::StatusOr<JobFacts> TakeWaiting(OwnerObjectDraft& draft, const OwnerKind& kind) {
  GANGPLAN_RETURN_IF_ERROR(Check(draft, kind));
  draft.api_version = kind.api_version;
  draft.kind = kind.kind;
  if (draft.metadata.ns.empty()) draft.metadata.ns = kDefaultNamespace;
  JobFacts job;
  job.resource_version = std::move(draft.metadata.resource_version);
  job.suspended = draft.suspended;
  job.suspended_since = SuspendedSince(draft);
  job.terminating = draft.metadata.terminating;
  job.finished = IsFinished(draft);
  job.stopped = IsStopped(draft);
  job.managed_by = ManagerOf(draft.metadata);
  job.owner = TakeFacts(draft);
  if (kind.pins_own_template) {
    job.pods.push_back(TakeTemplate(draft.pod, job.owner, kTemplatePath, job.needs.emplace_back(),
                                    LabelsForJob(job.owner.ref)));
  } else {
    TakeReplicatedTemplates(draft, job);
    TakeProgress(draft, job);
  }
  return job;
}

}  // namespace gangplan
