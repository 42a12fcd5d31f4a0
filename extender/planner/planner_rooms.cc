#include "extender/planner/planner_rooms.h"

#include <algorithm>

#include "extender/planner/bind_times.h"
#include "extender/planner/limits.h"
#include "extender/planner/standing.h"

namespace gangplan {
namespace {

constexpr absl::Duration kRecoverWithin = absl::Seconds(10);
constexpr std::string_view kClosedCall = "the scheduler has closed this call";

PlacerOptions PlacerOptionsOf(const PlannerOptions& options) {
  return {options.engine_for_all,
          options.tas,
          options.preferred_affinity,
          options.max_held_calls,
          options.verbs ? MostWithin(options.bind_timeout) : INT64_MAX,
          options.start_at_first_member,
          options.leaves_of_several,
          options.engine};
}

std::vector<ScopedTopology> TopologiesOf(const PlannerOptions& options) {
  std::vector<ScopedTopology> topologies;
  for (const TopologyOptions& one : options.topologies) topologies.push_back(one.topology);
  return topologies;
}

bool IsLive(const PlannerOptions& options) {
  return std::any_of(options.topologies.begin(), options.topologies.end(),
                     [](const TopologyOptions& one) { return one.changes || !one.live.empty(); });
}

// One without a selector beside others has nodes that no label tells.
std::vector<PinBy> PinsOf(const PlannerOptions& options) {
  std::vector<PinBy> pins;
  for (const TopologyOptions& one : options.topologies) {
    const NodeScope& own = one.topology.nodes;
    const bool told = options.topologies.size() == 1 || !own.all();
    PinBy& pin = pins.emplace_back(PinBy{one.levels_on_nodes && told, options.nodes});
    pin.ours.labels.insert(pin.ours.labels.end(), own.labels.begin(), own.labels.end());
  }
  return pins;
}

}  // namespace

Planner::Rooms::Rooms(PlannerOptions planner_options)
    : options(std::move(planner_options)),
      objects(options.group_objects == nullptr ? nullptr : options.group_objects()),
      ledger(TopologiesOf(options), options.at_once, options.excluded_resources),
      groups(options.claims),
      owners(outbox),
      lifecycle(groups, options.start_at_first_member),
      desk(options.bind_timeout, outbox),
      waker(outbox),
      vacant(options.vacant_share),
      lines(options.topologies.size()),
      shares(options.fair, ledger, groups),
      maintenance(options.gather_timeout),
      named(ledger, groups),
      placer(PlacerOptionsOf(options), ledger, refusals, maintenance, named),
      nominations(options.nominate_from, options.at_once, ledger, groups, pods, desk, refusals,
                  waker),
      books{ledger, groups,   pods,  left,        owners, lifecycle, queue,
            desk,   refusals, waker, nominations, outbox, vacant,    yielding,
            lines,  shares,   named, kueue,       placer, results,   sight},
      plans({options.gather_timeout, options.hold_from, options.start_at_first_member,
             options.verbs, options.preempts, options.preempts_pods, options.queue_mode,
             options.fair, options.round_work},
            books),
      roster({options.scheduler_names, options.all_jobs, TopologiesOf(options),
              options.default_topology, objects.get()},
             {IsLive(options) || objects != nullptr, options.suspended_jobs, options.gates,
              !options.verbs, !options.nodes.all(), options.at_once},
             books, plans),
      jobs({PinsOf(options), options.check_patience, options.check_reject_after}, books, plans,
           roster),
      gates({options.gates, options.start_at_first_member, options.verbs, PinsOf(options)}, books,
            plans, roster),
      ladders(books, plans),
      evictions(options.preempts || options.repair.on_failure == OnFailure::kRestart ||
                    options.ready.on(),
                options.suspended_jobs, books, plans),
      kept(books),
      preemptions(options.gather_timeout, options.all_jobs, books, plans, evictions, kept),
      failed_nodes(options.repair.after, books),
      restarts(options.repair, books, plans, failed_nodes, evictions),
      ready_times(options.ready, books, plans, failed_nodes, evictions),
      named_reservations(options.default_topology, books, plans),
      verbs({options.reject_max, options.nominate_from, options.start_at_first_member,
             ScopeText(options.nodes)},
            books, plans, roster),
      reports(books, options.nominate_from, options.verbs),
      crowd(options.reject_max),
      rank_lists(options.scheduler_names.empty() ? "" : options.scheduler_names[0]),
      pod_groups(options.pod_group_status ? options.scheduler_names : std::vector<std::string>()),
      steering(books),
      spares(books),
      left_nodes(options.nodes, books) {
  const bool reserves = options.queue_mode == QueueMode::kBackfill;
  for (size_t i = 0; i < options.topologies.size(); ++i) {
    levels_known.push_back(options.topologies[i].live.empty());
    reservations.emplace_back(static_cast<TopologyIndex>(i), reserves, books, plans, kept);
  }
  plans.SetPlanning(false);
}

// ---- what is read again, and objects

// What was read again is planned as after a restart: what had started first.
void Planner::Rooms::ReadStale(absl::Time now) {
  if (!roster.AnyStale()) return;
  lifecycle.Run(now, plans);  // these are others
  const bool was_planning = plans.planning();
  plans.SetPlanning(false);
  roster.ReadStale();
  plans.Settle(now);
  plans.SetPlanning(was_planning);
}

// An object of this namespace is another now, and these groups are described by it.
void Planner::Rooms::Reread(absl::Time now, std::string_view ns,
                            const std::vector<GroupKey>& keys) {
  jobs.OnObject(ns);
  for (const GroupKey& key : keys) {
    Group* group = groups.FindByKey(key);
    if (group != nullptr && !roster.IsSpoiled(*group))
      roster.MakeStale(*group, "its ConfigMap says something else now");
  }
  ReadStale(now);
  Settle(now);
}

void Planner::OnGroupObject(absl::Time now, ConfigMapFacts object) {
  Rooms& r = Begin();
  const std::string ns = object.ns;
  ObjectChange change = r.objects->Put(std::move(object));
  r.Reread(now, ns, change.reread);
  if (change.note) r.outbox.Push(*std::move(change.note));
  const Group* group = change.group ? r.groups.FindByKey(*change.group) : nullptr;
  if (group != nullptr) r.results.ObjectChanged(now, group->id());
}

void Planner::OnReservation(absl::Time now, const ConfigMapFacts& object, bool stands) {
  Begin().named_reservations.OnObject(object, stands);
  rooms_->Settle(now);
}

void Planner::OnRankList(absl::Time now, const ConfigMapFacts& object, bool stands) {
  rooms_->rank_lists.OnObject(now, object, stands);
}

void Planner::OnGroupObjectGone(absl::Time now, std::string_view ns, std::string_view name) {
  Begin().Reread(now, ns, rooms_->objects->Erase(ns, name).reread);
}

// ---- recovery: load all, group who ran or runs, then who waits, adopt what is bound, then plan

void Planner::OnSynced(absl::Time now) {
  Begin().listed = true;
  rooms_->StartRecovery(now);
  rooms_->Settle(now);
}

// With the lists and the levels there, once.
void Planner::Rooms::StartRecovery(absl::Time now) {
  if (synced || !listed || !AllLevelsKnown()) return;
  synced = true;
  kueue.OnNodesListed();
  FitKueue();  // before anything is planned
  recovering = true;
  recover_by = now + kRecoverWithin;
  FinishRecovery(now);
}

// Once every owner that matters was read, or after a while: an owner that comes later lets its pods
// join all at once, and a group of which some runs is not planned before.
void Planner::Rooms::FinishRecovery(absl::Time now) {
  if (!recovering || (owners.AnyAwaited() && now < recover_by)) return;
  if (!pods_joined) pods_joined = roster.JoinWaiting(now);
  joining = !pods_joined || !jobs.JoinWaiting(now);
  if (joining) return;
  recovering = false;
  if (outbox.active()) BeginToPlan(now);
}

// Who stands by plans nothing: another one does, and what that has bound is to be met when this one
// acts, not a plan of its own.
void Planner::Rooms::BeginToPlan(absl::Time now) {
  plans.Settle(now);        // what has started, or was released, is to be planned before others
  plans.FollowShares(now);  // who stands has been found, and nobody was asked yet
  named_reservations.BeginToPlan(now);
  plans.SetPlanning(true);
}

Readiness Planner::Rooms::Ready() const {
  Readiness ready;
  ready.topology_fault = topology_fault;
  if (!synced) {
    ready.not_ready = "gangplan is still reading the cluster";
    if (listed && !AllLevelsKnown()) {
      ready.not_ready = fmt::format("gangplan waits for {}", UnknownLevels());
      if (!topology_fault.empty()) ready.not_ready += fmt::format("; {}", topology_fault);
    }
  }
  if (recovering) ready.recovering = "gangplan is still finding its groups again";
  return ready;
}

// What is due of holds, calls, nominations, refusals and pauses.
void Planner::Rooms::Act(absl::Time now) {
  for (GroupId id : ledger.TakeEnded(now, kEndedAtOnce)) {
    if (IsKept(id)) continue;  // whoever keeps it has given it back by now
    Group* group = groups.Find(id);
    if (!group->Started() && plans.Prolong(now, *group)) continue;
    if (!group->Started()) group->CountFruitless();
    lifecycle.Fire(id, GroupEvent::kTimeout);
  }
  for (const std::string& uid : desk.TakeLate(now)) {
    Group* group = groups.Find(pods.At(uid).group);
    if (group == nullptr || !desk.Awaits(uid)) continue;
    plans.DropCall(*group, uid,
                   fmt::format("gang {} of {}: still waiting for its other members; the plan "
                               "stays, the pod is tried again",
                               group->name(), group->size()));
  }
  verbs.early().Expire(now);
  for (const std::string& uid : waker.TakeDue(now)) plans.RenewNomination(now, uid);
  for (GroupId id : refusals.Expire(now)) plans.AskAnew(id);
  for (GroupId id : queue.EndPauses(now)) plans.AskAnew(id);
}

// Their peers are gone.
void Planner::Rooms::DropClosed(const std::vector<CallId>& calls) {
  for (const std::string& uid : desk.PodsOf(calls)) {
    const KnownPod* record = pods.Find(uid);
    Group* group = record == nullptr ? nullptr : groups.Find(record->group);
    const bool waits = group != nullptr && desk.Awaits(uid);
    if (waits) plans.DropCall(*group, uid, kClosedCall);
  }
  verbs.early().Close(calls, kClosedCall);
}

// What an instance that stood by has not told, so much at a time.
void Planner::Rooms::Activate() {
  if (!activated) return;
  int64_t budget = kActivatedMembers;
  for (auto next = groups.groups().upper_bound(*activated); next != groups.groups().end(); ++next) {
    if (budget <= 0) return;
    const auto& [id, group] = *next;
    nominations.SendAll(*group);
    if (group->state() == GroupState::kBlocked && plans.MayPreempt(*group)) plans.AskAnew(id);
    lifecycle.Touch(id);
    activated = id;
    budget -= 1 + std::min(static_cast<int64_t>(group->members().size()), kNominatedAtOnce);
  }
  activated.reset();
}

// Who was not asked about meanwhile is now.
void Planner::Rooms::SetSees(absl::Time now, bool sees) {
  if (!sight.Set(now, sees)) return;
  failed_nodes.CountAnew(now);
  if (outbox.active()) activated = 0;
}

// Whose Events tell of the group: its owner, else the object that describes it, else a pod of it
// that waits behind a gate, for which no scheduler says anything.
std::optional<OwnerRef> Planner::Rooms::ToldFor(const Group& group) const {
  if (group.owner()) return group.owner();
  if (objects != nullptr) {
    if (auto object = objects->ObjectOf(group.key())) return object;
  }
  const auto& members = group.members();
  const auto gated = std::find_if(members.begin(), members.end(),
                                  [](const auto& entry) { return entry.second.gated; });
  if (gated == members.end()) return std::nullopt;
  return AsObject(gated->second.pod);
}

// Each Event takes a copy of the model along: so many nodes a tick, and one group at least.
void Planner::Rooms::TellSome() {
  const int64_t cost = int64_t{ledger.model().node_count()} + 1;
  for (int64_t work = kToldWork; work > 0 && !to_tell.empty();) {
    auto next = to_tell.upper_bound(told_last);
    if (next == to_tell.end()) next = to_tell.begin();
    told_last = *next;
    to_tell.erase(next);
    Group* group = groups.Find(told_last);
    if (group == nullptr || !group->stale().empty()) continue;
    const std::optional<OwnerRef> told = ToldFor(*group);
    if (!told || !group->TakeTold()) continue;
    reports.Tell(*group, *told);
    work -= cost;
  }
}

// Who has a plan, each one, or started, is told so at once, since it may be over with the next
// input; a plan that is over already is nobody's news.
void Planner::Rooms::TellChanges(absl::Time now) {
  const auto plans_now = [](GroupState state) {
    return state == GroupState::kGathering || state == GroupState::kPlanned;
  };
  for (auto& [id, change] : lifecycle.TakeChanges()) {
    if (change.gone) rank_lists.Touch(now, change.gang);
    if (!outbox.active()) continue;
    const Group* group = groups.Find(id);
    const bool begins = !change.gone && plans_now(change.after) && !plans_now(change.before);
    const bool planned = begins && group != nullptr && group->planned();
    if (group != nullptr && (planned || change.took)) {
      if (const auto told = ToldFor(*group))
        change.event = reports.News(*group, *told, change.took.has_value());
    }
    outbox.Push(std::move(change));
  }
}

// Groups of which something changed since the last time.
void Planner::Rooms::TickTouched(absl::Time now) {
  if (!outbox.active()) return;
  for (GroupId id : lifecycle.TakeTouched()) {
    Group* group = groups.Find(id);
    if (group == nullptr || !group->stale().empty()) continue;
    const FrontEnd* front_end = group->pod_sets().front_end();
    if (front_end != nullptr && front_end->tells_results()) results.Look(now, id, MarkOf(*group));
    // What is whole no more goes at once.
    rank_lists.Touch(group->Complete() ? now + kResultsAfter : now, group->name());
    // Who runs, or is gone but for its owner, has no place that could be another one.
    const bool has_place = !group->Started() && (group->AnyLive() || group->suspended());
    if (has_place && group->TakeNiceTold()) {
      if (const auto told = ToldFor(*group)) outbox.Push(reports.NiceNews(*group, *told));
    }
    to_tell.insert(id);
  }
  TellSome();
  if (auto note = crowd.Look(now, waker.rejected())) outbox.Push(*std::move(note));
  for (PodGroupWrite& write : pod_groups.TakeDue(now)) outbox.Push(std::move(write));
  WriteRankLists(now);
  for (GroupId id : results.TakeDue(now)) {
    const Group* group = groups.Find(id);
    if (group == nullptr || !group->stale().empty()) continue;
    Effects effects;
    results.Tell(id, StandingOf(*group, pods, placer, ledger.model().tree(group->topology())),
                 *objects, effects);
    for (Effect& effect : effects)
      std::visit([this](auto& one) { outbox.Push(std::move(one)); }, effect);
  }
}

// So many members a tick, and one list at least. Who is read anew is no gang that is gone.
void Planner::Rooms::WriteRankLists(absl::Time now) {
  if (roster.AnyStale()) return;
  const auto find = [this](std::string_view name) -> RankLists::Found {
    const Group* group = groups.FindByName(name);
    if (group != nullptr) return {RanksOf(*group, pods, placer)};
    return {std::nullopt, owners.AwaitsPlan(name)};
  };
  for (int64_t work = kListedATick; work > 0;) {
    auto due = rank_lists.TakeDue(now, find);
    if (!due) return;
    if (due->write) outbox.Push(WriteRankList{*std::move(due->write)});
    if (due->note) outbox.Push(*std::move(due->note));
    work -= due->size + kListWork;
  }
}

}  // namespace gangplan
