#include "algorithms/exact/why.h"

#include <algorithm>
#include <cstdlib>

#include "algorithms/exact/ask.h"
#include "algorithms/exact/units.h"
#include "algorithms/members.h"

namespace gangplan::exact {
namespace {

class Inquiry {
 public:
  Inquiry(const PlacementView& view, const PlacementRequest& request, bool counted, int64_t steps)
      : view_(view), request_(request), counted_(counted), steps_(steps) {}

  int FailingLevel();
  void FindNearest(WhyNot& why);
  std::optional<Weaker> FindWeaker();

 private:
  SetsAnswer Ask(const PlacementRequest& request) {
    return AskInUnits(view_, request, counted_, steps_);
  }
  bool Fits(int level, const LevelRule& rule) {
    PlacementRequest changed = request_;
    changed.rules[level] = rule;
    return Ask(changed).placed;
  }
  using Number = std::optional<int32_t> LevelRule::*;
  // The value of one number of a rule, next to `from`, that is enough, when each further on to `to`
  // asks less.
  std::optional<Weaker> Nearest(int level, Number number, int32_t from, int32_t to);
  std::optional<Weaker> OtherPartitions(int level);
  std::optional<Weaker> WeakerAt(int level);

  const PlacementView& view_;
  const PlacementRequest& request_;
  const bool counted_;
  int64_t steps_;
};

int Inquiry::FailingLevel() {
  PlacementRequest some = request_;
  std::fill(some.rules.begin(), some.rules.end(), std::nullopt);
  if (!Ask(some).placed) return -1;
  for (int level = 0; level < view_.tree->level_count(); ++level) {
    if (!request_.rules[level]) continue;
    some.rules[level] = request_.rules[level];
    if (!Ask(some).placed) return level;
  }
  return view_.tree->leaf_level();
}

// The largest pod set gives way.
void Inquiry::FindNearest(WhyNot& why) {
  constexpr int kTries = 32;
  const auto largest = std::max_element(
      request_.pod_sets.begin(), request_.pod_sets.end(),
      [](const PodSetRequest& a, const PodSetRequest& b) { return a.count < b.count; });
  const auto set = static_cast<int32_t>(largest - request_.pod_sets.begin());
  const auto standing =
      std::count_if(request_.fixed.begin(), request_.fixed.end(),
                    [&](const FixedMember& member) { return member.pod_set == set; });
  int32_t most = Ask(request_).most;
  for (int tries = 0; tries < kTries && most > 0; ++tries) {
    const int32_t count = largest->count - (why.members - most);
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
  LevelRule rule = *request_.rules[level];
  rule.*number = to;
  if (from == to || !Fits(level, rule)) return std::nullopt;
  while (std::abs(to - from) > 1) {
    const int32_t middle = from + (to - from) / 2;
    rule.*number = middle;
    (Fits(level, rule) ? to : from) = middle;
  }
  rule.*number = to;
  return Weaker{level, rule};
}

std::optional<Weaker> Inquiry::OtherPartitions(int level) {
  constexpr int32_t kTries = 16;
  LevelRule rule = *request_.rules[level];
  const int32_t asked = *rule.partitions;
  for (int32_t away = 1; away <= kTries && steps_ > 0; ++away) {
    for (const int32_t value : {asked - away, asked + away}) {
      rule.partitions = value;
      if (value > 0 && Fits(level, rule)) return Weaker{level, rule};
    }
  }
  return std::nullopt;
}

// A lower min, a higher max, other partitions, no factor, no longer hard: in this order.
std::optional<Weaker> Inquiry::WeakerAt(int level) {
  const LevelRule& rule = *request_.rules[level];
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
  if (!found && rule.factor && Fits(level, other)) found = Weaker{level, other};
  other = rule;
  other.hard = false;
  if (!found && rule.hard && Fits(level, other)) found = Weaker{level, other};
  return found;
}

// One word less, else one rule without any of its words.
std::optional<Weaker> Inquiry::FindWeaker() {
  for (int level = view_.tree->leaf_level(); level >= 0; --level) {
    if (!request_.rules[level]) continue;
    std::optional<Weaker> found = WeakerAt(level);
    if (found) return found;
  }
  for (int level = view_.tree->leaf_level(); level >= 0; --level) {
    if (!request_.rules[level]) continue;
    LevelRule bare;
    bare.kind = request_.rules[level]->kind;
    if (Fits(level, bare)) return Weaker{level, bare};
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
  why.failing_level = inquiry.FailingLevel();
  inquiry.FindNearest(why);
  if (why.failing_level >= 0) why.weaker = inquiry.FindWeaker();
  return why;
}

}  // namespace gangplan::exact
