#include "algorithms/exact/crowd_room.h"

#include <algorithm>

#include "algorithms/exact/domains.h"
#include "algorithms/exact/fullest.h"
#include "algorithms/exact/same.h"

namespace gangplan::exact {
namespace {

// Entries of rooms, and rooms, that are looked at in one step.
constexpr int64_t kWorkAStep = 32;
constexpr int64_t kRoomsAStep = 4;

}  // namespace

int64_t CrowdRoom::Cost(const Tree& tree, std::span<const Terms> terms, int64_t loads) {
  const int64_t rooms = tree.leaf_count() * loads;
  int64_t cost = rooms / kRoomsAStep + rooms * (loads + 1) / 2 / kWorkAStep;
  for (int level = 0; level < tree.level_count(); ++level)
    if (terms[static_cast<size_t>(level)].parts > 1)
      cost += Fullest::MostCost(tree.size(level), loads, loads - 1);
  return cost;
}

CrowdRoom::CrowdRoom(const Tree& tree, std::span<const Terms> terms, const Loads& loads,
                     const FitCounts& counts, int32_t members)
    : loads_(loads), terms_(terms), members_(members) {
  most_.resize(static_cast<size_t>(tree.level_count()) + 1);
  same_.resize(static_cast<size_t>(tree.level_count()));
  BuildLeaves(tree, counts);
  for (int level = tree.leaf_level() - 1; level >= -1; --level) BuildAbove(tree, level);
}

// What the rule of its level lets each domain take, one row after the other.
void CrowdRoom::Own(const Terms& terms, std::span<int32_t> rows) const {
  const int32_t factor = terms.factor, largest = std::min(terms.max, members_);
  std::vector<int32_t> least;
  for (int32_t load = 0; load < loads_.count(); ++load)
    least.push_back(std::max(terms.least(), loads_.pods(load)));
  for (size_t at = 0; at < rows.size(); at += least.size()) {
    for (size_t load = 0; load < least.size(); ++load) {
      int32_t& most = rows[at + load];
      most = std::min(most, largest);
      if (factor > 1) most = most / factor * factor;
      if (most < least[load]) most = load == 0 ? 0 : kNone;
    }
  }
}

void CrowdRoom::BuildLeaves(const Tree& tree, const FitCounts& counts) {
  const auto width = static_cast<size_t>(loads_.count());
  const int leaf_level = tree.leaf_level();
  const std::span<const int32_t> alone = counts.at(leaf_level);
  std::vector<int32_t>& most = most_.back();
  most.resize(static_cast<size_t>(tree.leaf_count()) * width);
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
    const std::span<int32_t> row =
        std::span(most).subspan(static_cast<size_t>(leaf) * width, width);
    row[0] = alone[static_cast<size_t>(leaf)];
    for (int32_t load = 1; load < loads_.count(); ++load) {
      const int32_t room = loads_.Room(leaf, load);
      row[static_cast<size_t>(load)] = room == Loads::kNone ? kNone : room + loads_.pods(load);
    }
  }
  Own(terms_[static_cast<size_t>(leaf_level)], most);
  same_.back() = SameRows(most, width);
}

// One more sibling, beside what those before it hold.
void CrowdRoom::AddChild(std::span<const int32_t> child, std::span<const int32_t> before,
                         std::span<int32_t> all) const {
  for (size_t load = 0; load < all.size(); ++load)
    all[load] = before[load] < 0 ? kNone : std::min(before[load] + child[0], members_);
  for (size_t part = 1; part < all.size(); ++part) {
    if (child[part] < 0) continue;
    for (size_t rest = 0; rest + part < all.size(); ++rest) {
      const auto load = static_cast<int32_t>(rest + part);
      if (before[rest] >= 0 && loads_.Within(static_cast<int32_t>(part), load))
        all[rest + part] =
            std::max(all[rest + part], std::min(before[rest] + child[part], members_));
    }
  }
}

// Of siblings of which any number is used.
void CrowdRoom::HoldOnAny(int level, Tree::Range siblings, std::span<int32_t> row) const {
  std::vector<int32_t> before(row.size());
  const auto is_full = [this](int32_t most) { return most == members_; };
  row[0] = 0;
  for (int32_t one = siblings.begin; one < siblings.end; ++one) {
    if (std::all_of(row.begin(), row.end(), is_full)) return;
    std::copy(row.begin(), row.end(), before.begin());
    AddChild(Row(level, one), before, row);
  }
}

// Of siblings of which so many are used.
void CrowdRoom::HoldOn(int32_t used, std::span<const int32_t> siblings,
                       std::span<int32_t> row) const {
  if (used == 1) {
    for (size_t at = 0; at < siblings.size(); ++at)
      row[at % row.size()] = std::max(row[at % row.size()], siblings[at]);
    return;
  }
  int64_t paid = INT64_MAX;
  const Fullest fullest(siblings, loads_, paid);
  for (int32_t load = 0; load < loads_.count() && used <= fullest.siblings(); ++load) {
    const int64_t held = fullest.Held(used, load);
    if (held > 0)
      row[static_cast<size_t>(load)] = static_cast<int32_t>(std::min<int64_t>(held, members_));
  }
  row[0] = std::max(row[0], 0);
}

void CrowdRoom::BuildAbove(const Tree& tree, int level) {
  const auto width = static_cast<size_t>(loads_.count());
  const int32_t size = DomainCount(tree, level);
  const std::vector<int32_t>& below = same_[static_cast<size_t>(level + 1)];
  const std::vector<int32_t> same = SameDomains(tree, level, below, below.size());
  const int32_t parts = terms_[static_cast<size_t>(level + 1)].parts;
  std::vector<int32_t>& most = most_[static_cast<size_t>(level + 1)];
  most.assign(static_cast<size_t>(size) * width, kNone);
  for (int32_t index = 0; index < size; ++index) {
    const std::span<int32_t> row =
        std::span(most).subspan(static_cast<size_t>(index) * width, width);
    const int32_t first = same[static_cast<size_t>(index)];
    if (first != index) {
      std::copy_n(most.begin() + first * static_cast<int64_t>(width), width, row.begin());
      continue;
    }
    const Tree::Range range = ChildrenOf(tree, level, index);
    if (parts > 0)
      HoldOn(parts, Rows(level + 1, range), row);
    else
      HoldOnAny(level + 1, range, row);
    if (level >= 0) Own(terms_[static_cast<size_t>(level)], row);
  }
  if (level >= 0) same_[static_cast<size_t>(level)] = same;
}

}  // namespace gangplan::exact
