#include "algorithms/tas/balanced.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/tas/subset.h"

namespace gangplan::tas {
namespace {

// What taking the largest domains of a list until all is placed came to.
struct Greedy {
  bool fits = false;
  int32_t used = 0;
  std::optional<int32_t> leader_units;  // beside the leader, of the domain that took it
  std::optional<int32_t> last_units;    // of the last domain without it
  int32_t last_units_wl = 0;
};

// The largest number of slices that the domains which a greedy placement used can all have.
int32_t EvenShare(const Greedy& greedy, int32_t need) {
  int32_t share = need / greedy.used;
  if (greedy.leader_units) share = std::min(share, *greedy.leader_units);
  if (greedy.last_units) share = std::min(share, *greedy.last_units);
  return share;
}

struct Candidate {
  Tree::Range domains;  // of the preferred level
  std::optional<Tree::Domain> parent;
  int32_t share = 0;
  int32_t used = 0;
};

class Balancer {
 public:
  Balancer(State& state, const Goal& goal, int level, TasScratch::Buffers& buffers)
      : state_(state),
        goal_(goal),
        level_(level),
        below_(level < state.slice_level() ? level + 1 : level),
        buffers_(buffers) {}

  std::optional<Candidate> Best() {
    if (level_ == 0) {
      Consider({{state_.At(0).begin, state_.At(0).end}, std::nullopt});
    } else {
      const LevelView& parents = state_.At(level_ - 1);
      for (int32_t i = parents.begin; i < parents.end; ++i) {
        if (parents.Slices(i) < goal_.slices) continue;
        Consider({state_.Children(level_ - 1, i), Tree::Domain{level_ - 1, i}});
      }
    }
    if (best_.share == 0) return std::nullopt;
    return best_;
  }

  // The placement in the best candidate; false when it does not come out.
  bool Place(const Candidate& candidate, std::optional<State>& pruned) {
    Prune(candidate, candidate.share, pruned);
    std::vector<int32_t>& chosen = buffers_.candidates;
    chosen.resize(candidate.domains.end - candidate.domains.begin);
    std::iota(chosen.begin(), chosen.end(), candidate.domains.begin);
    if (below_ > level_) {
      SortByEntropy(*pruned, chosen);
      if (!ReduceToBest(pruned->At(level_), chosen)) return false;
      ReplaceByChildren(*pruned, chosen);
    }
    if (!ReduceToBest(pruned->At(below_), chosen)) return false;
    return Share(pruned->At(below_), chosen, candidate.share);
  }

  int placed_level() const { return below_; }

 private:
  bool simple() const { return goal_.leaders == 0 && !state_.At(level_).affinity; }

  Greedy TakeLargest(const LevelView& view, Pool pool) {
    if (!simple()) return TakeInOrder(view, pool);
    LargestFirst largest = CountLargestFirst(pool, view.slices, goal_.slices, buffers_.select);
    return {largest.fits, largest.used, std::nullopt, largest.last_units, 0};
  }

  Greedy TakeInOrder(const LevelView& view, Pool pool) {
    Greedy greedy;
    int32_t need = goal_.slices;
    std::vector<Entry>& entries = buffers_.entries;
    FillEntries(view, pool, PoolOrder::kSlices, 1, entries);
    if (goal_.leaders > 0) {
      auto first = std::min_element(entries.begin(), entries.end(), LeaderOrder{true});
      if (first == entries.end() || first->leaders == 0) return greedy;
      greedy.leader_units = first->slices_wl;
      need -= first->slices_wl;
      greedy.used = 1;
      entries.erase(first);
    }
    std::erase_if(entries, [](const Entry& entry) { return entry.slices == 0; });
    OrderedList list(entries, PlainOrder{true});
    for (size_t i = 0; i < list.size() && need > 0; ++i) {
      greedy.last_units = list[i].slices;
      greedy.last_units_wl = list[i].slices_wl;
      need -= list[i].slices;
      ++greedy.used;
    }
    greedy.fits = need <= 0;
    return greedy;
  }

  void Consider(Candidate candidate) {
    Tree::Range below = below_ == level_ ? candidate.domains : ChildrenOf(candidate.domains);
    Greedy greedy = TakeLargest(state_.At(below_), {&below, 1});
    if (!greedy.fits || greedy.used == 0) return;
    int32_t share = EvenShare(greedy, goal_.slices);
    if (share < best_.share || (share == best_.share && CannotImprove(candidate))) return;
    Greedy pruned = TryShare(candidate, share);
    if (!pruned.fits && goal_.leaders > 0 && greedy.last_units) {
      int32_t smaller = std::min(share, greedy.last_units_wl);
      if (smaller == share || smaller <= 0 || smaller < best_.share) return;
      share = smaller;
      pruned = TryShare(candidate, share);
    }
    if (!pruned.fits) return;
    if (share < best_.share || (share == best_.share && pruned.used >= best_.used && seen_)) return;
    seen_ = true;
    candidate.share = share;
    candidate.used = pruned.used;
    best_ = candidate;
  }

  // Pruning takes room away, so it never makes fewer domains enough.
  bool CannotImprove(const Candidate& candidate) {
    if (!seen_ || !simple()) return false;
    return TakeLargest(state_.At(level_), {&candidate.domains, 1}).used >= best_.used;
  }

  Tree::Range ChildrenOf(Tree::Range domains) {
    if (domains.begin == domains.end) return domains;
    return {state_.Children(level_, domains.begin).begin,
            state_.Children(level_, domains.end - 1).end};
  }

  // The lowest domains under neighbours of a level.
  Tree::Range LowestOf(int level, Tree::Range range) {
    for (; level < state_.lowest() && range.begin < range.end; ++level)
      range = {state_.Children(level, range.begin).begin,
               state_.Children(level, range.end - 1).end};
    return range;
  }

  // The greedy placement on the preferred level with all below `share` pruned.
  Greedy TryShare(const Candidate& candidate, int32_t share) {
    if (simple() && !state_.has_inner_units() && below_ > level_) {
      LevelView view = state_.At(level_);
      view.slices = PrunedSlices(candidate.domains, share);
      return TakeLargest(view, {&candidate.domains, 1});
    }
    std::optional<State> pruned;
    Prune(candidate, share, pruned);
    return TakeLargest(pruned->At(level_), {&candidate.domains, 1});
  }

  // Slices of the preferred level's domains without children below `share`. Without leaders and
  // inner layers nothing else changes.
  const int32_t* PrunedSlices(Tree::Range domains, int32_t share) {
    std::vector<int32_t>& pruned = buffers_.pruned[level_].slices;
    if (pruned.size() < static_cast<size_t>(domains.end)) pruned.resize(domains.end);
    const int32_t* below = state_.At(below_).slices;
    for (int32_t i = domains.begin; i < domains.end; ++i) {
      Tree::Range children = state_.Children(level_, i);
      int32_t sum = 0;
      for (int32_t c = children.begin; c < children.end; ++c)
        sum += below[c] >= share ? below[c] : 0;
      pruned[i] = sum >= share ? sum : 0;
    }
    return pruned.data();
  }

  // The part of the tree under the candidate without what has fewer than `share` slices.
  void Prune(const Candidate& candidate, int32_t share, std::optional<State>& pruned) {
    CopyLowest(LowestOf(level_, candidate.domains));
    if (level_ < state_.lowest()) {
      const LevelView& children = state_.At(level_ + 1);
      Tree::Range range = ChildrenOf(candidate.domains);
      for (int32_t c = range.begin; c < range.end; ++c) {
        bool no_pods = children.Slices(c) < share;
        bool no_leader = children.Leaders(c) > 0 && children.SlicesWl(c) < share;
        if (no_pods || no_leader) Clear(c, no_pods);
      }
    }
    pruned.emplace(state_, candidate.parent, buffers_.pruned);
    pruned->At(level_);
    pruned->DropBelow(level_, share);
  }

  void CopyLowest(Tree::Range range) {
    const LevelView& from = state_.At(state_.lowest());
    LevelArrays& to = buffers_.pruned[state_.lowest()];
    size_t size = static_cast<size_t>(from.end);
    to.pods.resize(std::max(to.pods.size(), size));
    std::copy(from.pods + range.begin, from.pods + range.end, to.pods.begin() + range.begin);
    if (goal_.leaders == 0) return;
    to.pods_wl.resize(std::max(to.pods_wl.size(), size));
    to.leaders.resize(std::max(to.leaders.size(), size));
    std::copy(from.pods_wl + range.begin, from.pods_wl + range.end,
              to.pods_wl.begin() + range.begin);
    std::copy(from.leaders + range.begin, from.leaders + range.end,
              to.leaders.begin() + range.begin);
  }

  // Takes the leader, or all, out of what is below a child of the preferred level.
  void Clear(int32_t child, bool pods_too) {
    Tree::Range range = LowestOf(level_ + 1, {child, child + 1});
    LevelArrays& arrays = buffers_.pruned[state_.lowest()];
    for (int32_t i = range.begin; i < range.end; ++i) {
      if (pods_too) arrays.pods[i] = 0;
      if (goal_.leaders > 0) arrays.pods_wl[i] = arrays.leaders[i] = 0;
    }
  }

  // Replaces the list by the best set of as many domains as a greedy placement needs.
  bool ReduceToBest(const LevelView& view, std::vector<int32_t>& chosen) {
    std::vector<Tree::Range>& pool = buffers_.pool;
    pool.clear();
    for (int32_t i : chosen) pool.push_back({i, i + 1});
    Greedy greedy = TakeLargest(view, pool);
    if (!greedy.fits) return false;
    SubsetNeed need{goal_.slices * goal_.slice_size, goal_.leaders, greedy.used};
    chosen = BestSubset(view, chosen, need, buffers_.subset);
    return !chosen.empty();
  }

  // In order of size, so that equal numbers give equal sums, whichever child has which.
  double Entropy(const LevelView& view, Tree::Range children) {
    std::vector<int32_t>& pods = sorted_pods_;
    pods.assign(view.pods + children.begin, view.pods + children.end);
    std::sort(pods.begin(), pods.end());
    double total = 0;
    for (int32_t p : pods) total += p;
    double entropy = 0;
    int32_t last_pods = 0;  // neighbours are often alike
    double last_term = 0;
    for (int32_t p : pods) {
      if (p == 0) continue;
      if (p != last_pods) {
        double part = p / total;
        last_term = part * std::log2(part);
        last_pods = p;
      }
      entropy -= last_term;
    }
    return entropy;
  }

  void SortByEntropy(State& state, std::vector<int32_t>& domains) {
    const LevelView& view = state.At(level_);
    const LevelView& children = state.At(level_ + 1);
    std::vector<double> entropy;
    for (int32_t i : domains) entropy.push_back(Entropy(children, state.Children(level_, i)));
    const int32_t begin = domains.front();
    std::sort(domains.begin(), domains.end(), [&](int32_t a, int32_t b) {
      if (view.Leaders(a) != view.Leaders(b)) return view.Leaders(a) > view.Leaders(b);
      if (view.SlicesWl(a) != view.SlicesWl(b)) return view.SlicesWl(a) > view.SlicesWl(b);
      if (entropy[a - begin] != entropy[b - begin]) return entropy[a - begin] > entropy[b - begin];
      return a < b;
    });
  }

  void ReplaceByChildren(State& state, std::vector<int32_t>& domains) {
    std::vector<int32_t> children;
    for (int32_t i : domains) {
      Tree::Range range = state.Children(level_, i);
      for (int32_t c = range.begin; c < range.end; ++c) children.push_back(c);
    }
    std::sort(children.begin(), children.end());
    domains = std::move(children);
  }

  // `share` slices to each, what is left over in leader order to those with room.
  bool Share(const LevelView& view, const std::vector<int32_t>& chosen, int32_t share) {
    const Divider one(1);
    std::vector<Entry>& entries = buffers_.entries;
    entries.clear();
    for (int32_t i : chosen) entries.push_back(MakeEntry(view, i, PoolOrder::kSlices, one));
    std::sort(entries.begin(), entries.end(), LeaderOrder{true});
    int64_t extra = goal_.slices - int64_t{share} * static_cast<int64_t>(entries.size());
    if (extra < 0) return false;
    TakenList& taken = buffers_.taken;
    taken.clear();
    for (const Entry& entry : entries) {
      int32_t leaders = taken.empty() ? goal_.leaders : 0;
      int32_t room = (leaders > 0 ? entry.slices_wl : entry.slices) - share;
      int32_t more = static_cast<int32_t>(std::min<int64_t>(room, extra));
      extra -= more;
      taken.push_back({entry.index, (share + more) * goal_.slice_size, leaders});
    }
    if (extra > 0) return false;
    auto last =
        std::find_if(taken.rbegin(), taken.rend(), [](const Taken& t) { return t.pods > 0; });
    last->pods -= goal_.slices * goal_.slice_size - goal_.pods;
    std::sort(taken.begin(), taken.end(),
              [](const Taken& a, const Taken& b) { return a.index < b.index; });
    return true;
  }

  State& state_;
  const Goal& goal_;
  const int level_;
  const int below_;
  TasScratch::Buffers& buffers_;
  Candidate best_;
  bool seen_ = false;
  std::vector<int32_t> sorted_pods_;
};

}  // namespace

std::optional<int> ChooseBalanced(State& state, const Goal& goal, int level,
                                  TasScratch::Buffers& buffers, std::optional<State>& pruned) {
  if (goal.slices == 0) return std::nullopt;
  Balancer balancer(state, goal, level, buffers);
  std::optional<Candidate> best = balancer.Best();
  if (!best || !balancer.Place(*best, pruned)) return std::nullopt;
  return balancer.placed_level();
}

}  // namespace gangplan::tas
