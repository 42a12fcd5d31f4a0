#include "extender/app/planner_options.h"

#include <string>
#include <vector>

#include "extender/frontends/sakkara/groups.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// What gives the levels, for people; empty: they are known.
std::string LevelsFrom(const TopologySettings& topology) {
  switch (topology.source) {
    case TopologySource::kConfig:
    case TopologySource::kSlurm:
    case TopologySource::kTree:
      return {};
    case TopologySource::kKueue:
      return fmt::format("the levels of Kueue's Topology \"{}\"", topology.name);
    case TopologySource::kSakkara:
      return fmt::format("a topology ConfigMap in namespace {}", topology.ns);
  }
  return {};
}

std::vector<TopologyOptions> TopologiesOf(const Settings& settings) {
  std::vector<TopologyOptions> topologies;
  for (const TopologySettings& one : settings.topologies) {
    const bool named = one.in_file() || one.source == TopologySource::kSakkara;
    topologies.push_back({one, LevelsFrom(one), one.in_file(), !named});
  }
  return topologies;
}

TasProfile ProfileOf(KueueProfile profile) {
  switch (profile) {
    case KueueProfile::kMixed:
      return TasProfile::kMixed;
    case KueueProfile::kBestFit:
      return TasProfile::kBestFit;
    case KueueProfile::kMostFreeCapacity:
      return TasProfile::kMostFree;
    case KueueProfile::kLeastFreeCapacity:
      return TasProfile::kLeastFree;
  }
  return TasProfile::kMixed;
}

QueueMode ModeOf(QueueOrder order) {
  switch (order) {
    case QueueOrder::kGreedy:
      return QueueMode::kGreedy;
    case QueueOrder::kStrict:
      return QueueMode::kStrict;
    case QueueOrder::kBackfill:
      return QueueMode::kBackfill;
  }
  return QueueMode::kGreedy;
}

OnFailure FailureOf(FailedRepair repair) {
  switch (repair) {
    case FailedRepair::kWait:
      return OnFailure::kWait;
    case FailedRepair::kRestart:
      return OnFailure::kRestart;
    case FailedRepair::kRelax:
      return OnFailure::kRelax;
  }
  return OnFailure::kWait;
}

}  // namespace

PlannerOptions PlannerOptionsFrom(const Settings& settings, Metrics& metrics, const Clock& clock) {
  PlannerOptions options;
  options.topologies = TopologiesOf(settings);
  options.default_topology = static_cast<TopologyIndex>(settings.default_topology);
  options.suspended_jobs = settings.suspended_jobs;
  options.kueue_places =
      settings.admission_checks || settings.HasTopologyFrom(TopologySource::kKueue);
  options.check_patience = settings.admission_check_patience;
  options.check_reject_after = settings.admission_check_reject_after;
  if (settings.sakkara_groups) options.group_objects = MakeSakkaraGroups;
  options.pod_group_status = settings.pod_group_status;
  options.preempts = settings.preemption != Preemption::kNever;
  options.preempts_pods = settings.preemption == Preemption::kGangsAndPods;
  options.repair = {settings.repair.after, FailureOf(settings.repair.on_failure),
                    settings.repair.timeout, settings.repair.retries};
  options.ready = {settings.gang.ready_timeout, settings.repair.ready_timeout};
  options.queue_mode = ModeOf(settings.queue_mode);
  options.fair = settings.queue_fair;
  options.scheduler_names = settings.scheduler_names;
  options.nodes = settings.nodes;
  options.excluded_resources = settings.excluded_resources;
  options.all_jobs = settings.jobs == JobGroups::kAll;
  options.gates = settings.gates;
  options.verbs = settings.server.verbs;
  options.start_at_first_member = settings.gang.start_when == StartWhen::kFirstMember;
  options.gather_timeout = settings.gang.gather_timeout;
  options.bind_timeout = settings.server.bind_timeout;
  options.reject_max = settings.reject_max;
  // Where nobody calls, none are held, and there is no limit on them.
  options.max_held_calls = settings.server.verbs ? settings.server.max_held_calls : 0;
  options.hold_from = settings.gang.hold_from_percent;
  options.vacant_share = settings.namespace_limits.vacant_percent;
  options.claims = {settings.namespace_limits.groups, settings.namespace_limits.claimed_members};
  if (settings.strategy == EngineStrategy::kTas) options.engine_for_all = Strategy::kTas;
  if (settings.strategy == EngineStrategy::kExact) options.engine_for_all = Strategy::kExact;
  options.tas.profile = ProfileOf(settings.tas.profile);
  options.tas.balanced = settings.tas.balanced_placement;
  options.preferred_affinity = settings.tas.preferred_affinity;
  options.tas.compatibility =
      settings.tas.kueue_exact ? KueueCompatibility::kExact : KueueCompatibility::kFixed;
  options.engine = [&metrics, &clock](const PlacementView& now,
                                      const std::function<PlacementView()>& empty,
                                      const PlacementRequest& request, const Budget& budget) {
    const absl::Time start = clock.Now();
    Solved solved{Place(now, empty, request, budget), {}};
    solved.took = clock.Now() - start;
    metrics.CountSolve(Name(solved.result.outcome), solved.took);
    return solved;
  };
  return options;
}

}  // namespace gangplan
