// Builders of clusters and pods for the tests of the planner, and PlannerWorld: a planner with a
// clock of its own and a hand that carries its effects out when the test says so. After each input
// the planner's invariants are checked. Single-threaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/planner.h"

namespace gangplan {

// block, rack, node.
Topology ThreeLevels();

// "b0-r1-n2", labelled with its block, rack and name; `gpus` of example.com/gpu, 64 pods, 64 cpu.
std::string NodeNameAt(int block, int rack, int node);
NodeFacts MakeNode(int block, int rack, int node, int64_t gpus = 8);
std::vector<NodeFacts> MakeNodes(int blocks, int racks, int nodes, int64_t gpus = 8);
// "b0/r1" of "b0-r1-n2", "b0" with level 0.
std::string DomainOf(std::string_view node, int level);

// A Job whose pods are one gang; `words` go on the pods.
struct JobSpec {
  std::string name = "train";
  int32_t size = 4;
  int64_t gpus = 1;
  std::string place = {};  // empty: no word (then `words` must hold another one)
  int32_t priority = 0;
  bool indexed = true;
  std::string uid = {};  // empty: "job-" + name
  LabelSet words = {};
  // Above 0: pod 0 is a pod set "leader" with these GPUs, the others are "workers".
  int64_t leader_gpus = 0;
  bool together = false;  // the words put both into one group of Kueue's: indices count through
  // With a leader: a JobSet makes them, the leader by one Job and the workers by two where they can
  // be halved, else by one.
  bool in_set = false;
  LabelSet labels = {};              // on the pods
  int64_t cpu = 100;                 // milli, of each pod
  std::optional<int32_t> left = {};  // that have not succeeded yet

  std::string Uid() const { return uid.empty() ? "job-" + name : uid; }
  int32_t WorkerJobs() const { return size % 2 == 1 ? 2 : 1; }
};
OwnerFacts JobOwner(const JobSpec& job);
// `life`: how often the pod of this index was created before; part of its name and UID.
PodFacts JobPod(const JobSpec& job, int index, int life = 0);
PodFacts ForeignPod(std::string_view name, int64_t gpus, int32_t priority = 0);
void SetWord(LabelSet& set, std::string_view key, std::string_view value);

class PlannerWorld {
 public:
  explicit PlannerWorld(PlannerOptions options = Options());
  static PlannerOptions Options();

  Planner& planner() { return *planner_; }
  absl::Time now() const { return now_; }
  // A new planner with the same options that knows nothing; pending effects are lost.
  void Restart();

  // Facts.
  void AddNodes(const std::vector<NodeFacts>& nodes);
  void Put(const NodeFacts& node);
  void DeleteNode(std::string_view name);
  // The watch shows the pod. Owners are answered from the Jobs that were registered.
  void Show(const PodFacts& pod);
  void ShowTerminating(PodFacts pod);
  void ShowBound(PodFacts pod, std::string_view node);
  void ShowFinished(PodFacts pod, std::string_view node, PodPhase phase = PodPhase::kSucceeded);
  void Delete(const PodFacts& pod);
  void Sync();
  void Register(const JobSpec& job) { Register(JobOwner(job)); }  // its pods' owner can be read
  void Register(OwnerFacts owner) { owners_.push_back(std::move(owner)); }
  void Reregister(OwnerFacts owner);  // it says something else now
  void Reregister(const JobSpec& job) { Reregister(JobOwner(job)); }
  // Registers the Job and shows pods first..last-1.
  void ShowJob(const JobSpec& job, int first, int last);

  // The scheduler's side. `offer` empty: every node that was added.
  FilterDecision Filter(const PodFacts& pod, const std::vector<std::string>& offer = {});
  // The only node that filter lets through, or "" when there is none.
  std::string Passed(const PodFacts& pod, const std::vector<std::string>& offer = {});
  // The one text with which every node is rejected, or "passed: ..." / "error: ...".
  std::string Refusal(const PodFacts& pod, const std::vector<std::string>& offer = {});
  struct Call {
    CallId id = 0;
    BindDecision decision;
  };
  Call Bind(const PodFacts& pod, std::string_view node, absl::Duration late = absl::ZeroDuration());
  // Filter, then bind where it says; the node, which must be there.
  std::string FilterAndBind(const PodFacts& pod);

  // Time.
  void Pass(absl::Duration time);  // and one tick at the end

  // Effects since the last Take, by kind. CommitReady is carried out at once with no call closed,
  // unless `hold_commits`.
  template <typename Kind>
  std::vector<Kind> Take() {
    Collect();
    std::vector<Kind> taken;
    Effects rest;
    for (Effect& effect : pending_) {
      if (!TakeFrom(effect, taken)) rest.push_back(std::move(effect));
    }
    pending_.swap(rest);
    return taken;
  }
  void ForgetEffects();
  // The error with which a call was answered; nothing when it is still open.
  std::optional<std::string> Answer(CallId call);
  // Every pending Binding succeeds: result and watch. Returns how many there were.
  int BindAll();
  void Settle(const BindingWrite& post, BindOutcome outcome, std::string_view message = "");

  GroupReport Report(std::string_view name);
  std::string StateOf(std::string_view name);
  // The group's nodes in the order of its slots; "-" for a slot without a node.
  std::vector<std::string> Nodes(std::string_view name);
  int64_t HoldCount();

  bool hold_commits = false;
  bool answer_owners = true;
  bool active = true;  // from Sync on

 private:
  void Collect();
  void Check();
  // True: it was one of these. Bindings come in one effect, or in several.
  template <typename Kind>
  static bool TakeFrom(Effect& effect, std::vector<Kind>& taken) {
    if constexpr (std::is_same_v<Kind, BindingWrite>) {
      auto* all = std::get_if<WriteBindings>(&effect);
      if (all == nullptr) return false;
      for (auto& write : all->writes) taken.push_back(std::move(*write));
      return true;
    } else {
      auto* one = std::get_if<Kind>(&effect);
      if (one != nullptr) taken.push_back(std::move(*one));
      return one != nullptr;
    }
  }

  PlannerOptions options_;
  std::unique_ptr<Planner> planner_;
  absl::Time now_ = absl::FromUnixSeconds(1'000'000);
  CallId next_call_ = 1;
  Effects pending_;
  std::vector<std::string> node_names_;
  std::vector<OwnerFacts> owners_;
  std::vector<PodFacts> shown_;
};

}  // namespace gangplan
