// The template of an owner's pods as facts of a pod, of a Job that waits suspended say, whose pods
// are yet to be made. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "extender/protocol/object_draft.h"
#include "topology/job_facts.h"
#include "topology/labels.h"
#include "topology/pod_facts.h"

namespace gangplan {

// The labels that a Job's pods have for their Job stand in its template: the API server writes them
// there. What admission completes when a pod is made of it is in `needs`. A node that is written
// there would be chosen by no scheduler.
// `path`: of the template in the owner. `made_with`: labels that its pods get besides.
PodFacts TakeTemplate(std::optional<ObjectDraft>& draft, const OwnerFacts& owner,
                      std::string_view path, TemplateNeeds& needs, LabelSet made_with);

}  // namespace gangplan
