// A planner as the service runs it, and all that it lives in: each input is a turn, which is timed
// as a turn of the service's lock is (the thread's CPU time, its effects taken within), and the
// effects are carried out between the turns by a cluster without delay. One thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/cluster/events.h"
#include "extender/planner/planner.h"
#include "extender/planner/solve_task.h"
#include "tests/bench/latency.h"
#include "tests/bench/lock_cluster.h"
#include "topology/base/clock.h"

namespace gangplan {

inline constexpr size_t kWatched = 8;                     // pods in a chunk of a watch
std::vector<ClusterEvent> Deleted(const LockGang& gang);  // all of its pods

// What each kind of turn took.
class TurnTimes {
 public:
  void Add(std::string_view kind, absl::Duration spent);
  // Of all turns of the lock, and the kind that has the longest one; copies are no turns.
  absl::Duration locked() const { return locked_; }
  std::pair<std::string, absl::Duration> Longest() const { return longest_; }
  // A line a kind, in the order in which they came first, and those beyond `most` marked.
  void Print(absl::Duration most) const;

 private:
  std::vector<std::pair<std::string, Latency>> kinds_;
  absl::Duration locked_;
  std::pair<std::string, absl::Duration> longest_;
};

class LockWorld {
 public:
  explicit LockWorld(int32_t nodes = kLockNodes);

  Planner& planner() { return *planner_; }
  absl::Time now() const { return now_; }
  TurnTimes& times() { return times_; }

  template <typename Function>
  auto Turn(std::string_view kind, Function function) {
    struct Timed {
      LockWorld& world;
      std::string_view kind;
      const absl::Duration start = ThreadCpuTime();
      ~Timed() {
        Effects effects = world.planner_->TakeEffects();
        const absl::Duration spent = ThreadCpuTime() - start;
        world.times_.Add(kind, spent);
        if (world.clock_runs_) world.now_ += spent;
        for (Effect& effect : effects) world.effects_.push_back(std::move(effect));
      }
    } timed{*this, kind};
    return function(*planner_);
  }

  // Its Job can be read from now on, and its pods are there: not told yet.
  std::vector<ClusterEvent> Make(const LockGang& gang);
  // A new planner is told of all that there is, in pages as a list has them, which are gone when
  // they were told, and reads each owner. `as` begins the names of these kinds. The levels of
  // `options` are those of the cluster.
  void Start(std::string_view as, PlannerOptions options = {});
  // From now on time goes by as the lock is kept, and what is asked on a copy is told of when one
  // thread beside it has spent what it takes: what waits for either waits in this time.
  void RunClock() { clock_runs_ = true; }
  // Ticks as the service does, until then; looked() after each turn. Later, where turns take
  // longer.
  void RunUntil(absl::Time end, const std::function<void()>& looked);
  // In the turns that the service takes for a batch.
  void Tell(std::string_view kind, std::vector<ClusterEvent> events);
  // So many in a batch.
  void Tell(std::string_view kind, const std::vector<ClusterEvent>& events, size_t each);
  FilterDecision Filter(std::string_view kind, const PodFacts& pod, const Offer& offer);
  void Tick(std::string_view kind);
  // Ticks until there is nothing more to do.
  void Rest(std::string_view kind);
  // Carries out what was asked for, until there is nothing more.
  void CarryOut();

  // Time goes by without a turn.
  void Pass(absl::Duration time) { now_ += time; }
  // Its Job says so from now on, to whoever reads it.
  void SetOwner(const LockGang& gang, const LabelSet& annotations, int32_t size);
  void ReadOwner(std::string_view kind, const LockGang& gang);
  // So many of its members are asked for, and their bind calls come.
  std::vector<CallId> Call(const LockGang& gang, int32_t members);
  // Every member is asked for and bound. False: one was not let through.
  bool Run(const LockGang& gang);
  // Of its pods, by name; those without a node are left out.
  std::map<std::string, std::string> PlannedNodes(const LockGang& gang) const;
  // As many names as the scheduler looks at by default, `node` among them where it is not empty.
  Offer OfferWith(std::string_view node) const;
  const std::vector<std::string>& node_names() const { return node_names_; }
  const NodeFacts& node(std::string_view name) const { return nodes_.find(name)->second; }
  NodeFacts Tainted(std::string_view name) const;
  // Nodes whose pods ask for more than the node has.
  std::vector<std::string> Overfull() const;

 private:
  void Apply(Planner& planner, const ClusterEvent& event);
  void Note(const ClusterEvent& event);
  // Of effects; those not named here concern people alone.
  void Carry(const OwnerRead& read);
  void Carry(const WriteBindings& all);
  void Carry(const BindingWrite& write);
  void Carry(const CommitReady& ready);
  void Carry(const SolveOnCopy& solve);
  template <typename Other>
  void Carry(const Other&) {}
  void TellSolved();

  // Answers of copies, and when they are there.
  struct Answered {
    absl::Time at;
    std::shared_ptr<SolveTask> task;
  };

  std::unique_ptr<Planner> planner_;
  std::unique_ptr<Planner> before_;  // kept: a new process has no freed memory to join
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  TurnTimes times_;
  bool clock_runs_ = false;
  std::deque<Effect> effects_;
  std::deque<Answered> answered_;    // with a clock that runs; the next one first
  std::vector<ClusterEvent> bound_;  // pods that the watch has not shown yet
  std::map<std::string, NodeFacts, std::less<>> nodes_;
  std::map<std::string, PodFacts, std::less<>> pods_;  // by UID
  std::map<std::string, OwnerFacts, std::less<>> owners_;
  std::vector<std::string> node_names_;
  CallId next_call_ = 1;
};

}  // namespace gangplan
