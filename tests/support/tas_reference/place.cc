#include "tests/support/tas_reference/place.h"

#include <algorithm>

#include "tests/support/tas_reference/balanced.h"

namespace gangplan::tas_reference {
namespace {

// Pods of every inner layer that the best domain of the last level searched holds.
std::vector<conformance::LayerFit> LayerFits(const World& world, const Ask& ask, const State& state,
                                             int level) {
  Domains domains = world.tree.At(level);
  const int best = *std::max_element(domains.begin(), domains.end(), [&](int a, int b) {
    return std::make_pair(state[a].slices, -a) < std::make_pair(state[b].slices, -b);
  });
  std::vector<conformance::LayerFit> fits;
  for (const Layer& layer : ask.layers) {
    int64_t fit = 0;
    for (int domain : world.tree.At(layer.level)) {
      if (world.tree.AncestorAt(domain, level) == best) fit += state[domain].pods / layer.size;
    }
    fits.push_back({world.tree.levels[layer.level], fit, ask.Units(ask.count, layer.size)});
  }
  return fits;
}

class Choice {
 public:
  Choice(const World& world, const Ask& ask, Filled filled)
      : world_(world), ask_(ask), filled_(std::move(filled)), state_(filled_.state) {}

  std::variant<Chosen, Failure> Choose() const {
    for (int level = ask_.level;; --level) {
      Domains list = world_.tree.At(level);
      if (list.empty()) return NoDomains(level);
      SortForLeader(ask_, state_, SlicesFirst(ask_), list);
      if (std::optional<int> one = OneDomain(list)) return Chosen{level, {*one}, state_};
      if (ask_.required) return NoFit(level, state_[Top(list)].slices);
      if (ask_.unconstrained || level == 0) return Several(level, list);
    }
  }

 private:
  bool Fits(int domain) const {
    return state_[domain].slices_beside >= ask_.need() && state_[domain].leaders >= ask_.leaders();
  }

  // The first where the most free capacity comes first.
  int Top(Domains list) const {
    SortForLeader(ask_, state_, Slices::kMostFirst, list);
    return list[0];
  }

  int BestFitFrom(const Domains& list, size_t first) const {
    return BestFit(ask_, state_, Domains(list.begin() + first, list.end()), ask_.need(),
                   ask_.leaders(), Unit::kSlices);
  }

  std::optional<int> OneDomain(const Domains& list) const {
    if (!ask_.least_free && Fits(list[0])) return ask_.tight ? BestFitFrom(list, 0) : list[0];
    // Of preferred affinity only a required level looks further than the best score.
    if (!ask_.least_free && !(ask_.required && ask_.affinity)) return std::nullopt;
    for (size_t i = 0; i < list.size(); ++i) {
      if (Fits(list[i])) return ask_.tight ? BestFitFrom(list, i) : list[i];
    }
    return std::nullopt;
  }

  std::variant<Chosen, Failure> Several(int level, Domains list) const {
    int64_t left = ask_.need();
    int64_t leaders = ask_.leaders();
    Domains taken;
    const auto take = [&](int domain, int64_t slices) {
      taken.push_back(domain);
      left -= slices;
      std::erase(list, domain);
    };
    PutLeaderFirst(state_, left, leaders, Unit::kSlices, list);
    while (leaders > 0 && !list.empty() && state_[list[0]].leaders > 0) {
      int domain = list[0];
      if (ask_.tight && state_[domain].slices_beside >= left)
        domain = BestFit(ask_, state_, list, left, leaders, Unit::kSlices);
      leaders -= state_[domain].leaders;
      take(domain, state_[domain].slices_beside);
    }
    if (leaders > 0) return NoFit(level, ask_.need() - left);
    SortPlain(ask_, state_, SlicesFirst(ask_), list);
    while (left > 0 && !list.empty()) {
      int domain = list[0];
      if (ask_.tight && state_[domain].slices >= left)
        domain = BestFit(ask_, state_, list, left, 0, Unit::kSlices);
      take(domain, state_[domain].slices);
    }
    if (left > 0) return NoFit(level, ask_.need() - left);
    return Chosen{level, taken, state_};
  }

  Failure NoDomains(int level) const {
    Failure failure;
    failure.kind = "no_domains_at_level";
    failure.level = world_.tree.levels[level];
    return failure;
  }

  Failure NoFit(int level, int64_t fit) const {
    Failure failure;
    if (!filled_.stats.excluded.empty()) failure.stats = filled_.stats;
    if (ask_.layers.size() > 1) {
      failure.kind = "no_fit_layers";
      failure.layers = LayerFits(world_, ask_, state_, level);
      return failure;
    }
    failure.kind = "no_fit";
    failure.unit = ask_.slice_size == 1 ? "pod" : "slice";
    failure.fit = fit;
    failure.of = ask_.need();
    return failure;
  }

  const World& world_;
  const Ask& ask_;
  const Filled filled_;
  const State& state_;
};

// Deals the pods of every domain out to its own children.
Domains DealToChildren(const World& world, const Ask& ask, const Domains& parents, bool balanced,
                       State& state) {
  Domains next;
  for (int parent : parents) {
    const Domain& domain = world.tree.domains[parent];
    Domains children = domain.children;
    SortPlain(ask, state, SlicesFirst(ask), children);
    int64_t unit = 1;
    if (ask.inner.contains(domain.level + 1)) unit = ask.inner.at(domain.level + 1);
    if (balanced && domain.level < ask.slice_level) unit = ask.slice_size;
    for (int child : children) {
      if (unit == 1) break;
      state[child].slices = state[child].pods / unit;
      state[child].slices_beside = state[child].pods_beside / unit;
    }
    const Domains taken =
        Cut(ask, children, state[parent].pods, state[parent].leaders, unit, state);
    next.insert(next.end(), taken.begin(), taken.end());
  }
  return next;
}

bool Complete(const Ask& ask, const Placed& placed) {
  int64_t workers = 0;
  int64_t leaders = 0;
  for (const auto& [leaf, pods] : placed.workers) workers += pods;
  for (const auto& [leaf, pods] : placed.leaders) leaders += pods;
  return workers == ask.count && leaders == ask.leaders();
}

}  // namespace

Placed Descend(const World& world, const Ask& ask, Chosen chosen, bool balanced) {
  State& state = chosen.state;
  int level = chosen.level;
  Domains domains = Cut(ask, chosen.domains, ask.count, ask.leaders(), ask.slice_size, state);
  for (; !balanced && level < ask.slice_level; ++level) {
    Domains pool;
    for (int parent : domains) {
      const Domains& children = world.tree.domains[parent].children;
      pool.insert(pool.end(), children.begin(), children.end());
    }
    SortPlain(ask, state, SlicesFirst(ask), pool);
    domains = Cut(ask, pool, ask.count, ask.leaders(), ask.slice_size, state);
  }
  for (; level < world.tree.last_level(); ++level)
    domains = DealToChildren(world, ask, domains, balanced, state);
  Placed placed;
  for (int leaf : domains) {
    if (state[leaf].pods > 0) placed.workers[leaf] = state[leaf].pods;
    if (state[leaf].leaders > 0) placed.leaders[leaf] = state[leaf].leaders;
  }
  return placed;
}

std::variant<Placed, Failure> Place(const World& world, const Ask& ask) {
  const Filled filled = FillCounts(world, ask);
  if (ask.balanced) {
    if (std::optional<Chosen> chosen = ChooseBalanced(world, ask, filled.state)) {
      Placed placed = Descend(world, ask, *chosen, true);
      if (!ask.fixed || Complete(ask, placed)) return placed;
    }
  }
  std::variant<Chosen, Failure> chosen = Choice(world, ask, filled).Choose();
  if (auto* failure = std::get_if<Failure>(&chosen)) return *failure;
  return Descend(world, ask, std::get<Chosen>(chosen), false);
}

}  // namespace gangplan::tas_reference
