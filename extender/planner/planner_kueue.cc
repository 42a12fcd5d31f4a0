// What the facade does with room that Kueue has given itself.
#include <vector>

#include "extender/planner/planner.h"
#include "extender/planner/planner_rooms.h"
#include "topology/object_name.h"

namespace gangplan {

// Room that Kueue has given is taken from whoever is only planned there.
void Planner::Rooms::FitKueue() {
  kueue.Fit(true);
  for (const NodeIndex node : kueue.TakeTaken()) plans.CheckNode(node);
}

void Planner::Rooms::FitKueue(const NodeFacts& node) {
  kueue.OnNode(node);
  FitKueue();
}

void Planner::Rooms::FitKueue(std::string_view gone) {
  kueue.OnNodeGone(gone);
  FitKueue();
}

// Where the pod is bound, its own room takes the place of what its Workload has there, before that:
// nobody has to go for both.
void Planner::Rooms::TakePod(absl::Time now, const PodFacts& pod) {
  kueue.OnPod(pod);
  kueue.Fit(false, pod.node_name);
  roster.OnPod(now, pod);
  if (pod.node_name.empty() && ledger.NodeOf(pod.uid) == kNoNode) kueue.NoteBinding(pod.uid, {});
  // It may have been a member before the watch has shown of which Workload it is.
  if (const KnownPod* record = pods.Find(pod.uid); record != nullptr)
    kueue.NoteMember(pod.uid, record->group != 0);
  FitKueue();
}

// Of a pod whose Binding was not written.
void Planner::Rooms::GiveBack(std::string_view uid) {
  ledger.ErasePod(uid);
  kueue.NoteBinding(uid, {});
}

void Planner::Rooms::ForgetPod(absl::Time now, std::string_view uid) {
  roster.OnPodDeleted(now, uid);
  kueue.OnPodDeleted(uid);
  FitKueue();
}

void Planner::Rooms::TickKueue(absl::Time now) {
  kueue.Tick(now);
  FitKueue();
}

void Planner::OnWorkload(absl::Time now, const WorkloadFacts& workload, bool stands) {
  Rooms& r = Begin();
  if (!stands) {
    r.kueue.Erase(NameInNamespace(workload.ns, workload.name));
  } else {
    std::vector<KueueRoom::Whose> whose;
    for (const WorkloadFacts::PodSet& set : workload.pod_sets)
      whose.push_back(r.roster.WhosePods(workload, set));
    r.kueue.Put(now, workload, whose);
  }
  r.FitKueue();
  r.Settle(now);
}

}  // namespace gangplan
