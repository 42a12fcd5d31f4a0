#include "tests/conformance/capacity.h"

#include <algorithm>

#include "fmt/format.h"
#include "topology/base/status_macros.h"

namespace gangplan::conformance {
namespace {

constexpr int64_t kMostPods = 1'000'000;  // sums of a case stay in 32 bits
// Stands for an empty label value, which counts as a value here and sorts first.
const std::string kEmptyValue(1, '\0');

bool TakesPart(const PlacementCase& placement_case, const NodeFacts& node) {
  if (!node.ready || node.unschedulable) return false;
  for (const auto& [key, value] : placement_case.node_filter_labels) {
    const std::string* label = FindLabel(node.labels, key);
    if (label == nullptr || *label != value) return false;
  }
  return std::all_of(placement_case.levels.begin(), placement_case.levels.end(),
                     [&](const auto& key) { return FindLabel(node.labels, key) != nullptr; });
}

// As the tree reads it: no empty values at the levels.
NodeFacts ForTree(NodeFacts node, const std::vector<std::string>& levels) {
  for (auto& [key, value] : node.labels) {
    if (value.empty() && std::find(levels.begin(), levels.end(), key) != levels.end())
      value = kEmptyValue;
  }
  return node;
}

std::string TaintText(const Taint& taint) {
  const char* effect = taint.effect == TaintEffect::kNoExecute ? "NoExecute" : "NoSchedule";
  return fmt::format("taint:{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     effect);
}

}  // namespace

absl::StatusOr<CaseCapacity> CaseCapacity::Make(const PlacementCase& placement_case,
                                                Compatibility compatibility) {
  CaseCapacity capacity(placement_case, compatibility);
  GANGPLAN_RETURN_IF_ERROR(capacity.Build());
  return capacity;
}

absl::Status CaseCapacity::Build() {
  Topology topology;
  for (const std::string& level : case_.levels) topology.levels.push_back({level, level});
  GANGPLAN_ASSIGN_OR_RETURN(topology, CompleteTopology(std::move(topology)));
  hosts_ = topology.levels.size() == case_.levels.size();
  lowest_ = static_cast<int>(case_.levels.size()) - 1;
  std::vector<const NodeFacts*> nodes;
  for (const NodeFacts& node : case_.nodes) {
    if (TakesPart(case_, node)) nodes.push_back(&node);
  }
  std::sort(nodes.begin(), nodes.end(), [](auto* a, auto* b) { return a->name < b->name; });
  Merge(std::move(nodes));
  std::vector<const NodeFacts*> merged;
  for (const NodeFacts& node : nodes_) merged.push_back(&node);
  tree_ = Tree(topology, merged);
  free_.resize(tree_.size(lowest_));
  host_of_.resize(free_.size());
  for (int32_t domain = 0; domain < tree_.size(lowest_); ++domain) {
    Tree::Range leaves = tree_.leaves(lowest_, domain);
    for (int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) {
      const int32_t source = tree_.leaf_source()[leaf];
      for (const auto& [name, amount] : node_free_[source]) free_[domain][name] += amount;
      if (hosts_) host_of_[domain] = originals_[source];
    }
  }
  for (const UsedDomain& used : case_.used) {
    const int32_t domain = Find(used.domain);
    if (domain < 0) continue;
    for (const ResourceAmount& r : used.requests) free_[domain][r.name] -= r.amount;
  }
  return absl::OkStatus();
}

// One node per host name, with the labels of the first by name; without host names every node.
void CaseCapacity::Merge(std::vector<const NodeFacts*> nodes) {
  std::map<std::string, size_t> by_host;
  for (const NodeFacts* node : nodes) {
    std::string name = hosts_ ? *FindLabel(node->labels, case_.levels.back()) : node->name;
    if (name.empty()) name = kEmptyValue;
    const auto [known, is_new] = by_host.emplace(name, nodes_.size());
    if (is_new) {
      nodes_.push_back(ForTree(*node, case_.levels));
      nodes_.back().name = name;
      originals_.push_back(node);
      node_free_.emplace_back();
    }
    TakeFree(*node, node_free_[known->second]);
  }
}

void CaseCapacity::TakeFree(const NodeFacts& node, Amounts& free) const {
  for (const ResourceAmount& r : node.allocatable) free[r.name] += r.amount;
  for (const RunningPod& pod : case_.running_pods) {
    if (pod.node != node.name || pod.phase == "Succeeded" || pod.phase == "Failed") continue;
    for (const ResourceAmount& r : pod.requests) free[r.name] -= r.amount;
    free["pods"] -= 1;
  }
}

int32_t CaseCapacity::Find(const std::vector<std::string>& values) const {
  for (int32_t domain = 0; domain < tree_.size(lowest_); ++domain) {
    std::vector<std::string> path;
    int32_t at = domain;
    for (int level = lowest_; level >= 0; at = tree_.parent(level, at), --level) {
      path.push_back(tree_.name(level, at) == kEmptyValue ? "" : tree_.name(level, at));
      if (hosts_) break;
    }
    std::reverse(path.begin(), path.end());
    if (hosts_ ? !values.empty() && values.back() == path.back() : values == path) return domain;
  }
  return -1;
}

std::vector<std::string> CaseCapacity::Shown(int32_t domain) const {
  std::vector<std::string> values;
  for (int level = lowest_; level >= 0; domain = tree_.parent(level, domain), --level) {
    const std::string& name = tree_.name(level, domain);
    values.insert(values.begin(), name == kEmptyValue ? "" : name);
    if (hosts_) break;
  }
  return values;
}

std::string CaseCapacity::Exclusion(const CasePodSet& pod_set, int32_t domain) const {
  if (host_of_[domain] == nullptr) return "";
  const NodeFacts& host = *host_of_[domain];
  NodeFilter filter = pod_set.filter;
  filter.tolerations.insert(filter.tolerations.end(), case_.flavor_tolerations.begin(),
                            case_.flavor_tolerations.end());
  for (const Taint& taint : host.taints) {
    NodeFacts only;
    only.taints = {taint};
    if (!ToleratesTaints(filter, only)) return TaintText(taint);
  }
  if (!MatchesSelector({filter.node_selector, std::nullopt, {}}, host)) return "node_selector";
  if (!MatchesSelector({{}, filter.required_terms, {}}, host)) return "affinity";
  return "";
}

CaseCapacity::Fit CaseCapacity::FitsIn(const Amounts& room, const CasePodSet& pod_set) {
  Amounts request;
  for (const ResourceAmount& r : pod_set.requests) request[r.name] += r.amount;
  request["pods"] += 1;
  Fit fit{kMostPods, ""};
  for (const auto& [name, amount] : request) {
    if (amount <= 0) continue;
    const auto found = room.find(name);
    const int64_t have = found == room.end() ? 0 : found->second;
    const int64_t pods = std::clamp<int64_t>(have / amount, 0, kMostPods);
    if (fit.limit.empty() || pods < fit.pods) fit = {pods, name};
  }
  return fit;
}

int32_t CaseCapacity::PodsThatFit(const Amounts& room, const CasePodSet& pod_set,
                                  bool allowed) const {
  return allowed ? static_cast<int32_t>(FitsIn(room, pod_set).pods) : 0;
}

void CaseCapacity::CountBesideLeader(const CasePodSet& workers, const CasePodSet& leader) {
  const bool own_filter = compatibility_ == Compatibility::kFixed;
  for (int32_t domain = 0; domain < tree_.size(lowest_); ++domain) {
    const bool allowed = Exclusion(workers, domain).empty();
    const bool leads = own_filter ? Exclusion(leader, domain).empty() : allowed;
    Amounts room = free_[domain];
    leader_fits_[domain] = PodsThatFit(room, leader, leads);
    if (leader_fits_[domain] > 0) {
      for (const ResourceAmount& r : leader.requests) room[r.name] -= r.amount;
      room["pods"] -= 1;
    }
    beside_leader_[domain] = PodsThatFit(room, workers, allowed);
  }
}

void CaseCapacity::Score(const CasePodSet& pod_set) {
  for (int32_t domain = 0; domain < tree_.size(lowest_); ++domain) {
    affinity_[domain] = 0;
    if (host_of_[domain] == nullptr || !Exclusion(pod_set, domain).empty()) continue;
    for (const WeightedTerm& preferred : pod_set.preferred_terms) {
      if (MatchesSelector({{}, std::vector<NodeSelectorTerm>{preferred.term}, {}},
                          *host_of_[domain]))
        affinity_[domain] += preferred.weight;
    }
  }
}

TasCounts CaseCapacity::Counts(int32_t workers, int32_t leader) {
  const size_t domains = free_.size();
  const CasePodSet& pod_set = case_.pod_sets[workers];
  counts_.levels.assign(lowest_ + 1, {});
  for (int level = 0; level <= lowest_; ++level) counts_.levels[level].resize(tree_.size(level));
  for (size_t domain = 0; domain < domains; ++domain) {
    int32_t at = static_cast<int32_t>(domain);
    const int32_t pods = PodsThatFit(free_[domain], pod_set, Exclusion(pod_set, at).empty());
    for (int level = lowest_; level >= 0; at = tree_.parent(level, at), --level)
      counts_.levels[level][at] += pods;
  }
  TasCounts counts;
  counts.lowest = lowest_;
  counts.workers = &counts_;
  if (leader >= 0) {
    leader_fits_.assign(domains, 0);
    beside_leader_.assign(domains, 0);
    CountBesideLeader(pod_set, case_.pod_sets[leader]);
    counts.workers_beside_leader = beside_leader_;
    counts.leader_fits = leader_fits_;
  }
  if (case_.options.preferred_node_affinity) {
    affinity_.assign(domains, 0);
    Score(pod_set);
    counts.affinity = affinity_;
  }
  return counts;
}

void CaseCapacity::Assume(int32_t pod_set, std::span<const TasShare> shares) {
  for (const TasShare& share : shares) {
    for (const ResourceAmount& r : case_.pod_sets[pod_set].requests)
      free_[share.domain][r.name] -= r.amount * share.count;
    free_[share.domain]["pods"] -= share.count;
  }
}

ExclusionStats CaseCapacity::Stats(int32_t pod_set, std::optional<Tree::Domain> confined) const {
  ExclusionStats stats;
  stats.total_nodes = tree_.size(lowest_);
  for (int32_t domain = 0; domain < tree_.size(lowest_); ++domain) {
    std::string reason = Exclusion(case_.pod_sets[pod_set], domain);
    int32_t above = domain;
    for (int level = lowest_; confined && level > confined->level; --level)
      above = tree_.parent(level, above);
    if (reason.empty() && confined && above != confined->index) reason = "topology_domain";
    const Fit fit = FitsIn(free_[domain], case_.pod_sets[pod_set]);
    if (reason.empty() && fit.pods == 0) reason = "resource:" + fit.limit;
    if (!reason.empty()) ++stats.excluded[reason];
  }
  return stats;
}

}  // namespace gangplan::conformance
