// A cluster whose events and Bindings somebody else sees, too: two watchers of one API server.
//
// Thread rule: as the cluster inside. `on_events` comes on the cluster's thread, after the sink;
// `before_bind` on the thread that binds, before the Binding is written.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "extender/cluster/cluster.h"

namespace gangplan {

class WatchedCluster : public Cluster, private ClusterSink {
 public:
  struct Watcher {
    std::function<void(const std::vector<ClusterEvent>&)> on_events;
    std::function<void()> on_synced;
    std::function<void(const BindingWrite&)> before_bind;
  };

  // `inner` outlives this object.
  WatchedCluster(Cluster& inner, Watcher watcher) : inner_(inner), watcher_(std::move(watcher)) {}

  absl::Status Start(ClusterSink* sink) override {
    sink_ = sink;
    return inner_.Start(this);
  }
  void Stop() override { inner_.Stop(); }

  void Bind(BindingWrite write, std::function<void(BindResult)> done) override {
    watcher_.before_bind(write);
    inner_.Bind(std::move(write), std::move(done));
  }
  void Prove(BindingRead read, std::function<void(BindResult)> done) override {
    inner_.Prove(std::move(read), std::move(done));
  }
  void Nominate(Nomination nomination, std::function<void(absl::Status)> done) override {
    inner_.Nominate(std::move(nomination), std::move(done));
  }
  void Wake(PodRef pod, std::function<void(absl::Status)> done) override {
    inner_.Wake(std::move(pod), std::move(done));
  }
  void WriteData(DataWrite write, std::function<void(absl::Status)> done) override {
    inner_.WriteData(std::move(write), std::move(done));
  }
  void WriteLabels(LabelsWrite write, std::function<void(absl::Status)> done) override {
    inner_.WriteLabels(std::move(write), std::move(done));
  }
  void WritePodGroup(PodGroupWrite write, std::function<void(absl::Status)> done) override {
    inner_.WritePodGroup(std::move(write), std::move(done));
  }
  void WriteJob(JobWrite write, std::function<void(absl::Status)> done) override {
    inner_.WriteJob(std::move(write), std::move(done));
  }
  void ReleasePod(PodRelease release, std::function<void(absl::Status)> done) override {
    inner_.ReleasePod(std::move(release), std::move(done));
  }
  void DeletePod(PodDelete pod, std::function<void(absl::Status)> done) override {
    inner_.DeletePod(std::move(pod), std::move(done));
  }
  void MarkPod(PodMark mark, std::function<void(absl::Status)> done) override {
    inner_.MarkPod(std::move(mark), std::move(done));
  }
  void ReadOwner(OwnerRead read, std::function<void(absl::StatusOr<OwnerFacts>)> done) override {
    inner_.ReadOwner(std::move(read), std::move(done));
  }
  void ListProvisioning(
      std::vector<std::string> by,
      std::function<void(absl::StatusOr<std::vector<ProvisioningFacts>>)> done) override {
    inner_.ListProvisioning(std::move(by), std::move(done));
  }
  void WriteProvisioning(ProvisioningWrite write, std::function<void(absl::Status)> done) override {
    inner_.WriteProvisioning(std::move(write), std::move(done));
  }
  void DeleteProvisioning(ProvisioningDelete request,
                          std::function<void(absl::Status)> done) override {
    inner_.DeleteProvisioning(std::move(request), std::move(done));
  }
  void Emit(EventNote note) override { inner_.Emit(std::move(note)); }
  std::string WhyNotActing(absl::Duration patience) const override {
    return inner_.WhyNotActing(patience);
  }
  WatchSign OldestWatch(Watched which) const override { return inner_.OldestWatch(which); }

 private:
  void OnEvents(std::vector<ClusterEvent> events) override {
    const std::vector<ClusterEvent> copy = events;
    sink_->OnEvents(std::move(events));
    watcher_.on_events(copy);
  }
  void OnSynced() override {
    sink_->OnSynced();
    watcher_.on_synced();
  }

  Cluster& inner_;
  const Watcher watcher_;
  ClusterSink* sink_ = nullptr;
};

}  // namespace gangplan
