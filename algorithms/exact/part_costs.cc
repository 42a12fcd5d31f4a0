#include "algorithms/exact/part_costs.h"

#include <numeric>

#include "algorithms/exact/split.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

bool Within(const Terms& terms, int32_t members) {
  return members == 0 ||
         (members >= terms.min && members <= terms.max && members % terms.factor == 0);
}

// What domains of `level` have, by the domains that they are in.
std::map<int32_t, PartCounts> Above(const Tree& tree, int level,
                                    const std::map<int32_t, PartCounts>& used) {
  CountWork(Work::kFind, 3 * std::ssize(used));
  std::map<int32_t, PartCounts> above;
  for (const auto& [domain, members] : used)
    AddTo(above.try_emplace(tree.parent(level, domain), members.size(), 0).first->second, members);
  return above;
}

}  // namespace

PartCosts::PartCosts(const Tree& tree, const PlacementRequest& request,
                     const std::vector<Terms>& terms, const Parts& parts)
    : tree_(tree), terms_(terms), parts_(parts) {
  for (int level = 0; level < tree.level_count(); ++level) {
    const bool told = request.rules[static_cast<size_t>(level)].has_value();
    if (told) numbers_.push_back({level, -1});
    for (size_t part = 0; part < parts.size(); ++part)
      if (parts.all()[part].ruled[static_cast<size_t>(level)] != 0)
        numbers_.push_back({level, static_cast<int>(part)});
    if (!told) numbers_.push_back({level, -1});
  }
}

bool PartCosts::Allows(int level, const PartCounts& members) const {
  if (!Within(terms(level), PodsIn(members))) return false;
  for (size_t part = 0; part < parts_.size(); ++part)
    if (!Within(parts_.all()[part].own[static_cast<size_t>(level)], members[part])) return false;
  return true;
}

void PartCosts::Add(int level, const PartCounts& members, std::span<int64_t> costs) const {
  const int32_t all = PodsIn(members);
  CountWork(Work::kEntry, 2 * std::ssize(numbers_));
  for (size_t i = 0; i < numbers_.size(); ++i) {
    const Number& number = numbers_[i];
    if (number.level != level) continue;
    const bool whole = number.part < 0;
    const int32_t count = whole ? all : members[static_cast<size_t>(number.part)];
    const Terms& rule =
        whole ? terms(level)
              : parts_.all()[static_cast<size_t>(number.part)].own[static_cast<size_t>(level)];
    if (count > 0) costs[i] += LevelCost(rule.kind, count);
  }
}

// Each used parent uses as many of its children as the rules say, all members and each part.
bool PartCosts::PartsKept(int level, const std::map<int32_t, PartCounts>& used) const {
  const auto kept = [&](int32_t parts, const auto& count) {
    std::map<int32_t, int32_t> children;
    for (const auto& [domain, members] : used)
      if (count(members) > 0) ++children[level == 0 ? 0 : tree_.parent(level, domain)];
    for (const auto& [parent, number] : children)
      if (parts > 0 && number != parts) return false;
    return true;
  };
  if (!kept(terms(level).parts, PodsIn)) return false;
  for (size_t part = 0; part < parts_.size(); ++part) {
    const int32_t asked = parts_.all()[part].own[static_cast<size_t>(level)].parts;
    if (asked > 0 && !kept(asked, [&](const PartCounts& members) { return members[part]; }))
      return false;
  }
  return true;
}

PartCostList PartCosts::Sum(const PartPlacement& placed) const {
  PartCostList costs(size(), 0);
  PartPlacement used = placed;
  for (int level = tree_.leaf_level(); level >= 0; --level) {
    if (level < tree_.leaf_level()) used = Above(tree_, level + 1, used);
    for (const auto& [domain, members] : used) Add(level, members, costs);
  }
  return costs;
}

bool PartCosts::Keeps(const PartPlacement& placed) const {
  PartPlacement used = placed;
  for (int level = tree_.leaf_level(); level >= 0; --level) {
    if (level < tree_.leaf_level()) used = Above(tree_, level + 1, used);
    for (const auto& [domain, members] : used)
      if (!Allows(level, members)) return false;
    if (!PartsKept(level, used)) return false;
  }
  return true;
}

std::optional<PartCostList> PartCosts::Of(const PartPlacement& placed) const {
  if (!Keeps(placed)) return std::nullopt;
  return Sum(placed);
}

}  // namespace gangplan::exact
