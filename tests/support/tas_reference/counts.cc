#include "tests/support/tas_reference/counts.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "fmt/format.h"
#include "topology/tree.h"

namespace gangplan::tas_reference {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int32_t>::max();

struct Fit {
  int64_t pods = kUnlimited;
  std::string limit;  // the resource that allows the fewest, the first by name of several
};

Fit FitsIn(const Amounts& room, const Amounts& one_pod) {
  Fit fit;
  for (const auto& [name, amount] : one_pod) {
    int64_t pods = kUnlimited;
    if (amount > 0) {
      const auto found = room.find(name);
      const int64_t have = found == room.end() ? 0 : found->second;
      pods = std::clamp<int64_t>(have / amount, 0, kUnlimited);
    }
    if (fit.limit.empty() || pods < fit.pods) fit = {pods, name};
  }
  return fit;
}

std::string TaintText(const Taint& taint) {
  const char* effect = taint.effect == TaintEffect::kNoExecute ? "NoExecute" : "NoSchedule";
  return fmt::format("taint:{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     effect);
}

bool TermMatches(const NodeSelectorTerm& term, const NodeFacts& node) {
  return MatchesSelector({{}, std::vector<NodeSelectorTerm>{term}, {}}, node);
}

// The first reason why this pod may not use the host; empty: it may.
std::string Exclusion(const World& world, const CasePodSet& pod_set, const NodeFacts& host) {
  NodeFilter filter = pod_set.filter;
  const auto& more = world.placement_case->flavor_tolerations;
  filter.tolerations.insert(filter.tolerations.end(), more.begin(), more.end());
  for (const Taint& taint : host.taints) {
    NodeFacts with_it;
    with_it.taints = {taint};
    if (!ToleratesTaints(filter, with_it)) return TaintText(taint);
  }
  if (!MatchesSelector({filter.node_selector, std::nullopt, {}}, host)) return "node_selector";
  if (!MatchesSelector({{}, filter.required_terms, {}}, host)) return "affinity";
  return "";
}

int64_t AffinityScore(const CasePodSet& pod_set, const NodeFacts& host) {
  int64_t score = 0;
  for (const conformance::WeightedTerm& preferred : pod_set.preferred_terms) {
    if (TermMatches(preferred.term, host)) score += preferred.weight;
  }
  return score;
}

Amounts RoomOf(const World& world, int leaf) {
  Amounts room = world.tree.domains[leaf].free;
  for (const auto* usage : {&world.used, &world.assumed}) {
    const auto found = usage->find(leaf);
    if (found == usage->end()) continue;
    for (const auto& [name, amount] : found->second) room[name] -= amount;
  }
  return room;
}

// The leaf's exclusion for the workers; sets the affinity score on the way.
std::string LeafExclusion(const World& world, const Ask& ask, int leaf, Counts& counts) {
  const NodeFacts* host = world.tree.domains[leaf].host;
  if (host != nullptr) {
    const std::string reason = Exclusion(world, *ask.workers, *host);
    if (!reason.empty()) return reason;
    if (ask.affinity) counts.affinity = AffinityScore(*ask.workers, *host);
  }
  const bool outside =
      ask.confined_to &&
      world.tree.AncestorAt(leaf, world.tree.domains[*ask.confined_to].level) != *ask.confined_to;
  return outside ? "topology_domain" : "";
}

bool LeaderMayUse(const World& world, const Ask& ask, int leaf, bool workers_may) {
  const NodeFacts* host = world.tree.domains[leaf].host;
  if (!ask.fixed || host == nullptr) return workers_may;
  return Exclusion(world, *ask.leader, *host).empty();
}

void FillLeaf(const World& world, const Ask& ask, int leaf, Filled& filled) {
  Counts& counts = filled.state[leaf];
  Amounts room = RoomOf(world, leaf);
  const Amounts worker = RequestOf(ask.workers->requests, 1);
  const std::string exclusion = LeafExclusion(world, ask, leaf, counts);
  const Fit fit = FitsIn(room, worker);
  if (exclusion.empty()) counts.pods = fit.pods;
  if (counts.pods == 0)
    ++filled.stats.excluded[exclusion.empty() ? "resource:" + fit.limit : exclusion];
  counts.pods_beside = counts.pods;
  if (ask.leader != nullptr && LeaderMayUse(world, ask, leaf, exclusion.empty())) {
    const Amounts leader = RequestOf(ask.leader->requests, 1);
    counts.leaders = std::min<int64_t>(1, FitsIn(room, leader).pods);
    for (const auto& [name, amount] : leader) room[name] -= counts.leaders * amount;
    if (exclusion.empty()) counts.pods_beside = FitsIn(room, worker).pods;
  }
  if (ask.slice_level == world.tree.last_level()) {
    counts.slices = counts.pods / ask.slice_size;
    counts.slices_beside = counts.pods_beside / ask.slice_size;
  }
}

void FillDomain(const World& world, const Ask& ask, int domain, Filled& filled) {
  const Domain& d = world.tree.domains[domain];
  if (d.level == world.tree.last_level()) {
    FillLeaf(world, ask, domain, filled);
    return;
  }
  for (int child : d.children) FillDomain(world, ask, child, filled);
  RollUp(world.tree, ask, true, domain, filled.state);
}

}  // namespace

World MakeWorld(const PlacementCase& placement_case) {
  World world{&placement_case, BuildTree(placement_case), {}, {}};
  for (const conformance::UsedDomain& used : placement_case.used) {
    const int leaf = world.tree.Leaf(used.domain);
    if (leaf < 0) continue;
    for (const ResourceAmount& r : used.requests) world.used[leaf][r.name] += r.amount;
  }
  return world;
}

void RollUp(const Tree& tree, const Ask& ask, bool with_layers, int domain, State& state) {
  Counts sum;
  std::optional<int64_t> lost_pods, lost_slices;  // the least that a leader inside costs
  for (int child : tree.domains[domain].children) {
    const Counts& c = state[child];
    const auto inner = ask.inner.find(tree.domains[child].level);
    const int64_t unit = with_layers && inner != ask.inner.end() ? inner->second : 1;
    const int64_t pods = c.pods / unit * unit;
    const int64_t pods_beside = c.pods_beside / unit * unit;
    sum.pods += pods;
    sum.slices += c.slices;
    sum.leaders = std::max(sum.leaders, c.leaders);
    sum.affinity += c.affinity;
    if (c.leaders < ask.leaders()) continue;
    lost_pods = std::min(lost_pods.value_or(kUnlimited), pods - pods_beside);
    lost_slices = std::min(lost_slices.value_or(kUnlimited), c.slices - c.slices_beside);
  }
  sum.pods_beside = lost_pods ? sum.pods - *lost_pods : 0;
  sum.slices_beside = lost_slices ? sum.slices - *lost_slices : 0;
  if (tree.domains[domain].level == ask.slice_level) {
    sum.slices = sum.pods / ask.slice_size;
    sum.slices_beside = sum.pods_beside / ask.slice_size;
  }
  state[domain] = sum;
}

Filled FillCounts(const World& world, const Ask& ask) {
  Filled filled;
  filled.state.resize(world.tree.domains.size());
  const std::vector<int> leaves = world.tree.At(world.tree.last_level());
  filled.stats.total_nodes = static_cast<int64_t>(leaves.size());
  for (int top : world.tree.At(0)) FillDomain(world, ask, top, filled);
  return filled;
}

}  // namespace gangplan::tas_reference
