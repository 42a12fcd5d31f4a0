#include "tests/simulation/own_room.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "topology/model.h"

namespace gangplan::simulation {
namespace {

// Less than its room is held.
constexpr absl::Duration kOwnFor = absl::Seconds(20);
// After a restart groups are found again.
constexpr absl::Duration kFoundAgain = absl::Minutes(1);
constexpr size_t kMostListed = 10'000;

Amounts MemberOf(const Job& job) { return {job.spec.gpus, job.spec.cpu}; }

}  // namespace

void OwnRoom::OnRestart() {
  running_.clear();
  left_.clear();
  if (std::exchange(began_, true)) since_ = time_.now();
}

// Who is told of one of the gang tells that somebody of it waits, or goes, too.
void OwnRoom::OnPod(const PodFacts& pod) {
  const Job* job = jobs_.Of(pod.uid);
  if (job == nullptr) return Forget(pod.node_name);
  left_.erase(job);
  if (!job->late || pod.node_name.empty()) return;
  if (pod.finished()) {
    running_.erase(pod.uid);
  } else {
    running_[pod.uid] = pod;
  }
}

void OwnRoom::OnPodGone(const std::string& uid) {
  const auto stopped = running_.find(uid);
  if (stopped == running_.end()) return;
  const PodFacts pod = stopped->second;
  running_.erase(stopped);
  const Job& job = *jobs_.Of(uid);
  left_.erase(&job);
  if (!MayLose(job, pod)) return;
  left_[&job] = {pod.node_name, MemberOf(job), HoldsOn(pod.node_name, GroupName(job)),
                 time_.now() + kOwnFor};
}

// Its owner wants as many as run together, and nobody else has its name.
bool OwnRoom::IsLate(const Job& job) const {
  const auto same_name = [&](const auto& entry) {
    return &entry.second != &job && GroupName(entry.second) == GroupName(job);
  };
  return job.late && !job.done && job.together() && !job.HasSucceeded() && job.feasible() &&
         job.spec.leader_gpus == 0 && job.meant_place.empty() && job.constraints.empty() &&
         !job.held_since && api_.owners().contains(job.spec.Uid()) &&
         told_.Size(job.spec.Uid()) == int64_t{job.spec.size} &&
         std::none_of(jobs_.all().begin(), jobs_.all().end(), same_name);
}

// All others of its gang, each on a node that is as it was when it came there.
bool OwnRoom::RestRuns(const Job& job, const PodFacts& pod) const {
  int32_t running = 0;
  for (const auto& [uid, other] : told_.pods()) {
    if (jobs_.Of(uid) != &job || uid == pod.uid) continue;
    if (other.node_name.empty() || other.terminating || other.finished()) return false;
    if (AmountsOf(other.requests) != MemberOf(job) || !AsItWas(other)) return false;
    ++running;
  }
  return running > 0 && running == job.spec.size - 1;
}

bool OwnRoom::AsItWas(const PodFacts& pod) const {
  const absl::Time posted = told_.Posted(pod.uid);
  const NodeFacts* node = told_.Node(pod.node_name);
  const auto now = api_.nodes().find(pod.node_name);
  return posted > since_ && node != nullptr && now != api_.nodes().end() && *node == now->second &&
         !told_.NewsSince(*node, posted) && service_.open_posts(pod.uid) == 0;
}

// Its room can be held as it stands: else it is nobody's.
bool OwnRoom::MayLose(const Job& job, const PodFacts& pod) const {
  if (time_.now() < since_ + kFoundAgain || !IsLate(job)) return false;
  if (AmountsOf(pod.requests) != MemberOf(job) || !AsItWas(pod) || !RestRuns(job, pod))
    return false;
  const NodeFacts& node = *told_.Node(pod.node_name);
  if (!node.ready || node.unschedulable || !node.taints.empty() || node.maintenance != 0)
    return false;
  const Model& model = service_.planner().model();
  const NodeIndex index = model.FindNode(pod.node_name);
  const auto stands = [&](std::string_view resource) {  // with the pod
    const ResourceUse use = model.Use(index, resource);
    return use.used + use.held <= use.allocatable;
  };
  return stands("example.com/gpu") && stands("cpu");
}

bool OwnRoom::HasRoom(const Left& left) const {
  const Model& model = service_.planner().model();
  const NodeIndex node = model.FindNode(left.node);
  const auto free = [&](std::string_view resource) {
    const ResourceUse use = model.Use(node, resource);
    return use.allocatable - use.used - use.held;
  };
  return left.room.FitsIn({free("example.com/gpu"), free("cpu")});
}

std::set<OwnRoom::Hold> OwnRoom::HoldsOn(const std::string& node, const std::string& but_of) const {
  std::set<Hold> holds;
  std::set<std::string> names;
  for (const GroupReport& group : service_.planner().List(0, kMostListed)) names.insert(group.name);
  names.erase(but_of);
  for (const std::string& name : names) {
    const std::optional<GroupReport> group = service_.planner().Report(name);
    for (const GroupReport::SlotReport& slot : group->slots) {
      if (slot.node == node && (slot.state == "held" || slot.state == "posting"))
        holds.emplace(name, group->key.incarnation, slot.pod_set, slot.rank);
    }
  }
  return holds;
}

void OwnRoom::Forget(const std::string& node) {
  std::erase_if(left_, [&](const auto& entry) { return entry.second.node == node; });
}

// It is over when its gang holds its room. What is taken by others than gangs is nobody's harm.
void OwnRoom::AfterInput() {
  for (auto next = left_.begin(); next != left_.end();) {
    const auto& [job, left] = *next;
    const std::optional<GroupReport> report = service_.planner().Report(GroupName(*job));
    const bool over = time_.now() >= left.until || !report || !IsLate(*job);
    const bool holds =
        report &&
        std::any_of(report->slots.begin(), report->slots.end(), [&left = left](const auto& slot) {
          return slot.node == left.node && slot.state == "held";
        });
    if (!over && !holds && HasRoom(left)) {
      ++next;
      continue;
    }
    if (!over && !holds) {
      for (const Hold& hold : HoldsOn(left.node, GroupName(*job))) {
        if (left.others.contains(hold)) continue;
        throw Broken(fmt::format("{} has room on {} that a pod of {} has left, and may come again",
                                 std::get<0>(hold), left.node, job->spec.Uid()));
      }
    }
    next = left_.erase(next);
  }
}

}  // namespace gangplan::simulation
