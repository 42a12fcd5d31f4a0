// What a domain takes with a load when its children are alike but for their most: in closed form.
#include <algorithm>

#include "algorithms/exact/field.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {

// Leaves by their kinds, other children one by one. False when they are not alike.
bool Field::FillHosting(int level, int32_t index, Hosting& hosting) {
  const Children& found = children(level, index);
  if (!found.odd.empty() || !found.possible) return false;
  const Siblings& siblings = found.alike.siblings;
  const bool leaves = level + 1 == tree().leaf_level();
  hosting.least[0] = siblings.lo;
  hosting.step = leaves ? terms(level + 1).factor : siblings.step;
  const auto add = [&](int32_t many, const auto& reach_with) {
    const Reach without = reach_with(0);
    LeafKinds::Row row = {without.empty() ? 0 : without.hi};
    for (int32_t load = 1; load < question_.loads->count(); ++load) {
      const auto at = static_cast<size_t>(load);
      const Reach with = reach_with(load);
      row[at] = with.empty() ? LeafKinds::kFar : with.hi;
      if (with.empty()) continue;
      if (hosting.least[at] == 0) hosting.least[at] = with.lo;
      if (with.lo != hosting.least[at] || !(leaves || FitsBeyond(siblings, with))) return false;
    }
    hosting.siblings.insert(hosting.siblings.end(), static_cast<size_t>(many), row);
    return true;
  };
  const Tree::Range range = Range(level, index);
  hosting.siblings.reserve(static_cast<size_t>(range.end - range.begin));
  CountWork(Work::kReach, int64_t{range.end - range.begin} * question_.loads->count());
  if (leaves) {
    const std::span<const LeafKinds::Entry> inside = KindsIn(level, index);
    return std::all_of(inside.begin(), inside.end(), [&](const LeafKinds::Entry& entry) {
      return add(entry.count, [&](int32_t load) { return KindReach(entry.kind, load); });
    });
  }
  const auto add_child = [&](int32_t child) {
    return add(1, [&](int32_t load) { return reach(level + 1, Loaded(level + 1, child, load)); });
  };
  if (!std::all_of(found.alike.order.begin(), found.alike.order.end(), add_child)) return false;
  for (int32_t child = range.begin; child < range.end; ++child)
    if (Most(level + 1, child) == 0 && !add_child(child)) return false;
  return true;
}

bool Field::CombineForced(int level, int32_t index) {
  const Loads& loads = *question_.loads;
  const Tree::Range range = Range(level, index);
  steps_ += int64_t{range.end - range.begin} * loads.count();
  Hosting hosting;
  if (!FillHosting(level, index, hosting)) return false;
  const int32_t parts = terms(level + 1).parts;
  std::vector<Hosting::Stretch> stretches;
  for (int32_t load = 1; load < loads.count(); ++load) {
    stretches.clear();
    for (int32_t part = 0; part <= load - part; ++part) {
      if (!loads.Within(part, load)) continue;
      const int32_t both[] = {load - part, part};
      hosting.Add(std::span(both).first(part == 0 ? 1 : 2), parts, question_.members, stretches);
    }
    Join(hosting.step, stretches);
    loaded_[level + 1][Loaded(level, index, load) - Size(level)] =
        LoadedReach(level, index, hosting.step, stretches);
  }
  ended_ = steps_ > question_.most_steps;
  return true;
}

Reach Field::LoadedReach(int level, int32_t index, int32_t step,
                         std::span<const Hosting::Stretch> stretches) {
  Reach result = kNoReach;
  if (stretches.size() == 1) {
    result = Progression(static_cast<int32_t>(stretches.front().begin),
                         static_cast<int32_t>(stretches.front().end), step, false);
  } else if (!stretches.empty()) {
    const auto most = static_cast<int32_t>(stretches.back().end);
    steps_ += most / 64 + 1;
    CountSet sums(most);
    for (const Hosting::Stretch& stretch : stretches)
      sums.AddEach(static_cast<int32_t>(stretch.begin), step, static_cast<int32_t>(stretch.end));
    result = Normal(std::move(sums));
  }
  if (level >= 0) result = Own(result, level, index);
  result.zero = false;
  return result;
}

}  // namespace gangplan::exact
