#include "extender/app/facts.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "extender/app/cluster_check.h"
#include "topology/base/text.h"
#include "topology/model.h"

namespace gangplan {
namespace {

const TopologySettings* SakkaraOf(const std::vector<TopologySettings>& topologies) {
  const auto found = std::find_if(topologies.begin(), topologies.end(), [](const auto& one) {
    return one.source == TopologySource::kSakkara;
  });
  return found == topologies.end() ? nullptr : &*found;
}

bool IsFromKueue(const std::vector<TopologySettings>& topologies, std::string_view name) {
  return std::any_of(topologies.begin(), topologies.end(), [&](const TopologySettings& one) {
    return one.source == TopologySource::kKueue && one.name == name;
  });
}

// Nodes that one of them names and the other does not, or places elsewhere; all that either names
// where the levels are others.
std::vector<std::string> DifferIn(const NodePaths& a, const NodePaths& b) {
  std::vector<std::string> names;
  const bool all = a.levels != b.levels;
  for (const auto& [name, path] : a.nodes) {
    const auto other = b.nodes.find(name);
    if (all || other == b.nodes.end() || other->second != path) names.push_back(name);
  }
  for (const auto& [name, path] : b.nodes) {
    if (!a.nodes.contains(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

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
      sakkara_groups_(settings.sakkara_groups),
      reservations_(settings.reservations),
      topologies_(settings.topologies),
      sakkara_(SakkaraOf(topologies_)),
      trees_(std::make_unique<TreeObjects>(HasTrees() ? sakkara_->name : "")),
      in_force_(std::make_unique<TreeObjects>(HasTrees() ? sakkara_->name : "")),
      signs_(settings) {}

void Facts::OnEvents(std::vector<ClusterEvent> events) {
  if (!told_synced_) signs_.Note(events);
  Sayings later;
  const std::span<const ClusterEvent> all = events;
  for (size_t next = 0; next < events.size();) {
    if (IsTree(events[next])) {
      TakeTree(events[next++], later);
      continue;
    }
    const auto tree = std::find_if(all.begin() + static_cast<ptrdiff_t>(next), all.end(),
                                   [this](const ClusterEvent& event) { return IsTree(event); });
    const auto some = all.first(static_cast<size_t>(tree - all.begin()));
    planner_.Take(TurnFor::kEvents, [&](Planner& planner) {
      next =
          TakeEvents(some, next, [&](const ClusterEvent& event) { Apply(planner, event, later); });
    });
  }
  for (const auto& say : later) say();
  for (const ClusterEvent& event : events) {
    if (const auto* gone = std::get_if<TopologyDeleted>(&event)) TellTopologyGone(*gone);
  }
  if (!told_synced_) TellSynced();
}

void Facts::OnSynced() {
  Sayings later;
  {
    MutexLock lock(trees_mutex_);
    listed_ = true;
    ChooseTree(later);
  }
  planner_.Take(TurnFor::kEvents, [&](Planner& planner) { planner.OnSynced(clock_.Now()); });
  for (const auto& say : later) say();
  TellSynced();
}

void Facts::Apply(Planner& planner, const ClusterEvent& event, Sayings& later) {
  const absl::Time now = clock_.Now();
  if (const auto* node = std::get_if<NodeFacts>(&event)) {
    const absl::Status status = planner.OnNode(now, Places() ? Placed(*node) : *node);
    if (status.ok()) return;
    later.push_back([name = node->name, why = Message(status)] {
      Log(LogLevel::kError, "node not taken", {{"node", name}, {"why", why}});
    });
  } else if (const auto* gone = std::get_if<NodeDeleted>(&event)) {
    planner.OnNodeDeleted(now, gone->name);
  } else if (const auto* pod = std::get_if<PodFacts>(&event)) {
    planner.OnPod(now, *pod);
  } else if (const auto* deleted = std::get_if<PodDeleted>(&event)) {
    planner.OnPodDeleted(now, deleted->uid);
  } else if (const auto* topology = std::get_if<Topology>(&event)) {
    Apply(planner, *topology, later);
  } else if (const auto* object = std::get_if<ConfigMapSeen>(&event)) {
    Apply(planner, *object);
  } else if (const auto* lost = std::get_if<ConfigMapDeleted>(&event)) {
    Apply(planner, *lost);
  } else if (const auto* job = std::get_if<JobFacts>(&event)) {
    planner.OnJob(now, *job);
  } else if (const auto* left = std::get_if<JobLeft>(&event)) {
    planner.OnJobLeft(now, left->uid);
  } else if (const auto* workload = std::get_if<WorkloadFacts>(&event)) {
    planner.OnWorkload(now, *workload, true);
  } else if (const auto* unplaced = std::get_if<WorkloadGone>(&event)) {
    const size_t slash = unplaced->name.find('/');
    WorkloadFacts was_placed;
    was_placed.ns = unplaced->name.substr(0, slash);
    was_placed.name = unplaced->name.substr(slash + 1);
    planner.OnWorkload(now, was_placed, false);
  } else if (const auto* rule = std::get_if<AdmissionRule>(&event)) {
    planner.OnAdmissionRule(now, *rule, true);
  } else if (const auto* over = std::get_if<AdmissionRuleGone>(&event)) {
    planner.OnAdmissionRule(now, {over->kind, over->ns, over->name, {}, {}, {}, 0, false}, false);
  }
}

// Of all the objects those count that the configuration names.
void Facts::Apply(Planner& planner, const Topology& topology, Sayings& later) {
  const absl::StatusOr<Topology> complete = CompleteTopology(topology);
  if (!complete.ok()) {
    later.push_back([name = topology.name, why = Message(complete.status())] {
      Log(LogLevel::kError, "topology not taken", {{"topology", name}, {"why", why}});
    });
  } else if (IsFromKueue(topologies_, topology.name) &&
             planner.OnTopology(clock_.Now(), *complete)) {
    later.push_back([name = topology.name, levels = LabelsOf(*complete)] {
      Log(LogLevel::kInfo, "the levels are those of Kueue's Topology",
          {{"topology", name}, {"levels", levels}});
    });
  }
}

void Facts::Apply(Planner& planner, const ConfigMapSeen& object) {
  if (object.use == ConfigMapUse::kRankList)
    return planner.OnRankList(clock_.Now(), object.facts, true);
  if (IsReservation(object.use, object.facts.ns))
    return planner.OnReservation(clock_.Now(), object.facts, true);
  if (!sakkara_groups_ || object.use != ConfigMapUse::kSakkaraGroup) return;
  planner.OnGroupObject(clock_.Now(), object.facts);
}

void Facts::Apply(Planner& planner, const ConfigMapDeleted& object) {
  ConfigMapFacts gone;
  gone.ns = object.ns;
  gone.name = object.name;
  if (object.use == ConfigMapUse::kRankList) return planner.OnRankList(clock_.Now(), gone, false);
  if (IsReservation(object.use, object.ns)) return planner.OnReservation(clock_.Now(), gone, false);
  if (!sakkara_groups_ || object.use != ConfigMapUse::kSakkaraGroup) return;
  planner.OnGroupObjectGone(clock_.Now(), object.ns, object.name);
}

// An object of Sakkara's topologies, in their namespace.
bool Facts::IsTree(const ClusterEvent& event) const {
  if (!HasTrees()) return false;
  const auto is_ours = [this](ConfigMapUse use, const std::string& ns) {
    return use == ConfigMapUse::kSakkaraTopology && ns == sakkara_->ns;
  };
  const auto* seen = std::get_if<ConfigMapSeen>(&event);
  const auto* lost = std::get_if<ConfigMapDeleted>(&event);
  return (seen != nullptr && is_ours(seen->use, seen->facts.ns)) ||
         (lost != nullptr && is_ours(lost->use, lost->ns));
}

void Facts::TakeTree(const ClusterEvent& event, Sayings& later) {
  MutexLock lock(trees_mutex_);
  if (const auto* seen = std::get_if<ConfigMapSeen>(&event)) {
    ReadTree(seen->facts, later);
  } else {
    trees_->Erase(std::get<ConfigMapDeleted>(event).name);
  }
  ChooseTree(later);
}

void Facts::ReadTree(const ConfigMapFacts& facts, Sayings& later) {
  const std::string before = trees_->Told(facts.name);
  const absl::Status status = trees_->Put(facts);
  std::string told = trees_->Told(facts.name);
  if (told.empty() || told == before) return;
  EventNote note{facts.ns, OwnerRef{"v1", "ConfigMap", facts.name, facts.uid},
                 true,     status.ok() ? "TopologyProblems" : "TopologyRefused",
                 "Read",   std::move(told)};
  later.push_back([this, note = std::move(note)] {
    Log(LogLevel::kWarn, "a topology ConfigMap is not as its author may think",
        {{"name", note.regarding.name}, {"why", note.note}});
    cluster_.Emit(note);
  });
}

// Not before all lists are there: without an object the nodes decide. They may do so while there
// are no levels yet, and nobody is served: then the turn chooses. Later a tree is chosen before it.
void Facts::ChooseTree(Sayings& later) {
  if (!HasTrees() || !listed_) return;
  const bool first = !trees_->levels();
  bool news = first || trees_->Choose({});
  std::unique_ptr<TreeObjects> chosen;
  if (news) chosen = std::make_unique<TreeObjects>(*trees_);
  planner_.Take(TurnFor::kEvents, [&, fault = trees_->fault()](Planner& planner) {
    planner.OnTopologyFault(fault);
    if (first) news = chosen->Choose(planner.model().AllFacts());
    if (news) PutInForce(planner, chosen, later);
  });
  if (first && news) trees_ = std::make_unique<TreeObjects>(*in_force_);
}

// What was in force before is left in `chosen`: it is freed after the turn.
void Facts::PutInForce(Planner& planner, std::unique_ptr<TreeObjects>& chosen, Sayings& later) {
  in_force_.swap(chosen);
  std::vector<NodeFacts> moved;
  for (const NodeFacts* node : planner.model().AllFacts()) {
    NodeFacts placed = Placed(*node);
    if (placed != *node) moved.push_back(std::move(placed));
  }
  const Topology& levels = *in_force_->levels();
  planner.OnTopology(clock_.Now(), levels, moved);
  later.push_back([text = LabelsOf(levels), nodes = moved.size()] {
    Log(LogLevel::kInfo, "the topology is another one", {{"levels", text}, {"nodes", nodes}});
  });
}

NodeFacts Facts::Placed(const NodeFacts& node) const {
  NodeFacts placed = HasTrees() ? in_force_->Placed(node) : node;
  for (const TopologySettings& one : topologies_) {
    if (one.paths == nullptr) continue;
    PlaceNode(*one.paths, one.name, placed);
    if (relevelled_ == &one) KeepUnits(*before_, one.name, placed);
  }
  return placed;
}

void Facts::TakeFiles(const Settings& settings) {
  const size_t known = std::min(topologies_.size(), settings.topologies.size());
  for (size_t i = 0; i < known; ++i) {
    const TopologySettings& now = settings.topologies[i];
    if (now.paths != nullptr && now.paths != topologies_[i].paths) TakeFile(i, now);
  }
}

// What is otherwise is found before the turns. By other levels the nodes have what they are to have
// before these are in force, and keep what they had until then: in between nobody is without them.
// What was in force is freed outside of the turns.
void Facts::TakeFile(size_t index, const TopologySettings& now) {
  TopologySettings& own = topologies_[index];
  const std::vector<std::string> others = DifferIn(*own.paths, *now.paths);
  const bool relevels = own.paths->levels != now.paths->levels;
  std::shared_ptr<const NodePaths> paths = now.paths;
  planner_.Take(TurnFor::kEvents, [&](Planner&) {
    own.paths.swap(paths);
    before_ = paths;
    relevelled_ = relevels ? &own : nullptr;
  });
  const size_t moved = PlaceAnew(others);
  planner_.Take(TurnFor::kEvents, [&](Planner& planner) {
    if (relevels) planner.OnTopology(clock_.Now(), now, {});
    relevelled_ = nullptr;
    before_.reset();
  });
  if (relevels) PlaceAnew(others);
  Log(LogLevel::kInfo, "the file of a topology says something else",
      {{"topology", now.name}, {"file", now.file}, {"nodes", moved}});
}

// The nodes come as they would by a watch, so many a turn. Returns how many of them there are.
size_t Facts::PlaceAnew(const std::vector<std::string>& nodes) {
  size_t there = 0;
  for (size_t next = 0; next < nodes.size();) {
    planner_.Take(TurnFor::kEvents, [&](Planner& planner) {
      next = TakeEvents(nodes, next, [&](const std::string& name) {
        const NodeIndex node = planner.model().FindNode(name);
        const NodeFacts* facts = node == kNoNode ? nullptr : planner.model().Facts(node);
        if (facts == nullptr) return;
        planner.OnNode(clock_.Now(), Placed(*facts)).IgnoreError();  // it is there already
        ++there;
      });
    });
  }
  return there;
}

void Facts::TellTopologyGone(const TopologyDeleted& topology) {
  if (!IsFromKueue(topologies_, topology.name)) return;
  Log(LogLevel::kWarn, "Kueue's Topology was deleted, its last levels stay in force",
      {{"topology", topology.name}});
}

void Facts::Check(Findings& findings) const {
  CheckCluster(topologies_, planner_, signs_, findings);
}

// Once: when everything was read, or what is still missing after the lists.
void Facts::TellSynced() {
  const auto [synced, listed] = planner_.Take(TurnFor::kReport, [](Planner& planner) {
    return std::pair(planner.synced(), planner.listed());
  });
  if (synced && !told_synced_.exchange(true)) {
    Log(LogLevel::kInfo, "synced with the cluster", {});
    signs_.Close();
    Findings findings;
    Check(findings);
    LogFindings(findings);
  }
  if (listed && !synced) {
    not_ready_log_.Log(LogLevel::kWarn, "not ready: there are no levels yet",
                       {{"why", planner_.WhyNotReady()}});
  }
}

}  // namespace gangplan
