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
namespace {

bool RunsAt(const Group& group, int32_t slot) {
  const SlotState state = group.slot(slot).state;
  return state == SlotState::kBound || state == SlotState::kPosting;
}

}  // namespace

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

// Those who are placed together at a level, of this pod set: others of the same number are, too.
int32_t Placer::TogetherAt(const Group& group, const PodSet& set, int level) const {
  const int32_t alone = static_cast<int32_t>(kMaxPodSets) + set.first;
  if (EngineOf(group).strategy == Strategy::kTas) return set.tie >= 0 ? set.tie : alone;
  return level > OneDomain(group, set) ? alone : -1;
}

bool Placer::IsTorn(const Group& group) const {
  const Tree& tree = TreeOf(group);
  // By those who are placed together, and level.
  std::map<std::pair<int32_t, int>, int32_t> domains;
  for (const PodSet& set : group.pod_sets().sets()) {
    const int one = OneDomainOfSet(group, set);
    for (int level = 0; level <= one; ++level) {
      const int32_t together = TogetherAt(group, set, level);
      for (int32_t i = set.first; group.planned() && i < set.first + set.count; ++i) {
        if (!RunsAt(group, i)) continue;
        const int32_t leaf = ledger_.model().LeafOfNode(group.topology(), group.slot(i).node);
        if (leaf < 0) continue;
        const int32_t own = tree.Ancestor(leaf, level);
        if (domains.try_emplace({together, level}, own).first->second != own) return true;
      }
    }
  }
  return false;
}

bool Placer::StandsBeside(const Group& group, int32_t slot, NodeIndex node) const {
  const int32_t leaf = ledger_.model().LeafOfNode(group.topology(), node);
  if (leaf < 0) return true;
  const PodSet& own = group.pod_sets().Of(slot);
  const int one = OneDomainOfSet(group, own);
  for (const PodSet& set : group.pod_sets().sets()) {
    int32_t other = set.first;
    const int32_t end = set.first + set.count;
    while (other < end && (other == slot || !RunsAt(group, other))) ++other;
    if (other == end) continue;
    const int32_t its = ledger_.model().LeafOfNode(group.topology(), group.slot(other).node);
    const int last = std::min(one, OneDomainOfSet(group, set));
    for (int level = 0; its >= 0 && level <= last; ++level) {
      const bool together = TogetherAt(group, set, level) == TogetherAt(group, own, level);
      if (together && TreeOf(group).Ancestor(its, level) != TreeOf(group).Ancestor(leaf, level))
        return false;
    }
  }
  return true;
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
