// What the service makes of Kueue's Topology objects, and what it says of them.
#include "extender/app/service.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

std::string LabelsOf(const Topology& topology) {
  std::string labels;
  for (const Level& level : topology.levels) labels += (labels.empty() ? "" : ", ") + level.label;
  return labels;
}

}  // namespace

// Of all the objects the planner takes the one that the configuration names.
void Service::TakeTopology(Planner& planner, absl::Time now, const Topology& topology) {
  absl::StatusOr<Topology> complete = CompleteTopology(topology);
  if (!complete.ok()) {
    Log(LogLevel::kError, "topology not taken",
        {{"topology", topology.name}, {"why", Message(complete.status())}});
  } else if (planner.OnTopology(now, *complete)) {
    Log(LogLevel::kInfo, "the levels are those of Kueue's Topology",
        {{"topology", topology.name}, {"levels", LabelsOf(*complete)}});
  }
}

void Service::TellTopologyGone(const TopologyDeleted& topology) {
  if (topology.name != live_topology_) return;
  Log(LogLevel::kWarn, "Kueue's Topology was deleted, its last levels stay in force",
      {{"topology", topology.name}});
}

// Once: when everything was read, or what is still missing after the lists.
void Service::TellSynced() {
  bool synced = false;
  bool listed = false;
  {
    MutexLock lock(mutex_);
    synced = planner_.synced();
    listed = planner_.listed();
  }
  if (synced && !told_synced_.exchange(true)) Log(LogLevel::kInfo, "synced with the cluster", {});
  if (listed && !synced) {
    not_ready_log_.Log(LogLevel::kWarn,
                       "not ready: there is no usable Topology of Kueue with this name",
                       {{"topology", live_topology_}});
  }
}

}  // namespace gangplan
