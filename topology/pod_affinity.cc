#include "topology/pod_affinity.h"

#include <algorithm>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "topology/implied_resource.h"
#include "topology/tree.h"

namespace gangplan {
namespace {

bool Matches(const SelectorRequirement& requirement, std::optional<std::string_view> label) {
  const auto& values = requirement.values;
  const bool listed = label && std::find(values.begin(), values.end(), *label) != values.end();
  switch (requirement.op) {
    case SelectorOperator::kIn:
      return listed;
    case SelectorOperator::kNotIn:
      return !listed;
    case SelectorOperator::kExists:
      return label.has_value();
    case SelectorOperator::kDoesNotExist:
      return !label.has_value();
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      return false;
  }
  return false;
}

}  // namespace

PackedLabels::PackedLabels(const LabelSet& labels) {
  size_t bytes = 0;
  for (const auto& [key, value] : labels) bytes += key.size() + value.size() + 2;
  text_.reserve(bytes);
  for (const auto& [key, value] : labels) {
    text_.append(key).push_back('\0');
    text_.append(value).push_back('\0');
  }
}

std::optional<std::string_view> PackedLabels::Finder::operator()(std::string_view key) {
  if (key < last_) rest_ = all_;
  last_ = key;
  while (!rest_.empty()) {
    std::string_view rest = rest_;
    const std::string_view one = Cut(rest);
    if (one == key) return Cut(rest);
    if (one > key) break;
    Cut(rest);
    rest_ = rest;
  }
  return std::nullopt;
}

bool Selects(const PodSelector& selector, const PodProfile& pod) {
  const bool of_namespace =
      selector.all_namespaces ||
      std::binary_search(selector.namespaces.begin(), selector.namespaces.end(), pod.ns);
  PackedLabels::Finder find(pod.labels);
  return of_namespace && std::all_of(selector.labels.begin(), selector.labels.end(),
                                     [&](const auto& one) { return Matches(one, find(one.key)); });
}

bool SelectAll(const std::vector<PodSelector>& selectors, const PodProfile& pod) {
  return std::all_of(selectors.begin(), selectors.end(),
                     [&](const PodSelector& selector) { return Selects(selector, pod); });
}

std::string SelectorText(const PodSelector& selector) {
  std::vector<std::string> labels;
  for (const SelectorRequirement& one : selector.labels) labels.push_back(RequirementText(one));
  return fmt::format(
      "{} of {}", labels.empty() ? "all pods" : fmt::format("{}", fmt::join(labels, ",")),
      selector.all_namespaces ? "all namespaces"
                              : fmt::format("{}", fmt::join(selector.namespaces, ",")));
}

ResourceList ApartOnNode(const PodProfile& pod) {
  ResourceList whole;
  for (const PodAffinityTerm& term : pod.affinity.apart) {
    if (term.topology_key != kHostnameLabel || !Selects(term.pods, pod)) continue;
    whole.push_back({ApartFrom(SelectorText(term.pods)), kWholeNode});
  }
  const auto before = [](const auto& a, const auto& b) { return a.name < b.name; };
  std::sort(whole.begin(), whole.end(), before);
  whole.erase(std::unique(whole.begin(), whole.end()), whole.end());
  return whole;
}

}  // namespace gangplan
