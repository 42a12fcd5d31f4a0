#include "extender/app/facts.h"

#include <utility>
#include <variant>

#include "topology/base/text.h"

namespace gangplan {
namespace {

std::string LabelsOf(const Topology& topology) {
  std::string labels;
  for (const Level& level : topology.levels) labels += (labels.empty() ? "" : ", ") + level.label;
  return labels;
}

}  // namespace

Facts::Facts(const Settings& settings, Cluster& cluster, LockedPlanner& planner, const Clock& clock)
    : cluster_(cluster),
      planner_(planner),
      clock_(clock),
      topology_source_(settings.topology_source),
      sakkara_groups_(settings.sakkara_groups),
      topology_namespace_(settings.topology_namespace),
      live_topology_(settings.topologies.front().name),
      trees_(live_topology_) {}

void Facts::OnEvents(std::vector<ClusterEvent> events) {
  std::vector<EventNote> notes;
  for (size_t next = 0; next < events.size();) {
    planner_.Take(TurnFor::kEvents, [&](Planner& planner) {
      next = TakeEvents(events, next,
                        [&](const ClusterEvent& event) { Apply(planner, event, notes); });
    });
  }
  for (EventNote& note : notes) cluster_.Emit(std::move(note));
  for (const ClusterEvent& event : events) {
    if (const auto* gone = std::get_if<TopologyDeleted>(&event)) TellTopologyGone(*gone);
  }
  if (!told_synced_) TellSynced();
}

void Facts::OnSynced() {
  planner_.Take(TurnFor::kEvents, [&](Planner& planner) {
    listed_ = true;
    TakeTrees(planner);
    planner.OnSynced(clock_.Now());
  });
  TellSynced();
}

void Facts::Apply(Planner& planner, const ClusterEvent& event, std::vector<EventNote>& notes) {
  const absl::Time now = clock_.Now();
  if (const auto* node = std::get_if<NodeFacts>(&event)) {
    const absl::Status status = planner.OnNode(now, HasTrees() ? trees_.Placed(*node) : *node);
    if (!status.ok())
      Log(LogLevel::kError, "node not taken", {{"node", node->name}, {"why", Message(status)}});
  } else if (const auto* gone = std::get_if<NodeDeleted>(&event)) {
    planner.OnNodeDeleted(now, gone->name);
  } else if (const auto* pod = std::get_if<PodFacts>(&event)) {
    planner.OnPod(now, *pod);
  } else if (const auto* deleted = std::get_if<PodDeleted>(&event)) {
    planner.OnPodDeleted(now, deleted->uid);
  } else if (const auto* topology = std::get_if<Topology>(&event)) {
    Apply(planner, *topology);
  } else if (const auto* object = std::get_if<ConfigMapSeen>(&event)) {
    Apply(planner, *object, notes);
  } else if (const auto* lost = std::get_if<ConfigMapDeleted>(&event)) {
    Apply(planner, *lost);
  }
}

// Of all the objects the planner takes the one that the configuration names.
void Facts::Apply(Planner& planner, const Topology& topology) {
  const absl::StatusOr<Topology> complete = CompleteTopology(topology);
  if (!complete.ok()) {
    Log(LogLevel::kError, "topology not taken",
        {{"topology", topology.name}, {"why", Message(complete.status())}});
  } else if (planner.OnTopology(clock_.Now(), *complete)) {
    Log(LogLevel::kInfo, "the levels are those of Kueue's Topology",
        {{"topology", topology.name}, {"levels", LabelsOf(*complete)}});
  }
}

void Facts::Apply(Planner& planner, const ConfigMapSeen& object, std::vector<EventNote>& notes) {
  const ConfigMapFacts& facts = object.facts;
  if (object.use == ConfigMapUse::kSakkaraGroup) {
    if (sakkara_groups_) planner.OnGroupObject(clock_.Now(), facts);
    return;
  }
  if (!HasTrees() || facts.ns != topology_namespace_) return;
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
  TakeTrees(planner);
}

void Facts::Apply(Planner& planner, const ConfigMapDeleted& object) {
  if (object.use == ConfigMapUse::kSakkaraGroup) {
    if (sakkara_groups_) planner.OnGroupObjectGone(clock_.Now(), object.ns, object.name);
  } else if (HasTrees() && object.ns == topology_namespace_) {
    trees_.Erase(object.name);
    TakeTrees(planner);
  }
}

// Not before all lists are there: without an object the nodes decide.
void Facts::TakeTrees(Planner& planner) {
  if (!HasTrees() || !listed_) return;
  const std::vector<const NodeFacts*> nodes = planner.model().AllFacts();
  const bool news = trees_.Choose(nodes);
  planner.OnTopologyFault(trees_.fault());
  if (!news) return;
  std::vector<NodeFacts> moved;
  for (const NodeFacts* node : nodes) {
    NodeFacts placed = trees_.Placed(*node);
    if (placed != *node) moved.push_back(std::move(placed));
  }
  planner.OnTopology(clock_.Now(), *trees_.levels(), moved);
  Log(LogLevel::kInfo, "the topology is another one",
      {{"levels", LabelsOf(*trees_.levels())}, {"nodes", moved.size()}});
}

void Facts::TellTopologyGone(const TopologyDeleted& topology) {
  if (topology_source_ != TopologySource::kKueue || topology.name != live_topology_) return;
  Log(LogLevel::kWarn, "Kueue's Topology was deleted, its last levels stay in force",
      {{"topology", topology.name}});
}

// Once: when everything was read, or what is still missing after the lists.
void Facts::TellSynced() {
  const auto [synced, listed] = planner_.Take(TurnFor::kReport, [](Planner& planner) {
    return std::pair(planner.synced(), planner.listed());
  });
  if (synced && !told_synced_.exchange(true)) Log(LogLevel::kInfo, "synced with the cluster", {});
  if (listed && !synced) {
    not_ready_log_.Log(LogLevel::kWarn, "not ready: there are no levels yet",
                       {{"topology", live_topology_}});
  }
}

}  // namespace gangplan
