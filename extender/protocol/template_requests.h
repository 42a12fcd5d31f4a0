// What the pods of a template ask for when admission has completed it, by the one formula of
// pod_requests.h. Pure; any thread.
#pragma once

#include "extender/protocol/pod_requests.h"
#include "topology/job_facts.h"

namespace gangplan {

// What of the template admission completes. Internal to this room.
TemplateNeeds NeedsOf(const PodRequestsDraft& draft);

// `defaults` are asked for by each container that says nothing of them, `overhead` is that of the
// pod. `requests`: what the template asks for by itself; the implied ones of these stay.
ResourceList CompletedRequests(const ResourceList& requests, const TemplateNeeds& needs,
                               const ResourceList& defaults, const ResourceList& overhead);

}  // namespace gangplan
