#include "extender/planner/victim_question.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "topology/fit_counts.h"

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

void VictimQuestion::AddSingle(std::string_view uid, int64_t priority, int32_t leaf,
                               size_t amounts) {
  told_.push_back({priority, leaf, static_cast<uint32_t>(amounts),
                   static_cast<uint32_t>(uids_.size()), static_cast<uint32_t>(uid.size())});
  uids_ += uid;
}

void VictimQuestion::TakeTold() {
  for (const Told& told : told_) {
    std::string uid = uids_.substr(told.uid_begin, told.uid_bytes);
    groups_.push_back({"~" + uid, told.priority, 1, {told.leaf}});
    victims_.push_back({0, {}, std::move(uid)});
    parts_.push_back({{told.leaf, told.amounts, 1}});
  }
  told_.clear();
  uids_.clear();
}

// ---- the order of pods of no group

VictimQuestion::Freed VictimQuestion::FreedBy(size_t single, int64_t times) const {
  const Part& part = parts_[single].front();
  return {part.leaf, &amounts_[part.amounts], times};
}

// How much of members it takes, all resources together, in millionths.
int64_t VictimQuestion::WorthOf(size_t single) const {
  const std::vector<int64_t>& amounts = amounts_[parts_[single].front().amounts];
  WideAmount worth = 0;
  for (size_t i = 0; i < unit_.size() && i < amounts.size(); ++i) {
    if (unit_[i] > 0) worth += WideAmount{amounts[i]} * 1'000'000 / unit_[i];
  }
  return Narrow(worth);
}

// `singles` of one leaf, in the order in which they go. Who makes room for a member together with
// those before has these as its like: as many as they are for each member. The name is the order in
// which they stay.
void VictimQuestion::OrderOn(std::span<const size_t> singles, const Fit& fit) {
  constexpr int64_t kNever = 999'999'999;
  std::vector<int64_t> costs(singles.size(), kNever);
  int64_t before = fit(FreedBy(singles.front(), 0));
  size_t begin = 0;
  for (size_t i = 0; i < singles.size(); ++i) {
    const int64_t count = fit(FreedBy(singles[i], 1));
    if (count <= before) continue;
    const int64_t cost = static_cast<int64_t>(i + 1 - begin) * 1'000 / (count - before);
    std::fill(costs.begin() + static_cast<std::ptrdiff_t>(begin),
              costs.begin() + static_cast<std::ptrdiff_t>(i + 1), std::min(cost, kNever - 1));
    before = count;
    begin = i + 1;
  }
  for (size_t i = 0; i < singles.size(); ++i) {
    fit(FreedBy(singles[i], -1));
    RunningGroup& single = groups_[singles[i]];
    single.name = fmt::format("~{:09}.{:06}.{:06}.{}", kNever - costs[i], single.leaves.front(),
                              singles.size() - i, victims_[singles[i]].pod);
  }
}

void VictimQuestion::OrderSingles(const Fit& fit) {
  TakeTold();
  std::map<int32_t, std::vector<size_t>> by_leaf;
  for (size_t i = 0; i < victims_.size(); ++i) {
    if (!victims_[i].pod.empty()) by_leaf[groups_[i].leaves.front()].push_back(i);
  }
  for (auto& [leaf, singles] : by_leaf) {
    std::sort(singles.begin(), singles.end(), [&](size_t a, size_t b) {
      return std::make_tuple(groups_[a].priority, -WorthOf(a), std::string_view(victims_[a].pod)) <
             std::make_tuple(groups_[b].priority, -WorthOf(b), std::string_view(victims_[b].pod));
    });
    OrderOn(singles, fit);
  }
}

// ---- the question

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
  TakeTold();
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
    if (!part.pod.empty()) {
      victims.push_back(part);
      continue;
    }
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
  for (const Victim& victim : Victims()) {
    if (victim.pod.empty()) ids.push_back(victim.id);
  }
  return ids;
}

}  // namespace gangplan
