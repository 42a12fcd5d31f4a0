#include "algorithms/exact/why.h"

#include <algorithm>

#include "algorithms/exact/ask.h"
#include "algorithms/exact/several.h"

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
    return AskSets(view_, request, TermsOf(request), counted_, steps_);
  }
  bool Fits(int level, const LevelRule& rule) {
    PlacementRequest changed = request_;
    changed.rules[level] = rule;
    return Ask(changed).placed;
  }
  // The value of one number of a rule, of those from the first to the last, that is enough first.
  template <typename Number>
  std::optional<Weaker> FirstThatFits(int level, Number number, int32_t from, int32_t to);
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
  PlacementRequest fewer = request_;
  auto largest = std::max_element(
      fewer.pod_sets.begin(), fewer.pod_sets.end(),
      [](const PodSetRequest& a, const PodSetRequest& b) { return a.count < b.count; });
  const auto set = static_cast<int32_t>(largest - fewer.pod_sets.begin());
  const auto standing =
      std::count_if(request_.fixed.begin(), request_.fixed.end(),
                    [&](const FixedMember& member) { return member.pod_set == set; });
  int32_t most = Ask(request_).most;
  for (int tries = 0; tries < kTries && most > 0; ++tries) {
    largest->count = request_.pod_sets[set].count - (why.members - most);
    if (largest->count < std::max<int64_t>(1, standing)) return;
    const SetsAnswer answer = Ask(fewer);
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

template <typename Number>
std::optional<Weaker> Inquiry::FirstThatFits(int level, Number number, int32_t from, int32_t to) {
  LevelRule rule = *request_.rules[level];
  for (int32_t value = from; value != to + (to < from ? -1 : 1); value += to < from ? -1 : 1) {
    rule.*number = value;
    if (Fits(level, rule)) return Weaker{level, rule};
    if (steps_ <= 0) break;
  }
  return std::nullopt;
}

// A lower min, a higher max, other partitions, no factor, no longer hard: in this order.
std::optional<Weaker> Inquiry::WeakerAt(int level) {
  const LevelRule& rule = *request_.rules[level];
  const int32_t members = AllMembers(request_);
  std::optional<Weaker> found;
  if (rule.min) found = FirstThatFits(level, &LevelRule::min, *rule.min - 1, 1);
  if (!found && rule.max && *rule.max < members)
    found = FirstThatFits(level, &LevelRule::max, *rule.max + 1, std::min(members, *rule.max + 64));
  if (!found && rule.partitions && *rule.partitions > 1)
    found = FirstThatFits(level, &LevelRule::partitions, *rule.partitions - 1, 1);
  LevelRule other = rule;
  other.factor.reset();
  if (!found && rule.factor && Fits(level, other)) found = Weaker{level, other};
  other = rule;
  other.hard = false;
  if (!found && rule.hard && Fits(level, other)) found = Weaker{level, other};
  return found;
}

std::optional<Weaker> Inquiry::FindWeaker() {
  for (int level = view_.tree->leaf_level(); level >= 0; --level) {
    if (!request_.rules[level]) continue;
    std::optional<Weaker> found = WeakerAt(level);
    if (found) return found;
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
