// The pod sets of a request by their shapes, and how pods of these fit on a leaf together.
//
//   a leader of 1 core, 8 workers and 2 writers of 2 cores each: shape 0 is the leader, shape 1 the
//   other ten, and the main one; on a node with 8 cores the mixes are (0, 0) and (1, 0), beside
//   which 4 and 3 of shape 1 fit: no more than 4 pods together
//
// Const reads from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "algorithms/engine.h"

namespace gangplan::exact {

// Pod sets with the same counts.
struct Shape {
  std::vector<int32_t> pod_sets;
  int32_t missing = 0;  // members that do not stand yet
};

// Pods by shape.
using Mix = std::vector<int32_t>;

inline int32_t PodsIn(const Mix& mix) { return std::accumulate(mix.begin(), mix.end(), 0); }

// What was put on the leaf; of `shapes` shapes, all 0 where nothing was.
inline Mix MixOn(const std::map<int32_t, Mix>& put, int32_t leaf, size_t shapes) {
  const auto found = put.find(leaf);
  return found == put.end() ? Mix(shapes, 0) : found->second;
}

class Shapes {
 public:
  Shapes(const PlacementView& view, const PlacementRequest& request, bool counted);

  const std::vector<Shape>& all() const { return shapes_; }
  size_t main() const { return main_; }  // the shape with the most missing members
  const FitCounts& counts(size_t shape) const {
    return *view_.counts[shapes_[shape].pod_sets.front()];
  }
  // How many more of a shape fit beside these new pods, up to all that are missing.
  int32_t Fit(int32_t leaf, size_t shape, const Mix& beside) const;
  // What one such question costs.
  int64_t FitSteps() const { return fit_steps_; }
  // The same for each leaf.
  std::vector<int32_t> FitEach(size_t shape, const Mix& beside) const;
  // Members that stand on the leaf.
  int32_t Stands(int32_t leaf) const { return static_cast<int32_t>(StandingOn(leaf).size()); }
  // Leaves where members stand, ascending.
  std::span<const int32_t> standing() const { return standing_leaves_; }
  // Every mix of the shapes but the main one, up to what is missing, that fits on the leaf; starts
  // with the empty one. Nothing when there are too many to look at.
  std::vector<Mix> Mixes(int32_t leaf) const;
  // By leaf: no more new pods of all shapes fit there together, up to what is missing of each; as
  // many do where there are not too many mixes to look at. `steps` pays for it.
  std::vector<int32_t> MostTogether(int64_t& steps) const;

 private:
  struct Standing {
    int32_t leaf = 0;
    int32_t pod_set = 0;
  };

  std::span<const Standing> StandingOn(int32_t leaf) const;
  std::vector<int32_t> MostOfEach() const;

  PlacementView view_;
  bool counted_;
  int64_t fit_steps_;
  size_t main_ = 0;
  std::vector<Shape> shapes_;
  std::vector<Standing> standing_;  // by leaf
  std::vector<int32_t> standing_leaves_;
};

}  // namespace gangplan::exact
