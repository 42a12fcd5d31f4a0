#include "extender/planner/replica_runs.h"

#include <algorithm>
#include <utility>

#include "extender/frontends/leader_worker.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// Clocks of API servers may differ by so much, in seconds: who was made later than that was.
constexpr int64_t kLaterBy = 2;
// Replicas are looked over when there are twice as many as were left the last time, and so many.
constexpr size_t kLeastLookedOver = 64;

}  // namespace

GroupKey ReplicaRuns::KeyOfRun(const GroupKey& told, const Run& run) {
  GroupKey key = told;
  if (run.number > 1) key.incarnation += fmt::format("/{}", run.number);
  return key;
}

// Runs of which nothing is there. While groups are read anew theirs are not found by their keys.
void ReplicaRuns::Forget(const GroupKey& told, Runs& runs) const {
  if (groups_.AnyRetired()) return;
  std::erase_if(runs, [&](const Run& run) { return GroupOf(told, run) == nullptr; });
}

const Group* ReplicaRuns::GroupOf(const GroupKey& told, const Run& run) const {
  return groups_.FindByKey(KeyOfRun(told, run));
}

// At times, so that it takes no longer than the pods that came.
void ReplicaRuns::ForgetOld() {
  if (runs_.size() < look_over_at_ || groups_.AnyRetired()) return;
  for (auto& [told, runs] : runs_) Forget(told, runs);
  std::erase_if(runs_, [](const auto& known) { return known.second.empty(); });
  look_over_at_ = std::max(kLeastLookedOver, 2 * runs_.size());
}

GroupKey ReplicaRuns::KeyOf(const GroupKey& told, const PodFacts& pod) {
  if (!IsReplica(told) || !pod.controller) return told;
  ForgetOld();
  Runs& runs = runs_[told];
  Forget(told, runs);
  return KeyOfRun(told, LeadsReplica(pod) ? OfLeader(told, runs, pod) : OfWorker(told, runs, pod));
}

ReplicaRuns::Run& ReplicaRuns::Begin(Runs& runs) {
  const int32_t number = runs.empty() ? 1 : runs.back().number + 1;
  return runs.emplace_back(Run{number, {}, {}});
}

ReplicaRuns::Run& ReplicaRuns::OfLeader(const GroupKey& told, Runs& runs, const PodFacts& pod) {
  const auto own =
      std::find_if(runs.begin(), runs.end(), [&](const Run& run) { return run.leader == pod.uid; });
  if (own != runs.end()) return *own;
  const bool joins =
      !runs.empty() && runs.back().leader.empty() && !IsLater(GroupOf(told, runs.back()), pod);
  Run& run = joins ? runs.back() : Begin(runs);
  run.leader = pod.uid;
  return run;
}

// It waits, while others run that are older: a leader is there before its workers.
bool ReplicaRuns::IsLater(const Group* group, const PodFacts& pod) {
  return group != nullptr && group->AnyRuns() && pod.node_name.empty() && group->created() > 0 &&
         pod.created > group->created() + kLaterBy;
}

ReplicaRuns::Run& ReplicaRuns::OfWorker(const GroupKey& told, Runs& runs, const PodFacts& pod) {
  const std::string& maker = pod.controller->uid;
  const auto own = std::find_if(runs.begin(), runs.end(),
                                [&](const Run& run) { return run.makers.contains(maker); });
  if (own != runs.end()) return *own;
  const auto leads = [&](const Run& run) {
    const Group* group = GroupOf(told, run);
    return group != nullptr && group->Find(run.leader) != nullptr;
  };
  // While its leader is there no other one can be: its StatefulSet was made once more.
  const bool joins = !runs.empty() && (runs.back().makers.empty() || leads(runs.back()));
  Run& run = joins ? runs.back() : Begin(runs);
  if (run.makers.size() < kMaxMakersOfRun) run.makers.insert(maker);
  return run;
}

const Group* ReplicaRuns::Before(const GroupKey& told, const GroupKey& own) const {
  const auto known = runs_.find(told);
  if (known == runs_.end()) return nullptr;
  const Group* before = nullptr;
  for (const Run& run : known->second) {
    if (KeyOfRun(told, run) == own) return before;
    if (const Group* group = GroupOf(told, run)) before = group;
  }
  return nullptr;
}

}  // namespace gangplan
