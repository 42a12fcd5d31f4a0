// The Jobs that a suspended JobSet has made: their templates get the affinity of a start before the
// JobSet is resumed, since its controller gives no affinity on to Jobs that exist. Each is written
// in the version that was listed, and the JobSet is looked at between the list and the first write:
// a start that another one has overtaken changes nothing. Any thread, one transport each.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/cluster/requests.h"
#include "extender/kube/patience.h"
#include "topology/job_facts.h"
#include "topology/owner_kinds.h"

namespace gangplan {

// The owner as it is now. Aborted: another one has its name.
absl::StatusOr<JobFacts> ReadOwner(Transport& transport, const OwnerKind& kind,
                                   const JobWrite& write, const CallTools& tools);

// `Job.batch "j" is invalid: spec.template: Invalid value: ...: field is immutable`: it has a start
// time. What is wrong inside of a template has a longer path.
bool RefusesTemplate(const absl::Status& status);
// OK: the Job has none any more, and is of another version for it. FailedPrecondition: it had none.
absl::Status TakeStartTime(Transport& transport, std::string_view ns, const OwnerRef& job,
                           std::string_view resource_version, const CallTools& tools);

// OK: all of them have what the write says. Errors as Cluster::WriteJob has them.
absl::Status WriteJobsOf(Transport& transport, const JobWrite& write, const CallTools& tools);

}  // namespace gangplan
