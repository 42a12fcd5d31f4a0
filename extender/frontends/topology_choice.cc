#include "extender/frontends/topology_choice.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "topology/base/text.h"

namespace gangplan {
namespace {

using Requirements = std::vector<SelectorRequirement>;

void Add(const Requirements& more, Requirements& all) {
  all.insert(all.end(), more.begin(), more.end());
}

// All that one term asks of the labels of a node, with the selector.
std::vector<Requirements> AlternativesOf(const NodeFilter& filter) {
  Requirements selector;
  for (const auto& [key, value] : filter.node_selector)
    selector.push_back({key, SelectorOperator::kIn, {value}});
  if (!filter.required_terms) return {selector};
  std::vector<Requirements> alternatives;
  for (const NodeSelectorTerm& term : *filter.required_terms) {
    if (!CanMatch(term)) continue;
    Add(selector, alternatives.emplace_back(term.labels));
  }
  return alternatives;
}

// Alternatives at most that lists of values are taken apart into: each pod that is judged pays.
constexpr size_t kMostAlternatives = 32;

Requirements About(std::string_view key, const Requirements& all) {
  Requirements some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const SelectorRequirement& one) { return one.key == key; });
  return some;
}

// Values of a label that meet all of these; nothing: there is no list of them.
std::optional<std::vector<std::string>> ValuesOf(const Requirements& all) {
  const auto list = std::find_if(all.begin(), all.end(), [](const SelectorRequirement& one) {
    return one.op == SelectorOperator::kIn;
  });
  if (list == all.end()) return std::nullopt;
  std::vector<std::string> values;
  std::copy_if(list->values.begin(), list->values.end(), std::back_inserter(values),
               [&](const std::string& value) {
                 return std::all_of(all.begin(), all.end(), [&](const SelectorRequirement& one) {
                   return MatchesLabel(one, &value);
                 });
               });
  return values;
}

bool MeetsWithout(const Requirements& all) {
  return std::all_of(all.begin(), all.end(),
                     [](const SelectorRequirement& one) { return MatchesLabel(one, nullptr); });
}

bool NeedsNone(const Requirements& all) {
  return std::any_of(all.begin(), all.end(), [](const SelectorRequirement& one) {
    return one.op == SelectorOperator::kDoesNotExist;
  });
}

// The label may be such that all of these, which are about it, are met.
bool CanBeMet(const Requirements& all) {
  if (const auto values = ValuesOf(all)) return !values->empty();
  return MeetsWithout(all) || !NeedsNone(all);
}

// Whatever a label is that meets all of `known`, it meets `one`.
bool Implies(const Requirements& known, const SelectorRequirement& one) {
  if (const auto values = ValuesOf(known)) {
    return std::all_of(values->begin(), values->end(),
                       [&](const std::string& value) { return MatchesLabel(one, &value); });
  }
  if (NeedsNone(known)) return MatchesLabel(one, nullptr);
  return one.op == SelectorOperator::kExists && !known.empty() && !MeetsWithout(known);
}

// A node that meets the pod's own requirements may be in the scope.
bool MayBeIn(const NodeScope& scope, const Requirements& own) {
  return std::all_of(scope.labels.begin(), scope.labels.end(), [&](const auto& one) {
    Requirements all = About(one.key, own);
    Add(About(one.key, scope.labels), all);
    return CanBeMet(all);
  });
}

bool MustBeIn(const NodeScope& scope, const Requirements& own) {
  return std::all_of(scope.labels.begin(), scope.labels.end(),
                     [&](const auto& one) { return Implies(About(one.key, own), one); });
}

// Of values that lie in several scopes each by itself: all of them together are in none. Where
// there would be too many alternatives they stay together.
std::vector<Requirements> ByValues(std::vector<Requirements> alternatives,
                                   std::span<const ScopedTopology> topologies) {
  std::set<std::string_view> keys;
  for (const ScopedTopology& one : topologies) {
    for (const SelectorRequirement& label : one.nodes.labels) keys.insert(label.key);
  }
  for (std::string_view key : keys) {
    std::vector<Requirements> split;
    for (const Requirements& own : alternatives) {
      const auto values = ValuesOf(About(key, own));
      if (split.size() + (values ? values->size() : 1) > kMostAlternatives) return alternatives;
      if (!values) {
        split.push_back(own);
        continue;
      }
      Requirements others = own;
      std::erase_if(others, [&](const auto& one) { return one.key == key; });
      for (const std::string& value : *values) {
        split.push_back(others);
        split.back().push_back({std::string(key), SelectorOperator::kIn, {value}});
      }
    }
    alternatives = std::move(split);
  }
  return alternatives;
}

// One without a selector has the nodes that are in no other's.
bool MayGo(const Requirements& own, std::span<const ScopedTopology> topologies,
           const ScopedTopology& to) {
  if (!to.nodes.all()) return MayBeIn(to.nodes, own);
  return std::none_of(topologies.begin(), topologies.end(), [&](const ScopedTopology& other) {
    return !other.nodes.all() && MustBeIn(other.nodes, own);
  });
}

// "racks" and "rings"
std::string NamesText(std::span<const ScopedTopology> topologies) {
  std::string text;
  for (size_t i = 0; i < topologies.size(); ++i) {
    const bool last = i + 1 == topologies.size();
    text += fmt::format("{}\"{}\"", i == 0 ? "" : last ? " and " : ", ", topologies[i].name);
  }
  return text;
}

std::string ScopesText(std::span<const ScopedTopology> topologies) {
  std::string text;
  for (const ScopedTopology& one : topologies) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", one.name,
                        one.nodes.all() ? "all other nodes" : ScopeText(one.nodes));
  }
  return text;
}

}  // namespace

absl::StatusOr<TopologyIndex> ChooseTopology(const std::optional<std::string>& word,
                                             const NodeFilter& filter,
                                             std::span<const ScopedTopology> topologies,
                                             TopologyIndex usual, std::string_view key) {
  std::optional<size_t> named;
  for (size_t i = 0; word && i < topologies.size(); ++i) {
    if (topologies[i].name == *word) named = i;
  }
  if (word && !named)
    return Invalid("{}: there is no topology \"{}\", only {}", key, Shown(*word),
                   NamesText(topologies));
  if (topologies.size() == 1) return 0;
  const std::vector<Requirements> alternatives = ByValues(AlternativesOf(filter), topologies);
  std::vector<size_t> open;
  for (size_t i = 0; i < topologies.size(); ++i) {
    const bool may =
        std::any_of(alternatives.begin(), alternatives.end(),
                    [&](const Requirements& own) { return MayGo(own, topologies, topologies[i]); });
    if (may) open.push_back(i);
  }
  const bool may = named && std::find(open.begin(), open.end(), *named) != open.end();
  if (open.empty() || (named && !may)) {
    return Invalid("node selector and required affinity let it go to no node of {}{}",
                   named ? "topology " : "any topology: ",
                   ScopesText(named ? topologies.subspan(*named, 1) : topologies));
  }
  if (named) return static_cast<TopologyIndex>(*named);
  if (open.size() == 1) return static_cast<TopologyIndex>(open.front());
  if (std::find(open.begin(), open.end(), static_cast<size_t>(usual)) != open.end()) return usual;
  std::vector<ScopedTopology> may_go;
  for (size_t i : open) may_go.push_back(topologies[i]);
  return Invalid(
      "node selector and required affinity let it go to nodes of the topologies {}, and to none of "
      "\"{}\", the default; expected {} to name one of them",
      NamesText(may_go), topologies[static_cast<size_t>(usual)].name, key);
}

}  // namespace gangplan
