#include "tests/simulation/world.h"

#include "extender/frontends/sakkara/groups.h"
#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

constexpr absl::Duration kGatherTimeout = absl::Seconds(30);
constexpr absl::Duration kBindTimeout = absl::Seconds(40);

// The same for all.
std::vector<NodeFacts> NodesOf(const ClusterSize& size) {
  std::vector<NodeFacts> nodes = MakeNodes(size.blocks, size.racks, size.per_rack, size.gpus);
  for (NodeFacts& node : nodes) {
    for (ResourceAmount& entry : node.allocatable) {
      if (entry.name == "cpu") entry.amount = size.cpu;
    }
  }
  return nodes;
}

}  // namespace

World::World(uint64_t seed, const Profile& chosen, const Trace& to)
    : random(seed),
      profile(chosen),
      trace(to),
      size(RandomSize(random, profile)),
      api(time, random),
      jobs(time, random, api),
      objects(time, random, api),
      foreign(time, random, api),
      service(time, random, api, MakeOptions()),
      told(time),
      checker(api, service, told, jobs, foreign),
      scheduler(time, random, api, service, MakeSchedulerOptions()),
      liveness(time, api, jobs, service, scheduler),
      nodes(NodesOf(size)) {
  if (trace) {
    jobs.trace = objects.trace = foreign.trace = service.trace =
        scheduler.trace = [this](const std::string& line) { Say(line); };
  }
  api.takes_labels = random.OneIn(2);
  service.observers = {&told, &checker};
  service.faults.on = profile.faults;
  checker.ranks_in_order = !profile.Disturbs();
}

PlannerOptions World::MakeOptions() {
  PlannerOptions options = PlannerWorld::Options();
  options.group_objects = MakeSakkaraGroups;
  options.gather_timeout = kGatherTimeout;
  options.bind_timeout = kBindTimeout;
  options.reject_max = random.OneIn(4) ? 2 : 100;
  options.nominate_from = random.OneIn(2) ? 1 : 1000;
  return options;
}

Scheduler::Options World::MakeSchedulerOptions() {
  Scheduler::Options options;
  options.bind_timeout = kBindTimeout;
  if (random.OneIn(2)) options.sample = static_cast<int>(random.Between(1, 4));
  return options;
}

void World::Start() {
  for (const NodeFacts& node : nodes) api.PutNode(node);
  MakeJobs();
  service.Start();
  scheduler.Start();
  JobsAgain();
  LookAgain();
}

void World::MakeJobs() {
  int count = static_cast<int>(random.Between(1, size.jobs));
  for (int i = 0; i < count; ++i) {
    const Job job = RandomJob(random, profile, size, i);
    time.After(random.Millis(0, 30'000), [this, job] { AddJob(job); });
    if (profile.unfit && random.OneIn(4))
      scheduler.rules.RefuseNode(job.spec.Uid(), random.OneOf(nodes).name);
  }
}

void World::AddJob(const Job& job) {
  jobs.Add(job);
  scheduler.rules.Set(job.spec.Uid(), job.traits);
  objects.Add(job);
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
