#include "extender/protocol/owner_object.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/template_requests.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kTemplatePath = "spec.template";

bool IsJob(const OwnerObjectDraft& draft) {
  return draft.kind == "Job" && draft.api_version.substr(0, 6) == "batch/";
}

OwnerFacts TakeFacts(OwnerObjectDraft& draft) {
  OwnerFacts owner;
  if (IsJob(draft)) {
    const int64_t parallelism = draft.parallelism.value_or(1);
    owner.size = std::min(parallelism, draft.completions.value_or(parallelism));
    const int64_t succeeded = draft.succeeded.value_or(0);
    if (draft.completions) owner.left = std::max<int64_t>(*draft.completions - succeeded, 0);
  }
  owner.ref = {std::string(draft.api_version), std::string(draft.kind),
               std::move(draft.metadata.name), std::move(draft.metadata.uid)};
  owner.ns = std::move(draft.metadata.ns);
  owner.labels = TakeLabels(draft.metadata.labels);
  owner.annotations = TakeLabels(draft.metadata.annotations);
  return owner;
}

absl::Status CheckJob(const OwnerObjectDraft& draft) {
  if (!draft.kind.empty() && draft.kind != "Job") {
    return Invalid("expected kind Job, found {}", Shown(draft.kind));
  }
  if (!draft.api_version.empty() && draft.api_version != "batch/v1") {
    return Invalid("expected apiVersion batch/v1, found {}", Shown(draft.api_version));
  }
  if (draft.metadata.name.empty()) return Invalid("metadata.name is missing");
  if (draft.metadata.uid.empty()) return Invalid("metadata.uid is missing");
  return absl::OkStatus();
}

// Also of one whose last pods are just ending.
bool IsFinished(const OwnerObjectDraft& draft) {
  constexpr std::string_view kEnds[] = {"Complete", "Failed", "FailureTarget",
                                        "SuccessCriteriaMet"};
  return std::any_of(
      draft.conditions.begin(), draft.conditions.end(), [&](const ConditionDraft& one) {
        return one.status == "True" &&
               std::find(std::begin(kEnds), std::end(kEnds), one.type) != std::end(kEnds);
      });
}

// What is wrong in the template, its place seen from the Job. The walk's own words name the place
// from the list or the line on.
std::string TemplateFault(const ObjectDraft& pod, const std::string& told) {
  if (pod.fault.ok()) return fmt::format("{}: {}", kTemplatePath, told);
  return told.substr(std::min(told.find(kTemplatePath), told.size()));
}

// The labels that a Job's pods have for their Job stand in its template: the API server writes them
// there. What admission adds when a pod is made of it is in `needs`. A node that is written there
// would be chosen by no scheduler.
PodFacts TakeTemplate(OwnerObjectDraft& draft, const OwnerFacts& owner, TemplateNeeds& needs) {
  if (!draft.pod) draft.pod.emplace();
  ObjectDraft& pod = *draft.pod;
  LabelSet labels = std::move(pod.metadata.labels);
  LabelSet annotations = std::move(pod.metadata.annotations);
  pod.metadata = {};
  pod.metadata.ns = owner.ns;
  pod.metadata.name = owner.ref.name;
  pod.metadata.labels = std::move(labels);
  pod.metadata.annotations = std::move(annotations);
  const bool placed = !std::exchange(pod.node_name, {}).empty();
  if (placed && pod.fault.ok())
    pod.fault =
        Invalid("{}.spec.nodeName: is set; expected the scheduler to choose", kTemplatePath);
  const bool empty = pod.requests.containers.empty();
  needs = NeedsOf(pod.requests);
  needs.runtime_class = std::string(pod.runtime_class);
  needs.priority_class = std::string(pod.priority_class);
  PodFacts facts = TakeNamedPod(pod);
  facts.controller = owner.ref;
  if (empty && facts.fault.empty()) facts.fault = "spec.containers is missing";
  if (!facts.fault.empty()) facts.fault = TemplateFault(pod, facts.fault);
  return facts;
}

}  // namespace

absl::StatusOr<OwnerFacts> TakeOwner(OwnerObjectDraft& draft) {
  if (draft.kind.empty()) return Invalid("kind is missing");
  if (draft.metadata.name.empty()) return Invalid("metadata.name is missing");
  if (IsJob(draft)) GANGPLAN_RETURN_IF_ERROR(draft.spec_fault);
  return TakeFacts(draft);
}

absl::StatusOr<JobFacts> TakeJob(OwnerObjectDraft& draft) {
  GANGPLAN_RETURN_IF_ERROR(CheckJob(draft));
  draft.api_version = "batch/v1";
  draft.kind = "Job";
  if (draft.metadata.ns.empty()) draft.metadata.ns = kDefaultNamespace;
  JobFacts job;
  job.resource_version = std::move(draft.metadata.resource_version);
  job.suspended = draft.suspended;
  job.terminating = draft.metadata.terminating;
  job.finished = IsFinished(draft);
  job.owner = TakeFacts(draft);
  job.pod = TakeTemplate(draft, job.owner, job.needs);
  return job;
}

}  // namespace gangplan
