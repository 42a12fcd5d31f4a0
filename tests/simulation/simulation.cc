#include "tests/simulation/simulation.h"

#include <algorithm>

#include "extender/frontends/sakkara/groups.h"
#include "fmt/format.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/random_jobs.h"
#include "tests/simulation/scheduler.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {
namespace {

constexpr absl::Duration kGatherTimeout = absl::Seconds(30);
constexpr absl::Duration kBindTimeout = absl::Seconds(40);
constexpr int64_t kNodeGpus = 4;

class Simulation {
 public:
  Simulation(uint64_t seed, const Profile& profile,
             const std::function<void(const std::string&)>& trace);
  Verdict Run();

 private:
  PlannerOptions MakeOptions();
  Scheduler::Options MakeSchedulerOptions();
  void MakeNodes();
  void MakeJobs();
  void Until(absl::Time end);
  void JobsAgain();
  void HarmAgain();
  void HarmOnce();
  void HarmNode();
  void RestartService();
  void RestartScheduler();
  void Heal();
  void RunToTheEnd();
  void EndDeadlock();
  void EndOne(const Job& job);
  void CheckResults(const Job& job);
  void CheckBlocked();
  void CleanUp();
  bool AllFeasibleDone();
  std::string Undone();

  Timeline time_;
  Random random_;
  Profile profile_;
  std::function<void(const std::string&)> trace_;
  int blocks_ = 1, racks_ = 1, per_rack_ = 1;
  ApiServer api_;
  Jobs jobs_;
  Service service_;
  Checker checker_;
  Scheduler scheduler_;
  std::vector<NodeFacts> nodes_;
  absl::Time harm_ends_;
  int64_t steps_ = 0;
};

Simulation::Simulation(uint64_t seed, const Profile& profile,
                       const std::function<void(const std::string&)>& trace)
    : random_(seed),
      profile_(profile),
      blocks_(static_cast<int>(random_.Between(1, 2))),
      racks_(static_cast<int>(random_.Between(1, 3))),
      per_rack_(static_cast<int>(random_.Between(1, 3))),
      api_(time_, random_),
      jobs_(time_, random_, api_),
      service_(time_, random_, api_, MakeOptions()),
      checker_(time_, api_, service_, jobs_),
      scheduler_(time_, random_, api_, service_, MakeSchedulerOptions()) {
  if (trace) {
    trace_ = [this, trace](const std::string& line) {
      trace(fmt::format("{:10.3f} {}",
                        absl::ToDoubleSeconds(time_.now() - absl::FromUnixSeconds(1'000'000)),
                        line));
    };
    jobs_.trace = service_.trace = scheduler_.trace = trace_;
  }
  api_.takes_labels = random_.OneIn(2);
  service_.observer = &checker_;
  service_.faults.on = profile.faults;
  checker_.ranks_in_order = !profile.faults && !profile.harm && !profile.node_faults &&
                            !profile.second_scheduler && !profile.restarts && !profile.preemption;
}

PlannerOptions Simulation::MakeOptions() {
  PlannerOptions options = PlannerWorld::Options();
  options.group_objects = MakeSakkaraGroups;
  options.gather_timeout = kGatherTimeout;
  options.bind_timeout = kBindTimeout;
  options.reject_max = random_.OneIn(4) ? 2 : 100;
  options.nominate_from = random_.OneIn(2) ? 1 : 1000;
  return options;
}

Scheduler::Options Simulation::MakeSchedulerOptions() {
  Scheduler::Options options;
  options.bind_timeout = kBindTimeout;
  if (random_.OneIn(2)) options.sample = static_cast<int>(random_.Between(1, 4));
  return options;
}

void Simulation::MakeNodes() {
  nodes_ = gangplan::MakeNodes(blocks_, racks_, per_rack_, kNodeGpus);
  for (const NodeFacts& node : nodes_) api_.PutNode(node);
}

void Simulation::MakeJobs() {
  int count = static_cast<int>(random_.Between(1, 4));
  for (int i = 0; i < count; ++i) {
    const Job job = RandomJob(random_, {blocks_, racks_, per_rack_, kNodeGpus}, i);
    time_.After(random_.Millis(0, 30'000), [this, job] { jobs_.Add(job); });
    if (profile_.unfit && random_.OneIn(4)) {
      const NodeFacts& node =
          nodes_[static_cast<size_t>(random_.Between(0, static_cast<int64_t>(nodes_.size()) - 1))];
      scheduler_.unfit.insert({job.spec.Uid(), node.name});
    }
  }
}

void Simulation::Until(absl::Time end) {
  while (time_.now() < end) {
    time_.Step();
    ++steps_;
  }
}

void Simulation::JobsAgain() {
  time_.After(random_.Millis(20, 200), [this] {
    jobs_.Step();
    JobsAgain();
  });
}

void Simulation::HarmAgain() {
  time_.After(random_.Millis(200, 4'000), [this] {
    if (time_.now() >= harm_ends_) return;
    HarmOnce();
    HarmAgain();
  });
}

void Simulation::HarmOnce() {
  switch (random_.Between(0, 8)) {
    case 0:
    case 1:
      if (profile_.harm) jobs_.Harm();
      break;
    case 2:
      if (profile_.node_faults) HarmNode();
      break;
    case 3:
      if (profile_.foreign) {
        int32_t priority = profile_.preemption && random_.OneIn(3) ? 100 : 0;
        jobs_.AddForeign(false, random_.Between(1, kNodeGpus), priority);
      }
      break;
    case 4:
      if (profile_.second_scheduler) jobs_.AddForeign(true, random_.Between(1, 2), 0);
      break;
    case 5:
      if (profile_.restarts && random_.OneIn(3)) RestartService();
      break;
    case 6:
      if (profile_.restarts && random_.OneIn(3)) RestartScheduler();
      break;
    case 7:
      if (!profile_.faults) break;
      service_.BreakStream(static_cast<Kind>(random_.Between(0, 2)));
      scheduler_.BreakStream(static_cast<Kind>(random_.Between(0, 1)));
      break;
    case 8:
      if (profile_.harm) jobs_.HarmObject();
      break;
  }
}

// Deleted with its pods, or cordoned, or not ready; back after a while.
void Simulation::HarmNode() {
  const NodeFacts node =
      nodes_[static_cast<size_t>(random_.Between(0, static_cast<int64_t>(nodes_.size()) - 1))];
  for (auto& [name, job] : jobs_.all()) job.disturbed = true;
  if (!api_.nodes().contains(node.name)) return;
  if (random_.OneIn(3)) {
    if (trace_) trace_("node " + node.name + " goes");
    api_.DeleteNode(node.name);
    for (int64_t seconds = 2; seconds <= 10; seconds += 4) {  // what is bound there is deleted
      time_.After(absl::Seconds(seconds), [this, name = node.name] {
        std::vector<std::string> lost;
        for (const auto& [uid, pod] : api_.pods()) {
          // A Job's pods that have succeeded are left: with them goes the only sign, for a planner
          // that starts anew, that the gang has run.
          if (pod.node_name == name && !pod.finished()) lost.push_back(uid);
        }
        for (const std::string& uid : lost) api_.DeletePod(uid, absl::ZeroDuration());
      });
    }
    time_.After(random_.Millis(12'000, 30'000), [this, node] { api_.PutNode(node); });
    return;
  }
  NodeFacts bad = node;
  (random_.OneIn(2) ? bad.unschedulable : bad.ready) ^= true;
  if (trace_) trace_("node " + node.name + " is cordoned or not ready");
  api_.PutNode(bad);
  time_.After(random_.Millis(100, 20'000), [this, node] {
    if (api_.nodes().contains(node.name)) api_.PutNode(node);
  });
}

void Simulation::RestartService() {
  if (!service_.alive()) return;
  if (trace_) trace_("gangplan dies");
  service_.Kill();
  time_.After(random_.Millis(1'500, 6'000), [this] {
    if (trace_) trace_("gangplan starts");
    service_.Start();
  });
}

void Simulation::RestartScheduler() {
  if (!scheduler_.alive()) return;
  if (trace_) trace_("the scheduler dies");
  scheduler_.Kill();
  time_.After(random_.Millis(200, random_.OneIn(5) ? 60'000 : 4'000), [this] {
    if (trace_) trace_("the scheduler starts");
    scheduler_.Start();
  });
}

void Simulation::Heal() {
  if (trace_) trace_("all faults end");
  service_.faults.on = false;
  scheduler_.unfit.clear();
  for (const NodeFacts& node : nodes_) api_.PutNode(node);
  jobs_.EndForeign();
  jobs_.HealObjects();
}

bool Simulation::AllFeasibleDone() {
  if (jobs_.all().empty()) return false;
  return std::all_of(jobs_.all().begin(), jobs_.all().end(),
                     [](const auto& entry) { return entry.second.done || !entry.second.feasible; });
}

std::string Simulation::Undone() {
  std::string text = "left at the end:";
  for (const auto& [name, job] : jobs_.all()) {
    if (job.done || !job.feasible) continue;
    auto report = service_.planner().Report("team/" + name);
    text += fmt::format(
        " {} ({})", name,
        report ? fmt::format("{}, {} seen, {} in bind, {} bound, {}", Name(report->state),
                             report->seen, report->in_bind, report->bound, report->reason)
               : "unknown");
  }
  return text;
}

// Gangs that lost members may stand in one domain that has no room for all of them together any
// more: no planner can mend that without evicting one. Their user does, once. One such gang alone
// is no deadlock, unless it has two pod sets: then a member of one may have taken the place that
// only a lost member of the other could use.
void Simulation::EndDeadlock() {
  std::vector<Job*> standing;
  for (auto& [name, job] : jobs_.all()) {
    auto report = service_.planner().Report("team/" + name);
    if (job.done || !report || report->bound == 0) continue;
    const bool own_way = job.spec.leader_gpus > 0 && report->outcome == Outcome::kImpossible;
    if (report->outcome == Outcome::kWait || own_way) standing.push_back(&job);
  }
  if (standing.size() > 1) EndOne(*standing.front());
  for (Job* job : standing) {
    if (job->spec.leader_gpus > 0) EndOne(*job);
  }
}

void Simulation::EndOne(const Job& job) {
  if (trace_) trace_("the user ends the deadlock of " + job.spec.name);
  for (const std::string& uid : job.pods) api_.DeletePod(uid, absl::ZeroDuration());
}

void Simulation::RunToTheEnd() {
  absl::Time limit = time_.now() + absl::Minutes(30);
  absl::Time patience = time_.now() + absl::Minutes(10);
  while (!AllFeasibleDone()) {
    if (time_.now() >= patience) {
      patience = absl::InfiniteFuture();
      EndDeadlock();
    }
    if (time_.now() >= limit) throw Broken(Undone());
    Until(time_.now() + absl::Seconds(1));
  }
}

// A gang that ran long enough has told so, where nothing was in the way.
void Simulation::CheckResults(const Job& job) {
  if (job.constraints.empty() || !checker_.ranks_in_order || job.run_for < absl::Seconds(5)) return;
  const ConfigMapFacts& object = api_.objects().at("object-of-" + job.spec.name);
  for (const auto& [key, part] :
       {std::pair{"status", "Bound"}, {"rank", ",0)"}, {"placement", "root"}}) {
    const std::string* value = FindLabel(object.data, key);
    if (value == nullptr || value->find(part) == std::string::npos)
      throw Broken(fmt::format("{}: {} is {}", object.name, key, value ? *value : "missing"));
  }
}

// What cannot run is told so, and nothing of it was bound.
void Simulation::CheckBlocked() {
  Until(time_.now() + absl::Seconds(10));
  for (auto& [name, job] : jobs_.all()) {
    if (job.feasible) {
      ++checker_.bound_gangs;
      CheckResults(job);
      continue;
    }
    auto report = service_.planner().Report("team/" + name);
    if (!report) throw Broken(name + ": not known");
    if (report->outcome != Outcome::kImpossible || report->state != GroupState::kBlocked) {
      throw Broken(fmt::format("{}: {}, {}", name, Name(report->state), report->reason));
    }
    for (const auto& [uid, pod] : api_.pods()) {
      if (jobs_.Of(uid) == &job && !pod.node_name.empty())
        throw Broken(pod.name + " is bound though its gang is impossible");
    }
  }
}

void Simulation::CleanUp() {
  for (auto& [name, job] : jobs_.all()) {
    if (!job.done) jobs_.Finish(job);
  }
  Until(time_.now() + absl::Seconds(60));
  PlannerStats stats = service_.planner().Stats();
  for (int state = 0; state < kGroupStates; ++state) {
    if (stats.groups[state] != 0) throw Broken("a group is left after its pods");
  }
  if (stats.held_slots != 0 || stats.held_calls != 0 || service_.open_calls() != 0)
    throw Broken("holds or calls are left after the groups");
  if (stats.rejected_pods != 0) throw Broken("rejected pods do not add up");
  Model& model = service_.planner().model();
  for (const NodeFacts& node : nodes_) {
    if (model.HoldCount(model.FindNode(node.name)) != 0) throw Broken("the model keeps a hold");
  }
}

Verdict Simulation::Run() {
  Verdict verdict;
  try {
    MakeNodes();
    MakeJobs();
    service_.Start();
    scheduler_.Start();
    JobsAgain();
    harm_ends_ = time_.now() + absl::Seconds(90);
    HarmAgain();
    Until(harm_ends_ + absl::Seconds(31));  // whatever was harmed has come back by now
    Until(time_.now() + absl::Seconds(30));
    Heal();
    RunToTheEnd();
    CheckBlocked();
    CleanUp();
  } catch (const Broken& broken) {
    verdict.broken = broken.what();
    if (trace_) trace_(verdict.broken);
  }
  verdict.bound_gangs = checker_.bound_gangs;
  verdict.steps = steps_;
  return verdict;
}

}  // namespace

Verdict Simulate(uint64_t seed, const Profile& profile,
                 const std::function<void(const std::string&)>& trace) {
  return Simulation(seed, profile, trace).Run();
}

}  // namespace gangplan::simulation
