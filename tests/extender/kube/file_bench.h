// A FileCluster, and what its sink heard.
#pragma once

#include <future>
#include <string>
#include <utility>
#include <vector>

#include "event_text.h"
#include "extender/kube/file_cluster.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"

namespace gangplan {

inline PodFacts Pod(const std::string& name, const std::string& uid, const std::string& node = "") {
  PodFacts pod;
  pod.ns = "ns";
  pod.name = name;
  pod.uid = uid;
  pod.node_name = node;
  return pod;
}
inline NodeFacts Node(const std::string& name) {
  NodeFacts node;
  node.name = name;
  return node;
}

// Hears everything on the cluster's thread; Settle waits until all of it has come. Those who derive
// from it start and stop the cluster, when all of them is there and while it still is.
struct FileSink : ClusterSink {
  FakeClock clock;
  Mutex mutex;
  std::vector<std::string> heard ABSL_GUARDED_BY(mutex);
  std::vector<PodFacts> pods ABSL_GUARDED_BY(mutex);
  FileCluster cluster;  // the last: its thread uses the others

  explicit FileSink(ObjectList objects) : cluster(std::move(objects), clock) {}
  void OnEvents(std::vector<ClusterEvent> events) override {
    MutexLock lock(mutex);
    for (std::string& text : TextOf(events)) heard.push_back(std::move(text));
    for (const ClusterEvent& event : events) {
      if (const auto* pod = std::get_if<PodFacts>(&event)) pods.push_back(*pod);
    }
  }
  void OnSynced() override { Say("synced"); }
  void Say(std::string text) {
    MutexLock lock(mutex);
    heard.push_back(std::move(text));
  }
  // A read of an owner that is not there is answered after all that was before it.
  std::vector<std::string> Settle() {
    std::promise<void> done;
    cluster.ReadOwner({}, [&](const absl::StatusOr<OwnerFacts>&) { done.set_value(); });
    done.get_future().wait();
    MutexLock lock(mutex);
    return std::exchange(heard, {});
  }
  BindResult Bind(const std::string& name, const std::string& uid, const std::string& node,
                  LabelSet annotations = {}) {
    std::promise<BindResult> done;
    cluster.Bind({{"ns", name, uid}, node, std::move(annotations), clock.Now()},
                 [&](BindResult result) {
                   Say("bind " + name);
                   done.set_value(std::move(result));
                 });
    return done.get_future().get();
  }
  absl::Status Nominate(const std::string& name, const std::string& uid, const std::string& node) {
    std::promise<absl::Status> done;
    cluster.Nominate({{"ns", name, uid}, node},
                     [&](absl::Status status) { done.set_value(std::move(status)); });
    return done.get_future().get();
  }
  PodFacts LastPod() {
    MutexLock lock(mutex);
    return pods.back();
  }
};

struct FileBench final : FileSink {
  explicit FileBench(ObjectList objects = {}) : FileSink(std::move(objects)) {
    CHECK(cluster.Start(this).ok());
  }
  ~FileBench() override { cluster.Stop(); }
};

}  // namespace gangplan
