// The part of kube-scheduler that an extender sees, for the demo: a queue, a cache of what is free
// on each node less what it assumed, filter with the names that fit, prioritize when several are
// left, assume, bind in a thread of its own. Of a large cluster it offers some nodes, each time
// others. One pod at a time, as in kube-scheduler: a nominated node is asked for alone first; a
// rejected pod waits for an event (a change of itself, a pod that left its node); an error is tried
// again after a growing time.
//
// Thread rule: every method from any thread; StopAsking and Join from one.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/cluster.h"
#include "extender/demo/extender_client.h"
#include "extender/server/worker_threads.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

// The pods of one owner, as the scheduler and its watch see them.
struct JobAccount {
  int32_t pods = 0;      // seen and not finished
  int32_t bound = 0;     // and on a node, as the watch told
  int32_t in_bind = 0;   // whose bind call is open
  int32_t rejected = 0;  // whose last attempt found no node
  std::string reason;    // why, when all of these were told the same
};

class DemoScheduler {
 public:
  // Names the scheduler as pods do.
  DemoScheduler(std::string name, const Clock& clock);
  ~DemoScheduler();

  // The watch.
  void OnEvents(const std::vector<ClusterEvent>& events);
  // From here on pods are scheduled, with the extender at this port.
  void Start(int verbs_port);
  // No new attempt begins after it; bind calls stay open.
  void StopAsking();
  // REQUIRES: StopAsking, and every open bind call is or will be answered.
  void Join();

  JobAccount Account(std::string_view job) const;
  // The pods that are on a node and not finished, by UID.
  std::vector<PodFacts> BoundPods() const;
  // Until `ready` holds of the job's account. False: it did not within `patience`.
  bool Await(std::string_view job, const std::function<bool(const JobAccount&)>& ready,
             absl::Duration patience);

 private:
  enum class Stage { kQueued, kTrying, kWaiting, kBackingOff, kBinding, kDone };
  struct Entry {
    PodFacts facts;
    Stage stage = Stage::kDone;
    bool changed = false;  // while it was being tried
    int32_t errors = 0;    // in a row
    std::string reason;    // why the last attempt found no node
    std::string charged;   // the node whose room it takes, bound or assumed
  };
  struct Attempt {
    std::string node;  // empty: none
    std::string reason;
    bool error = false;
  };

  JobAccount Count(std::string_view job) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Apply(const ClusterEvent& event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ApplyPod(const PodFacts& facts) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Charge(Entry& entry, const std::string& node) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Enqueue(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RoomGained() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void BackOff(Entry& entry, std::string reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Fits(const ResourceList& requests, const std::string& node) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<std::string> FittingNodes(const ResourceList& requests) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool NextPod(PodFacts* pod, std::vector<std::string>* nodes);
  void QueueDue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<std::string> Sample(std::vector<std::string> nodes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Attempt Try(ExtenderClient& client, const PodFacts& pod, const std::vector<std::string>& nodes);
  void Settle(const PodFacts& pod, const Attempt& attempt, int verbs_port);
  void Bind(int verbs_port, const PodFacts& pod, const std::string& node);
  void Loop(int verbs_port);

  const std::string name_;
  const Clock& clock_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, ResourceList> free_ ABSL_GUARDED_BY(mutex_);  // by node
  std::map<std::string, Entry> pods_ ABSL_GUARDED_BY(mutex_);         // by UID
  std::deque<std::string> queue_ ABSL_GUARDED_BY(mutex_);
  std::multimap<absl::Time, std::string> backing_off_ ABSL_GUARDED_BY(mutex_);
  size_t next_sample_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  WorkerThreads binders_;  // of open bind calls; run by loop_
  std::thread loop_;
};

}  // namespace gangplan
