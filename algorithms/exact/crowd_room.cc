#include "algorithms/exact/crowd_room.h"

#include <algorithm>

#include "algorithms/exact/domains.h"
#include "algorithms/exact/fullest.h"
#include "algorithms/exact/same.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

// Entries of rooms, and rooms, that are looked at in one step.
constexpr int64_t kRoomWorkAStep = 32;
constexpr int64_t kWholeRoomsAStep = 4;
constexpr int64_t kNoRoom = INT64_MIN / 1024;  // less than any sum: there is none

}  // namespace

int64_t CrowdRoom::Cost(const Tree& tree, std::span<const Terms> terms, int64_t loads) {
  const int64_t rooms = tree.leaf_count() * loads;
  int64_t cost = rooms / kWholeRoomsAStep + rooms * (loads + 1) / 2 / kRoomWorkAStep;
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

// Leaves that hold the same before their rule do so by it: that is asked once for each kind.
void CrowdRoom::BuildLeaves(const Tree& tree, const FitCounts& counts) {
  const auto width = static_cast<size_t>(loads_.count());
  const auto leaves = static_cast<size_t>(tree.leaf_count());
  const std::span<const int32_t> alone = counts.at(tree.leaf_level());
  std::vector<int32_t>& most = most_.back();
  most.resize(leaves * width);
  std::vector<const int32_t*> rooms(width);
  std::vector<int32_t> pods(width);
  for (size_t load = 1; load < width; ++load) {
    rooms[load] = loads_.Rooms(static_cast<int32_t>(load)).data();
    pods[load] = loads_.pods(static_cast<int32_t>(load));
  }
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    int32_t* const row = &most[leaf * width];
    row[0] = alone[leaf];
    for (size_t load = 1; load < width; ++load) {
      const int32_t room = rooms[load][leaf];
      row[load] = room == Loads::kNone ? kNone : room + pods[load];
    }
  }
  CountWork(Work::kEntry, static_cast<int64_t>(2 * leaves * width));
  std::vector<int32_t>& same = same_.back();
  same = SameRows(most, width);
  std::vector<int32_t> kind(leaves), first, rows;
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    const auto one = static_cast<size_t>(same[leaf]);
    kind[leaf] = one == leaf ? static_cast<int32_t>(first.size()) : kind[one];
    if (one != leaf) continue;
    first.push_back(same[leaf]);
    rows.insert(rows.end(), &most[leaf * width], &most[leaf * width] + width);
  }
  Own(terms_.back(), rows);
  const std::vector<int32_t> same_kind = SameRows(rows, width);
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    const auto of = static_cast<size_t>(same_kind[static_cast<size_t>(kind[leaf])]);
    std::copy_n(&rows[of * width], width, &most[leaf * width]);
    same[leaf] = first[of];
  }
}

// One more sibling, beside what those before it hold.
void CrowdRoom::AddChild(std::span<const int32_t> child, std::span<const int32_t> before,
                         std::span<int32_t> all) const {
  for (size_t load = 0; load < all.size(); ++load)
    all[load] = before[load] < 0 ? kNone : std::min(before[load] + child[0], members_);
  CountWork(Work::kEntry, static_cast<int64_t>(all.size() * (all.size() + 1) / 2));
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

// What hosts hold more than without their part, at most: as if those with the largest gain were
// there as often as parts of the load are.
std::vector<int64_t> CrowdRoom::MostGains(int level) const {
  const auto width = static_cast<size_t>(loads_.count());
  const std::vector<int32_t>& rows = most_[static_cast<size_t>(level + 1)];
  std::vector<int64_t> gain(width, kNoRoom), all(width, kNoRoom);
  for (size_t at = 0; at < rows.size(); at += width) {
    const auto index = static_cast<int32_t>(at / width);
    if (Same(level, index) != index) continue;
    for (size_t part = 1; part < width; ++part)
      if (rows[at + part] >= 0)
        gain[part] = std::max(gain[part], int64_t{rows[at + part]} - rows[at]);
  }
  all[0] = 0;
  for (size_t load = 1; load < width; ++load)
    for (size_t part = 1; part <= load; ++part)
      if (loads_.Within(static_cast<int32_t>(part), static_cast<int32_t>(load)))
        all[load] = std::max(all[load], all[load - part] + gain[part]);
  return all;
}

// Of siblings of which any number is used. Where those so far gain as much by the load as any do,
// the others bring what they hold without.
void CrowdRoom::HoldOnAny(int level, Tree::Range siblings, std::span<const int64_t> most_gains,
                          std::span<int32_t> row) const {
  std::vector<int32_t> before(row.size());
  const auto is_full = [this](int32_t most) { return most == members_; };
  const auto at_most = [&](size_t load, int64_t alone) {
    return most_gains[load] < kNoRoom / 2 ? kNone
                                          : std::min<int64_t>(alone + most_gains[load], members_);
  };
  row[0] = 0;
  int64_t alone = 0;
  bool gained = false;
  for (int32_t one = siblings.begin; one < siblings.end; ++one) {
    const std::span<const int32_t> child = Row(level, one);
    alone += child[0];
    if (!gained) {
      if (std::all_of(row.begin(), row.end(), is_full)) return;
      std::copy(row.begin(), row.end(), before.begin());
      AddChild(child, before, row);
      gained = true;
      for (size_t load = 0; load < row.size() && gained; ++load)
        gained = row[load] == at_most(load, alone);
    }
  }
  for (size_t load = 0; load < row.size() && gained; ++load)
    row[load] = static_cast<int32_t>(at_most(load, alone));
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
  const std::vector<int64_t> most_gains = parts > 0 ? std::vector<int64_t>{} : MostGains(level + 1);
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
      HoldOnAny(level + 1, range, most_gains, row);
    if (level >= 0) Own(terms_[static_cast<size_t>(level)], row);
  }
  if (level >= 0) same_[static_cast<size_t>(level)] = same;
}

}  // namespace gangplan::exact
