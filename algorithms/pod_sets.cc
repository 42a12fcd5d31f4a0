#include "algorithms/pod_sets.h"

#include <algorithm>
#include <utility>

namespace gangplan {

LevelRules RulesOf(const PlacementRequest& request, size_t pod_set) {
  const LevelRules& own = request.pod_sets[pod_set].rules;
  if (own.empty()) return request.rules;
  return request.strategy == Strategy::kTas ? own : OwnOver(own, request.rules);
}

LevelRules OwnOver(const LevelRules& own, LevelRules rules) {
  for (size_t level = 0; level < own.size(); ++level)
    if (own[level] && (own[level]->hard || !rules[level] || !rules[level]->hard))
      rules[level] = own[level];
  return rules;
}

void JoinOwnRules(PlacementRequest& request) {
  if (request.pod_sets.size() != 1 || request.strategy != Strategy::kExact) return;
  LevelRules& own = request.pod_sets.front().rules;
  for (size_t level = 0; level < own.size(); ++level) {
    const bool twice = own[level] && request.rules[level] && own[level] != request.rules[level];
    if (twice) return;
  }
  request.rules = OwnOver(own, std::move(request.rules));
  own.clear();
}

PlacementRequest OnlyPodSet(const PlacementRequest& request, size_t pod_set) {
  PlacementRequest only;
  only.strategy = request.strategy;
  only.tas = request.tas;
  only.rules = RulesOf(request, pod_set);
  const PodSetRequest& set = request.pod_sets[pod_set];
  only.pod_sets.push_back({set.name, set.count, set.first_rank});
  for (const FixedMember& member : request.fixed) {
    if (static_cast<size_t>(member.pod_set) == pod_set)
      only.fixed.push_back({0, member.rank, member.leaf});
  }
  return only;
}

size_t LargestPodSet(const PlacementRequest& request) {
  const auto& sets = request.pod_sets;
  return static_cast<size_t>(
      std::max_element(sets.begin(), sets.end(),
                       [](const auto& a, const auto& b) { return a.count < b.count; }) -
      sets.begin());
}

int32_t PartnerOf(const PlacementRequest& request, size_t pod_set) {
  const int32_t group = request.pod_sets[pod_set].group;
  for (size_t i = 0; group >= 0 && i < request.pod_sets.size(); ++i) {
    if (i != pod_set && request.pod_sets[i].group == group) return static_cast<int32_t>(i);
  }
  return -1;
}

}  // namespace gangplan
