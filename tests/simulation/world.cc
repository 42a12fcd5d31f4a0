#include "tests/simulation/world.h"

#include "extender/frontends/sakkara/groups.h"
#include "fmt/format.h"
#include "tests/simulation/room.h"

namespace gangplan::simulation {
namespace {

constexpr absl::Duration kGatherTimeout = absl::Seconds(30);
constexpr absl::Duration kBindTimeout = absl::Seconds(40);
constexpr absl::Duration kLacksFor = absl::Seconds(5);  // room for what was lost

// The same for all.
std::vector<NodeFacts> NodesOf(const ClusterSize& size, bool topologies) {
  std::vector<NodeFacts> nodes = MakeNodes(size.blocks, size.racks, size.per_rack, size.gpus);
  for (NodeFacts& node : nodes) {
    for (ResourceAmount& entry : node.allocatable) {
      if (entry.name == "cpu") entry.amount = size.cpu;
    }
    if (topologies && DomainAt(node, 0) == "b1") SetWord(node.labels, kNetLabel, kRings);
  }
  return nodes;
}

}  // namespace

World::World(const Random& chance, const Profile& chosen, const Trace& to)
    : random(chance),
      profile(chosen),
      trace(to),
      size(RandomSize(random, profile)),
      api(time, random),
      jobs(time, random, api),
      objects(time, random, api),
      foreign(time, random, api),
      options(MakeOptions()),
      service(time, random, api, options),
      told(time),
      checker(api, service, told, jobs, foreign),
      scheduler(time, random, api, service, MakeSchedulerOptions()),
      liveness(time, api, jobs, service, scheduler),
      hold_ages(time, service),
      priority_order(time, service, told, jobs, scheduler.rules),
      plain_pods(time, service, told, foreign),
      own_room(time, service, api, told, jobs),
      kubelets(time, random, service, api, jobs),
      holds(time, random, api, jobs),
      whole_evictions(time, service, api, jobs, kubelets,
                      {profile.evictions, profile.anew, profile.unready,
                       !profile.harm && !profile.node_faults && !profile.scaling}),
      line_order(time, service, jobs),
      promises(time, service, jobs, !profile.shared),
      reserved(time, random, api, service, jobs, size),
      standby(time, random, api, options),
      nodes(NodesOf(size, profile.topologies)) {
  if (trace) {
    jobs.trace = objects.trace = foreign.trace = service.trace = scheduler.trace =
        reserved.trace = [this](const std::string& line) { Say(line); };
  }
  jobs.succeeded_go = profile.succeeded_go;
  jobs.rolls = profile.harm;
  foreign.budgets = profile.evictions;
  api.takes_labels = random.OneIn(2);
  service.observers = {&told, &checker};
  service.observers.push_back(&hold_ages);
  // In a shorter round nobody has looked yet at all who may go before.
  const bool whole_rounds = options.round_work == kRoundWork;
  if (profile.order && whole_rounds) service.observers.push_back(&priority_order);
  if (profile.owners_away) service.observers.push_back(&plain_pods);
  if (Evicts()) service.observers.push_back(&whole_evictions);
  if (!Evicts() && !profile.reserved && options.vacant_share == 100)
    service.observers.push_back(&own_room);
  if (profile.held) service.observers.push_back(&holds);
  holds.checks = !profile.faults;
  if (profile.strict) service.observers.push_back(&line_order);
  if (profile.promises && !profile.reserved) service.observers.push_back(&promises);
  if (profile.reserved) service.observers.push_back(&reserved);
  reserved.promises = profile.promises;
  service.faults.on = profile.faults;
  service.faults.slow_reads = profile.slow_reads;
  checker.each_attempt = profile.slow_reads;
  checker.together = !profile.first_member;
  checker.ranks_in_order = !profile.Disturbs();
}

PlannerOptions World::MakeOptions() {
  PlannerOptions made = PlannerWorld::Options();
  if (profile.topologies) {
    const TopologyOptions alone = made.topologies.front();
    made.topologies = {alone, alone};
    made.topologies[0].topology.name = kRacks;
    made.topologies[1].topology.name = kRings;
    made.topologies[1].topology.nodes = {
        {{std::string(kNetLabel), SelectorOperator::kIn, {std::string(kRings)}}}};
  }
  made.group_objects = MakeSakkaraGroups;
  made.gather_timeout = kGatherTimeout;
  made.bind_timeout = kBindTimeout;
  made.reject_max = random.OneIn(4) ? 2 : 100;
  made.nominate_from = random.OneIn(2) ? 1 : 1000;
  if (random.OneIn(2)) made.leaves_of_several = 0;
  if (profile.gated) made.gates = GateUse::kGangplan;
  made.verbs = !profile.unasked;
  made.start_at_first_member = profile.first_member;
  made.preempts = made.preempts_pods = profile.evictions;
  if (profile.anew) made.repair.on_failure = OnFailure::kRestart;
  made.repair.timeout = kLacksFor;
  if (profile.unready) made.ready = {kReadyAfterStart, kReadyAgain};
  if (profile.strict) made.queue_mode = QueueMode::kStrict;
  made.fair = profile.shared;
  if (profile.backfill) made.queue_mode = QueueMode::kBackfill;
  made.hold_from = static_cast<int32_t>(random.Between(0, 2) * 50);
  if (random.OneIn(2)) made.vacant_share = 25;
  if (random.OneIn(3)) {
    made.round_work = random.OneIn(2) ? 1 : 1'000;
    made.at_once = made.round_work == 1 ? 1 : 3;
  }
  return made;
}

Scheduler::Options World::MakeSchedulerOptions() {
  Scheduler::Options made;
  made.bind_timeout = kBindTimeout;
  made.asks = !profile.unasked;
  if (profile.large) made.cycle = 3;  // all who wait have their turn
  if (random.OneIn(2)) made.sample = static_cast<int>(random.Between(1, 4));
  return made;
}

void World::Start() {
  for (const NodeFacts& node : nodes) api.PutNode(node);
  MakeJobs();
  service.Start();
  if (profile.standby) standby.Start();
  scheduler.Start();
  JobsAgain();
  LookAgain();
}

void World::MakeJobs() {
  const int count = static_cast<int>(random.Between(1, size.jobs));
  const int64_t latest = profile.liveness ? 600'000 : 30'000;
  for (int i = 0; i < count; ++i) {
    const Job job = RandomJob(random, profile, size, i);
    time.After(random.Millis(0, latest), [this, job] { AddJob(job); });
    if (profile.unfit && random.OneIn(4))
      scheduler.rules.RefuseNode(job.spec.Uid(), random.OneOf(nodes).name);
  }
}

void World::AddJob(const Job& job) {
  jobs.Add(job);
  scheduler.rules.Set(job.spec.Uid(), job.traits);
  const std::string refused = fmt::format("{}-{}", job.spec.name, job.refused_index);
  if (job.refusal == Refusal::kByScheduler) scheduler.rules.RefuseEverywhere(refused);
  if (job.refusal == Refusal::kByApiServer) api.refused_bindings.insert(refused);
  objects.Add(job);
  if (profile.evictions && random.OneIn(5))
    api.budgets[job.spec.Uid()] = static_cast<int32_t>(random.Between(0, job.spec.size));
}

void World::JobsAgain() {
  time.After(random.Millis(20, 200), [this] {
    jobs.Step();
    JobsAgain();
  });
}

void World::LookAgain() {
  time.After(absl::Seconds(1), [this] {
    liveness.Check();
    hold_ages.Check();
    if (profile.unready) kubelets.Step();
    if (Evicts()) whole_evictions.Check();
    LookAgain();
  });
}

void World::Until(absl::Time end) {
  while (time.now() < end) {
    time.Step();
    ++steps_;
  }
}

void World::Say(const std::string& line) const {
  if (!trace) return;
  const absl::Duration since = time.now() - absl::FromUnixSeconds(1'000'000);
  trace(fmt::format("{:10.3f} {}", absl::ToDoubleSeconds(since), line));
}

}  // namespace gangplan::simulation
