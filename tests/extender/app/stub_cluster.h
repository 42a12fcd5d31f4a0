// A cluster that does nothing: every write is refused, on the thread that asks. A test overrides
// what it is about.
#pragma once

#include <functional>
#include <vector>

#include "extender/cluster/cluster.h"

namespace gangplan {

class StubCluster : public Cluster {
 public:
  absl::Status Start(ClusterSink*) override { return absl::OkStatus(); }
  void Stop() override {}
  void Bind(BindingWrite, std::function<void(BindResult)> done) override {
    done({BindOutcome::kNotWritten, "a stub"});
  }
  void Prove(BindingRead, std::function<void(BindResult)> done) override {
    done({BindOutcome::kUnknown, "a stub"});
  }
  void Nominate(Nomination, std::function<void(absl::Status)> done) override { done(kNo); }
  void Wake(PodRef, std::function<void(absl::Status)> done) override { done(kNo); }
  void WriteData(DataWrite, std::function<void(absl::Status)> done) override { done(kNo); }
  void WriteLabels(LabelsWrite, std::function<void(absl::Status)> done) override { done(kNo); }
  void WritePodGroup(PodGroupWrite, std::function<void(absl::Status)> done) override { done(kNo); }
  void WriteJob(JobWrite, std::function<void(absl::Status)> done) override { done(kNo); }
  void ReleasePod(PodRelease, std::function<void(absl::Status)> done) override { done(kNo); }
  void DeletePod(PodDelete, std::function<void(absl::Status)> done) override { done(kNo); }
  void MarkPod(PodMark, std::function<void(absl::Status)> done) override { done(kNo); }
  void ReadOwner(OwnerRead, std::function<void(absl::StatusOr<OwnerFacts>)> done) override {
    done(kNo);
  }
  void ListProvisioning(
      std::vector<std::string>,
      std::function<void(absl::StatusOr<std::vector<ProvisioningFacts>>)> done) override {
    done(kNo);
  }
  void WriteProvisioning(ProvisioningWrite, std::function<void(absl::Status)> done) override {
    done(kNo);
  }
  void DeleteProvisioning(ProvisioningDelete, std::function<void(absl::Status)> done) override {
    done(kNo);
  }
  void Emit(EventNote) override {}
  std::string WhyNotActing(absl::Duration) const override { return {}; }
  WatchSign OldestWatch(Watched) const override { return {}; }

 private:
  const absl::Status kNo = absl::UnavailableError("a stub");
};

}  // namespace gangplan
