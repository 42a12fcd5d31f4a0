#include "algorithms/pack.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "algorithms/children.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

// Domains of one level, in path order.
using Domains = std::vector<int32_t>;

class Packer {
 public:
  Packer(const Tree& tree, const FitCounts& counts) : tree_(tree), counts_(counts) {}

  void PlaceAmong(int level, Domains candidates, int32_t need);
  void PlaceAround(const Domains& standing, int hard_level, int32_t need);
  std::vector<int32_t> TakeLeaves();

 private:
  int32_t Count(int level, int32_t index) const { return counts_.levels[level][index]; }
  Domains Holding(int level, const Domains& domains, int32_t need) const;
  Domains ChildrenHolding(int level, const Domains& parents, int32_t need) const;
  bool Tighter(int level, int32_t a, int32_t b) const;
  int32_t Best(int level, const Domains& domains, int32_t need);
  void Split(int level, const Domains& domains, int32_t need);
  void FillUp(int level, int32_t index);
  Domains AncestorsOf(const Domains& leaves, int level) const;
  Domains NewAt(int level, const Domains& parents, const Domains& standing) const;

  const Tree& tree_;
  const FitCounts& counts_;
  std::vector<Share> shares_;  // of leaves
};

Domains Packer::Holding(int level, const Domains& domains, int32_t need) const {
  Domains result;
  for (int32_t index : domains) {
    if (Count(level, index) >= need) result.push_back(index);
  }
  return result;
}

// Children of `parents`, which are of `level`.
Domains Packer::ChildrenHolding(int level, const Domains& parents, int32_t need) const {
  Domains result;
  for (int32_t parent : parents) {
    Tree::Range range = tree_.children(level, parent);
    for (int32_t child = range.begin; child < range.end; ++child) {
      if (Count(level + 1, child) >= need) result.push_back(child);
    }
  }
  return result;
}

// The fewer room, then the fewer room in the parent, and so on; equal all the way: not tighter.
bool Packer::Tighter(int level, int32_t a, int32_t b) const {
  for (; level >= 0 && a != b; --level) {
    if (Count(level, a) != Count(level, b)) return Count(level, a) < Count(level, b);
    a = tree_.parent(level, a);
    b = tree_.parent(level, b);
  }
  return false;
}

// Of domains that each hold `need`, while none of their children does: the one that needs the
// fewest children, then the tightest, then the first.
int32_t Packer::Best(int level, const Domains& domains, int32_t need) {
  int32_t best = -1;
  int32_t best_children = std::numeric_limits<int32_t>::max();
  for (int32_t index : domains) {
    int32_t children = 1;
    if (level < tree_.leaf_level()) {
      std::span<const int32_t> counts = ChildCounts(tree_, counts_, level, index);
      children = FewestChildrenBound(counts, need);
      if (children > best_children) continue;
      if (children == best_children && !Tighter(level, index, best)) continue;
      children = FewestChildren(counts, need);
    }
    if (children > best_children) continue;
    if (children == best_children && !Tighter(level, index, best)) continue;
    best = index;
    best_children = children;
  }
  return best;
}

// Puts `need` members into `candidates`, which together hold them.
void Packer::PlaceAmong(int level, Domains candidates, int32_t need) {
  Domains holding = Holding(level, candidates, need);
  if (holding.empty()) return Split(level, candidates, need);
  while (level < tree_.leaf_level()) {
    Domains deeper = ChildrenHolding(level, holding, need);
    if (deeper.empty()) break;
    holding = std::move(deeper);
    ++level;
  }
  int32_t best = Best(level, holding, need);
  if (level == tree_.leaf_level()) {
    shares_.push_back({best, need});
    return;
  }
  Split(level + 1, ChildrenHolding(level, {best}, 1), need);
}

// No single one of `domains` holds `need`, all together do.
void Packer::Split(int level, const Domains& domains, int32_t need) {
  for (const Share& share : FewestShares(counts_.at(level), domains, need)) {
    if (level == tree_.leaf_level())
      shares_.push_back(share);
    else
      PlaceAmong(level, {share.index}, share.members);
  }
}

void Packer::FillUp(int level, int32_t index) {
  Tree::Range range = tree_.leaves(level, index);
  for (int32_t leaf = range.begin; leaf < range.end; ++leaf) {
    if (Count(tree_.leaf_level(), leaf) > 0)
      shares_.push_back({leaf, Count(tree_.leaf_level(), leaf)});
  }
}

Domains Packer::AncestorsOf(const Domains& leaves, int level) const {
  Domains result;
  for (int32_t leaf : leaves) {
    int32_t ancestor = tree_.Ancestor(leaf, level);
    if (result.empty() || result.back() != ancestor) result.push_back(ancestor);
  }
  return result;
}

// Domains of `level` with room below `parents` (below the root when there are none) that are not in
// `standing`.
Domains Packer::NewAt(int level, const Domains& parents, const Domains& standing) const {
  Domains all;
  if (level > 0) {
    all = ChildrenHolding(level - 1, parents, 1);
  } else {
    all.resize(tree_.size(0));
    std::iota(all.begin(), all.end(), 0);
  }
  Domains result;
  std::set_difference(all.begin(), all.end(), standing.begin(), standing.end(),
                      std::back_inserter(result));
  return result;
}

// Members stand on the leaves `standing` (ascending, each once). From the top down: as long as the
// domains that hold some of them have room for all, only those are used. At the first level where
// they have not, they are filled, and the rest takes as few new neighbours as possible.
void Packer::PlaceAround(const Domains& standing, int hard_level, int32_t need) {
  Domains parents;
  if (hard_level >= 0) parents = AncestorsOf(standing, hard_level);
  for (int level = hard_level + 1; level <= tree_.leaf_level(); ++level) {
    Domains used = AncestorsOf(standing, level);
    int64_t room = 0;
    for (int32_t index : used) room += Count(level, index);
    if (room < need) {
      for (int32_t index : used) FillUp(level, index);
      return PlaceAmong(level, NewAt(level, parents, used), need - static_cast<int32_t>(room));
    }
    parents = std::move(used);
  }
  PlaceAmong(tree_.leaf_level(), standing, need);
}

std::vector<int32_t> Packer::TakeLeaves() {
  std::sort(shares_.begin(), shares_.end(),
            [](const Share& a, const Share& b) { return a.index < b.index; });
  std::vector<int32_t> leaves;
  for (const Share& share : shares_) {
    GANGPLAN_CHECK(share.members <= Count(tree_.leaf_level(), share.index));
    leaves.insert(leaves.end(), share.members, share.index);
  }
  return leaves;
}

Domains AllOf(const Tree& tree, int level) {
  Domains all(tree.size(level));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

std::string_view WordBeyondPack(const LevelRule& rule) {
  if (rule.kind == LevelRule::Kind::kSpread) return "spread";
  if (rule.kind == LevelRule::Kind::kAny) return "any";
  if (rule.partitions) return "partitions";
  if (rule.min) return "min";
  if (rule.max) return "max";
  if (rule.factor) return "factor";
  return "";
}

int HardLevel(const PlacementRequest& request) {
  for (size_t level = request.rules.size(); level-- > 0;) {
    if (request.rules[level] && request.rules[level]->hard) return static_cast<int>(level);
  }
  return -1;
}

int32_t MembersToPlace(const PlacementRequest& request) {
  return request.pod_sets.front().count - static_cast<int32_t>(request.fixed.size());
}

int32_t BoundDomain(const Tree& tree, const PlacementRequest& request) {
  int hard = HardLevel(request);
  if (hard < 0 || request.fixed.empty()) return -1;
  return tree.Ancestor(request.fixed.front().leaf, hard);
}

int64_t DecidingRoom(const Tree& tree, const FitCounts& counts, const PlacementRequest& request) {
  int hard = HardLevel(request);
  int32_t bound = BoundDomain(tree, request);
  if (bound >= 0) return counts.levels[hard][bound];
  std::span<const int32_t> level = counts.at(std::max(hard, 0));
  if (hard < 0) return std::accumulate(level.begin(), level.end(), int64_t{0});
  return level.empty() ? 0 : *std::max_element(level.begin(), level.end());
}

std::vector<int32_t> Pack(const Tree& tree, const FitCounts& counts,
                          const PlacementRequest& request) {
  int32_t need = MembersToPlace(request);
  if (need == 0) return {};
  int hard = HardLevel(request);
  Packer packer(tree, counts);
  if (request.fixed.empty()) {
    packer.PlaceAmong(std::max(hard, 0), AllOf(tree, std::max(hard, 0)), need);
    return packer.TakeLeaves();
  }
  Domains standing;
  for (const FixedMember& member : request.fixed) standing.push_back(member.leaf);
  std::sort(standing.begin(), standing.end());
  standing.erase(std::unique(standing.begin(), standing.end()), standing.end());
  packer.PlaceAround(standing, hard, need);
  return packer.TakeLeaves();
}

}  // namespace gangplan
