#include "extender/planner/victim_question.h"

#include <algorithm>
#include <map>
#include <utility>

#include "extender/planner/limits.h"

namespace gangplan {

size_t VictimQuestion::AddAmounts(std::vector<int64_t> amounts) {
  amounts_.push_back(std::move(amounts));
  return amounts_.size() - 1;
}

void VictimQuestion::AddGroup(int64_t id, std::string name, int64_t priority) {
  AddSurplus(id, std::move(name), priority, {});
}

void VictimQuestion::AddSurplus(int64_t id, std::string name, int64_t priority,
                                std::vector<int32_t> slots) {
  groups_.push_back({std::move(name), priority, 0, {}});
  victims_.push_back({id, std::move(slots)});
  parts_.emplace_back();
}

// Slots lie next to each other on a node, so that it is enough to look at the last part.
void VictimQuestion::AddPod(int32_t leaf, size_t amounts) {
  RunningGroup& group = groups_.back();
  std::vector<Part>& parts = parts_.back();
  ++group.pods;
  const bool more = !parts.empty() && parts.back().leaf == leaf && parts.back().amounts == amounts;
  if (!more) {
    group.leaves.push_back(leaf);
    parts.push_back({leaf, amounts, 0});
  }
  ++parts.back().pods;
}

std::vector<int32_t> VictimQuestion::Leaves() const {
  std::vector<int32_t> leaves;
  for (const std::vector<Part>& parts : parts_) {
    for (const Part& part : parts) leaves.push_back(part.leaf);
  }
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  return leaves;
}

void VictimQuestion::Add(size_t group, int sign, Change& change) const {
  for (const Part& part : parts_[group])
    change.push_back({part.leaf, &amounts_[part.amounts], int64_t{sign} * part.pods});
}

// What is free after the last question and is no more, or the other way round.
VictimQuestion::Change VictimQuestion::Move(std::span<const int32_t> gone) {
  std::vector<bool> next(groups_.size(), false);
  for (int32_t group : gone) next[static_cast<size_t>(group)] = true;
  Change change;
  for (size_t i = 0; i < next.size(); ++i) {
    if (next[i] != gone_[i]) Add(i, next[i] ? 1 : -1, change);
  }
  gone_ = std::move(next);
  return change;
}

void VictimQuestion::Find(const Place& place) {
  gone_.assign(groups_.size(), false);
  VictimsRequest request{groups_, priority_, hosts_, {}};
  request.budget.checks = kVictimChecks;
  result = FindVictims(request, [&](std::span<const int32_t> gone) { return place(Move(gone)); });
}

// Whose whole goes loses nothing by itself.
std::vector<Victim> VictimQuestion::Victims() const {
  std::vector<Victim> victims;
  std::map<int64_t, size_t> places;
  for (const int32_t found : result.victims) {
    const Victim& part = victims_[static_cast<size_t>(found)];
    const auto [place, is_new] = places.try_emplace(part.id, victims.size());
    if (is_new) {
      victims.push_back(part);
      continue;
    }
    std::vector<int32_t>& slots = victims[place->second].slots;
    const bool whole = slots.empty() || part.slots.empty();
    if (whole) slots.clear();
    if (!whole) slots.insert(slots.end(), part.slots.begin(), part.slots.end());
    std::sort(slots.begin(), slots.end());
  }
  return victims;
}

std::vector<int64_t> VictimQuestion::Ids() const {
  std::vector<int64_t> ids;
  for (const Victim& victim : Victims()) ids.push_back(victim.id);
  return ids;
}

}  // namespace gangplan
