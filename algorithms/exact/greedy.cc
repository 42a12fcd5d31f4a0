#include "algorithms/exact/greedy.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

// What it costs to look at the room of a leaf, before and after a pod is put there.
constexpr int64_t kLooks = 16;

// What a shape's pods may take of a leaf.
enum class Share {
  kOfTarget,  // the place of members of the target, whose rules are kept like that
  kNoLoss,    // what the target loses nothing by
  kAll,
};
constexpr Share kShares[] = {Share::kOfTarget, Share::kNoLoss, Share::kAll};

class Filling {
 public:
  Filling(const Tree& tree, const Shapes& shapes, std::span<const LeafMembers> target)
      : tree_(tree), shapes_(shapes), target_(tree.leaf_count(), 0), used_(tree.level_count()) {
    for (int level = 0; level < tree.level_count(); ++level)
      used_[level].assign(tree.size(level), 0);
    for (const LeafMembers& leaf : target) {
      target_[leaf.leaf] = leaf.members - shapes.Stands(leaf.leaf);
      int32_t domain = leaf.leaf;
      for (int level = tree.leaf_level(); level >= 0; --level) {
        used_[level][domain] = 1;
        domain = tree.parent(level, domain);
      }
    }
  }

  // False: not all of the shape's pods have a leaf.
  bool Put(size_t shape, GreedyOrder order, Tree::Range within);
  std::map<int32_t, Mix> Take() { return std::move(put_); }

 private:
  struct Place {
    int32_t leaf = 0;
    int32_t loss = 0;
    int32_t outside = 0;  // levels from the leaf up at which its domain is not one of the target
  };

  Mix PutOn(int32_t leaf) const { return MixOn(put_, leaf, shapes_.all().size()); }
  // How many members of the target have no room on the leaf with this mix.
  int32_t LossOf(int32_t leaf, const Mix& mix) const {
    return std::max(0, target_[leaf] - shapes_.Fit(leaf, shapes_.main(), mix) - PodsIn(mix));
  }
  std::vector<Place> PlacesOf(size_t shape, Tree::Range within) const;
  bool IsWithin(int32_t leaf, const Mix& mix, int32_t loss, Share share) const;
  // As many of them as fit and the share allows.
  void Fill(int32_t leaf, size_t shape, Share share, int32_t& left);

  const Tree& tree_;
  const Shapes& shapes_;
  std::vector<int32_t> target_;          // new members, by leaf
  std::vector<std::vector<char>> used_;  // by level and domain
  std::map<int32_t, Mix> put_;
};

std::vector<Filling::Place> Filling::PlacesOf(size_t shape, Tree::Range within) const {
  std::vector<Place> places;
  CountWork(Work::kFind, within.end - within.begin);
  for (int32_t leaf = within.begin; leaf < within.end; ++leaf) {
    Mix mix = PutOn(leaf);
    if (shapes_.Fit(leaf, shape, mix) == 0) continue;
    Place place{leaf};
    ++mix[shape];
    place.loss = LossOf(leaf, mix);
    int32_t domain = leaf;
    for (int level = tree_.leaf_level(); level >= 0 && used_[level][domain] == 0; --level) {
      ++place.outside;
      domain = tree_.parent(level, domain);
    }
    places.push_back(place);
  }
  return places;
}

bool Filling::IsWithin(int32_t leaf, const Mix& mix, int32_t loss, Share share) const {
  if (share == Share::kAll) return true;
  if (LossOf(leaf, mix) > loss) return false;
  return share == Share::kNoLoss || PodsIn(mix) <= target_[leaf];
}

void Filling::Fill(int32_t leaf, size_t shape, Share share, int32_t& left) {
  Mix mix = PutOn(leaf);
  const int32_t loss = LossOf(leaf, mix);
  bool any = false;
  while (left > 0 && shapes_.Fit(leaf, shape, mix) > 0) {
    ++mix[shape];
    if (!IsWithin(leaf, mix, loss, share)) {
      --mix[shape];
      break;
    }
    any = true;
    --left;
  }
  if (any) put_[leaf] = mix;
}

bool Filling::Put(size_t shape, GreedyOrder order, Tree::Range within) {
  int32_t left = shapes_.all()[shape].missing;
  std::vector<Place> places = PlacesOf(shape, within);
  CountSort(places.size());
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    return order == GreedyOrder::kByLoss
               ? std::tie(a.loss, a.outside, a.leaf) < std::tie(b.loss, b.outside, b.leaf)
               : std::tie(a.outside, a.loss, a.leaf) < std::tie(b.outside, b.loss, b.leaf);
  });
  for (const Share share : kShares) {
    for (const Place& place : places) {
      if (left == 0) return true;
      Fill(place.leaf, shape, share, left);
    }
  }
  return left == 0;
}

}  // namespace

std::optional<std::map<int32_t, Mix>> PutGreedily(const Tree& tree, const Shapes& shapes,
                                                  std::span<const LeafMembers> target,
                                                  GreedyOrder order, Tree::Range within,
                                                  int64_t& steps) {
  Filling filling(tree, shapes, target);
  for (size_t shape = 0; shape < shapes.all().size(); ++shape) {
    if (shape == shapes.main()) continue;
    const int64_t leaves = within.end - within.begin;
    steps -= kLooks * shapes.FitSteps() * (leaves + shapes.all()[shape].missing);
    if (!filling.Put(shape, order, within)) return std::nullopt;
  }
  return filling.Take();
}

}  // namespace gangplan::exact
