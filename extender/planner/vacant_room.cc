#include "extender/planner/vacant_room.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "extender/planner/solve_queue.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr int64_t kPerPercent = 10'000;  // millionths

}  // namespace

// As if each were of the largest pod set: which ones are missing is not asked.
int64_t VacantRoom::ShareOf(const Group& group, int32_t vacant, const Ledger& ledger) {
  int64_t greatest = 0;
  for (const PodSet& set : group.pod_sets().sets())
    greatest = std::max(greatest, ledger.ShareOf(set.demand));
  return greatest * vacant;
}

void VacantRoom::Count(const Group& group, const Ledger& ledger) {
  const int32_t vacant =
      std::min(group.In(SlotState::kHeld), std::max(0, group.Expected() - group.live()));
  if (vacant == 0) {
    Forget(group);
  } else {
    int64_t& held = held_[group.key().ns][group.id()];
    const int64_t share = ShareOf(group, vacant, ledger);
    if (share < held && most_ < 100) freed_.insert(group.key().ns);
    held = share;
  }
}

void VacantRoom::Forget(const Group& group) { ForgetAccount(group.key().ns, group.id()); }

bool VacantRoom::CountKept(const std::string& ns, GroupId account, int64_t share) {
  int64_t own = 0, others = 0;
  if (auto it = held_.find(ns); it != held_.end()) {
    for (const auto& [id, held] : it->second) (id == account ? own : others) += held;
  }
  if (most_ < 100 && share > own && others + share > most_ * kPerPercent) return false;
  if (most_ < 100 && share < own) freed_.insert(ns);
  if (share > 0) {
    held_[ns][account] = share;
  } else {
    ForgetAccount(ns, account);
  }
  return true;
}

void VacantRoom::ForgetAccount(const std::string& ns, GroupId account) {
  auto it = held_.find(ns);
  if (it == held_.end()) return;
  if (it->second.erase(account) > 0 && most_ < 100) freed_.insert(it->first);
  if (it->second.empty()) held_.erase(it);
}

bool VacantRoom::NoteBarren(const Group& group, const Ledger& ledger) {
  if (group.Started() || group.whole() || group.live() >= group.Expected()) return false;
  if (most_ >= 100 || ShareOf(group, group.Expected(), ledger) <= most_ * kPerPercent) return false;
  Barren& barren = barren_[group.key().ns];
  barren.until = absl::InfiniteFuture();
  barren.over = false;
  return true;
}

void VacantRoom::Tick(absl::Time now) {
  for (auto it = barren_.begin(); it != barren_.end();) {
    auto& [ns, barren] = *it;
    if (barren.until == absl::InfiniteFuture())
      barren.until = now + SolveQueue::PauseAfter(kBarrenPause, barren.times++, kMaxBarrenPause);
    if (now >= barren.until && !std::exchange(barren.over, true)) freed_.insert(ns);
    it = now >= barren.until + kMaxBarrenPause ? barren_.erase(it) : std::next(it);
  }
}

std::string VacantRoom::Refusal(const Group& group, const Ledger& ledger) const {
  const int32_t missing = group.Expected() - group.live();
  if (most_ >= 100 || missing <= 0) return {};
  int64_t others = 0;
  bool gathers = false;  // some other gang, whose room is filled, or given back in its time
  if (auto it = held_.find(group.key().ns); it != held_.end()) {
    for (const auto& [id, held] : it->second) {
      if (id == group.id()) continue;
      others += held;
      gathers |= !IsSparing(id);
    }
  }
  // Nobody makes its pods before there is room for all: one such gang may hold it at a time.
  const auto barren = barren_.find(group.key().ns);
  const bool comes = barren == barren_.end() || barren->second.over;
  if (group.suspended() && !gathers && comes) return {};
  if (others + ShareOf(group, missing, ledger) <= most_ * kPerPercent) return {};
  return fmt::format(
      "gang {} of {}: {} members do not exist yet; with their room namespace {} would hold more "
      "than {} % of the cluster for pods that are not there (limits.namespace.vacantShare), so "
      "room "
      "is held when more of them come",
      group.name(), group.size(), missing, group.key().ns, most_);
}

}  // namespace gangplan
