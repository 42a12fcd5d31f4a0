#include "tests/support/tas_reference/balanced.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "topology/tree.h"

namespace gangplan::tas_reference {
namespace {

// What taking the fullest domains until all slices have room ends with.
struct Greedy {
  bool fits = false;
  int64_t used = 0;
  std::optional<int> last_leader;
  std::optional<int> last_plain;
};

Greedy TakeGreedily(const Ask& ask, const State& state, Domains list) {
  Greedy greedy;
  int64_t left = ask.need();
  int64_t leaders = ask.leaders();
  SortForLeader(ask, state, Slices::kMostFirst, list);
  while (leaders > 0 && !list.empty() && state[list[0]].leaders > 0) {
    greedy.last_leader = list[0];
    left -= state[list[0]].slices_beside;
    leaders -= state[list[0]].leaders;
    ++greedy.used;
    list.erase(list.begin());
  }
  SortPlain(ask, state, Slices::kMostFirst, list);
  for (int domain : list) {
    if (left <= 0) break;
    if (state[domain].slices == 0) continue;
    greedy.last_plain = domain;
    left -= state[domain].slices;
    ++greedy.used;
  }
  greedy.fits = left <= 0 && leaders <= 0;
  return greedy;
}

Domains ChildrenOf(const Tree& tree, const Domains& parents) {
  Domains children;
  for (int parent : parents) {
    const Domains& more = tree.domains[parent].children;
    children.insert(children.end(), more.begin(), more.end());
  }
  return children;
}

void ForSubtree(const Tree& tree, int domain, const std::function<void(int)>& visit) {
  visit(domain);
  for (int child : tree.domains[domain].children) ForSubtree(tree, child, visit);
}

// Takes the slices, or only the leader, from a domain that holds fewer than `threshold`. Affinity
// scores stay.
void PruneOne(const Tree& tree, const Ask& ask, int64_t threshold, int domain, State& state) {
  const Counts counts = state[domain];
  if (counts.slices < threshold) {
    ForSubtree(tree, domain, [&](int d) { state[d] = {0, 0, 0, 0, 0, state[d].affinity}; });
  } else if (ask.leaders() > 0 && counts.leaders > 0 && counts.slices_beside < threshold) {
    ForSubtree(tree, domain, [&](int d) {
      state[d].leaders = state[d].pods_beside = state[d].slices_beside = 0;
    });
  }
}

// The counts of the subtree from its leaves' up, without inner layers.
void Recount(const Tree& tree, const Ask& ask, int domain, State& state) {
  for (int child : tree.domains[domain].children) Recount(tree, ask, child, state);
  if (!tree.domains[domain].children.empty()) RollUp(tree, ask, false, domain, state);
}

void Prune(const Tree& tree, const Ask& ask, int64_t threshold, const Domains& domains,
           State& state) {
  for (int domain : domains) {
    for (int child : tree.domains[domain].children) PruneOne(tree, ask, threshold, child, state);
    Recount(tree, ask, domain, state);
    PruneOne(tree, ask, threshold, domain, state);
  }
}

double Entropy(const Tree& tree, const State& state, int domain) {
  std::vector<int64_t> pods;
  for (int child : tree.domains[domain].children) pods.push_back(state[child].pods);
  std::sort(pods.begin(), pods.end());
  double total = 0;
  for (int64_t p : pods) total += static_cast<double>(p);
  double entropy = 0;
  for (int64_t p : pods) {
    if (p == 0) continue;
    const double share = static_cast<double>(p) / total;
    entropy -= share * std::log2(share);
  }
  return entropy;
}

Domains ByEntropy(const Tree& tree, const State& state, Domains list) {
  const auto key = [&](int d) {
    return std::make_tuple(-state[d].leaders, -state[d].slices_beside, -Entropy(tree, state, d), d);
  };
  std::sort(list.begin(), list.end(), [&](int a, int b) { return key(a) < key(b); });
  return list;
}

// The subset of `list` of the greedy size that leaves the least room beyond the pods.
std::optional<Domains> BestSubset(const Ask& ask, const State& state, const Domains& list) {
  const Greedy greedy = TakeGreedily(ask, state, list);
  if (!greedy.fits) return std::nullopt;
  using Key = std::tuple<int64_t, int64_t, int64_t>;  // used, leaders left, pods left
  std::map<Key, Domains> found = {{{0, ask.leaders(), ask.need() * ask.slice_size}, {}}};
  for (int domain : list) {
    const std::map<Key, Domains> before = found;
    for (const auto& [key, path] : before) {
      const auto [used, leaders, pods] = key;
      if (used == greedy.used || (leaders == 0 && pods <= 0)) continue;
      Domains longer = path;
      longer.push_back(domain);
      const Counts& counts = state[domain];
      if (leaders > 0 && counts.leaders > 0)
        found.emplace(Key{used + 1, leaders - counts.leaders, pods - counts.pods_beside}, longer);
      if (counts.slices > 0) found.emplace(Key{used + 1, leaders, pods - counts.pods}, longer);
    }
  }
  const Domains* best = nullptr;
  for (const auto& [key, path] : found) {
    const auto [used, leaders, pods] = key;
    if (used == greedy.used && leaders == 0 && pods <= 0) best = &path;  // the greatest pods left
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

struct Candidate {
  int64_t threshold = 0;
  int64_t domains = 0;  // of the preferred level in use
  Domains set;
  State state;
};

class Balance {
 public:
  Balance(const World& world, const Ask& ask, const State& state)
      : tree_(world.tree), ask_(ask), state_(state) {}

  std::optional<Chosen> Choose() {
    for (const Domains& set : Sets()) TrySet(set);
    if (best_.threshold <= 0) return std::nullopt;
    Domains list = best_.set;
    int level = ask_.level;
    if (SharedBelow()) {
      const auto subset = BestSubset(ask_, best_.state, ByEntropy(tree_, best_.state, list));
      if (!subset) return std::nullopt;
      list = ChildrenOf(tree_, *subset);
      ++level;
    }
    std::sort(list.begin(), list.end());
    const auto subset = BestSubset(ask_, best_.state, list);
    if (!subset) return std::nullopt;
    return Share(level, *subset);
  }

 private:
  // Whether the slices are balanced over the level below the preferred one.
  bool SharedBelow() const { return ask_.level < ask_.slice_level; }

  std::vector<Domains> Sets() const {
    if (ask_.level == 0) return {tree_.At(0)};
    std::vector<Domains> sets;
    for (int parent : tree_.At(ask_.level - 1)) sets.push_back(tree_.domains[parent].children);
    return sets;
  }

  void TrySet(const Domains& set) {
    const Greedy greedy = TakeGreedily(ask_, state_, SharedBelow() ? ChildrenOf(tree_, set) : set);
    if (!greedy.fits || greedy.used == 0) return;
    int64_t threshold = ask_.need() / greedy.used;
    if (greedy.last_leader)
      threshold = std::min(threshold, state_[*greedy.last_leader].slices_beside);
    if (greedy.last_plain) threshold = std::min(threshold, state_[*greedy.last_plain].slices);
    if (threshold < best_.threshold || TryThreshold(set, threshold)) return;
    if (ask_.leaders() == 0 || !greedy.last_plain) return;
    const int64_t lower = std::min(threshold, state_[*greedy.last_plain].slices_beside);
    if (lower < threshold && lower > 0 && lower >= best_.threshold) TryThreshold(set, lower);
  }

  // False when the domains that hold at least the threshold do not hold all together.
  bool TryThreshold(const Domains& set, int64_t threshold) {
    Candidate candidate{threshold, 0, set, state_};
    Prune(tree_, ask_, threshold, set, candidate.state);
    const Greedy greedy = TakeGreedily(ask_, candidate.state, set);
    if (!greedy.fits) return false;
    candidate.domains = greedy.used;
    if (threshold > best_.threshold ||
        (threshold == best_.threshold && candidate.domains < best_.domains)) {
      best_ = std::move(candidate);
    }
    return true;
  }

  std::optional<Chosen> Share(int level, Domains subset) const {
    Chosen chosen{level, std::move(subset), best_.state};
    SortForLeader(ask_, chosen.state, Slices::kMostFirst, chosen.domains);
    const int64_t size = static_cast<int64_t>(chosen.domains.size());
    int64_t extra = ask_.need() - best_.threshold * size;
    if (extra < 0) return std::nullopt;
    int64_t leaders = ask_.leaders();
    for (int domain : chosen.domains) {
      Counts& counts = chosen.state[domain];
      const int64_t room = leaders > 0 ? counts.slices_beside : counts.slices;
      const int64_t more = std::min(room - best_.threshold, extra);
      extra -= more;
      counts.slices = counts.slices_beside = best_.threshold + more;
      counts.pods = counts.pods_beside = counts.slices * ask_.slice_size;
      counts.leaders = leaders;
      leaders = 0;
    }
    if (extra > 0) return std::nullopt;
    return chosen;
  }

  const Tree& tree_;
  const Ask& ask_;
  const State& state_;
  Candidate best_;
};

}  // namespace

std::optional<Chosen> ChooseBalanced(const World& world, const Ask& ask, const State& state) {
  return Balance(world, ask, state).Choose();
}

}  // namespace gangplan::tas_reference
