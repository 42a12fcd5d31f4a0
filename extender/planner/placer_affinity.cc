// What required affinity and anti-affinity ask of a placement: nodes that others rule out now, and
// rules of levels where the members bind or exclude each other.
#include <algorithm>

#include "algorithms/packs.h"
#include "extender/planner/placer.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

bool SelectsAll(const std::vector<PodAffinityTerm>& terms, const PodProfile& pod) {
  return std::all_of(terms.begin(), terms.end(),
                     [&](const PodAffinityTerm& term) { return Selects(term.pods, pod); });
}

bool KeepsApart(const PodProfile& who, const PodProfile& other, std::string_view key) {
  const auto& terms = who.affinity.apart;
  return std::any_of(terms.begin(), terms.end(), [&](const PodAffinityTerm& term) {
    return term.topology_key == key && Selects(term.pods, other);
  });
}

bool Names(const std::vector<PodAffinityTerm>& terms, std::string_view key) {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const PodAffinityTerm& term) { return term.topology_key == key; });
}

using KnownSets = std::vector<const PodSet*>;

KnownSets KnownSetsOf(const Group& group) {
  KnownSets sets;
  for (const PodSet& set : group.pod_sets().sets()) {
    if (set.known) sets.push_back(&set);
  }
  return sets;
}

// No two members may share a domain of the key.
bool AllApart(const KnownSets& sets, std::string_view key) {
  return std::all_of(sets.begin(), sets.end(), [&](const PodSet* one) {
    return std::all_of(sets.begin(), sets.end(), [&](const PodSet* other) {
      const bool alone = one == other && one->count == 1;
      return alone || KeepsApart(*one->profile, *other->profile, key) ||
             KeepsApart(*other->profile, *one->profile, key);
    });
  });
}

// Every member must share the domain of the key with all of them.
bool AllNear(const KnownSets& sets, std::string_view key) {
  return std::all_of(sets.begin(), sets.end(), [&](const PodSet* one) {
    const auto& terms = one->profile->affinity.near;
    return Names(terms, key) && std::all_of(sets.begin(), sets.end(), [&](const PodSet* other) {
             return SelectsAll(terms, *other->profile);
           });
  });
}

bool AnyTerms(const KnownSets& sets) {
  return std::any_of(sets.begin(), sets.end(),
                     [](const PodSet* one) { return !one->profile->affinity.empty(); });
}

}  // namespace

bool Placer::HasCompany(const Group& group, const PodSet& set) const {
  const KnownSets sets = KnownSetsOf(group);
  return std::any_of(sets.begin(), sets.end(), [&](const PodSet* one) {
    return SelectsAll(set.profile->affinity.near, *one->profile);
  });
}

Neighbours::Ruled Placer::RuledOut(const Group& group, const PodSet& set) const {
  return ledger_.neighbours().RuledOut(ledger_.model(), group.topology(), *set.profile,
                                       HasCompany(group, set));
}

bool Placer::Allows(const Group& group, const Plan& plan) const {
  if (MeetsMaintenance(group, maintenance_.now(), plan)) return false;
  const KnownSets sets = KnownSetsOf(group);
  return std::all_of(sets.begin(), sets.end(), [&](const PodSet* set) {
    const Neighbours::Ruled ruled = RuledOut(group, *set);
    return std::none_of(plan.places.begin(), plan.places.end(), [&](const auto& place) {
      return set->Has(place.first) &&
             ruled.Has(ledger_.model().LeafOfNode(group.topology(), place.second));
    });
  });
}

// Of members that exclude each other at a level one fits in a domain; those that must be near each
// other share one, unless somebody stands already to whom they go. Of one pod set the node's own
// exclusion is an implied resource, which every engine knows.
void Placer::AddAffinityRules(const Group& group, LevelRules& rules) const {
  const KnownSets sets = KnownSetsOf(group);
  if (group.size() < 2 || !AnyTerms(sets)) return;
  const Tree& tree = TreeOf(group);
  const int apart_levels = tree.leaf_level() + static_cast<int>(sets.size() > 1);
  for (int level = 0; level < apart_levels; ++level) {
    auto& rule = rules[static_cast<size_t>(level)];
    if (!AllApart(sets, tree.level(level).label)) continue;
    if (!rule) rule = LevelRule{};
    rule->max = 1;
  }
  for (int level = 0; level <= tree.leaf_level(); ++level) {
    auto& rule = rules[static_cast<size_t>(level)];
    const bool choice = rule && rule->kind != LevelRule::Kind::kPack;
    if (choice || !AllNear(sets, tree.level(level).label)) continue;
    const bool first = std::all_of(sets.begin(), sets.end(),
                                   [&](const PodSet* set) { return RuledOut(group, *set).first; });
    if (!first) return;
    if (!rule) rule = LevelRule{};
    rule->hard = true;
    BindUpwards(rules);
  }
}

// "; 3 nodes are ruled out by pod anti-affinity", and by affinity, behind a reason.
std::string Placer::NeighbourText(const Group& group) const {
  std::string text;
  const auto tell = [&](size_t nodes, std::string_view what) {
    if (nodes == 0) return;
    text += fmt::format("; {} {} ruled out by pod {}", nodes, nodes == 1 ? "node is" : "nodes are",
                        what);
  };
  for (const PodSet* set : KnownSetsOf(group)) {
    const Neighbours::Ruled ruled = RuledOut(group, *set);
    tell(ruled.apart.size(), "anti-affinity");
    tell(ruled.near.size(), "affinity");
  }
  return text;
}

}  // namespace gangplan
