#include "tests/algorithms/reference_solver.h"

#include <algorithm>
#include <tuple>

namespace gangplan {
namespace {

class Reference {
 public:
  Reference(const Tree& tree, const FitCounts& counts)
      : tree_(tree), counts_(counts), placement_(tree.leaf_count(), 0) {}

  // False when the domains do not hold the members together.
  bool Place(int level, const std::vector<int32_t>& domains, int32_t need) {
    for (int deep = tree_.leaf_level(); deep >= level; --deep) {
      int32_t best = BestSingle(level, domains, deep, need);
      if (best < 0) continue;
      if (deep == tree_.leaf_level()) {
        placement_[best] += need;
        return true;
      }
      return Split(deep + 1, Children(deep, best), need);
    }
    return Split(level, domains, need);
  }

  const PerLeaf& placement() const { return placement_; }

 private:
  int32_t Count(int level, int32_t index) const { return counts_.levels[level][index]; }

  std::vector<int32_t> Children(int level, int32_t index) const {
    std::vector<int32_t> result;
    for (int32_t child = 0; child < tree_.size(level + 1); ++child) {
      if (tree_.parent(level + 1, child) == index) result.push_back(child);
    }
    return result;
  }

  int32_t AncestorOf(int from, int32_t index, int to) const {
    for (; from > to; --from) index = tree_.parent(from, index);
    return index;
  }

  std::vector<int64_t> Rank(int level, int32_t index, int32_t need) const {
    std::vector<int64_t> rank = {0};
    if (level < tree_.leaf_level()) {
      std::vector<int32_t> rooms;
      for (int32_t child : Children(level, index)) rooms.push_back(Count(level + 1, child));
      std::sort(rooms.rbegin(), rooms.rend());
      for (int32_t rest = need; rest > 0; ++rank[0]) rest -= rooms[rank[0]];
    }
    int32_t at = index;
    for (int up = level; up >= 0; at = tree_.parent(up, at), --up) rank.push_back(Count(up, at));
    rank.push_back(index);
    return rank;
  }

  int32_t BestSingle(int level, const std::vector<int32_t>& domains, int deep, int32_t need) const {
    int32_t best = -1;
    for (int32_t index = 0; index < tree_.size(deep); ++index) {
      int32_t above = AncestorOf(deep, index, level);
      if (std::find(domains.begin(), domains.end(), above) == domains.end()) continue;
      if (Count(deep, index) < need) continue;
      if (best < 0 || Rank(deep, index, need) < Rank(deep, best, need)) best = index;
    }
    return best;
  }

  bool Split(int level, std::vector<int32_t> domains, int32_t need) {
    while (need > 0) {
      std::sort(domains.begin(), domains.end(), [&](int32_t a, int32_t b) {
        return std::make_tuple(-Count(level, a), a) < std::make_tuple(-Count(level, b), b);
      });
      if (domains.empty() || Count(level, domains[0]) == 0) return false;
      int32_t chosen = domains[0];
      for (int32_t index : domains) {
        bool tighter = std::make_tuple(Count(level, index), index) <
                       std::make_tuple(Count(level, chosen), chosen);
        if (Count(level, index) >= need && tighter) chosen = index;
      }
      int32_t share = std::min(need, Count(level, chosen));
      need -= share;
      std::erase(domains, chosen);
      if (level == tree_.leaf_level())
        placement_[chosen] += share;
      else if (!Place(level, {chosen}, share))
        return false;
    }
    return true;
  }

  const Tree& tree_;
  const FitCounts& counts_;
  PerLeaf placement_;
};

}  // namespace

std::optional<PerLeaf> ReferencePlacement(const Tree& tree, const FitCounts& counts, int hard_level,
                                          int32_t members) {
  int top = std::max(hard_level, 0);
  std::vector<int32_t> domains;
  for (int32_t index = 0; index < tree.size(top); ++index) {
    if (hard_level < 0 || counts.levels[top][index] >= members) domains.push_back(index);
  }
  Reference reference(tree, counts);
  if (!reference.Place(top, domains, members)) return std::nullopt;
  return reference.placement();
}

void ForEachPlacement(const PerLeaf& counts, int32_t members,
                      const std::function<void(const PerLeaf&)>& visit) {
  PerLeaf placement(counts.size(), 0);
  std::function<void(size_t, int32_t)> fill = [&](size_t leaf, int32_t rest) {
    if (leaf == counts.size()) {
      if (rest == 0) visit(placement);
      return;
    }
    for (int32_t here = 0; here <= std::min(rest, counts[leaf]); ++here) {
      placement[leaf] = here;
      fill(leaf + 1, rest - here);
    }
    placement[leaf] = 0;
  };
  fill(0, members);
}

std::vector<int32_t> UsedDomains(const Tree& tree, int level, const PerLeaf& placement) {
  std::vector<int32_t> used;
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
    int32_t domain = tree.Ancestor(leaf, level);
    if (placement[leaf] > 0 && (used.empty() || used.back() != domain)) used.push_back(domain);
  }
  return used;
}

std::optional<std::vector<int64_t>> PlacementKey(const Tree& tree, const FitCounts& counts,
                                                 int hard_level, const PerLeaf& placement) {
  int level = tree.leaf_level();
  while (level >= 0 && UsedDomains(tree, level, placement).size() > 1) --level;
  if (level < hard_level) return std::nullopt;
  std::vector<int64_t> key = {tree.leaf_level() - level, 0};
  if (level < tree.leaf_level())
    key[1] = static_cast<int64_t>(UsedDomains(tree, level + 1, placement).size());
  if (level < 0) return key;
  int32_t domain = UsedDomains(tree, level, placement)[0];
  int32_t at = domain;
  for (int up = level; up >= 0; at = tree.parent(up, at), --up)
    key.push_back(counts.levels[up][at]);
  key.push_back(domain);
  return key;
}

}  // namespace gangplan
