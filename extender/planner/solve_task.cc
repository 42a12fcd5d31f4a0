#include "extender/planner/solve_task.h"

#include <utility>

#include "algorithms/explain.h"
#include "algorithms/pod_sets.h"
#include "algorithms/refused_view.h"

namespace gangplan {

static_assert(Budget{}.steps == kCopySteps);

void SolveTask::Run(int64_t most_steps) {
  LookBehind();
  if (ends) return FindEnd();
  if (victims) return FindVictims();
  solved = Ask(most_steps);
}

void SolveTask::LookBehind() {
  for (const Behind& hold : behind) snapshot.Freed(hold.leaf, behind_amounts[hold.amounts], 1);
  behind.clear();
}

Solved SolveTask::Ask(int64_t most_steps) const {
  const SnapshotRoom now = Room(CountKind::kNow);
  const SnapshotRoom empty = Room(CountKind::kEmpty);
  const RefusedView seen(now.View(), refused);
  return engine(
      seen.view(), [&] { return empty.View(); }, request, Budget{most_steps});
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
  const size_t largest = LargestPodSet(request);
  victims->OrderSingles([&](const VictimQuestion::Freed& freed) {
    snapshot.Freed(freed.leaf, *freed.amounts, freed.times);
    const FitCounts& counts = snapshot.Counts(largest, CountKind::kNow);
    return int64_t{counts.levels.back()[static_cast<size_t>(freed.leaf)]};
  });
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
  const SnapshotRoom now = Room(CountKind::kNow);
  const SnapshotRoom empty = Room(CountKind::kEmpty);
  const RefusedView seen(now.View(), refused);
  return EvidenceText(seen.view(), empty.View(), request, Budget{kEvidenceSteps});
}

}  // namespace gangplan
