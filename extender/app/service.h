// The service: one planner behind one mutex, between the scheduler's calls (VerbHandler), the
// cluster's facts (ClusterSink) and the effects that the planner asks for.
//
// Every operation under the mutex is short and does no I/O; effects are carried out after it was
// let go. A bind call that is held blocks its own server thread only.
//
// Thread rule: everything from any thread; Start once, Stop once.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "config/settings.h"
#include "extender/cluster/cluster.h"
#include "extender/observe/log.h"
#include "extender/observe/metrics.h"
#include "extender/planner/planner.h"
#include "extender/sakkara/tree_objects.h"
#include "extender/server/verb_handler.h"
#include "extender/web/view.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

class Service : public VerbHandler, public InfoHandler, public ClusterSink {
 public:
  // `closed_calls`: ids of running calls whose peer is gone; asked each second and before a commit.
  // Cluster, metrics and clock outlive the service.
  Service(const Settings& settings, Cluster& cluster, gangplan::Metrics& metrics,
          const Clock& clock, std::function<std::vector<CallId>()> closed_calls);
  ~Service() override;

  absl::Status Start();
  // Answers every held call, ends the ticking thread and the cluster's.
  void Stop();
  // Readiness fails from here on, held calls are answered; Bindings on their way are finished.
  void Drain();

  FilterReply Filter(const FilterRequest& request) override;
  std::vector<HostScore> Prioritize(const FilterRequest& request) override;
  std::string Bind(const BindRequest& request, const Connection& connection) override;
  std::vector<PreemptReplyNode> Preempt(const PreemptRequest& request) override;

  bool Ready() override;
  std::string Metrics() override;
  Answer Info(const std::string& path) override;

  void OnEvents(std::vector<ClusterEvent> events) override;
  void OnSynced() override;

 private:
  template <typename Function>
  auto WithPlanner(Function function);
  PlannerOptions OptionsFrom(const Settings& settings);
  TopologyView ViewTopology() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Apply(Planner& planner, absl::Time now, const ClusterEvent& event,
             std::vector<EventNote>& notes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // service_topology.cc
  static std::string LevelsFrom(const Settings& settings);
  static void TakeTopology(Planner& planner, absl::Time now, const Topology& topology);
  void TakeObject(Planner& planner, absl::Time now, const ConfigMapSeen& object,
                  std::vector<EventNote>& notes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LoseObject(Planner& planner, absl::Time now, const ConfigMapDeleted& object)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeTrees(Planner& planner, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellTopologyGone(const TopologyDeleted& topology);
  void TellSynced();
  std::function<void(BindResult)> Settle(BindingRead about);
  void Settled(const BindingRead& about, const BindResult& result);
  void Publish();
  void Run(Effects effects);
  void RunOne(BindingWrite effect);
  void RunOne(BindingRead effect);
  void RunOne(AnswerCall effect);
  void RunOne(CommitReady effect);
  void RunOne(Nomination effect);
  void RunOne(OwnerRead effect);
  void RunOne(WriteResults effect);
  void RunOne(WriteMemberLabels effect);
  std::function<void(absl::Status)> Written(int64_t group);
  void RunOne(EventNote effect);
  void Wake(const PodRef& pod);
  void DropClosedCalls();
  void TickLoop();

  Cluster& cluster_;
  gangplan::Metrics& metrics_;
  const Clock& clock_;
  const std::function<std::vector<CallId>()> closed_calls_;
  const TopologySource topology_source_;
  const bool sakkara_groups_;
  const std::string topology_namespace_;  // of Sakkara's topologies
  const std::string live_topology_;       // the topology's name
  std::atomic<bool> nominate_;            // false: wake by annotation only
  std::atomic<bool> draining_ = false;
  std::atomic<bool> told_synced_ = false;
  RepeatedLog not_ready_log_{absl::Minutes(1)};
  RepeatedLog results_log_{absl::Minutes(1)};

  Mutex mutex_;
  Planner planner_ ABSL_GUARDED_BY(mutex_);
  TreeObjects trees_ ABSL_GUARDED_BY(mutex_);  // empty but with Sakkara's topologies
  bool listed_ ABSL_GUARDED_BY(mutex_) = false;

  Mutex calls_mutex_;
  absl::flat_hash_map<CallId, std::promise<std::string>> calls_ ABSL_GUARDED_BY(calls_mutex_);

  Mutex tick_mutex_;
  std::condition_variable_any tick_wake_;
  bool stopping_ ABSL_GUARDED_BY(tick_mutex_) = false;
  std::thread ticker_;
};

}  // namespace gangplan
