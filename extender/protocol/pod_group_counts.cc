#include "extender/protocol/pod_group_counts.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "extender/protocol/object_draft.h"
#include "extender/protocol/pod_group_words.h"
#include "extender/protocol/pod_requests.h"
#include "fmt/format.h"
#include "topology/resources.h"

namespace gangplan {
namespace {

// As quotas count pods, which some controllers write here: what nodes have no share of is left out,
// and requests.cpu, whose amount is not in thousandths, stands beside cpu.
ResourceList OfNodes(ResourceList told) {
  constexpr std::string_view kRequests = "requests.";
  ResourceList of_nodes;
  for (ResourceAmount& one : told) {
    const bool of_none = one.name.starts_with("count/") || one.name.starts_with("limits.") ||
                         one.name == "requests.cpu";
    if (of_none || one.name == kPodsResource) continue;
    if (one.name.starts_with(kRequests)) one.name.erase(0, kRequests.size());
    const int64_t known = AmountOf(of_nodes, one.name);
    if (one.amount > known) AddResources(of_nodes, {{one.name, one.amount - known}});
  }
  return of_nodes;
}

// That some of each task are among those that start, as Volcano has it: it asks for that where all
// of these minima together are no more than start, and of one task alone nobody has to ask. Where
// they are just as many as start, none of the others is needed, and whoever makes no others (a Job
// of Volcano's that names no minima) starts as it would there.
bool TellsTasksApart(const OwnerObjectDraft& draft) {
  const auto& minima = draft.task_minima;
  const auto asked =
      std::count_if(minima.begin(), minima.end(), [](int64_t one) { return one > 0; });
  const int64_t all = std::accumulate(minima.begin(), minima.end(), int64_t{0});
  return asked > 1 && all < draft.min_member.value_or(1);
}

}  // namespace

// Its pods count among the resources, as the plugin has it; and a time that is none is not told. Of
// Volcano's, none is a number as well: then each pod starts by itself.
void TakeMinMember(OwnerObjectDraft& draft, OwnerFacts& owner) {
  const bool volcano = draft.api_version == kVolcanoPodGroup;
  owner.size = std::max<int64_t>(draft.min_member.value_or(1), volcano ? 1 : 0);
  owner.at_least = true;
  owner.min_resources = OfNodes(TakeAmounts(draft.min_resources));
  if (!owner.min_resources.empty())
    AddResources(owner.min_resources, {{std::string(kPodsResource), *owner.size}});
  if (draft.patience.value_or(0) > 0) owner.patience = InSeconds(*draft.patience);
}

// Without a gang's policy its pods start as they come, and it tells no size.
void TakeGangPolicy(const OwnerObjectDraft& draft, OwnerFacts& owner) {
  owner.at_least = draft.min_count.has_value();
  if (draft.min_count) owner.size = *draft.min_count;
}

// What of it changes where its pods go, or which of them start, and nobody here reads.
std::string UnmetRules(const OwnerObjectDraft& draft) {
  if (!draft.min_fault.ok()) return std::string(draft.min_fault.message());
  if (TellsTasksApart(draft)) {
    return "spec.minTaskMember: is not read; expected gangplan.io/pod-sets and gangplan.io/pod-set "
           "on its pods";
  }
  if (draft.own_rules.empty()) return {};
  return fmt::format("{}: is not read; expected gangplan.io/place", draft.own_rules);
}

}  // namespace gangplan
