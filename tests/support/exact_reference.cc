#include "tests/support/exact_reference.h"

#include <map>

namespace gangplan {
namespace {

// Whether every used domain of `level` keeps its rule.
bool Keeps(const Tree& tree, const LevelRule& rule, int level,
           const std::map<int32_t, int64_t>& used) {
  std::map<int32_t, int32_t> children;  // used ones, by parent
  for (const auto& [index, members] : used) {
    ++children[level == 0 ? 0 : tree.parent(level, index)];
    if (rule.min && members < *rule.min) return false;
    if (rule.max && members > *rule.max) return false;
    if (rule.factor && members % *rule.factor != 0) return false;
    if (rule.hard && rule.kind == LevelRule::Kind::kSpread && members != 1) return false;
  }
  for (const auto& [parent, count] : children) {
    if (rule.partitions && count != *rule.partitions) return false;
    if (rule.hard && rule.kind == LevelRule::Kind::kPack && count != 1) return false;
  }
  return true;
}

class Enumeration {
 public:
  Enumeration(const Tree& tree, const PlacementRequest& request, const FitsTogether& fits)
      : tree_(tree), request_(request), fits_(fits), totals_(tree.leaf_count(), 0) {
    for (const PodSetRequest& set : request.pod_sets) left_.push_back(set.count);
    for (const FixedMember& member : request.fixed) {
      --left_[member.pod_set];
      ++totals_[member.leaf];
    }
  }

  ReferenceBest Run() {
    Leaf(0);
    return best_;
  }

 private:
  void Leaf(int32_t leaf) {
    if (leaf == tree_.leaf_count()) return Finish();
    std::vector<int32_t> here(left_.size(), 0);
    PodSet(leaf, 0, here);
  }

  // Every number of pods of pod set `set` and the following ones on this leaf.
  void PodSet(int32_t leaf, size_t set, std::vector<int32_t>& here) {
    if (set == left_.size()) return Leaf(leaf + 1);
    const int32_t before = left_[set];
    for (; left_[set] >= 0; ++here[set], --left_[set], ++totals_[leaf]) {
      if (here[set] > 0 && !fits_(leaf, here)) break;
      PodSet(leaf, set + 1, here);
    }
    totals_[leaf] -= here[set];
    left_[set] = before;
    here[set] = 0;
  }

  void Finish() {
    for (int32_t left : left_)
      if (left > 0) return;
    ++best_.placements;
    const auto key = PlacementKeyOf(tree_, request_, totals_);
    if (key && (!best_.key || *key < *best_.key)) best_.key = key;
  }

  const Tree& tree_;
  const PlacementRequest& request_;
  const FitsTogether& fits_;
  std::vector<int32_t> totals_;
  std::vector<int32_t> left_;
  ReferenceBest best_;
};

}  // namespace

std::optional<std::vector<int64_t>> PlacementKeyOf(const Tree& tree,
                                                   const PlacementRequest& request,
                                                   const std::vector<int32_t>& members) {
  std::vector<int64_t> key;
  for (int level = 0; level < tree.level_count(); ++level) {
    std::map<int32_t, int64_t> used;
    for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
      if (members[leaf] > 0) used[tree.Ancestor(leaf, level)] += members[leaf];
    const LevelRule rule = request.rules[level].value_or(LevelRule{});
    if (!Keeps(tree, rule, level, used)) return std::nullopt;
    int64_t squares = 0;
    for (const auto& [index, count] : used) squares += count * count;
    if (rule.kind == LevelRule::Kind::kSpread) key.push_back(squares);
    if (rule.kind != LevelRule::Kind::kPack) continue;
    key.push_back(static_cast<int64_t>(used.size()));
    key.push_back(-squares);
  }
  return key;
}

ReferenceBest EnumerateBest(const Tree& tree, const PlacementRequest& request,
                            const FitsTogether& fits) {
  return Enumeration(tree, request, fits).Run();
}

}  // namespace gangplan
