// What the watches tell, brought to the planner: nodes, pods, Kueue's Topologies, the ConfigMaps of
// Sakkara's users, the Jobs that wait for us; and what is told of objects that cannot be used.
//
// Thread rule: as ClusterSink says.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "config/settings.h"
#include "extender/app/cluster_signs.h"
#include "extender/app/locked_planner.h"
#include "extender/cluster/cluster.h"
#include "extender/frontends/sakkara/tree_objects.h"
#include "extender/observe/log.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

// One turn of the planner takes events until it has lasted this long; the others wait for the next.
inline constexpr absl::Duration kEventsTurn = absl::Milliseconds(1);

// apply(event) for one turn's events from `next` on, one at least. Returns the first of the next
// turn. REQUIRES: there is one.
template <typename Events, typename Apply>
size_t TakeEvents(const Events& events, size_t next, Apply apply) {
  const absl::Duration start = ThreadCpuTime();
  do {
    apply(events[next++]);
  } while (next < events.size() && ThreadCpuTime() - start < kEventsTurn);
  return next;
}

class Facts : public ClusterSink {
 public:
  // All but the settings outlive the facts; Events go to `cluster`.
  Facts(const Settings& settings, Cluster& cluster, LockedPlanner& planner, const Clock& clock);

  void OnEvents(std::vector<ClusterEvent> events) override;
  void OnSynced() override;

  // What the files of topologies say now: nodes of which they say something else move.
  void TakeFiles(const Settings& settings);

  // What of the cluster is not as somebody wants it; of its pods what was told until it was synced.
  void Check(Findings& findings) const;

 private:
  // Log lines and Events of a turn: said after it.
  using Sayings = std::vector<std::function<void()>>;

  // In a turn of the planner.
  void Apply(Planner& planner, const ClusterEvent& event, Sayings& later);
  void Apply(Planner& planner, const Topology& topology, Sayings& later);
  void Apply(Planner& planner, const ConfigMapSeen& object);
  void Apply(Planner& planner, const ConfigMapDeleted& object);
  void PutInForce(Planner& planner, std::unique_ptr<TreeObjects>& chosen, Sayings& later);

  // Beside the turns.
  bool IsTree(const ClusterEvent& event) const;
  void TakeTree(const ClusterEvent& event, Sayings& later);
  void ReadTree(const ConfigMapFacts& facts, Sayings& later)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(trees_mutex_);
  void ChooseTree(Sayings& later) ABSL_EXCLUSIVE_LOCKS_REQUIRED(trees_mutex_);
  bool IsReservation(ConfigMapUse use, const std::string& ns) const {
    return use == ConfigMapUse::kReservation && !reservations_.empty() && ns == reservations_;
  }
  bool HasTrees() const { return sakkara_ != nullptr; }
  bool Places() const {
    return HasTrees() || std::any_of(topologies_.begin(), topologies_.end(),
                                     [](const auto& one) { return one.in_file(); });
  }
  // As its topologies have it. In a turn.
  NodeFacts Placed(const NodeFacts& node) const;
  void TakeFile(size_t index, const TopologySettings& now);
  size_t PlaceAnew(const std::vector<std::string>& nodes);

  void TellTopologyGone(const TopologyDeleted& topology);
  void TellSynced();

  Cluster& cluster_;
  LockedPlanner& planner_;
  const Clock& clock_;
  const bool sakkara_groups_;
  const std::string reservations_;  // the namespace of these; empty: none are read
  // What the topologies were at first. Of files they say what was taken last: that is changed in a
  // turn, and by one thread.
  std::vector<TopologySettings> topologies_;
  // The one whose nodes come to other levels, and what its file said before; null: none. In a turn.
  const TopologySettings* relevelled_ = nullptr;
  std::shared_ptr<const NodePaths> before_;
  const TopologySettings* sakkara_ = nullptr;  // the one of these from Sakkara's; null: none
  // Held around turns, never taken inside one: trees are read and compared outside of them.
  Mutex trees_mutex_;
  std::unique_ptr<TreeObjects> trees_ ABSL_GUARDED_BY(trees_mutex_);  // empty but with HasTrees()
  bool listed_ ABSL_GUARDED_BY(trees_mutex_) = false;
  // What the planner was told of trees_. Changed in a turn that holds trees_mutex_, read with
  // either.
  std::unique_ptr<TreeObjects> in_force_;
  ClusterSigns signs_;
  std::atomic<bool> told_synced_ = false;
  RepeatedLog not_ready_log_{absl::Minutes(1)};
};

}  // namespace gangplan
