#include "tests/simulation/jobs.h"

#include "fmt/format.h"

namespace gangplan::simulation {

int64_t Gpus(const ResourceList& list) {
  for (const ResourceAmount& entry : list) {
    if (entry.name == "example.com/gpu") return entry.amount;
  }
  return 0;
}

int64_t Jobs::Free(const std::string& node) const {
  auto it = api_.nodes().find(node);
  if (it == api_.nodes().end()) return 0;
  int64_t free = Gpus(it->second.allocatable);
  for (const auto& [uid, pod] : api_.pods()) {
    if (pod.node_name == node && !pod.finished()) free -= Gpus(pod.requests);
  }
  return free;
}

void Jobs::Add(Job job) {
  size_t size = static_cast<size_t>(job.spec.size);
  job.pods.resize(size);
  job.lives.resize(size);
  job.succeeded.resize(size);
  OwnerFacts owner = JobOwner(job.spec);
  api_.owners[owner.ref.uid] = owner;
  if (trace) {
    trace(fmt::format("job {}: {} x {} gpus, \"{}\", priority {}", job.spec.name, job.spec.size,
                      job.spec.gpus, job.spec.place, job.spec.priority));
  }
  if (!job.constraints.empty()) {
    time_.After(random_.Millis(0, 5'000), [this, object = ObjectOf(job)] {
      if (!api_.objects().contains(object.name)) api_.PutObject(object);
    });
  }
  jobs_.emplace(job.spec.name, std::move(job));
}

ConfigMapFacts Jobs::ObjectOf(const Job& job) {
  ConfigMapFacts object;
  object.ns = "team";
  object.name = "object-of-" + job.spec.name;
  object.uid = "uid-of-" + object.name;
  object.data = {{"constraints", job.constraints},
                 {"name", job.spec.name},
                 {"size", fmt::format("{}", job.spec.size)}};
  return object;
}

void Jobs::HarmObject() {
  for (const auto& [name, job] : jobs_) {
    if (job.constraints.empty() || job.done || !random_.OneIn(2)) continue;
    ConfigMapFacts object = ObjectOf(job);  // without its results
    if (trace) trace("harm to " + object.name);
    if (random_.OneIn(3)) SetWord(object.data, "constraints", "{");
    if (random_.OneIn(3))
      api_.DeleteObject(object.name);
    else
      api_.PutObject(object);
  }
}

void Jobs::HealObjects() {
  for (const auto& [name, job] : jobs_) {
    if (job.constraints.empty()) continue;
    ConfigMapFacts object = ObjectOf(job);
    const auto found = api_.objects().find(object.name);
    if (found != api_.objects().end()) {
      for (const auto& [key, value] : found->second.data) {
        if (FindLabel(object.data, key) == nullptr) SetWord(object.data, key, value);
      }
    }
    api_.PutObject(object);
  }
}

const Job* Jobs::Of(const std::string& pod_uid) const {
  auto it = job_of_.find(pod_uid);
  return it == job_of_.end() ? nullptr : &jobs_.at(it->second);
}

void Jobs::Make(Job& job) {
  if (time_.now() < next_pod_[job.spec.name]) return;
  next_pod_[job.spec.name] = time_.now() + job.pod_every;
  for (int i = 0; i < job.spec.size; ++i) {
    size_t index = static_cast<size_t>(i);
    if (!job.pods[index].empty() || job.succeeded[index]) continue;
    PodFacts pod = JobPod(job.spec, i, job.lives[index]++);
    job.pods[index] = pod.uid;
    job_of_[pod.uid] = job.spec.name;
    if (trace) trace(fmt::format("create {}", pod.name));
    api_.PutPod(pod);
    return;
  }
}

// Looks at the Job's pods in truth: gone and failed ones are made again, the whole gang runs.
void Jobs::Watch(Job& job) {
  bool all_bound = true;
  bool all_succeeded = true;
  for (size_t i = 0; i < job.pods.size(); ++i) {
    if (job.succeeded[i]) continue;
    all_succeeded = false;
    auto it = job.pods[i].empty() ? api_.pods().end() : api_.pods().find(job.pods[i]);
    if (it != api_.pods().end() && it->second.phase == PodPhase::kSucceeded) {
      job.succeeded[i] = true;
      continue;
    }
    bool lives = it != api_.pods().end() && !it->second.terminating && !it->second.finished();
    if (!lives) job.pods[i].clear();
    all_bound = all_bound && lives && !it->second.node_name.empty();
  }
  if (all_succeeded) {
    Finish(job);
  } else if (!all_bound) {
    job.all_bound_since = absl::InfiniteFuture();
  } else if (job.all_bound_since == absl::InfiniteFuture()) {
    job.all_bound_since = time_.now();
  } else if (time_.now() >= job.all_bound_since + job.run_for) {
    for (size_t i = 0; i < job.pods.size(); ++i) {
      if (job.succeeded[i]) continue;
      time_.After(random_.Millis(0, 3000), [this, uid = job.pods[i]] {
        auto it = api_.pods().find(uid);
        if (it == api_.pods().end() || it->second.terminating || it->second.finished()) return;
        PodFacts pod = it->second;
        pod.phase = PodPhase::kSucceeded;
        api_.PutPod(pod);
      });
    }
    job.all_bound_since = absl::InfiniteFuture();
  }
}

void Jobs::Step() {
  for (auto& [name, job] : jobs_) {
    if (job.done) continue;
    Watch(job);
    if (!job.done) Make(job);
  }
}

void Jobs::Finish(Job& job) {
  job.done = true;
  if (trace) trace(fmt::format("job {} ends", job.spec.name));
  for (const auto& [uid, name] : job_of_) {
    if (name == job.spec.name)
      time_.After(random_.Millis(0, 1000),
                  [this, uid = uid] { api_.DeletePod(uid, random_.Millis(0, 1000)); });
  }
}

void Jobs::Harm() {
  std::vector<std::string> alive;
  for (const auto& [uid, name] : job_of_) {
    auto it = api_.pods().find(uid);
    if (it != api_.pods().end() && !it->second.terminating && !it->second.finished())
      alive.push_back(uid);
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

void Jobs::AddForeign(bool second, int64_t gpus, int32_t priority) {
  PodFacts pod = ForeignPod(fmt::format("foreign-{}", next_foreign_++), gpus, priority);
  foreign_.insert(pod.uid);
  if (second) {
    pod.scheduler_name = "another";
    second_.insert(pod.uid);
    std::vector<std::string> nodes;
    for (const auto& [name, node] : api_.nodes()) {
      if (Free(name) >= gpus) nodes.push_back(name);
    }
    if (nodes.empty()) return;
    pod.node_name = random_.OneOf(nodes);
  }
  if (trace) trace(fmt::format("create {} of {} gpus {}", pod.name, gpus, pod.node_name));
  api_.PutPod(pod);
  if (random_.OneIn(3)) return;
  time_.After(random_.Millis(1'000, 40'000),
              [this, uid = pod.uid] { api_.DeletePod(uid, random_.Millis(0, 2000)); });
}

void Jobs::EndForeign() {
  for (const std::string& uid : foreign_) api_.DeletePod(uid, absl::Milliseconds(500));
}

}  // namespace gangplan::simulation
