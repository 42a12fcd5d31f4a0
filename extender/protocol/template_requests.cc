#include "extender/protocol/template_requests.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "topology/implied_resource.h"

namespace gangplan {
namespace {

constexpr std::string_view kSidecar = "Always";

ResourceList Asked(const ResourcesDraft& resources) {
  ResourceList all = resources.limits;
  all.insert(all.end(), resources.requests.begin(), resources.requests.end());
  return TakeAmounts(all);  // of equals the last one counts: the request
}

bool AnyAsks(const TemplateNeeds& needs, std::string_view name) {
  return std::any_of(needs.containers.begin(), needs.containers.end(),
                     [&](const ResourceList& asked) { return Names(asked, name); }) ||
         std::any_of(needs.init_containers.begin(), needs.init_containers.end(),
                     [&](const auto& one) { return Names(one.requests, name); });
}

// Its limits are requests where nobody asks, as before any admission.
ResourceList PodLevelOf(const ResourcesDraft& pod_level, const TemplateNeeds& needs) {
  ResourceList asked = pod_level.requests;
  for (const ResourceAmount& limit : pod_level.limits) {
    if (!Names(pod_level.requests, limit.name) && !AnyAsks(needs, limit.name))
      asked.push_back(limit);
  }
  return TakeAmounts(asked);
}

// Of equal names the last one counts, so what a container says itself comes after the defaults.
ContainerDraft Completed(const ResourceList& asked, const ResourceList& defaults) {
  ContainerDraft container;
  container.resources.requests = defaults;
  container.resources.requests.insert(container.resources.requests.end(), asked.begin(),
                                      asked.end());
  return container;
}

}  // namespace

TemplateNeeds NeedsOf(const PodRequestsDraft& draft) {
  TemplateNeeds needs;
  for (const ContainerDraft& one : draft.init_containers)
    needs.init_containers.push_back({one.restart_policy == kSidecar, Asked(one.resources)});
  for (const ContainerDraft& one : draft.containers)
    needs.containers.push_back(Asked(one.resources));
  needs.pod_level = PodLevelOf(draft.pod_level, needs);
  AmountDraft overhead = draft.overhead;
  needs.overhead = TakeAmounts(overhead);
  return needs;
}

ResourceList CompletedRequests(const ResourceList& requests, const TemplateNeeds& needs,
                               const ResourceList& defaults, const ResourceList& overhead) {
  PodRequestsDraft draft;
  for (const TemplateNeeds::InitContainer& one : needs.init_containers) {
    draft.init_containers.push_back(Completed(one.requests, defaults));
    if (one.sidecar) draft.init_containers.back().restart_policy = kSidecar;
  }
  for (const ResourceList& one : needs.containers)
    draft.containers.push_back(Completed(one, defaults));
  draft.pod_level.requests = needs.pod_level;
  draft.overhead = overhead;
  absl::Status beyond;  // a sum that does not fit stops at its end
  ResourceList completed = PodRequests(draft, beyond);
  std::copy_if(requests.begin(), requests.end(), std::back_inserter(completed),
               [](const ResourceAmount& one) { return IsImplied(one.name); });
  return TakeAmounts(completed);
}

}  // namespace gangplan
