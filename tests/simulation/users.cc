#include "tests/simulation/users.h"

#include <algorithm>

#include "extender/frontends/gangplan/words.h"
#include "fmt/format.h"
#include "tests/simulation/room.h"

namespace gangplan::simulation {
namespace {

constexpr int kRuns = 2;  // of the same work

bool IsNamed(const Job& job) { return FindLabel(job.spec.words, kGroupWord) != nullptr; }

// Its owner alone tells how large it is. The member that is refused is not scaled away.
bool CanScale(const Job& job) {
  return job.constraints.empty() && job.spec.leader_gpus == 0 && !IsNamed(job) &&
         job.refusal == Refusal::kNone;
}

// The same pods come for replacements of a gang that is only a name.
bool CanBeRemade(const Job& job) {
  return job.constraints.empty() && !IsNamed(job) && job.run < kRuns;
}

bool IsWrong(const Job& job) { return !job.meant_place.empty(); }

Job Afresh(const Job& job) {
  Job fresh = job;
  fresh.run = job.run + 1;
  fresh.indices.clear();
  fresh.indices.resize(static_cast<size_t>(job.completions));
  for (Job::Index& index : fresh.indices) index.lives = 100 * job.run;
  fresh.all_bound_since = absl::InfiniteFuture();
  fresh.done = false;
  fresh.held_since.reset();
  return fresh;
}

}  // namespace

Users::Users(World& world) : world_(world) {
  if (world.profile.reuse) world.jobs.on_done = [this](const Job& job) { RunAgain(job); };
}

Job* Users::Choose(bool (*fits)(const Job&)) {
  std::vector<Job*> found;
  for (auto& [uid, job] : world_.jobs.all()) {
    if (!job.done && fits(job)) found.push_back(&job);
  }
  return found.empty() ? nullptr : world_.random.OneOf(found);
}

void Users::Scale() {
  Job* job = Choose(CanScale);
  if (job == nullptr || job->fits == 0) return;
  ScaleTo(*job, static_cast<int32_t>(world_.random.Between(1, std::min(job->fits, 8))));
}

// Completions follow where they may: with indices, and where all run together.
void Users::ScaleTo(Job& job, int32_t size) {
  if (job.spec.indexed && job.together())
    job.completions = size;
  else
    size = std::min(size, job.completions);
  if (size == job.spec.size) return;
  world_.Say(fmt::format("{} is scaled from {} to {} of {}", job.spec.Uid(), job.spec.size, size,
                         job.completions));
  job.was_feasible = job.was_feasible || job.feasible();
  job.spec.size = size;
  job.disturbed = true;
  if (job.indices.size() < static_cast<size_t>(job.completions))
    job.indices.resize(static_cast<size_t>(job.completions));
  world_.jobs.Put(job);
  DeleteSurplus(job);
}

// All indices beyond the last one; then who waits; then who came last.
void Users::DeleteSurplus(Job& job) {
  std::vector<std::pair<int, size_t>> order;
  for (size_t i = 0; i < job.indices.size(); ++i) {
    const auto pod = world_.api.pods().find(job.indices[i].pod);
    if (job.indices[i].pod.empty() || job.indices[i].succeeded) continue;
    const bool beyond = i >= static_cast<size_t>(job.completions);
    const bool waits = pod == world_.api.pods().end() || pod->second.node_name.empty();
    order.emplace_back(beyond ? 0 : waits ? 1 : 2, job.indices.size() - i);
  }
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) {
    const bool surplus = order.size() - i > static_cast<size_t>(job.spec.size);
    if (!surplus && order[i].first > 0) break;
    Job::Index& index = job.indices[job.indices.size() - order[i].second];
    world_.api.DeletePod(index.pod, world_.random.Millis(0, 2000));
    index.pod.clear();
    index.ending = false;
  }
}

void Users::Mend() {
  if (Job* job = Choose(IsWrong)) {
    MendOne(*job);
  } else if (Job* any = Choose([](const Job& one) { return one.constraints.empty(); })) {
    ChangeWaitingPods(*any);
  }
}

// On the template, and on the pods that wait, one after the other.
void Users::MendOne(Job& job) {
  world_.Say(fmt::format("the place of {} is mended to {}", job.spec.Uid(), job.meant_place));
  job.spec.place = std::exchange(job.meant_place, "");
  world_.jobs.Put(job);
  for (const Job::Index& index : job.indices) {
    world_.time.After(world_.random.Millis(0, 500), [this, uid = index.pod, to = job.spec.place] {
      const auto found = world_.api.pods().find(uid);
      if (found == world_.api.pods().end() || !found->second.node_name.empty()) return;
      PodFacts pod = found->second;
      SetWord(pod.annotations, kPlaceWord, to);
      world_.api.PutPod(pod);
    });
  }
}

// They ask for more, all of them, and for what they did before after a while. Only of gangs that
// are complete and have not begun: the template stays, so one that is made meanwhile is another.
void Users::ChangeWaitingPods(Job& job) {
  std::vector<std::string> pods;
  for (const Job::Index& index : job.indices) {
    const auto found = world_.api.pods().find(index.pod);
    if (found == world_.api.pods().end() || index.succeeded) continue;
    if (found->second.node_name.empty() && !found->second.terminating) pods.push_back(index.pod);
  }
  if (job.HasSucceeded() || pods.size() != static_cast<size_t>(job.spec.size)) return;
  world_.Say(fmt::format("the pods of {} ask for more", job.spec.Uid()));
  auto change = [this, pods](int64_t by) {
    for (const std::string& uid : pods) {
      const auto found = world_.api.pods().find(uid);
      if (found == world_.api.pods().end() || !found->second.node_name.empty()) continue;
      PodFacts pod = found->second;
      for (ResourceAmount& entry : pod.requests) {
        if (entry.name == "cpu") entry.amount += by;
      }
      if (by > 0) world_.api.asks_for_more_since[uid] = world_.time.now();
      world_.api.PutPod(pod);
    }
  };
  change(100);
  world_.time.After(world_.random.Millis(1'000, 15'000), [change] { change(-100); });
}

// Of a pod that runs, where its node has room in truth.
void Users::Resize() {
  const std::map<std::string, Amounts> free = FreeRoom(world_.api);
  std::vector<std::string> running;
  for (const auto& [uid, pod] : world_.api.pods()) {
    if (free.contains(pod.node_name) && !pod.finished()) running.push_back(uid);
  }
  if (running.empty()) return;
  PodFacts pod = world_.api.pods().at(world_.random.OneOf(running));
  for (ResourceAmount& entry : pod.requests) {
    if (entry.name != "cpu") continue;
    const int64_t most = entry.amount + std::max<int64_t>(free.at(pod.node_name).cpu, 0);
    entry.amount = world_.random.Between(50, std::min(most, entry.amount * 2));
    world_.Say(fmt::format("{} is resized to {} cpu", pod.name, entry.amount));
  }
  world_.api.PutPod(pod);
}

// By hand, and resumed by hand after a while, or for Gangplan to start it again.
void Users::Suspend() {
  Job* job = Choose([](const Job& one) { return one.waits; });
  const JobFacts* object = job == nullptr ? nullptr : world_.api.FindJob(job->spec.Uid());
  if (object == nullptr || object->suspended) return;
  const bool marked = world_.random.OneIn(2);
  world_.Say(fmt::format("{} is suspended{}", job->spec.Uid(), marked ? "" : " by hand"));
  JobFacts changed = *object;
  changed.suspended = true;
  world_.api.PutJob(changed, marked);
  if (marked) return;
  world_.time.After(world_.random.Millis(500, 20'000), [this, uid = job->spec.Uid()] {
    const JobFacts* now = world_.api.FindJob(uid);
    if (now == nullptr || !now->suspended) return;
    JobFacts resumed = *now;
    resumed.suspended = false;
    world_.api.PutJob(resumed, false);
  });
}

void Users::Hold() {
  Job* job = Choose([](const Job& one) { return one.constraints.empty() && !one.held_since; });
  if (job == nullptr) return;
  world_.Say(fmt::format("{} is held", job->spec.Uid()));
  world_.holds.Hold(*job);
}

void Users::Ungate() {
  Job* job = Choose([](const Job& one) { return one.gated; });
  if (job == nullptr || !world_.random.OneIn(4)) return;
  if (world_.random.OneIn(2)) {
    world_.Say(fmt::format("pods of {} are made without a gate from now on", job->spec.Uid()));
    job->gated = false;
    return;
  }
  for (const Job::Index& index : job->indices) {
    const auto found = world_.api.pods().find(index.pod);
    if (found == world_.api.pods().end() || !found->second.gated()) continue;
    world_.Say(fmt::format("the gate of {} is taken away by hand", found->second.name));
    PodFacts pod = found->second;
    pod.gates = {};
    world_.api.PutPod(pod);
    return;
  }
}

void Users::Remake() {
  Job* job = Choose(CanBeRemade);
  if (job == nullptr) return;
  world_.Say(fmt::format("{} is deleted and made again", job->spec.Uid()));
  Job next = Afresh(*job);
  next.spec.uid = fmt::format("job-{}-{}", job->spec.name, next.run);
  job->remade = true;
  world_.jobs.Finish(*job);
  AddLater(std::move(next), world_.random.Millis(0, 1000));
}

// A Job of the same name, or another one for the same group, whose Completed pods stay.
void Users::RunAgain(const Job& done) {
  if (done.remade || done.run >= kRuns || !done.constraints.empty() || !world_.random.OneIn(2))
    return;
  Job next = Afresh(done);
  if (IsNamed(done)) next.spec.name += "-again";
  next.spec.uid = fmt::format("job-{}-{}", next.spec.name, next.run);
  AddLater(std::move(next), world_.random.Millis(0, 20'000));
}

void Users::AddLater(Job job, absl::Duration delay) {
  ++coming_;
  world_.time.After(delay, [this, job = std::move(job)] {
    --coming_;
    if (!rest_) world_.AddJob(job);
  });
}

void Users::Heal() {
  for (auto& [uid, job] : world_.jobs.all()) {
    if (!job.done && IsWrong(job)) MendOne(job);
  }
}

}  // namespace gangplan::simulation
