#include "tests/simulation/fit.h"

#include <algorithm>
#include <set>

#include "tests/simulation/room.h"

namespace gangplan::simulation {
namespace {

bool Leads(const Job& job, size_t index) { return job.spec.leader_gpus > 0 && index == 0; }

}  // namespace

FitFinder::Standing FitFinder::StandingBeside(Standing standing) const {
  for (const auto& [uid, pod] : api_.pods()) {
    if (!pod.node_name.empty() && !pod.finished()) standing[pod.node_name].push_back(&pod);
  }
  return standing;
}

size_t FitFinder::RunningOf(const Job& job) const {
  return static_cast<size_t>(
      std::count_if(job.indices.begin(), job.indices.end(), [&](const Job::Index& index) {
        const auto pod = api_.pods().find(index.pod);
        return pod != api_.pods().end() && !pod->second.node_name.empty() &&
               !pod->second.finished();
      }));
}

// Room is planned for all, also for pods that are made when the last one is bound.
FitFinder::Missing FitFinder::MissingOf(const Job& job) const {
  Missing missing;
  for (size_t i = 0; i < job.indices.size(); ++i) {
    const auto pod = api_.pods().find(job.indices[i].pod);
    if (pod == api_.pods().end() || !pod->second.node_name.empty()) continue;
    (Leads(job, i) ? missing.leaders : missing.others).push_back(pod->second);
  }
  if (job.ordered && !missing.others.empty()) {
    const size_t bound = RunningOf(job);
    const auto size = static_cast<size_t>(job.spec.size);
    const PodFacts like = missing.others.front();
    while (missing.others.size() + bound < size) missing.others.push_back(like);
  }
  return missing;
}

// One that holds what stands, each where nothing does. Leaders and workers that go apart have their
// own.
std::vector<FitFinder::Nodes> FitFinder::DomainsFor(const Job& job, bool leader, bool& torn) const {
  std::set<std::string> taken;
  for (size_t i = 0; i < job.indices.size(); ++i) {
    const auto pod = api_.pods().find(job.indices[i].pod);
    if (pod == api_.pods().end() || pod->second.node_name.empty() || pod->second.finished() ||
        pod->second.terminating || (!job.spec.together && Leads(job, i) != leader))
      continue;
    const auto node = api_.nodes().find(pod->second.node_name);
    if (node != api_.nodes().end() && IsHome(job, node->second))
      taken.insert(DomainAt(node->second, job.hard_level));
  }
  torn = torn || taken.size() > 1;
  std::map<std::string, Nodes> domains;
  for (const auto& [name, node] : api_.nodes()) {
    const std::string domain = DomainAt(node, job.hard_level);
    if (!IsHome(job, node)) continue;
    if (taken.empty() || taken.contains(domain)) domains[domain].push_back(&node);
  }
  std::vector<Nodes> lists;
  for (auto& [domain, nodes] : domains) lists.push_back(std::move(nodes));
  return lists;
}

bool FitFinder::Stands(const PodFacts& pod, const NodeFacts& node,
                       const std::vector<const PodFacts*>& standing) const {
  if (!node.ready || node.unschedulable || !node.taints.empty()) return false;
  if (node.maintenance != 0) return false;  // it may take the pod, and need not
  if (pod.filter.required_terms && !MatchesSelector(pod.filter, node)) return false;
  if (rules_.Refuses(pod, node, standing)) return false;
  Amounts needed = AmountsOf(pod.requests);
  for (const PodFacts* other : standing) needed += AmountsOf(other->requests);
  return needed.FitsIn(AmountsOf(node.allocatable));
}

// Pods like this one that the nodes take.
int64_t FitFinder::Count(const PodFacts& pod, const Standing& standing, const Nodes& nodes) const {
  int64_t count = 0;
  for (const NodeFacts* node : nodes) {
    std::vector<const PodFacts*> on;
    if (const auto found = standing.find(node->name); found != standing.end()) on = found->second;
    for (; Stands(pod, *node, on); on.push_back(&pod)) ++count;
  }
  return count;
}

bool FitFinder::AllFit(const Missing& missing, const Standing& standing, const Nodes& nodes,
                       const Nodes& leader_nodes) const {
  const auto workers_fit = [&](const Standing& beside) {
    return missing.others.empty() || Count(missing.others.front(), beside, nodes) >=
                                         static_cast<int64_t>(missing.others.size());
  };
  if (missing.leaders.empty()) return workers_fit(standing);
  const PodFacts& leader = missing.leaders.front();
  return std::any_of(leader_nodes.begin(), leader_nodes.end(), [&](const NodeFacts* node) {
    Standing beside = standing;
    if (!Stands(leader, *node, beside[node->name])) return false;
    beside[node->name].push_back(&leader);
    return workers_fit(beside);
  });
}

Fit FitFinder::Find(const Job& job, const Standing& kept) const {
  const Standing standing = StandingBeside(kept);
  const Missing missing = MissingOf(job);
  bool torn = false;
  const std::vector<Nodes> domains = DomainsFor(job, false, torn);
  const std::vector<Nodes> leader_domains = DomainsFor(job, true, torn);
  if (torn) return Fit::kTorn;
  for (const Nodes& nodes : domains) {
    if (missing.leaders.empty() || job.spec.together) {
      if (AllFit(missing, standing, nodes, nodes)) return Fit::kFits;
      continue;
    }
    for (const Nodes& leader_nodes : leader_domains) {
      if (AllFit(missing, standing, nodes, leader_nodes)) return Fit::kFits;
    }
  }
  return Fit::kNoRoom;
}

}  // namespace gangplan::simulation
