#include "extender/planner/fair_shares.h"

#include <algorithm>
#include <iterator>

#include "extender/planner/group_room.h"
#include "extender/planner/limits.h"
#include "extender/planner/solve_rank.h"
#include "fmt/format.h"
#include "topology/implied_resource.h"
#include "topology/resources.h"

namespace gangplan {
namespace {

// It has no room and may be asked: then by its own place, also where it was of no use before.
bool Waits(const Group& group) {
  return !group.Started() && group.holds() == 0 && group.Placeable();
}

// It may take room before others do: not while somebody holds it back, or its room was given back,
// nor where there is none that would ever do, or something else is to happen first.
bool GoesBefore(const Group& group) {
  const Verdict& told = group.verdict();
  const bool may = told.outcome == Outcome::kPlaced || told.outcome == Outcome::kWait;
  return may && !told.kept_back && !told.short_in_all && group.hold() == nullptr &&
         group.state() != GroupState::kReleased;
}

bool IsBefore(const Group* one, const Group* other) {
  return SolveQueue::PlaceOf(one->id(), SolveRankOf(*one)) <
         SolveQueue::PlaceOf(other->id(), SolveRankOf(*other));
}

// Adds what is a part of the cluster. Not what each node has all the same, nor what no node has: of
// these each gang may have names of its own, and a namespace's sum is gone through for each of its
// gangs.
class Sum {
 public:
  Sum(ResourceList& sum, const Ledger& ledger) : sum_(sum), ledger_(ledger) {}

  void Add(const ResourceList& demand, int64_t pods) {
    if (pods == 0) return;
    const auto counts = [this](const ResourceAmount& one) { return Counts(one.name); };
    if (std::all_of(demand.begin(), demand.end(), counts)) return AddResources(sum_, demand, pods);
    ResourceList counted;
    std::copy_if(demand.begin(), demand.end(), std::back_inserter(counted), counts);
    AddResources(sum_, counted, pods);
  }
  void AddAll(const Group& group) {
    for (const PodSet& set : group.pod_sets().sets()) Add(set.demand, set.count);
  }
  // Of its pods that are there, or are made when it has room: not what it claims beyond that.
  void AddWaiting(const Group& group) {
    for (const PodSet& set : group.pod_sets().sets())
      Add(set.demand, group.suspended() ? set.count : std::min(set.count, set.members));
  }
  // What it has room for, held or bound. O(pod sets) where that is all or nothing.
  void AddRoom(const Group& group) {
    const int32_t there = group.holds() + group.bound();
    if (there == 0) return;
    if (there == group.size()) return AddAll(group);
    for (const PodSet& set : group.pod_sets().sets()) {
      int32_t pods = 0;
      for (int32_t i = set.first; i < set.first + set.count; ++i) {
        pods += static_cast<int32_t>(HasRoom(group.slot(i)));
      }
      Add(set.demand, pods);
    }
  }

 private:
  bool Counts(const std::string& name) const {
    if (IsImplied(name)) return false;
    return AmountOf(sum_, name) > 0 || ledger_.ShareOf({{name, INT64_MAX}}) > 0;
  }

  ResourceList& sum_;
  const Ledger& ledger_;
};

}  // namespace

void FairShares::SetShares(bool shares) {
  changed_ |= shares != shares_;
  again_ = absl::InfinitePast();
  shares_ = shares;
}

int64_t FairShares::Of(const Group& group) {
  if (!shares_) return 0;
  const auto [own, added] = shares_of_.try_emplace(group.id(), 1);
  if (!added) return own->second;
  changed_ = true;
  Row& row = RowOf(known_[group.key().ns], group);
  own->second = row.behind;
  Sum(row.with, ledger_).AddAll(group);
  row.behind = 1 + ledger_.DominantOf(row.with).millionths;
  return own->second;
}

// The first one there has what the namespace has before it.
FairShares::Row& FairShares::RowOf(Known& known, const Group& group) const {
  const auto [row, added] = known.rows.try_emplace(group.topology());
  if (added) row->second = {1 + known.has.millionths, known.room};
  return row->second;
}

std::vector<GroupId> FairShares::Count(absl::Time now) {
  std::vector<GroupId> others;
  if (!changed_ || now < again_) return others;
  changed_ = false;
  again_ = now + kSharesCounted;
  std::map<GroupId, int64_t> counted;
  known_.clear();
  if (shares_) {
    std::map<std::string_view, Tenant> tenants;
    for (const auto& [id, group] : groups_.groups()) {
      Tenant& tenant = tenants[group->key().ns];
      Sum(tenant.has, ledger_).AddRoom(*group);
      if (Waits(*group)) tenant.waiting.push_back(group.get());
    }
    for (auto& [ns, tenant] : tenants) CountOne(std::string(ns), tenant, counted);
  }
  for (const auto& [id, share] : shares_ ? counted : shares_of_) {
    const auto before = shares_of_.find(id);
    if (!shares_ || before == shares_of_.end() || before->second != share) others.push_back(id);
  }
  shares_of_ = std::move(counted);
  return others;
}

void FairShares::CountOne(const std::string& ns, Tenant& tenant,
                          std::map<GroupId, int64_t>& counted) {
  std::sort(tenant.waiting.begin(), tenant.waiting.end(), IsBefore);
  Known& known = known_[ns];
  known.has = ledger_.DominantOf(tenant.has);
  known.room = std::move(tenant.has);
  for (const Group* group : tenant.waiting) {
    Row& row = RowOf(known, *group);
    counted[group->id()] = row.behind;
    if (!GoesBefore(*group)) continue;
    Sum(row.with, ledger_).AddWaiting(*group);
    row.behind = 1 + ledger_.DominantOf(row.with).millionths;
  }
}

std::string FairShares::Text(const Group& group) const {
  if (!shares_) return {};
  const auto known = known_.find(group.key().ns);
  const Ledger::Share has = known == known_.end() ? Ledger::Share() : known->second.has;
  const std::string& ns = group.key().ns;
  if (has.millionths == 0) return fmt::format("namespace {} has nothing yet", ns);
  return fmt::format("namespace {} has {:.1f} % of {}", ns,
                     static_cast<double>(has.millionths) / 1e4, has.resource);
}

}  // namespace gangplan
