#include "extender/planner/least.h"

#include <algorithm>
#include <numeric>

#include "extender/frontends/limits.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/unit_cuts.h"

namespace gangplan {
namespace {

int32_t Standing(const Group& group) {
  return group.bound() + group.In(SlotState::kPosting) + group.In(SlotState::kFinished);
}

// Members that keep a rule of whole slices only in multiples of it.
int32_t SliceOf(const Group& group) {
  const PodSet& set = group.pod_sets().sets().front();
  int32_t slice = 1;
  for (const auto& rule : group.pod_sets().RulesInForce(set)) {
    if (rule && rule->factor) slice = std::lcm(slice, *rule->factor);
  }
  return slice;
}

bool CountsMembers(const Group& group) {
  const PodSet& set = group.pod_sets().sets().front();
  const auto& rules = group.pod_sets().RulesInForce(set);
  return std::any_of(rules.begin(), rules.end(), [](const std::optional<LevelRule>& rule) {
    const bool spreads = rule && rule->kind == LevelRule::Kind::kSpread;
    return spreads || (rule && (rule->partitions || rule->min || rule->factor));
  });
}

// The most of them that leave every unit whole: up to half of them where all do, and those of the
// least number in any case.
int32_t FewerInUnits(const Group& group, const UnitCuts& cuts, int32_t asked, int32_t missing) {
  std::vector<int32_t> whole = cuts.WholeAfter(cuts.InTurn(group.WantedSlots()));
  const bool all = !whole.empty() && whole.back() == asked;
  if (all) whole.pop_back();
  int32_t fewer = 0;
  for (const int32_t some : whole) {
    const bool of_use = fewer < std::max(missing, 1) || !all || some <= asked / 2;
    if (of_use) fewer = some;
  }
  return fewer < missing ? 0 : fewer;
}

}  // namespace

int32_t LeastOf(const Group& group, const OwnerBook& owners) {
  const Sizing& sizing = group.sizing();
  if (!sizing.at_least) return 0;
  const OwnerFacts* owner = group.owner() ? owners.Facts(OwnerKeyOf(group)) : nullptr;
  int64_t least = sizing.least;
  if (least == 0) return owner != nullptr && owner->size ? static_cast<int32_t>(*owner->size) : 0;
  if (owner == nullptr || !sizing.of_owner || owner->at_least) return sizing.least;
  if (owner->size) least = std::min(least, std::max<int64_t>(*owner->size, 1));
  if (owner->left && !group.key().incarnation.empty()) {
    const int64_t done = group.Started() ? group.finished() : 0;
    least = std::min(least, std::max<int64_t>(*owner->left + done, 1));
  }
  return static_cast<int32_t>(least);
}

std::optional<int32_t> MostOf(const Group& group, const OwnerBook& owners) {
  const OwnerFacts* owner = group.owner() ? owners.Facts(OwnerKeyOf(group)) : nullptr;
  const bool tells = owner != nullptr && owner->size && !owner->at_least;
  if (!tells || !group.sizing().of_owner) return std::nullopt;
  return static_cast<int32_t>(std::min<int64_t>(*owner->size, kMaxGroupSize)) +
         group.In(SlotState::kFinished);
}

int32_t MissingOfLeast(const Group& group, const OwnerBook& owners) {
  return std::max(0, LeastOf(group, owners) - Standing(group));
}

bool IsJoined(const Group& group, const OwnerBook& owners) {
  return group.Started() && group.sizing().at_least && MissingOfLeast(group, owners) == 0;
}

bool OnlyJoins(const Group& group, const OwnerBook& owners) {
  return IsJoined(group, owners) && !(group.HasLost() && MostOf(group, owners));
}

std::vector<int32_t> SurplusOf(const Group& group, const OwnerBook& owners) {
  std::vector<int32_t> surplus;
  if (!IsJoined(group, owners) || CountsMembers(group)) return surplus;
  const int32_t more = group.bound() - LeastOf(group, owners);
  for (int32_t i = static_cast<int32_t>(group.slots().size()); i-- > 0;) {
    if (static_cast<int32_t>(surplus.size()) >= more) break;
    if (group.slot(i).state == SlotState::kBound) surplus.push_back(i);
  }
  std::reverse(surplus.begin(), surplus.end());
  return surplus;
}

int32_t FewerThan(const Group& group, const OwnerBook& owners, int32_t asked) {
  const UnitCuts cuts(group.pod_sets(), group.slots());
  if (cuts.counts()) return FewerInUnits(group, cuts, asked, MissingOfLeast(group, owners));
  int32_t fewer = asked / 2;
  fewer -= fewer % SliceOf(group);
  fewer = std::max(fewer, MissingOfLeast(group, owners));
  return fewer < asked ? fewer : 0;
}

}  // namespace gangplan
