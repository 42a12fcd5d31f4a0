#include "algorithms/exact/words.h"

#include "algorithms/exact/ask.h"
#include "algorithms/exact/several.h"
#include "algorithms/members.h"
#include "algorithms/packs.h"
#include "algorithms/rule_text.h"
#include "topology/base/text.h"

namespace gangplan::exact {
namespace {

std::string NearestText(const Tree& tree, const WhyNot& why) {
  constexpr size_t kShown = 8;
  std::string text = fmt::format("\n  nearest: {} of {} fit by these rules", why.most, why.members);
  for (size_t i = 0; i < why.nearest.size() && i < kShown; ++i)
    text += fmt::format("{}{} on {}", i == 0 ? ": " : ", ", why.nearest[i].members,
                        tree.Path(tree.leaf_level(), why.nearest[i].leaf));
  if (why.nearest.size() > kShown)
    text += fmt::format(", the rest on {} more", why.nearest.size() - kShown);
  return text;
}

// "pod set workers: " of its own rule.
std::string WhoseText(const PlacementRequest& request, int pod_set) {
  if (pod_set < 0) return "";
  return fmt::format("pod set {}: ", request.pod_sets[static_cast<size_t>(pod_set)].name);
}

std::string FailingText(const Tree& tree, const PlacementRequest& request, const WhyNot& why) {
  const int level = why.failing_level;
  if (level < 0) return "\n  there is no room for all of them, whatever the rules";
  const LevelRules& rules = why.failing_set < 0
                                ? request.rules
                                : request.pod_sets[static_cast<size_t>(why.failing_set)].rules;
  return fmt::format("\n  the first rule that fails: {}{}", WhoseText(request, why.failing_set),
                     RuleText(tree.level(level).name, *rules[static_cast<size_t>(level)]));
}

std::string GapText(const Tree& tree, const std::optional<PlacementGap>& gap) {
  if (!gap) return "";
  const std::string& level = tree.level(gap->level).name;
  const std::string text = "\n  the search ended before the best was proven: ";
  if (gap->domains != gap->bound_domains)
    return text + fmt::format("{} of level {} are used, at least {} are needed", gap->domains,
                              level, gap->bound_domains);
  return text + fmt::format("the squared members of each {} add up to {}, the best to {} at {}",
                            level, gap->squares, gap->bound_squares,
                            gap->domains > 0 ? "most" : "least");
}

std::string ChangeText(const Tree& tree, const PlacementRequest& request, const WhyNot& why) {
  std::string text;
  if (why.weaker)
    text += fmt::format("\n  would be placed with {}{}", WhoseText(request, why.weaker->pod_set),
                        RuleText(tree.level(why.weaker->level).name, why.weaker->rule));
  if (!why.nearest.empty())
    text += fmt::format("\n  would be placed with {} fewer", MembersText(why.members - why.most));
  return text;
}

// What the rules admit on the empty cluster, where it is not all.
std::string HopeText(int32_t most) {
  if (most == 0) return "the empty cluster has no placement for any number of members";
  return fmt::format("the empty cluster has a placement for {} at most", most);
}

}  // namespace

std::string AskedText(const Tree& tree, const PlacementRequest& request) {
  std::string text = MembersText(AllMembers(request));
  std::string_view joint = " by ";
  const auto hard = [](const std::optional<LevelRule>& rule) {
    return rule && rule->hard && WordBeyondPack(*rule).empty();
  };
  const auto add = [&](const std::string& whose, const LevelRules& rules) {
    for (size_t level = 0; level < rules.size(); ++level) {
      const std::optional<LevelRule>& rule = rules[level];
      if (!rule || (whose.empty() && *rule == LevelRule{})) continue;
      // It follows from the one below.
      const bool follows = hard(rule) && level + 1 < rules.size() && hard(rules[level + 1]);
      if (!whose.empty() && follows) continue;
      text += fmt::format("{}{}{}", joint, whose,
                          RuleText(tree.level(static_cast<int>(level)).name, *rule));
      joint = "; ";
    }
  };
  add("", request.rules);
  for (const PodSetRequest& set : request.pod_sets) add(fmt::format("{}: ", set.name), set.rules);
  return text;
}

std::string VerdictText(const Tree& tree, const PlacementRequest& request,
                        const PlacementResult& result) {
  const std::string asked = AskedText(tree, request);
  if (result.outcome == Outcome::kImpossible)
    return fmt::format("impossible: {}; {}", asked, HopeText(result.most_when_empty));
  if (!result.proven)
    return fmt::format("whether {} have a placement now was not decided in time", asked);
  const auto stand = static_cast<int32_t>(request.fixed.size());
  if (stand == 0) return fmt::format("there is no placement of {} now", asked);
  return fmt::format("there is no placement of {} now, beside {} that stand{}", asked,
                     MembersText(stand), stand == 1 ? "s" : "");
}

std::string WhyText(const PlacementView& now, const PlacementView& empty,
                    const PlacementRequest& request, const Budget& budget) {
  const Tree& tree = *now.tree;
  std::string text = fmt::format("  asked: {}", AskedText(tree, request));
  int64_t steps = budget.steps;
  const SetsAnswer found = AskSets(now, request, TermsOf(tree, request), false, steps);
  if (found.placed) return text + "\n  it can be placed now" + GapText(tree, found.gap);
  if (!found.proven) return text + "\n  whether it can be placed was not decided in time";
  const WhyNot why = Why(now, request, false, budget);
  text += FailingText(tree, request, why);
  if (!why.nearest.empty()) text += NearestText(tree, why);
  text += ChangeText(tree, request, why);
  steps = budget.steps;
  const SetsAnswer hope = AskSets(empty, request, TermsOf(tree, request), true, steps);
  if (hope.placed) return text + "\n  the empty cluster has a placement";
  if (!hope.proven) return text;
  return text + "\n  " + HopeText(hope.most);
}

}  // namespace gangplan::exact
