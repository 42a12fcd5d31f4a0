#include "extender/kube/jobs_of_set.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "extender/kube/answers.h"
#include "extender/kube/bodies.h"
#include "extender/kube/limits.h"
#include "extender/kube/merge_patch.h"
#include "extender/kube/pages.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/jobset_words.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

absl::StatusOr<std::vector<JobFacts>> ListJobs(Transport& transport, const JobWrite& write,
                                               const CallTools& tools) {
  const std::string label = fmt::format("{}={}", kJobSetUid, write.job.uid);
  const PagedList list = {JobPath(write.ns, ""), "&labelSelector=" + PercentEncode(label),
                          "listing the Jobs of a JobSet", kJobPageItems};
  std::vector<JobFacts> jobs;
  const auto take = [&](std::string& text) -> absl::StatusOr<std::string> {
    GANGPLAN_ASSIGN_OR_RETURN(ObjectList listed, DecodeList(text, kJobKind.kind));
    for (JobFacts& job : listed.jobs) jobs.push_back(std::move(job));
    return std::move(listed.continue_token);
  };
  GANGPLAN_RETURN_IF_ERROR(EachPage(transport, list, tools, take));
  return jobs;
}

std::string_view LabelOf(const JobFacts& job, std::string_view key) {
  const std::string* value = FindLabel(job.owner.labels, key);
  return value == nullptr ? std::string_view() : *value;
}

// The JobSet has made it, for this template, and it still makes pods.
bool IsOf(const JobFacts& job, const JobWrite& write, const TemplateTerms& terms) {
  const std::string_view index = LabelOf(job, kJobSetJobIndex);
  return LabelOf(job, kReplicatedJob) == terms.name && !job.terminating && !job.finished &&
         job.owner.ref.name == fmt::format("{}-{}-{}", write.job.name, terms.name, index);
}

bool Has(const JobFacts& job, const std::vector<NodeSelectorTerm>& terms) {
  const PodFacts& pod = job.pods.front();
  if (!pod.fault.empty()) return false;
  return pod.filter.required_terms.value_or(std::vector<NodeSelectorTerm>()) == terms;
}

// Aborted: it is of another version by now.
absl::Status WriteTerms(Transport& transport, const JobFacts& job, const TemplateTerms& terms,
                        const CallTools& tools) {
  const OwnerRef& ref = job.owner.ref;
  absl::Duration asked;
  const absl::Status written = PatchOnce(transport, JobPath(job.owner.ns, ref.name),
                                         TermsBody(ref.uid, job.resource_version, terms.required),
                                         "writing a Job of a JobSet", tools, &asked);
  if (!RefusesTemplate(written)) return written;
  const absl::Status taken =
      TakeStartTime(transport, job.owner.ns, ref, job.resource_version, tools);
  if (absl::IsFailedPrecondition(taken)) return written;
  GANGPLAN_RETURN_IF_ERROR(taken);
  return absl::AbortedError("its start time had to be taken away");
}

// Those that need it; none before all are there.
absl::Status WriteAll(Transport& transport, const JobWrite& write,
                      const std::vector<JobFacts>& jobs, const CallTools& tools) {
  std::vector<std::pair<const JobFacts*, const TemplateTerms*>> wrong;
  for (const TemplateTerms& terms : write.templates) {
    int64_t suspended = 0;
    for (const JobFacts& job : jobs) {
      if (!IsOf(job, write, terms)) continue;
      suspended += static_cast<int64_t>(job.suspended);
      if (!Has(job, terms.required)) wrong.emplace_back(&job, &terms);
    }
    if (suspended < terms.jobs) {
      return absl::UnavailableError(ToAbsl(fmt::format(
          "{} of the {} Jobs of {} are there and suspended", suspended, terms.jobs, terms.name)));
    }
  }
  for (const auto& [job, terms] : wrong) {
    if (!job->suspended)
      return absl::UnavailableError(
          ToAbsl(fmt::format("Job {} is not suspended yet", job->owner.ref.name)));
    GANGPLAN_RETURN_IF_ERROR(WriteTerms(transport, *job, *terms, tools));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JobFacts> ReadOwner(Transport& transport, const OwnerKind& kind,
                                   const JobWrite& write, const CallTools& tools) {
  const std::string what = fmt::format("reading a {}", kind.kind);
  GANGPLAN_ASSIGN_OR_RETURN(HttpResponse answer,
                            SendPatiently(transport,
                                          {.target = KindPath(kind, write.ns, write.job.name),
                                           .read_timeout = tools.read_timeout},
                                          tools));
  GANGPLAN_RETURN_IF_ERROR(AnswerStatus(answer, what));
  GANGPLAN_ASSIGN_OR_RETURN(JobFacts job, DecodeJob(answer.body, kind));
  if (job.owner.ref.uid != write.job.uid)
    return absl::AbortedError(what + ": another one has its name");
  if (job.resource_version.empty())
    return absl::InternalError(what + ": it has no resourceVersion");
  return job;
}

bool RefusesTemplate(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) &&
         status.message().find("spec.template: ") != absl::string_view::npos;
}

absl::Status TakeStartTime(Transport& transport, std::string_view ns, const OwnerRef& job,
                           std::string_view resource_version, const CallTools& tools) {
  GANGPLAN_ASSIGN_OR_RETURN(
      HttpResponse answer,
      PatchObject(transport, JobPath(ns, job.name, "status"),
                  NoStartTimeBody(job.uid, resource_version), "taking the start time from a Job",
                  PatchOf::kOneVersion, tools));
  GANGPLAN_ASSIGN_OR_RETURN(const JobFacts taken, DecodeJob(answer.body));
  if (taken.resource_version != resource_version) return absl::OkStatus();
  return absl::FailedPreconditionError("the Job has no start time");
}

absl::Status WriteJobsOf(Transport& transport, const JobWrite& write, const CallTools& tools) {
  if (write.templates.empty()) return absl::OkStatus();
  Backoff backoff(kFirstWait, kLongestWait, tools.jitter);
  for (int tries = 1;; ++tries) {
    GANGPLAN_ASSIGN_OR_RETURN(const std::vector<JobFacts> jobs, ListJobs(transport, write, tools));
    GANGPLAN_ASSIGN_OR_RETURN(const JobFacts owner,
                              ReadOwner(transport, kJobSetKind, write, tools));
    if (owner.resource_version != write.resource_version)
      return absl::AbortedError("writing a JobSet: it is of another version by now");
    const absl::Status status = WriteAll(transport, write, jobs, tools);
    const bool changed = absl::IsAborted(status) || absl::IsNotFound(status);
    if (!changed) return status;
    if (tries == kPatientTries || !tools.pause->For(backoff.Next()))
      return absl::UnavailableError(status.message());
  }
}

}  // namespace gangplan
