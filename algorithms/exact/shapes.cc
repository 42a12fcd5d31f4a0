#include "algorithms/exact/shapes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "algorithms/exact/work.h"
#include "algorithms/leaf_room.h"
#include "topology/fit_counts.h"

namespace gangplan::exact {

Shapes::Shapes(const PlacementView& view, const PlacementRequest& request, bool counted)
    : view_(view), counted_(counted), fit_steps_(view.room == nullptr ? 1 : view.room->FitWork()) {
  std::vector<size_t> shape_of;
  for (size_t set = 0; set < request.pod_sets.size(); ++set) {
    size_t shape = 0;
    while (shape < shapes_.size() &&
           view.counts[shapes_[shape].pod_sets.front()] != view.counts[set])
      ++shape;
    if (shape == shapes_.size()) shapes_.emplace_back();
    shapes_[shape].pod_sets.push_back(static_cast<int32_t>(set));
    shapes_[shape].missing += request.pod_sets[set].count;
    shape_of.push_back(shape);
  }
  for (const FixedMember& member : request.fixed) {
    --shapes_[shape_of[member.pod_set]].missing;
    standing_.push_back({member.leaf, member.pod_set});
    standing_leaves_.push_back(member.leaf);
  }
  std::sort(standing_.begin(), standing_.end(), [](const Standing& a, const Standing& b) {
    return a.leaf != b.leaf ? a.leaf < b.leaf : a.pod_set < b.pod_set;
  });
  std::sort(standing_leaves_.begin(), standing_leaves_.end());
  standing_leaves_.erase(std::unique(standing_leaves_.begin(), standing_leaves_.end()),
                         standing_leaves_.end());
  for (size_t shape = 1; shape < shapes_.size(); ++shape)
    if (shapes_[shape].missing > shapes_[main_].missing) main_ = shape;
}

std::span<const Shapes::Standing> Shapes::StandingOn(int32_t leaf) const {
  const auto before = [](const Standing& one, int32_t other) { return one.leaf < other; };
  const auto begin = std::lower_bound(standing_.begin(), standing_.end(), leaf, before);
  return {begin, std::lower_bound(begin, standing_.end(), leaf + 1, before)};
}

int32_t Shapes::Fit(int32_t leaf, size_t shape, const Mix& beside) const {
  CountWork(Work::kReach, fit_steps_);
  const int32_t pod_set = shapes_[shape].pod_sets.front();
  int32_t fit = view_.counts[pod_set]->levels.back()[leaf];
  const bool beside_none = !counted_ && std::all_of(beside.begin(), beside.end(),
                                                    [](int32_t pods) { return pods == 0; });
  if (fit == 0 || beside_none) return std::clamp(fit, 0, shapes_[shape].missing);
  absl::InlinedVector<int32_t, 8> taken(view_.counts.size(), 0);
  bool any = false;
  for (size_t other = 0; other < beside.size(); ++other) {
    taken[shapes_[other].pod_sets.front()] = beside[other];
    any = any || beside[other] > 0;
  }
  if (counted_) {
    for (const Standing& one : StandingOn(leaf)) {
      ++taken[one.pod_set];
      any = true;
    }
  }
  if (any) {
    // Without a view of the room there is one shape, and each pod takes one of its places.
    fit = view_.room != nullptr ? view_.room->Fit(leaf, pod_set, taken) : fit;
    for (int32_t pods : taken)
      if (view_.room == nullptr) fit -= pods;
  }
  return std::clamp(fit, 0, shapes_[shape].missing);
}

std::vector<int32_t> Shapes::FitEach(size_t shape, const Mix& beside) const {
  const int32_t pod_set = shapes_[shape].pod_sets.front();
  std::vector<int32_t> fits = view_.counts[pod_set]->levels.back();
  std::vector<int32_t> taken(view_.counts.size(), 0);
  int32_t pods = 0;
  CountWork(Work::kReach, std::ssize(fits));
  for (size_t other = 0; other < beside.size(); ++other) {
    taken[shapes_[other].pod_sets.front()] = beside[other];
    pods += beside[other];
  }
  if (pods > 0 && view_.room != nullptr) view_.room->Limit(pod_set, taken, fits);
  const int32_t gone = view_.room == nullptr ? pods : 0;
  for (int32_t& fit : fits) fit = std::clamp(fit - gone, 0, shapes_[shape].missing);
  if (counted_) {
    for (int32_t leaf : standing_leaves_) fits[leaf] = Fit(leaf, shape, beside);
  }
  return fits;
}

namespace {

// Mixes of one leaf, and of all leaves together, that are looked at.
constexpr size_t kMost = 32;
constexpr size_t kMostAnywhere = 64;
// Leaves of which the room is found in one step, all in one go.
constexpr int64_t kLeavesAStep = 4;

}  // namespace

std::vector<Mix> Shapes::Mixes(int32_t leaf) const {
  std::vector<Mix> mixes = {Mix(shapes_.size(), 0)};
  for (size_t i = 0; i < mixes.size(); ++i) {
    for (size_t shape = 0; shape < shapes_.size(); ++shape) {
      if (shape == main_ || mixes[i][shape] == shapes_[shape].missing) continue;
      if (Fit(leaf, shape, mixes[i]) == 0) continue;
      Mix more = mixes[i];
      ++more[shape];
      if (std::find(mixes.begin(), mixes.end(), more) == mixes.end()) mixes.push_back(more);
      if (mixes.size() > kMost) return {};
    }
  }
  return mixes;
}

// A mix fits where it does without one of its pods, and that pod beside.
std::vector<int32_t> Shapes::MostTogether(int64_t& steps) const {
  struct Reached {
    Mix mix;
    std::vector<char> fits;  // by leaf
  };
  const Mix none(shapes_.size(), 0);
  std::vector<int32_t> most = FitEach(main_, none);
  std::vector<Reached> reached = {{none, std::vector<char>(most.size(), 1)}};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (size_t shape = 0; shape < shapes_.size(); ++shape) {
      Mix more = reached[i].mix;
      if (shape == main_ || more[shape]++ == shapes_[shape].missing) continue;
      if (std::any_of(reached.begin(), reached.end(),
                      [&](const Reached& one) { return one.mix == more; }))
        continue;
      steps -= 2 * static_cast<int64_t>(most.size()) / kLeavesAStep;
      std::vector<char> fits = reached[i].fits;
      const std::vector<int32_t> beside = FitEach(shape, reached[i].mix);
      for (size_t leaf = 0; leaf < fits.size(); ++leaf) fits[leaf] &= beside[leaf] > 0 ? 1 : 0;
      if (std::find(fits.begin(), fits.end(), 1) == fits.end()) continue;
      if (reached.size() == kMostAnywhere) return MostOfEach();
      const std::vector<int32_t> rooms = FitEach(main_, more);
      const int32_t pods = PodsIn(more);
      for (size_t leaf = 0; leaf < fits.size(); ++leaf)
        if (fits[leaf] != 0) most[leaf] = std::max(most[leaf], rooms[leaf] + pods);
      reached.push_back({std::move(more), std::move(fits)});
    }
  }
  return most;
}

// As if all shapes were alone.
std::vector<int32_t> Shapes::MostOfEach() const {
  const Mix none(shapes_.size(), 0);
  std::vector<int32_t> most = FitEach(main_, none);
  for (size_t shape = 0; shape < shapes_.size(); ++shape) {
    if (shape == main_) continue;
    const std::vector<int32_t> fits = FitEach(shape, none);
    std::transform(most.begin(), most.end(), fits.begin(), most.begin(), std::plus<>());
  }
  return most;
}

}  // namespace gangplan::exact
