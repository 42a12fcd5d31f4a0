// The service's read-only side: metrics and the /v1 questions.
#include "extender/app/service.h"
#include "topology/base/json_text.h"

namespace gangplan {
namespace {

InfoHandler::Answer NotFound(std::string_view what) {
  return {404, JsonText().Begin().Field("error", what).End().Take()};
}

}  // namespace

void Service::Publish() {
  PlannerStats stats;
  int64_t nodes = 0;
  int64_t unplaced = 0;
  int64_t levels = 0;
  {
    MutexLock lock(mutex_);
    stats = planner_.Stats();
    nodes = planner_.model().node_count();
    unplaced = static_cast<int64_t>(planner_.model().tree().unplaced().size());
    if (planner_.levels_known()) levels = planner_.model().tree().level_count();
  }
  for (int i = 0; i < kGroupStates; ++i)
    metrics_.SetGroups(Name(static_cast<GroupState>(i)), stats.groups[i]);
  metrics_.SetHeldSlots(stats.held_slots);
  metrics_.SetHeldBindCalls(stats.held_calls);
  metrics_.SetWaitingPodsRejected(stats.rejected_pods);
  metrics_.SetNodes(nodes);
  metrics_.SetUnplacedNodes(unplaced);
  metrics_.SetTopologyLevels(levels);
  metrics_.SetWatchAge(cluster_.WatchAge());
}

std::string Service::Metrics() {
  Publish();
  return metrics_.Text();
}

InfoHandler::Answer Service::Info(const std::string& path) {
  constexpr std::string_view kGroup = "groups/";
  constexpr std::string_view kExplain = "explain/";
  std::string_view rest = path;
  bool text = rest.starts_with(kExplain);
  if (rest == "groups") {
    std::vector<GroupReport> reports;
    {
      MutexLock lock(mutex_);
      reports = planner_.Reports();
    }
    return {200, GroupsJson(reports)};
  }
  if (rest == "topology") {
    TopologyView view;
    {
      MutexLock lock(mutex_);
      view = ViewTopology();
    }
    return {200, TopologyJson(view)};
  }
  if (!text && !rest.starts_with(kGroup))
    return NotFound(
        "expected groups, groups/NAMESPACE/NAME, "
        "explain/NAMESPACE/NAME or topology");
  rest.remove_prefix(text ? kExplain.size() : kGroup.size());
  std::optional<GroupReport> report;
  {
    MutexLock lock(mutex_);
    report = planner_.Report(rest);
  }
  if (!report) return NotFound(fmt::format("no group {}", rest));
  if (text) return {200, GroupText(*report, clock_.Now()), "text/plain; charset=utf-8"};
  return {200, GroupJson(*report)};
}

// The first extended resource of the cluster (a device), else cpu, node by node.
TopologyView Service::ViewTopology() {
  Model& model = planner_.model();
  const Tree& tree = model.tree();
  TopologyView view;
  view.name = tree.topology().name;
  for (int level = 0; level < tree.level_count(); ++level)
    view.levels.push_back(tree.level(level).name);
  view.unplaced.assign(tree.unplaced().begin(), tree.unplaced().end());
  view.resource = "cpu";
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
    const NodeFacts& facts = *model.Facts(model.NodeOfLeaf(leaf));
    for (const ResourceAmount& entry : facts.allocatable) {
      if (view.resource == "cpu" && entry.name.find('/') != std::string::npos && entry.amount > 0)
        view.resource = entry.name;
    }
  }
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
    NodeIndex node = model.NodeOfLeaf(leaf);
    const NodeFacts& facts = *model.Facts(node);
    ResourceUse use = model.Use(node, view.resource);
    view.nodes.push_back({facts.name, tree.Path(tree.leaf_level(), leaf),
                          facts.ready && !facts.unschedulable, use.allocatable, use.used,
                          use.held});
  }
  return view;
}

}  // namespace gangplan
