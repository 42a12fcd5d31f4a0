#include "algorithms/exact/terms.h"

#include <algorithm>
#include <numeric>

#include "algorithms/rule_text.h"
#include "topology/base/text.h"

namespace gangplan::exact {
namespace {

using Kind = LevelRule::Kind;

int64_t RoundUp(int64_t value, int64_t factor) { return (value + factor - 1) / factor * factor; }

// What words of one rule contradict each other.
std::string OwnContradiction(const LevelRule& rule) {
  const bool one_each = rule.hard && rule.kind == Kind::kSpread;
  if (rule.hard && rule.kind == Kind::kPack && rule.partitions.value_or(1) != 1)
    return fmt::format("a hard pack uses one domain, not {}", *rule.partitions);
  if (one_each && rule.min.value_or(1) > 1)
    return fmt::format("a hard spread puts one member in a domain, min asks for {}", *rule.min);
  if (one_each && rule.factor.value_or(1) > 1)
    return fmt::format("a hard spread puts one member in a domain, which is no multiple of {}",
                       *rule.factor);
  const Terms terms = TermsOf(rule);
  if (terms.min > terms.max)
    return fmt::format("min {} is greater than max {}", terms.min, terms.max);
  if (RoundUp(terms.min, terms.factor) > terms.max)
    return fmt::format("no multiple of {} lies between {} and {}", terms.factor, terms.min,
                       terms.max);
  return "";
}

}  // namespace

Terms TermsOf(const std::optional<LevelRule>& rule) {
  Terms terms;
  if (!rule) return terms;
  terms.kind = rule->kind;
  terms.min = std::max(1, rule->min.value_or(1));
  terms.max = rule->max.value_or(kNoLimit);
  terms.factor = std::max(1, rule->factor.value_or(1));
  terms.parts = std::max(0, rule->partitions.value_or(0));
  if (rule->hard && rule->kind == Kind::kPack) terms.parts = 1;
  if (rule->hard && rule->kind == Kind::kSpread) terms.max = std::min(terms.max, 1);
  return terms;
}

std::vector<Terms> TermsOf(const Tree& tree, const PlacementRequest& request) {
  std::vector<Terms> terms;
  for (int level = 0; level < tree.level_count(); ++level) {
    terms.push_back(TermsOf(request.rules[static_cast<size_t>(level)]));
    terms.back().floors = UnitFloors(tree, request, level);
  }
  return terms;
}

int32_t Terms::FloorOf(int32_t domain) const {
  const auto found =
      std::lower_bound(floors.begin(), floors.end(), domain,
                       [](const UnitFloor& floor, int32_t one) { return floor.domain < one; });
  return found == floors.end() || found->domain != domain ? 0 : found->least;
}

std::vector<Terms> WithThoseBelow(std::span<const Terms> terms) {
  std::vector<Terms> all(terms.begin(), terms.end());
  for (size_t level = all.size() - 1; level-- > 0;) {
    const Terms& below = all[level + 1];
    Terms& here = all[level];
    here.min = std::max(here.min, below.least() * std::max(1, below.parts));
    here.factor = std::lcm(here.factor, below.factor);
  }
  return all;
}

std::string Contradiction(const Tree& tree, const PlacementRequest& request, int32_t members) {
  int64_t least = 1;  // members of a used domain of the level below, as its rules have it
  int64_t step = 1;   // ... and what their number is a multiple of
  for (int level = tree.leaf_level(); level >= 0; --level) {
    const std::optional<LevelRule>& rule = request.rules[level];
    const int below = level == tree.leaf_level() ? level : level + 1;
    const int32_t parts = below == level ? 1 : TermsOf(request.rules[below]).parts;
    least *= std::max(1, parts);
    const Terms terms = TermsOf(rule);
    step = std::lcm(step, int64_t{terms.factor});
    const std::string& name = tree.level(level).name;
    const auto text = [&] { return RuleText(name, rule.value_or(LevelRule())); };
    if (rule) {
      const std::string own = OwnContradiction(*rule);
      if (!own.empty()) return fmt::format("{}: {}", text(), own);
    }
    least = RoundUp(std::max<int64_t>(least, terms.min), step);
    if (least > terms.max)
      return fmt::format("{}: the rules below put at least {} members into one {}", text(), least,
                         name);
    if (least > members)
      return fmt::format("{}: a used {} has at least {} members, the group has {}",
                         rule ? text() : fmt::format("{}=pack", name), name, least, members);
    if (members % step != 0)
      return fmt::format("{}: {} members are no multiple of {}", text(), members, step);
  }
  const int32_t parts = TermsOf(request.rules.front()).parts;
  if (least * std::max(1, parts) > members)
    return fmt::format("{}: {} used domains have at least {} members, the group has {}",
                       RuleText(tree.level(0).name, *request.rules.front()), parts, least * parts,
                       members);
  return "";
}

}  // namespace gangplan::exact
