#include "extender/protocol/pod_terms.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "extender/protocol/limits.h"

namespace gangplan {
namespace {

template <typename Value, typename Less>
void SortUnique(std::vector<Value>& values, Less less) {
  std::sort(values.begin(), values.end(), less);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

bool Before(const SelectorRequirement& a, const SelectorRequirement& b) {
  return std::tie(a.key, a.op, a.values) < std::tie(b.key, b.op, b.values);
}

std::vector<SelectorRequirement> TakeSelector(LabelSelectorDraft& draft) {
  std::vector<SelectorRequirement> labels;
  for (auto& [key, value] : TakeLabels(draft.match_labels))
    labels.push_back({key, SelectorOperator::kIn, {value}});
  for (RequirementDraft& one : draft.requirements) {
    SortUnique(one.values, std::less<>());
    labels.push_back({std::move(one.key), *one.op, std::move(one.values)});
  }
  SortUnique(labels, Before);
  return labels;
}

size_t BytesOf(const PodSelector& pods) {
  size_t bytes = 0;
  for (const std::string& ns : pods.namespaces) bytes += ns.size() + 1;
  for (const SelectorRequirement& one : pods.labels) {
    bytes += one.key.size() + 1;
    for (const std::string& value : one.values) bytes += value.size() + 1;
  }
  return bytes;
}

bool Compares(const SelectorRequirement& one) {
  return one.op == SelectorOperator::kGt || one.op == SelectorOperator::kLt;
}

std::optional<PodAffinityTerm> TakeTerm(PodTermDraft& draft, std::string_view ns) {
  const LabelSelectorDraft& by_labels = draft.namespace_labels;
  if (draft.topology_key.empty() || !draft.pods.given) return std::nullopt;
  if (!by_labels.match_labels.empty() || !by_labels.requirements.empty()) return std::nullopt;
  PodAffinityTerm term;
  term.topology_key = std::move(draft.topology_key);
  term.pods.labels = TakeSelector(draft.pods);
  term.pods.all_namespaces = by_labels.given;
  if (!by_labels.given) {
    term.pods.namespaces = std::move(draft.namespaces);
    if (term.pods.namespaces.empty()) term.pods.namespaces.emplace_back(ns);
    SortUnique(term.pods.namespaces, std::less<>());
  }
  const auto& labels = term.pods.labels;
  if (std::any_of(labels.begin(), labels.end(), Compares)) return std::nullopt;
  if (BytesOf(term.pods) > kMaxPodTermBytes) return std::nullopt;
  return term;
}

}  // namespace

PodAffinity TakePodAffinity(ObjectDraft& draft, std::string_view ns) {
  PodAffinity affinity;
  // Terms that were not read whole may lack what a term needs.
  if (draft.near.unread) draft.near.terms.clear();
  for (PodTermDraft& one : draft.near.terms) {
    std::optional<PodAffinityTerm> term = TakeTerm(one, ns);
    draft.near.unread = draft.near.unread || !term;
    if (term) affinity.near.push_back(*std::move(term));
  }
  if (draft.near.unread) affinity.near.clear();
  if (draft.apart.unread) return affinity;
  for (PodTermDraft& one : draft.apart.terms) {
    std::optional<PodAffinityTerm> term = TakeTerm(one, ns);
    if (term) affinity.apart.push_back(*std::move(term));
  }
  return affinity;
}

}  // namespace gangplan
