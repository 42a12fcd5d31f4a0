// A view of the model in which some leaves hold nobody: those that the scheduler has refused.
// Lives as long as it is looked at, and no longer than what it was made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/engine.h"
#include "algorithms/leaf_room.h"
#include "topology/fit_counts.h"

namespace gangplan {

class RefusedView {
 public:
  // `refused`: by pod set, ascending.
  RefusedView(PlacementView view, const std::vector<std::vector<int32_t>>& refused)
      : view_(std::move(view)) {
    const bool any = std::any_of(refused.begin(), refused.end(),
                                 [](const auto& leaves) { return !leaves.empty(); });
    if (!any) return;
    counts_.reserve(refused.size());  // the view points into it
    for (size_t i = 0; i < refused.size(); ++i) {
      if (refused[i].empty()) continue;
      counts_.push_back(*view_.counts[i]);
      Hide(*view_.tree, refused[i], counts_.back());
      view_.counts[i] = &counts_.back();
    }
    if (view_.room == nullptr) return;
    room_.emplace(*view_.room, refused);
    view_.room = &*room_;
  }
  RefusedView(const RefusedView&) = delete;
  RefusedView& operator=(const RefusedView&) = delete;

  const PlacementView& view() const { return view_; }

 private:
  // Of many leaves all domains are summed up anew, once.
  static void Hide(const Tree& tree, const std::vector<int32_t>& leaves, FitCounts& counts) {
    const bool many = leaves.size() > static_cast<size_t>(tree.leaf_count()) / 8;
    for (const int32_t leaf : leaves) {
      if (many) {
        counts.levels.back()[static_cast<size_t>(leaf)] = 0;
      } else {
        counts.SetLeaf(tree, leaf, 0);
      }
    }
    if (many) counts.RollUp(tree);
  }

  class Room : public LeafRoom {
   public:
    Room(const LeafRoom& room, const std::vector<std::vector<int32_t>>& refused)
        : room_(room), refused_(refused) {}

    int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const override {
      const std::vector<int32_t>& leaves = refused_[static_cast<size_t>(pod_set)];
      const bool none = std::binary_search(leaves.begin(), leaves.end(), leaf);
      return none ? 0 : room_.Fit(leaf, pod_set, taken);
    }
    int64_t FitWork() const override { return room_.FitWork(); }
    // What is refused counts nobody before.
    void Limit(int32_t pod_set, std::span<const int32_t> taken,
               std::span<int32_t> counts) const override {
      room_.Limit(pod_set, taken, counts);
    }

   private:
    const LeafRoom& room_;
    const std::vector<std::vector<int32_t>>& refused_;
  };

  PlacementView view_;
  std::vector<FitCounts> counts_;
  std::optional<Room> room_;
};

}  // namespace gangplan
