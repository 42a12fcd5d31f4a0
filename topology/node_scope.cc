#include "topology/node_scope.h"

#include <algorithm>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace gangplan {
namespace {

bool Meets(const SelectorRequirement& one, const LabelSet& labels) {
  return MatchesLabel(one, FindLabel(labels, one.key));
}

}  // namespace

bool IsWithin(const NodeScope& scope, const LabelSet& labels) {
  return std::all_of(scope.labels.begin(), scope.labels.end(),
                     [&](const SelectorRequirement& one) { return Meets(one, labels); });
}

std::string ScopeText(const NodeScope& scope) {
  std::vector<std::string> parts;
  for (const SelectorRequirement& one : scope.labels) parts.push_back(RequirementText(one));
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string WhyOutside(const NodeScope& scope, const LabelSet& labels) {
  const auto failed = std::find_if(scope.labels.begin(), scope.labels.end(),
                                   [&](const auto& one) { return !Meets(one, labels); });
  if (failed == scope.labels.end()) return {};
  const std::string* value = FindLabel(labels, failed->key);
  const std::string has = value == nullptr ? fmt::format("without {}", failed->key)
                                           : fmt::format("{}={}", failed->key, *value);
  return fmt::format("{}, expected {}", has, RequirementText(*failed));
}

}  // namespace gangplan
