#include "extender/planner/gate_pin.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "extender/cluster/annotations.h"
#include "extender/planner/limits.h"
#include "extender/planner/pin_words.h"

namespace gangplan {
namespace {

bool IsEmpty(const NodeSelectorTerm& term) { return term.labels.empty() && term.fields.empty(); }

// The nodes that a pin by name has, as one requirement on their host names, as far as the user's
// own words allow them. Without values: some node has no such label.
SelectorRequirement Hosts(const Model& model, const NodeFilter& own, const Pin& pin) {
  SelectorRequirement hosts{std::string(kHostnameLabel), SelectorOperator::kIn, {}};
  for (const NodeSelectorTerm& term : pin.terms) {
    const NodeFacts& node = *model.Facts(model.FindNode(term.fields.back().values.front()));
    if (!MatchesSelector(own, node)) continue;
    const std::string* host = FindLabel(node.labels, kHostnameLabel);
    if (host == nullptr) return {hosts.key, hosts.op, {}};
    hosts.values.push_back(*host);
  }
  return hosts;
}

// An empty term matches nothing, and has to stay as it is.
std::vector<NodeSelectorTerm> Grown(std::vector<NodeSelectorTerm> terms,
                                    const std::vector<SelectorRequirement>& more) {
  for (NodeSelectorTerm& term : terms) {
    if (!IsEmpty(term)) term.labels.insert(term.labels.end(), more.begin(), more.end());
  }
  return terms;
}

bool AllName(const std::vector<NodeSelectorTerm>& terms) {
  return std::all_of(terms.begin(), terms.end(), [](const NodeSelectorTerm& term) {
    return term.labels.empty() && term.fields.size() == 1 && term.fields[0].key == kNodeNameField;
  });
}

// Takes the one node that was added out of each term. False: some term has none.
bool Widen(std::vector<NodeSelectorTerm>& terms) {
  for (NodeSelectorTerm& term : terms) {
    if (IsEmpty(term)) continue;
    if (term.fields.empty()) return false;
    term.fields.pop_back();
  }
  return true;
}

// False: some term does not end with so many.
bool Shorten(std::vector<NodeSelectorTerm>& terms, size_t labels) {
  for (NodeSelectorTerm& term : terms) {
    if (IsEmpty(term)) continue;
    if (!DropPinLabels(term, labels)) return false;
  }
  return true;
}

}  // namespace

Pin PinGated(const Model& model, const PinRequest& request) {
  const NodeFilter& own = request.own;
  PinRequest free = request;
  free.own.required_terms.reset();
  Pin pin = PinTo(model, free);
  pin.words = std::string(PinKindOf(pin.words));  // nobody can change the terms of a pod
  if (pin.terms.empty() || !own.required_terms) return pin;
  std::vector<SelectorRequirement> more = pin.terms.front().labels;
  if (!pin.terms.front().fields.empty()) {
    more = {Hosts(model, own, pin)};
    pin.words = std::string(kPinByHosts);
    if (more.front().values.empty()) return {};
  }
  pin.terms = Grown(*own.required_terms, more);
  return TooManyForPod(pin.terms, own) ? Pin() : pin;
}

Pin PinToOne(const NodeFilter& own, const std::string& node) {
  const SelectorRequirement name{std::string(kNodeNameField), SelectorOperator::kIn, {node}};
  Pin pin{{{{}, {name}}}, std::string(kPinToOne), node};
  if (!own.required_terms) return pin;
  pin.terms = *own.required_terms;
  for (NodeSelectorTerm& term : pin.terms) {
    if (!IsEmpty(term)) term.fields.push_back(name);
  }
  return pin;
}

bool WasReleased(const PodFacts& pod) {
  return FindLabel(pod.annotations, kPinnedAnnotation) != nullptr;
}

const std::vector<NodeSelectorTerm>* SharedPinOf(const PodFacts& pod) {
  const bool waits = WasReleased(pod) && pod.node_name.empty() && pod.filter.required_terms;
  return waits && OwnNodeOf(pod).empty() ? &*pod.filter.required_terms : nullptr;
}

std::string OwnNodeOf(const PodFacts& pod) {
  const std::string* words = FindLabel(pod.annotations, kPinnedAnnotation);
  if (words == nullptr || *words != kPinToOne || !pod.filter.required_terms) return {};
  for (const NodeSelectorTerm& term : *pod.filter.required_terms) {
    if (term.fields.empty() || term.fields.back().key != kNodeNameField) continue;
    if (term.fields.back().values.size() == 1) return term.fields.back().values.front();
  }
  return {};
}

NodeFilter OwnFilterOf(const PodFacts& pod) {
  const std::string* words = FindLabel(pod.annotations, kPinnedAnnotation);
  if (words == nullptr || !pod.filter.required_terms) return pod.filter;
  const std::string_view kind = PinKindOf(*words);
  std::optional<size_t> labels = PinLabelsOf(kind);
  if (kind == kPinByHosts) labels = 1;
  const bool to_one = kind == kPinToOne;
  if (kind != kPinByName && !labels && !to_one) return pod.filter;
  NodeFilter own = pod.filter;
  if (kind == kPinByName) {  // it had no terms of its own
    if (!AllName(*own.required_terms)) return pod.filter;
    own.required_terms.reset();
    return own;
  }
  auto& terms = *own.required_terms;
  if (to_one ? !Widen(terms) : !Shorten(terms, *labels)) return pod.filter;
  // Nobody's own term asks for nothing, where we have added to it.
  const bool none = own.required_terms->size() == 1 && IsEmpty(own.required_terms->front());
  if (none && !IsEmpty(pod.filter.required_terms->front())) own.required_terms.reset();
  return own;
}

}  // namespace gangplan
