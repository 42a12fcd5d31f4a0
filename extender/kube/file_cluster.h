// The cluster of a saved `kubectl get nodes,pods -A -o json|yaml` or of a `gangplan snapshot`
// (Topologies of Kueue, Sakkara's ConfigMaps, Jobs and JobSets, too, where they stand in it; those
// that wait suspended are not started), with writes in memory, by the rules of the
// API server: a pod of another UID, a pod that is bound or going, a pod that is gone, a write that
// changes nothing and is no event. Like the API server it does not ask whether the node exists. A
// bound pod becomes Running at once.
//
// A driver in the process (a demo, a simulation, a test) adds and deletes objects.
//
// Thread rule: every method from any thread. Changes take effect at once, in the order of the
// calls; the sink and `done` hear of them in that order, on one thread of this object's own, which
// ends in the destructor. Stop and the destructor not from that thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/cluster/cluster.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"
#include "topology/base/text_map.h"

namespace gangplan {

class FileCluster : public Cluster {
 public:
  // Errors name the file, and the place in it.
  static absl::StatusOr<std::unique_ptr<FileCluster>> Load(const std::string& path,
                                                           const Clock& clock = SystemClock());
  explicit FileCluster(ObjectList objects, const Clock& clock = SystemClock());
  ~FileCluster() override;

  absl::Status Start(ClusterSink* sink) override;
  void Stop() override;

  void Bind(BindingWrite write, std::function<void(BindResult)> done) override;
  void Prove(BindingRead read, std::function<void(BindResult)> done) override;
  void Nominate(Nomination nomination, std::function<void(absl::Status)> done) override;
  void Wake(PodRef pod, std::function<void(absl::Status)> done) override;
  void WriteData(DataWrite write, std::function<void(absl::Status)> done) override;
  void WriteLabels(LabelsWrite write, std::function<void(absl::Status)> done) override;
  void WritePodGroup(PodGroupWrite, std::function<void(absl::Status)> done) override {
    Refuse("no PodGroup of a saved cluster has its status written", std::move(done));
  }
  // NotFound for an owner that was not added, or has another UID.
  void WriteJob(JobWrite, std::function<void(absl::Status)> done) override {
    Refuse("nobody runs Jobs in a saved cluster", std::move(done));
  }
  void ReleasePod(PodRelease release, std::function<void(absl::Status)> done) override;
  void DeletePod(PodDelete, std::function<void(absl::Status)> done) override {
    Refuse("nobody makes pods anew in a saved cluster", std::move(done));
  }
  void MarkPod(PodMark, std::function<void(absl::Status)> done) override {
    Refuse("nobody is evicted in a saved cluster", std::move(done));
  }
  void ReadOwner(OwnerRead read, std::function<void(absl::StatusOr<OwnerFacts>)> done) override;
  void ListProvisioning(
      std::vector<std::string>,
      std::function<void(absl::StatusOr<std::vector<ProvisioningFacts>>)> done) override {
    Refuse(kNobodyAddsNodes, std::move(done));
  }
  void WriteProvisioning(ProvisioningWrite, std::function<void(absl::Status)> done) override {
    Refuse(kNobodyAddsNodes, std::move(done));
  }
  void DeleteProvisioning(ProvisioningDelete, std::function<void(absl::Status)> done) override {
    Refuse(kNobodyAddsNodes, std::move(done));
  }
  void Emit(EventNote note) override;
  std::string WhyNotActing(absl::Duration) const override { return {}; }
  WatchSign OldestWatch(Watched) const override { return {}; }

  // --- For a driver.
  // Adds the pod, or replaces the one of its namespace and name (a new UID deletes the old pod).
  void AddPod(PodFacts pod);
  void DeletePod(std::string_view uid);
  void PutNode(NodeFacts node);
  void DeleteNode(std::string_view name);
  void PutTopology(Topology topology);
  void DeleteTopology(std::string_view name);
  // One without a label of Sakkara's is kept, and told when it gets one.
  void PutConfigMap(ConfigMapFacts object);
  void DeleteConfigMap(std::string_view ns, std::string_view name);
  void AddOwner(OwnerFacts owner);
  // There is one of this name now, whatever its UID.
  bool HasPod(std::string_view ns, std::string_view name) const;
  bool HasOwner(std::string_view ns, const OwnerRef& owner) const;
  // Who hears of the Events; called on this object's thread.
  void SetEventReader(std::function<void(const EventNote&)> reader);

 private:
  static constexpr char kNobodyAddsNodes[] = "nobody adds nodes to a saved cluster";
  using Answer = std::function<void()>;
  using Outgoing = std::variant<ClusterEvent, Answer>;

  // What takes a controller that does not run here: `done` hears so.
  void Refuse(const char* why, std::function<void(absl::Status)> done);
  PodFacts* FindPod(const PodRef& pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  BindResult BindNow(const BindingWrite& write) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  BindResult JudgeBinding(const PodRef& ref, std::string_view node)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  template <typename Ref, typename Value>
  absl::Status FindForPatch(TextMap<Value>& known, const Ref& ref, Value** found)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status ReleaseNow(const PodRelease& release) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status NominateNow(const Nomination& nomination) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PutPod(PodFacts pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  template <typename Value>
  void PutNamed(TextMap<Value>& known, Value object) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PutConfigMapNow(ConfigMapFacts object) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellUses(const ConfigMapFacts* before, const ConfigMapFacts* now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Tell(ClusterEvent event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Reply(Answer answer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Loop();
  void DeliverAll(std::vector<Outgoing> batch, ClusterSink* sink);

  const Clock& clock_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  TextMap<PodFacts> pods_ ABSL_GUARDED_BY(mutex_);  // by namespace/name
  TextMap<std::string> name_of_uid_ ABSL_GUARDED_BY(mutex_);
  TextMap<NodeFacts> nodes_ ABSL_GUARDED_BY(mutex_);
  TextMap<Topology> topologies_ ABSL_GUARDED_BY(mutex_);         // Kueue's
  TextMap<ConfigMapFacts> config_maps_ ABSL_GUARDED_BY(mutex_);  // by namespace/name
  TextMap<OwnerFacts> owners_ ABSL_GUARDED_BY(mutex_);           // by group/kind/namespace/name
  std::function<void(const EventNote&)> event_reader_ ABSL_GUARDED_BY(mutex_);
  std::vector<Outgoing> outbox_ ABSL_GUARDED_BY(mutex_);
  ClusterSink* sink_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  bool delivering_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace gangplan
