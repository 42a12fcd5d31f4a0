#include "extender/planner/solve_task.h"

#include <utility>

#include "algorithms/explain.h"
#include "extender/planner/refused_view.h"

namespace gangplan {
namespace {

// Over a snapshot, as ModelRoom is over the model.
class SnapshotRoom : public LeafRoom {
 public:
  SnapshotRoom(const SolveTask& task, CountKind kind) : task_(task), kind_(kind) {}

  int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const override {
    return task_.snapshot.FitBeside(leaf, kind_, static_cast<size_t>(pod_set), taken);
  }

  void Limit(int32_t pod_set, std::span<const int32_t> taken,
             std::span<int32_t> counts) const override {
    task_.snapshot.LimitBeside(kind_, static_cast<size_t>(pod_set), taken, counts);
  }

  // It outlives the view.
  PlacementView View() const {
    const size_t sets = task_.request.pod_sets.size();
    PlacementView view{&task_.snapshot.tree(), {}, sets > 1 ? this : nullptr};
    for (size_t i = 0; i < sets; ++i) view.counts.push_back(&task_.snapshot.Counts(i, kind_));
    view.affinity.assign(task_.scores.begin(), task_.scores.end());
    return view;
  }

 private:
  const SolveTask& task_;
  const CountKind kind_;
};

}  // namespace

void SolveTask::Run(int64_t steps) {
  if (ends) return FindEnd();
  if (victims) return FindVictims();
  solved = Ask(steps);
}

Solved SolveTask::Ask(int64_t steps) const {
  const SnapshotRoom now(*this, CountKind::kNow);
  const SnapshotRoom empty(*this, CountKind::kEmpty);
  const RefusedView seen(now.View(), refused);
  return engine(
      seen.view(), [&] { return empty.View(); }, request, Budget{steps});
}

VictimQuestion::Place SolveTask::Placing(absl::Duration& took) {
  return [this, &took](const VictimQuestion::Change& change) {
    for (const VictimQuestion::Freed& freed : change)
      snapshot.Freed(freed.leaf, *freed.amounts, freed.times);
    Solved one = Ask(kSolveSteps);
    took += one.took;
    return std::move(one.result);
  };
}

void SolveTask::FindVictims() {
  absl::Duration took;
  victims->Find(Placing(took));
  solved = {victims->result.placement, solved.took + took};
}

// Where it does not fit when all have gone whose end is known, it is asked who else would have to.
void SolveTask::FindEnd() {
  absl::Duration took;
  ends->Find(Placing(took));
  solved = {ends->placement, took};
  if (!ends->by && !victims->empty()) FindVictims();
}

std::string SolveTask::Evidence() const {
  const SnapshotRoom now(*this, CountKind::kNow);
  const SnapshotRoom empty(*this, CountKind::kEmpty);
  const RefusedView seen(now.View(), refused);
  return EvidenceText(seen.view(), empty.View(), request, Budget{kEvidenceSteps});
}

}  // namespace gangplan
