#include "extender/kube/budgets.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "extender/kube/limits.h"
#include "extender/kube/pages.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/disruption_budget.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

absl::StatusOr<std::vector<DisruptionBudget>> ListBudgets(Transport& transport, std::string_view ns,
                                                          const CallTools& tools) {
  const PagedList list = {
      fmt::format("/apis/policy/v1/namespaces/{}/poddisruptionbudgets", PercentEncode(ns)), "",
      "listing disruption budgets"};
  std::vector<DisruptionBudget> budgets;
  const auto take = [&](std::string& text) -> absl::StatusOr<std::string> {
    GANGPLAN_ASSIGN_OR_RETURN(BudgetPage page, DecodeBudgets(text, kMaxAnswerBytes));
    for (DisruptionBudget& one : page.items) budgets.push_back(std::move(one));
    if (budgets.size() > kMaxBudgets)
      return absl::FailedPreconditionError(
          ToAbsl(fmt::format("namespace {} has more than {} disruption budgets", ns, kMaxBudgets)));
    return page.next;
  };
  GANGPLAN_RETURN_IF_ERROR(EachPage(transport, list, tools, take));
  return budgets;
}

// Of these pods, how many the budget counts when they go.
absl::StatusOr<int64_t> CountedBy(const DisruptionBudget& budget, Transport& transport,
                                  std::string_view ns,
                                  const std::set<std::string, std::less<>>& uids,
                                  const CallTools& tools) {
  PagedList list = {fmt::format("/api/v1/namespaces/{}/pods", PercentEncode(ns)), "",
                    "listing the pods of a disruption budget"};
  if (!budget.selector->empty()) list.filter = "&labelSelector=" + PercentEncode(*budget.selector);
  int64_t counted = 0;
  const auto take = [&](std::string& text) -> absl::StatusOr<std::string> {
    GANGPLAN_ASSIGN_OR_RETURN(const BudgetPodPage page, DecodeBudgetPods(text, kMaxAnswerBytes));
    for (const BudgetPod& pod : page.items) {
      const bool is_free = !pod.ready && budget.frees_unready;
      if (uids.contains(pod.uid) && pod.runs && !is_free) ++counted;
    }
    return page.next;
  };
  GANGPLAN_RETURN_IF_ERROR(EachPage(transport, list, tools, take));
  return counted;
}

}  // namespace

absl::Status AskBudgets(Transport& transport, std::string_view ns,
                        const std::set<std::string, std::less<>>& uids, const CallTools& tools) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::vector<DisruptionBudget> budgets,
                            ListBudgets(transport, ns, tools));
  for (const DisruptionBudget& budget : budgets) {
    if (!budget.selector || budget.allowed >= std::ssize(uids)) continue;
    GANGPLAN_ASSIGN_OR_RETURN(const int64_t counted, CountedBy(budget, transport, ns, uids, tools));
    if (counted > budget.allowed) {
      return absl::FailedPreconditionError(
          ToAbsl(fmt::format("disruption budget {}/{} allows {} of its pods to go, and {} would",
                             ns, budget.name, budget.allowed, counted)));
    }
  }
  return absl::OkStatus();
}

}  // namespace gangplan
