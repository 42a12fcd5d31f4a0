// The demo's world: an embedded cluster with other pods on it, a whole Gangplan over it, and the
// scheduler's side, which talks to Gangplan over HTTP on this machine only.
//
// Thread rule: one thread.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/app/gangplan.h"
#include "extender/demo/demo_scheduler.h"
#include "extender/demo/generator.h"
#include "extender/demo/watched_cluster.h"
#include "extender/kube/file_cluster.h"

namespace gangplan {

inline constexpr std::string_view kDemoNamespace = "default";
inline constexpr std::string_view kDemoResource = "nvidia.com/gpu";

// A Job that asks for a hard pack at one level.
struct DemoGang {
  char letter = 'A';
  std::string job;
  int32_t size = 0;
  int64_t gpus = 0;  // of each pod
  std::string level;
  int names = 1;  // of a domain's path down to that level
  std::string ns = std::string(kDemoNamespace);
  int32_t priority = 0;
  int32_t run = 0;  // tells apart Jobs of one name, one after the other

  std::string place() const { return level + "=pack!"; }
};

class DemoWorld {
 public:
  // `probe_port`: of the page and of what commands ask; 0: any free one.
  explicit DemoWorld(const ClusterPlan& plan, int probe_port = 0);
  DemoWorld(ObjectList cluster, int probe_port);
  ~DemoWorld();
  DemoWorld(const DemoWorld&) = delete;
  DemoWorld& operator=(const DemoWorld&) = delete;

  // Returns when the cluster has been read.
  absl::Status Start();

  // Makes the Job and its pods, as their controller would.
  void Submit(const DemoGang& gang);
  // All pods of the gang succeed.
  void Finish(const DemoGang& gang);
  // All pods of the gang are deleted; the Job may be submitted again.
  void Remove(const DemoGang& gang);

  const std::vector<NodeFacts>& nodes() const { return nodes_; }
  const Topology& topology() const { return settings_.topologies.front(); }
  DemoScheduler& scheduler() { return scheduler_; }
  // Where `gangplan list` and `gangplan explain` ask. REQUIRES: started.
  std::string probe_url() const;
  // What `gangplan explain` prints for it.
  absl::StatusOr<std::string> Explain(const DemoGang& gang);
  // How many bind calls of the gang were open when its first Binding was written; -1: none was.
  int32_t CallsAtFirstBinding(const DemoGang& gang);

 private:
  static Settings MakeSettings(int probe_port);
  void BeforeBinding(const BindingWrite& write);

  const Settings settings_;
  const std::vector<NodeFacts> nodes_;
  FileCluster file_;
  DemoScheduler scheduler_;
  std::promise<void> synced_;
  WatchedCluster cluster_;
  std::unique_ptr<Gangplan> gangplan_;
  Mutex mutex_;
  std::map<std::string, std::string> job_of_pod_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int32_t> calls_at_first_binding_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
