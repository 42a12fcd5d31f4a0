// The real service with its threads and its listeners, on a cluster in memory: users who run Jobs
// side by side, pods that are deleted while they wait, foreign pods that come and go. Threads and
// clock are real, so no two runs are the same; every wait is for an event.
#include <atomic>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "extender/app/gangplan.h"
#include "extender/demo/demo_scheduler.h"
#include "extender/demo/watched_cluster.h"
#include "extender/kube/file_cluster.h"
#include "extender/observe/log.h"
#include "fmt/format.h"
#include "tests/simulation/room.h"
#include "tests/simulation/timeline.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::simulation {
namespace {

constexpr int kUsers = 3;
constexpr int kJobsOfUser = 30;
constexpr int64_t kNodeGpus = 4;
constexpr int kRackNodes = 3;
constexpr absl::Duration kPatience = absl::Seconds(60);

ObjectList ClusterOf(const std::vector<NodeFacts>& nodes) {
  ObjectList objects;
  objects.nodes = nodes;
  return objects;
}

Settings ThreadSettings() {
  Settings settings;
  settings.topologies = {{ThreeLevels()}};
  settings.server.port = 0;
  settings.server.probe_port = 0;
  return settings;
}

// What the watch shows, against the rules: no node over-committed, each gang in one rack, nobody
// begun in part.
class Rules {
 public:
  explicit Rules(const std::vector<NodeFacts>& nodes) {
    for (const NodeFacts& node : nodes) nodes_[node.name] = node;
  }

  void See(const std::vector<ClusterEvent>& events) {
    MutexLock lock(mutex_);
    for (const ClusterEvent& event : events) {
      if (const auto* pod = std::get_if<PodFacts>(&event)) SeePod(*pod);
      if (const auto* gone = std::get_if<PodDeleted>(&event)) pods_.erase(gone->uid);
    }
  }
  // `in_bind`: the gang's open bind calls when this Binding is written.
  void SeeBinding(const std::string& job, int32_t in_bind) {
    MutexLock lock(mutex_);
    first_binding_.try_emplace(job, in_bind);
  }
  int32_t CallsAtFirstBinding(const std::string& job) {
    MutexLock lock(mutex_);
    return first_binding_[job];
  }
  std::string broken() {
    MutexLock lock(mutex_);
    return broken_;
  }
  std::string JobOf(const std::string& uid) {
    MutexLock lock(mutex_);
    const auto pod = pods_.find(uid);
    return pod != pods_.end() && pod->second.controller ? pod->second.controller->name : "";
  }

 private:
  void SeePod(const PodFacts& pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    pods_[pod.uid] = pod;
    if (pod.node_name.empty() || pod.finished()) return;
    int64_t used = 0;
    for (const auto& [uid, other] : pods_) {
      if (other.node_name.empty() || other.finished()) continue;
      if (other.node_name == pod.node_name) used += AmountsOf(other.requests).gpus;
      const bool kin = pod.controller && other.controller == pod.controller;
      if (kin && RackOf(other) != RackOf(pod))
        broken_ = fmt::format("{} is on {}, {} on {}", pod.name, pod.node_name, other.name,
                              other.node_name);
    }
    if (used > kNodeGpus) broken_ = fmt::format("{} gpus are used of {}", used, pod.node_name);
  }
  std::string RackOf(const PodFacts& pod) { return DomainAt(nodes_.at(pod.node_name), 1); }

  std::map<std::string, NodeFacts> nodes_;
  Mutex mutex_;
  std::map<std::string, PodFacts> pods_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int32_t> first_binding_ ABSL_GUARDED_BY(mutex_);
  std::string broken_ ABSL_GUARDED_BY(mutex_);
};

class ThreadedWorld {
 public:
  ThreadedWorld()
      : nodes_(MakeNodes(1, 2, kRackNodes, kNodeGpus)),
        rules_(nodes_),
        file_(ClusterOf(nodes_)),
        scheduler_("gangplan", SystemClock()),
        cluster_(file_, {[this](const std::vector<ClusterEvent>& events) {
                           rules_.See(events);
                           scheduler_.OnEvents(events);
                         },
                         [this] { synced_.set_value(); },
                         [this](const BindingWrite& write) {
                           const std::string job = rules_.JobOf(write.pod.uid);
                           if (!job.empty())
                             rules_.SeeBinding(job, scheduler_.Account(job).in_bind);
                         }}) {
    absl::StatusOr<std::unique_ptr<Gangplan>> started = Gangplan::Start(ThreadSettings(), cluster_);
    REQUIRE(started.ok());
    gangplan_ = *std::move(started);
    synced_.get_future().wait();
    scheduler_.Start(gangplan_->verbs_port());
  }
  ~ThreadedWorld() {
    scheduler_.StopAsking();
    gangplan_->Stop(absl::Seconds(2));
    scheduler_.Join();
    file_.Stop();
  }

  Rules& rules() { return rules_; }
  bool partial() const { return partial_; }  // some gang began before all its members were in bind

  // One Job after the other; false: one did not become whole in time.
  bool RunJobs(int user, uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < kJobsOfUser; ++i) {
      JobSpec job;
      job.name = fmt::format("user{}-{}", user, i);
      job.place = "rack=pack!";
      job.gpus = int64_t{1} << random.Between(0, 2);
      job.size = static_cast<int32_t>(random.Between(1, kRackNodes * kNodeGpus / job.gpus));
      if (!RunJob(job, random)) return false;
    }
    return true;
  }

 private:
  bool RunJob(const JobSpec& job, Random& random) {
    file_.AddOwner(JobOwner(job));
    const PodFacts foreign = ForeignPod("beside-" + job.name, random.Between(1, 2));
    file_.AddPod(foreign);
    const bool harmed = random.OneIn(3);
    for (int i = 0; i < job.size; ++i) {
      file_.AddPod(JobPod(job, i));
      if (harmed && random.OneIn(3)) {  // lost while it waits, and made again
        file_.DeletePod(JobPod(job, i).uid);
        file_.AddPod(JobPod(job, i, 1));
      }
    }
    file_.DeletePod(foreign.uid);  // on its way, or bound; a Job may need its room
    const bool whole = scheduler_.Await(
        job.name, [&](const JobAccount& account) { return account.bound >= job.size; }, kPatience);
    if (!whole) Say(job.name);
    if (!harmed && rules_.CallsAtFirstBinding(job.name) < job.size) partial_ = true;
    for (const PodFacts& pod : scheduler_.BoundPods()) {
      if (pod.controller && pod.controller->name == job.name) file_.DeletePod(pod.uid);
    }
    return whole;
  }

  // What Gangplan and the scheduler know of a gang that waits.
  void Say(const std::string& job) {
    const JobAccount account = scheduler_.Account(job);
    const auto explained = ExtenderClient(gangplan_->probe_port()).Explain("team/" + job);
    fmt::print("{}: {} pods, {} bound, {} in bind, {} rejected: {}\n{}\n", job, account.pods,
               account.bound, account.in_bind, account.rejected, account.reason,
               explained.ok() ? *explained : std::string(explained.status().message()));
  }

  std::atomic<bool> partial_ = false;
  const std::vector<NodeFacts> nodes_;
  Rules rules_;
  FileCluster file_;
  DemoScheduler scheduler_;
  std::promise<void> synced_;
  WatchedCluster cluster_;
  std::unique_ptr<Gangplan> gangplan_;
};

}  // namespace

TEST_CASE("Simulation: the service's own threads") {
  ProcessLogger().set_level(LogLevel::kError);
  ThreadedWorld world;
  std::vector<std::future<bool>> users;
  for (int user = 0; user < kUsers; ++user) {
    users.push_back(std::async(std::launch::async, [&world, user] {
      return world.RunJobs(user, static_cast<uint64_t>(user) + 1);
    }));
  }
  for (std::future<bool>& user : users) CHECK(user.get());
  CHECK(!world.partial());
  CHECK(world.rules().broken() == "");
}

}  // namespace gangplan::simulation
