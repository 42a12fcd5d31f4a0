#include "topology/usable_nodes.h"

#include <algorithm>
#include <functional>
#include <string>

#include "topology/base/text_map.h"

namespace gangplan {
namespace {

using Bits = std::vector<uint8_t>;

// Bits that a node's barrier leaves, whatever the node's labels are.
uint8_t BarrierBits(const NodeFacts& facts, const NodeFilter& filter) {
  if (!ToleratesLastingTaints(filter, facts)) return 0;
  const bool now = facts.ready && ToleratesTaints(filter, facts);
  return now ? kUsableNow | kUsableAtBest : kUsableAtBest;
}

Bits BehindBarriers(const NodeTable& nodes, const NodeFilter& filter) {
  const BarrierTable& table = nodes.barrier_table();
  Bits of_barrier(table.size(), 0);
  for (BarrierId barrier = kNoSuchNode + 1; barrier < table.size(); ++barrier) {
    if (!table.unused(barrier)) of_barrier[barrier] = BarrierBits(table.facts(barrier), filter);
  }
  Bits bits(nodes.size());
  std::transform(nodes.barriers().begin(), nodes.barriers().end(), bits.begin(),
                 [&](BarrierId barrier) { return of_barrier[barrier]; });
  return bits;
}

// Whether each value of the label matches, in one pass over the requirement's own values.
Bits MatchingValues(const LabelColumn& label, const SelectorRequirement& requirement) {
  const bool in = requirement.op == SelectorOperator::kIn;
  const bool listed = in || requirement.op == SelectorOperator::kNotIn;
  TextSet values;
  if (listed) values.insert(requirement.values.begin(), requirement.values.end());
  Bits of_value(label.texts().size());
  for (size_t value = 0; value < of_value.size(); ++value) {
    const std::string* text = value == 0 ? nullptr : &label.texts()[value];
    const bool matches = listed ? (text != nullptr && values.contains(*text)) == in
                                : MatchesLabel(requirement, text);
    of_value[value] = matches ? 0xFF : 0;
  }
  return of_value;
}

void KeepMatching(const NodeTable& nodes, const SelectorRequirement& requirement, Bits& bits) {
  LabelColumn made;
  const LabelColumn& label = nodes.labels().Of(requirement.key, made);
  const Bits of_value = MatchingValues(label, requirement);
  for (size_t node = 0; node < bits.size(); ++node) bits[node] &= of_value[label.values()[node]];
}

// By the requirement the nodes that it names keep their bits, or all others do.
void KeepNamed(const NodeTable& nodes, const SelectorRequirement& requirement, Bits& bits) {
  const bool others = NamesNodes(requirement) && requirement.op == SelectorOperator::kNotIn;
  Bits kept = others ? bits : Bits(bits.size(), 0);
  if (NamesNodes(requirement)) {
    for (const std::string& name : requirement.values) {
      const NodeIndex node = nodes.Find(name);
      if (node != kNoNode) kept[node] = others ? 0 : bits[node];
    }
  }
  bits = std::move(kept);
}

void KeepMatching(const NodeTable& nodes, const NodeSelectorTerm& term, Bits& bits) {
  for (const SelectorRequirement& requirement : term.labels) KeepMatching(nodes, requirement, bits);
  for (const SelectorRequirement& requirement : term.fields) KeepNamed(nodes, requirement, bits);
}

}  // namespace

std::vector<uint8_t> UsableNodes(const NodeTable& nodes, const NodeFilter& filter) {
  Bits bits = BehindBarriers(nodes, filter);
  for (const auto& [key, value] : filter.node_selector)
    KeepMatching(nodes, {key, SelectorOperator::kIn, {value}}, bits);
  if (!filter.required_terms) return bits;
  Bits some(bits.size(), 0);
  for (const NodeSelectorTerm& term : *filter.required_terms) {
    if (!CanMatch(term)) continue;
    Bits all = bits;
    KeepMatching(nodes, term, all);
    std::transform(all.begin(), all.end(), some.begin(), some.begin(), std::bit_or<>());
  }
  return some;
}

bool MayUseNow(const NodeRecord& record, const NodeFilter& filter) {
  return record.exists && record.facts.ready && MatchesSelector(filter, record.facts) &&
         ToleratesTaints(filter, record.facts);
}

bool MayUseAtBest(const NodeRecord& record, const NodeFilter& filter) {
  return record.exists && MatchesSelector(filter, record.facts) &&
         ToleratesLastingTaints(filter, record.facts);
}

uint8_t UsableBits(const NodeRecord& record, const NodeFilter& filter) {
  if (!MayUseAtBest(record, filter)) return 0;
  return MayUseNow(record, filter) ? kUsableNow | kUsableAtBest : kUsableAtBest;
}

}  // namespace gangplan
