#include "extender/planner/advice_question.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/hash/hash.h"
#include "algorithms/refused_view.h"
#include "algorithms/remedies.h"

namespace gangplan {
namespace {

uint64_t HashOf(uint64_t hash, const LevelRules& rules) {
  for (const std::optional<LevelRule>& rule : rules) {
    hash = absl::HashOf(hash, rule.has_value());
    if (!rule) continue;
    hash = absl::HashOf(hash, static_cast<int>(rule->kind), rule->hard, rule->partitions, rule->min,
                        rule->max, rule->factor, rule->ranked);
  }
  return hash;
}

}  // namespace

uint64_t AdviceQuestion::Fingerprint() const {
  const PlacementRequest& request = task->request;
  uint64_t hash =
      absl::HashOf(state, lower, task->snapshot.Fingerprint(), ends->snapshot.Fingerprint(),
                   task->refused, ends->refused, task->scores, held.domain, request.strategy);
  hash = HashOf(HashOf(hash, told), request.rules);
  for (const PodSetRequest& set : request.pod_sets)
    hash = HashOf(absl::HashOf(hash, set.name, set.count, set.group, set.first_rank, set.missing),
                  set.rules);
  for (const FixedMember& member : request.fixed)
    hash = absl::HashOf(hash, member.pod_set, member.rank, member.leaf);
  return hash;
}

// In the words of advice.
std::optional<Advice::Fewer> FewerOf(const Remedies& found, const PlacementRequest& request) {
  if (!found.fewer) return std::nullopt;
  const PodSetRequest& set = request.pod_sets[static_cast<size_t>(found.fewer->pod_set)];
  const std::string name = request.pod_sets.size() > 1 ? set.name : "";
  return Advice::Fewer{name, found.fewer->members, set.count};
}

std::optional<Advice::Rule> RuleOf(const Remedies& found, const PlacementRequest& request) {
  if (!found.weaker) return std::nullopt;
  Advice::Rule rule{found.weaker->rule, found.weaker->instead_of, ""};
  if (found.weaker->pod_set >= 0)
    rule.pod_set = request.pod_sets[static_cast<size_t>(found.weaker->pod_set)].name;
  return rule;
}

// Nothing where it fits by now, or nobody knows: it is asked again by itself then.
Advice AdviceQuestion::Find() const {
  Advice advice = held;
  SolveTask now = *task;
  now.victims.reset();
  now.Run();
  const PlacementResult& result = now.solved.result;
  const bool waits = result.outcome == Outcome::kWait && result.proven;
  if (!waits && result.outcome != Outcome::kImpossible) {
    advice.undecided = true;
    return advice;
  }
  FindRemedies(advice);
  if (!waits) FindPossible(advice);
  if (!waits) return advice;
  FindGangs(advice);
  FindEnd(advice);
  return advice;
}

void AdviceQuestion::FindRemedies(Advice& advice) const {
  const SnapshotRoom now = task->Room(CountKind::kNow);
  const SnapshotRoom empty = task->Room(CountKind::kEmpty);
  const RefusedView seen(now.View(), task->refused);
  const Tree& tree = task->snapshot.tree();
  const Remedies found = gangplan::FindRemedies(
      {seen.view(), empty.View(), task->request, told, Budget{kAdviceSteps}});
  advice.fewer = FewerOf(found, task->request);
  advice.rule = RuleOf(found, task->request);
  if (found.nodes && any_node) {
    const MoreNodes& more = *found.nodes;
    advice.nodes = {more.nodes, tree.name(tree.leaf_level(), more.like),
                    more.level < 0 ? "" : tree.Path(more.level, more.domain)};
  }
}

// What it would have to ask for, so that it could ever start: as if nobody else were there.
void AdviceQuestion::FindPossible(Advice& advice) const {
  const SnapshotRoom room = task->Room(CountKind::kEmpty);
  const PlacementView empty = room.View();
  const Remedies found =
      gangplan::FindRemedies({empty, empty, task->request, told, Budget{kAdviceSteps}});
  advice.impossible = true;
  advice.fewer_when_empty = FewerOf(found, task->request);
  advice.rule_when_empty = RuleOf(found, task->request);
}

bool AdviceQuestion::Victims(int64_t below, Advice& advice) const {
  SolveTask asked = *task;
  asked.victims->SetPriority(below);
  asked.Run();
  if (asked.victims->result.outcome != VictimsResult::Outcome::kFound) return false;
  for (const Victim& victim : asked.victims->Victims())
    advice.gangs.push_back(victim.pod.empty() ? running.at(victim.id) : singles.at(victim.pod));
  return true;
}

void AdviceQuestion::FindGangs(Advice& advice) const {
  if (task->victims->empty()) return;
  advice.lower = lower > 0 && Victims(lower, advice);
  if (!advice.lower) Victims(std::numeric_limits<int64_t>::max(), advice);
}

// Who would have to go whenever they end is told by FindGangs.
void AdviceQuestion::FindEnd(Advice& advice) const {
  SolveTask asked = *ends;
  asked.victims.emplace(0, std::vector<Tree::Range>());
  asked.Run();
  advice.fits_by = asked.ends->by;
}

}  // namespace gangplan
