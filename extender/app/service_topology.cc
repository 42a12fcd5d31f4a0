// What the service makes of Kueue's Topology objects and of the ConfigMaps of Sakkara's users, and
// what it says of them.
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

// What gives the levels, for people; empty: they are configured.
std::string Service::LevelsFrom(const Settings& settings) {
  switch (settings.topology_source) {
    case TopologySource::kConfig:
      return {};
    case TopologySource::kKueue:
      return fmt::format("the levels of Kueue's Topology \"{}\"", settings.topologies.front().name);
    case TopologySource::kSakkara:
      return fmt::format("a topology ConfigMap in namespace {}", settings.topology_namespace);
  }
  return {};
}

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

void Service::TakeObject(Planner& planner, absl::Time now, const ConfigMapSeen& object,
                         std::vector<EventNote>& notes) {
  if (object.use == ConfigMapUse::kSakkaraGroup) {
    if (sakkara_groups_) planner.OnGroupObject(now, object.facts);
    return;
  }
  const ConfigMapFacts& facts = object.facts;
  if (topology_source_ != TopologySource::kSakkara || facts.ns != topology_namespace_) return;
  const std::string before = trees_.Told(facts.name);
  const absl::Status status = trees_.Put(facts);
  std::string told = trees_.Told(facts.name);
  if (!told.empty() && told != before) {
    Log(LogLevel::kWarn, "a topology ConfigMap is not as its author may think",
        {{"name", facts.name}, {"why", told}});
    notes.push_back({facts.ns, OwnerRef{"v1", "ConfigMap", facts.name, facts.uid}, true,
                     status.ok() ? "TopologyProblems" : "TopologyRefused", "Read",
                     std::move(told)});
  }
  TakeTrees(planner, now);
}

void Service::LoseObject(Planner& planner, absl::Time now, const ConfigMapDeleted& object) {
  if (object.use == ConfigMapUse::kSakkaraGroup) {
    if (sakkara_groups_) planner.OnGroupObjectGone(now, object.ns, object.name);
  } else if (topology_source_ == TopologySource::kSakkara && object.ns == topology_namespace_) {
    trees_.Erase(object.name);
    TakeTrees(planner, now);
  }
}

// Not before all lists are there: without an object the nodes decide.
void Service::TakeTrees(Planner& planner, absl::Time now) {
  if (topology_source_ != TopologySource::kSakkara || !listed_) return;
  const std::vector<const NodeFacts*> nodes = planner.model().AllFacts();
  const bool news = trees_.Choose(nodes);
  planner.OnTopologyFault(trees_.fault());
  if (!news) return;
  std::vector<NodeFacts> moved;
  for (const NodeFacts* node : nodes) {
    NodeFacts placed = trees_.Placed(*node);
    if (placed != *node) moved.push_back(std::move(placed));
  }
  planner.OnTopology(now, *trees_.levels(), moved);
  Log(LogLevel::kInfo, "the topology is another one",
      {{"levels", LabelsOf(*trees_.levels())}, {"nodes", moved.size()}});
}

void Service::TellTopologyGone(const TopologyDeleted& topology) {
  if (topology_source_ != TopologySource::kKueue || topology.name != live_topology_) return;
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
    not_ready_log_.Log(LogLevel::kWarn, "not ready: there are no levels yet",
                       {{"topology", live_topology_}});
  }
}

}  // namespace gangplan
