#include "extender/kube/budgets.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "extender/cluster/kept_by_budget.h"
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

// What a budget counts: how many of those that are to go, and who is kept beyond what it allows.
struct Counted {
  int64_t pods = 0;
  std::vector<std::string> kept;
};

// Of these pods, how many each of the budgets counts: one list of the namespace's pods for all of
// them, however many they are.
absl::StatusOr<std::vector<Counted>> CountedBy(std::span<const DisruptionBudget> budgets,
                                               Transport& transport, std::string_view ns,
                                               const std::set<std::string, std::less<>>& uids,
                                               const CallTools& tools) {
  PagedList list = {fmt::format("/api/v1/namespaces/{}/pods", PercentEncode(ns)), "",
                    "listing the pods of disruption budgets", kBudgetPodPageItems};
  if (budgets.size() == 1 && !budgets.front().selector->empty())
    list.filter = "&labelSelector=" + PercentEncode(SelectorText(*budgets.front().selector));
  std::vector<Counted> counted(budgets.size());
  const absl::Time end = tools.clock->Now() + kMostBudgetTime;
  const auto take = [&](std::string& text) -> absl::StatusOr<std::string> {
    GANGPLAN_ASSIGN_OR_RETURN(const BudgetPodPage page, DecodeBudgetPods(text, kMaxAnswerBytes));
    for (const BudgetPod& pod : page.items) {
      if (!pod.runs) continue;
      const bool goes = uids.contains(pod.uid);
      for (size_t i = 0; i < budgets.size(); ++i) {
        const bool is_free = !pod.ready && budgets[i].frees_unready;
        if (is_free || !IsAbout(budgets[i], pod)) continue;
        if (goes && ++counted[i].pods <= budgets[i].allowed) continue;
        if (counted[i].kept.size() < kMaxKeptByBudget) counted[i].kept.push_back(pod.uid);
      }
    }
    if (!page.next.empty() && tools.clock->Now() > end)
      return absl::UnavailableError(ToAbsl(fmt::format("{} takes too long", list.what)));
    return page.next;
  };
  GANGPLAN_RETURN_IF_ERROR(EachPage(transport, list, tools, take));
  return counted;
}

}  // namespace

absl::Status AskBudgets(Transport& transport, std::string_view ns,
                        const std::set<std::string, std::less<>>& uids, const CallTools& tools) {
  GANGPLAN_ASSIGN_OR_RETURN(std::vector<DisruptionBudget> budgets,
                            ListBudgets(transport, ns, tools));
  std::erase_if(budgets, [&](const DisruptionBudget& one) {
    return !one.selector || one.allowed >= std::ssize(uids);
  });
  if (budgets.empty()) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(const std::vector<Counted> counted,
                            CountedBy(budgets, transport, ns, uids, tools));
  absl::Status status;
  std::vector<std::string> kept;
  for (size_t i = 0; i < budgets.size(); ++i) {
    if (counted[i].pods <= budgets[i].allowed) continue;
    if (status.ok())
      status = absl::FailedPreconditionError(
          ToAbsl(fmt::format("disruption budget {}/{} allows {} of its pods to go, and {} would",
                             ns, budgets[i].name, budgets[i].allowed, counted[i].pods)));
    kept.insert(kept.end(), counted[i].kept.begin(), counted[i].kept.end());
  }
  if (!status.ok()) SetKeptByBudget(status, kept);
  return status;
}

}  // namespace gangplan
