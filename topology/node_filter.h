// Which nodes a pod may use: node selector, required node affinity and tolerations, as the
// Kubernetes API defines them (core/v1 NodeSelector, Toleration). Pure data and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/labels.h"
#include "topology/node_facts.h"

namespace gangplan {

// How a taint's value must stand to a toleration's; kLess and kGreater compare whole numbers, and
// match nothing where one of the two is none.
enum class TaintComparison { kEqual, kLess, kGreater };

struct Toleration {
  std::string key;      // empty with kExists: every taint
  bool exists = false;  // operator Exists; else as `comparison` says
  std::string value;
  std::optional<TaintEffect> effect;                     // none: every effect
  TaintComparison comparison = TaintComparison::kEqual;  // operators Equal, Lt, Gt
  friend bool operator==(const Toleration&, const Toleration&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Toleration& x) {
    int effect = x.effect ? static_cast<int>(*x.effect) : -1;
    return H::combine(std::move(h), x.key, x.exists, x.value, effect, x.comparison);
  }
};

enum class SelectorOperator { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

struct SelectorRequirement {
  std::string key;
  SelectorOperator op = SelectorOperator::kIn;
  std::vector<std::string> values;
  friend bool operator==(const SelectorRequirement&, const SelectorRequirement&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const SelectorRequirement& x) {
    return H::combine(std::move(h), x.key, x.op, x.values);
  }
};

// The only field that a term may ask for.
inline constexpr std::string_view kNodeNameField = "metadata.name";

// All requirements of a term must hold. An empty term matches nothing.
struct NodeSelectorTerm {
  std::vector<SelectorRequirement> labels;
  std::vector<SelectorRequirement> fields;  // of kNodeNameField
  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const NodeSelectorTerm& x) {
    return H::combine(std::move(h), x.labels, x.fields);
  }
};

struct NodeFilter {
  LabelSet node_selector;                                       // all must be equal
  std::optional<std::vector<NodeSelectorTerm>> required_terms;  // one must match
  std::vector<Toleration> tolerations;
  friend bool operator==(const NodeFilter&, const NodeFilter&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const NodeFilter& x) {
    h = H::combine(std::move(h), x.node_selector, x.required_terms.has_value(), x.tolerations);
    return x.required_terms ? H::combine(std::move(h), *x.required_terms) : std::move(h);
  }
};

// One requirement against the value of the label that it names; null when the node lacks it.
bool MatchesLabel(const SelectorRequirement& requirement, const std::string* label);

// As kubectl writes it: "zone in (a,b)", "zone!=a", "!zone".
std::string RequirementText(const SelectorRequirement& one);
// A requirement on metadata.name that names nodes; any other one on fields matches nothing.
bool NamesNodes(const SelectorRequirement& requirement);
bool MatchesField(const SelectorRequirement& requirement, const std::string& node_name);
// Some node might match: the term is not empty, and every operator has its number of values.
bool CanMatch(const NodeSelectorTerm& term);

// Every requirement of the term holds; an empty term matches nothing.
bool MatchesTerm(const NodeSelectorTerm& term, const NodeFacts& node);

// Of the selector and of all required terms.
int32_t RequirementsOf(const NodeFilter& filter);

// Selector and required affinity.
bool MatchesSelector(const NodeFilter& filter, const NodeFacts& node);

// No NoSchedule or NoExecute taint is left untolerated. A cordoned node counts as tainted with
// node.kubernetes.io/unschedulable:NoSchedule, as kube-scheduler does.
bool ToleratesTaints(const NodeFilter& filter, const NodeFacts& node);

// As ToleratesTaints, for a cluster at its best: not the cordon, nor the taints
// node.kubernetes.io/{not-ready,unreachable,unschedulable} that come and go with a node's state.
bool ToleratesLastingTaints(const NodeFilter& filter, const NodeFacts& node);

}  // namespace gangplan
