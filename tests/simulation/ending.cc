#include "tests/simulation/ending.h"

#include <algorithm>

#include "fmt/format.h"
#include "topology/model.h"

namespace gangplan::simulation {
namespace {

constexpr absl::Duration kPatience = absl::Minutes(30);
constexpr absl::Duration kGiveUpAfter = absl::Minutes(15);
constexpr absl::Duration kDeadlockAfter = absl::Minutes(7);
// The planner believes for five minutes what the scheduler has refused.
constexpr absl::Duration kBindsWithin = absl::Minutes(6);
// Whose Bindings are refused may take the room again and again, with pauses that grow.
constexpr absl::Duration kBindsBesideRefused = absl::Minutes(12);

// What cannot run is told so after this long; where owners could not be read they are read again
// after a longer while.
constexpr absl::Duration kToldWithin = absl::Seconds(10);
constexpr absl::Duration kOwnersWithin = absl::Minutes(6);

}  // namespace

void Ending::Heal() {
  world_.Say("all faults end");
  world_.service.faults.on = false;
  world_.service.faults.slow_reads = false;
  world_.service.faults.owners_back = absl::InfinitePast();
  world_.scheduler.rules.ForgetNodes();
  for (const NodeFacts& node : world_.nodes) world_.api.PutNode(node);
  world_.jobs.rolls = false;
  world_.foreign.End();
  world_.objects.Heal(world_.jobs.all());
  world_.kubelets.Heal();
  world_.holds.Heal();
  world_.reserved.Heal();
  users_.Heal();
}

bool Ending::AllFeasibleDone() {
  if (world_.jobs.all().empty() || users_.coming()) return false;
  return std::all_of(world_.jobs.all().begin(), world_.jobs.all().end(), [](const auto& entry) {
    const Job& job = entry.second;
    return job.done || (!job.feasible() && job.refusal == Refusal::kNone);
  });
}

std::string Ending::Undone() {
  std::string text = "left at the end:";
  for (const auto& [uid, job] : world_.jobs.all()) {
    if (job.done || !job.feasible()) continue;
    text += fmt::format(" {} ({})", uid, world_.service.Describe(GroupName(job)));
  }
  return text;
}

void Ending::RunAll() {
  absl::Time limit = world_.time.now() + kPatience;
  const absl::Time give_up = world_.time.now() + kGiveUpAfter;
  absl::Time look = world_.time.now() + kDeadlockAfter;
  world_.liveness.BindsWithin(world_.profile.refused_binding ? kBindsBesideRefused : kBindsWithin);
  for (size_t made = world_.jobs.all().size(); !AllFeasibleDone();) {
    if (made != world_.jobs.all().size()) {  // it ran until now, and is run again
      made = world_.jobs.all().size();
      limit = world_.time.now() + kPatience;
    }
    if (world_.time.now() >= look) {
      look = world_.time.now() + kDeadlockAfter;
      if (deadlock_.End()) limit = world_.time.now() + kPatience;
    }
    NoteReasons();
    world_.reserved.LetGo();
    if (world_.time.now() >= give_up) GiveUp();
    if (world_.time.now() >= limit) throw Broken(Undone());
    world_.Until(world_.time.now() + absl::Seconds(1));
  }
  world_.liveness.BindsWithin(absl::InfiniteDuration());
}

// A gang that is planned again and again says why only in between.
void Ending::NoteReasons() {
  for (auto& [uid, job] : world_.jobs.all()) {
    if (job.done || job.refusal == Refusal::kNone || reasons_.contains(uid)) continue;
    const auto report = world_.service.planner().Report(GroupName(job));
    if (report && !report->reason.empty()) reasons_.insert(uid);
  }
}

// What will never be allowed is deleted in the end; until then it was told, and nobody started
// who could not come whole.
void Ending::GiveUp() {
  for (auto& [uid, job] : world_.jobs.all()) {
    if (job.done || job.refusal == Refusal::kNone) continue;
    if (job.refusal == Refusal::kByScheduler && world_.checker.together && !job.disturbed &&
        HasBound(job))
      throw Broken(uid + " has begun though one of its members is refused everywhere");
    const bool told = world_.told.Warnings(uid) > 0 && reasons_.contains(uid);
    if (!told) {
      throw Broken(uid +
                   " is refused and nobody is told: " + world_.service.Describe(GroupName(job)));
    }
    job.keeps_pods = false;
    world_.jobs.Finish(job);
    job.remade = true;
  }
}

// A gang that ran long enough has told so, where nothing was in the way.
void Ending::CheckResults(const Job& job) {
  if (job.constraints.empty() || !world_.checker.ranks_in_order || job.run_for < absl::Seconds(5))
    return;
  const ConfigMapFacts& object = world_.api.objects().at(GroupObjects::NameOf(job));
  for (const auto& [key, part] :
       {std::pair{"status", "Bound"}, {"rank", ",0)"}, {"placement", "root"}}) {
    const std::string* value = FindLabel(object.data, key);
    if (value == nullptr || value->find(part) == std::string::npos)
      throw Broken(fmt::format("{}: {} is {}", object.name, key, value ? *value : "missing"));
  }
}

bool Ending::IsTold(const Job& job) const {
  const auto report = world_.service.planner().Report(GroupName(job));
  return report && report->outcome == Outcome::kImpossible && report->state == GroupState::kBlocked;
}

bool Ending::AllTold() const {
  return std::all_of(world_.jobs.all().begin(), world_.jobs.all().end(), [this](const auto& entry) {
    const Job& job = entry.second;
    return job.done || job.remade || job.feasible() || HasBound(job) || IsTold(job);
  });
}

// What cannot run is told so, and nothing of it was bound; unless it could begin for a while, as it
// was smaller or nodes were moved together.
void Ending::CheckBlocked() {
  users_.Rest();
  world_.reserved.LetGo();
  const bool owners_fail = world_.profile.faults || world_.profile.owners_away;
  const absl::Time limit = world_.time.now() + (owners_fail ? kOwnersWithin : kToldWithin);
  world_.Until(world_.time.now() + kToldWithin);
  while (!AllTold() && world_.time.now() < limit) {
    world_.reserved.LetGo();
    world_.Until(world_.time.now() + absl::Seconds(1));
  }
  for (auto& [uid, job] : world_.jobs.all()) {
    if (job.remade) continue;
    if (job.feasible()) {
      ++bound_gangs_;
      CheckResults(job);
      continue;
    }
    const bool begun = job.done || HasBound(job);
    if (begun && (world_.profile.node_moves || job.was_feasible)) continue;
    if (begun) throw Broken(uid + " has begun though it is impossible");
    if (!IsTold(job)) throw Broken(uid + ": " + world_.service.Describe(GroupName(job)));
  }
}

bool Ending::HasBound(const Job& job) const {
  return std::any_of(job.indices.begin(), job.indices.end(), [this](const Job::Index& index) {
    const auto pod = world_.api.pods().find(index.pod);
    return pod != world_.api.pods().end() && !pod->second.node_name.empty();
  });
}

void Ending::CleanUp() {
  for (auto& [uid, job] : world_.jobs.all()) {
    job.done = true;
    world_.api.EraseJob(uid);
    world_.api.EraseOwner(uid);
    world_.jobs.DeletePods(job);
  }
  world_.Until(world_.time.now() + absl::Seconds(60));
  PlannerStats stats = world_.service.planner().Stats();
  for (int state = 0; state < kGroupStates; ++state) {
    if (stats.groups[state] != 0) throw Broken("a group is left after its pods");
  }
  if (stats.held_slots != 0 || stats.held_calls != 0 || world_.service.open_calls() != 0)
    throw Broken("holds or calls are left after the groups");
  if (stats.rejected_pods != 0) throw Broken("rejected pods do not add up");
  const Model& model = world_.service.planner().model();
  for (const NodeFacts& node : world_.nodes) {
    if (model.HoldCount(model.FindNode(node.name)) != 0) throw Broken("the model keeps a hold");
  }
}

}  // namespace gangplan::simulation
