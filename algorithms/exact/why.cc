#include "algorithms/exact/why.h"

#include <algorithm>
#include <cstdlib>

#include "algorithms/exact/ask.h"
#include "algorithms/exact/own_rules.h"
#include "algorithms/exact/units.h"
#include "algorithms/members.h"
#include "algorithms/pod_sets.h"

namespace gangplan::exact {
namespace {

class Inquiry {
 public:
  Inquiry(const PlacementView& view, const PlacementRequest& request, bool counted, int64_t steps)
      : view_(view), request_(request), counted_(counted), steps_(steps) {}

  void FindFailing(WhyNot& why);
  void FindNearest(WhyNot& why);
  std::optional<Weaker> FindWeaker();

 private:
  SetsAnswer Ask(const PlacementRequest& request) {
    return AskInUnits(view_, request, counted_, steps_);
  }
  // The rules of all (-1), or a pod set's own.
  static LevelRules& RulesOf(PlacementRequest& request, int set) {
    return set < 0 ? request.rules : request.pod_sets[static_cast<size_t>(set)].rules;
  }
  const std::optional<LevelRule>& RuleAt(int level) {
    static const std::optional<LevelRule> kNone;
    const LevelRules& rules =
        set_ < 0 ? request_.rules : request_.pod_sets[static_cast<size_t>(set_)].rules;
    return rules.empty() ? kNone : rules[static_cast<size_t>(level)];
  }
  bool Fits(int level, const LevelRule& rule) {
    PlacementRequest changed = request_;
    RulesOf(changed, set_)[static_cast<size_t>(level)] = rule;
    return Ask(changed).placed;
  }
  bool IsHardPack(int level) {
    const std::optional<LevelRule>& rule = RuleAt(level);
    return rule && rule->hard && rule->kind == LevelRule::Kind::kPack;
  }
  int AsWritten(int level);
  bool FitsSoft(int level, LevelRule rule);
  using Number = std::optional<int32_t> LevelRule::*;
  // The value of one number of a rule, next to `from`, that is enough, when each further on to `to`
  // asks less.
  std::optional<Weaker> Nearest(int level, Number number, int32_t from, int32_t to);
  std::optional<Weaker> OtherPartitions(int level);
  std::optional<Weaker> WeakerAt(int level);
  std::optional<Weaker> BareAt(int level);

  const PlacementView& view_;
  const PlacementRequest& request_;
  const bool counted_;
  int64_t steps_;
  int set_ = -1;  // whose rules are looked at
};

// Of a pod set's own rules a hard pack is so for those further down, as far as these are.
int Inquiry::AsWritten(int level) {
  const int last = view_.tree->leaf_level();
  while (set_ >= 0 && IsHardPack(level) && level < last && IsHardPack(level + 1)) ++level;
  return level;
}

// Likewise, with what is hard further up because of it.
bool Inquiry::FitsSoft(int level, LevelRule rule) {
  rule.hard = false;
  if (Fits(level, rule)) return true;
  if (set_ < 0 || !IsHardPack(level)) return false;
  PlacementRequest changed = request_;
  for (; level >= 0 && IsHardPack(level); --level)
    RulesOf(changed, set_)[static_cast<size_t>(level)]->hard = false;
  return Ask(changed).placed;
}

void Inquiry::FindFailing(WhyNot& why) {
  PlacementRequest some = WithoutOwnRules(request_);
  std::fill(some.rules.begin(), some.rules.end(), std::nullopt);
  if (!Ask(some).placed) return;
  for (set_ = -1; set_ < static_cast<int>(request_.pod_sets.size()); ++set_) {
    for (int level = 0; level < view_.tree->level_count(); ++level) {
      if (!RuleAt(level)) continue;
      why.failing_level = AsWritten(level);
      why.failing_set = set_;
      LevelRules& rules = RulesOf(some, set_);
      rules.resize(request_.rules.size());
      rules[static_cast<size_t>(level)] = RuleAt(level);
      if (!Ask(some).placed) return;
    }
  }
}

// The pod set whose rule fails gives way, else the largest one.
void Inquiry::FindNearest(WhyNot& why) {
  constexpr int kTries = 32;
  const auto set =
      why.failing_set >= 0 ? why.failing_set : static_cast<int32_t>(LargestPodSet(request_));
  const auto standing =
      std::count_if(request_.fixed.begin(), request_.fixed.end(),
                    [&](const FixedMember& member) { return member.pod_set == set; });
  int32_t most = Ask(request_).most;
  for (int tries = 0; tries < kTries && most > 0; ++tries) {
    const int32_t count = request_.pod_sets[static_cast<size_t>(set)].count - (why.members - most);
    if (count < std::max<int64_t>(1, standing)) return;
    const SetsAnswer answer = Ask(WithMembers(request_, static_cast<size_t>(set), count));
    if (answer.placed) {
      std::vector<int32_t> leaves;
      for (const FixedMember& member : request_.fixed) leaves.push_back(member.leaf);
      for (const auto& one : answer.leaves) leaves.insert(leaves.end(), one.begin(), one.end());
      std::sort(leaves.begin(), leaves.end());
      why.most = most;
      for (int32_t leaf : leaves) {
        if (why.nearest.empty() || why.nearest.back().leaf != leaf)
          why.nearest.push_back({leaf, 0});
        ++why.nearest.back().members;
      }
      return;
    }
    most = std::min(most - 1, answer.most > 0 ? answer.most : most - 1);
  }
}

std::optional<Weaker> Inquiry::Nearest(int level, Number number, int32_t from, int32_t to) {
  LevelRule rule = *RuleAt(level);
  rule.*number = to;
  if (from == to || !Fits(level, rule)) return std::nullopt;
  while (std::abs(to - from) > 1) {
    const int32_t middle = from + (to - from) / 2;
    rule.*number = middle;
    (Fits(level, rule) ? to : from) = middle;
  }
  rule.*number = to;
  return Weaker{level, rule, set_};
}

std::optional<Weaker> Inquiry::OtherPartitions(int level) {
  constexpr int32_t kTries = 16;
  LevelRule rule = *RuleAt(level);
  const int32_t asked = *rule.partitions;
  for (int32_t away = 1; away <= kTries && steps_ > 0; ++away) {
    for (const int32_t value : {asked - away, asked + away}) {
      rule.partitions = value;
      if (value > 0 && Fits(level, rule)) return Weaker{level, rule, set_};
    }
  }
  return std::nullopt;
}

// A lower min, a higher max, other partitions, no factor, no longer hard: in this order.
std::optional<Weaker> Inquiry::WeakerAt(int level) {
  const LevelRule& rule = *RuleAt(level);
  const int32_t members = AllMembers(request_);
  std::optional<Weaker> found;
  if (rule.min) found = Nearest(level, &LevelRule::min, *rule.min, 1);
  if (!found && rule.max && *rule.max < members)
    found = Nearest(level, &LevelRule::max, *rule.max, members);
  const bool one = rule.hard && rule.kind == LevelRule::Kind::kPack;
  if (!found && rule.partitions && !one) found = OtherPartitions(level);
  LevelRule other = rule;
  other.factor.reset();
  other.ranked = false;
  if (!found && rule.factor && Fits(level, other)) found = Weaker{level, other, set_};
  other = rule;
  other.hard = false;
  if (!found && rule.hard && FitsSoft(level, other)) found = Weaker{level, other, set_};
  return found;
}

std::optional<Weaker> Inquiry::BareAt(int level) {
  LevelRule bare;
  bare.kind = RuleAt(level)->kind;
  if (!Fits(level, bare)) return std::nullopt;
  return Weaker{level, bare, set_};
}

// One word less, else one rule without any of its words; those of all first.
std::optional<Weaker> Inquiry::FindWeaker() {
  for (const auto weaker : {&Inquiry::WeakerAt, &Inquiry::BareAt}) {
    for (set_ = -1; set_ < static_cast<int>(request_.pod_sets.size()); ++set_) {
      for (int level = view_.tree->leaf_level(); level >= 0; --level) {
        if (!RuleAt(level)) continue;
        std::optional<Weaker> found = (this->*weaker)(level);
        if (found) return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

WhyNot Why(const PlacementView& view, const PlacementRequest& request, bool counted,
           const Budget& budget) {
  WhyNot why;
  why.members = AllMembers(request);
  if (view.tree->leaf_count() == 0) return why;
  Inquiry inquiry(view, request, counted, budget.steps);
  inquiry.FindFailing(why);
  inquiry.FindNearest(why);
  if (why.failing_level >= 0) why.weaker = inquiry.FindWeaker();
  return why;
}

}  // namespace gangplan::exact
