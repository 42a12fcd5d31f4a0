#include "algorithms/exact/part_question.h"

#include <algorithm>

#include "algorithms/exact/ask.h"
#include "algorithms/exact/several.h"
#include "algorithms/exact/work.h"
#include "algorithms/leaf_room.h"

namespace gangplan::exact {
namespace {

// Leaves of which the room is copied in one step.
constexpr int64_t kAskedLeavesAStep = 16;

// The room of the question's sets by those of the whole request.
class InsideRoom final : public LeafRoom {
 public:
  InsideRoom(const LeafRoom* room, size_t sets) : room_(room), sets_(sets) {}
  void Add(int32_t pod_set) { of_.push_back(pod_set); }
  int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const override {
    std::vector<int32_t> all(sets_, 0);
    for (size_t i = 0; i < taken.size(); ++i) all[static_cast<size_t>(of_[i])] += taken[i];
    return room_->Fit(leaf, of_[static_cast<size_t>(pod_set)], all);
  }
  int64_t FitWork() const override { return room_->FitWork(); }

 private:
  const LeafRoom* room_;
  size_t sets_;
  std::vector<int32_t> of_;
};

// The question of one domain as a request of its own.
class Inner {
 public:
  Inner(const PlacementView& view, const PlacementRequest& request, const Parts& parts,
        const Inside& inside)
      : tree_(*view.tree),
        parts_(parts),
        inside_(inside),
        leaves_(inside.level < 0 ? Tree::Range{0, tree_.leaf_count()}
                                 : tree_.leaves(inside.level, inside.domain)),
        has_room_(view.room != nullptr),
        room_(view.room, request.pod_sets.size()) {
    own_.strategy = request.strategy;
    own_.rules = request.rules;
    for (int level = 0; level <= inside.level; ++level)
      own_.rules[static_cast<size_t>(level)].reset();
    counts_.reserve(parts.shapes().all().size());
    for (size_t part = 0; part < parts.size(); ++part)
      if (inside.members[part] > 0) AddSet(part);
  }

  PlacementView View() const {
    PlacementView view{&tree_, {}, has_room_ ? &room_ : nullptr};
    for (const size_t shape : shape_) view.counts.push_back(&counts_[NumberOf(shape)]);
    return view;
  }
  const PlacementRequest& request() const { return own_; }
  int64_t Cost() const {
    return static_cast<int64_t>(counts_.size()) * tree_.leaf_count() / kAskedLeavesAStep;
  }
  PartPlacement Placed(const SetsAnswer& answer) const;

 private:
  void AddSet(size_t part);
  size_t NumberOf(size_t shape) const {
    return static_cast<size_t>(std::find(known_.begin(), known_.end(), shape) - known_.begin());
  }

  const Tree& tree_;
  const Parts& parts_;
  const Inside& inside_;
  const Tree::Range leaves_;
  const bool has_room_;  // else there is one pod set
  InsideRoom room_;
  PlacementRequest own_;
  std::vector<size_t> part_, shape_;  // by set of the question
  std::vector<size_t> known_;         // shapes of `counts_`
  std::vector<FitCounts> counts_;
};

void Inner::AddSet(size_t part) {
  const Part& whole = parts_.all()[part];
  const auto set = static_cast<int32_t>(own_.pod_sets.size());
  own_.pod_sets.push_back({"", inside_.members[part]});
  part_.push_back(part);
  shape_.push_back(whole.shape);
  // Sets of one shape are asked for by the first of the whole request, as its own are.
  room_.Add(parts_.shapes().all()[whole.shape].pod_sets.front());
  int32_t rank = 0;
  for (auto at = parts_.standing().lower_bound(leaves_.begin);
       at != parts_.standing().end() && at->first < leaves_.end; ++at) {
    for (int32_t i = 0; i < at->second[part]; ++i) own_.fixed.push_back({set, rank++, at->first});
  }
  if (NumberOf(whole.shape) < known_.size()) return;
  known_.push_back(whole.shape);
  CountWork(Work::kWord, 4 * tree_.leaf_count());
  FitCounts& counts = counts_.emplace_back(parts_.shapes().counts(whole.shape));
  std::vector<int32_t>& room = counts.levels.back();
  std::fill(room.begin(), room.begin() + leaves_.begin, 0);
  std::fill(room.begin() + leaves_.end, room.end(), 0);
  counts.RollUp(tree_);
}

PartPlacement Inner::Placed(const SetsAnswer& answer) const {
  PartPlacement placed;
  const auto at = [&](int32_t leaf) -> PartCounts& {
    return placed.try_emplace(leaf - leaves_.begin, parts_.size(), 0).first->second;
  };
  for (const FixedMember& member : own_.fixed)
    ++at(member.leaf)[part_[static_cast<size_t>(member.pod_set)]];
  for (size_t set = 0; set < answer.leaves.size(); ++set)
    for (const int32_t leaf : answer.leaves[set]) ++at(leaf)[part_[set]];
  return placed;
}

}  // namespace

InsideAnswer AskInside(const PlacementView& view, const PlacementRequest& request,
                       const Parts& parts, const Inside& inside, bool counted, int64_t& steps) {
  InsideAnswer answer;
  const Inner inner(view, request, parts, inside);
  steps -= inner.Cost();
  const int32_t members = AllMembers(inner.request());
  if (!Contradiction(*view.tree, inner.request(), members).empty()) {
    answer.proven = true;
    return answer;
  }
  const PlacementView own = inner.View();
  const SetsAnswer found =
      AskSets(own, inner.request(), TermsOf(*view.tree, inner.request()), counted, steps);
  answer.placed = found.placed;
  answer.proven = found.placed ? found.best : found.proven;
  if (found.placed) answer.leaves = inner.Placed(found);
  return answer;
}

}  // namespace gangplan::exact
