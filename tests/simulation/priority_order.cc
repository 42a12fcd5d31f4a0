#include "tests/simulation/priority_order.h"

#include <algorithm>
#include <utility>

#include "extender/cluster/annotations.h"
#include "fmt/format.h"
#include "topology/model.h"

namespace gangplan::simulation {
namespace {

// Who has come just now may not have been looked at.
constexpr absl::Duration kLookedAt = absl::Seconds(2);

Amounts EachOf(const Job& job) { return {job.spec.gpus, job.spec.cpu}; }

}  // namespace

void PriorityOrder::OnRestart() {
  seen_.clear();
  posted_.clear();
}

void PriorityOrder::OnPosts(const std::vector<BindingWrite>& posts) {
  std::map<const Job*, std::vector<const BindingWrite*>> by_job;
  for (const BindingWrite& post : posts) {
    // To the same node once more: the first one is in doubt.
    const bool again = std::exchange(posted_[post.pod.uid], post.node) == post.node;
    const Job* job = jobs_.Of(post.pod.uid);
    if (job != nullptr && !again) by_job[job].push_back(&post);
  }
  for (const auto& [job, writes] : by_job) {
    if (!HasBegun(*job)) CheckBegin(*job, writes);
  }
}

bool PriorityOrder::HasBegun(const Job& job) const {
  return std::any_of(job.indices.begin(), job.indices.end(), [this](const Job::Index& index) {
    const auto pod = told_.pods().find(index.pod);
    return index.succeeded || (pod != told_.pods().end() && !pod->second.node_name.empty());
  });
}

// Its pods were released from their gates before, to nodes that they can not leave any more: such
// room does not give way.
bool PriorityOrder::IsFixed(const std::vector<const BindingWrite*>& posts) const {
  return std::any_of(posts.begin(), posts.end(), [&](const BindingWrite* post) {
    const auto pod = told_.pods().find(post->pod.uid);
    return pod != told_.pods().end() &&
           FindLabel(pod->second.annotations, kPinnedAnnotation) != nullptr;
  });
}

void PriorityOrder::CheckBegin(const Job& begins, const std::vector<const BindingWrite*>& posts) {
  if (IsFixed(posts)) return;
  const Room without = FreeInModel();
  Room with = without;
  for (const BindingWrite* post : posts) {
    const auto pod = told_.pods().find(post->pod.uid);
    if (pod == told_.pods().end() || !with.contains(post->node)) continue;
    with[post->node] += AmountsOf(pod->second.requests);  // a leader's are its own
  }
  for (const auto& [uid, job] : jobs_.all()) {
    if (job.spec.priority <= begins.spec.priority || !WaitsWhole(job)) continue;
    if (Fits(job, without, true) || !Fits(job, with, false)) continue;
    throw Broken(fmt::format("{} of priority {} begins where {} of priority {} waits: {}",
                             begins.spec.Uid(), begins.spec.priority, uid, job.spec.priority,
                             service_.Describe(GroupName(job))));
  }
}

bool PriorityOrder::WaitsWhole(const Job& job) {
  if (job.done || job.spec.leader_gpus > 0 || !job.constraints.empty() || !job.feasible() ||
      HasBegun(job) || rules_.Restrict(job.spec.Uid()) || !job.meant_place.empty())
    return false;
  int32_t there = 0;
  for (const Job::Index& index : job.indices) {
    const auto seen = seen_.find(index.pod);
    const auto pod = told_.pods().find(index.pod);
    if (seen == seen_.end() || pod == told_.pods().end()) continue;
    there += static_cast<int32_t>(time_.now() >= seen->second + kLookedAt &&
                                  !pod->second.terminating && !pod->second.gated());
  }
  if (there < job.spec.size) return false;
  const std::optional<GroupReport> report = service_.planner().Report(GroupName(job));
  const bool waits = report && report->state == GroupState::kBlocked;
  // What the scheduler has refused is believed for a while.
  const bool refused =
      report && report->reason.find("refused by the scheduler") != std::string::npos;
  return waits && !refused && report->outcome == Outcome::kWait;
}

PriorityOrder::Room PriorityOrder::FreeInModel() {
  Room room;
  const Model& model = service_.planner().model();
  const auto left = [](const ResourceUse& use) { return use.allocatable - use.used - use.held; };
  for (const NodeFacts* node : model.AllFacts()) {
    if (!node->ready || node->unschedulable || !node->taints.empty()) continue;
    const NodeIndex index = model.FindNode(node->name);
    room[node->name] = {left(model.Use(index, "example.com/gpu")), left(model.Use(index, "cpu"))};
  }
  return room;
}

bool PriorityOrder::Fits(const Job& job, const Room& room, bool maintained) const {
  std::map<std::string, int64_t> members;
  for (const auto& [name, free] : room) {
    const NodeFacts* node = told_.Node(name);
    if (node == nullptr || (!maintained && node->maintenance != 0)) continue;
    int64_t& count = members[DomainAt(*node, job.hard_level)];
    count += Times(free, EachOf(job));
    if (count >= job.spec.size) return true;
  }
  return false;
}

}  // namespace gangplan::simulation
