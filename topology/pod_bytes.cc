#include "topology/pod_bytes.h"

#include <string>
#include <vector>

namespace gangplan {
namespace {

template <typename Items, typename BytesOfOne>
size_t Sum(const Items& items, BytesOfOne bytes_of_one) {
  size_t sum = 0;
  for (const auto& item : items) sum += bytes_of_one(item);
  return sum;
}

size_t TextsBytes(const std::vector<std::string>& texts) {
  return Sum(texts, [](const std::string& text) { return text.size(); });
}

size_t LabelBytes(const LabelSet& labels) {
  return Sum(labels, [](const auto& label) { return label.first.size() + label.second.size(); });
}

size_t RequirementBytes(const std::vector<SelectorRequirement>& requirements) {
  return Sum(requirements, [](const SelectorRequirement& one) {
    return one.key.size() + TextsBytes(one.values);
  });
}

size_t NodeTermBytes(const NodeSelectorTerm& term) {
  return RequirementBytes(term.labels) + RequirementBytes(term.fields);
}

size_t FilterBytes(const NodeFilter& filter) {
  const auto& terms = filter.required_terms;
  return LabelBytes(filter.node_selector) + (terms ? Sum(*terms, NodeTermBytes) : 0) +
         Sum(filter.tolerations,
             [](const Toleration& one) { return one.key.size() + one.value.size(); });
}

size_t PodTermBytes(const PodAffinityTerm& term) {
  return term.topology_key.size() + TextsBytes(term.pods.namespaces) +
         RequirementBytes(term.pods.labels);
}

}  // namespace

size_t TextBytes(const PodFacts& pod) {
  return LabelBytes(pod.labels) + LabelBytes(pod.annotations) + FilterBytes(pod.filter) +
         Sum(pod.affinity.near, PodTermBytes) + Sum(pod.affinity.apart, PodTermBytes) +
         Sum(pod.preferred_terms, [](const PreferredTerm& one) { return NodeTermBytes(one.term); });
}

}  // namespace gangplan
