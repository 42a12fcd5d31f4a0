// Pods of no group that may have to go for one that waits, each by itself.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "algorithms/pod_sets.h"
#include "extender/planner/limits.h"
#include "extender/planner/victim_search.h"

namespace gangplan {

// Some member might stand there when everybody has gone.
bool VictimSearch::MayTake(const SolveTask& task, int32_t leaf) {
  for (size_t i = 0; i < task.shapes.size(); ++i) {
    const FitCounts& empty = task.snapshot.Counts(i, CountKind::kEmpty);
    if (empty.levels.back()[static_cast<size_t>(leaf)] > 0 && task.snapshot.MayUse(i, leaf))
      return true;
  }
  return false;
}

std::vector<VictimSearch::Single> VictimSearch::SinglesBelow(const Group& group,
                                                             const SolveTask& task, int32_t& from,
                                                             bool& promised, int64_t& work) const {
  std::vector<Single> found;
  const SinglePods& pods = books_.pods.singles();
  const TopologyIndex topology = task.snapshot.topology();
  const int32_t leaves = task.snapshot.tree().leaf_count();
  const int32_t stays = StaysFrom(group);
  if (!pods.AnyBelow(stays) || leaves == 0) return found;
  const int32_t first = from < leaves ? from : 0;
  from = 0;
  work += leaves;
  for (int32_t i = 0; i < leaves; ++i) {
    const int32_t leaf = (first + i) % leaves;
    const auto there = pods.On(books_.ledger.model().NodeOfLeaf(topology, leaf));
    if (there.empty() || there.front()->priority >= stays || !MayTake(task, leaf)) continue;
    if (found.size() >= kMaxSingleVictims) {
      from = leaf;
      break;
    }
    for (const SinglePods::PodPtr& pod : there) {
      if (pod->priority >= stays) break;
      const std::string_view uid = PodBook::UidOf(*pod->record);
      work += kLookWork;
      // A driver that owns the members of some gang is a part of it.
      const bool goes = WouldYield(*pod->record, group) && books_.groups.OfOwner(uid).empty();
      if (!goes || books_.yielding.PodSpared(uid)) continue;
      if (books_.yielding.IsPromisedBeside(uid, group.id())) {
        promised = true;
      } else {
        found.push_back({leaf, pod.get()});
      }
    }
  }
  return found;
}

void VictimSearch::AddSingles(const std::vector<Single>& singles, const Ranks& ranks,
                              SolveTask& task, bool shrinks) const {
  if (singles.empty()) return;
  const Model& model = books_.ledger.model();
  VictimQuestion& question = *task.victims;
  const ShapeId largest = task.shapes[LargestPodSet(task.request)];
  question.SetUnit(task.snapshot.AmountsOf(model.demand(largest)));
  absl::flat_hash_map<const ResourceList*, size_t> amounts;
  for (const auto& [leaf, pod] : singles) {
    const ResourceList* requests = pod->record->requests.get();
    const auto [known, added] = amounts.try_emplace(requests, 0);
    if (added) known->second = question.AddAmounts(task.snapshot.AmountsOf(*requests));
    const int64_t rank = NumberOf(ranks, {pod->priority, 0}) + (shrinks ? 1 : 0);
    question.AddSingle(PodBook::UidOf(*pod->record), rank, leaf, known->second);
  }
}

}  // namespace gangplan
