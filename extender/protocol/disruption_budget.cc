#include "extender/protocol/disruption_budget.h"

#include <algorithm>
#include <utility>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/object_shapes.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

using namespace gangplan::json;           // NOLINT: the makers are the language of this file
using namespace gangplan::object_shapes;  // NOLINT: and these its shapes

constexpr size_t kMaxPageItems = 5'000;
constexpr size_t kMaxBudgetText = 4'096;
constexpr size_t kMostConditions = 64;

struct BudgetDraft {
  std::string name;
  int64_t generation = 0;
  LabelSelectorDraft pods;
  std::string of_unready;
  int64_t seen = 0;  // of its generations, by the controller
  int64_t allowed = 0;
  int64_t healthy = 0;
  int64_t desired = 0;

  // Pods that are not ready may go without being counted.
  bool frees_unready() const {
    return of_unready == "AlwaysAllow" || (healthy >= desired && desired > 0);
  }
};
struct BudgetPageDraft {
  std::string next;
  std::vector<BudgetDraft> items;
};
LabelSelectorDraft& SelectorOf(BudgetDraft& budget) {
  budget.pods.given = true;
  return budget.pods;
}

constexpr JsonField kBudgetMetadataFields[] = {
    {"name", Text<&BudgetDraft::name>(kMaxBudgetText)},
    {"generation", Integer<&BudgetDraft::generation, 0, INT64_MAX>()},
};
constexpr JsonField kBudgetSpecFields[] = {
    {"selector", At<&SelectorOf>(kLabelSelector)},
    {"unhealthyPodEvictionPolicy", Text<&BudgetDraft::of_unready>(kMaxBudgetText)},
};
constexpr JsonField kBudgetStatusFields[] = {
    {"observedGeneration", Integer<&BudgetDraft::seen, 0, INT64_MAX>()},
    {"disruptionsAllowed", Integer<&BudgetDraft::allowed, 0, INT64_MAX>()},
    {"currentHealthy", Integer<&BudgetDraft::healthy, 0, INT64_MAX>()},
    {"desiredHealthy", Integer<&BudgetDraft::desired, 0, INT64_MAX>()},
};
constexpr JsonField kBudgetFields[] = {
    {"metadata", Object(kBudgetMetadataFields)},
    {"spec", Object(kBudgetSpecFields)},
    {"status", Object(kBudgetStatusFields)},
};
constexpr JsonShape kBudget = Appended<std::vector<BudgetDraft>>(Object(kBudgetFields));
constexpr JsonField kBudgetListFields[] = {
    {"continue", Text<&BudgetPageDraft::next>(kMaxBudgetText)}};
constexpr JsonField kBudgetPageFields[] = {
    {"metadata", Object(kBudgetListFields)},
    {"items", In<&BudgetPageDraft::items>(Array(kBudget, kMaxPageItems))},
};
constexpr JsonShape kBudgetPage = Object(kBudgetPageFields);

struct PodCondition {
  std::string type;
  std::string status;
};
struct BudgetPodDraft {
  std::string uid;
  LabelSet labels;
  std::string stops;  // since then
  std::string phase;
  std::vector<PodCondition> conditions;

  bool runs() const { return stops.empty() && phase == "Running"; }
  bool ready() const {
    return std::any_of(conditions.begin(), conditions.end(), [](const PodCondition& one) {
      return one.type == "Ready" && one.status == "True";
    });
  }
};
struct BudgetPodPageDraft {
  std::string next;
  std::vector<BudgetPodDraft> items;
};

constexpr JsonField kPodConditionFields[] = {
    {"type", Text<&PodCondition::type>(kMaxBudgetText)},
    {"status", Text<&PodCondition::status>(kMaxBudgetText)},
};
constexpr JsonShape kPodCondition =
    Appended<std::vector<PodCondition>>(Object(kPodConditionFields));
constexpr JsonField kBudgetPodMetadataFields[] = {
    {"uid", Text<&BudgetPodDraft::uid>(kMaxBudgetText)},
    {"labels", In<&BudgetPodDraft::labels>(Map(kLabel, kMaxLabels))},
    {"deletionTimestamp", Text<&BudgetPodDraft::stops>(kMaxBudgetText)},
};
constexpr JsonField kBudgetPodStatusFields[] = {
    {"phase", Text<&BudgetPodDraft::phase>(kMaxBudgetText)},
    {"conditions", In<&BudgetPodDraft::conditions>(Array(kPodCondition, kMostConditions))},
};
constexpr JsonField kBudgetPodFields[] = {
    {"metadata", Object(kBudgetPodMetadataFields)},
    {"status", Object(kBudgetPodStatusFields)},
};
constexpr JsonShape kBudgetPod = Appended<std::vector<BudgetPodDraft>>(Object(kBudgetPodFields));
constexpr JsonField kBudgetPodListFields[] = {
    {"continue", Text<&BudgetPodPageDraft::next>(kMaxBudgetText)}};
constexpr JsonField kBudgetPodPageFields[] = {
    {"metadata", Object(kBudgetPodListFields)},
    {"items", In<&BudgetPodPageDraft::items>(Array(kBudgetPod, kMaxPageItems))},
};
constexpr JsonShape kBudgetPodPage = Object(kBudgetPodPageFields);

}  // namespace

std::string SelectorText(const std::vector<SelectorRequirement>& selector) {
  std::vector<std::string> parts;
  for (const SelectorRequirement& one : selector) {
    const std::string values = fmt::format("({})", fmt::join(one.values, ","));
    const bool equal = one.op == SelectorOperator::kIn && one.values.size() == 1;
    if (equal) {
      parts.push_back(one.key + "=" + one.values.front());
    } else if (one.op == SelectorOperator::kIn) {
      parts.push_back(one.key + " in " + values);
    } else if (one.op == SelectorOperator::kNotIn) {
      parts.push_back(one.key + " notin " + values);
    } else {
      parts.push_back((one.op == SelectorOperator::kDoesNotExist ? "!" : "") + one.key);
    }
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

bool IsAbout(const DisruptionBudget& budget, const BudgetPod& pod) {
  const auto holds = [&](const SelectorRequirement& one) {
    return MatchesLabel(one, FindLabel(pod.labels, one.key));
  };
  return budget.selector && std::all_of(budget.selector->begin(), budget.selector->end(), holds);
}

absl::StatusOr<BudgetPage> DecodeBudgets(std::string& text, size_t max_bytes) {
  BudgetPageDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(text, max_bytes, "disruption budgets", kBudgetPage, &draft));
  BudgetPage page{std::move(draft.next), {}};
  for (BudgetDraft& one : draft.items) {
    DisruptionBudget budget{std::move(one.name), {}, 0, one.frees_unready()};
    if (one.pods.given) budget.selector = TakeSelector(one.pods);
    if (one.seen >= one.generation) budget.allowed = one.allowed;
    page.items.push_back(std::move(budget));
  }
  return page;
}

absl::StatusOr<BudgetPodPage> DecodeBudgetPods(std::string& text, size_t max_bytes) {
  BudgetPodPageDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(text, max_bytes, "pods", kBudgetPodPage, &draft));
  BudgetPodPage page{std::move(draft.next), {}};
  for (BudgetPodDraft& one : draft.items)
    page.items.push_back({std::move(one.uid), TakeLabels(one.labels), one.runs(), one.ready()});
  return page;
}

}  // namespace gangplan
