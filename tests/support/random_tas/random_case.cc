#include "tests/support/random_tas/random_case.h"

#include <algorithm>

#include "fmt/format.h"
#include "tests/support/random_tas/parts.h"
#include "tests/support/tas_reference/reference.h"

namespace gangplan::random_tas {
namespace {

using conformance::Assignment;
using conformance::CasePodSet;
using conformance::PlacementCase;

struct Placement {
  std::string pod_set;
  Assignment assignment;
};

// Where the reference would place the pod sets; those before the first that does not fit.
std::vector<Placement> PlacementsNow(const PlacementCase& placement_case) {
  std::vector<Placement> placements;
  for (const conformance::PodSetAnswer& answer :
       tas_reference::ReferenceAnswer(placement_case, conformance::Compatibility::kExact)) {
    const auto* assignment = std::get_if<Assignment>(&answer.result);
    if (assignment != nullptr && !assignment->domains.empty())
      placements.push_back({answer.pod_set, *assignment});
  }
  return placements;
}

int64_t PodsOf(const Assignment& assignment) {
  int64_t pods = 0;
  for (const conformance::DomainCount& domain : assignment.domains) pods += domain.count;
  return pods;
}

std::vector<CasePodSet>::iterator FindPodSet(PlacementCase& placement_case,
                                             const std::string& name) {
  return std::find_if(placement_case.pod_sets.begin(), placement_case.pod_sets.end(),
                      [&](const CasePodSet& pod_set) { return pod_set.name == name; });
}

NodeFacts* FindHost(PlacementCase& placement_case, const std::string& host) {
  for (NodeFacts& node : placement_case.nodes) {
    const std::string* label = FindLabel(node.labels, "kubernetes.io/hostname");
    if (label != nullptr && *label == host) return &node;
  }
  return nullptr;
}

// A host that the placements use is lost, in one of several ways; sometimes a second one is gone.
void LoseNodes(Dice& dice, PlacementCase& placement_case, const std::string& host) {
  NodeFacts* node = FindHost(placement_case, host);
  const std::string name = node->name;
  if (dice.OneIn(2)) {
    node->ready = false;
  } else if (dice.OneIn(2)) {
    node->taints.push_back({"failing", "", TaintEffect::kNoExecute});
  } else if (!dice.OneIn(4)) {
    std::erase_if(placement_case.nodes, [&](const NodeFacts& n) { return n.name == name; });
  }
  if (dice.OneIn(15) && !placement_case.nodes.empty()) placement_case.nodes.pop_back();
}

// What the workload holds already, where it counts as use.
void CountAsUsed(PlacementCase& placement_case, const std::vector<Placement>& placements) {
  for (const Placement& placement : placements) {
    const CasePodSet& pod_set = *FindPodSet(placement_case, placement.pod_set);
    for (const conformance::DomainCount& domain : placement.assignment.domains) {
      const NodeFacts* node = FindHost(placement_case, domain.values.back());
      if (node == nullptr) continue;
      std::vector<std::string> path;
      for (const std::string& level : placement_case.levels)
        path.push_back(*FindLabel(node->labels, level));
      ResourceList used = pod_set.requests;
      for (ResourceAmount& r : used) r.amount *= domain.count;
      used.push_back({"pods", domain.count});
      placement_case.used.push_back({path, used});
    }
  }
}

bool Uses(const Assignment& assignment, const std::string& host) {
  return std::any_of(assignment.domains.begin(), assignment.domains.end(),
                     [&](const auto& domain) { return domain.values.back() == host; });
}

// The pod sets are placed already, and lose a host.
void MakeRepair(Dice& dice, PlacementCase& placement_case) {
  const std::vector<Placement> placements = PlacementsNow(placement_case);
  if (placements.empty() || placement_case.levels.back() != "kubernetes.io/hostname") return;
  const Assignment& hit = dice.OneOf(placements).assignment;
  const std::string host = dice.OneOf(hit.domains).values.back();
  conformance::Replacement& replacement = placement_case.replacement.emplace();
  replacement.unhealthy_nodes = {host};
  replacement.owned_by_single_pod = dice.OneIn(20);
  if (!dice.OneIn(3)) CountAsUsed(placement_case, placements);
  std::vector<CasePodSet> to_repair;
  for (const Placement& placement : placements) {
    const CasePodSet& pod_set = *FindPodSet(placement_case, placement.pod_set);
    replacement.admitted.push_back({pod_set.name, pod_set.count, placement.assignment});
    if (Uses(placement.assignment, host)) to_repair.push_back(pod_set);
  }
  placement_case.pod_sets = to_repair;
  LoseNodes(dice, placement_case, host);
}

// The pod sets were placed with other counts before; sometimes a node has gone since.
void MakeElastic(Dice& dice, PlacementCase& placement_case) {
  placement_case.options.elastic_delta = true;
  const std::vector<Placement> placements = PlacementsNow(placement_case);
  if (placements.size() != placement_case.pod_sets.size()) return;  // whole groups or none
  for (const Placement& placement : placements) {
    CasePodSet& pod_set = *FindPodSet(placement_case, placement.pod_set);
    pod_set.previous_assignment = placement.assignment;
    const bool leads = pod_set.name.starts_with("leader");
    if (!leads && !dice.OneIn(3))
      pod_set.count = std::max<int64_t>(2, PodsOf(placement.assignment) + dice.Between(-3, 4));
  }
  if (dice.OneIn(6) && !placement_case.nodes.empty()) placement_case.nodes.pop_back();
}

}  // namespace

PlacementCase RandomCase(uint64_t seed) {
  Dice dice(seed);
  PlacementCase placement_case;
  placement_case.id = fmt::format("seed {}", seed);
  const Focus focus =
      dice.OneOf<Focus>({Focus::kAny, Focus::kAny, Focus::kAny, Focus::kBalance, Focus::kLayers});
  AddCluster(dice, focus, placement_case);
  AddPodSets(dice, focus, placement_case);
  if (dice.OneIn(focus == Focus::kLayers ? 2 : 5))
    MakeRepair(dice, placement_case);
  else if (dice.OneIn(8))
    MakeElastic(dice, placement_case);
  return placement_case;
}

PlacementCase Shuffled(PlacementCase placement_case, uint64_t seed) {
  Dice dice(seed);
  dice.Shuffle(placement_case.nodes);
  dice.Shuffle(placement_case.running_pods);
  dice.Shuffle(placement_case.used);
  return placement_case;
}

}  // namespace gangplan::random_tas
