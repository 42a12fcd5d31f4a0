#include "tests/simulation/checker.h"

#include <algorithm>
#include <set>

#include "extender/planner/words.h"
#include "fmt/format.h"
#include "tests/support/query.h"

namespace gangplan::simulation {

namespace {

std::string PodSetOf(const PodFacts& pod) {
  const std::string* name = FindLabel(pod.annotations, kPodSetWord);
  return name == nullptr ? std::string() : *name;
}

}  // namespace

Checker::Checker(Timeline& time, ApiServer& api, Service& service, Jobs& jobs)
    : time_(time), api_(api), service_(service), jobs_(jobs) {
  api_.before_bind = [this](const PodFacts& pod, const std::string& node) {
    BeforeBind(pod, node);
  };
}

void Checker::AfterInput() {
  std::string broken = service_.planner().BrokenInvariant();
  if (!broken.empty()) throw Broken(broken);
}

void Checker::Restarted() {
  told_.clear();
  told_bound_.clear();
}

void Checker::Told(const PodFacts& pod) {
  told_[pod.uid] = pod;
  if (!pod.node_name.empty()) told_bound_.try_emplace(pod.uid, time_.now());
}

void Checker::ToldGone(const std::string& uid) { told_.erase(uid); }

// As the planner can know: some member is bound and stays, or has finished, or a Binding of it is
// open or was just written.
bool Checker::Begun(const Job& job) const {
  if (std::find(job.succeeded.begin(), job.succeeded.end(), true) != job.succeeded.end())
    return true;
  for (const auto& [uid, pod] : told_) {
    bool failed = pod.phase == PodPhase::kFailed;
    if (jobs_.Of(uid) == &job && !pod.node_name.empty() && !pod.terminating && !failed) return true;
  }
  for (const auto& [uid, pod] : api_.pods()) {
    if (jobs_.Of(uid) != &job) continue;
    if (!pod.node_name.empty() || service_.open_posts(uid) > 0) return true;
  }
  return false;
}

// The first Bindings of a gang come all at once.
void Checker::Posting(const std::vector<BindingWrite>& posts) {
  std::map<const Job*, std::set<std::string>> by_job;
  for (const BindingWrite& post : posts) {
    posted_[post.pod.uid] = time_.now();
    if (const Job* job = jobs_.Of(post.pod.uid)) by_job[job].insert(post.pod.uid);
  }
  for (const auto& [job, uids] : by_job) {
    if (static_cast<int32_t>(uids.size()) < job->spec.size && !Begun(*job)) {
      throw Broken(fmt::format("gang {} of {} begins with {} members", job->spec.name,
                               job->spec.size, uids.size()));
    }
  }
}

void Checker::BeforeBind(const PodFacts& pod, const std::string& node) {
  CheckRoom(pod, node);
  const Job* job = jobs_.Of(pod.uid);
  if (job == nullptr) return;
  CheckDomain(*job, pod, node);
  if (ranks_in_order && !job->disturbed) CheckRanks(*job);
}

// What the second scheduler bound counts from the moment when the planner could know of it.
void Checker::CheckRoom(const PodFacts& pod, const std::string& node) const {
  auto facts = api_.nodes().find(node);
  if (facts == api_.nodes().end()) return;  // a node that went meanwhile
  int64_t used = Gpus(pod.requests);
  for (const auto& [uid, other] : api_.pods()) {
    if (other.node_name != node || other.finished()) continue;
    if (jobs_.second(uid)) {
      auto told = told_bound_.find(uid);
      if (told == told_bound_.end() || told->second > posted_.at(pod.uid)) continue;
    }
    used += Gpus(other.requests);
  }
  if (used > Gpus(facts->second.allocatable)) {
    throw Broken(fmt::format("node {} is over-committed by {}: {} of {}", node, pod.name, used,
                             Gpus(facts->second.allocatable)));
  }
}

void Checker::CheckDomain(const Job& job, const PodFacts& pod, const std::string& node) const {
  if (job.hard_level < 0 || !api_.nodes().contains(node)) return;
  // Decided on before its node went, written after it came back: what is on its way cannot come
  // back.
  auto stray = [this](const std::string& uid, const std::string& on) {
    auto gone = api_.last_gone.find(on);
    auto posted = posted_.find(uid);
    return gone != api_.last_gone.end() && posted != posted_.end() &&
           gone->second >= posted->second;
  };
  if (stray(pod.uid, node)) return;
  for (const auto& [uid, other] : api_.pods()) {
    if (jobs_.Of(uid) != &job || other.node_name.empty() || other.terminating || other.finished() ||
        !api_.nodes().contains(other.node_name) || stray(uid, other.node_name))
      continue;
    if (!job.spec.together && PodSetOf(other) != PodSetOf(pod)) continue;
    if (DomainOf(other.node_name, job.hard_level) != DomainOf(node, job.hard_level)) {
      throw Broken(fmt::format("gang {}: {} goes to {} while {} is on {}", job.spec.name, pod.name,
                               node, other.name, other.node_name));
    }
  }
}

void Checker::CheckRanks(const Job& job) const {
  std::map<std::string, std::map<int64_t, std::string>> node_of;  // by pod set and rank
  for (const auto& [uid, pod] : api_.pods()) {
    if (jobs_.Of(uid) != &job || pod.node_name.empty() || pod.terminating) continue;
    const std::string* rank = FindLabel(pod.annotations, kAssignedRankWord);
    if (rank == nullptr) throw Broken(fmt::format("{} is bound without a rank", pod.name));
    const std::string* index =
        FindLabel(pod.annotations, "batch.kubernetes.io/job-completion-index");
    const int64_t first = job.spec.together && PodSetOf(pod) == "workers" ? 1 : 0;
    if (index != nullptr && NumberAt(*index) - first != NumberAt(*rank))
      throw Broken(fmt::format("{} has rank {} for index {}", pod.name, *rank, *index));
    node_of[PodSetOf(pod)][NumberAt(*rank)] = pod.node_name;
  }
  for (const auto& [set, nodes] : node_of) {
    std::string last;
    for (const auto& [rank, node] : nodes) {
      if (node < last)
        throw Broken(
            fmt::format("gang {}: rank {} on {} after {}", job.spec.name, rank, node, last));
      last = node;
    }
  }
}

}  // namespace gangplan::simulation
