// Which domains must hold a gang, or a pod set of it, whether it runs in others, and whether room
// that came free may be enough.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "algorithms/packs.h"
#include "extender/frontends/front_end.h"
#include "extender/planner/limits.h"
#include "extender/planner/placer.h"

namespace gangplan {

int Placer::OneDomain(const Group& group, const PodSet& set) const {
  return OneDomainBy(group, group.pod_sets().RulesInForce(set));
}

int Placer::OneDomainOfSet(const Group& group, const PodSet& set) const {
  const LevelRules own = group.pod_sets().OwnRulesInForce(set);
  const int level = OneDomain(group, set);
  return own.empty() ? level : std::max(level, OneDomainBy(group, own));
}

int Placer::OneDomainBy(const Group& group, const LevelRules& rules) const {
  PlacementRequest request;
  request.strategy = EngineOf(group).strategy;
  request.rules = rules;
  group.pod_sets().front_end()->Translate(request);
  const int level = request.strategy == Strategy::kTas ? HardLevel(request) : HardFromTop(request);
  return std::min(level, TreeOf(group).leaf_level());
}

bool Placer::IsTorn(const Group& group, std::optional<std::pair<int32_t, NodeIndex>> beside) const {
  const Tree& tree = TreeOf(group);
  const bool apart = EngineOf(group).strategy == Strategy::kTas;
  // By those who are placed together, and level.
  std::map<std::pair<int32_t, int>, int32_t> domains;
  for (const PodSet& set : group.pod_sets().sets()) {
    const int32_t alone = static_cast<int32_t>(kMaxPodSets) + set.first;
    const int shared = OneDomain(group, set);
    const int one = OneDomainOfSet(group, set);
    for (int level = 0; level <= one; ++level) {
      const int32_t all = level > shared ? alone : -1;
      const int32_t together = !apart ? all : set.tie >= 0 ? set.tie : alone;
      for (int32_t i = set.first; group.planned() && i < set.first + set.count; ++i) {
        const Slot& slot = group.slot(i);
        const bool one_more = beside && beside->first == i;
        const bool runs = slot.state == SlotState::kBound || slot.state == SlotState::kPosting;
        if (!one_more && !runs) continue;
        const NodeIndex node = one_more ? beside->second : slot.node;
        const int32_t leaf = ledger_.model().LeafOfNode(group.topology(), node);
        if (leaf < 0) continue;
        const int32_t own = tree.Ancestor(leaf, level);
        if (domains.try_emplace({together, level}, own).first->second != own) return true;
      }
    }
  }
  return false;
}

// Of members that must share a domain some domain must hold them all, each pod set by itself. Who
// was told that it never fits is told so until the empty cluster would do, whoever gives way.
bool Placer::MayProfit(const Group& group, const std::vector<int32_t>& leaves, LesserRoom* lesser,
                       int64_t& work) const {
  const auto& sets = group.pod_sets().sets();
  const bool apart = sets.size() > 1 && EngineOf(group).strategy == Strategy::kTas;
  if (group.Started() || apart || !group.Placeable()) return true;
  if (group.IsFixed()) return true;  // some of it has room already
  const Tree& tree = TreeOf(group);
  if (tree.level_count() == 0) return true;
  const int level = OneDomain(group, sets.front());
  const int64_t looks =
      level < 0 ? tree.size(0) / kSummedAtOnce + 1 : static_cast<int64_t>(leaves.size());
  work += static_cast<int64_t>(sets.size()) * looks;
  const bool never = group.verdict().outcome == Outcome::kImpossible;
  std::vector<RoomAsked> asked;
  asked.reserve(sets.size());
  for (const PodSet& set : sets) {
    if (set.shape < 0) continue;
    const FitCounts& counts =
        ledger_.model().Counts(set.shape, never ? CountKind::kEmpty : CountKind::kNow);
    const int at = std::max(level, 0);
    const bool more = lesser != nullptr && !never;
    asked.push_back(
        {counts.at(at), set.count, more ? &lesser->MostOf(set.shape, at, work) : nullptr});
  }
  return level < 0 ? FitSomewhere(asked) : FitBeside(tree, asked, level, leaves);
}

// As many as each has, in the whole cluster.
bool Placer::FitSomewhere(const std::vector<RoomAsked>& asked) {
  return std::all_of(asked.begin(), asked.end(), [](const RoomAsked& set) {
    int64_t room = std::accumulate(set.counts.begin(), set.counts.end(), int64_t{0});
    if (set.lesser != nullptr) {
      for (const auto& [domain, more] : *set.lesser) room += more;
    }
    return room >= set.needed;
  });
}

// As many as each has, in one domain of the level that one of these leaves is in.
bool Placer::FitBeside(const Tree& tree, const std::vector<RoomAsked>& asked, int level,
                       const std::vector<int32_t>& leaves) {
  return std::any_of(leaves.begin(), leaves.end(), [&](int32_t leaf) {
    const int32_t domain = tree.Ancestor(leaf, level);
    return std::all_of(asked.begin(), asked.end(), [&](const RoomAsked& set) {
      int64_t room = set.counts[static_cast<size_t>(domain)];
      if (set.lesser != nullptr) {
        const auto more = set.lesser->find(domain);
        if (more != set.lesser->end()) room += more->second;
      }
      return room >= set.needed;
    });
  });
}

}  // namespace gangplan
