#include "algorithms/members.h"

#include <algorithm>

#include "topology/base/check.h"
#include "topology/base/text.h"

namespace gangplan {

std::vector<int32_t> MissingRanks(const PlacementRequest& request, int32_t pod_set) {
  const PodSetRequest& set = request.pod_sets[static_cast<size_t>(pod_set)];
  if (!set.missing.empty()) return set.missing;
  std::vector<int32_t> taken;
  for (const FixedMember& member : request.fixed) {
    if (member.pod_set == pod_set) taken.push_back(member.rank);
  }
  std::sort(taken.begin(), taken.end());
  GANGPLAN_CHECK(std::adjacent_find(taken.begin(), taken.end()) == taken.end());
  const size_t count = static_cast<size_t>(set.count) - taken.size();
  std::vector<int32_t> missing;
  missing.reserve(count);
  auto next_taken = std::lower_bound(taken.begin(), taken.end(), set.first_rank);
  for (int32_t rank = set.first_rank; missing.size() < count; ++rank) {
    if (next_taken != taken.end() && *next_taken == rank) {
      ++next_taken;
    } else {
      missing.push_back(rank);
    }
  }
  return missing;
}

PlacementRequest WithMembers(PlacementRequest request, size_t set, int32_t members) {
  PodSetRequest& own = request.pod_sets[set];
  const auto fewer = static_cast<size_t>(std::max(0, own.count - members));
  own.missing.resize(own.missing.size() - std::min(own.missing.size(), fewer));
  own.count = members;
  return request;
}

void RankMembers(const PlacementRequest& request, int32_t pod_set,
                 const std::vector<int32_t>& leaves, std::vector<PlacedMember>& members) {
  const std::vector<int32_t> ranks = MissingRanks(request, pod_set);
  GANGPLAN_CHECK(ranks.size() == leaves.size());
  for (size_t i = 0; i < leaves.size(); ++i) members.push_back({pod_set, ranks[i], leaves[i]});
}

std::string MembersText(int32_t count) {
  return fmt::format("{} member{}", count, count == 1 ? "" : "s");
}

}  // namespace gangplan
