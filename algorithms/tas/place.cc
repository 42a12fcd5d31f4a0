#include <algorithm>
#include <optional>

#include "algorithms/tas.h"
#include "algorithms/tas/balanced.h"
#include "algorithms/tas/choose.h"
#include "topology/base/check.h"

namespace gangplan {
namespace tas {
namespace {

int64_t PodsOf(const TakenList& taken) {
  int64_t pods = 0;
  for (const Taken& t : taken) pods += t.pods;
  return pods;
}

int32_t LeadersOf(const TakenList& taken) {
  int32_t leaders = 0;
  for (const Taken& t : taken) leaders += t.leaders;
  return leaders;
}

// From domains of one level to domains of the lowest.
class WayDown {
 public:
  // `units` tells the inner units: the state that is read may be without them.
  WayDown(State& state, const State& units, const Goal& goal, bool balanced,
          TasScratch::Buffers& buffers)
      : state_(state), units_(units), goal_(goal), balanced_(balanced), buffers_(buffers) {}

  // buffers.taken, of `level`, becomes one of the lowest level. Empty or less than before where a
  // cut finds no room.
  void Go(int level) {
    int slices_until = std::min(state_.lowest(), state_.slice_level());
    for (; !balanced_ && level < slices_until; ++level) CutTogether(level + 1);
    for (; level < state_.lowest(); ++level) CutEach(level);
  }

 private:
  // All children of what is taken, as one pool.
  void CutTogether(int level) {
    std::vector<Tree::Range>& pool = buffers_.pool;
    pool.clear();
    for (const Taken& t : buffers_.taken) AddChildren(level - 1, t.index, pool);
    PoolCut cut{level, static_cast<int32_t>(PodsOf(buffers_.taken)), LeadersOf(buffers_.taken),
                goal_.slice_size, PoolOrder::kSlices};
    buffers_.next.clear();
    CutPool(state_, goal_, pool, cut, buffers_, buffers_.next);
    buffers_.taken.swap(buffers_.next);
  }

  void AddChildren(int level, int32_t index, std::vector<Tree::Range>& pool) {
    Tree::Range range = state_.Children(level, index);
    if (!pool.empty() && pool.back().end == range.begin) {
      pool.back().end = range.end;
    } else {
      pool.push_back(range);
    }
  }

  // The children of each that is taken, by themselves.
  void CutEach(int level) {
    PoolCut cut;
    cut.level = level + 1;
    bool above_slices = cut.level <= state_.slice_level();
    cut.unit = above_slices ? goal_.slice_size : units_.inner_unit(cut.level);
    cut.order = !above_slices                       ? PoolOrder::kPods
                : cut.level == state_.slice_level() ? PoolOrder::kSlices
                                                    : PoolOrder::kSlicesCountPods;
    buffers_.next.clear();
    for (const Taken& t : buffers_.taken) {
      if (t.pods == 0 && t.leaders == 0) continue;
      Tree::Range children = state_.Children(level, t.index);
      cut.pods = t.pods;
      cut.leaders = t.leaders;
      CutPool(state_, goal_, {&children, 1}, cut, buffers_, buffers_.next);
    }
    buffers_.taken.swap(buffers_.next);
  }

  State& state_;
  const State& units_;
  const Goal& goal_;
  bool balanced_;
  TasScratch::Buffers& buffers_;
};

class Placement {
 public:
  Placement(const Tree& tree, const TasCounts& counts, const TasRequest& request,
            TasScratch::Buffers& buffers, TasResult& result)
      : request_(request),
        goal_(MakeGoal(request)),
        buffers_(buffers),
        state_(tree, counts, request, buffers.numbers),
        result_(result) {}

  void Run() {
    if (state_.tree().size(request_.level) == 0) {
      Fail(TasFailure::Kind::kNoDomainsAtLevel).level = request_.level;
      return;
    }
    if (request_.balanced && request_.mode == TasRequest::Mode::kPreferred && PlaceBalanced())
      return;
    Choice choice = Choose(state_, goal_, request_.level, buffers_);
    if (!choice.found) return Explain(choice);
    WayDown(state_, state_, goal_, false, buffers_).Go(choice.level);
    GANGPLAN_CHECK(PodsOf(buffers_.taken) == goal_.pods);
    GANGPLAN_CHECK(LeadersOf(buffers_.taken) == goal_.leaders);
    Finish();
  }

 private:
  TasFailure& Fail(TasFailure::Kind kind) {
    result_.failure.emplace();
    result_.failure->kind = kind;
    result_.failure->confined = request_.confine;
    return *result_.failure;
  }

  bool PlaceBalanced() {
    bool fixed = request_.compatibility == KueueCompatibility::kFixed;
    std::optional<State> pruned;
    std::optional<int> level = ChooseBalanced(state_, goal_, request_.level, buffers_, pruned);
    if (!level) return false;
    WayDown(*pruned, state_, goal_, true, buffers_).Go(*level);
    bool whole = PodsOf(buffers_.taken) == goal_.pods && LeadersOf(buffers_.taken) == goal_.leaders;
    if (!whole && fixed) return false;
    Finish();
    return true;
  }

  void Finish() {
    for (const Taken& t : buffers_.taken) {
      if (t.leaders > 0) result_.leader = t.index;
      if (t.pods > 0) result_.workers.push_back({t.index, t.pods});
    }
  }

  void Explain(const Choice& choice) {
    if (request_.slices.size() > 1) return ExplainLayers(choice);
    TasFailure& failure = Fail(TasFailure::Kind::kNoFit);
    failure.in_slices = goal_.slice_size > 1;
    failure.fit = choice.fit;
    failure.of = goal_.slices;
  }

  // What each layer has in the domain with most slices.
  void ExplainLayers(const Choice& choice) {
    TasFailure& failure = Fail(TasFailure::Kind::kNoFitLayers);
    const LevelView& view = state_.At(choice.level);
    int32_t best = view.begin;
    for (int32_t i = view.begin; i < view.end; ++i) {
      if (view.Slices(i) > view.Slices(best)) best = i;
    }
    Tree::Range range = {best, best + 1};
    int level = choice.level;
    // Where none has any it is the first of all, which may be outside of the confining domain.
    bool outside = view.Slices(best) == 0 && view.begin > 0;
    for (const TasLayer& layer : request_.slices) {
      for (; level < layer.level; ++level)
        range = {state_.Children(level, range.begin).begin,
                 state_.Children(level, range.end - 1).end};
      int64_t fit = 0;
      for (int32_t i = range.begin; i < range.end; ++i)
        fit += state_.At(level).pods[i] / layer.size;
      bool fixed = request_.compatibility == KueueCompatibility::kFixed;
      int64_t need = (int64_t{request_.count} + (fixed ? layer.size - 1 : 0)) / layer.size;
      failure.layers.push_back({layer.level, outside ? 0 : fit, need});
    }
  }

  const TasRequest& request_;
  const Goal goal_;
  TasScratch::Buffers& buffers_;
  State state_;
  TasResult& result_;
};

}  // namespace
}  // namespace tas

TasScratch::TasScratch() : buffers_(std::make_unique<Buffers>()) {}
TasScratch::~TasScratch() = default;
TasScratch::TasScratch(TasScratch&&) noexcept = default;
TasScratch& TasScratch::operator=(TasScratch&&) noexcept = default;

void PlaceTas(const Tree& tree, const TasCounts& counts, const TasRequest& request,
              TasScratch& scratch, TasResult& result) {
  result.workers.clear();
  result.leader = -1;
  result.failure.reset();
  tas::Placement(tree, counts, request, scratch.buffers(), result).Run();
}

TasResult PlaceTas(const Tree& tree, const TasCounts& counts, const TasRequest& request) {
  TasScratch scratch;
  TasResult result;
  PlaceTas(tree, counts, request, scratch, result);
  return result;
}

}  // namespace gangplan
