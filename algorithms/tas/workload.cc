#include "algorithms/tas/workload.h"

#include <algorithm>
#include <utility>

namespace gangplan {
namespace {

struct Group {
  int32_t workers = -1;
  int32_t leader = -1;
};

// In the order of their first pod sets. Of two equal ones the second leads.
std::vector<Group> GroupsOf(std::span<const TasPodSet> pod_sets) {
  std::vector<Group> groups;
  for (size_t i = 0; i < pod_sets.size(); ++i) {
    const TasPodSet& pod_set = pod_sets[i];
    if (pod_set.request.count == 0) continue;
    const int32_t at = static_cast<int32_t>(i);
    auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return pod_set.group >= 0 && pod_sets[group.workers].group == pod_set.group;
    });
    if (known == groups.end()) {
      groups.push_back({at, -1});
    } else if (pod_set.request.count > pod_sets[known->workers].request.count) {
      known->leader = std::exchange(known->workers, at);
    } else {
      known->leader = at;
    }
  }
  return groups;
}

int32_t PodsOf(std::span<const TasShare> shares) {
  int32_t pods = 0;
  for (const TasShare& share : shares) pods += share.count;
  return pods;
}

// The first pods of what stands.
std::vector<TasShare> Shortened(std::vector<TasShare> shares, int32_t pods) {
  for (TasShare& share : shares) {
    share.count = std::min(share.count, pods);
    pods -= share.count;
  }
  std::erase_if(shares, [](const TasShare& share) { return share.count == 0; });
  return shares;
}

class Workload {
 public:
  Workload(const Tree& tree, std::span<const TasPodSet> pod_sets, TasCapacity& capacity,
           TasScratch& scratch)
      : tree_(tree), pod_sets_(pod_sets), capacity_(capacity), scratch_(scratch) {}

  std::vector<TasAnswer> Place() {
    for (const Group& group : GroupsOf(pod_sets_)) {
      if (!PlaceGroup(group)) break;
    }
    return std::move(answers_);
  }

 private:
  bool Stands(int32_t pod_set) const { return pod_set >= 0 && pod_sets_[pod_set].previous; }

  bool Gone(int32_t pod_set) const {
    if (!Stands(pod_set)) return false;
    const std::vector<TasShare>& previous = *pod_sets_[pod_set].previous;
    return std::any_of(previous.begin(), previous.end(),
                       [](const TasShare& share) { return share.domain < 0; });
  }

  bool PlaceGroup(const Group& group) {
    const int32_t count = pod_sets_[group.workers].request.count;
    if (!Stands(group.workers) || Gone(group.workers) || Gone(group.leader))
      return PlaceNew(group, group.leader, count) || Fail(group.leader);
    int32_t leader = group.leader;
    if (Stands(leader)) {
      Keep(leader, *pod_sets_[leader].previous);
      leader = -1;
    }
    const std::vector<TasShare>& previous = *pod_sets_[group.workers].previous;
    if (count <= PodsOf(previous)) {
      Keep(group.workers, Shortened(previous, count));
      return true;
    }
    capacity_.Assume(group.workers, previous);
    if (PlaceNew(group, leader, count - PodsOf(previous), previous)) return true;
    std::erase_if(answers_, [&](const TasAnswer& a) { return a.pod_set == group.leader; });
    return false;
  }

  void Keep(int32_t pod_set, std::vector<TasShare> shares) {
    capacity_.Assume(pod_set, shares);
    answers_.push_back({pod_set, std::move(shares), std::nullopt});
  }

  // Places `count` more workers beside those that stand, and the leader if there is one. False: the
  // workers' failure is the last answer.
  bool PlaceNew(const Group& group, int32_t leader, int32_t count,
                std::vector<TasShare> standing = {}) {
    const TasPodSet& workers = pod_sets_[group.workers];
    const auto fail = [&](const TasFailure& failure) {
      answers_.push_back({group.workers, {}, failure});
      return false;
    };
    if (workers.invalid) return fail(*workers.invalid);
    TasRequest request = workers.request;
    request.count = count;
    request.leader = leader >= 0;
    PlaceTas(tree_, capacity_.Counts(group.workers, leader), request, scratch_, result_);
    if (result_.failure) return fail(*result_.failure);
    capacity_.Assume(group.workers, result_.workers);
    standing.insert(standing.end(), result_.workers.begin(), result_.workers.end());
    answers_.push_back({group.workers, MergeShares(std::move(standing)), std::nullopt});
    std::vector<TasShare> leads;
    if (result_.leader >= 0) leads.push_back({result_.leader, 1});
    if (leader >= 0) Keep(leader, std::move(leads));
    return true;
  }

  // The leader, if there is one, fails with its workers, and is told before them.
  bool Fail(int32_t leader) {
    if (leader < 0) return false;
    answers_.insert(answers_.end() - 1, {leader, {}, answers_.back().failure});
    return false;
  }

  const Tree& tree_;
  std::span<const TasPodSet> pod_sets_;
  TasCapacity& capacity_;
  TasScratch& scratch_;
  TasResult result_;
  std::vector<TasAnswer> answers_;
};

}  // namespace

std::vector<TasShare> MergeShares(std::vector<TasShare> shares) {
  std::sort(shares.begin(), shares.end(),
            [](const TasShare& a, const TasShare& b) { return a.domain < b.domain; });
  std::vector<TasShare> merged;
  for (const TasShare& share : shares) {
    if (share.count == 0) continue;
    if (merged.empty() || merged.back().domain != share.domain) {
      merged.push_back(share);
    } else {
      merged.back().count += share.count;
    }
  }
  return merged;
}

std::vector<TasAnswer> PlaceTasWorkload(const Tree& tree, std::span<const TasPodSet> pod_sets,
                                        TasCapacity& capacity, TasScratch& scratch) {
  return Workload(tree, pod_sets, capacity, scratch).Place();
}

}  // namespace gangplan
