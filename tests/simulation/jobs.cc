#include "tests/simulation/jobs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "extender/protocol/jobset_words.h"
#include "fmt/format.h"

namespace gangplan::simulation {

void Jobs::Add(Job job) {
  job.completions = std::max(job.completions, job.spec.size);
  job.indices.resize(static_cast<size_t>(job.completions));
  api_.PutOwner(OwnerOf(job));
  if (job.waits) {
    api_.PutJob(FactsOf(job), true);
    // The controller says in its status that it has seen it.
    time_.After(random_.Millis(0, 100), [this, uid = job.spec.Uid()] { Put(jobs_.at(uid)); });
  }
  if (trace) {
    trace(fmt::format("job {}: {} x {} gpus, \"{}\", priority {}", job.spec.Uid(), job.spec.size,
                      job.spec.gpus, job.spec.place, job.spec.priority));
  }
  jobs_.emplace(job.spec.Uid(), std::move(job));
}

JobFacts Jobs::FactsOf(const Job& job) {
  JobFacts facts;
  facts.owner = OwnerOf(job);
  facts.suspended = true;
  Job any = job;
  any.spec.indexed = false;
  for (int index = 0; index <= static_cast<int>(job.spec.in_set); ++index) {
    PodFacts pod = PodOf(any, index);
    pod.uid.clear();
    pod.name = job.spec.name;
    SayTraits(job.traits, pod);
    std::erase_if(pod.labels, [](const auto& label) { return label.first == kJobSetJobIndex; });
    facts.pods.push_back(std::move(pod));
  }
  facts.stopped = job.stopped;
  if (!job.spec.in_set) return facts;
  facts.ready = job.ready;
  facts.begun = std::any_of(job.indices.begin(), job.indices.end(),
                            [](const Job::Index& index) { return index.succeeded; });
  return facts;
}

void Jobs::Put(const Job& job) {
  if (job.done) return;
  api_.PutOwner(OwnerOf(job));
  if (api_.FindJob(job.spec.Uid()) != nullptr) api_.PutJob(FactsOf(job));
}

// Then its pods are deleted, and none is made.
bool Jobs::IsSuspended(Job& job) {
  const JobFacts* object = job.waits ? api_.FindJob(job.spec.Uid()) : nullptr;
  const bool suspended = object != nullptr && object->suspended;
  if (job.spec.in_set && job.waits && job.ready != suspended && random_.OneIn(3)) {
    job.ready = suspended;
    Put(job);
  }
  if (!suspended) {
    if (std::exchange(job.stopped, false) && job.waits) Put(job);
    return false;
  }
  for (const Job::Index& index : job.indices) {
    const auto pod = api_.pods().find(index.pod);
    if (index.succeeded || pod == api_.pods().end() || pod->second.terminating) continue;
    job.disturbed = true;
    api_.DeletePod(index.pod, random_.Millis(0, 2'000));
  }
  if (!std::exchange(job.stopped, true)) Put(job);
  return true;
}

OwnerFacts Jobs::OwnerOf(const Job& job) {
  OwnerFacts owner = JobOwner(job.spec);
  owner.ns = job.ns;
  if (job.late) owner.ref.kind = "StatefulSet";
  SayHeld(job, owner.annotations);
  owner.left = std::count_if(job.indices.begin(), job.indices.begin() + job.completions,
                             [](const Job::Index& index) { return !index.succeeded; });
  return owner;
}

const Job* Jobs::Of(const std::string& pod_uid) const {
  auto it = job_of_.find(pod_uid);
  return it == job_of_.end() ? nullptr : &jobs_.at(it->second);
}

void Jobs::Make(Job& job) {
  if (time_.now() < job.next_pod) return;
  job.next_pod = time_.now() + job.pod_every;
  const auto active = std::count_if(job.indices.begin(), job.indices.end(), [](const auto& index) {
    return !index.pod.empty() && !index.succeeded;
  });
  if (active >= job.spec.size) return;
  for (int i = 0; i < job.completions; ++i) {
    Job::Index& index = job.indices[static_cast<size_t>(i)];
    if (job.ordered && Waits(index)) return;
    if (!index.pod.empty() || index.succeeded) continue;
    PodFacts pod = PodOf(job, i, index.lives++);
    // A ladder counts by that.
    if (job.spec.place.find('|') != std::string::npos)
      pod.created = absl::ToUnixSeconds(time_.now());
    SayTraits(job.traits, pod);
    if (job.waits && api_.FindJob(job.spec.Uid()) != nullptr)
      pod.filter.required_terms = api_.TermsOf(job.spec.Uid(), i == 0 ? "leader" : "workers");
    pod.gates.gang = job.gated;
    SayHeld(job, pod.annotations);
    index.pod = pod.uid;
    job_of_[pod.uid] = job.spec.Uid();
    if (trace) trace(fmt::format("create {}", pod.name));
    api_.PutPod(pod);
    return;
  }
}

bool Jobs::Waits(const Job::Index& index) const {
  const auto pod = api_.pods().find(index.pod);
  return pod != api_.pods().end() && pod->second.node_name.empty();
}

void Jobs::LetSucceed(Job::Index& index, absl::Duration after) {
  index.ending = true;
  time_.After(after, [this, uid = index.pod] {
    auto it = api_.pods().find(uid);
    if (it == api_.pods().end() || it->second.terminating || it->second.finished()) return;
    PodFacts pod = it->second;
    pod.phase = PodPhase::kSucceeded;
    api_.PutPod(pod);
    if (succeeded_go && random_.OneIn(2))
      time_.After(random_.Millis(1'000, 20'000), [this, uid] { api_.DeletePod(uid, {}); });
  });
}

// Looks at the Job's pods in truth: gone and failed ones are made again. The whole gang runs, or
// each pod on its own where one follows another.
void Jobs::Watch(Job& job) {
  bool all_bound = true;
  bool all_succeeded = true;
  for (int i = 0; i < job.completions; ++i) {
    Job::Index& index = job.indices[static_cast<size_t>(i)];
    if (index.succeeded) continue;
    all_succeeded = false;
    auto it = index.pod.empty() ? api_.pods().end() : api_.pods().find(index.pod);
    if (it != api_.pods().end() && it->second.phase == PodPhase::kSucceeded) {
      index.succeeded = true;
      Put(job);
      continue;
    }
    bool lives = it != api_.pods().end() && !it->second.terminating && !it->second.finished();
    const bool goes = it != api_.pods().end() && it->second.terminating;
    if (!lives) index.ending = false;
    if (!lives && !(job.late && goes)) index.pod.clear();
    const bool bound = lives && !it->second.node_name.empty();
    all_bound = all_bound && bound;
    if (bound && !job.together() && !index.ending)
      LetSucceed(index, job.run_for + random_.Millis(0, 3000));
  }
  if (all_succeeded) {
    Finish(job);
    if (on_done) on_done(job);
  } else if (!all_bound) {
    job.all_bound_since = absl::InfiniteFuture();
  } else if (job.all_bound_since == absl::InfiniteFuture()) {
    job.all_bound_since = time_.now();
  } else if (time_.now() >= job.all_bound_since + job.run_for) {
    for (Job::Index& index : job.indices) {
      if (!index.succeeded && !index.pod.empty()) LetSucceed(index, random_.Millis(0, 3000));
    }
    job.all_bound_since = absl::InfiniteFuture();
  }
}

void Jobs::Step() {
  for (auto& [uid, job] : jobs_) {
    if (job.done) continue;
    Watch(job);
    if (rolls && job.late && job.all_bound_since != absl::InfiniteFuture() && random_.OneIn(40))
      Roll(job);
    if (!job.done && !IsSuspended(job)) Make(job);
  }
}

// One of its pods is deleted by a rollout; the next one is made when it is gone.
void Jobs::Roll(Job& job) {
  const std::string uid = random_.OneOf(job.indices).pod;
  const auto pod = api_.pods().find(uid);
  if (pod == api_.pods().end() || pod->second.terminating || pod->second.finished()) return;
  if (trace) trace(fmt::format("roll {}", pod->second.name));
  job.disturbed = true;
  api_.DeletePod(uid, random_.OneIn(2) ? random_.Millis(10, 5000) : absl::ZeroDuration());
}

void Jobs::Finish(Job& job) {
  job.done = true;
  if (trace) trace(fmt::format("job {} ends", job.spec.Uid()));
  api_.EraseJob(job.spec.Uid());
  if (job.keeps_pods) return;
  api_.EraseOwner(job.spec.Uid());
  DeletePods(job);
}

void Jobs::DeletePods(const Job& job) {
  for (const auto& [pod, uid] : job_of_) {
    if (uid == job.spec.Uid())
      time_.After(random_.Millis(0, 1000),
                  [this, pod = pod] { api_.DeletePod(pod, random_.Millis(0, 1000)); });
  }
}

void Jobs::Harm() {
  std::vector<std::string> alive;
  for (const auto& [pod, job] : job_of_) {
    auto it = api_.pods().find(pod);
    if (it != api_.pods().end() && !it->second.terminating && !it->second.finished())
      alive.push_back(pod);
  }
  if (alive.empty()) return;
  const std::string uid = random_.OneOf(alive);
  jobs_.at(job_of_.at(uid)).disturbed = true;
  PodFacts pod = api_.pods().at(uid);
  if (!pod.node_name.empty() && random_.OneIn(2)) {
    if (trace) trace(fmt::format("pod {} fails", pod.name));
    pod.phase = PodPhase::kFailed;
    api_.PutPod(pod);
  } else {
    if (trace) trace(fmt::format("delete {}", pod.name));
    api_.DeletePod(uid, random_.OneIn(2) ? random_.Millis(10, 5000) : absl::ZeroDuration());
  }
}

}  // namespace gangplan::simulation
