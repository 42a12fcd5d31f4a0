#include "tests/simulation/whole_evictions.h"

#include <algorithm>

#include "extender/cluster/annotations.h"
#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

// So long the rest may take while writes are lost and pods stop.
constexpr absl::Duration kWholeWithin = absl::Minutes(2);
// Between the decision and the first eviction.
constexpr absl::Duration kWholeDecided = absl::Minutes(2);

}  // namespace

WholeEvictions::WholeEvictions(const Timeline& time, Service& service, ApiServer& api, Jobs& jobs,
                               const Kubelets& kubelets, const Allowed& allowed)
    : time_(time),
      service_(service),
      api_(api),
      jobs_(jobs),
      kubelets_(kubelets),
      allowed_(allowed) {
  api_.before_eviction = [this](const PodFacts& pod, PodDelete::How how) {
    if (pod.terminating) return;
    const Job* job = jobs_.Of(pod.uid);
    if (job != nullptr) return Begin(*job);
    if (!pod.finished()) CheckSingle(pod, how);
  };
  api_.before_suspension = [this](const std::string& uid) {
    for (const auto& [pod_uid, pod] : api_.pods()) {
      const Job* job = jobs_.Of(pod_uid);
      if (job != nullptr && job->spec.Uid() == uid) return Begin(*job);
    }
  };
}

bool WholeEvictions::Runs(const std::string& uid) const {
  const auto pod = api_.pods().find(uid);
  return pod != api_.pods().end() && !pod->second.node_name.empty() && !pod->second.terminating &&
         !pod->second.finished();
}

bool WholeEvictions::Lacks(const Job& job) const {
  const auto& pods = api_.pods();
  return std::count_if(pods.begin(), pods.end(), [&](const auto& pod) {
           return jobs_.Of(pod.first) == &job && Runs(pod.first);
         }) < job.spec.size;
}

void WholeEvictions::NoteWaiting() {
  for (const auto& [uid, pod] : api_.pods()) {
    const Job* job = jobs_.Of(uid);
    if (pod.node_name.empty() && !pod.terminating && job != nullptr)
      waited_[job->topology][pod.priority] = time_.now();
  }
  for (const auto& [uid, owner] : api_.owners()) {
    const JobFacts* job = api_.FindJob(uid);
    if (job != nullptr && job->suspended && !job->pods.empty())
      waited_[jobs_.all().at(uid).topology][job->pods.front().priority] = time_.now();
  }
}

// No pod of it is marked, as one of those is that go as a whole; where nothing else takes its pods,
// so many are left as start together.
bool WholeEvictions::GivesUpSome(const Job& job) const {
  if (job.least == 0 || evictions_.contains(job.spec.Uid())) return false;
  int32_t running = 0;
  for (const auto& [uid, pod] : api_.pods()) {
    if (jobs_.Of(uid) != &job || !Runs(uid)) continue;
    if (FindLabel(pod.annotations, kEvictedForAnnotation) != nullptr) return false;
    ++running;
  }
  if (running <= 1) return false;  // one by itself bears no mark
  if (running <= job.starts_with() && allowed_.calm)
    throw Broken(fmt::format("{} can do without none of the {} that run, and one is evicted",
                             job.spec.Uid(), running));
  return true;
}

void WholeEvictions::Begin(const Job& job) {
  if (GivesUpSome(job)) return CheckGreater(job);
  const auto [eviction, begins] = evictions_.try_emplace(job.spec.Uid());
  if (!begins) return;
  CheckGreater(job);
  eviction->second.since = time_.now();
  for (const auto& [uid, pod] : api_.pods()) {
    if (jobs_.Of(uid) == &job && Runs(uid)) eviction->second.pods.insert(uid);
  }
}

void WholeEvictions::CheckGreater(const Job& job) {
  NoteWaiting();
  const auto& waited = waited_[job.topology];
  const bool greater =
      std::any_of(waited.upper_bound(job.spec.priority), waited.end(),
                  [&](const auto& one) { return one.second + kWholeDecided >= time_.now(); });
  const bool own = (allowed_.anew && Lacks(job)) || (allowed_.unready && kubelets_.WasUnready(job));
  if (!greater && !own) {
    throw Broken(fmt::format("{} of priority {} is evicted, and nobody of a greater one waits",
                             job.spec.Uid(), job.spec.priority));
  }
}

void WholeEvictions::CheckSingle(const PodFacts& pod, PodDelete::How how) {
  NoteWaiting();
  if (how == PodDelete::How::kForce)
    throw Broken(fmt::format("{} is of no gang, and is deleted whatever a budget says", pod.name));
  for (const auto& [topology, waited] : waited_) {
    const auto recent = [&](const auto& one) { return one.second + kWholeDecided >= time_.now(); };
    const auto greater = waited.upper_bound(pod.priority);
    if (allowed_.lesser && std::any_of(greater, waited.end(), recent)) return;
  }
  throw Broken(fmt::format("{} of priority {} is evicted, and no gang of a greater one waits",
                           pod.name, pod.priority));
}

void WholeEvictions::Check() {
  NoteWaiting();
  for (auto next = evictions_.begin(); next != evictions_.end();) {
    auto& [job, eviction] = *next;
    if (!service_.alive()) eviction.since = time_.now();
    std::erase_if(eviction.pods, [this](const std::string& uid) { return !Runs(uid); });
    if (eviction.pods.empty()) {
      next = evictions_.erase(next);
      continue;
    }
    if (time_.now() > eviction.since + kWholeWithin) {
      throw Broken(fmt::format("{} was evicted, and {} of its pods run still, {} among them", job,
                               eviction.pods.size(), *eviction.pods.begin()));
    }
    ++next;
  }
}

void WholeEvictions::OnPosts(const std::vector<BindingWrite>& posts) {
  for (const BindingWrite& post : posts) {
    const Job* job = jobs_.Of(post.pod.uid);
    const auto eviction = job == nullptr ? evictions_.end() : evictions_.find(job->spec.Uid());
    if (eviction == evictions_.end()) continue;
    for (const std::string& uid : eviction->second.pods) {
      if (!Runs(uid)) continue;
      throw Broken(fmt::format("{} is bound, and {} of its gang is still to be evicted",
                               post.pod.name, uid));
    }
  }
}

}  // namespace gangplan::simulation
