// A question to the engine by itself: what a placement needs of the model, as it was at one moment,
// and the request. Independent of the planner from then on, so that it may be asked beside it.
//
// Thread rule: one caller at a time, on any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/ends_question.h"
#include "extender/planner/engine_call.h"
#include "extender/planner/limits.h"
#include "extender/planner/snapshot_room.h"
#include "extender/planner/victim_question.h"
#include "topology/placement_snapshot.h"

namespace gangplan {

struct SolveTask {
  int64_t group = 0;
  std::vector<int32_t> wanted;  // slots
  PlacementRequest request;
  std::vector<ShapeId> shapes;  // one a pod set of the request, and so are:
  PlacementSnapshot snapshot;
  std::vector<std::vector<int64_t>> scores;   // by leaf; empty: none counts
  std::vector<std::vector<int32_t>> refused;  // leaves that hold nobody now, ascending
  Engine engine;
  // Holds of lesser groups, which are not there for it: taken away by Run, since that takes longer
  // than to tell of them.
  struct Behind {
    int32_t leaf = 0;
    size_t amounts = 0;  // of behind_amounts, which are of the snapshot's columns
  };
  std::vector<Behind> behind;
  std::vector<std::vector<int64_t>> behind_amounts;
  std::optional<EndsQuestion> ends;       // it is asked by when it fits
  std::optional<VictimQuestion> victims;  // who has to go for it is asked, too
  int64_t steps = kCopySteps;             // that it is asked with beside the lock
  Solved solved;                          // by Run

  // Asks, with so many steps: kCopySteps take some hundred milliseconds at the most. Of victims,
  // and of ends, many questions are asked, each with few steps.
  void Run(int64_t most_steps);
  void Run() { Run(steps); }
  // Its snapshot as an engine sees it. No longer than this.
  SnapshotRoom Room(CountKind kind) const {
    return {snapshot, request.pod_sets.size(), scores, kind};
  }
  // Why a group waits, for people: asks several times.
  std::string Evidence() const;

 private:
  Solved Ask(int64_t most_steps) const;
  void LookBehind();
  VictimQuestion::Place Placing(absl::Duration& took);
  void FindEnd();
  void FindVictims();
};

}  // namespace gangplan
