#include "tests/support/tas_reference/repair.h"

#include <algorithm>

#include "topology/tree.h"

namespace gangplan::tas_reference {
namespace {

// The innermost slice layer that `lost` pods are no multiple of; null: none.
const conformance::SliceLayer* BrokenLayer(const conformance::TopologyWords& words, int64_t lost) {
  for (auto layer = words.slices.rbegin(); layer != words.slices.rend(); ++layer) {
    if (layer->size && lost % *layer->size != 0) return &*layer;
  }
  return nullptr;
}

int LevelOf(const Tree& tree, const std::string& key) {
  const auto found = std::find(tree.levels.begin(), tree.levels.end(), key);
  return static_cast<int>(found - tree.levels.begin());
}

// The first domain of the layer's level that lacks just the lost pods.
std::optional<int> BrokenDomain(const Tree& tree, const conformance::SliceLayer& layer,
                                const std::map<int, int64_t>& rest, int64_t lost) {
  std::map<int, int64_t> pods;
  for (const auto& [leaf, count] : rest)
    pods[tree.AncestorAt(leaf, LevelOf(tree, layer.level))] += count;
  for (const auto& [domain, count] : pods) {
    if ((count + lost) % *layer.size == 0) return domain;
  }
  return std::nullopt;
}

// Only what is left of a slice is asked for: its innermost layer that the lost pods fill.
void ReplaceSlices(Words& words, int64_t lost, bool keep_top_level) {
  std::vector<conformance::SliceLayer> kept;
  for (const conformance::SliceLayer& layer : words.topology->slices) {
    if (lost % *layer.size == 0) kept = {layer};
  }
  words.topology->slices = kept;
  words.keep_top_level = keep_top_level;
}

std::optional<int> Confine(const Tree& tree, const std::map<int, int64_t>& rest, int first_rest,
                           int64_t lost, bool fixed, Words& words) {
  if (!words.topology || rest.empty()) return std::nullopt;
  if (const conformance::SliceLayer* broken = BrokenLayer(*words.topology, lost)) {
    if (const std::optional<int> domain = BrokenDomain(tree, *broken, rest, lost)) {
      ReplaceSlices(words, lost, fixed);
      return domain;
    }
  }
  if (!words.topology->required) return std::nullopt;
  return tree.AncestorAt(first_rest, LevelOf(tree, *words.topology->required));
}

const conformance::AdmittedPodSet& AdmittedOf(const PlacementCase& placement_case,
                                              const std::string& pod_set) {
  const auto& admitted = placement_case.replacement->admitted;
  return *std::find_if(admitted.begin(), admitted.end(),
                       [&](const auto& a) { return a.pod_set == pod_set; });
}

}  // namespace

Assignment ToAssignment(const Tree& tree, const std::map<int, int64_t>& pods) {
  Assignment assignment{tree.ShownLevels(), {}};
  for (const auto& [leaf, count] : pods)
    assignment.domains.push_back({tree.ShownValues(leaf), count});
  return assignment;
}

void Assume(World& world, const CasePodSet& pod_set, const std::map<int, int64_t>& pods) {
  for (const auto& [leaf, count] : pods)
    Add(world.assumed[leaf], RequestOf(pod_set.requests, count));
}

std::variant<Assignment, Failure> Repair(World& world, const CasePodSet& pod_set,
                                         Compatibility compatibility) {
  const PlacementCase& placement_case = *world.placement_case;
  const conformance::Replacement& replacement = *placement_case.replacement;
  const Assignment& old = AdmittedOf(placement_case, pod_set.name).assignment;
  if (replacement.owned_by_single_pod &&
      placement_case.options.keep_assignment_for_single_pod_owner) {
    return old;
  }
  std::map<int, int64_t> rest;
  int first_rest = -1;
  int64_t lost = 0;
  for (const conformance::DomainCount& domain : old.domains) {
    if (domain.values.back() == replacement.unhealthy_nodes[0]) {
      lost += domain.count;
      continue;
    }
    const int leaf = world.tree.Leaf(domain.values);
    if (leaf < 0) {
      Failure stale;
      stale.kind = "replacement_stale_assignment";
      return stale;
    }
    if (first_rest < 0) first_rest = leaf;
    rest[leaf] += domain.count;
  }
  if (lost == 0) return old;
  Words words{pod_set.topology};
  const std::optional<int> confined_to =
      Confine(world.tree, rest, first_rest, lost, compatibility == Compatibility::kFixed, words);
  std::variant<Ask, Failure> ask = MakeAsk(placement_case, world.tree, words, compatibility);
  if (auto* failure = std::get_if<Failure>(&ask)) return *failure;
  Ask& repair = std::get<Ask>(ask);
  repair.workers = &pod_set;
  repair.count = lost;
  repair.confined_to = confined_to;
  std::variant<Placed, Failure> placed = Place(world, repair);
  if (auto* failure = std::get_if<Failure>(&placed)) return *failure;
  const std::map<int, int64_t>& found = std::get<Placed>(placed).workers;
  Assume(world, pod_set, found);
  for (const auto& [leaf, count] : found) rest[leaf] += count;
  return ToAssignment(world.tree, rest);
}

}  // namespace gangplan::tas_reference
