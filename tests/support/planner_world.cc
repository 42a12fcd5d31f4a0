#include "tests/support/planner_world.h"

#include <algorithm>

#include "extender/frontends/gangplan/words.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/solve_task.h"
#include "extender/protocol/jobset_words.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

ResourceList Demand(int64_t gpus, int64_t cpu) {
  return {{"cpu", cpu}, {"example.com/gpu", gpus}, {"pods", 1}};
}

}  // namespace

Topology ThreeLevels() {
  Topology topology;
  topology.levels = {{"block", "example.com/block"},
                     {"rack", "example.com/rack"},
                     {"node", std::string(kHostnameLabel)}};
  return *CompleteTopology(topology);
}

std::string NodeNameAt(int block, int rack, int node) {
  return fmt::format("b{}-r{}-n{}", block, rack, node);
}

NodeFacts MakeNode(int block, int rack, int node, int64_t gpus) {
  NodeFacts facts;
  facts.name = NodeNameAt(block, rack, node);
  facts.labels = {{"example.com/block", fmt::format("b{}", block)},
                  {"example.com/rack", fmt::format("r{}", rack)},
                  {std::string(kHostnameLabel), facts.name}};
  facts.allocatable = {{"cpu", 64'000}, {"example.com/gpu", gpus}, {"pods", 64}};
  facts.ready = true;
  return facts;
}

std::vector<NodeFacts> MakeNodes(int blocks, int racks, int nodes, int64_t gpus) {
  std::vector<NodeFacts> all;
  for (int block = 0; block < blocks; ++block) {
    for (int rack = 0; rack < racks; ++rack) {
      for (int node = 0; node < nodes; ++node) all.push_back(MakeNode(block, rack, node, gpus));
    }
  }
  return all;
}

std::string DomainOf(std::string_view node, int level) {
  size_t end = 0;
  for (int i = 0; i <= level && end != std::string_view::npos; ++i) end = node.find('-', end + 1);
  return std::string(node.substr(0, end));
}

namespace {

OwnerFacts SetOwner(const JobSpec& job) {
  OwnerFacts owner;
  owner.ref = {std::string(kJobSetKind.api_version), std::string(kJobSetKind.kind), job.name,
               job.Uid()};
  owner.ns = "team";
  LabelSet words = job.words;
  if (!job.place.empty()) SetWord(words, kPlaceWord, job.place);
  owner.pod_sets = {{"leader", 1, 1, {}, words},
                    {"workers", job.WorkerJobs(), (job.size - 1) / job.WorkerJobs(), {}, words}};
  return owner;
}

// What the JobSet's controller writes on it; it counts from 0 in each Job.
void MakeOfSet(const JobSpec& job, int index, PodFacts& pod) {
  const bool leads = index == 0;
  const int32_t jobs = leads ? 1 : job.WorkerJobs();
  const int32_t each = leads ? 1 : (job.size - 1) / jobs;
  const int32_t at = leads ? 0 : (index - 1) / each;
  const std::string part = leads ? "leader" : "workers";
  const std::string name = fmt::format("{}-{}-{}", job.name, part, at);
  pod.requests = Demand(leads ? job.leader_gpus : job.gpus, job.cpu);
  pod.controller->name = name;
  pod.controller->uid = fmt::format("{}-{}-{}", job.Uid(), part, at);
  SetWord(pod.labels, kJobSetName, job.name);
  SetWord(pod.labels, kJobSetUid, job.Uid());
  SetWord(pod.labels, kReplicatedJob, part);
  SetWord(pod.labels, kReplicatedJobReplicas, fmt::format("{}", jobs));
  SetWord(pod.labels, kJobSetJobIndex, fmt::format("{}", at));
  if (!job.indexed) return;
  SetWord(pod.annotations, "batch.kubernetes.io/job-completion-index",
          fmt::format("{}", leads ? 0 : (index - 1) % each));
}

}  // namespace

OwnerFacts JobOwner(const JobSpec& job) {
  if (job.in_set) return SetOwner(job);
  OwnerFacts owner;
  owner.ref = {"batch/v1", "Job", job.name, job.Uid()};
  owner.ns = "team";
  owner.size = job.size;
  owner.left = job.left;
  return owner;
}

void SetWord(LabelSet& set, std::string_view key, std::string_view value) {
  SetLabel(set, key, std::string(value));
}

// The pod set of a pod of a Job with a leader.
static void MakeLeaderOrWorker(const JobSpec& job, int index, PodFacts& pod) {
  const bool leads = index == 0;
  pod.requests = Demand(leads ? job.leader_gpus : job.gpus, job.cpu);
  SetWord(pod.annotations, kPodSetsWord, fmt::format("leader=1,workers={}", job.size - 1));
  SetWord(pod.annotations, kPodSetWord, leads ? "leader" : "workers");
}

PodFacts JobPod(const JobSpec& job, int index, int life) {
  PodFacts pod;
  pod.ns = "team";
  pod.name = fmt::format("{}-{}-{}", job.name, index, life);
  pod.uid = fmt::format("uid-{}-{}-{}", job.Uid(), index, life);
  pod.scheduler_name = "gangplan";
  pod.priority = job.priority;
  pod.requests = Demand(job.gpus, job.cpu);
  pod.labels = job.labels;
  pod.controller = OwnerRef{"batch/v1", "Job", job.name, job.Uid()};
  if (!job.place.empty()) SetWord(pod.annotations, kPlaceWord, job.place);
  for (const auto& [key, value] : job.words) SetWord(pod.annotations, key, value);
  if (job.in_set) {
    MakeOfSet(job, index, pod);
    return pod;
  }
  const bool own_indices = job.leader_gpus > 0 && !job.together && index > 0;
  if (job.leader_gpus > 0) MakeLeaderOrWorker(job, index, pod);
  if (job.indexed) {
    SetWord(pod.annotations, "batch.kubernetes.io/job-completion-index",
            fmt::format("{}", own_indices ? index - 1 : index));
  }
  return pod;
}

PodFacts ForeignPod(std::string_view name, int64_t gpus, int32_t priority) {
  PodFacts pod;
  pod.ns = "team";
  pod.name = std::string(name);
  pod.uid = "uid-" + pod.name;
  pod.scheduler_name = "gangplan";
  pod.priority = priority;
  pod.requests = Demand(gpus, 100);
  return pod;
}

PlannerOptions PlannerWorld::Options() {
  PlannerOptions options;
  options.topologies[0].topology = {ThreeLevels()};
  return options;
}

PlannerWorld::PlannerWorld(PlannerOptions options)
    : options_(std::move(options)), planner_(std::make_unique<Planner>(options_)) {}

void PlannerWorld::Restart() {
  planner_ = std::make_unique<Planner>(options_);
  pending_.clear();
  node_names_.clear();
}

void PlannerWorld::Check() { REQUIRE(planner_->BrokenInvariant() == ""); }

void PlannerWorld::AddNodes(const std::vector<NodeFacts>& nodes) {
  for (const NodeFacts& node : nodes) Put(node);
}

void PlannerWorld::Put(const NodeFacts& node) {
  REQUIRE(planner_->OnNode(now_, node).ok());
  if (std::find(node_names_.begin(), node_names_.end(), node.name) == node_names_.end())
    node_names_.push_back(node.name);
  Check();
}

void PlannerWorld::DeleteNode(std::string_view name) {
  planner_->OnNodeDeleted(now_, name);
  std::erase(node_names_, name);
  Check();
}

void PlannerWorld::Show(const PodFacts& pod) {
  std::erase_if(shown_, [&](const PodFacts& known) { return known.uid == pod.uid; });
  shown_.push_back(pod);
  planner_->OnPod(now_, pod);
  Check();
  Collect();
}

void PlannerWorld::ShowTerminating(PodFacts pod) {
  pod.terminating = true;
  Show(pod);
}

void PlannerWorld::ShowBound(PodFacts pod, std::string_view node) {
  pod.node_name = std::string(node);
  Show(pod);
}

void PlannerWorld::ShowFinished(PodFacts pod, std::string_view node, PodPhase phase) {
  pod.phase = phase;
  ShowBound(std::move(pod), node);
}

void PlannerWorld::Delete(const PodFacts& pod) {
  std::erase_if(shown_, [&](const PodFacts& known) { return known.uid == pod.uid; });
  planner_->OnPodDeleted(now_, pod.uid);
  Check();
}

void PlannerWorld::Sync() {
  planner_->SetActive(now_, active);
  planner_->OnSynced(now_);
  Collect();
  Pass(absl::ZeroDuration());
}

void PlannerWorld::Reregister(OwnerFacts owner) {
  std::erase_if(owners_, [&](const OwnerFacts& known) { return known.ref.uid == owner.ref.uid; });
  Register(std::move(owner));
}

void PlannerWorld::ShowJob(const JobSpec& job, int first, int last) {
  Register(job);
  for (int i = first; i < last; ++i) Show(JobPod(job, i));
}

FilterDecision PlannerWorld::Filter(const PodFacts& pod, const std::vector<std::string>& offer) {
  const std::vector<std::string>& names = offer.empty() ? node_names_ : offer;
  const Offer offered(names.begin(), names.end());
  FilterDecision decision = planner_->Filter(now_, pod, offered);
  Split(decision, offered);
  Check();
  Collect();
  return decision;
}

std::string PlannerWorld::Passed(const PodFacts& pod, const std::vector<std::string>& offer) {
  const std::vector<std::string>& names = offer.empty() ? node_names_ : offer;
  FilterDecision decision = Filter(pod, offer);
  if (!decision.error.empty() || decision.passed.size() != 1) return "";
  return names[decision.passed.front()];
}

std::string PlannerWorld::Refusal(const PodFacts& pod, const std::vector<std::string>& offer) {
  FilterDecision decision = Filter(pod, offer);
  if (!decision.error.empty()) return "error: " + decision.error;
  if (!decision.passed.empty()) return fmt::format("passed: {}", decision.passed.size());
  return decision.text;
}

PlannerWorld::Call PlannerWorld::Bind(const PodFacts& pod, std::string_view node,
                                      absl::Duration late) {
  Call call{next_call_++, {}};
  call.decision = planner_->Bind(now_, call.id, {pod.ns, pod.name, pod.uid}, node, now_ - late);
  Check();
  Collect();
  return call;
}

std::string PlannerWorld::FilterAndBind(const PodFacts& pod) {
  std::string node = Passed(pod);
  REQUIRE(node != "");
  Call call = Bind(pod, node);
  REQUIRE(call.decision.error == "");
  return node;
}

void PlannerWorld::Pass(absl::Duration time) {
  now_ += time;
  planner_->Tick(now_);
  Check();
  Collect();
}

// Owners are read and commits done as the service would, everything else waits for the test.
void PlannerWorld::Collect() {
  for (Effects taken = planner_->TakeEffects(); !taken.empty(); taken = planner_->TakeEffects()) {
    for (Effect& effect : taken) {
      if (const auto* read = std::get_if<OwnerRead>(&effect); read && answer_owners) {
        absl::StatusOr<OwnerFacts> facts = absl::NotFoundError("no such owner");
        for (const OwnerFacts& owner : owners_) {
          if (owner.ref.uid == read->owner.uid) facts = owner;
        }
        planner_->OnOwner(now_, OwnerKey(read->ns, read->owner.uid), facts);
      } else if (const auto* commit = std::get_if<CommitReady>(&effect); commit && !hold_commits) {
        planner_->Commit(now_, commit->group, {});
      } else if (const auto* solve = std::get_if<SolveOnCopy>(&effect)) {
        solve->task->Run();
        planner_->OnSolved(now_, *solve->task);
      } else if (auto* explain = std::get_if<ExplainGroup>(&effect)) {
        pending_.push_back(Explained(std::move(*explain)));
      } else {
        pending_.push_back(std::move(effect));
      }
      Check();
    }
  }
}

void PlannerWorld::ForgetEffects() {
  Collect();
  pending_.clear();
}

std::optional<std::string> PlannerWorld::Answer(CallId call) {
  Collect();
  for (const Effect& effect : pending_) {
    const auto* answer = std::get_if<AnswerCall>(&effect);
    if (answer && answer->call == call) return answer->error;
  }
  return std::nullopt;
}

void PlannerWorld::Settle(const BindingWrite& post, BindOutcome outcome, std::string_view message) {
  planner_->OnBindResult(now_, post.pod, post.node, post.attempt, {outcome, std::string(message)});
  Check();
  Collect();
}

int PlannerWorld::BindAll() {
  std::vector<BindingWrite> posts = Take<BindingWrite>();
  for (const BindingWrite& post : posts) {
    Settle(post, BindOutcome::kBound);
    for (PodFacts pod : std::vector<PodFacts>(shown_)) {
      if (pod.uid != post.pod.uid) continue;
      pod.node_name = post.node;
      for (const auto& [key, value] : post.annotations) SetWord(pod.annotations, key, value);
      Show(pod);
    }
  }
  return static_cast<int>(posts.size());
}

GroupReport PlannerWorld::Report(std::string_view name) {
  std::optional<GroupReport> report = planner_->Report(name);
  REQUIRE(report.has_value());
  if (const auto question = planner_->Question(name)) report->evidence = question->Evidence();
  return *report;
}

std::string PlannerWorld::StateOf(std::string_view name) {
  std::optional<GroupReport> report = planner_->Report(name);
  return report ? std::string(Name(report->state)) : "(none)";
}

std::vector<std::string> PlannerWorld::Nodes(std::string_view name) {
  std::vector<std::string> nodes;
  for (const auto& slot : Report(name).slots) nodes.push_back(slot.node.empty() ? "-" : slot.node);
  return nodes;
}

int64_t PlannerWorld::HoldCount() {
  int64_t holds = 0;
  for (const std::string& name : node_names_)
    holds += planner_->model().HoldCount(planner_->model().FindNode(name));
  return holds;
}

}  // namespace gangplan
