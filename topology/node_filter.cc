#include "topology/node_filter.h"

#include <algorithm>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "topology/base/decimal.h"

namespace gangplan {
namespace {

constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";

bool IsOneOf(const std::string& value, const std::vector<std::string>& values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// The number of values that the operator takes; a term with another number matches nothing.
bool WellFormed(const SelectorRequirement& requirement) {
  switch (requirement.op) {
    case SelectorOperator::kIn:
    case SelectorOperator::kNotIn:
      return !requirement.values.empty();
    case SelectorOperator::kExists:
    case SelectorOperator::kDoesNotExist:
      return requirement.values.empty();
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      return requirement.values.size() == 1 &&
             ReadDecimal<int64_t>(requirement.values[0]).has_value();
  }
  return false;
}

bool Compares(const SelectorRequirement& requirement, const std::string* label) {
  std::optional<int64_t> have = label ? ReadDecimal<int64_t>(*label) : std::nullopt;
  if (!have) return false;
  int64_t bound = *ReadDecimal<int64_t>(requirement.values[0]);
  return requirement.op == SelectorOperator::kGt ? *have > bound : *have < bound;
}

bool Tolerates(const Toleration& toleration, std::string_view key, std::string_view value,
               TaintEffect effect) {
  if (toleration.effect && *toleration.effect != effect) return false;
  if (!toleration.key.empty() && toleration.key != key) return false;
  if (toleration.exists) return true;
  if (toleration.comparison == TaintComparison::kEqual) return toleration.value == value;
  const std::optional<int64_t> bound = ReadDecimal<int64_t>(toleration.value);
  const std::optional<int64_t> have = ReadDecimal<int64_t>(value);
  if (!bound || !have) return false;
  return toleration.comparison == TaintComparison::kLess ? *have < *bound : *have > *bound;
}

bool Tolerated(const NodeFilter& filter, std::string_view key, std::string_view value,
               TaintEffect effect) {
  return std::any_of(filter.tolerations.begin(), filter.tolerations.end(),
                     [&](const auto& t) { return Tolerates(t, key, value, effect); });
}

bool Repels(const NodeFilter& filter, const Taint& taint) {
  return taint.effect != TaintEffect::kPreferNoSchedule &&
         !Tolerated(filter, taint.key, taint.value, taint.effect);
}

// States of a node that pass, by the names that Kubernetes gives their taints.
bool Passing(const Taint& taint) {
  constexpr std::string_view kPassing[] = {kUnschedulable,
                                           kNotReady,
                                           kUnreachable,
                                           "node.kubernetes.io/disk-pressure",
                                           "node.kubernetes.io/memory-pressure",
                                           "node.kubernetes.io/pid-pressure",
                                           "node.kubernetes.io/network-unavailable",
                                           "node.cloudprovider.kubernetes.io/uninitialized"};
  return std::find(std::begin(kPassing), std::end(kPassing), taint.key) != std::end(kPassing);
}

}  // namespace

bool MatchesLabel(const SelectorRequirement& requirement, const std::string* label) {
  switch (requirement.op) {
    case SelectorOperator::kIn:
      return label && IsOneOf(*label, requirement.values);
    case SelectorOperator::kNotIn:
      return !label || !IsOneOf(*label, requirement.values);
    case SelectorOperator::kExists:
      return label != nullptr;
    case SelectorOperator::kDoesNotExist:
      return label == nullptr;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      return Compares(requirement, label);
  }
  return false;
}

std::string RequirementText(const SelectorRequirement& one) {
  const std::string values = fmt::format("{}", fmt::join(one.values, ","));
  const bool single = one.values.size() == 1;
  switch (one.op) {
    case SelectorOperator::kIn:
      return single ? fmt::format("{}={}", one.key, values)
                    : fmt::format("{} in ({})", one.key, values);
    case SelectorOperator::kNotIn:
      return single ? fmt::format("{}!={}", one.key, values)
                    : fmt::format("{} notin ({})", one.key, values);
    case SelectorOperator::kExists:
      return one.key;
    case SelectorOperator::kDoesNotExist:
      return fmt::format("!{}", one.key);
    case SelectorOperator::kGt:
      return fmt::format("{}>{}", one.key, values);
    case SelectorOperator::kLt:
      return fmt::format("{}<{}", one.key, values);
  }
  return {};
}

bool NamesNodes(const SelectorRequirement& requirement) {
  return requirement.key == kNodeNameField &&
         (requirement.op == SelectorOperator::kIn || requirement.op == SelectorOperator::kNotIn);
}

bool MatchesField(const SelectorRequirement& requirement, const std::string& node_name) {
  const bool in = requirement.op == SelectorOperator::kIn;
  return NamesNodes(requirement) && IsOneOf(node_name, requirement.values) == in;
}

bool CanMatch(const NodeSelectorTerm& term) {
  if (term.labels.empty() && term.fields.empty()) return false;
  return std::all_of(term.labels.begin(), term.labels.end(), WellFormed) &&
         std::all_of(term.fields.begin(), term.fields.end(), WellFormed);
}

bool MatchesTerm(const NodeSelectorTerm& term, const NodeFacts& node) {
  return CanMatch(term) &&
         std::all_of(
             term.labels.begin(), term.labels.end(),
             [&](const auto& r) { return MatchesLabel(r, FindLabel(node.labels, r.key)); }) &&
         std::all_of(term.fields.begin(), term.fields.end(),
                     [&](const auto& r) { return MatchesField(r, node.name); });
}

int32_t RequirementsOf(const NodeFilter& filter) {
  size_t count = filter.node_selector.size();
  if (filter.required_terms) {
    for (const NodeSelectorTerm& term : *filter.required_terms)
      count += term.labels.size() + term.fields.size();
  }
  return static_cast<int32_t>(count);
}

bool MatchesSelector(const NodeFilter& filter, const NodeFacts& node) {
  for (const auto& [key, value] : filter.node_selector) {
    const std::string* label = FindLabel(node.labels, key);
    if (label == nullptr || *label != value) return false;
  }
  if (!filter.required_terms) return true;
  return std::any_of(filter.required_terms->begin(), filter.required_terms->end(),
                     [&](const auto& term) { return MatchesTerm(term, node); });
}

bool ToleratesTaints(const NodeFilter& filter, const NodeFacts& node) {
  if (node.unschedulable && !Tolerated(filter, kUnschedulable, "", TaintEffect::kNoSchedule))
    return false;
  return std::none_of(node.taints.begin(), node.taints.end(),
                      [&](const Taint& taint) { return Repels(filter, taint); });
}

bool ToleratesLastingTaints(const NodeFilter& filter, const NodeFacts& node) {
  return std::none_of(node.taints.begin(), node.taints.end(),
                      [&](const Taint& taint) { return !Passing(taint) && Repels(filter, taint); });
}

}  // namespace gangplan
