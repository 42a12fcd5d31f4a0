// What of the planner changes while it works: each class is told its own part.
#include "extender/planner/planner_rooms.h"

namespace gangplan {

// Whom the engine had no word for, or told that no room would ever do, may be told otherwise by
// another one.
void Planner::Rooms::AskRefused() {
  for (const auto& [id, group] : groups.groups()) {
    const Outcome told = group->verdict().outcome;
    if (told == Outcome::kInvalid || told == Outcome::kImpossible) plans.AskAnew(id);
  }
}

void Planner::Reconfigure(absl::Time now, const PlannerOptions& options) {
  Rooms& r = Begin();
  r.groups.SetLimits(options.claims);
  r.jobs.OnTopology();  // those that were beyond them
  r.vacant.SetMost(options.vacant_share);
  r.maintenance.SetPatience(options.gather_timeout);
  r.placer.SetEngines(options.engine_for_all, options.tas, options.preferred_affinity);
  r.plans.SetOptions({options.gather_timeout, options.hold_from, options.start_at_first_member,
                      options.verbs, options.preempts, options.preempts_pods, options.queue_mode,
                      options.fair, options.round_work});
  r.shares.SetShares(options.fair);
  r.AskRefused();
  r.evictions.SetEvicts(options.preempts || options.repair.on_failure == OnFailure::kRestart ||
                        options.ready.on());
  r.preemptions.SetPatience(options.gather_timeout);
  r.failed_nodes.SetAfter(now, options.repair.after);
  r.restarts.SetOptions(now, options.repair);
  for (Reservations& one : r.reservations)
    one.SetReserves(options.queue_mode == QueueMode::kBackfill);
  r.verbs.SetRejectMax(options.reject_max);
  r.crowd.SetMost(options.reject_max);
  r.Settle(now);
}

}  // namespace gangplan
