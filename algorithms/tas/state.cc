#include "algorithms/tas/state.h"

#include <algorithm>

#include "topology/base/check.h"

namespace gangplan::tas {
namespace {

// The array, large enough for the level; what it holds outside of the range is never read.
template <typename Number>
Number* Sized(std::vector<Number>& array, int32_t size) {
  if (array.size() < static_cast<size_t>(size)) array.resize(size);
  return array.data();
}

int32_t OutermostSize(const TasRequest& request) {
  return request.slices.empty() ? 1 : request.slices.front().size;
}

}  // namespace

State::State(const Tree& tree, const TasCounts& counts, const TasRequest& request,
             TreeArrays& arrays)
    : tree_(tree),
      counts_(counts),
      arrays_(arrays),
      slice_(OutermostSize(request)),
      slice_level_(request.slices.empty() ? counts.lowest : request.slices.front().level),
      leader_(request.leader),
      made_(counts.lowest + 1) {
  inner_.fill(1);
  for (size_t layer = 1; layer < request.slices.size(); ++layer) {
    deepest_unit_ = request.slices[layer].level;
    for (int level = request.slices[layer - 1].level + 1; level <= request.slices[layer].level;
         ++level)
      inner_[level] = request.slices[layer].size;
  }
  SetRanges(request.confine);
  if (request.confine && !counts.affinity.empty()) EmptyOutside();
}

// Scores count outside of the confining domain too: there stay domains, but without room.
void State::EmptyOutside() {
  const Tree::Range inside = {views_[lowest()].begin, views_[lowest()].end};
  LevelArrays& own = arrays_[lowest()];
  auto fill = [&](std::vector<int32_t>& to, auto number) {
    to.assign(static_cast<size_t>(tree_.size(lowest())), 0);
    for (int32_t i = inside.begin; i < inside.end; ++i) to[i] = number(i);
  };
  const std::span<const int32_t> pods = counts_.workers->at(lowest());
  fill(own.pods, [&](int32_t i) { return pods[i]; });
  auto leads = [&](int32_t i) { return counts_.leader_fits[i] > 0 ? 1 : 0; };
  if (leader_) {
    fill(own.leaders, leads);
    fill(own.pods_wl,
         [&](int32_t i) { return leads(i) ? counts_.workers_beside_leader[i] : pods[i]; });
  }
  own_lowest_ = true;
  SetRanges(std::nullopt);
}

State::State(const State& whole, std::optional<Tree::Domain> confine, TreeArrays& arrays)
    : tree_(whole.tree_),
      counts_(whole.counts_),
      arrays_(arrays),
      slice_(whole.slice_),
      slice_level_(whole.slice_level_),
      leader_(whole.leader_),
      own_lowest_(true),
      made_(whole.lowest() + 1) {
  inner_.fill(1);
  // The narrower of the two, one of which is inside of the other.
  bool narrower = whole.confine_ && (!confine || whole.confine_->level > confine->level);
  SetRanges(narrower ? whole.confine_ : confine);
}

void State::SetRanges(const std::optional<Tree::Domain>& confine) {
  confine_ = confine;
  confine_level_ = 0;
  Tree::Range range{0, tree_.size(0)};
  if (confine) {
    confine_level_ = confine->level;
    int32_t index = confine->index;
    for (int level = confine_level_; level >= 0; --level) {
      views_[level].begin = index;
      views_[level].end = index + 1;
      index = tree_.parent(level, index);
    }
    range = {confine->index, confine->index + 1};
  }
  for (int level = confine_level_; level <= lowest(); ++level) {
    views_[level].begin = range.begin;
    views_[level].end = range.end;
    if (level == lowest() || range.begin == range.end) continue;
    range = {tree_.children(level, range.begin).begin, tree_.children(level, range.end - 1).end};
  }
}

Tree::Range State::Children(int level, int32_t index) const {
  Tree::Range range = tree_.children(level, index);
  if (level >= confine_level_) return range;
  const LevelView& below = views_[level + 1];
  return {std::max(range.begin, below.begin), std::min(range.end, below.end)};
}

void State::Make(int level) {
  if (level == lowest()) {
    MakeLowest();
  } else {
    MakePods(level);
  }
  if (level <= slice_level_) MakeSlices(level);
  if (leader_ && level < lowest()) MakeBesideLeader(level);
  LevelView& view = views_[level];
  if (!leader_) {
    view.pods_wl = view.pods;
    view.slices_wl = view.slices;
  }
  if (!counts_.affinity.empty()) MakeAffinity(level);
}

void State::MakeLowest() {
  LevelView& view = views_[lowest()];
  if (own_lowest_) {
    view.pods = arrays_[lowest()].pods.data();
    view.pods_wl = arrays_[lowest()].pods_wl.data();
    view.leaders = leader_ ? arrays_[lowest()].leaders.data() : nullptr;
    return;
  }
  view.pods = counts_.workers->at(lowest()).data();
  if (!leader_) return;
  LevelArrays& arrays = arrays_[lowest()];
  int32_t* pods_wl = Sized(arrays.pods_wl, tree_.size(lowest()));
  int32_t* leaders = Sized(arrays.leaders, tree_.size(lowest()));
  for (int32_t i = view.begin; i < view.end; ++i) {
    leaders[i] = counts_.leader_fits[i] > 0 ? 1 : 0;
    pods_wl[i] = leaders[i] ? counts_.workers_beside_leader[i] : view.pods[i];
  }
  view.pods_wl = pods_wl;
  view.leaders = leaders;
}

void State::MakePods(int level) {
  LevelView& view = views_[level];
  if (level >= deepest_unit_ && level >= confine_level_ && !own_lowest_) {
    view.pods = counts_.workers->at(level).data();
    return;
  }
  const LevelView& below = views_[level + 1];
  const Divider unit(inner_[level + 1]);
  int32_t* pods = Sized(arrays_[level].pods, tree_.size(level));
  for (int32_t i = view.begin; i < view.end; ++i) {
    Tree::Range range = Children(level, i);
    pods[i] = 0;
    for (int32_t c = range.begin; c < range.end; ++c) pods[i] += unit.RoundDown(below.pods[c]);
  }
  view.pods = pods;
}

template <typename Number>
const Number* State::SumOfChildren(int level, const Number* below, std::vector<Number>& array) {
  Number* sums = Sized(array, tree_.size(level));
  for (int32_t i = views_[level].begin; i < views_[level].end; ++i) {
    Tree::Range range = Children(level, i);
    sums[i] = 0;
    for (int32_t c = range.begin; c < range.end; ++c) sums[i] += below[c];
  }
  return sums;
}

void State::MakeSlices(int level) {
  LevelView& view = views_[level];
  if (slice_.size() == 1) {  // a sum of pods, as the pods are
    view.slices = view.pods;
  } else if (level == slice_level_) {
    int32_t* slices = Sized(arrays_[level].slices, tree_.size(level));
    for (int32_t i = view.begin; i < view.end; ++i) slices[i] = slice_(view.pods[i]);
    view.slices = slices;
  } else {
    view.slices = SumOfChildren(level, views_[level + 1].slices, arrays_[level].slices);
  }
  if (leader_ && level == lowest()) {
    int32_t* slices_wl = Sized(arrays_[level].slices_wl, tree_.size(level));
    for (int32_t i = view.begin; i < view.end; ++i) slices_wl[i] = slice_(view.pods_wl[i]);
    view.slices_wl = slices_wl;
  }
}

// The leader costs a domain what it costs the child that it costs least.
void State::MakeBesideLeader(int level) {
  LevelView& view = views_[level];
  const LevelView& below = views_[level + 1];
  const Divider unit(inner_[level + 1]);
  LevelArrays& arrays = arrays_[level];
  int32_t* pods_wl = Sized(arrays.pods_wl, tree_.size(level));
  int32_t* slices_wl = Sized(arrays.slices_wl, tree_.size(level));
  int32_t* leaders = Sized(arrays.leaders, tree_.size(level));
  for (int32_t i = view.begin; i < view.end; ++i) {
    Tree::Range range = Children(level, i);
    int32_t pods = INT32_MAX;
    int32_t slices = INT32_MAX;
    leaders[i] = 0;
    for (int32_t c = range.begin; c < range.end; ++c) {
      if (!below.leaders[c]) continue;
      leaders[i] = 1;
      pods = std::min(pods, unit.RoundDown(below.pods[c]) - unit.RoundDown(below.pods_wl[c]));
      slices = std::min(slices, below.Slices(c) - below.SlicesWl(c));
    }
    pods_wl[i] = leaders[i] ? view.pods[i] - pods : 0;
    slices_wl[i] = leaders[i] ? view.Slices(i) - slices : 0;
    if (level == slice_level_) slices_wl[i] = slice_(pods_wl[i]);
  }
  view.pods_wl = pods_wl;
  view.leaders = leaders;
  if (level <= slice_level_) view.slices_wl = slices_wl;
}

void State::DropBelow(int level, int32_t least) {
  GANGPLAN_CHECK(own_lowest_ && made_ == level);
  const LevelView& view = views_[level];
  LevelArrays& arrays = arrays_[level];
  for (int32_t i = view.begin; i < view.end; ++i) {
    bool no_pods = view.Slices(i) < least;
    if (leader_ && (no_pods || view.SlicesWl(i) < least))
      arrays.leaders[i] = arrays.pods_wl[i] = arrays.slices_wl[i] = 0;
    if (no_pods) arrays.pods[i] = 0;
    if (no_pods && slice_.size() > 1) arrays.slices[i] = 0;
  }
}

void State::MakeAffinity(int level) {
  LevelView& view = views_[level];
  if (level == lowest()) {
    view.affinity = counts_.affinity.data();
    return;
  }
  view.affinity = SumOfChildren(level, views_[level + 1].affinity, arrays_[level].affinity);
}

}  // namespace gangplan::tas
