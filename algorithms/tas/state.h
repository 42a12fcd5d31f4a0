// What fits in each domain, as far as one request needs it: pods, slices, both beside a leader
// ("_wl"), and scores, rolled up from the lowest level. A level is made when it is first asked for;
// where a number equals the cached counts it is read from there and not copied.
//
// Invariants: a domain above the slices' level has the sum of its children's slices, one at that
// level pods / size, one below none. Inner layers round a child's pods down before they are summed.
// Without a leader the "_wl" numbers are the plain ones.
// Cost: O(domains) of each level that is made, and only inside of the confining domain.
// Thread rule: one call at a time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "algorithms/tas.h"
#include "algorithms/tas/divider.h"

namespace gangplan::tas {

inline constexpr int kMostLevels = kMaxLevels + 1;

// The numbers of one level, by domain index; only [begin, end) may be read.
struct LevelView {
  int32_t begin = 0;
  int32_t end = 0;
  const int32_t* pods = nullptr;
  const int32_t* pods_wl = nullptr;
  const int32_t* slices = nullptr;  // null below the slices' level: none
  const int32_t* slices_wl = nullptr;
  const int32_t* leaders = nullptr;   // 0 or 1; null without a leader
  const int64_t* affinity = nullptr;  // null: all the same

  int32_t Slices(int32_t index) const { return slices ? slices[index] : 0; }
  int32_t SlicesWl(int32_t index) const { return slices_wl ? slices_wl[index] : 0; }
  int32_t Leaders(int32_t index) const { return leaders ? leaders[index] : 0; }
  int64_t Affinity(int32_t index) const { return affinity ? affinity[index] : 0; }
};

// Memory for numbers of one level that are not the cached ones.
struct LevelArrays {
  std::vector<int32_t> pods, pods_wl, slices, slices_wl, leaders;
  std::vector<int64_t> affinity;
};
using TreeArrays = std::array<LevelArrays, kMostLevels>;

class State {
 public:
  State(const Tree& tree, const TasCounts& counts, const TasRequest& request, TreeArrays& arrays);
  // The same request on other numbers, inside of one domain (none: everywhere), and rolled up
  // without the inner layers, as Kueue's balanced placement does. REQUIRES: `arrays` holds the
  // lowest level there: pods and, with a leader, pods_wl and leaders.
  State(const State& whole, std::optional<Tree::Domain> confine, TreeArrays& arrays);

  const Tree& tree() const { return tree_; }
  int lowest() const { return counts_.lowest; }
  int slice_level() const { return slice_level_; }
  int32_t slice_size() const { return slice_.size(); }
  bool leader() const { return leader_; }
  // Pods that domains of `level` below the slices' level take at once: the size of the layer that
  // covers it, else 1.
  int32_t inner_unit(int level) const { return inner_[level]; }
  bool has_inner_units() const { return deepest_unit_ > 0; }

  const LevelView& At(int level) {
    while (made_ > level) Make(--made_);
    return views_[level];
  }
  // Leaves the domains of `level` with fewer slices than `least` nothing, and those with fewer
  // beside a leader no leader. REQUIRES: a state on other numbers, no level above made.
  void DropBelow(int level, int32_t least);
  // The children of a domain that are inside of the confining domain.
  Tree::Range Children(int level, int32_t index) const;
  // At, for a level that is made.
  const LevelView& Made(int level) const { return views_[level]; }

 private:
  void SetRanges(const std::optional<Tree::Domain>& confine);
  void EmptyOutside();
  void Make(int level);
  void MakeLowest();
  void MakePods(int level);
  void MakeSlices(int level);
  // Of the numbers of the level below; kept in `array`.
  template <typename Number>
  const Number* SumOfChildren(int level, const Number* below, std::vector<Number>& array);
  void MakeBesideLeader(int level);
  void MakeAffinity(int level);

  const Tree& tree_;
  const TasCounts& counts_;
  TreeArrays& arrays_;
  Divider slice_;
  int slice_level_;
  bool leader_;
  bool own_lowest_ = false;  // the numbers of the lowest level are in arrays_
  int deepest_unit_ = 0;     // the deepest level with an inner unit; 0 for none
  std::optional<Tree::Domain> confine_;
  int confine_level_ = 0;
  int made_;
  std::array<int32_t, kMostLevels + 1> inner_;
  std::array<LevelView, kMostLevels> views_;
};

}  // namespace gangplan::tas
