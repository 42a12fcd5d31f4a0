// Whether disruption budgets allow that pods go together. An eviction that is not carried out asks
// for one pod by itself, so that a budget of one lets each of a hundred pass. Blocks; any thread,
// one transport each.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "extender/kube/patience.h"

namespace gangplan {

// Pods of one namespace, by UID. FailedPrecondition: a budget is against that, and which one; and
// which pods of the namespace it, and each other one that is, keeps (KeptByBudget): all that run
// and that it is about, but so many as it allows to go, these of `uids`. PermissionDenied: budgets
// may not be listed. Counts as the eviction API does (pkg/registry/core/pod/storage/eviction.go):
// of pods that run and are ready, those that are not where too few are for it, and none that stops
// already. Unavailable after kMostBudgetTime. One list of budgets, and one of pods where some of
// them may be against it.
absl::Status AskBudgets(Transport& transport, std::string_view ns,
                        const std::set<std::string, std::less<>>& uids, const CallTools& tools);

}  // namespace gangplan
