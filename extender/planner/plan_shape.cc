#include "extender/planner/plan_shape.h"

#include <algorithm>
#include <string_view>

#include "fmt/format.h"
#include "topology/model.h"
#include "topology/tree.h"

namespace gangplan {
namespace {

std::string Counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

PlanShape ShapeOf(std::span<const NodeIndex> nodes, const Model& model, TopologyIndex topology) {
  PlanShape shape;
  shape.members = static_cast<int32_t>(nodes.size());
  std::vector<NodeIndex> different(nodes.begin(), nodes.end());
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  shape.nodes = static_cast<int32_t>(different.size());
  const Tree& tree = model.tree(topology);
  std::vector<int32_t> domains;  // of the level that is looked at
  for (NodeIndex node : different) {
    if (const int32_t leaf = model.LeafOfNode(topology, node); leaf >= 0) domains.push_back(leaf);
  }
  if (domains.size() < different.size()) {
    if (shape.nodes == 1) shape.domain = model.NodeName(different.front());
    return shape;
  }
  for (int level = tree.leaf_level(); level >= 0 && !domains.empty(); --level) {
    std::sort(domains.begin(), domains.end());
    domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
    shape.levels.push_back({tree.level(level).name, static_cast<int32_t>(domains.size())});
    if (domains.size() == 1 && shape.domain.empty())
      shape.domain = tree.Path(level, domains.front());
    if (domains.size() > 1) shape.distance += 2;
    if (level == 0) break;
    for (int32_t& domain : domains) domain = tree.parent(level, domain);
  }
  std::reverse(shape.levels.begin(), shape.levels.end());
  return shape;
}

std::string ShapeText(const PlanShape& shape) {
  std::string where = shape.domain;
  if (where.empty() && !shape.levels.empty())
    where = Counted(shape.levels.front().domains, shape.levels.front().name);
  std::string text = Counted(shape.members, "pod");
  if (!where.empty()) text += " in " + where;
  if (shape.nodes > 1 || where.empty()) text += " on " + Counted(shape.nodes, "node");
  return text;
}

std::string QualityText(const PlanQuality& quality, const PlanShape& shape) {
  if (quality.best) return "no plan is better";
  if (!quality.gap || quality.gap->level >= static_cast<int>(shape.levels.size()))
    return "a better one may exist";
  const PlacementGap& gap = *quality.gap;
  const std::string& level = shape.levels[static_cast<size_t>(gap.level)].name;
  if (gap.domains != gap.bound_domains) {
    return fmt::format("a better one may exist: by {} it uses {}, and {} at least are needed",
                       level, Counted(gap.domains, "domain"), gap.bound_domains);
  }
  return fmt::format("a better one may exist: by {} its members may lie more evenly, or closer",
                     level);
}

}  // namespace gangplan
