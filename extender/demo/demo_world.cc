#include "extender/demo/demo_world.h"

#include "extender/frontends/gangplan/words.h"
#include "topology/base/check.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

constexpr absl::Duration kStopPatience = absl::Seconds(2);

ObjectList Generate(const ClusterPlan& plan) {
  absl::StatusOr<ObjectList> cluster = GenerateCluster(plan);
  GANGPLAN_CHECK(cluster.ok());
  return *std::move(cluster);
}

OwnerFacts JobOf(const DemoGang& gang) {
  OwnerFacts job;
  job.ref = {"batch/v1", "Job", gang.job, fmt::format("job-{}-{}", gang.job, gang.run)};
  job.ns = gang.ns;
  job.annotations = {{std::string(kPlaceWord), gang.place()}};
  job.size = gang.size;
  return job;
}

PodFacts PodOf(const DemoGang& gang, int32_t index, const std::string& scheduler) {
  PodFacts pod;
  pod.ns = gang.ns;
  pod.priority = gang.priority;
  pod.name = fmt::format("{}-{}", gang.job, index);
  pod.uid = fmt::format("pod-{}-{}", pod.name, gang.run);
  pod.labels = {{"batch.kubernetes.io/job-completion-index", fmt::format("{}", index)}};
  pod.scheduler_name = scheduler;
  pod.requests = {{"cpu", 8000 * gang.gpus}, {std::string(kDemoResource), gang.gpus}, {"pods", 1}};
  pod.controller = JobOf(gang).ref;
  return pod;
}

}  // namespace

Settings DemoWorld::MakeSettings(int probe_port) {
  Settings settings;
  settings.server.port = 0;
  settings.server.probe_port = probe_port;
  return settings;
}

DemoWorld::DemoWorld(const ClusterPlan& plan, int probe_port)
    : DemoWorld(Generate(plan), probe_port) {}

DemoWorld::DemoWorld(ObjectList cluster, int probe_port)
    : settings_(MakeSettings(probe_port)),
      nodes_(cluster.nodes),
      file_(std::move(cluster)),
      scheduler_(settings_.scheduler_names.front(), SystemClock()),
      cluster_(file_,
               {[this](const std::vector<ClusterEvent>& events) { scheduler_.OnEvents(events); },
                [this] { synced_.set_value(); },
                [this](const BindingWrite& write) { BeforeBinding(write); }}) {}

// The scheduler's open bind calls are answered by Gangplan's end.
DemoWorld::~DemoWorld() {
  scheduler_.StopAsking();
  if (gangplan_ != nullptr) gangplan_->Stop(kStopPatience);
  scheduler_.Join();
  file_.Stop();
}

absl::Status DemoWorld::Start() {
  GANGPLAN_ASSIGN_OR_RETURN(gangplan_, Gangplan::Start(settings_, cluster_));
  synced_.get_future().wait();
  scheduler_.Start(gangplan_->verbs_port());
  return absl::OkStatus();
}

void DemoWorld::Submit(const DemoGang& gang) {
  file_.AddOwner(JobOf(gang));
  for (int32_t index = 0; index < gang.size; ++index) {
    PodFacts pod = PodOf(gang, index, settings_.scheduler_names.front());
    {
      MutexLock lock(mutex_);
      job_of_pod_[pod.name] = gang.job;
    }
    file_.AddPod(std::move(pod));
  }
}

void DemoWorld::Finish(const DemoGang& gang) {
  for (PodFacts& pod : scheduler_.BoundPods()) {
    if (!pod.controller || pod.controller->name != gang.job) continue;
    pod.phase = PodPhase::kSucceeded;
    file_.AddPod(std::move(pod));
  }
}

void DemoWorld::Remove(const DemoGang& gang) {
  for (int32_t index = 0; index < gang.size; ++index)
    file_.DeletePod(PodOf(gang, index, settings_.scheduler_names.front()).uid);
}

absl::StatusOr<std::string> DemoWorld::Explain(const DemoGang& gang) {
  return ExtenderClient(gangplan_->probe_port()).Explain(NameInNamespace(gang.ns, gang.job));
}

std::string DemoWorld::probe_url() const {
  return fmt::format("http://127.0.0.1:{}", gangplan_->probe_port());
}

void DemoWorld::BeforeBinding(const BindingWrite& write) {
  MutexLock lock(mutex_);
  const std::string& job = job_of_pod_[write.pod.name];
  if (!calls_at_first_binding_.contains(job))
    calls_at_first_binding_[job] = scheduler_.Account(job).in_bind;
}

int32_t DemoWorld::CallsAtFirstBinding(const DemoGang& gang) {
  MutexLock lock(mutex_);
  const auto found = calls_at_first_binding_.find(gang.job);
  return found == calls_at_first_binding_.end() ? -1 : found->second;
}

}  // namespace gangplan
