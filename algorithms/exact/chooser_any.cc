// Domains with loads when the steps have ended: some placement, without a search.
//
//   racks of 8, 8 and 5 workers, or 7, 7 and 5 beside a leader; a leader and 11 workers, pack: the
//   leader on the first rack, 8 and 4 as the best way has it, whatever that costs inside
#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/chooser_loads.h"

namespace gangplan::exact {
namespace {

// Ways that are tried, and where nothing else is left.
constexpr size_t kWayTries = 4;
constexpr size_t kLastWayTries = 16;

}  // namespace

// A valid placement, by a way that is the best by the level where that can be dealt out at once,
// else by a look at what the children before each one can take together; where that would be too
// much some more ways are tried. REQUIRES: the steps have ended.
template <int kWords>
void Chooser<kWords>::AnyWay(int level, int32_t index, int32_t load, int32_t members,
                             const Ways& ways, std::vector<Pick>& picks) {
  const auto tried = [&](size_t from, size_t end) {
    for (size_t at = from; at < std::min(end, ways.ways.size()); ++at)
      if (TryWay(level, index, members, ways, ways.ways[at], picks)) return true;
    return false;
  };
  if (tried(0, kWayTries)) return;
  const std::optional<std::vector<LoadedCount>> any = field_.AnyLoaded(level, index, load, members);
  if (any) {
    for (const LoadedCount& one : *any) picks.push_back({one.child, one.members});
  } else {
    answered_ = tried(kWayTries, kLastWayTries) && answered_;
  }
}

// The first hosts of a way. False: nothing is picked.
template <int kWords>
bool Chooser<kWords>::TryWay(int level, int32_t index, int32_t members, const Ways& ways,
                             const Way& way, std::vector<Pick>& picks) {
  bool placed = false;
  VisitHosts(level, *ways.kinds, way.kinds, [&](std::span<const int32_t> loaded) {
    KeyOf key;
    placed = way.alike ? Evaluate(level, index, members, way, loaded, key, &picks)
                       : DealLoose(level, index, members, loaded, picks);
    return false;
  });
  if (!placed) picks.clear();
  return placed;
}

// The best split of children that are not alike. False when one of them cannot take what it is
// dealt.
template <int kWords>
bool Chooser<kWords>::DealLoose(int level, int32_t index, int32_t members,
                                std::span<const int32_t> loaded, std::vector<Pick>& picks) {
  Field::Arranged arranged;
  field_.Arrange(level, index, loaded, arranged);
  const Ranked& loose = arranged.children.loose;
  std::vector<Pick> dealt;
  KeyOf key;
  if (loose.order.empty() || !BestAlike(level, index, loose, ToUse(level), members, key, &dealt) ||
      !CanTake(level, loose.order, dealt))
    return false;
  picks = std::move(dealt);
  return true;
}

// Each of the children what it is dealt, or nothing.
template <int kWords>
bool Chooser<kWords>::CanTake(int level, std::span<const int32_t> children,
                              std::span<const Pick> dealt) const {
  absl::flat_hash_map<int32_t, int32_t> members;
  for (const Pick& pick : dealt) members[pick.child] += pick.members;
  return std::all_of(children.begin(), children.end(), [&](int32_t child) {
    const auto taken = members.find(child);
    return field_.Has(field_.reach(level + 1, child), taken == members.end() ? 0 : taken->second);
  });
}

// The members defined here, for every width; the others are in chooser.cc.
#define GANGPLAN_CHOOSER_ANY(kWords)                                                           \
  template bool Chooser<kWords>::TryWay(int, int32_t, int32_t, const Ways&, const Way&,        \
                                        std::vector<Pick>&);                                   \
  template bool Chooser<kWords>::DealLoose(int, int32_t, int32_t, std::span<const int32_t>,    \
                                           std::vector<Pick>&);                                \
  template bool Chooser<kWords>::CanTake(int, std::span<const int32_t>, std::span<const Pick>) \
      const;                                                                                   \
  template void Chooser<kWords>::AnyWay(int, int32_t, int32_t, int32_t, const Ways&,           \
                                        std::vector<Pick>&);
GANGPLAN_CHOOSER_ANY(1)
GANGPLAN_CHOOSER_ANY(2)
GANGPLAN_CHOOSER_ANY(kMaxLevels + 1)

}  // namespace gangplan::exact
