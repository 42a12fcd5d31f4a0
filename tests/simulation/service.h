// The service around the planner, as the product's own is, but with a network that is late, loses
// requests and replies, and with restarts: a new planner that knows nothing and is fed by lists.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "extender/planner/planner.h"
#include "extender/planner/solve_task.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

struct Faults {
  bool on = true;         // false: the network is late but loses nothing
  int lost_binding = 12;  // one in so many Bindings never arrives
  int lost_reply = 12;    // ... is written, and the reply is lost
  int refused_binding = 15;
  int failed_read = 4;
  int lost_nomination = 10;
  int failed_owner = 5;
  int repeated_result = 10;
  int lost_write = 5;       // of results: never arrives, or arrives and the reply is lost
  bool slow_reads = false;  // of Bindings: old by up to five seconds
  absl::Time owners_back = absl::InfinitePast();  // no owner can be read before
};

// Who watches what goes into the planner and what comes out of it.
class ServiceObserver {
 public:
  virtual ~ServiceObserver() = default;
  virtual void OnPod(const PodFacts&) {}
  virtual void OnPodGone(const std::string& /*uid*/) {}
  virtual void OnNode(const NodeFacts&) {}
  virtual void OnNodeGone(const std::string& /*name*/) {}
  virtual void OnOwner(const OwnerFacts&) {}  // read, or seen to change
  virtual void OnJob(const JobFacts&) {}      // that waits suspended
  virtual void OnRestart() {}
  // After the planner has taken one input.
  virtual void AfterInput() {}
  // After the planner was told what became of a Binding, by its write or by a read.
  virtual void AfterResult(const BindingRead&, BindOutcome) {}
  // Bindings that came out of one input, before any of them is sent.
  virtual void OnPosts(const std::vector<BindingWrite>&) {}
  // Before it is sent.
  virtual void OnRelease(const PodRelease&) {}
  virtual void OnEvent(const EventNote&) {}
  virtual void OnFilter(const PodFacts&, const FilterDecision&) {}
};

class Service : public Watcher {
 public:
  Service(Timeline& time, Random& random, ApiServer& api, PlannerOptions options);

  void Start();
  void Kill();
  bool alive() const { return planner_ != nullptr; }
  Planner& planner() { return *planner_; }
  // Of a group, for people. REQUIRES: alive.
  std::string Describe(const std::string& group);
  void BreakStream(Kind kind);

  // The scheduler's calls; a dead service answers with an error.
  FilterDecision Filter(const PodFacts& pod, const std::vector<std::string>& offer);
  std::vector<int32_t> Preempt(const PodFacts& pod,
                               const std::vector<PreemptCandidate>& candidates);
  // `done` gets the answer, unless the call was closed before; returns the call.
  CallId Bind(const PodRef& pod, const std::string& node,
              std::function<void(const std::string& error)> done);
  void CloseCall(CallId call);

  int64_t open_posts(const std::string& uid) const;
  size_t open_calls() const { return calls_.size(); }
  // Bindings of which the planner was told nothing yet; on their way, or written.
  const std::map<int64_t, BindingWrite>& open_writes() const { return open_writes_; }

  void SeePod(const PodFacts& pod) override;
  void SeePodGone(const std::string& uid) override;
  void SeeNode(const NodeFacts& node) override;
  void SeeNodeGone(const std::string& name) override;
  void SeeObject(const ConfigMapFacts& object) override;
  void SeeObjectGone(const std::string& name) override;
  void SeeOwner(const OwnerFacts& owner) override;
  void SeeJob(const JobFacts& job) override;
  void SeeJobLeft(const std::string& uid) override;
  void SeeSynced() override;

  Faults faults;
  std::vector<ServiceObserver*> observers;  // told in this order
  std::function<void(const std::string&)> trace;

 private:
  void Pump();
  void Carry(const WriteBindings& all);
  void Carry(const BindingWrite& post);
  void Carry(const BindingRead& prove);
  void Carry(const AnswerCall& answer);
  void Carry(const CommitReady& commit);
  void Carry(const Nomination& nomination);
  void Carry(const WriteResults& write);
  void Carry(const WriteRankList& write);
  void Carry(const WriteMemberLabels& write);
  void Carry(const OwnerRead& read);
  void Carry(const EventNote& tell);
  void Carry(const SolveOnCopy& solve);
  void Carry(const ExplainGroup& explain);
  void Carry(const JobWrite& write);
  void Carry(const PodRelease& release);
  void Carry(const PodDelete& pod);
  void Carry(const PodMark& mark);
  void Carry(const PodGroupWrite& write);
  void Carry(const GangChange& change);
  void Send(const BindingWrite& post, int64_t number);
  void Write(int64_t group, std::function<void()> write);
  // Tells the planner what became of the Binding that `about` is about.
  void Result(const BindingRead& about, BindOutcome outcome, absl::Duration delay,
              int64_t number = 0);
  void TickAgain();
  // Runs `what` after `delay`, in this life of the service only.
  void Later(absl::Duration delay, std::function<void()> what);
  bool Fault(int one_in) { return faults.on && random_.OneIn(one_in); }

  Timeline& time_;
  Random& random_;
  ApiServer& api_;
  PlannerOptions options_;
  std::unique_ptr<Planner> planner_;
  int life_ = 0;
  int watch_ = 0;
  CallId next_call_ = 1;
  struct Call {
    PodRef pod;
    std::string node;
    std::function<void(const std::string&)> done;  // empty once the scheduler has closed it
  };
  std::map<CallId, Call> calls_;
  std::vector<CallId> closed_;                 // not yet told to the planner
  std::map<std::string, int64_t> open_posts_;  // by pod UID
  int64_t next_write_ = 1;
  std::map<int64_t, BindingWrite> open_writes_;
  std::set<std::string> open_releases_;  // on their way, by pod UID
  std::map<int64_t, int> open_results_;  // writes of results on their way, by group
};

}  // namespace gangplan::simulation
