#include "extender/planner/pin.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "extender/planner/limits.h"
#include "extender/planner/pin_words.h"
#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "topology/base/text.h"
#include "topology/digest.h"

namespace gangplan {
namespace {

// The words after the first: how many members were started, and which terms they are about.
constexpr std::string_view kMembers = "members=";
constexpr std::string_view kTerms = "terms=";

using Terms = std::vector<NodeSelectorTerm>;

size_t SizeOf(const NodeSelectorTerm& term) { return term.labels.size() + term.fields.size(); }

// Nobody's own terms are one that asks for nothing.
Terms OwnTerms(const NodeFilter& own) {
  return own.required_terms ? *own.required_terms : Terms{NodeSelectorTerm{}};
}

bool Allows(const NodeSelectorTerm& term, const NodeFacts& node) {
  return SizeOf(term) == 0 || MatchesTerm(term, node);
}

// The lowest level above the node on which they share a domain; -1: on none.
int SharedLevel(const Tree& tree, int32_t first, int32_t last) {
  int level = tree.leaf_level() - 1;
  while (level >= 0 && tree.Ancestor(first, level) != tree.Ancestor(last, level)) --level;
  return level;
}

// That, or the lowest one that all members have to share, which may be larger.
int LevelOf(const Tree& tree, const LevelRules& rules, int32_t first, int32_t last) {
  int level = SharedLevel(tree, first, last);
  for (int i = std::min(level, static_cast<int>(rules.size()) - 1); i >= 0; --i) {
    const auto& rule = rules[static_cast<size_t>(i)];
    if (rule && rule->hard && rule->kind == LevelRule::Kind::kPack) return i;
  }
  return level;
}

// The first leaf of what is planned, and the level of the domain above it; -1: all of the cluster.
std::pair<int32_t, int> LowestDomain(const Model& model, const PinRequest& request) {
  const auto before = [&](NodeIndex a, NodeIndex b) {
    return model.LeafOfNode(request.topology, a) < model.LeafOfNode(request.topology, b);
  };
  const auto [least, most] =
      std::minmax_element(request.planned.begin(), request.planned.end(), before);
  const int32_t first = model.LeafOfNode(request.topology, *least);
  const int32_t last = model.LeafOfNode(request.topology, *most);
  return {first, LevelOf(model.tree(request.topology), request.rules, first, last)};
}

// How many nodes of a domain with so many leaves are named.
size_t NamedOf(size_t leaves, size_t planned) {
  if (leaves <= kPinnedWhole) return leaves;
  return std::min(kMaxPinnedNodes, planned + std::max(kLeastSpareNodes, planned / 4));
}

// Those that were planned, and others of the domain as far as there is place for them.
std::vector<NodeIndex> NodesOf(const Model& model, const PinRequest& request, Tree::Range leaves) {
  const std::span<const NodeIndex> planned = request.planned;
  std::vector<NodeIndex> nodes(planned.begin(), planned.end());
  const size_t most = NamedOf(static_cast<size_t>(leaves.end - leaves.begin), planned.size());
  for (int32_t leaf = leaves.begin; leaf < leaves.end && nodes.size() < most; ++leaf) {
    const NodeIndex node = model.NodeOfLeaf(request.topology, leaf);
    const bool there = std::binary_search(planned.begin(), planned.end(), node);
    if (!there && MatchesSelector(request.own, *model.Facts(node))) nodes.push_back(node);
  }
  std::sort(nodes.begin(), nodes.end(), [&](NodeIndex a, NodeIndex b) {
    return model.LeafOfNode(request.topology, a) < model.LeafOfNode(request.topology, b);
  });
  return nodes;
}

NodeSelectorTerm Named(NodeSelectorTerm term, const std::string& node) {
  term.fields.push_back({std::string(kNodeNameField), SelectorOperator::kIn, {node}});
  return term;
}

// A term a node, with the first of the user's own that allows it; then those that allow none, so
// that none is forgotten.
Terms ByName(const Model& model, const Terms& own, const std::vector<NodeIndex>& nodes) {
  Terms terms;
  std::vector<bool> used(own.size());
  for (const NodeIndex node : nodes) {
    const auto term = std::find_if(own.begin(), own.end(), [&](const NodeSelectorTerm& one) {
      return Allows(one, *model.Facts(node));
    });
    if (term == own.end()) continue;
    used[static_cast<size_t>(term - own.begin())] = true;
    terms.push_back(Named(*term, model.NodeName(node)));
  }
  for (size_t i = 0; i < own.size(); ++i) {
    if (!used[i]) terms.push_back(Named(own[i], model.NodeName(nodes.front())));
  }
  return terms;
}

Terms ByLabels(const Tree& tree, const NodeScope& ours, Terms terms, int32_t leaf, int level) {
  for (NodeSelectorTerm& term : terms) {
    term.labels.insert(term.labels.end(), ours.labels.begin(), ours.labels.end());
    for (int i = 0; i <= level; ++i) {
      const std::string& name = tree.name(i, tree.Ancestor(leaf, i));
      term.labels.push_back({tree.level(i).label, SelectorOperator::kIn, {name}});
    }
  }
  return terms;
}

// Of all that the terms say.
std::string DigestOf(const Terms& terms) {
  Digest digest;
  for (const NodeSelectorTerm& term : terms) {
    digest.Add(term.labels);
    digest.Add(term.fields);
  }
  return digest.text();
}

// The value behind this key; empty: it is not there.
std::string_view WordIn(std::string_view words, std::string_view key) {
  const size_t at = words.find(fmt::format(" {}", key));
  if (at == std::string_view::npos) return {};
  words.remove_prefix(at + 1 + key.size());
  return words.substr(0, words.find(' '));
}

bool IsName(const SelectorRequirement& one) {
  return one.key == kNodeNameField && one.op == SelectorOperator::kIn && one.values.size() == 1;
}

// Takes the pin out of one term; false: it has none.
bool TakePin(NodeSelectorTerm& term, bool by_name, size_t labels) {
  if (by_name) {
    if (term.fields.empty() || !IsName(term.fields.back())) return false;
    term.fields.pop_back();
    return true;
  }
  return DropPinLabels(term, labels);
}

}  // namespace

bool TooManyForPod(const Terms& terms, const NodeFilter& own) {
  size_t requirements = 0;
  size_t labels = own.node_selector.size();
  size_t values = 0;
  for (const NodeSelectorTerm& term : terms) {
    requirements += SizeOf(term);
    labels += term.labels.size();
    for (const SelectorRequirement& one : term.labels) values += one.values.size();
  }
  return terms.size() > kMaxSelectorTerms || requirements > kMaxNodeRequirements ||
         labels > kMaxNodeLabels || values > kMaxNodeValues;
}

DomainLabels DomainOf(const Model& model, const PinRequest& request) {
  const Tree& tree = model.tree(request.topology);
  const auto [first, level] = LowestDomain(model, request);
  DomainLabels domain;
  if (level < 0 || !request.levels_on_nodes) return domain;
  for (int i = 0; i <= level; ++i)
    SetLabel(domain.labels, tree.level(i).label,
             std::string(tree.name(i, tree.Ancestor(first, i))));
  domain.told = tree.Path(level, tree.Ancestor(first, level));
  return domain;
}

Pin PinTo(const Model& model, const PinRequest& request) {
  const Tree& tree = model.tree(request.topology);
  const std::span<const NodeIndex> planned = request.planned;
  const auto [first, level] = LowestDomain(model, request);
  const Tree::Range all{0, tree.leaf_count()};
  const Tree::Range leaves = level < 0 ? all : tree.leaves(level, tree.Ancestor(first, level));
  const std::string domain = level < 0 ? "" : tree.Path(level, tree.Ancestor(first, level));
  Pin pin;
  if (planned.size() <= kMaxPinnedNodes) {
    const std::vector<NodeIndex> nodes = NodesOf(model, request, leaves);
    pin = {ByName(model, OwnTerms(request.own), nodes), std::string(kPinByName),
           domain.empty() ? fmt::format("{} nodes", nodes.size())
                          : fmt::format("{} nodes of {}", nodes.size(), domain)};
  }
  const bool by_labels = pin.terms.empty() || TooManyForPod(pin.terms, request.own);
  if (by_labels && level >= 0 && request.levels_on_nodes) {
    const size_t labels = request.ours.labels.size() + static_cast<size_t>(level) + 1;
    pin = {ByLabels(tree, request.ours, OwnTerms(request.own), first, level),
           fmt::format("{}{}", kPinByLabels, labels), domain};
  }
  if (pin.terms.empty() || TooManyForPod(pin.terms, request.own)) return Pin();
  pin.words += fmt::format(" {}{} {}{}", kMembers, request.members, kTerms, DigestOf(pin.terms));
  return pin;
}

NodeFilter WithoutPin(NodeFilter filter, const std::string* words) {
  if (words == nullptr || !filter.required_terms) return filter;
  if (WordIn(*words, kTerms) != DigestOf(*filter.required_terms)) return filter;
  const std::string_view kind = PinKindOf(*words);
  const bool by_name = kind == kPinByName;
  const std::optional<size_t> labels = PinLabelsOf(kind);
  if (!by_name && !labels) return filter;
  Terms own;
  for (NodeSelectorTerm term : *filter.required_terms) {
    if (!TakePin(term, by_name, labels.value_or(0))) return filter;
    if (std::find(own.begin(), own.end(), term) == own.end()) own.push_back(std::move(term));
  }
  filter.required_terms.reset();
  if (own.size() != 1 || SizeOf(own.front()) > 0) filter.required_terms = std::move(own);
  return filter;
}

int32_t MembersOfPin(std::string_view words) {
  int32_t members = 0;
  return absl::SimpleAtoi(ToAbsl(WordIn(words, kMembers)), &members) && members > 0 ? members : 0;
}

}  // namespace gangplan
