#include "tests/support/tas_reference/tree.h"

#include <algorithm>

#include "topology/tree.h"

namespace gangplan::tas_reference {
namespace {

constexpr std::string_view kHost = "kubernetes.io/hostname";

bool TakesPart(const PlacementCase& placement_case, const NodeFacts& node) {
  if (!node.ready || node.unschedulable) return false;
  for (const auto& [key, value] : placement_case.node_filter_labels) {
    const std::string* label = FindLabel(node.labels, key);
    if (label == nullptr || *label != value) return false;
  }
  return std::all_of(placement_case.levels.begin(), placement_case.levels.end(),
                     [&](const auto& key) { return FindLabel(node.labels, key) != nullptr; });
}

// By name, so that of two nodes with one host value always the same one gives path and labels.
std::vector<const NodeFacts*> NodesThatTakePart(const PlacementCase& placement_case) {
  std::vector<const NodeFacts*> nodes;
  for (const NodeFacts& node : placement_case.nodes) {
    if (TakesPart(placement_case, node)) nodes.push_back(&node);
  }
  std::sort(nodes.begin(), nodes.end(), [](auto* a, auto* b) { return a->name < b->name; });
  return nodes;
}

Path PathOf(const PlacementCase& placement_case, const NodeFacts& node) {
  Path path;
  for (const std::string& key : placement_case.levels) path.push_back(*FindLabel(node.labels, key));
  return path;
}

Amounts FreeOf(const PlacementCase& placement_case, const NodeFacts& node) {
  Amounts free;
  for (const ResourceAmount& r : node.allocatable) free[r.name] += r.amount;
  for (const conformance::RunningPod& pod : placement_case.running_pods) {
    if (pod.node != node.name || pod.phase == "Succeeded" || pod.phase == "Failed") continue;
    for (const auto& [name, amount] : RequestOf(pod.requests, 1)) free[name] -= amount;
  }
  return free;
}

void LinkDomains(const std::map<std::pair<size_t, Path>, Domain>& by_path, Tree& tree) {
  std::map<Path, int> index;
  for (const auto& [key, domain] : by_path) {
    const int at = static_cast<int>(tree.domains.size());
    index[domain.path] = at;
    tree.domains.push_back(domain);
    if (domain.level == 0) continue;
    tree.domains[at].parent = index[Path(domain.path.begin(), domain.path.end() - 1)];
    tree.domains[tree.domains[at].parent].children.push_back(at);
  }
}

}  // namespace

std::vector<int> Tree::At(int level) const {
  std::vector<int> found;
  for (size_t i = 0; i < domains.size(); ++i) {
    if (domains[i].level == level) found.push_back(static_cast<int>(i));
  }
  return found;
}

int Tree::AncestorAt(int domain, int level) const {
  while (domains[domain].level > level) domain = domains[domain].parent;
  return domain;
}

int Tree::Leaf(const std::vector<std::string>& values) const {
  for (int leaf : At(last_level())) {
    const Path& path = domains[leaf].path;
    if (ends_in_host ? !values.empty() && path.back() == values.back() : path == values)
      return leaf;
  }
  return -1;
}

std::vector<std::string> Tree::ShownValues(int leaf) const {
  const Path& path = domains[leaf].path;
  return ends_in_host ? Path{path.back()} : path;
}

std::vector<std::string> Tree::ShownLevels() const {
  return ends_in_host ? std::vector<std::string>{levels.back()} : levels;
}

Tree BuildTree(const PlacementCase& placement_case) {
  Tree tree;
  tree.levels = placement_case.levels;
  tree.ends_in_host = !tree.levels.empty() && tree.levels.back() == kHost;
  std::map<std::pair<size_t, Path>, Domain> by_path;
  std::map<std::string, Path> path_of_host;
  for (const NodeFacts* node : NodesThatTakePart(placement_case)) {
    Path path = PathOf(placement_case, *node);
    if (tree.ends_in_host) path = path_of_host.emplace(path.back(), path).first->second;
    for (size_t depth = 1; depth <= path.size(); ++depth) {
      Domain& domain = by_path[{depth, Path(path.begin(), path.begin() + depth)}];
      domain.level = static_cast<int>(depth) - 1;
      domain.path = Path(path.begin(), path.begin() + depth);
    }
    Domain& leaf = by_path[{path.size(), path}];
    if (tree.ends_in_host && leaf.host == nullptr) leaf.host = node;
    Add(leaf.free, FreeOf(placement_case, *node));
  }
  LinkDomains(by_path, tree);
  return tree;
}

Amounts RequestOf(const ResourceList& one_pod, int64_t count) {
  Amounts request;
  for (const ResourceAmount& r : one_pod) request[r.name] += r.amount * count;
  request["pods"] += count;
  return request;
}

void Add(Amounts& to, const Amounts& more) {
  for (const auto& [name, amount] : more) to[name] += amount;
}

}  // namespace gangplan::tas_reference
