#include "algorithms/remedies.h"

#include <algorithm>
#include <numeric>

#include "algorithms/exact/ask.h"
#include "algorithms/exact/own_rules.h"
#include "algorithms/exact/units.h"
#include "algorithms/exact/why.h"
#include "algorithms/grown_view.h"
#include "algorithms/members.h"
#include "algorithms/packs.h"
#include "algorithms/pod_sets.h"
#include "algorithms/problem.h"
#include "algorithms/rule_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// Leaves of the trees that are made to find where more nodes do, together.
constexpr int64_t kMostLeavesCopied = 1'000'000;

enum class Answer { kYes, kNo, kUndecided };

// Each kind with the tries of its own, all with the same steps.
class Asker {
 public:
  explicit Asker(const RemedyQuestion& question)
      : question_(question), steps_(question.budget.steps) {}

  Answer Fits(const PlacementView& view, const PlacementRequest& request) {
    if (!RequestProblem(*view.tree, request).empty()) return Answer::kNo;
    if (tries_-- <= 0 || steps_ <= 0) return Answer::kUndecided;
    if (request.strategy == Strategy::kTas) {
      const auto same = [&] { return view; };
      const bool placed = Place(view, same, request, {}).outcome == Outcome::kPlaced;
      return placed ? Answer::kYes : Answer::kNo;
    }
    const exact::SetsAnswer answer = exact::AskInUnits(view, request, false, steps_);
    if (answer.placed) return Answer::kYes;
    return answer.proven ? Answer::kNo : Answer::kUndecided;
  }
  Answer Fits(const PlacementRequest& request) { return Fits(question_.now, request); }
  void BeginKind() { tries_ = kRemedyTries; }
  int64_t steps() const { return std::max<int64_t>(steps_, 0); }

 private:
  const RemedyQuestion& question_;
  int64_t steps_;
  int32_t tries_ = 0;
};

// The least value in (low, high] that is enough, where each greater one is, too, and `high` was
// tried; nothing: not decided.
template <typename Try>
std::optional<int32_t> Least(int32_t low, int32_t high, Try enough) {
  while (high - low > 1) {
    const int32_t middle = low + (high - low) / 2;
    const Answer answer = enough(middle);
    if (answer == Answer::kUndecided) return std::nullopt;
    (answer == Answer::kYes ? high : low) = middle;
  }
  return high;
}

bool PlainPacks(const PlacementRequest& request) {
  if (request.strategy == Strategy::kExact && exact::HasOwnRules(request)) return false;
  for (size_t set = 0; set < request.pod_sets.size(); ++set) {
    const LevelRules& rules = RulesOf(request, set);
    const bool plain = std::all_of(rules.begin(), rules.end(), [](const auto& rule) {
      const std::string_view word = rule ? WordBeyondPack(*rule) : std::string_view();
      return word.empty() || word == "any";
    });
    if (!plain) return false;
  }
  return true;
}

// ---- fewer members

// From one less on down, where a smaller number may not fit though a larger one does.
std::optional<FewerMembers> FewerOneByOne(const PlacementRequest& request, size_t set,
                                          Asker& asker) {
  for (int32_t members = request.pod_sets[set].count - 1; members > 0; --members) {
    const Answer answer = asker.Fits(WithMembers(request, set, members));
    if (answer == Answer::kUndecided) break;
    if (answer == Answer::kYes) return FewerMembers{static_cast<int32_t>(set), members};
  }
  return std::nullopt;
}

// What the rules admit most, where the engine knows it; of the pod set whose own rule fails, if one
// does.
std::optional<FewerMembers> FewerByRules(const RemedyQuestion& question, size_t set, Asker& asker) {
  const PlacementRequest& request = question.request;
  const exact::WhyNot why = exact::Why(question.now, request, false, Budget{asker.steps()});
  const int32_t most = why.most;
  if (why.failing_set >= 0) set = static_cast<size_t>(why.failing_set);
  const int32_t members = request.pod_sets[set].count - (exact::AllMembers(request) - most);
  if (most == 0 || members < 1) return std::nullopt;
  const bool next = members + 1 == request.pod_sets[set].count ||
                    asker.Fits(WithMembers(request, set, members + 1)) == Answer::kNo;
  if (!next || asker.Fits(WithMembers(request, set, members)) != Answer::kYes) return std::nullopt;
  return FewerMembers{static_cast<int32_t>(set), members};
}

// Members that stand are no room of others: of such a group it is not asked.
std::optional<FewerMembers> Fewer(const RemedyQuestion& question, Asker& asker) {
  asker.BeginKind();
  const PlacementRequest& request = question.request;
  if (!request.fixed.empty()) return std::nullopt;
  const size_t set = LargestPodSet(request);
  const int32_t count = request.pod_sets[set].count;
  if (!PlainPacks(request)) {
    return request.strategy == Strategy::kTas ? FewerOneByOne(request, set, asker)
                                              : FewerByRules(question, set, asker);
  }
  const auto left_out = [&](int32_t members) {
    return asker.Fits(WithMembers(request, set, count - members));
  };
  if (count < 2 || left_out(count - 1) != Answer::kYes) return std::nullopt;
  const std::optional<int32_t> least = Least(0, count - 1, left_out);
  if (!least) return std::nullopt;
  return FewerMembers{static_cast<int32_t>(set), count - *least};
}

// ---- a weaker rule

bool IsHardPack(const std::optional<LevelRule>& rule) {
  return rule && rule->hard && rule->kind == LevelRule::Kind::kPack;
}

int DeepestHardPack(const LevelRules& rules) {
  int level = static_cast<int>(rules.size()) - 1;
  while (level >= 0 && !IsHardPack(rules[static_cast<size_t>(level)])) --level;
  return level;
}

class RuleSearch {
 public:
  RuleSearch(const RemedyQuestion& question, Asker& asker)
      : question_(question), tree_(*question.now.tree), asker_(asker) {}

  std::optional<WeakerRule> Find() {
    asker_.BeginKind();
    if (question_.request.strategy == Strategy::kTas) return OfTas();
    const bool plain = PlainPacks(question_.request);
    std::optional<WeakerRule> found = plain ? std::nullopt : OtherWord();
    return found ? found : HigherPack();
  }

 private:
  std::optional<WeakerRule> OtherWord();
  std::optional<WeakerRule> HigherPack();
  std::optional<WeakerRule> OfTas();
  std::optional<WeakerRule> Told(PlacementRequest request) const;
  const std::string& LevelName(int level) const { return tree_.level(level).name; }

  const RemedyQuestion& question_;
  const Tree& tree_;
  Asker& asker_;
};

// In the words of who has written the rules: those of levels that they wrote, and the deepest level
// of which one domain has to hold all still, where that followed from what is left out now.
// Nothing: what is left out did not come from their words.
std::optional<WeakerRule> RuleSearch::Told(PlacementRequest request) const {
  const LevelRules& before = question_.request.rules;
  std::vector<std::string> from, to, soft;
  int kept = -1;
  for (int level = 0; level < tree_.level_count(); ++level) {
    const auto at = static_cast<size_t>(level);
    const std::optional<LevelRule>& rule = request.rules[at];
    if (rule == before[at]) {
      if (IsHardPack(rule)) kept = level;
      continue;
    }
    if (!question_.told[at]) continue;
    from.push_back(RuleText(LevelName(level), *question_.told[at]));
    const std::string now = RuleText(LevelName(level), rule.value_or(LevelRule{}));
    (rule.value_or(LevelRule{}) == LevelRule{} ? soft : to).push_back(now);
  }
  if (from.empty()) return std::nullopt;
  const auto above = static_cast<size_t>(std::max(kept, 0));
  const bool follows = kept >= 0 && !IsHardPack(question_.told[above]);
  if (follows) to.insert(to.begin(), RuleText(LevelName(kept), *request.rules[above]));
  if (to.empty()) to = std::move(soft);
  return WeakerRule{std::move(request), -1, fmt::format("{}", fmt::join(to, "; ")),
                    fmt::format("{}", fmt::join(from, "; "))};
}

std::optional<WeakerRule> RuleSearch::OtherWord() {
  const exact::WhyNot why =
      exact::Why(question_.now, question_.request, false, Budget{asker_.steps()});
  if (!why.weaker) return std::nullopt;
  PlacementRequest request = question_.request;
  const auto level = static_cast<size_t>(why.weaker->level);
  const int set = why.weaker->pod_set;
  LevelRules& rules = set < 0 ? request.rules : request.pod_sets[static_cast<size_t>(set)].rules;
  const LevelRule before = rules[level].value_or(LevelRule{});
  rules[level] = why.weaker->rule;
  // A pod set's hard packs further up are so because of this one.
  const bool softer = set >= 0 && !why.weaker->rule.hard && IsHardPack(before);
  for (size_t above = level; softer && above > 0 && IsHardPack(rules[above - 1]); --above)
    rules[above - 1]->hard = false;
  if (asker_.Fits(request) != Answer::kYes) return std::nullopt;
  if (set < 0) return Told(std::move(request));
  const std::string& name = LevelName(why.weaker->level);
  return WeakerRule{std::move(request), set, RuleText(name, why.weaker->rule),
                    RuleText(name, before)};
}

// All in one domain of a level further up, the next one first; at last in none. Levels above a hard
// pack are hard because of it.
std::optional<WeakerRule> RuleSearch::HigherPack() {
  PlacementRequest request = question_.request;
  for (int level = DeepestHardPack(request.rules); level >= 0; --level) {
    std::optional<LevelRule>& rule = request.rules[static_cast<size_t>(level)];
    if (!IsHardPack(rule)) break;
    rule->hard = false;
    const Answer answer = asker_.Fits(request);
    if (answer == Answer::kUndecided) break;
    if (answer == Answer::kYes) return Told(std::move(request));
  }
  return std::nullopt;
}

// Kueue's words: a required level gives way to the next one above, at last to the same one
// preferred. Of the pod set that found no room, and of the one that goes with it.
std::optional<WeakerRule> RuleSearch::OfTas() {
  const auto empty = [&] { return question_.empty; };
  const PlacementResult result = Place(question_.now, empty, question_.request, question_.budget);
  const auto set = static_cast<size_t>(result.deciding_pod_set);
  const int32_t partner = PartnerOf(question_.request, set);
  const int hard = DeepestHardPack(RulesOf(question_.request, set));
  for (int level = hard - 1; hard >= 0 && level >= -1; --level) {
    PlacementRequest request = question_.request;
    const auto weaken = [&](LevelRules& rules) {
      if (rules.empty() || DeepestHardPack(rules) != hard) return;
      LevelRule& old = *rules[static_cast<size_t>(hard)];
      old.hard = false;
      if (level < 0) return;
      old.kind = LevelRule::Kind::kAny;
      std::optional<LevelRule>& above = rules[static_cast<size_t>(level)];
      if (!above) above.emplace();
      above->kind = LevelRule::Kind::kPack;
      above->hard = true;
    };
    weaken(request.rules);
    weaken(request.pod_sets[set].rules);
    if (partner >= 0) weaken(request.pod_sets[static_cast<size_t>(partner)].rules);
    const Answer answer = asker_.Fits(request);
    if (answer == Answer::kUndecided) break;
    if (answer == Answer::kNo) continue;
    const bool own = !request.pod_sets[set].rules.empty() && request.pod_sets.size() > 1;
    return WeakerRule{std::move(request), own ? static_cast<int32_t>(set) : -1,
                      fmt::format("{} {}", level < 0 ? "preferred" : "required",
                                  LevelName(level < 0 ? hard : level)),
                      fmt::format("required {}", LevelName(hard))};
  }
  return std::nullopt;
}

// ---- more nodes

class NodeSearch {
 public:
  NodeSearch(const RemedyQuestion& question, Asker& asker)
      : question_(question), tree_(*question.now.tree), asker_(asker) {}

  std::optional<MoreNodes> Find();

 private:
  std::vector<int32_t> Kinds() const;
  bool Dominates(int32_t leaf, int32_t other) const;
  std::optional<MoreNodes> FindOfOneDomain(const std::vector<int32_t>& kinds);
  std::optional<MoreNodes> FindAnywhere(const std::vector<int32_t>& kinds);
  int32_t CountOf(int32_t leaf) const {
    return question_.empty.counts.front()->levels.back()[static_cast<size_t>(leaf)];
  }

  const RemedyQuestion& question_;
  const Tree& tree_;
  Asker& asker_;
};

// As many of each pod set fit on the one, when empty, as on the other.
bool NodeSearch::Dominates(int32_t leaf, int32_t other) const {
  return std::all_of(
      question_.empty.counts.begin(), question_.empty.counts.end(), [&](const FitCounts* counts) {
        const std::vector<int32_t>& leaves = counts->levels.back();
        return leaves[static_cast<size_t>(leaf)] >= leaves[static_cast<size_t>(other)];
      });
}

// A leaf of each kind that is not less than another one, the first by path; so many at most.
std::vector<int32_t> NodeSearch::Kinds() const {
  constexpr size_t kMostKinds = 8;
  std::vector<int32_t> kinds;
  for (int32_t leaf = 0; leaf < tree_.leaf_count(); ++leaf) {
    const auto covers = [&](int32_t kind) { return Dominates(kind, leaf); };
    if (std::any_of(kinds.begin(), kinds.end(), covers)) continue;
    std::erase_if(kinds, [&](int32_t kind) { return Dominates(leaf, kind); });
    kinds.push_back(leaf);
    if (kinds.size() > kMostKinds) return {};
  }
  return kinds;
}

// Plain packs ask of one domain, or of all, how many fit there, and of nothing else.
std::optional<MoreNodes> NodeSearch::FindOfOneDomain(const std::vector<int32_t>& kinds) {
  const PlacementRequest only = OnlyPodSet(question_.request, 0);
  const int hard = DeepestHardPack(only.rules);
  const std::vector<LevelEvidence> evidence =
      Explain(question_.now, question_.empty, question_.request);
  const std::span<const int32_t> tops = question_.now.counts.front()->at(0);
  const int32_t room = hard < 0 ? std::accumulate(tops.begin(), tops.end(), int32_t{0})
                                : evidence[static_cast<size_t>(hard)].best_fit;
  const int32_t domain = hard < 0 ? -1 : evidence[static_cast<size_t>(hard)].best_domain;
  const int32_t like = kinds.front();
  if (CountOf(like) == 0) return std::nullopt;
  const int32_t missing = MembersToPlace(question_.request) - room;
  MoreNodes more;
  more.like = like;
  more.nodes = std::max(1, (missing + CountOf(like) - 1) / CountOf(like));
  if (hard == tree_.leaf_level()) {
    if (CountOf(like) < MembersToPlace(question_.request)) return std::nullopt;
    more.nodes = 1;
  } else if (hard >= 0) {
    more.level = hard;
    more.domain = domain;
  }
  if (more.nodes > kMaxMoreNodes) return std::nullopt;
  const int32_t first = more.domain < 0 ? 0 : tree_.leaves(more.level, more.domain).begin;
  more.under = tree_.leaf_level() == 0 ? 0 : tree_.Ancestor(first, tree_.leaf_level() - 1);
  GrownView grown(question_.now, question_.empty, more.under, more.nodes);
  const PlacementRequest request = grown.Here(question_.request);
  grown.Grow(more.nodes, like);
  if (asker_.Fits(grown.view(), request) != Answer::kYes) return std::nullopt;
  grown.Grow(more.nodes - 1, like);
  if (asker_.Fits(grown.view(), request) != Answer::kNo) return std::nullopt;
  return more;
}

// Each lowest domain with each kind: whether fewer than so far are enough, and how many then. More
// room never hurts, so that is found by halving.
std::optional<MoreNodes> NodeSearch::FindAnywhere(const std::vector<int32_t>& kinds) {
  const int level = tree_.leaf_level() - 1;
  const int32_t domains = level < 0 ? 1 : tree_.size(level);
  if (int64_t{domains} * tree_.leaf_count() > kMostLeavesCopied) return std::nullopt;
  MoreNodes best;
  best.nodes = kMaxMoreNodes + 1;
  for (int32_t under = 0; under < domains && best.nodes > 1; ++under) {
    GrownView grown(question_.now, question_.empty, under, best.nodes - 1);
    const PlacementRequest request = grown.Here(question_.request);
    for (const int32_t like : kinds) {
      if (best.nodes == 1) break;
      const auto enough = [&](int32_t nodes) {
        grown.Grow(nodes, like);
        return asker_.Fits(grown.view(), request);
      };
      const Answer answer = enough(best.nodes - 1);
      if (answer == Answer::kUndecided) return std::nullopt;
      if (answer == Answer::kNo) continue;
      const std::optional<int32_t> least = Least(0, best.nodes - 1, enough);
      if (!least) return std::nullopt;
      best = {*least, like, under, level, level < 0 ? -1 : under};
    }
  }
  if (best.nodes > kMaxMoreNodes) return std::nullopt;
  return best;
}

std::optional<MoreNodes> NodeSearch::Find() {
  asker_.BeginKind();
  const bool tas = question_.request.strategy == Strategy::kTas;
  if (tas && !question_.request.fixed.empty()) return std::nullopt;
  const std::vector<int32_t> kinds = Kinds();
  if (kinds.empty()) return std::nullopt;
  const bool one = question_.request.pod_sets.size() == 1 && PlainPacks(question_.request) &&
                   (tas || AsksForOneDomain(question_.request));
  return one ? FindOfOneDomain(kinds) : FindAnywhere(kinds);
}

}  // namespace

Remedies FindRemedies(const RemedyQuestion& question) {
  Remedies remedies;
  if (question.now.tree->leaf_count() == 0) return remedies;
  Asker asker(question);
  remedies.fewer = Fewer(question, asker);
  remedies.weaker = RuleSearch(question, asker).Find();
  remedies.nodes = NodeSearch(question, asker).Find();
  return remedies;
}

}  // namespace gangplan
