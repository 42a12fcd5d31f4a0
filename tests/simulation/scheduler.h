// The fake kube-scheduler: a queue with back-off, a cache fed by its own watch, assumed pods,
// sampling, the nominated node first, filter -> assume -> bind with a time-out, preemption, and
// restarts. It follows what the real one was seen to do (1.36).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/api_server.h"
#include "tests/simulation/in_tree_rules.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class Scheduler : public Watcher {
 public:
  struct Options {
    bool asks = true;    // us; else it chooses and binds by itself
    int sample = 1'000;  // nodes that it offers at most
    int64_t cycle = 30;  // milliseconds for one pod, at most
    absl::Duration bind_timeout = absl::Minutes(1);
    absl::Duration flush = absl::Minutes(1);  // of pods that nothing woke
  };
  Scheduler(Timeline& time, Random& random, ApiServer& api, Service& service, Options options);

  void Start();
  void Kill();  // its sockets close
  bool alive() const { return watch_ != 0; }
  void BreakStream(Kind kind);

  void SeePod(const PodFacts& pod) override;
  void SeePodGone(const std::string& uid) override;
  void SeeNode(const NodeFacts& node) override;
  void SeeNodeGone(const std::string& name) override;
  void SeeSynced() override { synced_ = true; }

  InTreeRules rules;
  std::function<void(const std::string&)> trace;

 private:
  enum class Place { kActive, kBackoff, kUnschedulable, kBinding };
  struct Entry {
    Place place = Place::kActive;
    int64_t order = 0;
    absl::Time until;  // of back-off
    absl::Time since;  // in the unschedulable ones
    int failures = 0;
    CallId call = 0;
  };
  void CycleAgain();
  void Cycle();
  std::string Pop();
  void Schedule(const PodFacts& pod, Entry& entry);
  // What stands on each node as this pod sees it: bound and assumed pods, and nominated ones of at
  // least its priority.
  using Standing = std::map<std::string, std::vector<const PodFacts*>>;
  Standing StandingFor(const PodFacts& pod) const;
  bool Fits(const PodFacts& pod, const NodeFacts& node,
            const std::vector<const PodFacts*>& standing) const;
  // The node to take; empty: none, and `error` tells whether to retry by itself.
  std::string FindPlace(const PodFacts& pod, Standing& standing, bool& error);
  void Assume(const PodFacts& pod, const std::string& node);
  std::string BindAlone(const PodRef& pod, const std::string& node);
  void BindDone(const std::string& uid, int64_t attempt, const std::string& error);
  void Failed(const std::string& uid, Entry& entry, bool error);
  bool Preempt(const PodFacts& pod, Standing& standing);
  bool IsLastSign(const std::string& uid) const;
  void WakeAll();
  void Later(absl::Duration delay, std::function<void()> what);

  Timeline& time_;
  Random& random_;
  ApiServer& api_;
  Service& service_;
  const Options options_;
  int life_ = 0;
  int watch_ = 0;
  bool synced_ = false;
  int64_t next_order_ = 1;
  size_t next_start_ = 0;
  std::map<std::string, PodFacts> pods_;
  std::map<std::string, NodeFacts> nodes_;
  std::map<std::string, Entry> queue_;
  std::map<std::string, std::string> assumed_;  // UID to node
};

}  // namespace gangplan::simulation
