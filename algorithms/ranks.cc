#include "algorithms/ranks.h"

#include <algorithm>
#include <cstddef>

namespace gangplan {
namespace {

// What the group of a pod set adds to its offset.
int64_t GroupOffset(std::span<const RankedPodSet> pod_sets, size_t at) {
  const RankedPodSet& set = pod_sets[at];
  if (set.group.empty()) return 0;
  std::vector<size_t> members;
  for (size_t i = 0; i < pod_sets.size(); ++i)
    if (pod_sets[i].group == set.group) members.push_back(i);
  if (members.size() != 2) return 0;
  const RankedPodSet& first = pod_sets[members[0]];
  const RankedPodSet& second = pod_sets[members[1]];
  const bool first_is_smaller = first.count <= second.count;
  if (at == (first_is_smaller ? members[0] : members[1])) return 0;
  return first_is_smaller ? first.count : second.count;
}

bool Within(std::optional<int32_t> number, int64_t bound) {
  return number && *number >= 0 && *number < bound;
}

// Nothing when the pod set's indices cannot rank this pod.
std::optional<int64_t> RankOf(const RankedPod& pod, const RankedPodSet& set, int64_t offset) {
  if (!Within(pod.index, offset + set.count)) return std::nullopt;
  int64_t rank = *pod.index - offset;
  if (set.sub_grouped) {
    if (set.sub_groups < 1 || !Within(pod.sub_group, set.sub_groups)) return std::nullopt;
    const int64_t size = set.count / set.sub_groups;
    if (*pod.index >= size) return std::nullopt;
    rank += *pod.sub_group * size;
  }
  if (rank < 0 || rank >= set.count) return std::nullopt;
  return rank;
}

std::vector<int32_t> DomainsByRank(const RankedPodSet& set) {
  std::vector<int32_t> domains;
  for (size_t i = 0; i < set.domains.size(); ++i)
    domains.insert(domains.end(), static_cast<size_t>(std::max(set.domains[i].count, 0)),
                   static_cast<int32_t>(i));
  return domains;
}

// The domain of each pod, standing ones included; nothing when the ranks make no sense together.
std::optional<std::vector<int32_t>> ByRank(const RankedPodSet& set, int64_t offset) {
  if (!set.indexed) return std::nullopt;
  const std::vector<int32_t> domains = DomainsByRank(set);
  std::vector<bool> taken(domains.size());
  std::vector<int32_t> result;
  for (const RankedPod& pod : set.pods) {
    const std::optional<int64_t> rank = RankOf(pod, set, offset);
    if (!rank || *rank >= static_cast<int64_t>(domains.size())) return std::nullopt;
    const size_t at = static_cast<size_t>(*rank);
    if (taken[at] || (!pod.waits && pod.domain != domains[at])) return std::nullopt;
    taken[at] = true;
    result.push_back(domains[at]);
  }
  return result;
}

// Waiting pods in order to the first domain that has room beside the pods that stand there.
std::vector<int32_t> ByRoom(const RankedPodSet& set) {
  std::vector<int64_t> room;
  for (const RankDomain& domain : set.domains) room.push_back(domain.count);
  for (const RankedPod& pod : set.pods)
    if (!pod.waits && pod.domain != kNoDomain) --room[static_cast<size_t>(pod.domain)];
  size_t next = 0;
  std::vector<int32_t> result;
  for (const RankedPod& pod : set.pods) {
    while (next < room.size() && room[next] <= 0) ++next;
    if (!pod.waits || next == room.size()) {
      result.push_back(kNoDomain);
    } else {
      --room[next];
      result.push_back(static_cast<int32_t>(next));
    }
  }
  return result;
}

}  // namespace

int64_t FirstIndex(std::span<const RankedPodSet> pod_sets, size_t at) {
  return GroupOffset(pod_sets, at) + pod_sets[at].offset;
}

std::vector<std::vector<int32_t>> AssignDomains(std::span<const RankedPodSet> pod_sets) {
  std::vector<std::vector<int32_t>> results;
  for (size_t i = 0; i < pod_sets.size(); ++i) {
    const RankedPodSet& set = pod_sets[i];
    auto ranked = ByRank(set, FirstIndex(pod_sets, i));
    std::vector<int32_t> result = ranked ? *std::move(ranked) : ByRoom(set);
    for (size_t p = 0; p < result.size(); ++p) {
      if (result[p] == kNoDomain) continue;
      const bool healthy = set.domains[static_cast<size_t>(result[p])].healthy;
      if (!set.pods[p].waits || !healthy) result[p] = kNoDomain;
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace gangplan
