#include "extender/planner/unit_cuts.h"

#include <algorithm>
#include <tuple>

namespace gangplan {
namespace {

int32_t LargestUnit(const PodSets& sets) {
  int32_t largest = 0;
  for (const PodSet& set : sets.sets()) {
    if (!set.known || sets.relaxed()) continue;
    for (const auto& rule : sets.RulesInForce(set))
      if (rule && rule->ranked) largest = std::max(largest, rule->factor.value_or(1));
  }
  return largest;
}

}  // namespace

UnitCuts::UnitCuts(const PodSets& sets, const std::vector<Slot>& slots) : size_(LargestUnit(sets)) {
  for (size_t i = 0; counts() && i < slots.size(); ++i) {
    if (slots[i].state == SlotState::kEmpty) continue;
    --lack_.try_emplace(static_cast<int32_t>(i) / size_, size_).first->second;
  }
}

std::vector<int32_t> UnitCuts::InTurn(std::vector<int32_t> wanted) const {
  std::sort(wanted.begin(), wanted.end(), [&](int32_t a, int32_t b) {
    return std::make_tuple(!lack_.contains(a / size_), a) <
           std::make_tuple(!lack_.contains(b / size_), b);
  });
  return wanted;
}

std::vector<int32_t> UnitCuts::WholeAfter(const std::vector<int32_t>& in_turn) const {
  std::map<int32_t, int32_t> lack = lack_;
  auto in_part =
      std::count_if(lack.begin(), lack.end(), [](const auto& one) { return one.second > 0; });
  std::vector<int32_t> whole;
  for (size_t i = 0; i < in_turn.size(); ++i) {
    const auto [unit, begun] = lack.try_emplace(in_turn[i] / size_, size_);
    in_part += static_cast<int>(begun);
    if (--unit->second == 0) --in_part;
    if (in_part == 0) whole.push_back(static_cast<int32_t>(i) + 1);
  }
  return whole;
}

}  // namespace gangplan
