#include "tests/support/tas_validity.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "fmt/format.h"
#include "tests/support/tas_reference/counts.h"
#include "topology/tree.h"

namespace gangplan::tas_validity {
namespace {

using conformance::Assignment;
using conformance::CasePodSet;
using conformance::Compatibility;
using conformance::PlacementAnswer;
using conformance::PlacementCase;
using conformance::SliceLayer;
using tas_reference::Amounts;
using tas_reference::Tree;
using tas_reference::World;
using PodsByLeaf = std::map<int, int64_t>;

int64_t Sum(const PodsByLeaf& pods) {
  int64_t sum = 0;
  for (const auto& [leaf, count] : pods) sum += count;
  return sum;
}

class Checker {
 public:
  Checker(const PlacementCase& placement_case, Compatibility compatibility)
      : case_(placement_case),
        exact_(compatibility == Compatibility::kExact),
        world_(tas_reference::MakeWorld(placement_case)) {}

  std::string Check(const PlacementAnswer& answer) {
    for (const conformance::PodSetAnswer& entry : answer) {
      const auto* assignment = std::get_if<Assignment>(&entry.result);
      if (assignment == nullptr) continue;
      const CasePodSet& pod_set = PodSet(entry.pod_set);
      std::string fault = CheckForm(*assignment);
      if (fault.empty()) fault = CheckPodSet(pod_set, *assignment);
      if (!fault.empty()) return fmt::format("{}: {}", pod_set.name, fault);
    }
    return case_.options.elastic_delta ? "" : CheckRoom();
  }

 private:
  const CasePodSet& PodSet(const std::string& name) const {
    return *std::find_if(case_.pod_sets.begin(), case_.pod_sets.end(),
                         [&](const CasePodSet& p) { return p.name == name; });
  }

  const Assignment* Admitted(const CasePodSet& pod_set) const {
    if (!case_.replacement) return nullptr;
    for (const conformance::AdmittedPodSet& admitted : case_.replacement->admitted) {
      if (admitted.pod_set == pod_set.name) return &admitted.assignment;
    }
    return nullptr;
  }

  // The pod set of its group that it goes with as the one pod that leads; null: it does not lead.
  const CasePodSet* WorkersOf(const CasePodSet& pod_set) const {
    if (pod_set.group.empty() || case_.replacement) return nullptr;
    for (const CasePodSet& other : case_.pod_sets) {
      if (&other == &pod_set || other.group != pod_set.group) continue;
      const bool leads =
          pod_set.count < other.count || (pod_set.count == other.count && &other < &pod_set);
      return leads ? &other : nullptr;
    }
    return nullptr;
  }

  // An order kept from before is free.
  std::string CheckForm(const Assignment& assignment) const {
    if (assignment.levels != world_.tree.ShownLevels()) return "other levels than the topology's";
    int before = -1;
    const bool placed_now = !case_.replacement && !case_.options.elastic_delta;
    for (const conformance::DomainCount& domain : assignment.domains) {
      const int leaf = world_.tree.Leaf(domain.values);
      if (domain.count <= 0) return "a domain without pods";
      if (placed_now && leaf <= before) return "domains out of order, or unknown";
      before = leaf;
    }
    return "";
  }

  PodsByLeaf ByLeaf(const Assignment& assignment) const {
    PodsByLeaf pods;
    for (const conformance::DomainCount& domain : assignment.domains)
      pods[world_.tree.Leaf(domain.values)] += domain.count;
    return pods;
  }

  std::string CheckPodSet(const CasePodSet& pod_set, const Assignment& assignment) {
    const PodsByLeaf pods = ByLeaf(assignment);
    const Assignment* admitted = Admitted(pod_set);
    if (admitted != nullptr) return CheckRepair(pod_set, pods, ByLeaf(*admitted));
    const CasePodSet* workers = WorkersOf(pod_set);
    const int64_t want = workers != nullptr ? 1 : WantedPods(pod_set);
    const bool may_lack = MayLackPods(workers != nullptr ? *workers : pod_set);
    if (Sum(pods) != want && !may_lack) return fmt::format("{} pods placed of {}", Sum(pods), want);
    if (case_.options.elastic_delta) return "";
    for (const auto& [leaf, count] : pods) fresh_[leaf][&pod_set] += count;
    std::string fault = CheckFilter(workers != nullptr && exact_ ? *workers : pod_set, pods);
    if (fault.empty()) fault = CheckRequired(pod_set, pods);
    if (fault.empty() && workers == nullptr && !may_lack) fault = CheckSlices(pod_set, pods);
    return fault;
  }

  // Exactly as Kueue: what is no whole slice is left out.
  int64_t WantedPods(const CasePodSet& pod_set) const {
    const int64_t size = OutermostSize(pod_set);
    return exact_ && !case_.options.elastic_delta ? pod_set.count / size * size : pod_set.count;
  }

  static int64_t OutermostSize(const CasePodSet& pod_set) {
    const bool sliced = pod_set.topology && !pod_set.topology->slices.empty();
    return sliced ? pod_set.topology->slices[0].size.value_or(1) : 1;
  }

  // Exactly as Kueue: balanced placement of slices may come out incomplete, and an elastic job may
  // grow by no whole slice.
  bool MayLackPods(const CasePodSet& pod_set) const {
    const bool sliced = pod_set.topology && !pod_set.topology->slices.empty();
    return exact_ && sliced &&
           (case_.options.elastic_delta ||
            (case_.options.balanced_placement && pod_set.topology->preferred));
  }

  std::string CheckFilter(const CasePodSet& pod_set, const PodsByLeaf& pods) const {
    NodeFilter filter = pod_set.filter;
    for (const Toleration& more : case_.flavor_tolerations) filter.tolerations.push_back(more);
    for (const auto& [leaf, count] : pods) {
      const NodeFacts* host = world_.tree.domains[leaf].host;
      if (host == nullptr || (MatchesSelector(filter, *host) && ToleratesTaints(filter, *host)))
        continue;
      return fmt::format("not allowed on {}", host->name);
    }
    return "";
  }

  // The required domain of a group holds all its pods.
  std::string CheckRequired(const CasePodSet& pod_set, const PodsByLeaf& pods) {
    if (!pod_set.topology || !pod_set.topology->required) return "";
    const std::string& group = pod_set.group.empty() ? pod_set.name : pod_set.group;
    std::set<int>& domains = required_[group];
    for (const auto& [leaf, count] : pods)
      domains.insert(world_.tree.AncestorAt(leaf, LevelOf(*pod_set.topology->required)));
    return domains.size() > 1 ? "in several required domains" : "";
  }

  int LevelOf(const std::string& key) const {
    const auto& levels = case_.levels;
    return static_cast<int>(std::find(levels.begin(), levels.end(), key) - levels.begin());
  }

  // Domains of the layer's level that hold no whole slices.
  int64_t Torn(const SliceLayer& layer, const PodsByLeaf& pods) const {
    PodsByLeaf by_domain;
    for (const auto& [leaf, count] : pods)
      by_domain[world_.tree.AncestorAt(leaf, LevelOf(layer.level))] += count;
    return std::count_if(by_domain.begin(), by_domain.end(),
                         [&](const auto& entry) { return entry.second % *layer.size != 0; });
  }

  // A last slice that is not full may be torn once a layer.
  std::string CheckSlices(const CasePodSet& pod_set, const PodsByLeaf& pods) const {
    if (!pod_set.topology) return "";
    for (const SliceLayer& layer : pod_set.topology->slices) {
      const int64_t allowed = Sum(pods) % *layer.size == 0 ? 0 : 1;
      if (Torn(layer, pods) > allowed) return fmt::format("torn slices of {}", *layer.size);
    }
    return "";
  }

  std::string CheckRepair(const CasePodSet& pod_set, const PodsByLeaf& pods, PodsByLeaf admitted) {
    if (pods == admitted) return "";  // kept as it was
    const int64_t held = Sum(admitted);
    const bool whole = OutermostSize(pod_set) == 1 ||
                       Torn(pod_set.topology->slices[0], Without(admitted, -1)) == 0;
    const bool known = !admitted.contains(-1);  // the lost host is still in the tree
    if (known) admitted.erase(world_.tree.Leaf({case_.replacement->unhealthy_nodes[0]}));
    admitted.erase(-1);
    for (const auto& [leaf, count] : pods) {
      const int64_t more = count - (admitted.contains(leaf) ? admitted[leaf] : 0);
      if (more < 0) return "a pod that stays has moved";
      if (more > 0) fresh_[leaf][&pod_set] += more;
    }
    if (MayLackPods(pod_set) || (exact_ && held % OutermostSize(pod_set) != 0)) return "";
    if (Sum(pods) != held) return fmt::format("{} pods after the repair of {}", Sum(pods), held);
    if (known && whole && OutermostSize(pod_set) > 1 && Torn(pod_set.topology->slices[0], pods) > 0)
      return "torn slices after the repair";
    return "";
  }

  static PodsByLeaf Without(PodsByLeaf pods, int leaf) {
    pods.erase(leaf);
    return pods;
  }

  std::string CheckRoom() const {
    for (const auto& [leaf, by_pod_set] : fresh_) {
      Amounts taken;
      for (const auto& [pod_set, count] : by_pod_set)
        tas_reference::Add(taken, tas_reference::RequestOf(pod_set->requests, count));
      Amounts room = world_.tree.domains[leaf].free;
      const auto used = world_.used.find(leaf);
      if (used != world_.used.end()) {
        for (const auto& [name, amount] : used->second) room[name] -= amount;
      }
      for (const auto& [name, amount] : taken) {
        if (amount > 0 && amount > room[name])
          return fmt::format("{} of {} taken, {} there", amount, name, room[name]);
      }
    }
    return "";
  }

  const PlacementCase& case_;
  const bool exact_;
  const World world_;
  std::map<int, std::map<const CasePodSet*, int64_t>> fresh_;  // pods placed now, by leaf
  std::map<std::string, std::set<int>> required_;              // domains used, by group
};

}  // namespace

std::string Fault(const PlacementCase& placement_case, const PlacementAnswer& answer,
                  Compatibility compatibility) {
  return Checker(placement_case, compatibility).Check(answer);
}

}  // namespace gangplan::tas_validity
