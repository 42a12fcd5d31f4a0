// What the planner was told, and when. The rules judge its decisions by that, never by a truth that
// it could not know.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/room.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class Told : public ServiceObserver {
 public:
  explicit Told(const Timeline& time) : time_(time) {}

  void OnPod(const PodFacts& pod) override;
  void OnPodGone(const std::string& uid) override;
  void OnNode(const NodeFacts& node) override;
  void OnNodeGone(const std::string& name) override;
  void OnOwner(const OwnerFacts& owner) override;
  void OnJob(const JobFacts& job) override;
  void OnPosts(const std::vector<BindingWrite>& posts) override;
  void AfterResult(const BindingRead& about, BindOutcome outcome) override;
  void OnEvent(const EventNote& event) override;
  void OnFilter(const PodFacts& pod, const FilterDecision& decision) override;
  void OnRestart() override;

  const std::map<std::string, PodFacts>& pods() const { return pods_; }
  // From the first that it heard of a pod until it has finished or gone.
  struct Stay {
    absl::Time from;
    absl::Time to = absl::InfiniteFuture();
    bool bound = false;
  };
  const std::map<std::string, Stay>& stays() const { return stays_; }
  const NodeFacts* Node(const std::string& name) const;
  // Members that its owner wants, as last read or watched; nothing: never read.
  std::optional<int64_t> Size(const std::string& owner_uid) const;
  // Events of warning that it wrote on an object, in all its lives.
  int64_t Warnings(const std::string& object_uid) const;
  // When it decided on the pod's last Binding; the infinite past: it never has.
  absl::Time Posted(const std::string& uid) const;
  // The node to which a Binding of the pod may have been written, for all that it knows; empty:
  // none.
  std::string MayBeOn(const std::string& uid) const;
  // It was told that a Binding of the pod was done.
  bool BindingDone(const std::string& uid) const { return done_.contains(uid); }
  // It was told before `moment` that the pod is bound.
  bool BoundBefore(const std::string& uid, absl::Time moment) const;
  // It could not know at `moment` how the node stands now.
  bool NewsSince(const NodeFacts& node, absl::Time moment) const;
  // The least that it may have believed since `moment` that the pod takes.
  Amounts LeastTaken(const PodFacts& pod, absl::Time moment) const;
  // The most that it may have believed since `moment` that the node has.
  Amounts MostAllocatable(const NodeFacts& node, absl::Time moment) const;

 private:
  struct Change {
    absl::Time when;
    Amounts before;
  };

  Stay& StayOf(const std::string& uid) {
    return stays_.try_emplace(uid, Stay{time_.now()}).first->second;
  }

  const Timeline& time_;
  std::map<std::string, PodFacts> pods_;
  std::map<std::string, Stay> stays_;
  std::map<std::string, NodeFacts> nodes_;
  std::map<std::string, absl::Time> bound_;                  // when it was told so, by pod
  std::map<std::string, std::vector<Change>> pod_changes_;   // of what a pod takes
  std::map<std::string, std::vector<Change>> node_changes_;  // of what a node has
  std::map<std::string, absl::Time> node_news_;              // of any kind, also that it has gone
  std::map<std::string, std::optional<int64_t>> sizes_;      // by owner
  std::map<std::string, absl::Time> posted_;
  std::map<std::string, std::string> open_;  // nodes of Bindings of which it knows no outcome
  std::set<std::string> done_;               // pods with a Binding that was
  std::map<std::string, int64_t> warnings_;
};

}  // namespace gangplan::simulation
