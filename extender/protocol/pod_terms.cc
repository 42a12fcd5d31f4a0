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

std::vector<SelectorRequirement> TakeSorted(LabelSelectorDraft& draft) {
  std::vector<SelectorRequirement> labels = TakeSelector(draft);
  for (SelectorRequirement& one : labels) SortUnique(one.values, std::less<>());
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

// What the controllers of Jobs and JobSets write on each pod.
bool IsOfMaker(std::string_view key) {
  return key == "job-name" || key == "controller-uid" || key.starts_with("batch.kubernetes.io/") ||
         key.starts_with("jobset.sigs.k8s.io/");
}

// The labels that are known of the pod.
struct KnownLabels {
  const LabelSet& own;
  const std::optional<LabelSet>& made_with;  // of a template

  const std::string* Find(std::string_view key) const {
    const std::string* made = made_with ? FindLabel(*made_with, key) : nullptr;
    return made != nullptr ? made : FindLabel(own, key);
  }
};

// False: what one of the keys means is not known before there are pods.
bool AddKeys(const std::vector<std::string>& keys, SelectorOperator op, const KnownLabels& known,
             std::vector<SelectorRequirement>& labels) {
  for (const std::string& key : keys) {
    const std::string* value = known.Find(key);
    if (value == nullptr && known.made_with && IsOfMaker(key)) return false;
    if (value != nullptr) labels.push_back({key, op, {*value}});
  }
  return true;
}

// As the webhook of LeaderWorkerSets writes that a sub-group has a domain for itself: each of its
// pods names the sub-group by a hash.
constexpr std::string_view kSubGroupKey = "leaderworkerset.sigs.k8s.io/subgroup-key";
constexpr std::string_view kReplicaKey = "leaderworkerset.sigs.k8s.io/group-key";

bool IsOwn(const SelectorRequirement& one, SelectorOperator op, const LabelSet& labels) {
  const std::string* own = FindLabel(labels, kSubGroupKey);
  return own != nullptr && one.key == kSubGroupKey && one.op == op && one.values.size() == 1 &&
         one.values.front() == *own;
}

// It keeps a sub-group together, which is the replica's rule: pods of one shape have one profile.
bool IsOfSubGroup(const PodAffinityTerm& term, const LabelSet& labels) {
  const auto& pods = term.pods.labels;
  return pods.size() == 1 && IsOwn(pods.front(), SelectorOperator::kIn, labels);
}

// ... and apart from all others, those of its own replica among them: the same of the replica, and
// of others, is left of it.
void KeepReplicaApart(const LabelSet& labels, PodAffinityTerm& term) {
  const std::string* replica = FindLabel(labels, kReplicaKey);
  for (SelectorRequirement& one : term.pods.labels) {
    if (replica != nullptr && IsOwn(one, SelectorOperator::kNotIn, labels))
      one = {std::string(kReplicaKey), SelectorOperator::kNotIn, {*replica}};
  }
  SortUnique(term.pods.labels, Before);
}

std::optional<PodAffinityTerm> TakeTerm(PodTermDraft& draft, std::string_view ns,
                                        const KnownLabels& known) {
  const LabelSelectorDraft& by_labels = draft.namespace_labels;
  if (draft.topology_key.empty() || !draft.pods.given) return std::nullopt;
  if (!by_labels.match_labels.empty() || !by_labels.requirements.empty()) return std::nullopt;
  PodAffinityTerm term;
  term.topology_key = std::move(draft.topology_key);
  term.pods.labels = TakeSorted(draft.pods);
  if (!AddKeys(draft.match_keys, SelectorOperator::kIn, known, term.pods.labels)) return {};
  if (!AddKeys(draft.mismatch_keys, SelectorOperator::kNotIn, known, term.pods.labels)) return {};
  SortUnique(term.pods.labels, Before);
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

PodAffinity TakePodAffinity(ObjectDraft& draft, std::string_view ns, const LabelSet& labels) {
  PodAffinity affinity;
  const KnownLabels known{labels, draft.made_with};
  // Terms that were not read whole may lack what a term needs.
  if (draft.near.unread) draft.near.terms.clear();
  for (PodTermDraft& one : draft.near.terms) {
    std::optional<PodAffinityTerm> term = TakeTerm(one, ns, known);
    draft.near.unread = draft.near.unread || !term;
    if (term && !IsOfSubGroup(*term, labels)) affinity.near.push_back(*std::move(term));
  }
  if (draft.near.unread) affinity.near.clear();
  if (draft.apart.unread) return affinity;
  for (PodTermDraft& one : draft.apart.terms) {
    std::optional<PodAffinityTerm> term = TakeTerm(one, ns, known);
    if (term) KeepReplicaApart(labels, *term);
    if (term) affinity.apart.push_back(*std::move(term));
  }
  return affinity;
}

}  // namespace gangplan
