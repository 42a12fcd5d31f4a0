#include "extender/protocol/admission_object.h"

#include <iterator>
#include <string>
#include <utility>

#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kAdmissionKindNames[] = {"LimitRange", "RuntimeClass", "PriorityClass",
                                                    "ResourceFlavor"};
static_assert(std::size(kAdmissionKindNames) == kAdmissionKinds);

// As the API server has stored it: the default of a limit, or the greatest one, is a default of the
// request where there is no other.
ResourceList DefaultsOf(ObjectDraft& draft) {
  ResourceList defaults;
  for (LimitDraft& limit : draft.limits) {
    if (limit.type != "Container") continue;
    ResourceList amounts = TakeAmounts(limit.default_requests);
    std::move(amounts.begin(), amounts.end(), std::back_inserter(defaults));
  }
  return TakeAmounts(defaults);
}

}  // namespace

std::optional<AdmissionRule::Kind> AdmissionKindOf(std::string_view kind) {
  for (int i = 0; i < kAdmissionKinds; ++i) {
    if (kAdmissionKindNames[i] == kind) return static_cast<AdmissionRule::Kind>(i);
  }
  return std::nullopt;
}

absl::StatusOr<AdmissionRule> TakeAdmissionRule(AdmissionRule::Kind kind, ObjectDraft& draft) {
  if (draft.metadata.name.empty()) return Invalid("metadata.name is missing");
  AdmissionRule rule;
  rule.kind = kind;
  rule.name = std::move(draft.metadata.name);
  switch (kind) {
    case AdmissionRule::Kind::kLimitRange:
      rule.ns =
          draft.metadata.ns.empty() ? std::string(kDefaultNamespace) : std::move(draft.metadata.ns);
      rule.amounts = DefaultsOf(draft);
      break;
    case AdmissionRule::Kind::kRuntimeClass:
      rule.amounts = TakeAmounts(draft.class_overhead);
      rule.node_selector = TakeLabels(draft.node_selector);
      rule.tolerations = std::move(draft.tolerations);
      break;
    case AdmissionRule::Kind::kPriorityClass:
      rule.priority = draft.value;
      rule.never_preempts = draft.preemption_policy == "Never";
      rule.is_default = draft.global_default;
      break;
    case AdmissionRule::Kind::kResourceFlavor:
      rule.node_selector = TakeLabels(draft.node_selector);
      rule.tolerations = std::move(draft.tolerations);
      break;
  }
  return rule;
}

}  // namespace gangplan
